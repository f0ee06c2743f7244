"""SQL schema of the run history for SQLite and PostgreSQL, and the mapping of runs to rows."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.jobs.history.record import (
    GateRecord,
    InputRecord,
    RunRecord,
    RunState,
    ValueRecord,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.jobs.history.record import ConfusionCounts

SqlValue = str | int | float | None
SqlRow = tuple[SqlValue, ...]

# A history with another schema version is neither read nor written.
SCHEMA_VERSION = 2


class CorruptHistoryError(Exception):
    """Rows of the history are missing, or a value is invalid for its column."""


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """The differences between the SQL dialects of the two databases."""

    integer: str
    real: str
    key: str
    """The type of indexed text, with binary collation in both databases."""
    table_options: str
    row_lock: str
    """The clause that locks the selected rows for an update."""


SQLITE_DIALECT = SqlDialect(
    integer="INTEGER", real="REAL", key="TEXT", table_options=" STRICT", row_lock=""
)
POSTGRES_DIALECT = SqlDialect(
    integer="BIGINT",
    real="DOUBLE PRECISION",
    key='TEXT COLLATE "C"',
    table_options="",
    row_lock=" FOR UPDATE",
)


# Table definitions; {key}, {integer} and {real} are placeholders for the types of the dialect.


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table: its columns with their types, and the statements for all columns."""

    name: str
    column_types: Mapping[str, str]
    primary_key: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The column names in order."""
        return tuple(self.column_types)

    @property
    def insert(self) -> str:
        """The INSERT statement for one row."""
        marks = ", ".join("?" * len(self.columns))
        return f"INSERT INTO {self.name} ({', '.join(self.columns)}) VALUES ({marks})"  # noqa: S608  # constants

    def select(self, condition: str) -> str:
        """Return the SELECT statement for all columns with a WHERE condition."""
        return f"SELECT {', '.join(self.columns)} FROM {self.name} {condition}"  # noqa: S608  # constants

    def create(self, dialect: SqlDialect) -> str:
        """Return the CREATE TABLE statement."""
        lines = [f"{column} {type_}" for column, type_ in self.column_types.items()]
        body = ",\n    ".join([*lines, f"PRIMARY KEY ({self.primary_key})"])
        types = body.format(integer=dialect.integer, real=dialect.real, key=dialect.key)
        return f"CREATE TABLE {self.name} (\n    {types}\n){dialect.table_options}"


TEXT, OPTIONAL_TEXT, KEY = "TEXT NOT NULL", "TEXT", "{key} NOT NULL"
INTEGER, OPTIONAL_INTEGER, OPTIONAL_REAL = "{integer} NOT NULL", "{integer}", "{real}"
# The columns of child tables that identify the run and the position of a row in it.
OF_RUN = {"run": KEY + " REFERENCES runs (id) ON DELETE CASCADE", "position": INTEGER}

RUNS_TABLE = SqlTable(
    "runs",
    {
        "id": KEY,
        "name": KEY,
        "spec": TEXT,
        "output": TEXT,
        "title": TEXT,
        "version": TEXT,
        "started": KEY,
        "ended": TEXT,
        "state": TEXT + " CHECK (state IN ('running', 'completed', 'failed', 'interrupted'))",
        "exit_code": INTEGER,
        "data_fingerprint": TEXT,
        "manifest_sha256": TEXT,
        "published": INTEGER + " CHECK (published IN (0, 1))",
        "is_final": OPTIONAL_INTEGER + " CHECK (is_final IN (0, 1))",
        "level": OPTIONAL_REAL,
        "classes": TEXT,
        "positive": OPTIONAL_TEXT,
        "findings": TEXT,
        "warnings": TEXT,
        "errors": TEXT,
        "part_counts": TEXT,
        # The order of runs: their times depend on the clock, which may have been wrong.
        "sequence": INTEGER,
    },
    primary_key="id",
)
INPUTS_TABLE = SqlTable(
    "inputs",
    {
        **OF_RUN,
        "classifier": OPTIONAL_TEXT,
        "path": TEXT,
        "sha256": TEXT,
        "row_count": OPTIONAL_INTEGER,
    },
    primary_key="run, position",
)
GATES_TABLE = SqlTable(
    "gates",
    {
        **OF_RUN,
        "classifier": TEXT,
        "measure": TEXT,
        "class": OPTIONAL_TEXT,
        "average": OPTIONAL_TEXT,
        "level": TEXT,
        "passed": INTEGER + " CHECK (passed IN (0, 1))",
        "observed": OPTIONAL_REAL,
        "criterion": OPTIONAL_REAL,
        "reason": TEXT,
        "kind": TEXT,
        "bound": OPTIONAL_TEXT,
        "against": OPTIONAL_TEXT,
        "tested": INTEGER + " CHECK (tested IN (0, 1))",
    },
    primary_key="run, position",
)
CONFUSIONS_TABLE = SqlTable(
    "confusions",
    {**OF_RUN, "classifier": TEXT, "counts": TEXT, "weight": OPTIONAL_REAL},
    primary_key="run, position",
)
VALUES_TABLE = SqlTable(
    "measure_values",
    {
        **OF_RUN,
        "classifier": TEXT,
        "class": OPTIONAL_TEXT,
        "average": OPTIONAL_TEXT,
        "fold": OPTIONAL_TEXT,
        "measure": TEXT,
        "value": OPTIONAL_REAL,
        "state": TEXT + " CHECK (state IN ('defined', 'infinite', 'undefined'))",
        "reason": OPTIONAL_TEXT,
        "low": OPTIONAL_REAL,
        "high": OPTIONAL_REAL,
        "method": OPTIONAL_TEXT,
    },
    primary_key="run, position",
)
TABLES = (RUNS_TABLE, INPUTS_TABLE, GATES_TABLE, CONFUSIONS_TABLE, VALUES_TABLE)
INDEXES = (
    "CREATE INDEX runs_by_name ON runs (name, sequence, id)",
    "CREATE INDEX runs_by_sequence ON runs (sequence, id)",
)


def create_statements(dialect: SqlDialect) -> tuple[str, ...]:
    """Return the statements that create the tables and indexes of a new history."""
    return (*(table.create(dialect) for table in TABLES), *INDEXES)


def describe_version(version: int) -> str:
    """Return the message for a history with another schema version."""
    return f"has tables of version {version}; this reportgen reads and writes {SCHEMA_VERSION}"


def sanitize_value(value: SqlValue) -> SqlValue:
    """Return a value in a form that both databases can store.

    PostgreSQL does not support NUL in text, and neither database supports lone surrogates, which
    occur in file names that are not valid UTF-8; SQLite supports neither NaN nor negative zero.
    """
    if isinstance(value, str):
        text = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
        # Fast path: most text is ASCII.
        return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float):
        return None if math.isnan(value) else float(value) + 0.0
    return value


def run_rows(record: RunRecord, sequence: int) -> Iterator[tuple[SqlTable, list[SqlRow]]]:
    """Yield each table with the rows of a run, which has this number in the order of runs."""
    tables: tuple[tuple[SqlTable, list[SqlRow]], ...] = (
        (RUNS_TABLE, [(*_run_to_row(record), sequence)]),
        (INPUTS_TABLE, [*map(_input_to_row, record.inputs)]),
        (GATES_TABLE, [*map(_gate_to_row, record.gates)]),
        (CONFUSIONS_TABLE, [*_confusions_to_rows(record)]),
        (VALUES_TABLE, [*map(_value_to_row, record.values)]),
    )
    for table, rows in tables:
        if table is RUNS_TABLE:
            yield table, [tuple(map(sanitize_value, row)) for row in rows]
        elif rows:
            yield (
                table,
                [
                    tuple(map(sanitize_value, (record.id, position, *row)))
                    for position, row in enumerate(rows)
                ],
            )


def format_timestamp(moment: datetime) -> str:
    """Return a timestamp as text that sorts by time."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def encode_list(values: Sequence[str] | Sequence[int]) -> str:
    """Return a list as the JSON text of one column."""
    return json.dumps([sanitize_value(value) for value in values], ensure_ascii=False)


def _run_to_row(record: RunRecord) -> SqlRow:
    overall = sum(value.fold is None for value in record.values)
    parts = (record.inputs, record.gates, record.confusion, record.values)
    return (
        *(record.id, record.name, record.spec, record.output, record.title, record.version),
        *(format_timestamp(record.started), format_timestamp(record.ended)),
        *(record.state.value, int(record.exit_code)),
        *(record.data_fingerprint, record.manifest_sha256, int(record.published)),
        *(None if record.is_final is None else int(record.is_final), record.level),
        *(encode_list(record.classes), record.positive),
        *map(encode_list, (record.findings, record.warnings, record.errors)),
        encode_list([*map(len, parts), overall]),
    )


def _input_to_row(file: InputRecord) -> SqlRow:
    return (file.classifier, file.path, file.sha256, None if file.rows is None else int(file.rows))


def _gate_to_row(gate: GateRecord) -> SqlRow:
    return (
        *(gate.classifier, gate.measure, gate.class_, gate.average, gate.level, int(gate.passed)),
        *(_optional_float(gate.observed), _optional_float(gate.criterion), gate.reason),
        *(gate.kind, gate.bound, gate.against, int(gate.tested)),
    )


def _confusions_to_rows(record: RunRecord) -> Iterator[SqlRow]:
    for name, matrix in record.confusion.items():
        counts = json.dumps([[round(cell) for cell in row] for row in matrix])
        yield name, counts, _optional_float(record.weights.get(name))


def _value_to_row(record: ValueRecord) -> SqlRow:
    value = record.value
    return (
        *(record.classifier, record.class_, record.average, record.fold, record.measure),
        *(_optional_float(value.value), value.state.value, value.reason),
        *(_optional_float(value.low), _optional_float(value.high), value.method),
    )


def _optional_float(number: float | None) -> float | None:
    # Database drivers do not accept NumPy scalars.
    return None if number is None else float(number)


# Larger counts are not exact as floating-point numbers.
MAX_COUNT = 2**53


class RowReader:
    """Typed access to the values of a row by column name; raises CorruptHistoryError."""

    def __init__(self, table: SqlTable, row: SqlRow) -> None:
        self._table = table.name
        self._values = dict(zip(table.column_types, row, strict=True))

    def text(self, column: str) -> str:
        """Return a text that must not be NULL."""
        value = self._values[column]
        if not isinstance(value, str):
            raise self.error(column)
        return value

    def optional_text(self, column: str) -> str | None:
        """Return a text, or None."""
        return None if self._values[column] is None else self.text(column)

    def integer(self, column: str) -> int:
        """Return an integer that must not be NULL."""
        value = self._values[column]
        if not isinstance(value, int):
            raise self.error(column)
        return value

    def optional_integer(self, column: str) -> int | None:
        """Return an integer, or None."""
        return None if self._values[column] is None else self.integer(column)

    def optional_real(self, column: str) -> float | None:
        """Return a floating-point number, or None."""
        value = self._values[column]
        if value is None:
            return None
        if not isinstance(value, int | float):
            raise self.error(column)
        return float(value)

    def moment(self, column: str) -> datetime:
        """Return a timestamp."""
        try:
            moment = datetime.fromisoformat(self.text(column))
        except ValueError:
            raise self.error(column) from None
        if moment.tzinfo is None:
            raise self.error(column)
        return moment

    def texts(self, column: str) -> tuple[str, ...]:
        """Return the strings of a JSON list."""
        items = self._json_list(column)
        texts = tuple(item for item in items if isinstance(item, str))
        if len(texts) != len(items):
            raise self.error(column)
        return texts

    def counts(self, column: str) -> tuple[int, ...]:
        """Return the counts of a JSON list."""
        return self._to_counts(column, self._json_list(column))

    def matrix(self, column: str) -> ConfusionCounts:
        """Return the counts of a JSON list of lists, which must be square."""
        rows = tuple(self._to_counts(column, line) for line in self._json_list(column))
        if any(len(row) != len(rows) or min(row) < 0 or max(row) > MAX_COUNT for row in rows):
            raise self.error(column)
        return rows

    def error(self, column: str) -> CorruptHistoryError:
        """Return the error for an invalid value in a column."""
        return CorruptHistoryError(
            f"the column {column} of a row of the table {self._table} cannot be read"
        )

    def _json_list(self, column: str) -> list[object]:
        try:
            items = json.loads(self.text(column))
        except (ValueError, RecursionError):
            raise self.error(column) from None
        if not isinstance(items, list):
            raise self.error(column)
        return items

    def _to_counts(self, column: str, items: object) -> tuple[int, ...]:
        if not isinstance(items, list) or not all(type(item) is int for item in items):
            raise self.error(column)
        return tuple(items)


def row_to_run(row: SqlRow) -> RunRecord:
    """Return the run of a row of the table of runs, without its child rows."""
    reader = RowReader(RUNS_TABLE, row)
    try:
        state = RunState(reader.text("state"))
    except ValueError:
        raise reader.error("state") from None
    is_final, level = reader.optional_integer("is_final"), reader.optional_real("level")
    if level is not None and not 0 < level < 1:
        raise reader.error("level")
    return RunRecord(
        id=reader.text("id"),
        name=reader.text("name"),
        spec=reader.text("spec"),
        output=reader.text("output"),
        title=reader.text("title"),
        version=reader.text("version"),
        started=reader.moment("started"),
        ended=reader.moment("ended"),
        state=state,
        exit_code=reader.integer("exit_code"),
        data_fingerprint=reader.text("data_fingerprint"),
        manifest_sha256=reader.text("manifest_sha256"),
        published=bool(reader.integer("published")),
        is_final=None if is_final is None else bool(is_final),
        level=level,
        classes=reader.texts("classes"),
        positive=reader.optional_text("positive"),
        findings=reader.texts("findings"),
        warnings=reader.texts("warnings"),
        errors=reader.texts("errors"),
    )


def part_counts(row: SqlRow) -> tuple[int, ...]:
    """Return the numbers of inputs, gates, matrices, values, and values over all folds of a run."""
    reader = RowReader(RUNS_TABLE, row)
    counts = reader.counts("part_counts")
    if len(counts) != len(TABLES):
        raise reader.error("part_counts")
    return counts


def row_to_input(row: SqlRow) -> InputRecord:
    """Return the input file of a row."""
    reader = RowReader(INPUTS_TABLE, row)
    return InputRecord(
        reader.optional_text("classifier"),
        reader.text("path"),
        reader.text("sha256"),
        reader.optional_integer("row_count"),
    )


def row_to_gate(row: SqlRow) -> GateRecord:
    """Return the gate of a row."""
    reader = RowReader(GATES_TABLE, row)
    return GateRecord(
        classifier=reader.text("classifier"),
        measure=reader.text("measure"),
        class_=reader.optional_text("class"),
        average=reader.optional_text("average"),
        level=reader.text("level"),
        passed=bool(reader.integer("passed")),
        observed=reader.optional_real("observed"),
        criterion=reader.optional_real("criterion"),
        reason=reader.text("reason"),
        kind=reader.text("kind"),
        bound=reader.optional_text("bound"),
        against=reader.optional_text("against"),
        tested=bool(reader.integer("tested")),
    )


def row_to_confusion(row: SqlRow) -> tuple[str, ConfusionCounts]:
    """Return a classifier and its confusion matrix."""
    reader = RowReader(CONFUSIONS_TABLE, row)
    return reader.text("classifier"), reader.matrix("counts")


def rows_to_weights(rows: Sequence[SqlRow]) -> dict[str, float]:
    """Return the case weights by classifier, for those whose confusion matrix has one."""
    weights = {}
    for row in rows:
        reader = RowReader(CONFUSIONS_TABLE, row)
        weight = reader.optional_real("weight")
        if weight is not None and not 0 < weight < math.inf:
            raise reader.error("weight")
        weights[reader.text("classifier")] = weight
    return {name: weight for name, weight in weights.items() if weight is not None}


def row_to_value(row: SqlRow) -> ValueRecord:
    """Return the measure value of a row."""
    from reportgen.evaluation.values import MeasureValue, ValueState

    reader = RowReader(VALUES_TABLE, row)
    try:
        state = ValueState(reader.text("state"))
    except ValueError:
        raise reader.error("state") from None
    number = reader.optional_real("value")
    is_number = number is not None and math.isfinite(number)
    if (state is ValueState.DEFINED) != is_number:
        raise reader.error("value")
    return ValueRecord(
        classifier=reader.text("classifier"),
        class_=reader.optional_text("class"),
        average=reader.optional_text("average"),
        fold=reader.optional_text("fold"),
        measure=reader.text("measure"),
        value=MeasureValue(
            value=number,
            state=state,
            reason=reader.optional_text("reason"),
            low=reader.optional_real("low"),
            high=reader.optional_real("high"),
            method=reader.optional_text("method"),
        ),
    )
