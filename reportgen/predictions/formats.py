"""File formats, detected by the first bytes of a file and then by its suffix."""

from __future__ import annotations

import gzip
import os
import re
import zipfile
import zlib
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import (
    FILE_CORRUPT,
    FILE_FORMAT_MISMATCH,
    FILE_UNREADABLE,
    MALFORMED_ROW,
    NO_ROWS,
    NOT_UTF8,
)
from reportgen.predictions.packed_files import check_archive_size, check_zstd_size, list_tables

if TYPE_CHECKING:
    from pathlib import Path

_ZIP_MAGIC = b"PK\x03\x04"
_GZIP_MAGIC = b"\x1f\x8b"
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_HEAD_LINES = 200
# Columns of values by index, as `DataFrame.to_json` of pandas writes them.
_JSON_COLUMNS = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*"0"\s*:')
# Rows by index, and rows after a schema, as its `orient="index"` and `"table"` do.
_JSON_ROWS = re.compile(rb'\s*\{\s*("-?\d+"\s*:\s*\{|"schema"\s*:\s*\{\s*"fields"\s*:)')
# Rows or columns by an index of texts: two flat objects with the same first key.
_JSON_BY_TEXT = re.compile(
    rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*(?P<key>"(?:[^"\\]|\\.)*")\s*:[^{}\[\]]*\}'
    rb'\s*,\s*"(?:[^"\\]|\\.)*"\s*:\s*\{\s*(?P=key)\s*:'
)
_NEXT_OBJECT = re.compile(rb"\}\s*\n\s*\{")
_JSON_ARRAY = re.compile(rb"\s*\[\s*\{")
_HEAD_BYTES = 65_536
_MEDIA_TYPE_BYTES = 200
_CHUNK_BYTES = 1 << 20
_MAX_LINE_BYTES, _MAX_DOCUMENT_BYTES = 16 << 20, 1 << 30
# Tables of predictions are rarely packed to less than a hundredth.
_USUAL_EXPANSION = 100
_UNSUPPORTED_MAGIC = {
    b"\x89PNG": "a PNG picture",
    b"\xff\xd8\xff": "a JPEG picture",
    b"GIF8": "a GIF picture",
    b"%PDF": "a PDF document",
    _ZIP_MAGIC: "a ZIP archive",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "a NumPy array",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"FEA1": "a Feather file of version 1",
    b"\x80\x04\x95": "a Python pickle",
    b"\x80\x05\x95": "a Python pickle",
    b"$FL2": "an SPSS file",
    b"$FL3": "an SPSS file",
    b"<stata_dta>": "a Stata file",
    b"\0" * 12 + b"\xc2\xea\x81\x60": "a SAS data set",
    b"RDX": "an R workspace",
    b"X\n\0\0": "an object of R (saveRDS)",
    b"Obj\x01": "an Avro file",
    b"ORC": "an ORC file",
    b"MATLAB 5.0": "a MATLAB file",
}
_WITH_CSV_EXPORT = ("SPSS", "Stata", "SAS", "of R", "an R", "MATLAB")
# A text may have a stray zero byte, which is reported with its row.
_MAX_ZERO_SHARE = 10
_ARFF = re.compile(rb"(?:\s*+%[^\n]*+\n|\s++)*+@relation\b", re.IGNORECASE)
_UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")


class FileFormat(StrEnum):
    """The supported file formats."""

    CSV = "CSV"
    JSON_LINES = "JSON Lines"
    PARQUET = "Parquet"
    ARROW_FILE = "Arrow"
    ARROW_STREAM = "Arrow stream"
    JSON_TABLE = "JSON"
    JSON_ARRAY = "JSON array"
    ENCODED_CSV = "CSV in another encoding"
    WORKBOOK = "workbook"
    SQLITE = "SQLite"
    DUCKDB = "DuckDB"
    POSTGRES = "PostgreSQL"
    INSPECT_LOG = "log of Inspect"
    ZIP = "ZIP"


_BINARY_SUFFIXES = {
    ".parquet": FileFormat.PARQUET,
    ".pq": FileFormat.PARQUET,
    ".arrow": FileFormat.ARROW_FILE,
    ".feather": FileFormat.ARROW_FILE,
    ".ipc": FileFormat.ARROW_FILE,
}


def format_from_suffix(path: str) -> FileFormat | None:
    """Return Parquet or Arrow if the suffix of a file is theirs, otherwise None."""
    return _BINARY_SUFFIXES.get(PurePosixPath(path).suffix.lower())


def detect_format(path: Path) -> FileFormat:
    """Return the format of a file, or raise with the format it has if that is unsupported."""
    head = _read_head(path)
    content = head
    if head.startswith(_GZIP_MAGIC):
        content = _read_gzip_head(path)
        _check_expansion(path, content)
    elif head.startswith(_ZSTD_MAGIC):
        with path.open("rb") as stream:
            check_zstd_size(path, stream, path.stat().st_size)
        content = read_zstd(path, _HEAD_LINES)[:_HEAD_BYTES]
    if not content:
        raise DataError(Diagnostic(NO_ROWS, "the file is empty", Location(path)))
    binary = _detect_binary_format(content, path)
    if binary is not None:
        if content is not head:
            message = f"the file is {binary} packed with gzip or zstd"
            help_text = "unpack it with `gunzip` or `unzstd`"
            raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), help_text))
        return binary
    _check_supported(path, content)
    return _detect_text_format(path, content)


def _read_head(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return stream.read(_HEAD_BYTES)
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Diagnostic(FILE_UNREADABLE, message, Location(path))) from error


def _read_gzip_head(path: Path) -> bytes:
    try:
        with gzip.open(path) as stream:
            return stream.read(_HEAD_BYTES)
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error


def _check_expansion(path: Path, head: bytes) -> None:
    """Raise if a small gzip file unpacks to a line that would not fit into memory.

    Only files that expand unusually are unpacked for it. A JSON document may be one line.
    """
    with path.open("rb") as stream:
        stream.seek(-4, os.SEEK_END)
        # The last field of gzip: the unpacked size modulo 4 GiB.
        unpacked_bytes = int.from_bytes(stream.read(4), "little")
    is_document = head.lstrip().startswith((b"[", b"{"))
    limit = _MAX_DOCUMENT_BYTES if is_document else _MAX_LINE_BYTES
    if unpacked_bytes < max(limit, _USUAL_EXPANSION * path.stat().st_size):
        return
    try:
        with gzip.open(path) as stream:
            line_length = 0
            while chunk := stream.read(_CHUNK_BYTES):
                first, newline, _ = chunk.partition(b"\n")
                line_length += len(first)
                if line_length > limit:
                    message = f"a line is longer than {limit >> 20} MiB once unpacked"
                    help_text = "this is not a table of predictions; check how it was written"
                    raise DataError(Diagnostic(MALFORMED_ROW, message, Location(path), help_text))
                if newline:
                    line_length = len(chunk) - chunk.rfind(b"\n") - 1
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error


def is_zip(path: Path) -> bool:
    """Return whether a file is a ZIP archive."""
    return _read_head(path).startswith(_ZIP_MAGIC)


def is_zstd(path: Path) -> bool:
    """Return whether a file is packed with zstd."""
    with path.open("rb") as stream:
        return stream.read(4) == _ZSTD_MAGIC


def read_zstd(path: Path, lines: int | None = None, content: bytes | None = None) -> bytes:
    """Return the text of a file packed with zstd, which polars unpacks line by line.

    `content` are the packed bytes where they are only a part of the file.
    """
    import polars as pl

    try:
        frame = pl.read_csv(
            path if content is None else content,
            has_header=False,
            # A character that no text holds: each line becomes one field.
            separator="\x1e",
            quote_char=None,
            infer_schema=False,
            n_rows=lines,
            new_columns=["line"],
        )
    except (pl.exceptions.PolarsError, OSError) as error:
        message = "the zstd data are damaged, or hold no text"
        raise DataError(
            Diagnostic(FILE_CORRUPT, message, Location(path), "copy or download the file again")
        ) from error
    return "".join(f"{line or ''}\n" for line in frame["line"]).encode()


def damaged_gzip_diagnostic(path: Path) -> Diagnostic:
    """Return the diagnostic of a gzip file that is truncated or has a wrong checksum."""
    message = "the compressed data are damaged or end too early"
    return Diagnostic(FILE_CORRUPT, message, Location(path), "copy or download the file again")


def _detect_binary_format(head: bytes, path: Path) -> FileFormat | None:
    if head.startswith(b"PAR1"):
        return FileFormat.PARQUET
    if head.startswith(b"ARROW1"):
        return FileFormat.ARROW_FILE
    if head.startswith(b"SQLite format 3\0"):
        return FileFormat.SQLITE
    if head[8:12] == b"DUCK":
        return FileFormat.DUCKDB
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return FileFormat.WORKBOOK
    archive_format = _detect_archive_format(path) if head.startswith(_ZIP_MAGIC) else None
    if archive_format is not None:
        return archive_format
    return FileFormat.ARROW_STREAM if head.startswith(b"\xff\xff\xff\xff") else None


def _detect_archive_format(path: Path) -> FileFormat | None:
    """Return the format of a ZIP archive by its members; None for archives of something else.

    Workbooks have the sheets of Excel or OpenDocument.
    """
    archive_format = None
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            is_workbook = any(name.startswith("xl/workbook") for name in names)
            if "mimetype" in names and not is_workbook:
                with archive.open("mimetype") as member:
                    is_workbook = b"spreadsheet" in member.read(_MEDIA_TYPE_BYTES)
            if is_workbook:
                archive_format = FileFormat.WORKBOOK
            elif {"header.json", "_journal/start.json"} & names:
                archive_format = FileFormat.INSPECT_LOG
            elif list_tables(archive):
                archive_format = FileFormat.ZIP
        if archive_format is not None:
            check_archive_size(path)
    except (zipfile.BadZipFile, OSError, EOFError, zlib.error, NotImplementedError, RuntimeError):
        # The last two are raised for unknown compression methods and encrypted members.
        return None
    return archive_format


def _check_supported(path: Path, head: bytes) -> None:
    supported = "supported formats: CSV, JSON, JSON Lines, Parquet, Arrow, Excel, SQLite and DuckDB"
    for magic, name in _UNSUPPORTED_MAGIC.items():
        if head.startswith(magic):
            help_text = supported
            if name.endswith("archive"):
                help_text = f"unpack it and name the files in it; {supported}"
            elif any(word in name for word in _WITH_CSV_EXPORT):
                help_text = f"export the table as CSV there; {supported}"
            raise DataError(
                Diagnostic(FILE_FORMAT_MISMATCH, f"the file is {name}", Location(path), help_text)
            )
    zeros = head.count(b"\0")
    if head.startswith(_UTF16_BOMS) or _has_utf16_zeros(head):
        help_text = 'write `encoding = "utf-16"` under `[data]`, or convert the file'
        raise DataError(
            Diagnostic(NOT_UTF8, "the file is UTF-16 text, not UTF-8", Location(path), help_text)
        )
    expected = format_from_suffix(path.name)
    if expected is None and zeros * _MAX_ZERO_SHARE > len(head):
        message = "the file holds binary data of an unknown format"
        raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), supported))
    if expected is not None:
        content = "text" if not zeros else "something else"
        message = f"the file is {content}, not {expected}"
        help_text = "if it is CSV, let its name end in `.csv`" if not zeros else supported
        raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), help_text))


def _has_utf16_zeros(head: bytes) -> bool:
    """Return whether every other byte is mostly zero, as of Latin letters in UTF-16."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    return max(even, odd) * 3 > len(head) and min(even, odd) * 10 < max(even, odd)


def _detect_text_format(path: Path, head: bytes) -> FileFormat:
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    suffixes = {suffix.lower() for suffix in path.suffixes}
    if any(pattern.match(head) for pattern in (_JSON_ARRAY, _JSON_COLUMNS, _JSON_ROWS)):
        return FileFormat.JSON_ARRAY
    if _JSON_BY_TEXT.match(head) and not _NEXT_OBJECT.search(head):
        return FileFormat.JSON_ARRAY
    if start == b"{":
        return FileFormat.JSON_LINES
    if head.lstrip()[:5].lower() in {b"<!doc", b"<html", b"<?xml"}:
        message = "the file is a web page or XML, not CSV"
        help_text = "a download that needed a login often gives a page instead of the file"
        raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), help_text))
    if _ARFF.match(head):
        message = "the file is ARFF, the data format of Weka"
        help_text = (
            "convert it:"
            f" `java -cp weka.jar weka.core.converters.CSVSaver -i {path.name} -o {path.stem}.csv`"
        )
        raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), help_text))
    if start and suffixes & {".jsonl", ".ndjson", ".json"}:
        content = "one JSON array" if start == b"[" else "no JSON Lines"
        help_text = "write one object per line, or a list of objects with the names of the columns"
        raise DataError(
            Diagnostic(FILE_FORMAT_MISMATCH, f"the file is {content}", Location(path), help_text)
        )
    return FileFormat.CSV
