"""Predictions and scores: one derived from the other, or checked against it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.data_faults import CLASS_UNKNOWN, TOO_MANY_LABELS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.label_places import LabelPlaces
    from reportgen.spec import Task


def derive_predictions(
    task: Task, cases: Sequence[Cases], places: LabelPlaces
) -> tuple[Cases, ...]:
    """Predict the positive class from the threshold on, where a threshold is set."""
    if all(each.data.threshold is None for each in cases):
        return tuple(cases)
    negative = _negative(task, cases, places)
    derived = (
        pl.when("reached")
        .then(pl.lit(task.positive).cast(pl.Categorical))
        .otherwise(pl.lit(negative).cast(pl.Categorical))
    )
    return tuple(
        each
        if each.data.threshold is None
        else replace(
            each,
            frame=_with_reached(each).with_columns(prediction=derived).drop("reached"),
        )
        for each in cases
    )


def _with_reached(cases: Cases) -> pl.DataFrame:
    """Tell whether scores reach the threshold, unless that was told before they were counted."""
    if "reached" in cases.frame:
        return cases.frame
    return cases.frame.with_columns(reached=pl.col("score") >= cases.data.threshold)


def _negative(task: Task, cases: Sequence[Cases], places: LabelPlaces) -> str:
    """Return the class that is not positive."""
    found: set[str] = set()
    for each in cases:
        found |= set(each.labels)
    others = sorted(set(task.classes or found) - {task.positive})
    if len(others) == 1:
        return str(others[0])
    help_text = f'name both classes: `classes = ["{task.positive}", "…"]` under `[task]`'
    if not others:
        message = (
            f"only the label {task.positive!r} occurs, so scores below the threshold have none"
        )
        raise DataError(Fault(CLASS_UNKNOWN, message, places.of_positive(), help_text))
    message = (
        f"a binary task has two labels, but besides {task.positive!r} occur {', '.join(others[:5])}"
    )
    place = places.of_label(others[-1])
    raise DataError(Fault(TOO_MANY_LABELS, message, place, help_text))


def score_warnings(task: Task, cases: Sequence[Cases]) -> list[str]:
    """Return where predictions and scores do not fit together."""
    if task.kind != "binary":
        return []
    return [warning for each in cases if (warning := _score_warning(task, each)) is not None]


def _score_warning(task: Task, cases: Cases) -> str | None:
    frame, name = cases.frame, cases.classifier
    if cases.data.score is None:
        return None
    low, high = cases.score_range
    if cases.size > 1 and low == high:
        return f"`{name}`: all scores are equal"
    if cases.data.threshold is not None:
        other = cases.number_of(pl.col("written") != pl.col("prediction").cast(pl.Categorical))
        said = f"column `{cases.data.prediction}` says otherwise in {other} of {cases.size} rows"
        return f"`{name}`: {said}; the threshold {cases.data.threshold} decides" if other else None
    is_positive = pl.col("prediction") == task.positive
    found = frame.lazy().select(
        positive=pl.when(is_positive).then("score").min(),
        negative=pl.when(~is_positive).then("score").max(),
    )
    positive, negative = found.collect(engine="streaming").row(0)
    if positive is None or negative is None or positive >= negative:
        return None
    return (
        f"`{name}`: predictions contradict the scores: a case with score {negative} is predicted"
        f" negative, one with {positive} positive"
    )
