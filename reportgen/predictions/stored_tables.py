"""Sheets of workbooks and tables of databases: Excel, SQLite, DuckDB and PostgreSQL.

They are read as a whole, with their types. The packages that read them are optional, except for
SQLite, which Python has.
"""

from __future__ import annotations

import os
import re
import sqlite3
import zipfile
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

import polars as pl

from reportgen.errors import (
    DataError,
    Diagnostic,
    Location,
    RemoteUri,
    RenderingError,
    did_you_mean,
)
from reportgen.errors.data import (
    COLUMN_TYPE,
    FILE_CORRUPT,
    FILE_UNREADABLE,
    NO_ROWS,
    READER_MISSING,
    REMOTE_UNREADABLE,
    TABLE_UNKNOWN,
)
from reportgen.errors.run import INSUFFICIENT_MEMORY
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.packed_files import list_tables

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import fastexcel

STORED_FORMATS = frozenset(
    {FileFormat.WORKBOOK, FileFormat.SQLITE, FileFormat.DUCKDB, FileFormat.ZIP}
)
_MAX_NAMES_SHOWN = 12
_CONNECT_TIMEOUT_SECONDS = 10
_MIDNIGHT = " 00:00:00"
_NUMBER = re.compile(r"[+-]?[\d.,]+([eE][+-]?\d+)?%?")


@dataclass(frozen=True, slots=True)
class StoredTable:
    """The columns of a sheet or table with their names, which may repeat, and its first row.

    `frame` has the columns whose names are unique; `first_row` is the number of the first data row
    as a spreadsheet shows it.
    """

    names: tuple[str, ...]
    frame: pl.DataFrame
    first_row: int = 1


def part_key(file_format: FileFormat) -> str:
    """Return the key of [data] that names a part of a file: `sheet` or `table`."""
    return "sheet" if file_format is FileFormat.WORKBOOK else "table"


def check_part(path: Path, sheet: str | None, table: str | None) -> None:
    """Raise if a sheet or table is named, and the file is of a format that has none."""
    if sheet is None and table is None:
        return
    file_format = detect_format(path)
    key = part_key(file_format) if file_format in STORED_FORMATS else None
    for name, part in (("sheet", sheet), ("table", table)):
        if part is not None and name != key:
            message = f'`{name} = "{part}"` is set, but {_format_noun(file_format)} has no {name}s'
            help_text = (
                f"write `{key}` instead of `{name}`"
                if key
                else f"remove `{name}`, or move it to the classifier whose file has it"
            )
            raise DataError(Diagnostic(TABLE_UNKNOWN, message, Location(path), help_text))


def _format_noun(file_format: FileFormat) -> str:
    if file_format is FileFormat.WORKBOOK:
        return "a workbook"
    if file_format is FileFormat.ZIP:
        return "a ZIP archive"
    suffix = "database" if file_format in STORED_FORMATS else "file"
    return f"a {file_format} {suffix}"


def list_parts(path: Path, file_format: FileFormat) -> tuple[str, ...]:
    """Return the sheets of a workbook, or the tables and views of a database, that have rows.

    Those of a ZIP archive are the names of its files.
    """
    match file_format:
        case FileFormat.ZIP:
            with zipfile.ZipFile(path) as archive:
                return list_tables(archive)
        case FileFormat.WORKBOOK:
            names = _open_workbook(path).sheet_names
            return tuple(name for name in names if not _read_cells(path, name).is_empty())
        case FileFormat.SQLITE:
            names = [str(name) for (name,) in _query_sqlite(path, _SQLITE_TABLES)[1]]
            return tuple(name for name in names if _query_sqlite(path, _first_row(name))[1])
        case _:
            names = _query_duckdb(path, _DUCKDB_TABLES)["name"].to_list()
            return tuple(
                name for name in names if not _query_duckdb(path, _first_row(name)).is_empty()
            )


def read_stored_table(path: Path, file_format: FileFormat, part: str | None) -> StoredTable:
    """Read a sheet of a workbook or a table of a database.

    Args:
        path: the local file.
        file_format: a format of `STORED_FORMATS` other than ZIP.
        part: the name of the sheet or table; it may be None if there is only one with rows.
    """
    name = choose_part(path, file_format, part)
    match file_format:
        case FileFormat.WORKBOOK:
            table = _read_sheet(path, name)
        case FileFormat.SQLITE:
            columns, rows = _query_sqlite(path, _select_all(_quote_name(name)))
            table = StoredTable(columns, _frame_from_rows(path, columns, rows))
        case _:
            frame = _query_duckdb(path, _select_all(_quote_table(name)))
            table = StoredTable(tuple(frame.columns), _simplify_types(frame))
    if table.frame.is_empty():
        message = f"{part_key(file_format)} `{name}` has no rows"
        raise DataError(Diagnostic(NO_ROWS, message, Location(path)))
    return table


def choose_part(path: Path, file_format: FileFormat, part: str | None) -> str:
    """Return the sheet or table to read, or raise with the names to choose from."""
    key, parts = part_key(file_format), list_parts(path, file_format)
    if part in parts:
        return part
    if part is None and len(parts) == 1:
        return parts[0]
    if not parts:
        raise DataError(Diagnostic(NO_ROWS, f"the file has no {key} with rows", Location(path)))
    listing = ", ".join(f"`{name}`" for name in parts[:_MAX_NAMES_SHOWN])
    if part is None:
        message = f"the file has {len(parts)} {key}s: {listing}"
        help_text = f'name one of them: `{key} = "{parts[0]}"` under `[data]`'
    else:
        message = f"no {key} `{part}` with rows; there are {listing}"
        help_text = did_you_mean(part, parts) or f"correct `{key}` under `[data]`"
    raise DataError(Diagnostic(TABLE_UNKNOWN, message, Location(path), help_text))


def _missing_package(path: Path | RemoteUri, package: str, extra: str, noun: str) -> DataError:
    message = f"{noun} is read with the package {package}, which is not installed"
    help_text = f"pip install 'reportgen-eval[{extra}]'"
    return DataError(Diagnostic(READER_MISSING, message, Location(path), help_text))


# Workbooks.


def _open_workbook(path: Path) -> fastexcel.ExcelReader:
    try:
        import fastexcel
    except ImportError as error:
        raise _missing_package(path, "fastexcel", "excel", "a workbook") from error
    try:
        return fastexcel.read_excel(path)
    except fastexcel.FastExcelError as error:
        raise DataError(_damaged_diagnostic(path, error)) from error


def _damaged_diagnostic(path: Path, error: Exception) -> Diagnostic:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    message = f"the file cannot be read: {reason}"
    return Diagnostic(FILE_CORRUPT, message, Location(path), "save or copy the file again")


def _load_sheet(
    path: Path,
    name: str,
    skip_rows: int,
    dtypes: Literal["string"] | dict[str | int, Literal["float"]] | None = None,
) -> pl.DataFrame:
    """Return the rows of a sheet without header; columns are named by their position."""
    import fastexcel

    workbook = _open_workbook(path)
    try:
        sheet = workbook.load_sheet(
            name,
            header_row=None,
            skip_rows=skip_rows,
            schema_sample_rows=None,
            dtypes=dtypes,  # type: ignore[arg-type]  # a dictionary of one type is one of several
        )
        frame = sheet.to_polars()
    except fastexcel.FastExcelError as error:
        raise DataError(_damaged_diagnostic(path, error)) from error
    return frame.rename({column: column.removeprefix("__UNNAMED__") for column in frame.columns})


def _read_cells(path: Path, name: str) -> pl.DataFrame:
    """Return the cells of a sheet as text; numbers have nine digits only."""
    return _load_sheet(path, name, 0, "string")


def _read_sheet(path: Path, name: str) -> StoredTable:
    """Read the rows under the header, the first row with two cells or, in one column, with one.

    Where that row has titles of several columns each, as merged cells do, the header is below it.
    """
    cells = _read_cells(path, name)
    filled = cells.select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
    above = int((filled >= min(2, cells.width)).arg_true()[0])
    header = [None if text is None else text.strip() for text in cells.row(above)]
    if filled[above] < cells.width and _are_names(cells[above + 1 :]):
        above += 1
        header = _join_titles(header, cells.row(above))
    body = _load_sheet(path, name, above + 1)
    counts = Counter(header)
    names = {
        str(number): text
        for number, text in enumerate(header)
        if text and counts[text] == 1 and str(number) in body.columns
    }
    exact = _exact_texts(path, name, above + 1, body)
    rows = body.with_columns(**exact).filter(~pl.all_horizontal(pl.all().is_null()))
    frame = rows.select(pl.col(column).alias(text) for column, text in names.items())
    return StoredTable(tuple(filter(None, header)), _simplify_types(frame), above + 2)


def _are_names(rows: pl.DataFrame) -> bool:
    """Return whether the first of some rows has a text in every column, that no row below it has.

    Labels recur, and ids and scores are numbers more often than not.
    """
    if rows.height <= 1:
        return False
    first = rows.row(0)
    return all(text is not None and not _NUMBER.fullmatch(text.strip()) for text in first) and all(
        not (column[1:] == text).any() for text, column in zip(first, rows, strict=True)
    )


def _join_titles(titles: Sequence[str | None], names: Sequence[str | None]) -> list[str | None]:
    """Return names of columns, those that repeat with the title that is above or left of them."""
    counts, title = Counter(names), None
    joined: list[str | None] = []
    for above, name in zip(titles, names, strict=True):
        title = above or title
        is_repeated = counts[name] > 1 and name and title
        joined.append(f"{title} {name.strip()}" if is_repeated and name else name and name.strip())
    return joined


def _exact_texts(path: Path, name: str, skip_rows: int, body: pl.DataFrame) -> dict[str, pl.Expr]:
    """Return columns of texts and numbers with all digits of the numbers.

    They are read as text, in which numbers have nine digits. Texts that look like a number, such
    as 007, are kept: read as a number, they are equal to it.
    """
    texts = [column for column, dtype in body.schema.items() if dtype == pl.String]
    if not texts:
        return {}
    numbers = _load_sheet(path, name, skip_rows, {int(column): "float" for column in texts})
    return {
        column: pl.when(numbers[column] != body[column].cast(pl.Float64, strict=False))
        .then(numbers[column].cast(pl.String))
        .otherwise(body[column])
        for column in texts
        if numbers[column].dtype == pl.Float64
    }


def _simplify_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Return whole floats as integers, and dates and other values without a label as text."""
    return frame.with_columns(_simplify_column(column) for column in frame.get_columns())


def _simplify_column(values: pl.Series) -> pl.Series:
    if values.dtype.is_float():
        numbers = values.drop_nulls().drop_nans()
        is_integer = (numbers == numbers.floor()) & (numbers.abs() < 2**53)
        is_whole = len(numbers) == len(values.drop_nulls()) and bool(is_integer.all())
        return values.cast(pl.Int64) if is_whole else values
    if values.dtype.is_decimal():
        return values.cast(pl.Float64)
    if values.dtype.is_temporal():
        texts = values.cast(pl.String).str.replace(r"\.0+$", "")
        if values.dtype == pl.Datetime and texts.drop_nulls().str.ends_with(_MIDNIGHT).all():
            return texts.str.strip_suffix(_MIDNIGHT)
        return texts
    return values


# Databases.

_SQLITE_TABLES = (
    "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite_%'"
    " ORDER BY rowid"
)
_DUCKDB_TABLES = (
    "SELECT CASE WHEN table_schema = 'main' THEN table_name"
    " ELSE table_schema || '.' || table_name END AS name"
    " FROM information_schema.tables WHERE table_catalog = current_database()"
    " ORDER BY table_schema <> 'main', table_schema, table_name"
)


# A view of the file is a query of its author: it reads no other file and no address.
_DUCKDB_SETTINGS: dict[str, str | bool | int | float | list[str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
    "lock_configuration": "true",
}
_SQLITE_LOG_HELP = (
    "end the program that writes it, or run `sqlite3 FILE 'PRAGMA wal_checkpoint(TRUNCATE)'`"
)
_DUCKDB_LOG_HELP = "end the program that writes it, or run `duckdb FILE 'CHECKPOINT'`"
_MAX_VALUE_BYTES = 16 << 20
_BATCH_CELLS = 1_000_000
_RESERVED_BYTES = 256 << 20


def _quote_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _quote_table(name: str) -> str:
    """Return the name of a table for SQL, with the schema before a dot."""
    return ".".join(_quote_name(part) for part in name.split("."))


def _select_all(quoted_name: str) -> str:
    return f"SELECT * FROM {quoted_name}"  # noqa: S608  # the name is quoted


def _first_row(name: str) -> str:
    return f"{_select_all(_quote_table(name))} LIMIT 1"


def _check_complete(path: Path, log_suffix: str, help_text: str) -> None:
    """Raise if changes of a database are still in its log, which the hash of the file leaves out.

    The numbers would depend on a file that neither the manifest nor [sha256] names.
    """
    log = Path(f"{path.resolve()}{log_suffix}")
    if log.is_file() and log.stat().st_size:
        message = f"changes of the database are in `{log.name}` and not in the file yet"
        raise DataError(Diagnostic(FILE_UNREADABLE, message, Location(path), help_text))


def _query_sqlite(path: Path, query: str) -> tuple[tuple[str, ...], list[tuple[object, ...]]]:
    """Return the names and rows of a query, without writing to the database or next to it."""
    _check_complete(path, "-wal", _SQLITE_LOG_HELP)
    has_journal = os.path.lexists(f"{path.resolve()}-journal")
    # Only an immutable file is read without `-shm` and `-wal`, which would be left behind. With a
    # journal it may be half-written: SQLite finds out, and does not read it then.
    address = f"{path.resolve().as_uri()}?mode=ro{'' if has_journal else '&immutable=1'}"
    try:
        with closing(sqlite3.connect(address, uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _MAX_VALUE_BYTES)
            connection.execute("PRAGMA trusted_schema = OFF")
            cursor = connection.execute(query)
            names = tuple(item[0] for item in cursor.description)
            return names, _fetch_rows(path, cursor, len(names))
    except (sqlite3.Error, OverflowError, UnicodeDecodeError) as error:
        raise DataError(_damaged_diagnostic(path, error)) from error


class _Cursor(Protocol):
    """The rows of a query of any database."""

    def fetchmany(self, size: int, /) -> list[tuple[object, ...]]:
        """Return the next rows; none after the last."""


def _fetch_rows(path: Path, cursor: _Cursor, width: int) -> list[tuple[object, ...]]:
    """Return all rows of a query, or raise before they use up the memory.

    The rows of a view need no space in the file, and are known only when they are read.
    """
    from reportgen.predictions.memory import available_memory

    rows: list[tuple[object, ...]] = []
    while batch := cursor.fetchmany(max(1, _BATCH_CELLS // max(width, 1))):
        rows += batch
        if available_memory() < _RESERVED_BYTES:
            message = f"the free memory does not suffice for more than {len(rows):,} rows"
            help_text = "write the table to a Parquet file, of which only some columns are read"
            diagnostic = Diagnostic(INSUFFICIENT_MEMORY, message, Location(path), help_text)
            raise RenderingError(diagnostic)
    return rows


def _frame_from_rows(
    path: Path, names: Sequence[str], rows: Sequence[Sequence[object]]
) -> pl.DataFrame:
    """Return rows as a frame; SQLite has no column types, so they are those of the values."""
    counts = Counter(names)
    columns = (
        {
            name: _column_of_values(path, name, values)
            for name, values in zip(names, zip(*rows, strict=True), strict=True)
            if counts[name] == 1
        }
        if rows
        else {}
    )
    return pl.DataFrame(columns)


def _column_of_values(path: Path, name: str, values: Sequence[object]) -> pl.Series:
    types = {type(value) for value in values if value is not None}
    if types <= {int} and all(abs(v) < 2**63 for v in values if isinstance(v, int)):
        return pl.Series(values, dtype=pl.Int64)
    if types <= {int, float}:
        return _simplify_column(pl.Series(values, dtype=pl.Float64, strict=False))
    if bytes in types:
        message = f"column `{name}` holds binary data, not text or numbers"
        help_text = "leave the column out in a view, and name that with `table`"
        raise DataError(Diagnostic(COLUMN_TYPE, message, Location(path), help_text))
    texts = [None if value is None else str(value) for value in values]
    return pl.Series(texts, dtype=pl.String)


def _query_duckdb(path: Path, query: str) -> pl.DataFrame:
    try:
        import duckdb
    except ImportError as error:
        raise _missing_package(path, "duckdb", "duckdb", "a DuckDB database") from error
    _check_complete(path, ".wal", _DUCKDB_LOG_HELP)
    try:
        with duckdb.connect(str(path), read_only=True, config=_DUCKDB_SETTINGS) as connection:
            cursor = connection.execute(query)
            names = [item[0] for item in cursor.description or ()]
            rows = _fetch_rows(path, cursor, len(names))
            return pl.DataFrame(rows, names, orient="row", infer_schema_length=None)
    except duckdb.PermissionException as error:
        message = "a view of the database reads another file or an address"
        help_text = "write its rows into a table: CREATE TABLE … AS SELECT * FROM …"
        raise DataError(Diagnostic(FILE_UNREADABLE, message, Location(path), help_text)) from error
    except duckdb.Error as error:
        raise DataError(_damaged_diagnostic(path, error)) from error


def read_postgres_table(address: RemoteUri, table: str | None) -> StoredTable:
    """Read a table or view of a PostgreSQL server, in an order that does not change.

    The URL has no credentials: user, password and other settings come from the environment
    (PGUSER, PGPASSWORD, PGSERVICE, ~/.pgpass).
    """
    if table is None:
        message, help_text = "no table is named", 'write `table = "…"` under `[data]`'
        raise DataError(Diagnostic(TABLE_UNKNOWN, message, Location(address), help_text))
    frame = _query_postgres(address, _select_all(_quote_table(table)), table)
    if frame.is_empty():
        raise DataError(Diagnostic(NO_ROWS, f"table `{table}` has no rows", Location(address)))
    simple = _simplify_types(frame)
    sortable = [name for name, dtype in simple.schema.items() if not dtype.is_nested()]
    return StoredTable(tuple(frame.columns), simple.sort(sortable, maintain_order=True))


def _query_postgres(address: RemoteUri, query: str, table: str = "") -> pl.DataFrame:
    """Return the rows of a query, in a transaction that cannot write."""
    try:
        import psycopg
    except ImportError as error:
        raise _missing_package(address, "psycopg", "postgres", "a PostgreSQL table") from error
    try:
        with psycopg.connect(
            str(address), connect_timeout=_CONNECT_TIMEOUT_SECONDS, application_name="reportgen"
        ) as connection:
            connection.read_only = True
            return pl.read_database(query, connection, infer_schema_length=None)
    except psycopg.errors.UndefinedTable:
        message = f"the database has no table `{table}` that you may read"
        help_text = "correct `table` under `[data]`; a schema is written before a dot"
        raise DataError(Diagnostic(TABLE_UNKNOWN, message, Location(address), help_text)) from None
    except psycopg.Error as error:
        # Not chained: messages of the driver may contain the password.
        reason = _POSTGRES_REASONS.get(error.sqlstate or "", "the server cannot be reached")
        raise DataError(
            Diagnostic(REMOTE_UNREADABLE, reason, Location(address), POSTGRES_HELP)
        ) from None


def list_postgres_tables(address: RemoteUri) -> dict[str, frozenset[str]]:
    """Return the columns of the tables and views with rows that may be read.

    A schema other than `public` is a part of the name, before a dot.
    """
    names = _query_postgres(address, _POSTGRES_TABLES)["name"]
    rows = {name: _query_postgres(address, _first_row(name), name) for name in names}
    tables = {name: frozenset(row.columns) for name, row in rows.items() if not row.is_empty()}
    if not tables:
        message = "the database has no table with rows that you may read"
        raise DataError(Diagnostic(NO_ROWS, message, Location(address), POSTGRES_HELP))
    return tables


_POSTGRES_TABLES = (
    "SELECT CASE WHEN table_schema = 'public' THEN table_name"
    " ELSE table_schema || '.' || table_name END AS name FROM information_schema.tables"
    " WHERE table_schema NOT IN ('pg_catalog', 'information_schema')"
    " AND has_table_privilege("
    "quote_ident(table_schema) || '.' || quote_ident(table_name), 'SELECT')"
    " ORDER BY table_schema <> 'public', table_schema, table_name"
)


_POSTGRES_REASONS: Mapping[str, str] = {
    "28000": "access was denied",
    "28P01": "access was denied",
    "42501": "access was denied",
    "3D000": "there is no such database",
}
POSTGRES_HELP = (
    "set PGUSER and PGPASSWORD (or ~/.pgpass), PGHOST where the URL names no server, and check the"
    " URL"
)
