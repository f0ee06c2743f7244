"""Text files, CSV and JSON Lines: dialect, structure checks and line numbers."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import re
import zlib
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import IO, TYPE_CHECKING, cast

import numpy as np
import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FILE_CORRUPT, MALFORMED_ROW, NO_ROWS, NOT_UTF8
from reportgen.predictions.formats import (
    FileFormat,
    damaged_gzip_diagnostic,
    detect_format,
    is_zstd,
    read_zstd,
)
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path


MAX_DIAGNOSTICS = 5
_CHUNK_BYTES = 1 << 20
_MAX_SOURCE_LENGTH = 200
_MAX_FIELD_CHARACTERS = 16 << 20


@dataclass(frozen=True, slots=True)
class CsvRecord:
    """The fields of a row, and its line."""

    line: int
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """The dialect of a CSV file: header, separator, and number of lines above the header."""

    header: tuple[str, ...]
    separator: str
    skipped_lines: int = 0
    has_row_names: bool = False
    """Whether rows begin with a name that the header lacks, as those of R's `write.table` do."""
    is_padded: bool = False
    """Whether a blank follows each separator, also before quotes."""


def open_text(path: Path) -> IO[str]:
    """Open a text file, gzip-compressed or not, as UTF-8 with or without byte order mark."""
    return io.TextIOWrapper(_open_bytes(path), encoding="utf-8-sig", newline="")


def read_text(path: Path, characters: int = -1) -> str:
    """Return a text file or its first characters, or raise what is wrong with its bytes."""
    try:
        with open_text(path) as stream:
            return stream.read(characters)
    except UnicodeDecodeError as error:
        raise DataError(encoding_diagnostic(path)) from error
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error


def _open_bytes(path: Path) -> IO[bytes]:
    if is_zstd(path):
        return io.BytesIO(read_zstd(path))
    return cast("IO[bytes]", gzip.GzipFile(path)) if _is_gzip(path) else path.open("rb")


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def read_dialect(path: Path, expected_columns: tuple[str, ...]) -> CsvDialect:
    """Return the dialect; a separator other than a comma only if it gives expected columns."""
    _check_line_endings(path)
    declared_separator = _declared_separator(path)
    if declared_separator is not None and (header := _read_header(path, declared_separator, 1)):
        return _complete(path, CsvDialect(header, declared_separator, 1))
    skipped = _count_comment_lines(path)
    default_separator = "\t" if ".tsv" in {suffix.lower() for suffix in path.suffixes} else ","
    header = _read_header(path, default_separator, skipped)
    default = CsvDialect(header, default_separator, skipped)
    if len(header) > 1 or set(header) & set(expected_columns):
        return _complete(path, default)
    for separator in (";", "\t", ",", "|", " "):
        other = _read_header(path, separator, skipped)
        if len(other) > 1 and (not expected_columns or set(other) & set(expected_columns)):
            dialect = _complete(path, CsvDialect(other, separator, skipped))
            if separator not in _RARE_SEPARATORS or _first_rows_fit(path, dialect):
                return dialect
    if not header:
        raise DataError(_quote_diagnostic(path, 1, "unexpected end"))
    return default


_RARE_SEPARATORS = "| "


def _complete(path: Path, dialect: CsvDialect) -> CsvDialect:
    """Return a dialect with the row names of R, and without the blanks after separators."""
    header, is_padded = dialect.header, False
    if len(header) > 1 and dialect.separator != " " and all(name[:1] == " " for name in header[1:]):
        header, is_padded = tuple(map(_unpad, header)), True
    has_row_names = dialect.separator in "\t " and _has_row_names(path, dialect)
    return replace(
        dialect,
        header=("", *header) if has_row_names else header,
        has_row_names=has_row_names,
        is_padded=is_padded,
    )


def _unpad(field: str) -> str:
    """Return a field without the blanks around it, and without the quotes after them."""
    text = field.strip(" ")
    return text[1:-1].replace('""', '"') if _QUOTED.fullmatch(text) else text


_QUOTED = re.compile(r'"([^"]|"")*"')


def _first_rows(path: Path, dialect: CsvDialect) -> list[tuple[str, ...]]:
    """Return the first rows under the header, none if their quotes are invalid."""
    try:
        return [record.fields for record in islice(read_rows(path, dialect), _ROWS_COMPARED)]
    except csv.Error:
        return []


_ROWS_COMPARED = 3


def _first_rows_fit(path: Path, dialect: CsvDialect) -> bool:
    rows = _first_rows(path, dialect)
    return bool(rows) and {len(row) for row in rows} == {len(dialect.header)}


def _has_row_names(path: Path, dialect: CsvDialect) -> bool:
    """Return whether rows have a field more than the header, the first of which counts them."""
    rows = _first_rows(path, dialect)
    return (
        len(rows) > 1
        and {len(row) for row in rows} == {len(dialect.header) + 1}
        and [row[0] for row in rows] == [str(number) for number in range(1, len(rows) + 1)]
    )


def _count_comment_lines(path: Path) -> int:
    """Return how many lines begin with # and do not have the fields of the line under them."""
    with _open_bytes(path) as stream:
        head = stream.read(_HEAD_BYTES).removeprefix(b"\xef\xbb\xbf").splitlines()
    comments = list(takewhile(lambda line: line.startswith(b"#"), head))
    if not comments or len(comments) == len(head):
        return 0
    header = head[len(comments)]
    separators = [mark for mark in (b",", b";", b"\t", b"|") if mark in header]
    is_header = any(
        line.count(mark) == header.count(mark) for line in comments for mark in separators
    )
    return 0 if is_header or not separators else len(comments)


_HEAD_BYTES = 65_536


def _declared_separator(path: Path) -> str | None:
    """Return the separator that the first line declares as Excel does (`sep=;`), or None."""
    with _open_bytes(path) as stream:
        first = stream.readline(64).removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n")
    match = re.fullmatch(rb'"?sep=([;,|\t])"?', first, re.IGNORECASE)
    return None if match is None else match[1].decode()


def _read_header(path: Path, separator: str, skipped_lines: int) -> tuple[str, ...]:
    """Return the first row, empty if its quotes are invalid with the separator."""
    try:
        for record in read_records(path, separator, skipped_lines):
            if record.fields:
                return record.fields
    except csv.Error:
        return ()
    raise DataError(Diagnostic(NO_ROWS, "the file holds only blank lines", Location(path)))


def _check_line_endings(path: Path) -> None:
    """Raise if lines end in carriage returns, which would be read as one long header."""
    with _open_bytes(path) as stream:
        head = stream.read(_HEAD_BYTES)
    if b"\r" in head and b"\n" not in head:
        message = "the lines end in carriage returns alone"
        help_text = f"convert them: `tr '\\r' '\\n' < {path.name}`"
        raise DataError(Diagnostic(MALFORMED_ROW, message, Location(path), help_text))


def read_records(path: Path, separator: str, skipped_lines: int = 0) -> Iterator[CsvRecord]:
    """Yield the rows one by one; slow, so used for the header and for diagnostics."""
    try:
        with open_text(path) as stream:
            for _ in range(skipped_lines):
                stream.readline()
            # Python's own limit, 131,072 characters, is less than a document in a column.
            csv.field_size_limit(_MAX_FIELD_CHARACTERS)
            reader = csv.reader(stream, delimiter=separator, strict=True)
            line = 1 + skipped_lines
            for fields in reader:
                yield CsvRecord(line, tuple(fields))
                line = reader.line_num + 1 + skipped_lines
    except UnicodeDecodeError as error:
        raise DataError(encoding_diagnostic(path)) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error


def read_rows(path: Path, dialect: CsvDialect) -> Iterator[CsvRecord]:
    """Yield the rows under the header, blank ones included."""
    records = read_records(path, dialect.separator, dialect.skipped_lines)
    for record in records:
        if record.fields:
            break
    yield from records


def scan_csv(path: Path, dialect: CsvDialect) -> pl.LazyFrame:
    """Scan all columns as text, named by their position, with the index of the row."""
    positions = [str(position) for position in range(len(dialect.header))]
    frame = pl.scan_csv(
        path,
        separator=dialect.separator,
        # A header without the row names is shorter than the rows.
        has_header=not dialect.has_row_names,
        skip_lines=dialect.skipped_lines + dialect.has_row_names,
        glob=False,
        infer_schema=False,
        row_index_name="row",
        with_column_names=lambda _: positions,
    )
    if not dialect.is_padded:
        return frame
    text = pl.col(*positions).str.strip_chars_start(" ")
    # A quote after a blank opens no field for Polars.
    unquoted = text.str.strip_chars_end(" ").str.slice(1).str.head(-1)
    is_quoted = text.str.contains(rf"^{_QUOTED.pattern} *$")
    return frame.with_columns(
        pl.when(is_quoted).then(unquoted.str.replace_all('""', '"', literal=True)).otherwise(text)
    )


def has_no_long_rows(path: Path, dialect: CsvDialect, rows: int | None) -> bool:
    """Return whether a file without short rows has no long ones either.

    A file without quotes is checked by its total number of separators, others line by line.
    """
    is_plain = not (dialect.skipped_lines or dialect.has_row_names)
    if rows is None or not is_plain or _is_gzip(path) or is_zstd(path):
        return _is_regular(path, dialect)
    content = np.memmap(path, np.uint8, "r")
    marks = np.array([ord(dialect.separator), ord('"')], np.uint8)

    def marks_in(block: slice) -> tuple[int, int]:
        piece = content[block]
        separators, quotes = (np.count_nonzero(piece == mark) for mark in marks)
        return int(separators), int(quotes)

    separator_counts = map_blocks(marks_in, len(content))
    if any(quotes for _, quotes in separator_counts):
        return _is_regular(path, dialect)
    expected = (rows + 1) * (len(dialect.header) - 1)
    return sum(separators for separators, _ in separator_counts) == expected


def find_blank_rows(path: Path, dialect: CsvDialect) -> list[int]:
    """Check the number of fields of every row, and return the indices of blank rows."""
    if _is_regular(path, dialect):
        return []
    diagnostics, blanks = check_structure(path, dialect)
    if diagnostics:
        raise DataError(*diagnostics)
    return blanks


def check_row_count(path: Path, dialect: CsvDialect, height: int) -> None:
    """Raise if rows were merged, as a quote within an unquoted field makes readers do."""
    if not _is_regular(path, dialect) and height != sum(
        1 for record in read_rows(path, dialect) if record.fields
    ):
        raise DataError(stray_quote_diagnostic(path, dialect))


def stray_quote_diagnostic(path: Path, dialect: CsvDialect) -> Diagnostic:
    """Return the diagnostic of a quote within an unquoted field."""
    quoted_field = re.compile(rf'(^|{re.escape(dialect.separator)})"([^"]|"")*"')
    with open_text(path) as stream:
        lines = (
            number for number, text in enumerate(stream, 1) if '"' in quoted_field.sub("", text)
        )
        line = next(lines, None)
    message = "a quote stands inside a field that does not begin with one"
    help_text = 'put the whole field in quotes and double the quotes inside it: "5"" pipe"'
    source = None if line is None else source_line(path, line)
    return Diagnostic(MALFORMED_ROW, message, Location(path, line, source_line=source), help_text)


def _is_regular(path: Path, dialect: CsvDialect) -> bool:
    """Return whether every line has as many fields as the header and none is blank."""
    line = pl.col("line")
    # A quote opens a field only at its start; within a field it is a character.
    mark = re.escape(dialect.separator)
    outside = line.str.replace_all(rf'(^|{mark})"([^"]|"")*"', "${1}")
    fields = outside.str.count_matches(dialect.separator, literal=True) + 1
    irregular = (
        line.is_null() | outside.str.contains('"', literal=True) | (fields != len(dialect.header))
    )
    blank = line.str.strip_chars("\r") == ""
    try:
        lines = pl.scan_csv(
            path,
            has_header=False,
            # A character that no text holds: each line becomes one field.
            separator="\x1e",
            quote_char=None,
            skip_lines=dialect.skipped_lines,
            glob=False,
            infer_schema=False,
            new_columns=["line"],
        )
        return not lines.select((irregular | blank).any()).collect().item()
    except (pl.exceptions.PolarsError, OSError):
        return False


def check_structure(path: Path, dialect: CsvDialect) -> tuple[list[Diagnostic], list[int]]:
    """Return the diagnostics of malformed rows, and the indices of blank rows."""
    diagnostics: list[Diagnostic] = []
    blanks: list[int] = []
    n_more, line, width = 0, 1, len(dialect.header)
    try:
        for index, record in enumerate(read_rows(path, dialect)):
            line = record.line
            if not record.fields:
                blanks.append(index)
            elif len(record.fields) != width and len(diagnostics) < MAX_DIAGNOSTICS:
                diagnostics.append(_row_length_diagnostic(path, record, dialect))
            elif len(record.fields) != width:
                n_more += 1
    except csv.Error as error:
        diagnostics.append(_quote_diagnostic(path, line + 1, str(error)))
    if n_more:
        diagnostics.append(
            Diagnostic(MALFORMED_ROW, f"and {n_more} more rows of another shape", Location(path))
        )
    return diagnostics, blanks


def _row_length_diagnostic(path: Path, record: CsvRecord, dialect: CsvDialect) -> Diagnostic:
    count, expected = len(record.fields), len(dialect.header)
    names = {"\t": "tab", ";": "semicolon", ",": "comma", "|": "vertical bar", " ": "blank"}
    help_text = (
        f"put values that hold a {names[dialect.separator]} in double quotes"
        if count > expected
        else "a value or the end of the line is missing"
    )
    if count == expected + 1 and record.line == dialect.skipped_lines + 2:
        help_text += "; if the rows begin with names (R), write them with `row.names = FALSE`"
    message = f"the row has {count} fields, the header {expected}"
    location = Location(path, record.line, source_line=source_line(path, record.line))
    return Diagnostic(MALFORMED_ROW, message, location, help_text)


def _quote_diagnostic(path: Path, line: int, reason: str) -> Diagnostic:
    is_unclosed = "unexpected end" in reason
    message = (
        "a quote that is opened in this row is never closed"
        if is_unclosed
        else "a quote ends before the field does"
    )
    help_text = 'inside a quoted field, write a quote as two quotes: ""'
    if "field larger" in reason:
        message, help_text = "a field is too long", "a quote that is never closed has this effect"
    location = Location(path, line, source_line=source_line(path, line))
    return Diagnostic(MALFORMED_ROW, message, location, help_text)


def encoding_diagnostic(path: Path) -> Diagnostic:
    """Return the diagnostic of the first byte that is not UTF-8."""
    with _open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                byte = line[error.start : error.start + 1].hex()
                message = f"byte 0x{byte} at position {error.start + 1} is not UTF-8"
                location = Location(path, number, len(line[: error.start].decode()) + 1)
                help_text = 'if it is Latin-1, write `encoding = "latin-1"` under `[data]`'
                return Diagnostic(NOT_UTF8, message, location, help_text)
    return Diagnostic(NOT_UTF8, "the file is not UTF-8", Location(path))


def find_encoding(path: Path) -> str | None:
    """Return the likely encoding of a text that is not UTF-8; None for UTF-8 and other formats."""
    try:
        if detect_format(path) is not FileFormat.CSV:
            return None
    except DataError as error:
        is_utf16 = error.diagnostics[0].error_code is NOT_UTF8
        return "utf-16" if is_utf16 else None
    decoder, is_utf8, has_controls = codecs.getincrementaldecoder("utf-8")(), True, False
    with _open_bytes(path) as stream:
        while chunk := stream.read(_CHUNK_BYTES):
            if is_utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    is_utf8 = False
            # Control characters of Latin-1, which are letters and quotes in Windows-1252.
            has_controls |= re.search(rb"[\x80-\x9f]", chunk) is not None
    if is_utf8:
        return None
    return "windows-1252" if has_controls else "latin-1"


def source_line(path: Path, line: int) -> str | None:
    """Return the text of a line, if it is short enough to be shown."""
    try:
        with open_text(path) as stream:
            for number, text in enumerate(stream, start=1):
                if number == line:
                    content = text.rstrip("\r\n")
                    return content if len(content) <= _MAX_SOURCE_LENGTH else None
    except (UnicodeDecodeError, OSError, EOFError):
        return None
    return None


def read_json_schema(path: Path) -> dict[str, pl.DataType]:
    """Return the keys of all objects in the order in which they first occur, with their types."""
    try:
        return dict(pl.scan_ndjson(path, infer_schema_length=1000).collect_schema())
    except pl.exceptions.PolarsError as error:
        with suppress(ValueError, RecursionError), open_text(path) as stream:
            return dict.fromkeys(json.loads(next(stream)), pl.String())
        raise DataError(*json_diagnostics(path)) from error
    except OSError as error:
        raise DataError(damaged_gzip_diagnostic(path)) from error


def json_diagnostics(path: Path) -> list[Diagnostic]:
    """Return a diagnostic for each of the first lines that are not JSON objects."""
    diagnostics: list[Diagnostic] = []
    help_text = "write one object per line, in double quotes, without NaN"
    try:
        with open_text(path) as stream:
            for number, text in enumerate(stream, start=1):
                try:
                    is_object = not text.strip() or isinstance(
                        json.loads(text, parse_constant=_reject_constant), dict
                    )
                except (ValueError, RecursionError):
                    is_object = False
                if not is_object and len(diagnostics) < MAX_DIAGNOSTICS:
                    message = "the line is not a JSON object"
                    diagnostics.append(
                        Diagnostic(MALFORMED_ROW, message, Location(path, number), help_text)
                    )
    except UnicodeDecodeError:
        return [Diagnostic(NOT_UTF8, "the file is not UTF-8", Location(path))]
    except (OSError, EOFError):
        return [damaged_gzip_diagnostic(path)]
    return diagnostics or [
        Diagnostic(FILE_CORRUPT, "the JSON Lines cannot be read", Location(path))
    ]


_MAX_COUNTED_KEYS = 100
_BATCH_CHARACTERS = 1 << 20


def check_unique_keys(path: Path, names: Collection[str]) -> None:
    """Raise if an object of JSON Lines has a key twice: readers differ in which value they take.

    A batch of lines in which a key is written more often than there are lines is parsed; in all
    others no key is repeated, unless the line of another object lacks it.
    """
    counted = [json.dumps(name, ensure_ascii=False) for name in names]
    number = 0
    with suppress(UnicodeDecodeError, OSError, EOFError), open_text(path) as stream:
        while lines := stream.readlines(_BATCH_CHARACTERS):
            text, rows = "".join(lines), sum(not line.isspace() for line in lines)
            if len(counted) > _MAX_COUNTED_KEYS or any(text.count(key) > rows for key in counted):
                _check_unique_keys_of_lines(path, lines, number)
            number += len(lines)


def _check_unique_keys_of_lines(path: Path, lines: Sequence[str], lines_before: int) -> None:
    for number, line in enumerate(lines, start=lines_before + 1):
        try:
            json.loads(line, object_pairs_hook=_unique_keys)
        except _RepeatedKeyError as error:
            help_text = "write each key once"
            location = Location(path, number)
            raise DataError(Diagnostic(MALFORMED_ROW, str(error), location, help_text)) from None
        except (ValueError, RecursionError):
            # What is no JSON is reported by the reader.
            continue


class _RepeatedKeyError(Exception):
    """An object of JSON has a key twice."""


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        ((name, _),) = Counter(key for key, _ in pairs).most_common(1)
        raise _RepeatedKeyError(f"an object has the key `{name}` more than once")
    return record


def read_json_array(path: Path) -> pl.DataFrame:
    """Read a JSON array of objects, or columns of values by index, every value as text.

    Fields of nested objects are columns with dotted names, in addition to the objects as JSON.
    """
    try:
        with open_text(path) as stream:
            content = json.loads(
                stream.read(),
                parse_float=str,
                parse_int=str,
                parse_constant=_reject_constant,
                object_pairs_hook=_unique_keys,
            )
    except UnicodeDecodeError as error:
        raise DataError(encoding_diagnostic(path)) from error
    except _RepeatedKeyError as error:
        help_text = "write each key once"
        raise DataError(Diagnostic(MALFORMED_ROW, str(error), Location(path), help_text)) from None
    except (ValueError, RecursionError) as error:
        message, help_text = f"the JSON cannot be read: {error}", "write the file again"
        raise DataError(Diagnostic(FILE_CORRUPT, message, Location(path), help_text)) from error
    records = _json_records(content)
    if records is None:
        message = "the JSON is neither a list of objects nor a table of columns"
        raise DataError(Diagnostic(MALFORMED_ROW, message, Location(path)))
    rows = [_flatten_record(record) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    return pl.DataFrame(
        {name: pl.Series([row.get(name) for row in rows], dtype=pl.String) for name in names}
    )


def _json_records(content: object) -> list[dict[str, object]] | None:
    """Return the rows of a list of objects, or of a table of pandas; None for other content."""
    if isinstance(content, list):
        return content if all(isinstance(row, dict) for row in content) else None
    if isinstance(content, dict) and set(content) == {"schema", "data"}:
        return _json_records(content["data"])
    if isinstance(content, dict) and all(isinstance(column, dict) for column in content.values()):
        index = dict.fromkeys(key for column in content.values() for key in column)
        if all(map(_is_index, content)) and not all(map(_is_index, index)):
            return list(content.values())
        if all(map(_is_index, index)):
            return [{name: column.get(key) for name, column in content.items()} for key in index]
        # An index of texts has the ids. There are more rows than columns.
        if len(content) > len(index):
            return [{_INDEX: key, **row} for key, row in content.items()]
        return [
            {_INDEX: key, **{name: column.get(key) for name, column in content.items()}}
            for key in index
        ]
    return None


_INDEX = "index"


def _is_index(key: str) -> bool:
    return re.fullmatch(r"-?\d+", key) is not None


def _flatten_record(record: dict[str, object], prefix: str = "") -> dict[str, str | None]:
    values: dict[str, str | None] = {}
    for key, value in record.items():
        match value:
            case None | str():
                values[f"{prefix}{key}"] = value
            case bool():
                values[f"{prefix}{key}"] = str(value).lower()
            case _:
                values[f"{prefix}{key}"] = json.dumps(value, ensure_ascii=False)
        if isinstance(value, dict):
            values |= _flatten_record(value, f"{prefix}{key}.")
    return values


def _reject_constant(name: str) -> None:
    raise ValueError(name)
