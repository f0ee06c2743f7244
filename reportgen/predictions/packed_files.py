"""Limits of packed files: small files that unpack to more than memory holds are not unpacked."""

from __future__ import annotations

import re
import zipfile
import zlib
from abc import ABC, abstractmethod
from functools import lru_cache
from pathlib import PurePosixPath
from typing import IO, TYPE_CHECKING

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FILE_CORRUPT, UNPACKED_TOO_LARGE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MAX_UNPACKED_BYTES = 1 << 30
# Tables of predictions without ids shrink to a thousandth at most, unless all rows are equal.
MAX_ZSTD_EXPANSION = 1000
USUAL_BYTES = 64 << 20
# All rows of a spreadsheet in 47 columns.
MAX_CELLS = 50_000_000
_CHUNK_BYTES = 1 << 20

_ZSTD_MAGIC = 0xFD2FB528
_SKIPPABLE_MAGIC = range(0x184D2A50, 0x184D2A60)
_RAW_BLOCK, _RLE_BLOCK, _COMPRESSED_BLOCK = range(3)
# Of every block, whatever its packed size (RFC 8878, section 3.1.1.2.4).
_MAX_BLOCK_BYTES = 128 << 10
_DICTIONARY_BYTES, _CONTENT_SIZE_BYTES = (0, 1, 2, 4), (0, 2, 4, 8)

# A byte of deflate gives at most this many.
_DEFLATE_EXPANSION = 1032
_STORED, _DEFLATED, _ZSTANDARD = 0, 8, 93
_LOCAL_HEADER_BYTES = 30
_XML_ATTRIBUTES = rb"""(?:\s+[^\s=<>"']+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*"""
# The position of a cell, or of a row whose cells have none.
_EXCEL_POSITION = re.compile(
    rb"<(?:[^\s<>:/]+:)?(?:c|row)"
    + _XML_ATTRIBUTES
    + rb"""\s+r\s*=\s*["']([A-Za-z]{0,3})([0-9]{1,20})["']"""
)
# A row or a cell of OpenDocument: its name, its attributes, and what follows if it is empty.
_OPENDOCUMENT_TAG = re.compile(
    rb"<(?:[^\s<>:/]+:)?(table|table-row|table-cell|covered-table-cell)(?=[\s/>])("
    + _XML_ATTRIBUTES
    + rb")\s*(/>|>\s*</)?"
)
_REPETITIONS = re.compile(rb"""\bnumber-(?:rows|columns)-repeated\s*=\s*["']([0-9]{1,18})["']""")
_MAX_TAG_BYTES = 16 << 20
# Of tables in archives; operating systems add other files.
_TABLE_SUFFIXES = frozenset(
    {
        *(".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson"),
        *(".parquet", ".pq", ".arrow", ".feather", ".ipc"),
    }
)
_ADDED_FOLDER = "__MACOSX"


def zstd_size_bound(stream: IO[bytes]) -> int:
    """Return an upper bound of the unpacked size, from the headers of all blocks (RFC 8878)."""
    bound = 0
    while len(magic := stream.read(4)) == 4:  # noqa: PLR2004  # bytes of a number
        number = int.from_bytes(magic, "little")
        if number in _SKIPPABLE_MAGIC:
            stream.seek(int.from_bytes(stream.read(4), "little"), 1)
        elif number == _ZSTD_MAGIC:
            bound += _frame_size_bound(stream)
        else:
            break
    return bound


def _frame_size_bound(stream: IO[bytes]) -> int:
    descriptor = int.from_bytes(stream.read(1))
    is_single = bool(descriptor & 32)
    content_size_bytes = _CONTENT_SIZE_BYTES[descriptor >> 6] or int(is_single)
    stream.seek((not is_single) + _DICTIONARY_BYTES[descriptor & 3] + content_size_bytes, 1)
    bound, is_last = 0, False
    while not is_last and len(head := stream.read(3)) == 3:  # noqa: PLR2004  # as above
        header = int.from_bytes(head, "little")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        bound += _MAX_BLOCK_BYTES if kind == _COMPRESSED_BLOCK else size
        stream.seek(1 if kind == _RLE_BLOCK else size, 1)
    if descriptor & 4:
        stream.seek(4, 1)
    return bound


def check_zstd_size(path: Path, stream: IO[bytes], packed_size: int) -> None:
    """Raise if data packed with zstd, which are unpacked in memory, are much larger unpacked."""
    bound = zstd_size_bound(stream)
    if bound > MAX_UNPACKED_BYTES * 4 or bound > max(USUAL_BYTES, MAX_ZSTD_EXPANSION * packed_size):
        raise _too_large_error(path, f"unpacks from {packed_size:,} to up to {bound:,} bytes")


def check_archive_size(path: Path) -> None:
    """Raise if a ZIP archive unpacks to more than 1 GiB, or its sheets to a grid too large."""
    status = path.stat()
    _check_archive(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _check_archive(path: Path, _modified: int, _size: int) -> None:
    total = 0
    with zipfile.ZipFile(path) as archive, path.open("rb") as stream:
        for member in archive.infolist():
            grid = _grid_of(member.filename)
            expansion = _DEFLATE_EXPANSION if member.compress_type == _DEFLATED else 1
            if member.compress_type == _ZSTANDARD:
                _seek_member(stream, member)
                check_zstd_size(path, stream, member.compress_size)
            elif grid or total + member.compress_size * expansion > MAX_UNPACKED_BYTES:
                total = _unpack(path, stream, member, total, grid)
            else:
                total += member.compress_size
    _check_total(path, total)


def _grid_of(member: str) -> _Grid | None:
    """Return the empty grid of a member that may be a sheet; any XML file of Excel may be one."""
    if member == "content.xml":
        return _OpenDocumentGrid()
    return _ExcelGrid() if member.lower().endswith(".xml") else None


def list_tables(archive: zipfile.ZipFile) -> tuple[str, ...]:
    """Return the names of the members that may be tables, by their suffix."""
    return tuple(
        name
        for name in archive.namelist()
        for path in (PurePosixPath(name),)
        if path.suffix.lower() in _TABLE_SUFFIXES
        if not path.name.startswith(".") and path.parts[0] != _ADDED_FOLDER
    )


def unpack_member(path: Path, name: str, folder: Path) -> Path:
    """Unpack a member of a ZIP archive into a folder, under a name of our own."""
    check_archive_size(path)
    copy, size = folder / f"table{PurePosixPath(name).suffix.lower()}", 0
    try:
        with (
            zipfile.ZipFile(path) as archive,
            archive.open(name) as member,
            copy.open("wb") as stream,
        ):
            while chunk := member.read(_CHUNK_BYTES):
                size += len(chunk)
                _check_total(path, size)
                stream.write(chunk)
    except (zipfile.BadZipFile, EOFError, zlib.error) as error:
        message = f"`{name}` in the archive is damaged"
        help_text = "copy or download the file again"
        raise DataError(Diagnostic(FILE_CORRUPT, message, Location(path), help_text)) from error
    except (NotImplementedError, RuntimeError) as error:
        message = f"`{name}` is encrypted, or packed by an unknown method"
        help_text = "unpack the archive and name the files in it"
        raise DataError(Diagnostic(FILE_CORRUPT, message, Location(path), help_text)) from error
    return copy


def _seek_member(stream: IO[bytes], member: zipfile.ZipInfo) -> None:
    """Go to the packed data of a member; the sizes in the archive may be wrong."""
    stream.seek(member.header_offset)
    header = stream.read(_LOCAL_HEADER_BYTES)
    lengths = (int.from_bytes(header[start : start + 2], "little") for start in (26, 28))
    stream.seek(sum(lengths), 1)


def _unpack(
    path: Path, stream: IO[bytes], member: zipfile.ZipInfo, total: int, grid: _Grid | None
) -> int:
    """Return the total with the unpacked size of a member; raise if it exceeds the limits."""
    _seek_member(stream, member)
    tail = b""
    chunks = _inflated_chunks if member.compress_type == _DEFLATED else _stored_chunks
    for chunk in chunks(stream, member.compress_size):
        total += len(chunk)
        _check_total(path, total)
        if grid is None:
            continue
        text = tail + chunk
        # A tag, with the one that closes it, may continue in the next chunk.
        end = text.rfind(b"<")
        if text[end : end + 2] in {b"<", b"</"}:
            end = text.rfind(b"<", 0, max(end, 0))
        tail = text[max(end, 0) :]
        if len(tail) > _MAX_TAG_BYTES:
            raise _too_large_error(path, f"has a cell of more than {_MAX_TAG_BYTES >> 20} MiB")
        grid.add_cells(text[: len(text) - len(tail)])
        grid.check(path)
    if grid is not None:
        grid.add_cells(tail)
        grid.check(path)
    return total


def _stored_chunks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := stream.read(min(_CHUNK_BYTES, size))):
        size -= len(chunk)
        yield chunk


def _inflated_chunks(stream: IO[bytes], packed_size: int) -> Iterator[bytes]:
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    while packed_size > 0 and not inflater.eof:
        packed = stream.read(min(_CHUNK_BYTES, packed_size))
        if not packed:
            return
        packed_size -= len(packed)
        while packed and not inflater.eof:
            yield inflater.decompress(packed, _CHUNK_BYTES)
            packed = inflater.unconsumed_tail


class _Grid(ABC):
    """The rectangle around all cells of a sheet, which readers hold in memory with its gaps."""

    def __init__(self) -> None:
        self.rows = 0
        self.columns = 0

    @abstractmethod
    def add_cells(self, text: bytes) -> None:
        """Extend the rectangle to the cells in a part of a sheet, which ends between two tags."""

    def check(self, path: Path) -> None:
        """Raise if the rectangle has more cells than readers should hold."""
        if self.rows * self.columns > MAX_CELLS:
            raise _too_large_error(
                path, f"has a sheet of {self.rows:,} rows and {self.columns:,} columns"
            )


class _ExcelGrid(_Grid):
    """A sheet of Excel: cells and rows have positions."""

    def add_cells(self, text: bytes) -> None:
        """Extend the rectangle to the cells in a part of a sheet."""
        positions = _EXCEL_POSITION.findall(text)
        columns = {column for column, _ in positions}
        self.columns = max([self.columns, *map(_column_number, columns)])
        self.rows = max([self.rows, *(int(row) for _, row in positions)])


class _OpenDocumentGrid(_Grid):
    """The largest table of an OpenDocument file: rows and cells have numbers of repetitions.

    Files of LibreOffice fill the rest of each sheet with repeated empty rows and cells, which
    readers leave out.
    """

    def __init__(self) -> None:
        super().__init__()
        self.row = self.column = self.row_repetitions = 0
        self.table_rows = self.table_columns = 0

    def add_cells(self, text: bytes) -> None:
        """Extend the rectangle to the cells in a part of a document."""
        for name, attributes, end in _OPENDOCUMENT_TAG.findall(text):
            match = _REPETITIONS.search(attributes)
            repetitions = int(match[1]) if match else 1
            if name == b"table":
                self.row = self.row_repetitions = self.table_rows = self.table_columns = 0
            elif name == b"table-row":
                self.row += self.row_repetitions
                self.row_repetitions, self.column = repetitions, 0
            else:
                self.column += repetitions
                if not end or b"value" in attributes:
                    self.table_rows = max(self.table_rows, self.row + self.row_repetitions)
                    self.table_columns = max(self.table_columns, self.column)
        if self.table_rows * self.table_columns > self.rows * self.columns:
            self.rows, self.columns = self.table_rows, self.table_columns


def _column_number(column: bytes) -> int:
    number = 0
    for letter in column.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _check_total(path: Path, total: int) -> None:
    if total > MAX_UNPACKED_BYTES:
        raise _too_large_error(path, f"unpacks to more than {MAX_UNPACKED_BYTES >> 20} MiB")


def _too_large_error(path: Path, problem: str) -> DataError:
    help_text = "check how the file was written; write large tables as Parquet or plain CSV"
    return DataError(
        Diagnostic(UNPACKED_TOO_LARGE, f"the file {problem}", Location(path), help_text)
    )
