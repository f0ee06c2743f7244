"""A file of any format as a table of columns that can be asked for by name."""

from __future__ import annotations

from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import Address, DataError, Fault, FaultKind, Place, did_you_mean
from reportgen.errors.data_faults import (
    COLUMN_AMBIGUOUS,
    COLUMN_MISSING,
    FILE_DAMAGED,
    NO_ROWS,
    NOT_UTF8,
)
from reportgen.frozen import frozen
from reportgen.predictions import csv_text
from reportgen.predictions.csv_text import FIRST_FAULTS, Dialect
from reportgen.predictions.derived import Derived, keep_rows, rows_asked, written_name
from reportgen.predictions.formats import Format, damaged_gzip, format_named, format_of
from reportgen.predictions.json_text import json_faults, json_names
from reportgen.predictions.remote import scan_remote
from reportgen.predictions.remote_faults import remote_fault
from reportgen.predictions.row_places import lines_of, place_in

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reportgen.predictions.given import GivenFrame

_MOST_NAMES = 12


@frozen
class Table:
    """An opened file: its column names, and how to find the place of a row in it.

    Or a frame that a program gave; then the path is how messages name it.
    """

    path: Path | Address
    format: Format
    names: tuple[str, ...]
    dialect: Dialect | None = None
    given: GivenFrame | None = None
    # A frame with `row` and all names, where a tool's file is not simply a table.
    scanned: pl.LazyFrame | None = field(default=None, compare=False)
    # The same of a file elsewhere, so that what its columns are is fetched once.
    fetched: pl.LazyFrame | None = field(default=None, compare=False)
    derived: Mapping[str, Derived] = field(default_factory=dict, compare=False)
    where: Mapping[str, str | float] = field(default_factory=dict, compare=False)

    def said(self, name: str) -> str:
        """Return how a message names a column."""
        return f"column `{name}`" if self.given is None else self.given.said[name]

    @property
    def file(self) -> Path:
        """The path of a file on this machine, as all text files are."""
        if isinstance(self.path, Address):
            raise TypeError(self.path)
        return self.path

    @property
    def is_text(self) -> bool:
        """Whether values are texts as written in the file."""
        return self.format in {Format.CSV, Format.JSON_LINES}

    def read(self, columns: Mapping[str, str]) -> pl.DataFrame:
        """Read columns under new names (new name -> name in the file), with the index `row`."""
        try:
            frame = self._scan({**columns, **self._asked()}).collect()
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise DataError(*self._unreadable(error)) from self._told(error)
        if frame.is_empty():
            message = f"the file has {'a header but ' if self.dialect else ''}no rows"
            raise DataError(Fault(NO_ROWS, message, Place(self.path)))
        if self.dialect is not None:
            csv_text.refuse_other_count(self.file, self.dialect, frame.height)
        self._refuse_nul(frame)
        return keep_rows(self.path, frame, self.where) if self.where else frame

    def scan(self, columns: Mapping[str, str]) -> pl.LazyFrame:
        """Scan columns under new names as `read` does, without looking at them.

        Of a CSV file `short` says where the last field is missing; `is_regular` wants to know.
        """
        asked = self._asked()
        frame = self._scan({**columns, **asked}, closely=False)
        if not asked:
            return frame
        return frame.filter(rows_asked(self.where)).drop(*asked)

    def is_regular(self, frame: pl.DataFrame) -> bool:
        """Tell whether all rows that were scanned are as long as the header, and none is blank."""
        if self.dialect is None or self.scanned is not None:
            return True
        # Of rows that were not kept nothing is known.
        rows = None if self.where else counted_rows(frame)
        return not frame["short"].any() and csv_text.has_no_long_rows(self.file, self.dialect, rows)

    def _asked(self) -> dict[str, str]:
        """Return the columns that say which rows are kept."""
        return {written_name(f"where {name}"): name for name in self.where}

    def with_derived(self, derived: Mapping[str, Derived]) -> Table:
        """Return the same with columns that are made from those of the file."""
        names = (*self.names, *(name for name in derived if name not in self.names))
        return replace(self, names=names, derived={**self.derived, **derived})

    def _scan(self, columns: Mapping[str, str], *, closely: bool = True) -> pl.LazyFrame:
        made = {new: self.derived[name] for new, name in columns.items() if name in self.derived}
        if not made:
            return self._scan_written(columns, closely=closely)
        plain = {new: name for new, name in columns.items() if new not in made}
        needs = {written_name(name): name for each in made.values() for name in each.needs}
        # What is needed may itself be derived.
        frame = self._scan({**plain, **needs}, closely=closely)
        expressions = (each.expression.alias(new) for new, each in made.items())
        kept = pl.col("row", "^short$", *columns)
        return frame.with_columns(*expressions).select(kept)

    def _scan_written(self, columns: Mapping[str, str], *, closely: bool) -> pl.LazyFrame:
        if self.scanned is not None:
            return self.scanned.select("row", **columns)
        if self.dialect is None:
            chosen = [pl.col(name).alias(new) for new, name in columns.items()]
            return _scan_typed(self).select("row", *chosen)
        header = self.dialect.header
        chosen = [pl.col(str(header.index(name))).alias(new) for new, name in columns.items()]
        if not closely:
            short = pl.col(str(len(header) - 1)).is_null().alias("short")
            return csv_text.scan(self.file, self.dialect).select("row", short, *chosen)
        blank = csv_text.blank_rows(self.file, self.dialect)
        frame = csv_text.scan(self.file, self.dialect).select("row", *chosen)
        return frame.filter(~pl.col("row").is_in(blank)) if blank else frame

    def missing(self, columns: Mapping[str, str]) -> list[Fault]:
        """Return a fault for each column (what it is for -> its name) that cannot be found."""
        absent = [
            _missing_fault(self, role, name)
            for role, name in columns.items()
            if name not in self.names
        ]
        doubled = [
            Fault(
                COLUMN_AMBIGUOUS,
                f"the file has {self.names.count(name)} columns `{name}`, needed for `{role}`",
                Place(self.path, 1),
                "rename all but one of them",
            )
            for role, name in columns.items()
            if self.names.count(name) > 1
        ]
        return absent + doubled

    def faults_at(
        self,
        kind: FaultKind,
        found: pl.DataFrame,
        describe: Callable[[str], str],
        advise: Callable[[str], str | None] = lambda _: None,
    ) -> list[Fault]:
        """Return faults for the first rows of a frame (row, value), and say how many more."""
        first = found.sort("row").head(FIRST_FAULTS).rows()
        more = found.height - len(first)
        places = self.places([row for row, _ in first], [str(value) for _, value in first])
        return [
            Fault(
                kind,
                describe(str(value))
                + self._row_told(row)
                + (f"; and {more} more" if more and number == len(first) else ""),
                place,
                advise(str(value)),
            )
            for number, ((row, value), place) in enumerate(zip(first, places, strict=True), 1)
        ]

    def _row_told(self, row: int) -> str:
        """Return which row it is, where no place can say so."""
        if self.given is not None:
            return f" (index {row})"
        return "" if self.is_text else f" (row {row + 1})"

    def places(self, rows: list[int], values: list[str] | None = None) -> list[Place]:
        """Return where rows stand; only text files have lines, and a frame the index instead."""
        if self.given is not None:
            return [Place(self.path, row) for row in rows]
        lines = self._lines(set(rows))
        return [
            place_in(self.file, lines[row], values[index] if values else "")
            if row in lines
            else Place(self.path)
            for index, row in enumerate(rows)
        ]

    def _lines(self, rows: set[int]) -> dict[int, int]:
        if not self.is_text or not rows:
            return {}
        if self.format is Format.CSV and self.dialect is None:
            return {row: row + 1 for row in rows}
        return lines_of(self.file, self.dialect, rows)

    def _unreadable(self, error: BaseException) -> list[Fault]:
        if isinstance(self.path, Address):
            return [remote_fault(self.path, self.format, error)]
        if isinstance(error, OSError) and self.is_text:
            return [damaged_gzip(self.file)]
        if self.dialect is not None:
            faults, _ = csv_text.structure(self.file, self.dialect)
            return faults or [csv_text.stray_quote(self.file, self.dialect)]
        if self.format is Format.JSON_LINES:
            return json_faults(self.file)
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        message = f"the {self.format} data cannot be read: {reason}"
        return [Fault(FILE_DAMAGED, message, Place(self.path), "copy or make the file again")]

    def _told(self, error: BaseException) -> BaseException | None:
        """Return the cause of a fault; what servers say of a request may hold secrets."""
        return None if isinstance(self.path, Address) else error

    def _refuse_nul(self, frame: pl.DataFrame) -> None:
        texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
        faults: list[Fault] = []
        for name in texts:
            found = frame.filter(pl.col(name).str.contains("\0", literal=True)).select("row", name)
            if not found.is_empty():
                faults += self.faults_at(
                    NOT_UTF8, found, lambda value: f"{value!r} holds a NUL byte"
                )
        if faults:
            raise DataError(*faults)


def counted_rows(frame: pl.DataFrame) -> int:
    """Return how many rows a frame stands for, whose equal rows may be counted together."""
    return int(frame["count"].sum()) if "count" in frame.columns else frame.height


def open_table(path: Path | Address, wanted: tuple[str, ...] = ()) -> Table:
    """Open a file of any known format; the wanted names help to tell the separator of a CSV."""
    if isinstance(path, Address):
        found = format_named(path.name) or Format.PARQUET
        return _open_typed(Table(path, found, (), fetched=scan_remote(path, found)))
    found = format_of(path)
    if found is Format.CSV:
        dialect = csv_text.read_dialect(path, wanted)
        return Table(path, found, dialect.header, dialect)
    if found is Format.JSON_LINES:
        return Table(path, found, json_names(path))
    return _open_typed(Table(path, found, ()))


def _open_typed(table: Table) -> Table:
    """Ask a file that has typed columns for their names."""
    try:
        names = _scan_typed(table).collect_schema().names()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise DataError(*table._unreadable(error)) from table._told(error)  # noqa: SLF001
    return replace(table, names=tuple(names[1:]))


def given_table(given: GivenFrame) -> Table:
    """Open a frame that a program gave, which holds Arrow's columns as an Arrow file does."""
    return Table(Path(given.written), Format.ARROW_FILE, tuple(given.frame.columns), given=given)


def _scan_typed(table: Table) -> pl.LazyFrame:
    if table.given is not None:
        return table.given.frame.lazy().with_row_index("row")
    if table.fetched is not None:
        return table.fetched
    match table.format:
        case Format.PARQUET:
            return pl.scan_parquet(table.file, glob=False).with_row_index("row")
        case Format.ARROW_FILE:
            return pl.scan_ipc(table.file, glob=False).with_row_index("row")
        case Format.ARROW_STREAM:
            return pl.read_ipc_stream(table.file).lazy().with_row_index("row")
        case _:
            # Text, because 0.10 and a number of 23 digits are to stay as they were written.
            schema = dict.fromkeys(table.names, pl.String)
            return pl.scan_ndjson(table.file, schema=schema).with_row_index("row")


def _missing_fault(table: Table, role: str, name: str) -> Fault:
    shown = ", ".join(f"`{each}`" for each in table.names[:_MOST_NAMES])
    more = len(table.names) - _MOST_NAMES
    listed = shown + (f" and {more} more" if more > 0 else "")
    spaced = [each for each in table.names if each != name and each.strip() == name]
    help_text = did_you_mean(name, table.names)
    if spaced:
        help_text = f"the header says `{spaced[0]}`: remove the spaces around the name"
    message = f"no column `{name}` for `{role}`; found {listed}"
    place = Place(table.path, 1 if table.dialect else None)
    return Fault(COLUMN_MISSING, message, place, help_text)
