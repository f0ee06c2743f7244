"""The tables of a history: one definition for SQLite and PostgreSQL."""

from __future__ import annotations

import json
import math
import zlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.jobs.history.record import (
    NOT_WORSE_THAN_LAST,
    GateRecord,
    InputRecord,
    RunRecord,
    RunState,
    ValueRecord,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reportgen.jobs.history.record import ConfusionCounts


@dataclass(frozen=True, slots=True)
class SqlDialect:
    """What the two databases spell differently."""

    integer: str
    real: str
    # Text that is sorted and looked up, by its bytes in both.
    key: str
    options: str
    compact: str
    lock: str

    def render(self, template: str) -> str:
        """Return a statement of a migration as this database spells it."""
        return template.format(
            integer=self.integer,
            real=self.real,
            key=self.key,
            options=self.options,
            compact=self.compact,
        )


SQLITE_DIALECT = SqlDialect(
    integer="INTEGER",
    real="REAL",
    key="TEXT",
    options=" STRICT",
    compact=" STRICT, WITHOUT ROWID",
    lock="",
)
POSTGRES_DIALECT = SqlDialect(
    integer="BIGINT",
    real="DOUBLE PRECISION",
    key='TEXT COLLATE "C"',
    options="",
    compact="",
    lock=" FOR UPDATE",
)


@dataclass(frozen=True, slots=True)
class SqlTable:
    """A table with its columns, without the checksum that ends every row.

    The last of them, as many as `later`, came with later versions: where rows of before have
    nothing in any of these, their checksum is that of the columns before them.
    """

    name: str
    columns: tuple[str, ...]
    added_columns: int = 0

    @property
    def insert(self) -> str:
        """The statement that adds a row."""
        marks = ", ".join("?" * (len(self.columns) + 1))
        return f"INSERT INTO {self.name} ({self._column_list}) VALUES ({marks})"  # noqa: S608  # names of ours

    def select(self, condition: str) -> str:
        """Return the query for whole rows."""
        return f"SELECT {self._column_list} FROM {self.name} {condition}"  # noqa: S608  # names of ours

    @property
    def _column_list(self) -> str:
        return ", ".join((*self.columns, "crc"))


RUNS_TABLE = SqlTable(
    "runs",
    (
        *("id", "name", "spec", "output", "title", "version", "started", "ended"),
        *("state", "exit_code", "data", "manifest", "published", "level"),
        *("classes", "findings", "warnings", "faults", "contents"),
        *("positive", "final"),
    ),
    added_columns=2,
)
INPUTS_TABLE = SqlTable("inputs", ("run", "place", "classifier", "path", "sha256", "rows"))
GATES_TABLE = SqlTable(
    "gates",
    (
        *("run", "place", "classifier", "measure", "class", "average"),
        *("level", "passed", "found", "wanted", "why", "kind", "bound", "against"),
        "tested",
    ),
    added_columns=1,
)
CONFUSIONS_TABLE = SqlTable(
    "confusions", ("run", "place", "classifier", "counts", "weight"), added_columns=1
)
VALUES_TABLE = SqlTable(
    "scores",
    (
        *("run", "place", "classifier", "class", "average", "fold", "measure"),
        *("value", "state", "reason", "low", "high", "interval"),
    ),
)

# What a published version has made is never changed here, only added to: each entry brings a
# history from one version to the next.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """
CREATE TABLE runs (
    id {key} NOT NULL PRIMARY KEY,
    name {key} NOT NULL,
    spec TEXT NOT NULL,
    output TEXT NOT NULL,
    title TEXT NOT NULL,
    version TEXT NOT NULL,
    started {key} NOT NULL,
    ended TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('begun', 'written', 'failed', 'interrupted')),
    exit_code {integer} NOT NULL,
    data TEXT NOT NULL,
    manifest TEXT NOT NULL,
    published {integer} NOT NULL CHECK (published IN (0, 1)),
    level {real},
    classes TEXT NOT NULL,
    findings TEXT NOT NULL,
    warnings TEXT NOT NULL,
    faults TEXT NOT NULL,
    contents TEXT NOT NULL,
    crc {integer} NOT NULL
){options}
""",
        "CREATE INDEX runs_by_name ON runs (name, started, id)",
        "CREATE INDEX runs_by_time ON runs (started, id)",
        """
CREATE TABLE inputs (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT,
    path TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    rows {integer},
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){compact}
""",
        """
CREATE TABLE gates (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT NOT NULL,
    measure TEXT NOT NULL,
    class TEXT,
    average TEXT,
    level TEXT NOT NULL,
    passed {integer} NOT NULL CHECK (passed IN (0, 1)),
    found {real},
    wanted {real},
    why TEXT NOT NULL,
    kind TEXT NOT NULL,
    bound TEXT,
    against TEXT,
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){compact}
""",
        """
CREATE TABLE confusions (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT NOT NULL,
    counts TEXT NOT NULL,
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){options}
""",
        """
CREATE TABLE scores (
    run {key} NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    place {integer} NOT NULL,
    classifier TEXT NOT NULL,
    class TEXT,
    average TEXT,
    fold TEXT,
    measure TEXT NOT NULL,
    value {real},
    state TEXT NOT NULL CHECK (state IN ('defined', 'infinite', 'undefined')),
    reason TEXT,
    low {real},
    high {real},
    interval TEXT,
    crc {integer} NOT NULL,
    PRIMARY KEY (run, place)
){compact}
""",
    ),
    (
        "ALTER TABLE runs ADD COLUMN positive TEXT",
        "ALTER TABLE runs ADD COLUMN final {integer} CHECK (final IN (0, 1))",
        "ALTER TABLE gates ADD COLUMN tested {integer} CHECK (tested IN (0, 1))",
        "ALTER TABLE confusions ADD COLUMN weight {real}",
    ),
)
SCHEMA_VERSION = len(MIGRATIONS)


# Runs as rows of tables and back; every row ends with a checksum of itself.
#
# A database notices a broken structure but not a changed number: a flipped bit in a value would be
# read as another value.

SqlValue = str | int | float | None
SqlRow = tuple[SqlValue, ...]


class CorruptHistoryError(Exception):
    """What was read is not what was written."""


def sanitize_value(value: SqlValue) -> SqlValue:
    """Return a value as every database can keep it.

    PostgreSQL knows no NUL in text and neither database half a surrogate pair, as in the name of a
    file that is no UTF-8; SQLite knows neither NaN nor a negative zero.
    """
    if isinstance(value, str):
        whole = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
        # Most text is ASCII, and there is much of it.
        if whole.isascii():
            return whole
        return whole.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, float):
        return None if math.isnan(value) else float(value) + 0.0
    return value


def with_checksum(table: SqlTable, values: Iterable[SqlValue]) -> SqlRow:
    """Return a row with its checksum."""
    row = tuple(map(sanitize_value, values))
    return (*row, _checksum(table, row))


def verify_checksums(table: SqlTable, rows: Iterable[Sequence[SqlValue]]) -> list[SqlRow]:
    """Return rows without their checksums, if these are right."""
    found = [tuple(row) for row in rows]
    for row in found:
        if not _checksum_matches(table, row):
            raise CorruptHistoryError(f"a row of the table {table.name} is not as it was written")
    return [row[:-1] for row in found]


def run_to_row(record: RunRecord) -> SqlRow:
    """Return the row of a run in the table of runs."""
    overall = sum(score.fold is None for score in record.values)
    parts = (record.inputs, record.gates, record.confusion, record.values)
    return with_checksum(
        RUNS_TABLE,
        (
            *(record.id, record.name, record.spec, record.output, record.title, record.version),
            *(format_timestamp(record.started), format_timestamp(record.ended)),
            *(record.state.value, int(record.exit_code)),
            *(record.data_fingerprint, record.manifest_sha256, int(record.published), record.level),
            *map(encode_list, (record.classes, record.findings, record.warnings, record.errors)),
            encode_list([*map(len, parts), overall]),
            *(record.positive, None if record.is_final is None else int(record.is_final)),
        ),
    )


def update_run_row(row: SqlRow, **changes: SqlValue) -> SqlRow:
    """Return the row of a run with some of its columns changed, with its new checksum."""
    return with_checksum(
        RUNS_TABLE, {**dict(zip(RUNS_TABLE.columns, row, strict=True)), **changes}.values()
    )


def inputs_to_rows(record: RunRecord) -> list[SqlRow]:
    """Return the rows of the files that were read."""
    return [
        with_checksum(
            INPUTS_TABLE,
            (record.id, place, each.classifier, each.path, each.sha256, _optional_int(each.rows)),
        )
        for place, each in enumerate(record.inputs)
    ]


def gates_to_rows(record: RunRecord) -> list[SqlRow]:
    """Return the rows of the gates."""
    return [
        with_checksum(
            GATES_TABLE,
            (
                *(record.id, place, gate.classifier, gate.measure, gate.class_, gate.average),
                *(gate.level, int(gate.passed)),
                *(_optional_float(gate.observed), _optional_float(gate.criterion), gate.reason),
                *(gate.kind, gate.bound, gate.against, int(gate.tested)),
            ),
        )
        for place, gate in enumerate(record.gates)
    ]


def confusions_to_rows(record: RunRecord) -> list[SqlRow]:
    """Return the rows of the confusion matrices."""
    return [
        with_checksum(
            CONFUSIONS_TABLE,
            (
                *(record.id, place, name),
                json.dumps([[int(cell) for cell in row] for row in matrix]),
                _optional_float(record.weights.get(name)),
            ),
        )
        for place, (name, matrix) in enumerate(record.confusion.items())
    ]


def values_to_rows(record: RunRecord) -> list[SqlRow]:
    """Return the rows of the scores."""
    return [
        with_checksum(
            VALUES_TABLE,
            (
                *(record.id, place, each.classifier, each.class_, each.average, each.fold),
                *(each.measure, _optional_float(each.value.value), each.value.state.value),
                *(
                    each.value.reason,
                    _optional_float(each.value.low),
                    _optional_float(each.value.high),
                ),
                each.value.method,
            ),
        )
        for place, each in enumerate(record.values)
    ]


def row_to_run(row: SqlRow) -> RunRecord:
    """Return a run as far as the table of runs knows it."""
    given = dict(zip(RUNS_TABLE.columns, row, strict=True))
    known = {column: str(value) for column, value in given.items()}
    return RunRecord(
        id=known["id"],
        name=known["name"],
        spec=known["spec"],
        output=known["output"],
        title=known["title"],
        version=known["version"],
        started=datetime.fromisoformat(known["started"]),
        ended=datetime.fromisoformat(known["ended"]),
        state=RunState(known["state"]),
        exit_code=int(known["exit_code"]),
        data_fingerprint=known["data"],
        manifest_sha256=known["manifest"],
        published=known["published"] == "1",
        level=_optional_float(given["level"]),
        classes=tuple(json.loads(known["classes"])),
        positive=_optional_text(given["positive"]),
        findings=tuple(json.loads(known["findings"])),
        warnings=tuple(json.loads(known["warnings"])),
        errors=tuple(json.loads(known["faults"])),
        is_final=None if given["final"] is None else bool(given["final"]),
    )


def part_counts(row: SqlRow) -> list[int]:
    """Return how many inputs, gates, matrices, scores, and scores over all folds a run has."""
    contents = row[RUNS_TABLE.columns.index("contents")]
    return [int(number) for number in json.loads(str(contents))]


def row_to_input(row: SqlRow) -> InputRecord:
    """Return a file that was read."""
    _, _, classifier, path, sha256, rows = row
    return InputRecord(
        _optional_text(classifier), str(path), str(sha256), rows if type(rows) is int else None
    )


def row_to_gate(row: SqlRow) -> GateRecord:
    """Return a gate."""
    _, _, classifier, measure, class_, average, level, passed, found, wanted, *rest = row
    why, kind, bound, against, tested = rest
    # Before it was written down, only what had no earlier run to be worse than passed untested.
    was_first = bool(passed) and kind == NOT_WORSE_THAN_LAST and against is None
    return GateRecord(
        classifier=str(classifier),
        measure=str(measure),
        class_=_optional_text(class_),
        average=_optional_text(average),
        level=str(level),
        passed=bool(passed),
        observed=_optional_float(found),
        criterion=_optional_float(wanted),
        reason=str(why),
        kind=str(kind),
        bound=_optional_text(bound),
        against=_optional_text(against),
        tested=not was_first if tested is None else bool(tested),
    )


def row_to_confusion(row: SqlRow) -> tuple[str, ConfusionCounts]:
    """Return a classifier and its confusion matrix."""
    _, _, classifier, counts, _ = row
    return str(classifier), tuple(tuple(line) for line in json.loads(str(counts)))


def rows_to_weights(rows: Iterable[SqlRow]) -> dict[str, float]:
    """Return the weights of the classifiers whose matrices came with one."""
    known = ((str(classifier), _optional_float(weight)) for _, _, classifier, _, weight in rows)
    return {classifier: weight for classifier, weight in known if weight is not None}


def row_to_value(row: SqlRow) -> ValueRecord:
    """Return a score."""
    from reportgen.evaluation.values import MeasureValue, ValueState

    _, _, classifier, class_, average, fold, measure, value, state, *rest = row
    reason, low, high, interval = rest
    return ValueRecord(
        classifier=str(classifier),
        class_=_optional_text(class_),
        average=_optional_text(average),
        fold=_optional_text(fold),
        measure=str(measure),
        value=MeasureValue(
            value=_optional_float(value),
            state=ValueState(str(state)),
            reason=_optional_text(reason),
            low=_optional_float(low),
            high=_optional_float(high),
            method=_optional_text(interval),
        ),
    )


def format_timestamp(when: datetime) -> str:
    """Return a moment as text that sorts by time."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def encode_list(values: Sequence[str] | Sequence[int]) -> str:
    """Return several values as the text of one column."""
    return json.dumps([sanitize_value(value) for value in values], ensure_ascii=False)


def _checksum(table: SqlTable, row: Sequence[SqlValue]) -> int:
    first = len(table.columns) - table.added_columns
    written = row if any(value is not None for value in row[first:]) else row[:first]
    return zlib.crc32(json.dumps(written).encode("ascii"))


def _checksum_matches(table: SqlTable, row: SqlRow) -> bool:
    try:
        return _checksum(table, row[:-1]) == row[-1]
    except TypeError:
        # A flipped bit can turn text into bytes.
        return False


def _optional_text(value: SqlValue) -> str | None:
    return None if value is None else str(value)


def _optional_float(value: SqlValue) -> float | None:
    return None if value is None else float(value)


def _optional_int(value: int | None) -> int | None:
    return None if value is None else int(value)
