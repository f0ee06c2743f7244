"""Confidence intervals of measures of numeric predictions, from sums over the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.delta_method import ConfidenceIntervals, delta_intervals
from reportgen.measures.measure import LinkFunction
from reportgen.measures.regression import MAE, PEARSON, R2, RMSE
from reportgen.statistics.distributions import critical_z

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

# The standard error of Fisher's z is 1 / √(n − 3).
FISHER_Z_LOST_CASES = 3
PERFECT_FIT_TOLERANCE = 1e-12


def regression_intervals(
    measure: Measure, sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    """Return the intervals of a measure for vectors of sums; none without variance."""
    match measure.name:
        case RMSE.name:
            return _rmse_intervals(sums, level, weight)
        case MAE.name:
            return _mae_intervals(sums, level, weight)
        case R2.name:
            return _r2_intervals(sums, level, weight)
        case PEARSON.name:
            return _pearson_intervals(sums, level, weight)
        case _:
            raise LookupError(measure.name)


def _rmse_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    with np.errstate(all="ignore"):
        mean = sums["squared_errors"] / sums["cases"]
        variance = _variance_of_mean(sums["quartic_errors"], mean, sums["cases"], weight)
        return _t_intervals(
            np.sqrt(mean), variance / (4 * mean), LinkFunction.LOG, sums["cases"] * weight, level
        )


def _mae_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    with np.errstate(all="ignore"):
        mean = sums["absolute_errors"] / sums["cases"]
        variance = _variance_of_mean(sums["squared_errors"], mean, sums["cases"], weight)
        return _t_intervals(mean, variance, LinkFunction.LOG, sums["cases"] * weight, level)


def _r2_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    """Use log(1 − R²); the influence of a case is e² / Σe² − d² / Σd², with d = y − ȳ."""
    errors, spread, cases = sums["squared_errors"], sums["true_spread"], sums["cases"]
    with np.errstate(all="ignore"):
        rest = errors / spread
        moved = (
            sums["quartic_errors"] / errors**2
            - 2 * sums["common_quartic"] / (errors * spread)
            + sums["quartic_true_spread"] / spread**2
        )
        variance = rest**2 * moved * cases / (cases - 1) / weight
        return _t_intervals(
            1 - rest, variance, LinkFunction.COMPLEMENTARY_LOG, cases * weight, level
        )


def _pearson_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    """Use Fisher's z, which assumes that true and predicted values are bivariate normal."""
    with np.errstate(all="ignore"):
        value = sums["common_spread"] / np.sqrt(sums["true_spread"] * sums["predicted_spread"])
        free = sums["cases"] * weight - FISHER_Z_LOST_CASES
        variance = np.where(free > 0, (1 - value**2) ** 2 / free, np.nan)
        intervals = delta_intervals(value, variance, LinkFunction.FISHER_Z, critical_z(level))
    has_interval = (free > 0) & (np.abs(value) < 1 - PERFECT_FIT_TOLERANCE)
    return ConfidenceIntervals.from_method(intervals.low, intervals.high, "fisher z").where(
        has_interval, _no_intervals(value)
    )


def _variance_of_mean(
    squared_sum: FloatArray, mean: FloatArray, cases: FloatArray, weight: FloatArray
) -> FloatArray:
    """Return the variance of a mean over cases from the sum of squares."""
    return (squared_sum / cases - mean**2) / (cases - 1) / weight


def _t_intervals(
    value: FloatArray, variance: FloatArray, link: LinkFunction, cases: FloatArray, level: float
) -> ConfidenceIntervals:
    """Return Student's t intervals on the scale of a link; none without variance."""
    from scipy.special import stdtrit

    quantile = np.asarray(stdtrit(np.where(cases > 1, cases - 1, np.nan), (1 + level) / 2))
    intervals = delta_intervals(value, variance, link, quantile)
    has_interval = np.isfinite(intervals.low) & np.isfinite(intervals.high) & (variance > 0)
    return intervals.where(has_interval & (intervals.low < intervals.high), _no_intervals(value))


def _no_intervals(value: FloatArray) -> ConfidenceIntervals:
    return ConfidenceIntervals.from_method(
        np.full(value.shape, np.nan), np.full(value.shape, np.nan), ""
    )
