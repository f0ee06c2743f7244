"""A file of any format as a table of columns that can be asked for by name."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, ErrorCode, Location, RemoteUri, did_you_mean
from reportgen.errors.data import COLUMN_AMBIGUOUS, COLUMN_MISSING, FILE_CORRUPT, NO_ROWS, NOT_UTF8
from reportgen.predictions import text_files
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.formats import (
    FileFormat,
    damaged_gzip_diagnostic,
    detect_format,
    format_from_suffix,
)
from reportgen.predictions.remote import remote_diagnostic, scan_remote
from reportgen.predictions.text_files import (
    MAX_DIAGNOSTICS,
    CsvDialect,
    json_diagnostics,
    read_json_keys,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping


# Columns that are made from those of a file, and rows that are kept by what they say.

_MAX_VALUES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class DerivedColumn:
    """A column made from others of its file: their names, and how it is made from them."""

    source_columns: tuple[str, ...]
    expression: pl.Expr


def source_column(name: str) -> pl.Expr:
    """Return a column as the file has it, for the expression of a derived one."""
    return pl.col(alias_for(name))


def alias_for(name: str) -> str:
    """Return a name that no column has by which a file is read."""
    return f"= {name}"


def equals_value(column: pl.Expr, value: str | float) -> pl.Expr:
    """Tell where a column has a value; numbers are compared as numbers, and 0.10 is 0.1."""
    text = column.cast(pl.String)
    if isinstance(value, bool):
        return text.str.to_lowercase() == str(value).lower()
    if isinstance(value, str):
        return text == value
    return text.cast(pl.Float64, strict=False) == value


def row_filter(where: Mapping[str, str | float]) -> pl.Expr:
    """Tell which rows have every value asked for."""
    asked = (equals_value(source_column(f"where {name}"), value) for name, value in where.items())
    return pl.all_horizontal(asked)


def filter_rows(
    path: Path | RemoteUri, frame: pl.DataFrame, where: Mapping[str, str | float]
) -> pl.DataFrame:
    """Keep the rows that have every value asked for, or raise with the values there are."""
    kept = frame.filter(row_filter(where))
    if not kept.is_empty():
        return kept.drop(alias_for(f"where {name}") for name in where)
    told = "; ".join(
        f"`{name}` is {format_column_values(frame[alias_for(f'where {name}')].cast(pl.String).unique())}"
        for name in where
    )
    said = " and ".join(f"`{name}` = {value!r}" for name, value in where.items())
    raise DataError(
        Diagnostic(NO_ROWS, f"no row has {said}", Location(path), f"in the file {told}")
    )


def format_column_values(values: Iterable[str | None]) -> str:
    """Return some values in natural order."""
    ordered = sorted((value or "nothing" for value in values), key=natural_sort_key)
    more = len(ordered) - _MAX_VALUES_SHOWN
    return ", ".join(ordered[:_MAX_VALUES_SHOWN]) + (f" and {more} more" if more > 0 else "")


# Where the rows of text files stand.


def find_lines(path: Path, dialect: CsvDialect | None, rows: set[int]) -> dict[int, int]:
    """Return the lines of some rows of CSV, or of JSON Lines if there is no dialect."""
    last, lines = max(rows), {}
    for index, line in enumerate(_line_numbers(path, dialect)):
        if index in rows:
            lines[index] = line
        if index >= last:
            break
    return lines


def _line_numbers(path: Path, dialect: CsvDialect | None) -> Iterator[int]:
    """Yield the line of each row, one after the other."""
    if dialect is not None:
        for record in text_files.read_rows(path, dialect):
            yield record.line
        return
    with text_files.open_text(path) as stream:
        for number, text in enumerate(stream, start=1):
            if text.strip():
                yield number


def locate_value(path: Path, line: int, value: str) -> Location:
    """Return a place in a line, where the value is if it stands there once."""
    source = text_files.source_line(path, line)
    if source is None or not value or source.count(value) != 1:
        return Location(path, line, source_line=source)
    return Location(path, line, source.index(value) + 1, len(value), source)


_MAX_NAMES_SHOWN = 12


@dataclass(frozen=True, slots=True)
class PredictionTable:
    """An opened file: its column names, and how to find the place of a row in it.

    Or a frame that a program gave; then the path is how messages name it.
    """

    path: Path | RemoteUri
    format: FileFormat
    names: tuple[str, ...]
    dialect: CsvDialect | None = None
    in_memory_frame: InMemoryFrame | None = None
    # A frame with `row` and all names, where a tool's file is not simply a table.
    preset_scan: pl.LazyFrame | None = field(default=None, compare=False)
    # The same of a file elsewhere, so that what its columns are is fetched once.
    remote_scan: pl.LazyFrame | None = field(default=None, compare=False)
    derived: Mapping[str, DerivedColumn] = field(default_factory=dict, compare=False)
    where: Mapping[str, str | float] = field(default_factory=dict, compare=False)

    def describe_column(self, name: str) -> str:
        """Return how a message names a column."""
        return (
            f"column `{name}`"
            if self.in_memory_frame is None
            else self.in_memory_frame.column_descriptions[name]
        )

    @property
    def file(self) -> Path:
        """The path of a file on this machine, as all text files are."""
        if isinstance(self.path, RemoteUri):
            raise TypeError(self.path)
        return self.path

    @property
    def is_text(self) -> bool:
        """Whether values are texts as written in the file."""
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
        """Scan columns under new names as `read` does, without looking at them.

        Of a CSV file `short` says where the last field is missing; `is_regular` wants to know.
        """
        asked = self._filter_columns()
        frame = self._scan({**columns, **asked}, validate_rows=False)
        if not asked:
            return frame
        return frame.filter(row_filter(self.where)).drop(*asked)

    def is_regular(self, frame: pl.DataFrame) -> bool:
        """Tell whether all rows that were scanned are as long as the header, and none is blank."""
        if self.dialect is None or self.preset_scan is not None:
            return True
        # Of rows that were not kept nothing is known.
        rows = None if self.where else count_rows(frame)
        return not frame["short"].any() and text_files.has_no_long_rows(
            self.file, self.dialect, rows
        )

    def _filter_columns(self) -> dict[str, str]:
        """Return the columns that say which rows are kept."""
        return {alias_for(f"where {name}"): name for name in self.where}

    def with_derived(self, derived: Mapping[str, DerivedColumn]) -> PredictionTable:
        """Return the same with columns that are made from those of the file."""
        names = (*self.names, *(name for name in derived if name not in self.names))
        return replace(self, names=names, derived={**self.derived, **derived})

    def _scan(self, columns: Mapping[str, str], *, validate_rows: bool = True) -> pl.LazyFrame:
        made = {new: self.derived[name] for new, name in columns.items() if name in self.derived}
        if not made:
            return self._scan_source(columns, validate_rows=validate_rows)
        plain = {new: name for new, name in columns.items() if new not in made}
        needs = {alias_for(name): name for each in made.values() for name in each.source_columns}
        # What is needed may itself be derived.
        frame = self._scan({**plain, **needs}, validate_rows=validate_rows)
        expressions = (each.expression.alias(new) for new, each in made.items())
        kept = pl.col("row", "^short$", *columns)
        return frame.with_columns(*expressions).select(kept)

    def _scan_source(self, columns: Mapping[str, str], *, validate_rows: bool) -> pl.LazyFrame:
        if self.preset_scan is not None:
            return self.preset_scan.select("row", **columns)
        if self.dialect is None:
            chosen = [pl.col(name).alias(new) for new, name in columns.items()]
            return _scan_typed(self).select("row", *chosen)
        header = self.dialect.header
        chosen = [pl.col(str(header.index(name))).alias(new) for new, name in columns.items()]
        if not validate_rows:
            short = pl.col(str(len(header) - 1)).is_null().alias("short")
            return text_files.scan_csv(self.file, self.dialect).select("row", short, *chosen)
        blank = text_files.find_blank_rows(self.file, self.dialect)
        frame = text_files.scan_csv(self.file, self.dialect).select("row", *chosen)
        return frame.filter(~pl.col("row").is_in(blank)) if blank else frame

    def missing_column_diagnostics(self, columns: Mapping[str, str]) -> list[Diagnostic]:
        """Return a fault for each column (what it is for -> its name) that cannot be found."""
        absent = [
            _missing_column_diagnostic(self, role, name)
            for role, name in columns.items()
            if name not in self.names
        ]
        doubled = [
            Diagnostic(
                COLUMN_AMBIGUOUS,
                f"the file has {self.names.count(name)} columns `{name}`, needed for `{role}`",
                Location(self.path, 1),
                "rename all but one of them",
            )
            for role, name in columns.items()
            if self.names.count(name) > 1
        ]
        return absent + doubled

    def row_diagnostics(
        self,
        code: ErrorCode,
        rows: pl.DataFrame,
        describe: Callable[[str], str],
        advise: Callable[[str], str | None] = lambda _: None,
    ) -> list[Diagnostic]:
        """Return faults for the first rows of a frame (row, value), and say how many more."""
        first = rows.sort("row").head(MAX_DIAGNOSTICS).rows()
        more = rows.height - len(first)
        places = self.locations([row for row, _ in first], [str(value) for _, value in first])
        return [
            Diagnostic(
                code,
                describe(str(value))
                + self._format_row(row)
                + (f"; and {more} more" if more and number == len(first) else ""),
                # The message has the index of a row in memory.
                place if self.in_memory_frame is None else Location(self.path),
                advise(str(value)),
            )
            for number, ((row, value), place) in enumerate(zip(first, places, strict=True), 1)
        ]

    def _format_row(self, row: int) -> str:
        """Return which row it is, where no place can say so."""
        if self.in_memory_frame is not None:
            return f" (index {row})"
        return "" if self.is_text else f" (row {row + 1})"

    def locations(self, rows: list[int], values: list[str] | None = None) -> list[Location]:
        """Return where rows stand; only text files have lines, and a frame the index instead."""
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
            faults, _ = text_files.check_structure(self.file, self.dialect)
            return faults or [text_files.stray_quote_diagnostic(self.file, self.dialect)]
        if self.format is FileFormat.JSON_LINES:
            return json_diagnostics(self.file)
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"the {self.format} data cannot be read: {reason}"
        return [
            Diagnostic(FILE_CORRUPT, message, Location(self.path), "copy or make the file again")
        ]

    def _safe_cause(self, error: BaseException) -> BaseException | None:
        """Return the cause of a fault; what servers say of a request may hold secrets."""
        return None if isinstance(self.path, RemoteUri) else error

    def _check_nul_bytes(self, frame: pl.DataFrame) -> None:
        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        faults: list[Diagnostic] = []
        for name in texts:
            found = frame.filter(pl.col(name).str.contains("\0", literal=True)).select("row", name)
            if not found.is_empty():
                faults += self.row_diagnostics(
                    NOT_UTF8, found, lambda value: f"{value!r} holds a NUL byte"
                )
        if faults:
            raise DataError(*faults)


def count_rows(frame: pl.DataFrame) -> int:
    """Return how many rows a frame stands for, whose equal rows may be counted together."""
    return int(frame["count"].sum()) if "count" in frame.columns else frame.height


def open_table(path: Path | RemoteUri, expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open a file of any known format; the wanted names help to tell the separator of a CSV."""
    if isinstance(path, RemoteUri):
        found = format_from_suffix(path.name) or FileFormat.PARQUET
        return _with_column_names(
            PredictionTable(path, found, (), remote_scan=scan_remote(path, found))
        )
    found = detect_format(path)
    if found is FileFormat.CSV:
        dialect = text_files.read_dialect(path, expected_columns)
        return PredictionTable(path, found, dialect.header, dialect)
    if found is FileFormat.JSON_LINES:
        return PredictionTable(path, found, read_json_keys(path))
    return _with_column_names(PredictionTable(path, found, ()))


def _with_column_names(table: PredictionTable) -> PredictionTable:
    """Ask a file that has typed columns for their names."""
    try:
        names = _scan_typed(table).collect_schema().names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise DataError(*table._read_error_diagnostics(error)) from table._safe_cause(error)  # noqa: SLF001
    return replace(table, names=tuple(names[1:]))


def table_from_frame(in_memory_frame: InMemoryFrame) -> PredictionTable:
    """Open a frame that a program gave, which holds Arrow's columns as an Arrow file does."""
    return PredictionTable(
        Path(in_memory_frame.display_name),
        FileFormat.ARROW_FILE,
        tuple(in_memory_frame.frame.columns),
        in_memory_frame=in_memory_frame,
    )


def _scan_typed(table: PredictionTable) -> pl.LazyFrame:
    if table.in_memory_frame is not None:
        return table.in_memory_frame.frame.lazy().with_row_index("row")
    if table.remote_scan is not None:
        return table.remote_scan
    match table.format:
        case FileFormat.PARQUET:
            return pl.scan_parquet(table.file, glob=False).with_row_index("row")
        case FileFormat.ARROW_FILE:
            return pl.scan_ipc(table.file, glob=False).with_row_index("row")
        case FileFormat.ARROW_STREAM:
            return pl.read_ipc_stream(table.file).lazy().with_row_index("row")
        case _:
            # Text, because 0.10 and a number of 23 digits are to stay as they were written.
            schema = dict.fromkeys(table.names, pl.String)
            return pl.scan_ndjson(table.file, schema=schema).with_row_index("row")


def _missing_column_diagnostic(table: PredictionTable, role: str, name: str) -> Diagnostic:
    shown = ", ".join(f"`{each}`" for each in table.names[:_MAX_NAMES_SHOWN])
    more = len(table.names) - _MAX_NAMES_SHOWN
    listed = shown + (f" and {more} more" if more > 0 else "")
    spaced = [each for each in table.names if each != name and each.strip() == name]
    help_text = did_you_mean(name, table.names)
    if spaced:
        help_text = f"the header says `{spaced[0]}`: remove the spaces around the name"
    message = f"no column `{name}` for `{role}`; found {listed}"
    place = Location(table.path, 1 if table.dialect else None)
    return Diagnostic(COLUMN_MISSING, message, place, help_text)


# What a program gives instead of a file of predictions.

# The text of a large frame is never held as a whole.
_HASH_CHUNK_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class InMemoryFrame:
    """A frame of one classifier, how the manifest names it, and how messages name its columns."""

    frame: pl.DataFrame
    display_name: str
    column_descriptions: Mapping[str, str]

    @property
    def sha256(self) -> str:
        """The hash of the frame as CSV, so that it does not matter what held the values."""
        hashed = hashlib.sha256(self.frame.clear().write_csv().encode())
        for part in self.frame.iter_slices(_HASH_CHUNK_ROWS):
            hashed.update(part.write_csv(include_header=False).encode())
        return hashed.hexdigest()


NO_FRAMES: Mapping[str, InMemoryFrame] = MappingProxyType({})
