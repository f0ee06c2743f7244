"""Confidence intervals of measures of scores and probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.evaluation.confidence.bootstrap import BOOTSTRAP, percentile_intervals
from reportgen.evaluation.confidence.operating_points import operating_point_interval
from reportgen.evaluation.values import MeasureValues, ValueState
from reportgen.measures import get_measure
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.measure import (
    UNIT,
    Bootstrap,
    CaseBootstrap,
    DeLong,
    InfluenceFunction,
    StudentT,
)
from reportgen.measures.probability import BRIER
from reportgen.measures.ranking import AVERAGE_PRECISION, PR_AUC, ROC_AUC
from reportgen.statistics.auc import (
    CurveArea,
    ScoreCounts,
    auc_logit_interval,
    bootstrap_areas,
    exchange_one_pair,
    influence_interval,
    newcombe_auc_interval,
    pr_area_influence,
)
from reportgen.statistics.calibration import BinStatistics, bootstrap_calibration_gaps, ece_interval
from reportgen.statistics.distributions import critical_t, satterthwaite_df
from reportgen.statistics.proportions import clopper_pearson_interval
from reportgen.statistics.skewness import hall_intervals
from reportgen.statistics.t_tests import estimate_mean

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.probabilities import CalibrationBins
    from reportgen.measures import Measure
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics.t_tests import MeanEstimate

IntervalAndMethod = tuple[float, float, str]
_ROW_KEYS = ["classifier", "class", "average", "measure"]
_AREA_OF_MEASURE = {
    ROC_AUC.name: CurveArea.ROC,
    AVERAGE_PRECISION.name: CurveArea.AVERAGE_PRECISION,
    PR_AUC.name: CurveArea.INTERPOLATED_PR,
}
INFLUENCE = "influence, logit"
# Tolerance: a weighted mean of areas of 1 may differ from 1 by rounding.
_AREA_TOLERANCE = 1e-12
MIN_POSITIVES = 2
NEWCOMBE = "newcombe"
# With fewer cases of the smaller class expected on the wrong side, DeLong's variance is too
# uncertain (benchmarks/few_cases.py).
MIN_MISRANKED = 5


def add_score_confidence_intervals(
    values: MeasureValues, aggregates: Aggregates, settings: IntervalSettings
) -> MeasureValues:
    """Return the values with intervals for measures of scores and probabilities.

    There is none for values of single folds, ROC areas of constant scores, and means over cases
    that do not vary.
    """
    indexed_rows = values.frame.with_row_index("row")
    pooled = indexed_rows.filter(
        pl.col("fold").is_null(), pl.col("state") == ValueState.DEFINED.value
    ).select("row", *_ROW_KEYS, "value")
    bootstrapped = (
        _bootstrap_intervals(pooled, aggregates, settings) if settings.method == BOOTSTRAP else {}
    )
    rows: list[tuple[int, float, float, str]] = []
    for row, classifier, class_, average, name, value in pooled.rows():
        measure = get_measure(name)
        key = classifier, class_, average
        limits = bootstrapped.get((classifier, name)) or _score_interval(
            measure, key, value, aggregates, settings
        )
        if limits is not None:
            low, high, method = limits
            rows.append((row, low, high, f"{method}{aggregates.method_suffix}"))
    intervals = pl.DataFrame(
        rows,
        {"row": pl.UInt32, "low": pl.Float64, "high": pl.Float64, "method": pl.String},
        orient="row",
    )
    value_rows = indexed_rows.join(
        intervals, on="row", how="left", suffix="_found", maintain_order="left"
    )
    # A measure of another kind keeps the interval it has.
    has = pl.col("method_found").is_not_null()
    names = ("low", "high", "method")
    columns = [pl.when(has).then(pl.col(f"{name}_found")).otherwise(pl.col(name)) for name in names]
    return MeasureValues(
        value_rows.with_columns(
            column.alias(name) for name, column in zip(names, columns, strict=True)
        ).select(values.frame.columns)
    )


def _bootstrap_intervals(
    rows: pl.DataFrame, aggregates: Aggregates, settings: IntervalSettings
) -> dict[tuple[str, str], IntervalAndMethod]:
    """Return percentile intervals of bootstrapped areas, by classifier and measure.

    Not for several classes, where only the vertices of the curves are known.
    """
    intervals: dict[tuple[str, str], IntervalAndMethod] = {}
    score_curves = aggregates.curves
    if score_curves is None:
        return intervals
    areas = rows.filter(pl.col("measure").is_in(list(_AREA_OF_MEASURE)))
    columns = "classifier", "measure", "value"
    for classifier, name, value in areas.select(columns).unique(maintain_order=True).rows():
        curves = [steps for _, steps in score_curves.by_class(classifier)]
        if len(curves) != 1 or aggregates.too_few_for_delong(classifier):
            continue
        resampled = bootstrap_areas(
            ScoreCounts(*curves[0].increments(slice(0, len(curves[0].tp)))),
            _AREA_OF_MEASURE[name],
            n_resamples=settings.draws,
            seed=settings.seed,
            weight=aggregates.case_weight(classifier, name),
        )
        if resampled is None:
            continue
        limits = percentile_intervals(resampled[:, None], settings.level).clip_to_range(
            np.array([value]), UNIT
        )
        if limits.method[0]:
            intervals[classifier, name] = float(limits.low[0]), float(limits.high[0]), BOOTSTRAP
    return intervals


def _score_interval(
    measure: Measure,
    key: tuple[str, str | None, str | None],
    value: float,
    aggregates: Aggregates,
    settings: IntervalSettings,
) -> IntervalAndMethod | None:
    classifier = key[0]
    match measure.interval:
        case DeLong():
            return _delong_interval(aggregates, key, value, settings.level)
        case InfluenceFunction():
            return _pr_area_interval(aggregates, measure.name, key, value, settings.level)
        case CaseBootstrap() as kind:
            return operating_point_interval(aggregates, measure, kind, classifier, settings.level)
        case StudentT() as kind:
            return _t_interval(measure, kind, classifier, aggregates, settings.level)
        case Bootstrap() if aggregates.calibration is not None:
            return _ece_bootstrap_interval(
                aggregates.calibration,
                classifier,
                settings,
                aggregates.case_weight(classifier, measure.name),
            )
        case _:
            return None


def _delong_interval(
    aggregates: Aggregates,
    key: tuple[str, str | None, str | None],
    area: float,
    level: float,
) -> IntervalAndMethod | None:
    """Return DeLong's interval on the logit scale, or Newcombe's where few cases are out of order.

    At areas of 0 and 1 the interval is exact.
    """
    classifier, class_, average = key
    if not _AREA_TOLERANCE < area < 1 - _AREA_TOLERANCE:
        return _extreme_auc_interval(aggregates, key, area, level)
    if aggregates.auc_covariances is None:
        return None
    covariances = aggregates.auc_covariances.covariances([classifier], class_, average)
    # Constant scores have no variance; their area is ½ by definition.
    if covariances is not None and covariances[0, 0] <= 0:
        return None
    sizes = aggregates.ranking.class_sizes(classifier, class_) if aggregates.ranking else []
    if len(sizes) == 1:
        weight = aggregates.case_weight(classifier, ROC_AUC.name, class_, average)
        positives, negatives = (side * weight for side in sizes[0])
        if min(positives, negatives) * min(area, 1 - area) < MIN_MISRANKED:
            return (*newcombe_auc_interval(area, positives, negatives, level), NEWCOMBE)
    # Weighted by their cases, small classes do not matter for the average.
    too_few = average != "weighted" and aggregates.too_few_for_delong(classifier, class_)
    if covariances is None or too_few:
        return None
    weight = aggregates.case_weight(classifier, ROC_AUC.name, class_, average)
    error = float(np.sqrt(covariances[0, 0] / weight))
    return (*auc_logit_interval(area, error, level), "delong")


def _extreme_auc_interval(
    aggregates: Aggregates,
    key: tuple[str, str | None, str | None],
    area: float,
    level: float,
) -> IntervalAndMethod | None:
    """Return the exact interval of an area of 0 or 1 from disjoint pairs of cases.

    Of n1 positives and n0 negatives min(n1, n0) pairs can be formed that share no case. Each is
    concordant independently with a probability of at most the area, so all m are with at most
    areaᵐ: the Clopper-Pearson limits are conservative. A mean of areas is at most a only if one
    area is, so the smallest number of pairs of any class is used.
    """
    classifier, class_, _ = key
    fewest = aggregates.ranking.minority_size(classifier, class_) if aggregates.ranking else 0
    if not fewest:
        return None
    pairs = fewest * aggregates.case_weight(classifier, ROC_AUC.name, class_)
    limits = clopper_pearson_interval(round(area) * pairs, pairs, level)
    return limits.low, limits.high, "clopper-pearson on min(n1, n0) pairs"


def _pr_area_interval(
    aggregates: Aggregates,
    measure: str,
    key: tuple[str, str | None, str | None],
    area: float,
    level: float,
) -> IntervalAndMethod | None:
    """Return the interval from the influence function; at an area of 1 from one exchanged pair."""
    classifier, class_, average = key
    if aggregates.pr_covariances is None or aggregates.ranking is None:
        return None
    sizes = aggregates.ranking.class_sizes(classifier, class_)
    # How a single positive is ranked says nothing about how ranks vary.
    if average != "weighted" and min((sides[0] for sides in sizes), default=0) < MIN_POSITIVES:
        return None
    if area > 1 - _AREA_TOLERANCE:
        return _perfect_pr_area_interval(aggregates, measure, key, level)
    moments = aggregates.pr_covariances.covariance(
        measure, (classifier, classifier), class_, average
    )
    if moments is None or moments[0] <= 0:
        return None
    variance, quartic = moments
    weight = aggregates.case_weight(classifier, measure, class_, average)
    cases = aggregates.ranking.size(classifier)
    freedom = satterthwaite_df(variance * (cases - 1) / cases, quartic, cases) * weight
    return (*influence_interval(area, variance / weight, freedom, level), INFLUENCE)


def _perfect_pr_area_interval(
    aggregates: Aggregates,
    measure: str,
    key: tuple[str, str | None, str | None],
    level: float,
) -> IntervalAndMethod | None:
    """Return the lower limit of the same ranking with one positive below one negative.

    No variance can be estimated from a perfect ranking. A mean of areas is at most a only if one
    area is, so the lowest limit of any class is used.
    """
    classifier, class_, _ = key
    if aggregates.ranking is None:
        return None
    weight = aggregates.case_weight(classifier, measure, class_)
    lows = [
        _exchanged_pair_limit(positives * weight, negatives * weight, measure, level)
        for positives, negatives in aggregates.ranking.class_sizes(classifier, class_)
    ]
    return (min(lows), 1.0, f"{INFLUENCE}, one pair exchanged") if lows else None


def _exchanged_pair_limit(positives: float, negatives: float, measure: str, level: float) -> float:
    counts = exchange_one_pair(max(round(positives), 1), max(round(negatives), 1))
    influence = pr_area_influence(counts, _AREA_OF_MEASURE[measure])
    cases = float((counts.positives + counts.negatives).sum())
    squared = influence.power_sum(counts, 2)
    freedom = satterthwaite_df(squared, influence.power_sum(counts, 4), cases)
    variance = squared * cases / (cases - 1)
    return influence_interval(influence.value, variance, freedom, level)[0]


def _t_interval(
    measure: Measure, estimator: StudentT, classifier: str, aggregates: Aggregates, level: float
) -> IntervalAndMethod | None:
    """Return the interval of the mean per case, transformed by the measure's formula."""
    if aggregates.probability_losses is None:
        return None
    frame = aggregates.probability_losses.frame.filter(
        pl.col("fold").is_null(), pl.col("classifier") == classifier
    )
    if frame.is_empty():
        return None
    sums = frame.drop("classifier", "fold").row(0, named=True)
    mean = estimate_mean(
        sums[estimator.sum_column],
        sums[estimator.squared_sum_column],
        sums["cases"],
        aggregates.case_weight(classifier, measure.name),
    )
    if mean is None:
        return None
    limits_of_mean, method = mean.interval(level), "t"
    if estimator.cubed_sum_column is not None:
        limits_of_mean = _hall_interval(mean, sums, estimator, level)
        method = "hall"
    at = {name: np.float64(number) * np.ones(()) for name, number in sums.items()}
    at[estimator.sum_column] = np.array(limits_of_mean) * sums["cases"]
    # Squared errors of the positive class alone are at most 1; summed over classes, 2.
    alone = aggregates.ranking is not None and aggregates.ranking.multiclass.is_empty()
    highest = 1.0 if measure is BRIER and alone else measure.range.high
    limits = np.clip(evaluate_formula(measure.formula, at), measure.range.low, highest)
    return float(limits[0]), float(limits[1]), method


def _hall_interval(
    mean: MeanEstimate, sums: Mapping[str, float], estimator: StudentT, level: float
) -> tuple[float, float]:
    """Return the interval of a mean, corrected for the skewness of the numbers."""
    squares, cubes = sums[estimator.squared_sum_column], sums[estimator.cubed_sum_column or ""]
    cases, centre = sums["cases"], mean.mean
    second = squares / cases - centre**2
    third = cubes / cases - 3 * centre * squares / cases + 2 * centre**3
    skewness = third / second**1.5
    quantile = critical_t(mean.df, level)
    low, high = hall_intervals(centre, mean.standard_error, skewness, mean.df + 1, quantile)
    return float(low), float(high)


def _ece_bootstrap_interval(
    calibration: CalibrationBins, classifier: str, settings: IntervalSettings, weight: float
) -> IntervalAndMethod | None:
    """Return the debiased bootstrap interval of the calibration error."""
    groups = calibration_bin_statistics(calibration, classifier)
    if groups is None:
        return None
    correct, incorrect = groups
    cases = float((correct.count + incorrect.count).sum())
    gaps = (correct.confidence_sum + incorrect.confidence_sum - correct.count) / cases
    resampled = bootstrap_calibration_gaps(
        correct, incorrect, n_resamples=settings.draws, seed=settings.seed, weight=weight
    )
    return (*ece_interval(gaps, resampled, settings.level), "bootstrap, debiased")


def calibration_bin_statistics(
    calibration: CalibrationBins, classifier: str
) -> tuple[BinStatistics, BinStatistics] | None:
    """Return the bin statistics of a classifier's correct and incorrect cases."""
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
    correct = BinStatistics(columns["hits"], columns["hit_confidence"], columns["hit_squares"])
    misses = BinStatistics(
        columns["cases"] - columns["hits"],
        columns["confidence_sum"] - columns["hit_confidence"],
        columns["miss_squares"],
    )
    return correct, misses
