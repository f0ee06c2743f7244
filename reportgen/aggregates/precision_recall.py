"""Covariances of areas under precision-recall curves, from the influence of every case.

The influence function of average precision and of the interpolated area is in
`reportgen.statistics.auc`; prevalence is sampled with the cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.curves import cumulate_counts
from reportgen.measures.ranking import AVERAGE_PRECISION, PR_AUC
from reportgen.statistics.auc import (
    CurveArea,
    ScoreCounts,
    pr_area_influence,
    sum_influence_powers,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
    from reportgen.statistics import FloatArray

PR_COVARIANCE_SCHEMA = pl.Schema(
    {
        "measure": pl.String,
        "first": pl.String,
        "second": pl.String,
        "class": pl.String,
        "average": pl.String,
        "covariance": pl.Float64,
        "quartic_sum": pl.Float64,
    }
)
AREA_KINDS = {
    AVERAGE_PRECISION.name: CurveArea.AVERAGE_PRECISION,
    PR_AUC.name: CurveArea.INTERPOLATED_PR,
}


@dataclass(frozen=True, slots=True)
class PrCovariances:
    """Covariances of average precision and of PR areas, by two classifiers, class and average.

    Class null and average null is the positive class. `quartic_sum` is the sum over the cases of
    the fourth power of the influence or, for two classifiers, of the difference of their
    influences: degrees of freedom of the variance follow from it.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != PR_COVARIANCE_SCHEMA:
            message = f"PR covariances need {PR_COVARIANCE_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    def covariance(
        self,
        measure: str,
        classifiers: tuple[str, str],
        class_: str | None,
        average: str | None = None,
    ) -> tuple[float, float] | None:
        """Return covariance and quartic sum of two classifiers (or of one, named twice)."""
        rows = self.frame.filter(
            pl.col("measure") == measure,
            pl.col("first").is_in(classifiers),
            pl.col("second").is_in(classifiers),
            (pl.col("first") == pl.col("second")) == (classifiers[0] == classifiers[1]),
            pl.col("class").eq_missing(pl.lit(class_, pl.String)),
            pl.col("average").eq_missing(pl.lit(average, pl.String)),
        )
        return rows.select("covariance", "quartic_sum").row(0) if rows.height == 1 else None


_Row = tuple["str | float | None", ...]
_Influences = list["FloatArray"]


def pr_covariances(
    cases: ScoredCases,
    curves: ScoreCurves | None = None,
    measures: Collection[str] = tuple(AREA_KINDS),
) -> PrCovariances:
    """Return the covariances of the areas of every class, and of their averages.

    For a single curve the variance is computed from the counts per distinct score, if given.
    """
    areas = {measure: area for measure, area in AREA_KINDS.items() if measure in measures}
    names = [scores.classifier for scores in cases.classifiers]
    rows: list[_Row] = []
    if curves is not None and len(names) == len(cases.ranked_classes) == 1:
        rows += single_pr_variance_rows(names[0], cases.ranked_classes[0], curves, areas)
        return build_pr_covariances(rows)
    for measure, area in areas.items():
        for class_, average, influences in iter_pr_influences(cases, area):
            rows += pr_covariance_rows((measure, class_, average), names, influences, cases.counts)
    return build_pr_covariances(rows)


def pr_covariance_rows(
    key: tuple[str, str | None, str | None],
    names: Sequence[str],
    influences: _Influences,
    counts: FloatArray | None,
) -> Iterator[_Row]:
    """Yield the covariances of every two classifiers in a measure, class and average."""
    measure, class_, average = key
    counts = np.ones(len(influences[0])) if counts is None else counts
    size = round(float(counts.sum()))
    bessel = size / (size - 1) if size > 1 else np.nan
    for first, second in combinations_with_replacement(range(len(names)), 2):
        one, other = influences[first], influences[second]
        covariance = float((counts * one * other).sum()) * bessel
        moved = one if first == second else one - other
        quartic = float((counts * moved**4).sum())
        yield measure, names[first], names[second], class_, average, covariance, quartic


def build_pr_covariances(rows: Sequence[_Row]) -> PrCovariances:
    """Return the covariances of rows in the order of the schema."""
    return PrCovariances(pl.DataFrame(rows, PR_COVARIANCE_SCHEMA, orient="row"))


def single_pr_variance_rows(
    classifier: str, class_: str, curves: ScoreCurves, areas: Mapping[str, CurveArea]
) -> Iterator[_Row]:
    """Yield the variances of one curve, from its counts per distinct score."""
    steps = curves.cumulative_counts(classifier, class_)
    if steps is None or not (steps.positives and steps.negatives):
        return
    cases = steps.positives + steps.negatives
    for measure, area in areas.items():
        squares, quartic = sum_influence_powers(steps.tp, steps.fp, area, (2, 4))
        variance = squares * cases / (cases - 1)
        for target in (class_, None):
            yield measure, classifier, classifier, target, None, variance, quartic


def _score_counts(cumulative: CumulativeCounts) -> ScoreCounts:
    return ScoreCounts(*cumulative.increments(slice(0, len(cumulative.tp))))


def iter_pr_influences(
    cases: ScoredCases, area: CurveArea
) -> Iterator[tuple[str | None, str | None, _Influences]]:
    """Yield class, average, and the influence of each case by classifier."""
    sizes = dict(zip(cases.classes, cases.class_sizes.tolist(), strict=True))
    is_multiclass = len(cases.ranked_classes) > 1
    defined_classes = [class_ for class_ in cases.ranked_classes if 0 < sizes[class_] < cases.size]
    macro = [np.zeros(len(cases.truth)) for _ in cases.classifiers]
    weighted = [np.zeros(len(cases.truth)) for _ in cases.classifiers]
    for class_ in defined_classes:
        is_positive = cases.is_class(class_)
        areas_and_influences = [
            _case_influence(cases, scores, class_, is_positive, area)
            for scores in cases.classifiers
        ]
        own = [influence for _, influence in areas_and_influences]
        yield class_, None, own
        if not is_multiclass:
            yield None, None, own
        share = sizes[class_] / cases.size
        for index, (value, influence) in enumerate(areas_and_influences):
            macro[index] += influence / len(defined_classes)
            # One more case of a class also adds to the weight of that class.
            weighted[index] += share * influence + value * (is_positive - share) / cases.size
    if is_multiclass and defined_classes:
        yield None, "macro", macro
        yield None, "weighted", weighted


def _case_influence(
    cases: ScoredCases,
    classifier_scores: ClassifierScores,
    class_: str,
    is_positive: npt.NDArray[np.bool_],
    area: CurveArea,
) -> tuple[float, FloatArray]:
    """Return the area of a class, and the influence of each case on it."""
    scores = classifier_scores.ranking_scores[:, cases.ranked_classes.index(class_)]
    steps = cumulate_counts(scores, is_positive, cases.counts)
    score_counts = _score_counts(steps)
    influence = pr_area_influence(score_counts, area)
    place = np.searchsorted(-steps.threshold, -scores)
    by_case = np.where(is_positive, influence.of_positives[place], influence.of_negatives[place])
    return influence.value, by_case
