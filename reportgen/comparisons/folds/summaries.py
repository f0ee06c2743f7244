"""Mean and variance of a measure over the folds of cross-validation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.folds.design import fold_design, fold_sizes
from reportgen.frozen import frozen
from reportgen.measures import find_measure
from reportgen.scores import State
from reportgen.statistics.fold_tests import ROUNDING, critical_t

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.predictions import Predictions
    from reportgen.scores import Scores
    from reportgen.spec import Spec


@frozen
class FoldSummary:
    """What the folds say together; over the folds where the measure has a finite value."""

    classifier: str
    class_: str | None
    average: str | None
    measure: str
    k: int
    mean: float | None
    variance: float | None
    variance_of_mean: float | None
    undefined_folds: int
    low: float | None = None
    high: float | None = None

    @property
    def is_of_whole(self) -> bool:
        """Tell whether it is of the classifier as a whole: of no class, and no average."""
        return self.class_ is None and self.average is None


def summarise_folds(
    scores: Scores, level: float = 0.95, ratios: Mapping[str, float | None] | None = None
) -> tuple[FoldSummary, ...]:
    """Return mean, variance and limits of the mean of every score that exists per fold.

    `ratios` are those of test to training cases by classifier, by default 1/(k − 1), as in
    cross-validation; without one there are no limits.
    """
    # Lists, because sums over groups depend in their last digit on the number of threads.
    finite, used = pl.col("finite"), pl.col("finite").list.len()
    variance = finite.list.var(ddof=1)
    summaries = (
        scores.frame.filter(pl.col("fold").is_not_null())
        .group_by("classifier", "class", "average", "measure", maintain_order=True)
        .agg(k=pl.len(), finite=pl.col("value").filter(pl.col("state") == State.DEFINED.value))
        .select(
            *("classifier", "class", "average", "measure", "k"),
            mean=finite.list.mean(),
            variance=variance,
            variance_of_mean=variance / used,
            undefined_folds=pl.col("k") - used,
        )
    )
    found = (FoldSummary(*row) for row in summaries.rows())
    return tuple(
        _with_limits(
            summary, level, _usual_ratio(summary) if ratios is None else ratios[summary.classifier]
        )
        for summary in found
    )


def fold_ratios(scores: Scores, spec: Spec, predictions: Predictions) -> dict[str, float | None]:
    """Return test by training cases of every classifier that has folds, as far as it is known."""
    listed = (
        scores.frame.filter(pl.col("fold").is_not_null())
        .group_by("classifier", maintain_order=True)
        .agg(pl.col("fold").unique(maintain_order=True))
    )
    sizes = fold_sizes(predictions)
    return {
        classifier: fold_design(folds, sizes.get(classifier), spec, predictions).ratio
        for classifier, folds in listed.rows()
    }


def _usual_ratio(summary: FoldSummary) -> float | None:
    return 1 / (summary.k - 1) if summary.k > 1 else None


def _with_limits(summary: FoldSummary, level: float, ratio: float | None) -> FoldSummary:
    """Add limits by Student's t with the variance of Nadeau and Bengio, inside the range.

    Folds that do not vary say nothing about how far off their mean may be.
    """
    measure = find_measure(summary.measure)
    used = summary.k - summary.undefined_folds
    if measure is None or ratio is None or summary.mean is None or summary.variance is None:
        return summary
    if math.sqrt(summary.variance) <= ROUNDING * abs(summary.mean):
        return summary
    half = critical_t(used - 1, level) * math.sqrt((1 / used + ratio) * summary.variance)
    low, high = summary.mean - half, summary.mean + half
    least, most = measure.range.low, measure.range.high
    return replace(
        summary,
        low=low if least is None else max(low, least),
        high=high if most is None else min(high, most),
    )
