"""How scores are to be read: as probabilities, or only as an order of the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.predictions.model import ScoreReading
from reportgen.predictions.table import counted_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.spec import Task

# Of numbers that only rank, more than so few would lie outside 0 to 1.
_FEW = 0.05


def score_readings(task: Task, cases: Sequence[Cases]) -> dict[str, ScoreReading]:
    """Return how the scores of each classifier that has any are to be read."""
    found = {each.classifier: _reading(task, each) for each in cases}
    return {name: reading for name, reading in found.items() if reading is not None}


def _reading(task: Task, cases: Cases) -> ScoreReading | None:
    """Return how the scores of a classifier are to be read, if it has any."""
    data, name = cases.data, cases.classifier
    if data.probabilities is not None:
        return ScoreReading(name, data.probabilities, "probability", told=True)
    if data.score is None or task.kind != "binary":
        return None
    if data.score_kind is not None:
        return ScoreReading(name, data.score, data.score_kind, told=True)
    low, high = cases.score_range
    kind: Literal["probability", "ranking"] = "probability" if 0 <= low <= high <= 1 else "ranking"
    return ScoreReading(name, data.score, kind, told=False)


def reading_warnings(task: Task, cases: Sequence[Cases]) -> list[str]:
    """Return where a few scores alone keep the others from being read as probabilities."""
    return [
        warning
        for each in cases
        if (reading := _reading(task, each)) is not None
        and reading.kind == "ranking"
        and not reading.told
        and (warning := _few_outside(each)) is not None
    ]


def _few_outside(cases: Cases) -> str | None:
    outside = cases.located().filter(~pl.col("score").is_between(0, 1))
    number, every = counted_rows(outside), cases.size
    if number >= _FEW * every:
        return None
    file, row, score = outside.select("file", "row", "score").row(0)
    verb = "lies" if number == 1 else "lie"
    return (
        f"`{cases.classifier}`: {number} of {every} scores {verb} outside 0 to 1"
        f" ({cases.told_place(file, row)}: {score:g}), so they are read as a ranking, not as"
        f" probabilities; mend {'it' if number == 1 else 'them'}, or write"
        ' `score_kind = "ranking"` if only their order counts'
    )
