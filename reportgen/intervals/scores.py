"""Intervals for measures of scores and probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.formulas.as_numpy import as_numpy
from reportgen.intervals.resampling import BOOTSTRAP, percentile_limits
from reportgen.measures import known_measure
from reportgen.measures.interval import (
    CaseBootstrap,
    MeanOfCases,
    PlacementVariance,
    PositivesLogit,
)
from reportgen.measures.measure import UNIT
from reportgen.measures.probability import BRIER
from reportgen.measures.ranking import AVERAGE_PRECISION, PR_AUC, ROC_AUC
from reportgen.scores import Scores, State
from reportgen.statistics.area_resampling import Area, Cells, resampled_areas
from reportgen.statistics.areas import logit_limits, positives_limits
from reportgen.statistics.calibration import Groups, error_limits, resampled_gaps
from reportgen.statistics.case_means import case_mean
from reportgen.statistics.proportions import clopper_pearson

if TYPE_CHECKING:
    from reportgen.measures import Measure
    from reportgen.predictions import Predictions
    from reportgen.spec.evidence import Intervals
    from reportgen.tallies.probabilities import CalibrationTally

Limits = tuple[float, float, str]
_KEYS = ["classifier", "class", "average", "measure"]
_AREAS = {
    ROC_AUC.name: Area.ROC,
    AVERAGE_PRECISION.name: Area.PRECISION_STEPS,
    PR_AUC.name: Area.PRECISION_RECALL,
}
# Weighted means of areas that are all 1 may miss it by this.
_ROUNDING = 1e-12


def with_score_intervals(scores: Scores, predictions: Predictions, asked: Intervals) -> Scores:
    """Return the scores with intervals for measures of scores and probabilities.

    Scores of single folds get none, nor do areas of precision of 0 or 1, areas under ROC curves
    of scores that are all equal, and means over cases that are alike.
    """
    numbered = scores.frame.with_row_index("row")
    wanted = numbered.filter(
        pl.col("fold").is_null(), pl.col("state") == State.DEFINED.value
    ).select("row", *_KEYS, "value")
    redrawn = _redrawn(wanted, predictions, asked) if asked.method == BOOTSTRAP else {}
    rows: list[tuple[int, float, float, str]] = []
    for row, classifier, class_, average, name, value in wanted.rows():
        measure = known_measure(name)
        key = classifier, class_, average
        limits = redrawn.get((classifier, name)) or _limits(measure, key, value, predictions, asked)
        if limits is not None:
            rows.append((row, *limits))
    found = pl.DataFrame(
        rows,
        {"row": pl.UInt32, "low": pl.Float64, "high": pl.Float64, "interval": pl.String},
        orient="row",
    )
    attached = numbered.join(found, on="row", how="left", suffix="_found", maintain_order="left")
    # A measure of another kind keeps the interval it has.
    has = pl.col("interval_found").is_not_null()
    names = ("low", "high", "interval")
    columns = [pl.when(has).then(pl.col(f"{name}_found")).otherwise(pl.col(name)) for name in names]
    return Scores(
        attached.with_columns(
            column.alias(name) for name, column in zip(names, columns, strict=True)
        ).select(scores.frame.columns)
    )


def _redrawn(
    wanted: pl.DataFrame, predictions: Predictions, asked: Intervals
) -> dict[tuple[str, str], Limits]:
    """Return percentiles of areas of cases drawn anew, by classifier and measure, if they differ.

    Of several classes only the corners of curves are known: too little to draw from.
    """
    found: dict[tuple[str, str], Limits] = {}
    known = predictions.curves
    if known is None:
        return found
    areas = wanted.filter(pl.col("measure").is_in(list(_AREAS)))
    columns = "classifier", "measure", "value"
    for classifier, name, value in areas.select(columns).unique(maintain_order=True).rows():
        curves = [steps for _, steps in known.of(classifier)]
        if len(curves) != 1 or predictions.has_few(classifier):
            continue
        drawn = resampled_areas(
            Cells(*curves[0].rises(slice(0, len(curves[0].tp)))),
            _AREAS[name],
            draws=asked.draws,
            seed=asked.seed,
            weight=predictions.weight_of(classifier),
        )
        if drawn is None:
            continue
        limits = percentile_limits(drawn[:, None], asked.level).around(np.array([value]), UNIT)
        if limits.method[0]:
            found[classifier, name] = float(limits.low[0]), float(limits.high[0]), BOOTSTRAP
    return found


def _limits(
    measure: Measure,
    key: tuple[str, str | None, str | None],
    value: float,
    predictions: Predictions,
    asked: Intervals,
) -> Limits | None:
    classifier, class_, average = key
    match measure.interval:
        case PlacementVariance():
            return _placed(predictions, key, value, asked.level)
        case PositivesLogit() if average is None:
            return _of_positives(predictions, (classifier, class_), value, asked.level)
        case MeanOfCases() as kind:
            return _of_mean(measure, kind, classifier, predictions, asked.level)
        case CaseBootstrap() if predictions.calibration is not None:
            return _resampled(
                predictions.calibration, classifier, asked, predictions.weight_of(classifier)
            )
        case _:
            return None


def _placed(
    predictions: Predictions,
    key: tuple[str, str | None, str | None],
    area: float,
    level: float,
) -> Limits | None:
    """Return DeLong's limits on the logit scale; at 0 and 1, where no placement varies, others."""
    classifier, class_, average = key
    if not _ROUNDING < area < 1 - _ROUNDING:
        return _of_pairs(predictions, key, area, level)
    # Weighted by their cases, small classes do not matter for the average.
    too_few = average != "weighted" and predictions.has_few(classifier, class_)
    if predictions.placements is None or too_few:
        return None
    covariances = predictions.placements.covariances([classifier], class_, average)
    if covariances is None or covariances[0, 0] <= 0:
        return None
    error = float(np.sqrt(covariances[0, 0] / predictions.weight_of(classifier)))
    return (*logit_limits(area, error, level), "delong")


def _of_pairs(
    predictions: Predictions,
    key: tuple[str, str | None, str | None],
    area: float,
    level: float,
) -> Limits | None:
    """Return exact limits of an area of 0 or 1 from as many pairs as share no case.

    Of n1 positives and n0 negatives min(n1, n0) pairs can be made that use no case twice. Whether
    each is in order is then an independent draw, in order with a chance of at most the area, so
    all are with a chance of at most areaᵐ: the limits of Clopper and Pearson hold, on the safe
    side. A mean of areas is no higher than a only if one of the areas is, so that the fewest pairs
    of any class do for it.
    """
    classifier, class_, _ = key
    fewest = predictions.ranking.fewest(classifier, class_) if predictions.ranking else 0
    if not fewest:
        return None
    pairs = fewest * predictions.weight_of(classifier)
    limits = clopper_pearson(round(area) * pairs, pairs, level)
    return limits.low, limits.high, "clopper-pearson on min(n1, n0) pairs"


def _of_positives(
    predictions: Predictions, key: tuple[str, str | None], area: float, level: float
) -> Limits | None:
    classifier, class_ = key
    if predictions.ranking is None or not 0 < area < 1:
        return None
    rows = predictions.ranking.frame.filter(
        pl.col("fold").is_null(), pl.col("classifier") == classifier
    )
    if class_ is not None:
        rows = rows.filter(pl.col("class") == class_)
    if rows.height != 1:
        return None
    positives = float(rows["positives"][0]) * predictions.weight_of(classifier)
    return (*positives_limits(area, positives, level), "boyd-eng-page")


def _of_mean(
    measure: Measure, kind: MeanOfCases, classifier: str, predictions: Predictions, level: float
) -> Limits | None:
    """Return t limits of the mean per case, carried through the measure's formula."""
    if predictions.probability is None:
        return None
    frame = predictions.probability.frame.filter(
        pl.col("fold").is_null(), pl.col("classifier") == classifier
    )
    if frame.is_empty():
        return None
    sums = frame.drop("classifier", "fold").row(0, named=True)
    mean = case_mean(
        sums[kind.summed], sums[kind.squared], sums["cases"], predictions.weight_of(classifier)
    )
    if mean is None:
        return None
    at = {name: np.float64(number) * np.ones(()) for name, number in sums.items()}
    at[kind.summed] = np.array(mean.limits(level)) * sums["cases"]
    # Squared errors of the positive class alone are at most 1; summed over classes, 2.
    alone = predictions.ranking is not None and predictions.ranking.whole.is_empty()
    highest = 1.0 if measure is BRIER and alone else measure.range.high
    limits = np.clip(as_numpy(measure.formula, at), measure.range.low, highest)
    return float(limits[0]), float(limits[1]), "t"


def _resampled(
    calibration: CalibrationTally, classifier: str, asked: Intervals, weight: float
) -> Limits | None:
    """Return limits of the calibration error by resampling, less its bias."""
    groups = calibration_groups(calibration, classifier)
    if groups is None:
        return None
    hits, misses = groups
    cases = float((hits.count + misses.count).sum())
    gaps = (hits.confidence + misses.confidence - hits.count) / cases
    drawn = resampled_gaps(hits, misses, draws=asked.draws, seed=asked.seed, weight=weight)
    return (*error_limits(gaps, drawn, asked.level), "bootstrap, bias removed")


def calibration_groups(
    calibration: CalibrationTally, classifier: str
) -> tuple[Groups, Groups] | None:
    """Return the hits and the misses of a classifier's bins."""
    rows = calibration.frame.filter(pl.col("classifier") == classifier).sort("bin")
    if rows.is_empty():
        return None
    columns = {
        name: rows[name].cast(pl.Float64).to_numpy()
        for name in (
            *("cases", "confidence_sum", "hits"),
            *("hit_confidence", "hit_squares", "miss_squares"),
        )
    }
    hits = Groups(columns["hits"], columns["hit_confidence"], columns["hit_squares"])
    misses = Groups(
        columns["cases"] - columns["hits"],
        columns["confidence_sum"] - columns["hit_confidence"],
        columns["miss_squares"],
    )
    return hits, misses
