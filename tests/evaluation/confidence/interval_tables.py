"""Scores with their intervals, as short to ask for as on paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.values import compute_count_values
from reportgen.measures import MEASURE_REGISTRY, Measure, find_measure
from reportgen.measures.measure import (
    DeltaMethod,
    ProductOfProportions,
    Proportion,
    SumOfProportions,
    TransformedWilson,
)
from reportgen.spec.inference import IntervalSettings
from tests.tables import POSITIVE, Counts, binary_tallies, matrix_tallies

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.evaluation.values import MeasureValue
    from tests.tables import Matrix, ScoreKey

COUNT_KINDS = (
    Proportion,
    SumOfProportions,
    ProductOfProportions,
    TransformedWilson,
    DeltaMethod,
)
WITH_INTERVAL = tuple(
    measure
    for measure in MEASURE_REGISTRY.values()
    if isinstance(measure.interval, COUNT_KINDS) and measure.applies_to("binary")
)
RECOMMENDED = IntervalSettings()


def measures_named(*names: str) -> tuple[Measure, ...]:
    """Return measures by name."""
    measures = [find_measure(name) for name in names]
    return tuple(measure for measure in measures if measure is not None)


def intervals_of(
    tally: ConfusionCounts,
    measures: Sequence[Measure] = WITH_INTERVAL,
    settings: IntervalSettings = RECOMMENDED,
    *,
    positive: str | None = POSITIVE,
    weight: float = 1.0,
) -> dict[ScoreKey, MeasureValue]:
    """Return the scores of a tally with intervals, by key."""
    scores = compute_count_values(tally, measures, positive)
    weights = dict.fromkeys(tally.frame["classifier"], weight)
    measure_values = add_confidence_intervals(
        scores, tally, None, settings, positive=positive, weights=weights
    )
    return measure_values.by_key()


def interval(
    measure: str, counts: Counts, settings: IntervalSettings = RECOMMENDED, *, weight: float = 1.0
) -> MeasureValue:
    """Return a score of the positive class of one table (tp, fn, fp, tn)."""
    tally = binary_tallies({"A": counts})
    intervals = intervals_of(tally, measures_named(measure), settings, weight=weight)
    return intervals["A", None, None, find_measure_name(measure)]


def find_measure_name(name: str) -> str:
    """Return the catalogue's name of a measure that may be named by an alias."""
    (measure,) = measures_named(name)
    return measure.name


def matrix_intervals(
    matrices: Mapping[str, Matrix],
    measures: Sequence[Measure],
    settings: IntervalSettings = RECOMMENDED,
    *,
    weight: float = 1.0,
) -> dict[ScoreKey, MeasureValue]:
    """Return the scores of matrices of several classes a, b, c, … with intervals, by key."""
    size = len(next(iter(matrices.values())))
    tally = matrix_tallies(matrices, tuple("abcdefgh"[:size]))
    return intervals_of(tally, measures, settings, positive=None, weight=weight)
