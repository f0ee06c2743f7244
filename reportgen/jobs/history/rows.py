"""Runs as rows of tables and back; every row ends with a checksum of itself.

A database notices a broken structure but not a changed number: a flipped bit in a value would be
read as another value.
"""

from __future__ import annotations

import json
import math
import zlib
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.jobs.history.record import (
    SINCE_LAST,
    GateRecord,
    InputRecord,
    RunRecord,
    RunState,
    ScoreRecord,
)
from reportgen.jobs.history.tables import CONFUSIONS, GATES, INPUTS, RUNS, SCORES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from reportgen.jobs.history.record import Confusion
    from reportgen.jobs.history.tables import Table

Value = str | int | float | None
Row = tuple[Value, ...]


class DamagedError(Exception):
    """What was read is not what was written."""


def cleaned(value: Value) -> Value:
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


def sealed(table: Table, values: Iterable[Value]) -> Row:
    """Return a row with its checksum."""
    row = tuple(map(cleaned, values))
    return (*row, _crc(table, row))


def unsealed(table: Table, rows: Iterable[Sequence[Value]]) -> list[Row]:
    """Return rows without their checksums, if these are right."""
    found = [tuple(row) for row in rows]
    for row in found:
        if not _is_whole(table, row):
            raise DamagedError(f"a row of the table {table.name} is not as it was written")
    return [row[:-1] for row in found]


def head_row(record: RunRecord) -> Row:
    """Return the row of a run in the table of runs."""
    overall = sum(score.fold is None for score in record.scores)
    parts = (record.inputs, record.gates, record.confusion, record.scores)
    return sealed(
        RUNS,
        (
            *(record.id, record.name, record.spec, record.output, record.title, record.version),
            *(moment(record.started), moment(record.ended)),
            *(record.state.value, int(record.exit_code)),
            *(record.data, record.manifest, int(record.published), record.level),
            *map(listed, (record.classes, record.findings, record.warnings, record.faults)),
            listed([*map(len, parts), overall]),
            *(record.positive, None if record.is_final is None else int(record.is_final)),
        ),
    )


def altered(head: Row, **changes: Value) -> Row:
    """Return the row of a run with some of its columns changed, with its new checksum."""
    return sealed(RUNS, {**dict(zip(RUNS.columns, head, strict=True)), **changes}.values())


def input_rows(record: RunRecord) -> list[Row]:
    """Return the rows of the files that were read."""
    return [
        sealed(
            INPUTS, (record.id, place, each.classifier, each.path, each.sha256, _whole(each.rows))
        )
        for place, each in enumerate(record.inputs)
    ]


def gate_rows(record: RunRecord) -> list[Row]:
    """Return the rows of the gates."""
    return [
        sealed(
            GATES,
            (
                *(record.id, place, gate.classifier, gate.measure, gate.class_, gate.average),
                *(gate.level, int(gate.passed)),
                *(_number(gate.found), _number(gate.wanted), gate.why),
                *(gate.kind, gate.bound, gate.against, int(gate.tested)),
            ),
        )
        for place, gate in enumerate(record.gates)
    ]


def confusion_rows(record: RunRecord) -> list[Row]:
    """Return the rows of the confusion matrices."""
    return [
        sealed(
            CONFUSIONS,
            (
                *(record.id, place, name),
                json.dumps([[int(cell) for cell in row] for row in matrix]),
                _number(record.weights.get(name)),
            ),
        )
        for place, (name, matrix) in enumerate(record.confusion.items())
    ]


def score_rows(record: RunRecord) -> list[Row]:
    """Return the rows of the scores."""
    return [
        sealed(
            SCORES,
            (
                *(record.id, place, each.classifier, each.class_, each.average, each.fold),
                *(each.measure, _number(each.score.value), each.score.state.value),
                *(each.score.reason, _number(each.score.low), _number(each.score.high)),
                each.score.interval,
            ),
        )
        for place, each in enumerate(record.scores)
    ]


def head_of(row: Row) -> RunRecord:
    """Return a run as far as the table of runs knows it."""
    given = dict(zip(RUNS.columns, row, strict=True))
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
        data=known["data"],
        manifest=known["manifest"],
        published=known["published"] == "1",
        level=_number(given["level"]),
        classes=tuple(json.loads(known["classes"])),
        positive=_text(given["positive"]),
        findings=tuple(json.loads(known["findings"])),
        warnings=tuple(json.loads(known["warnings"])),
        faults=tuple(json.loads(known["faults"])),
        is_final=None if given["final"] is None else bool(given["final"]),
    )


def parts_of(head: Row) -> list[int]:
    """Return how many inputs, gates, matrices, scores, and scores over all folds a run has."""
    contents = head[RUNS.columns.index("contents")]
    return [int(number) for number in json.loads(str(contents))]


def input_of(row: Row) -> InputRecord:
    """Return a file that was read."""
    _, _, classifier, path, sha256, rows = row
    return InputRecord(
        _text(classifier), str(path), str(sha256), rows if type(rows) is int else None
    )


def gate_of(row: Row) -> GateRecord:
    """Return a gate."""
    _, _, classifier, measure, class_, average, level, passed, found, wanted, *rest = row
    why, kind, bound, against, tested = rest
    # Before it was written down, only what had no earlier run to be worse than passed untested.
    was_first = bool(passed) and kind == SINCE_LAST and against is None
    return GateRecord(
        classifier=str(classifier),
        measure=str(measure),
        class_=_text(class_),
        average=_text(average),
        level=str(level),
        passed=bool(passed),
        found=_number(found),
        wanted=_number(wanted),
        why=str(why),
        kind=str(kind),
        bound=_text(bound),
        against=_text(against),
        tested=not was_first if tested is None else bool(tested),
    )


def confusion_of(row: Row) -> tuple[str, Confusion]:
    """Return a classifier and its confusion matrix."""
    _, _, classifier, counts, _ = row
    return str(classifier), tuple(tuple(line) for line in json.loads(str(counts)))


def weights_of(rows: Iterable[Row]) -> dict[str, float]:
    """Return the weights of the classifiers whose matrices came with one."""
    known = ((str(classifier), _number(weight)) for _, _, classifier, _, weight in rows)
    return {classifier: weight for classifier, weight in known if weight is not None}


def score_of(row: Row) -> ScoreRecord:
    """Return a score."""
    from reportgen.scores import Score, State

    _, _, classifier, class_, average, fold, measure, value, state, *rest = row
    reason, low, high, interval = rest
    return ScoreRecord(
        classifier=str(classifier),
        class_=_text(class_),
        average=_text(average),
        fold=_text(fold),
        measure=str(measure),
        score=Score(
            value=_number(value),
            state=State(str(state)),
            reason=_text(reason),
            low=_number(low),
            high=_number(high),
            interval=_text(interval),
        ),
    )


def moment(when: datetime) -> str:
    """Return a moment as text that sorts by time."""
    return when.astimezone(UTC).isoformat(timespec="microseconds")


def listed(values: Sequence[str] | Sequence[int]) -> str:
    """Return several values as the text of one column."""
    return json.dumps([cleaned(value) for value in values], ensure_ascii=False)


def _crc(table: Table, row: Sequence[Value]) -> int:
    first = len(table.columns) - table.later
    written = row if any(value is not None for value in row[first:]) else row[:first]
    return zlib.crc32(json.dumps(written).encode("ascii"))


def _is_whole(table: Table, row: Row) -> bool:
    try:
        return _crc(table, row[:-1]) == row[-1]
    except TypeError:
        # A flipped bit can turn text into bytes.
        return False


def _text(value: Value) -> str | None:
    return None if value is None else str(value)


def _number(value: Value) -> float | None:
    return None if value is None else float(value)


def _whole(value: int | None) -> int | None:
    return None if value is None else int(value)
