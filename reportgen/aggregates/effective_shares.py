"""Effective numbers of cases for measures of scores, probabilities and numeric predictions.

An effective share is 1 / design effect: the variance of a value as if cases were independent and
unweighted, divided by the variance over clusters of the summed and weighted influences. For the
area under the ROC curve the latter is that of Obuchowski (1997), Nonparametric analysis of
clustered ROC curve data; for means over cases it is the cluster-robust variance of the mean.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.delong import structural_components
from reportgen.aggregates.precision_recall import AREA_KINDS, iter_pr_influences
from reportgen.aggregates.probabilities import (
    calibration_bin,
    class_proportions,
    compute_losses,
    confidences,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    import numpy.typing as npt

    from reportgen.aggregates.design import LabelDesign, SampleDesign
    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.statistics import FloatArray, IndexArray

SHARE_SCHEMA = pl.Schema(
    {
        "measure": pl.String,
        "class": pl.String,
        "average": pl.String,
        "first": pl.String,
        "second": pl.String,
        "share": pl.Float64,
    }
)
_MEASURE_OF_LOSS = {
    "probability_errors": ("brier",),
    "log_losses": ("log_loss",),
    "rank_probability_errors": ("ranked_probability_score",),
    "information": ("information_score", "relative_information_score"),
}


@dataclass(frozen=True, slots=True)
class EffectiveShares:
    """Effective cases per case by measure, class, average and two classifiers.

    Of a value `first` and `second` are the same classifier; otherwise the share is that of the
    difference of both.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != SHARE_SCHEMA:
            message = f"effective shares need {SHARE_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    def share(
        self, measure: str, classifiers: tuple[str, str], class_: str | None, average: str | None
    ) -> float | None:
        """Return the share of a difference or, for one classifier named twice, of its value."""
        rows = self.frame.filter(
            pl.col("measure") == measure,
            pl.col("class").eq_missing(pl.lit(class_, pl.String)),
            pl.col("average").eq_missing(pl.lit(average, pl.String)),
            pl.col("first").is_in(classifiers) & pl.col("second").is_in(classifiers),
            (pl.col("first") == pl.col("second")) == (classifiers[0] == classifiers[1]),
        )
        return float(rows["share"][0]) if rows.height == 1 else None


def accuracy_shares(labels: LabelDesign, level: float) -> EffectiveShares:
    """Return the effective shares of accuracy, which stand for measures that have none."""
    by_classifier = {
        name: _centre((labels.truth == prediction).astype(np.float64), labels.design)
        for name, prediction in labels.predictions.items()
    }
    return build_shares(
        [_share_rows(("", None, None), by_classifier, labels.design, level, labels.truth)]
    )


def score_shares(cases: ScoredCases, design: SampleDesign, level: float) -> EffectiveShares:
    """Return the effective shares of all measures of scores and probabilities.

    They are those of intervals of a confidence level.
    """
    rows, strata = [_auc_rows(cases, design, level)], cases.truth.astype(np.int64)
    for measure, area in AREA_KINDS.items():
        for class_, average, influences in iter_pr_influences(cases, area):
            names = [scores.classifier for scores in cases.classifiers]
            by_name, key = dict(zip(names, influences, strict=True)), (measure, class_, average)
            rows.append(_share_rows(key, by_name, design, level, strata))
    rows.append(_loss_rows(cases, design, level))
    return build_shares(rows)


def regression_shares(
    frames: Mapping[str, pl.DataFrame], design: SampleDesign, level: float
) -> EffectiveShares:
    """Return the effective shares of the measures of numeric predictions."""
    influences: dict[str, dict[str, FloatArray]] = {
        measure: {} for measure in ("", "rmse", "mae", "r2", "pearson")
    }
    for name, frame in frames.items():
        truth, prediction = frame["truth"].to_numpy(), frame["prediction"].to_numpy()
        error = truth - prediction
        squared = _centre(error**2, design)
        influences[""][name] = influences["rmse"][name] = squared
        influences["mae"][name] = _centre(np.abs(error), design)
        deviation, predicted = _centre(truth, design), _centre(prediction, design)
        weights = design.counts * design.case_weights
        with np.errstate(all="ignore"):
            true_spread, spread = weights @ deviation**2, weights @ predicted**2
            influences["r2"][name] = error**2 / (weights @ error**2) - deviation**2 / true_spread
            x, y = deviation / np.sqrt(true_spread), predicted / np.sqrt(spread)
            r = weights @ (x * y)
            influences["pearson"][name] = x * y - r / 2 * (x * x + y * y)
    return build_shares(
        _share_rows((measure, None, None), by_name, design, level)
        for measure, by_name in influences.items()
    )


_Row = tuple["str | float | None", ...]


def build_shares(rows: Iterable[Iterable[_Row]]) -> EffectiveShares:
    """Return the shares of rows in the order of the schema."""
    return EffectiveShares(
        pl.DataFrame([row for part in rows for row in part], SHARE_SCHEMA, orient="row")
    )


def _centre(values: FloatArray, design: SampleDesign) -> FloatArray:
    """Return the influences of cases on a mean, times the number of cases."""
    weights = design.counts * design.case_weights
    return np.asarray(values - weights @ values / weights.sum())


def _share_rows(
    key: tuple[str, str | None, str | None],
    influences: Mapping[str, FloatArray],
    design: SampleDesign,
    level: float,
    strata: IndexArray | None = None,
) -> Iterator[_Row]:
    influence_matrix = np.column_stack(list(influences.values()))
    # An infinite loss has infinite influences, and no variance.
    with np.errstate(invalid="ignore"):
        covariances = (
            design.covariances(influence_matrix),
            design.independent_covariances(influence_matrix),
        )
    yield from covariance_share_rows(
        key, list(influences), influence_matrix, covariances, design, level, strata
    )


def covariance_share_rows(  # noqa: PLR0913, PLR0917  # what is estimated, and by which cases
    key: tuple[str, str | None, str | None],
    names: list[str],
    influences: FloatArray,
    robust_and_independent: tuple[FloatArray, FloatArray],
    design: SampleDesign,
    level: float,
    strata: IndexArray | None,
) -> Iterator[_Row]:
    """Yield the shares of each classifier and of every two.

    Args:
        key: measure, class and average.
        names: the classifiers.
        influences: the influence of a case of each row (rows × classifiers).
        robust_and_independent: the covariances over the units, and those of independent cases.
        design: clusters and weights of the rows.
        level: the confidence level of intervals.
        strata: what influences differ in size by, such as the true class of each row.
    """
    robust, independent = robust_and_independent

    def share(contrast: FloatArray) -> float:
        with np.errstate(invalid="ignore"):
            variances = (
                float(contrast @ robust @ contrast),
                float(contrast @ independent @ contrast),
            )
            influence = influences @ contrast
        return design.effective_share(influence, variances, level, strata=strata)

    unit = np.eye(len(names))
    for at, name in enumerate(names):
        yield (*key, name, name, share(unit[at]))
    for first, second in combinations(range(len(names)), 2):
        yield (*key, names[first], names[second], share(unit[first] - unit[second]))


def _auc_rows(cases: ScoredCases, design: SampleDesign, level: float) -> Iterator[_Row]:
    names = [scores.classifier for scores in cases.classifiers]
    strata = cases.truth.astype(np.int64)
    for class_, average, bessel, influences in structural_components(cases):
        influence_matrix = np.column_stack(influences)
        scale = np.broadcast_to(np.asarray(bessel), (len(influence_matrix),))
        independent = (influence_matrix * scale[:, None]).T @ influence_matrix
        robust = design.covariances(influence_matrix)
        if class_ is not None or len(cases.ranked_classes) == 1:
            is_positive = cases.is_class(class_ or cases.ranked_classes[0])
            robust = obuchowski_covariances(influence_matrix, is_positive, design)
        yield from covariance_share_rows(
            ("roc_auc", class_, average),
            names,
            influence_matrix,
            (robust, independent),
            design,
            level,
            strata,
        )


def obuchowski_covariances(
    influences: FloatArray, is_positive: npt.NDArray[np.bool_], design: SampleDesign
) -> FloatArray:
    """Return the covariances of areas under ROC curves of clustered cases (Obuchowski 1997).

    The sums of the structural components of a cluster's positives and of its negatives vary over
    the clusters that have such cases, and are correlated where a cluster has both.
    """
    positives, negatives = (
        design.unit_sums(np.where(mask[:, None], influences, 0.0))
        for mask in (is_positive, ~is_positive)
    )
    counts = design.unit_counts
    having = [
        float(counts @ (design.unit_sums(mask[:, None].astype(np.float64))[:, 0] > 0))
        for mask in (is_positive, ~is_positive)
    ]

    def spread(left: FloatArray, right: FloatArray, units: float) -> FloatArray:
        with np.errstate(all="ignore"):
            return np.asarray((left * counts[:, None]).T @ right * (units / (units - 1)))

    both = spread(positives, negatives, float(design.units))
    return (
        spread(positives, positives, having[0])
        + spread(negatives, negatives, having[1])
        + both
        + both.T
    )


def _loss_rows(cases: ScoredCases, design: SampleDesign, level: float) -> Iterator[_Row]:
    priors = class_proportions(cases)
    influences: dict[str, dict[str, FloatArray]] = {}
    for scores in cases.classifiers:
        if scores.probabilities is None:
            continue
        everything = slice(0, len(cases.truth))
        losses = compute_losses(cases, scores, priors, everything)
        for loss, measures in _MEASURE_OF_LOSS.items():
            for measure in measures:
                by_name = influences.setdefault(measure, {})
                with np.errstate(invalid="ignore"):
                    by_name[scores.classifier] = _centre(losses[loss], design)
        confidence, hit = confidences(cases, scores, everything)
        gaps, bins = confidence - hit, calibration_bin(confidence)
        weights = design.counts * design.case_weights
        sign = np.sign(np.bincount(bins, gaps * weights))
        influences.setdefault("ece", {})[scores.classifier] = _centre(sign[bins] * gaps, design)
    strata = cases.truth.astype(np.int64)
    for measure, by_name in influences.items():
        yield from _share_rows((measure, None, None), by_name, design, level, strata)
