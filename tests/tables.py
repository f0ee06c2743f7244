"""Confusion tables and their scores, as short to write as on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema
from reportgen.evaluation.values import compute_count_values
from reportgen.measures import MEASURE_REGISTRY, SCORE_FAMILIES, Measure, find_measure

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.evaluation.values import MeasureValue

# tp, fn, fp, tn
Counts: TypeAlias = tuple[int, int, int, int]
Matrix: TypeAlias = "Sequence[Sequence[int]]"
ScoreKey: TypeAlias = tuple[str, str | None, str | None, str]

POSITIVE, NEGATIVE = "positive", "negative"
CLASS_MEASURES = tuple(
    measure for measure in MEASURE_REGISTRY.values() if measure.applies_to("binary")
)
SCORE_MEASURES = tuple(measure for measure in CLASS_MEASURES if measure.family in SCORE_FAMILIES)
COUNT_MEASURES = tuple(measure for measure in CLASS_MEASURES if measure not in SCORE_MEASURES)
REGRESSION_MEASURES = tuple(
    measure for measure in MEASURE_REGISTRY.values() if measure.applies_to("regression")
)


def tally(*, tp: int, fn: int, fp: int, tn: int) -> ConfusionCounts:
    """Return the tally of one binary classifier, A."""
    return binary_tallies({"A": (tp, fn, fp, tn)})


def binary_tallies(tables: Mapping[str, Counts]) -> ConfusionCounts:
    """Return the tally of binary classifiers by name."""
    matrices = {name: ((tp, fn), (fp, tn)) for name, (tp, fn, fp, tn) in tables.items()}
    return matrix_tallies(matrices, (POSITIVE, NEGATIVE))


def matrix_tallies(matrices: Mapping[str, Matrix], classes: tuple[str, ...]) -> ConfusionCounts:
    """Return the tally of confusion matrices by classifier; rows true, columns predicted."""
    rows = [
        (name, None, truth, prediction, count)
        for name, matrix in matrices.items()
        for truth, row in zip(classes, matrix, strict=True)
        for prediction, count in zip(classes, row, strict=True)
    ]
    frame = pl.DataFrame(rows, schema=confusion_schema(classes), orient="row")
    return ConfusionCounts(frame, classes)


def fold_tallies(tables: Mapping[str, Counts]) -> ConfusionCounts:
    """Return the tally of binary classifier A in folds by name, and of all folds together."""
    tp, fn, fp, tn = (sum(column) for column in zip(*tables.values(), strict=True))
    of_folds = [(None, (tp, fn, fp, tn)), *tables.items()]
    frames = [
        binary_tallies({"A": counts}).frame.with_columns(fold=pl.lit(fold, pl.String))
        for fold, counts in of_folds
    ]
    return ConfusionCounts(pl.concat(frames), (POSITIVE, NEGATIVE))


def score(measure: Measure | str, counted: ConfusionCounts) -> MeasureValue:
    """Return the score of the positive class of classifier A."""
    result = find_measure(measure) if isinstance(measure, str) else measure
    assert result is not None
    return compute_count_values(counted, [result], POSITIVE).by_key()["A", None, None, result.name]


def value(measure: Measure | str, counted: ConfusionCounts) -> float | None:
    """Return the value of the positive class of classifier A, if it has a finite one."""
    return score(measure, counted).value


def binary_scores(
    tables: Mapping[str, Counts], measures: Sequence[Measure] = COUNT_MEASURES
) -> dict[ScoreKey, MeasureValue]:
    """Return the scores of binary classifiers by key."""
    return compute_count_values(binary_tallies(tables), measures, POSITIVE).by_key()


def matrix_scores(
    matrices: Mapping[str, Matrix], classes: tuple[str, ...]
) -> dict[ScoreKey, MeasureValue]:
    """Return the scores of multiclass classifiers by key."""
    return compute_count_values(matrix_tallies(matrices, classes), COUNT_MEASURES, None).by_key()
