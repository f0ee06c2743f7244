"""Prediction tables: files of any format, read by column name with the location of each row."""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, ErrorCode, Location, RemoteUri, did_you_mean
from reportgen.errors.data import (
    COLUMN_AMBIGUOUS,
    COLUMN_MISSING,
    FILE_CORRUPT,
    FILE_FORMAT_MISMATCH,
    MALFORMED_ROW,
    NO_ROWS,
    NOT_UTF8,
)
from reportgen.predictions import text_files
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.formats import (
    FileFormat,
    damaged_gzip_diagnostic,
    detect_format,
    format_from_suffix,
    is_zip,
)
from reportgen.predictions.packed_files import unpack_member
from reportgen.predictions.parquet_structure import verify_page_checksums
from reportgen.predictions.remote import ROW_INDEX, remote_diagnostic, scan_remote
from reportgen.predictions.stored_tables import (
    STORED_FORMATS,
    StoredTable,
    choose_part,
    read_postgres_table,
    read_stored_table,
)
from reportgen.predictions.text_files import (
    MAX_DIAGNOSTICS,
    CsvDialect,
    check_unique_keys,
    json_diagnostics,
    read_json_schema,
)
from reportgen.spec.fields import POSTGRES_SCHEMES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


_MAX_VALUES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A column computed from others of its file: their names, and the expression."""

    source_columns: tuple[str, ...]
    expression: pl.Expr


def source_column(name: str) -> pl.Expr:
    """Return a column of the file, for the expression of a derived column."""
    return pl.col(alias_for(name))


def alias_for(name: str) -> str:
    """Return the internal alias of a column, which no file has."""
    return f"= {name}"


def equals_value(column: pl.Expr, value: str | float) -> pl.Expr:
    """Return whether a column equals a value; numbers are compared numerically: 0.10 is 0.1."""
    text = column.cast(pl.String)
    if isinstance(value, bool):
        return text.str.to_lowercase() == str(value).lower()
    if isinstance(value, str):
        return text == value
    return text.cast(pl.Float64, strict=False) == value


def row_filter(where: Mapping[str, str | float]) -> pl.Expr:
    """Return the condition that rows have all values of `where`."""
    conditions = (
        equals_value(source_column(f"where {name}"), value) for name, value in where.items()
    )
    return pl.all_horizontal(conditions)


def filter_rows(
    path: Path | RemoteUri, frame: pl.DataFrame, where: Mapping[str, str | float]
) -> pl.DataFrame:
    """Return the rows that have all values of `where`, or raise with the values that occur."""
    filtered = frame.filter(row_filter(where))
    if not filtered.is_empty():
        return filtered.drop(alias_for(f"where {name}") for name in where)
    distinct = {name: frame[alias_for(f"where {name}")].cast(pl.String).unique() for name in where}
    listing = "; ".join(
        f"`{name}` is {format_column_values(values)}" for name, values in distinct.items()
    )
    conditions = " and ".join(f"`{name}` = {value!r}" for name, value in where.items())
    raise DataError(
        Diagnostic(NO_ROWS, f"no row has {conditions}", Location(path), f"in the file {listing}")
    )


def format_column_values(values: Iterable[str | None]) -> str:
    """Return the first values in natural order for a message."""
    ordered = sorted((value or "nothing" for value in values), key=natural_sort_key)
    n_more = len(ordered) - _MAX_VALUES_SHOWN
    return ", ".join(ordered[:_MAX_VALUES_SHOWN]) + (f" and {n_more} more" if n_more > 0 else "")


def find_lines(path: Path, dialect: CsvDialect | None, rows: set[int]) -> dict[int, int]:
    """Return the line numbers of rows of a CSV file, or of JSON Lines without a dialect."""
    last, lines = max(rows), {}
    for index, line in enumerate(_line_numbers(path, dialect)):
        if index in rows:
            lines[index] = line
        if index >= last:
            break
    return lines


def _line_numbers(path: Path, dialect: CsvDialect | None) -> Iterator[int]:
    """Yield the line number of each row."""
    if dialect is not None:
        try:
            for record in text_files.read_rows(path, dialect):
                yield record.line
        except csv.Error as error:
            message = f"a row cannot be read: {error}"
            raise DataError(Diagnostic(MALFORMED_ROW, message, Location(path))) from error
        return
    with text_files.open_text(path) as stream:
        for number, text in enumerate(stream, start=1):
            if text.strip():
                yield number


def locate_value(path: Path, line: int, value: str) -> Location:
    """Return the location of a line, with the column of a value if it occurs there once."""
    source = text_files.source_line(path, line)
    if source is None or not value or source.count(value) != 1:
        return Location(path, line, source_line=source)
    return Location(path, line, source.index(value) + 1, len(value), source)


_MAX_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class PredictionTable:
    """An opened file or an in-memory frame: column names, scans and locations of rows.

    The path of an in-memory frame is its name in messages. `preset_scan` is a frame with `row` and
    all columns, where a preset parses the file; `full_scan` that of a remote file, or of one that
    was read as a whole.
    """

    path: Path | RemoteUri
    format: FileFormat
    names: tuple[str, ...]
    dialect: CsvDialect | None = None
    in_memory_frame: InMemoryFrame | None = None
    preset_scan: pl.LazyFrame | None = field(default=None, compare=False)
    full_scan: pl.LazyFrame | None = field(default=None, compare=False)
    derived: Mapping[str, DerivedColumn] = field(default_factory=dict, compare=False)
    where: Mapping[str, str | float] = field(default_factory=dict, compare=False)
    decimal: str = "."
    first_row: int = 1
    """The number of the first row in messages, in a sheet with a header."""
    group_counts: pl.Series | None = field(default=None, compare=False)
    """How many equal rows each row stands for, if an engine grouped them; it has no place then."""

    def describe_column(self, name: str) -> str:
        """Return the name of a column in messages."""
        return (
            f"column `{name}`"
            if self.in_memory_frame is None
            else self.in_memory_frame.column_descriptions[name]
        )

    @property
    def file(self) -> Path:
        """The path of a local file; text files are always local."""
        if isinstance(self.path, RemoteUri):
            raise TypeError(self.path)
        return self.path

    @property
    def is_grouped(self) -> bool:
        """Whether an engine grouped equal rows, so that a row has no place in a file."""
        return self.group_counts is not None

    @property
    def is_text(self) -> bool:
        """Whether the file is a text, so that rows have lines."""
        return self.format in {FileFormat.CSV, FileFormat.JSON_LINES}

    def read(self, columns: Mapping[str, str]) -> pl.DataFrame:
        """Read columns under new names (new name -> name in the file), with the index `row`."""
        try:
            frame = self._scan({**columns, **self._filter_columns()}).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise DataError(*self._read_error_diagnostics(error)) from self._safe_cause(error)
        if frame.is_empty():
            message = f"the file has {'a header but ' if self.dialect else ''}no rows"
            raise DataError(Diagnostic(NO_ROWS, message, Location(self.path)))
        if self.dialect is not None:
            text_files.check_row_count(self.file, self.dialect, frame.height)
        self._check_nul_bytes(frame)
        return filter_rows(self.path, frame, self.where) if self.where else frame

    def scan(self, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names as `read` does, without checks.

        Scans of CSV files have `short`, whether the last field is missing, for `is_regular`.
        """
        filter_columns = self._filter_columns()
        frame = self._scan({**columns, **filter_columns}, validate_rows=False)
        if not filter_columns:
            return frame
        return frame.filter(row_filter(self.where)).drop(*filter_columns)

    def is_regular(self, frame: pl.DataFrame) -> bool:
        """Return whether all scanned rows have as many fields as the header, and none is blank."""
        if self.dialect is None or self.preset_scan is not None:
            return True
        # The number of rows that the filter drops is unknown.
        rows = None if self.where else count_rows(frame)
        return not frame["short"].any() and text_files.has_no_long_rows(
            self.file, self.dialect, rows
        )

    def _filter_columns(self) -> dict[str, str]:
        """Return the columns of the row filter, by alias."""
        return {alias_for(f"where {name}"): name for name in self.where}

    def with_derived(self, derived: Mapping[str, DerivedColumn]) -> PredictionTable:
        """Return the table with further derived columns."""
        names = (*self.names, *(name for name in derived if name not in self.names))
        return replace(self, names=names, derived={**self.derived, **derived})

    def with_nested_fields(self, schema: Mapping[str, pl.DataType]) -> PredictionTable:
        """Return the table with the fields of nested columns, by dotted names (`judge.verdict`)."""
        fields = {
            ".".join(path): DerivedColumn((path[0],), self._select_field(path))
            for path in _field_paths(schema)
            if ".".join(path) not in self.names
        }
        return self.with_derived(fields) if fields else self

    def _select_field(self, path: tuple[str, ...]) -> pl.Expr:
        column, *keys = path
        value = source_column(column)
        if self.format is FileFormat.JSON_LINES:
            # Nested values of JSON Lines are read as text.
            json_path = "$" + "".join(f"[{json.dumps(key, ensure_ascii=False)}]" for key in keys)
            return value.str.json_path_match(json_path)
        for key in keys:
            value = value.struct.field(key)
        return value

    def _scan(self, columns: Mapping[str, str], *, validate_rows: bool = True) -> pl.LazyFrame:
        derived_columns = {
            new: self.derived[name] for new, name in columns.items() if name in self.derived
        }
        if not derived_columns:
            return self._scan_source(columns, validate_rows=validate_rows)
        stored_columns = {new: name for new, name in columns.items() if new not in derived_columns}
        sources = {
            alias_for(name): name
            for derived in derived_columns.values()
            for name in derived.source_columns
        }
        # Source columns may themselves be derived.
        frame = self._scan({**stored_columns, **sources}, validate_rows=validate_rows)
        expressions = (derived.expression.alias(new) for new, derived in derived_columns.items())
        selection = pl.col("row", "^short$", *columns)
        return frame.with_columns(*expressions).select(selection)

    def _scan_source(self, columns: Mapping[str, str], *, validate_rows: bool) -> pl.LazyFrame:
        if self.preset_scan is not None:
            return self.preset_scan.select("row", **columns)
        if self.dialect is None:
            selected = [pl.col(name).alias(new) for new, name in columns.items()]
            return scan_typed(self).select(pl.col(ROW_INDEX).alias("row"), *selected)
        header = self.dialect.header
        selected = [pl.col(str(header.index(name))).alias(new) for new, name in columns.items()]
        if not validate_rows:
            is_short = pl.col(str(len(header) - 1)).is_null().alias("short")
            return text_files.scan_csv(self.file, self.dialect).select("row", is_short, *selected)
        blank = text_files.find_blank_rows(self.file, self.dialect)
        frame = text_files.scan_csv(self.file, self.dialect).select("row", *selected)
        return frame.filter(~pl.col("row").is_in(blank)) if blank else frame

    def missing_column_diagnostics(self, columns: Mapping[str, str]) -> list[Diagnostic]:
        """Return a diagnostic for each column (role -> name) that is missing or ambiguous."""
        missing_columns = [
            _missing_column_diagnostic(self, role, name)
            for role, name in columns.items()
            if name not in self.names
        ]
        repeated_columns = [
            Diagnostic(
                COLUMN_AMBIGUOUS,
                f"the file has {self.names.count(name)} columns `{name}`, needed for `{role}`",
                Location(self.path, 1),
                "rename all but one of them",
            )
            for role, name in columns.items()
            if self.names.count(name) > 1
        ]
        return missing_columns + repeated_columns

    def row_diagnostics(
        self,
        code: ErrorCode,
        rows: pl.DataFrame,
        describe: Callable[[str], str],
        advise: Callable[[str], str | None] = lambda _: None,
    ) -> list[Diagnostic]:
        """Return diagnostics for the first rows of a frame (row, value), and count the others."""
        if self.group_counts is not None:
            return list(self._group_diagnostics(self.group_counts, code, rows, describe, advise))
        first = rows.sort("row").head(MAX_DIAGNOSTICS).rows()
        n_more = rows.height - len(first)
        locations = self.locations([row for row, _ in first], [str(value) for _, value in first])
        return [
            Diagnostic(
                code,
                describe(str(value))
                + self._format_row(row)
                + (f"; and {n_more} more" if n_more and number == len(first) else ""),
                # The message has the index of a row in memory.
                location if self.in_memory_frame is None else Location(self.path),
                advise(str(value)),
            )
            for number, ((row, value), location) in enumerate(zip(first, locations, strict=True), 1)
        ]

    def _group_diagnostics(
        self,
        counts: pl.Series,
        code: ErrorCode,
        rows: pl.DataFrame,
        describe: Callable[[str], str],
        advise: Callable[[str], str | None],
    ) -> Iterator[Diagnostic]:
        """Yield a diagnostic for the first values, with the number of rows of each."""
        counted_rows = rows.with_columns(number=counts.gather(rows["row"]), value=pl.col("value"))
        by_value = counted_rows.group_by("value", maintain_order=True).agg(pl.col("number").sum())
        n_more = by_value.height - MAX_DIAGNOSTICS
        for place, (value, number) in enumerate(by_value.head(MAX_DIAGNOSTICS).rows(), start=1):
            end = f"; and {n_more} more" if n_more > 0 and place == MAX_DIAGNOSTICS else ""
            message = f"{describe(str(value))} ({number:g} of {counts.sum():g} rows){end}"
            yield Diagnostic(code, message, Location(self.path), advise(str(value)))

    def _format_row(self, row: int) -> str:
        """Return the row for a message, where the location has no line."""
        if self.in_memory_frame is not None:
            return f" (index {row})"
        return "" if self.is_text else f" (row {row + self.first_row})"

    def locations(self, rows: list[int], values: list[str] | None = None) -> list[Location]:
        """Return the locations of rows; lines of text files, indices of an in-memory frame."""
        if self.is_grouped:
            return [Location(self.path) for _ in rows]
        if self.in_memory_frame is not None:
            return [Location(self.path, row) for row in rows]
        lines = self._row_lines(set(rows))
        return [
            locate_value(self.file, lines[row], values[index] if values else "")
            if row in lines
            else Location(self.path)
            for index, row in enumerate(rows)
        ]

    def _row_lines(self, rows: set[int]) -> dict[int, int]:
        if not self.is_text or not rows:
            return {}
        if self.format is FileFormat.CSV and self.dialect is None:
            return {row: row + 1 for row in rows}
        return find_lines(self.file, self.dialect, rows)

    def _read_error_diagnostics(self, error: BaseException) -> list[Diagnostic]:
        if isinstance(self.path, RemoteUri):
            return [remote_diagnostic(self.path, self.format, error)]
        if isinstance(error, OSError) and self.is_text:
            return [damaged_gzip_diagnostic(self.file)]
        if self.dialect is not None:
            diagnostics, _ = text_files.check_structure(self.file, self.dialect)
            return diagnostics or [text_files.stray_quote_diagnostic(self.file, self.dialect)]
        if self.format is FileFormat.JSON_LINES:
            return json_diagnostics(self.file)
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"the {self.format} data cannot be read: {reason}"
        return [
            Diagnostic(FILE_CORRUPT, message, Location(self.path), "copy or make the file again")
        ]

    def _safe_cause(self, error: BaseException) -> BaseException | None:
        """Return the cause of an error; None for remote files, whose messages may hold secrets."""
        return None if isinstance(self.path, RemoteUri) else error

    def _check_nul_bytes(self, frame: pl.DataFrame) -> None:
        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        diagnostics: list[Diagnostic] = []
        for name in texts:
            rows = frame.filter(pl.col(name).str.contains("\0", literal=True)).select("row", name)
            if not rows.is_empty():
                diagnostics += self.row_diagnostics(
                    NOT_UTF8, rows, lambda value: f"{value!r} holds a NUL byte"
                )
        if diagnostics:
            raise DataError(*diagnostics)


def count_rows(frame: pl.DataFrame) -> int:
    """Return the number of rows of a frame, whose duplicates may be aggregated by `count`."""
    return int(frame["count"].sum()) if "count" in frame.columns else frame.height


def open_table(
    path: Path | RemoteUri,
    expected_columns: tuple[str, ...] = (),
    sheet: str | None = None,
    table: str | None = None,
) -> PredictionTable:
    """Open a file of any format.

    Args:
        path: the file, or a database.
        expected_columns: columns that help to detect the separator of a CSV.
        sheet: the sheet of a workbook; None if only one has rows.
        table: the table of a database; None if there is only one.
    """
    if isinstance(path, RemoteUri):
        if path.scheme in POSTGRES_SCHEMES:
            return _table_from_store(path, FileFormat.POSTGRES, read_postgres_table(path, table))
        file_format = format_from_suffix(path.name) or FileFormat.PARQUET
        return _with_column_names(
            PredictionTable(path, file_format, (), full_scan=scan_remote(path, file_format))
        )
    file_format = detect_format(path)
    if file_format is FileFormat.ZIP:
        return _open_member(path, choose_part(path, file_format, table), expected_columns)
    if file_format is FileFormat.CSV:
        dialect = text_files.read_dialect(path, expected_columns)
        return PredictionTable(path, file_format, dialect.header, dialect)
    if file_format in STORED_FORMATS:
        part = sheet if file_format is FileFormat.WORKBOOK else table
        return _table_from_store(path, file_format, read_stored_table(path, file_format, part))
    if file_format is FileFormat.JSON_ARRAY:
        frame = text_files.read_json_array(path)
        if frame.is_empty():
            raise DataError(Diagnostic(NO_ROWS, "the file has no rows", Location(path)))
        return table_from_texts(path, file_format, frame)
    if file_format is FileFormat.JSON_LINES:
        schema = read_json_schema(path)
        check_unique_keys(path, schema)
        return PredictionTable(path, file_format, tuple(schema)).with_nested_fields(schema)
    if file_format is FileFormat.INSPECT_LOG:
        message, help_text = f"the file is a {file_format}", 'write `format = "inspect"`'
        raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), help_text))
    if file_format is FileFormat.PARQUET:
        verify_page_checksums(path)
    return _with_column_names(PredictionTable(path, file_format, ()))


def _table_from_store(
    path: Path | RemoteUri, file_format: FileFormat, stored_table: StoredTable
) -> PredictionTable:
    """Return a sheet or a table of a database, with its types."""
    row_scan = stored_table.frame.with_row_index(ROW_INDEX).lazy()
    table = PredictionTable(
        path, file_format, stored_table.names, full_scan=row_scan, first_row=stored_table.first_row
    )
    return table.with_nested_fields(stored_table.frame.schema)


def table_from_texts(path: Path, file_format: FileFormat, frame: pl.DataFrame) -> PredictionTable:
    """Return the columns of a file that were read as text."""
    row_scan = frame.with_row_index(ROW_INDEX).lazy()
    return PredictionTable(path, file_format, tuple(frame.columns), full_scan=row_scan)


def open_encoded_table(
    path: Path, encoding: str, expected_columns: tuple[str, ...] = (), table: str | None = None
) -> PredictionTable:
    """Open a CSV file that is not UTF-8, by a copy in UTF-8 that is read at once.

    `table` is its name in a ZIP archive of several files.
    """
    if is_zip(path) and detect_format(path) is FileFormat.ZIP:
        member = choose_part(path, FileFormat.ZIP, table)
        return _open_member(path, member, expected_columns, encoding)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
            text = stream.read().decode(encoding)
    except UnicodeDecodeError as error:
        message = f"the file is not {encoding}: byte {error.start + 1} cannot be decoded"
        help_text = "correct `encoding` under `[data]`, or remove it if the file is UTF-8"
        raise DataError(Diagnostic(NOT_UTF8, message, Location(path), help_text)) from error
    except OSError as error:
        message = f"cannot read the file: {error.strerror or error}"
        raise DataError(Diagnostic(FILE_CORRUPT, message, Location(path))) from error
    with TemporaryDirectory() as folder:
        copy = Path(folder) / path.name.removesuffix(".gz")
        copy.write_text(text, encoding="utf-8", newline="")
        frame = _read_copy(path, partial(open_table, copy, expected_columns))
    return table_from_texts(path, FileFormat.ENCODED_CSV, frame)


def _open_member(
    path: Path, name: str, expected_columns: tuple[str, ...], encoding: str | None = None
) -> PredictionTable:
    """Open a table in a ZIP archive, by a copy that is read at once."""
    with TemporaryDirectory() as folder:
        copy = unpack_member(path, name, Path(folder))
        if is_zip(copy) and detect_format(copy) is FileFormat.ZIP:
            message, help_text = f"`{name}` is a ZIP archive itself", "unpack it first"
            raise DataError(Diagnostic(FILE_FORMAT_MISMATCH, message, Location(path), help_text))
        frame = _read_copy(
            path,
            partial(open_table, copy, expected_columns)
            if encoding is None
            else partial(open_encoded_table, copy, encoding, expected_columns),
        )
    return table_from_texts(path, FileFormat.ZIP, frame).with_nested_fields(frame.schema)


def _read_copy(path: Path, open_copy: Callable[[], PredictionTable]) -> pl.DataFrame:
    """Return all columns of the copy of a file; errors name the file."""
    try:
        table = open_copy()
        names = [name for name in table.names if table.names.count(name) == 1]
        aliases = {f"c{number}": name for number, name in enumerate(names)}
        return table.read(aliases).drop("row").rename(aliases)
    except DataError as error:
        raise DataError(
            *(
                replace(
                    diagnostic,
                    location=diagnostic.location and replace(diagnostic.location, path=path),
                )
                for diagnostic in error.diagnostics
            )
        ) from None


def _with_column_names(table: PredictionTable) -> PredictionTable:
    """Return the table with the column names of its schema."""
    try:
        schema = dict(scan_typed(table).collect_schema())
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise DataError(*table._read_error_diagnostics(error)) from table._safe_cause(error)  # noqa: SLF001
    del schema[ROW_INDEX]
    return replace(table, names=tuple(schema)).with_nested_fields(schema)


def _field_paths(schema: Mapping[str, pl.DataType]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the fields of nested columns; those of deeper levels as well."""
    pending = [((name,), dtype) for name, dtype in schema.items()]
    while pending:
        path, dtype = pending.pop(0)
        if isinstance(dtype, pl.Struct):
            pending += [((*path, field.name), field.dtype) for field in dtype.fields]  # type: ignore[misc]
        elif len(path) > 1:
            yield path


def table_from_frame(in_memory_frame: InMemoryFrame) -> PredictionTable:
    """Return an in-memory frame as a table, with the column types of an Arrow file."""
    return PredictionTable(
        Path(in_memory_frame.display_name),
        FileFormat.ARROW_FILE,
        tuple(in_memory_frame.frame.columns),
        in_memory_frame=in_memory_frame,
    )


def scan_typed(table: PredictionTable) -> pl.LazyFrame:
    """Scan all columns with an index; those of text are texts."""
    if table.in_memory_frame is not None:
        return table.in_memory_frame.frame.lazy().with_row_index(ROW_INDEX)
    if table.full_scan is not None:
        return table.full_scan
    match table.format:
        case FileFormat.PARQUET:
            return pl.scan_parquet(table.file, glob=False).with_row_index(ROW_INDEX)
        case FileFormat.ARROW_FILE:
            return pl.scan_ipc(table.file, glob=False).with_row_index(ROW_INDEX)
        case FileFormat.ARROW_STREAM:
            return pl.read_ipc_stream(table.file).lazy().with_row_index(ROW_INDEX)
        case _:
            # Text, so that 0.10 and integers of 23 digits keep their spelling.
            schema = dict.fromkeys(table.names, pl.String)
            return pl.scan_ndjson(table.file, schema=schema).with_row_index(ROW_INDEX)


def _missing_column_diagnostic(table: PredictionTable, role: str, name: str) -> Diagnostic:
    # The index that pandas writes has no name.
    column_names = [column for column in table.names if column]
    names = ", ".join(f"`{column}`" for column in column_names[:_MAX_NAMES_SHOWN])
    n_more = len(column_names) - _MAX_NAMES_SHOWN
    listing = names + (f" and {n_more} more" if n_more > 0 else "")
    with_spaces = [column for column in table.names if column != name and column.strip() == name]
    help_text = did_you_mean(name, table.names)
    if with_spaces:
        help_text = f"the header says `{with_spaces[0]}`: remove the spaces around the name"
    message = f"no column `{name}` for `{role}`; found {listing}"
    location = Location(table.path, 1 if table.dialect else None)
    return Diagnostic(COLUMN_MISSING, message, location, help_text)


# Large frames are hashed in chunks, so that their text is never in memory at once.
_HASH_CHUNK_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class InMemoryFrame:
    """An in-memory frame of one classifier, its name in the manifest and those of its columns."""

    frame: pl.DataFrame
    display_name: str
    column_descriptions: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """The SHA-256 of the frame as CSV, independent of the type of data frame."""
        digest = hashlib.sha256(self.frame.clear().write_csv().encode())
        for part in self.frame.iter_slices(_HASH_CHUNK_ROWS):
            digest.update(part.write_csv(include_header=False).encode())
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class GroupedRows:
    """The rows of a classifier's files that an engine grouped: equal rows once, with their count.

    Their columns have the names and the values of the files.
    """

    frame: pl.DataFrame
    path: Path | RemoteUri
    display_name: str
    counts: pl.Series

    def table(self) -> PredictionTable:
        """Return the rows as a table without places in a file."""
        return PredictionTable(
            self.path,
            FileFormat.PARQUET,
            tuple(self.frame.columns),
            full_scan=self.frame.lazy().with_row_index(ROW_INDEX),
            group_counts=self.counts,
        ).with_nested_fields(self.frame.schema)


NO_FRAMES: Mapping[str, InMemoryFrame] = MappingProxyType({})
