"""Confidence intervals of measures of numeric predictions, from sums over the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.delta_method import (
    ConfidenceIntervals,
    delta_intervals,
    delta_method_name,
)
from reportgen.measures.measure import LinkFunction
from reportgen.measures.regression import MAE, PEARSON, R2, RMSE
from reportgen.statistics.skewness import hall_intervals

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray

# The standard error of Fisher's z is 1 / √(n − 3) for normal values.
FISHER_Z_LOST_CASES = 3
PERFECT_FIT_TOLERANCE = 1e-12
# A variance below this share of the squared mean is rounding error.
VARIANCE_TOLERANCE = 1e-12


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
        squared = sums["quartic_errors"] - sums["cases"] * mean**2
        moments = squared, sums["squared_error_cubes"], sums["squared_error_quartics"]
        intervals = _hall_intervals(mean, moments, sums["cases"], weight, level)
        return ConfidenceIntervals(
            np.sqrt(np.maximum(intervals.low, 0.0)), np.sqrt(intervals.high), intervals.method
        )


def _mae_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    with np.errstate(all="ignore"):
        mean = sums["absolute_errors"] / sums["cases"]
        squared = sums["squared_errors"] - sums["cases"] * mean**2
        moments = squared, sums["absolute_error_cubes"], sums["absolute_error_quartics"]
        return _hall_intervals(mean, moments, sums["cases"], weight, level)


def _hall_intervals(
    mean: FloatArray,
    central_sums: tuple[FloatArray, FloatArray, FloatArray],
    cases: FloatArray,
    weight: FloatArray,
    level: float,
) -> ConfidenceIntervals:
    """Return Hall's intervals of means, from sums of squared, cubed and quartic deviations."""
    squares, cubes, quartics = central_sums
    with np.errstate(all="ignore"):
        error = np.sqrt(squares / (cases - 1) / (cases * weight))
        skewness = cubes / cases / (squares / cases) ** 1.5
        quantile = _critical_t(squares, quartics, cases, weight, level)
        low, high = hall_intervals(mean, error, skewness, cases * weight, quantile)
    has_interval = (squares > VARIANCE_TOLERANCE * cases * mean**2) & np.isfinite(low + high)
    return ConfidenceIntervals.from_method(low, high, "hall, satterthwaite").where(
        has_interval & (cases * weight > 1), _no_intervals(mean)
    )


def _r2_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    """Use log(1 − R²); the influence of a case is e² / Σe² − d² / Σd², with d = y − ȳ."""
    cases, squares = sums["cases"], sums["r2_squares"]
    with np.errstate(all="ignore"):
        unexplained_share = sums["squared_errors"] / sums["true_spread"]
        variance = unexplained_share**2 * squares * cases / (cases - 1) / weight
        quantile = _critical_t(squares, sums["r2_quartics"], cases, weight, level)
        return _t_intervals(
            1 - unexplained_share, variance, LinkFunction.COMPLEMENTARY_LOG, quantile
        )


def _pearson_intervals(
    sums: Mapping[str, FloatArray], level: float, weight: FloatArray
) -> ConfidenceIntervals:
    """Use Fisher's z with the variance of the influences, whatever the distribution is.

    The variance is divided by n − 3 instead of n, as that of normal values is.
    """
    cases, squares = sums["cases"], sums["pearson_squares"]
    with np.errstate(all="ignore"):
        value = sums["common_spread"] / np.sqrt(sums["true_spread"] * sums["predicted_spread"])
        free = cases * weight - FISHER_Z_LOST_CASES
        variance = np.where(free > 0, squares / (cases - 1) / free, np.nan)
        quantile = _critical_t(squares, sums["pearson_quartics"], cases, weight, level)
        intervals = _t_intervals(value, variance, LinkFunction.FISHER_Z, quantile)
    has_interval = np.abs(value) < 1 - PERFECT_FIT_TOLERANCE
    return intervals.where(has_interval, _no_intervals(value))


def _critical_t(
    squares: FloatArray, quartics: FloatArray, cases: FloatArray, weight: FloatArray, level: float
) -> FloatArray:
    """Return quantiles of Student's t with Satterthwaite's degrees of freedom."""
    from scipy.special import stdtrit

    spread = quartics - squares**2 / cases
    freedom = np.where(spread > 0, 2 * squares**2 / spread, np.inf) * weight
    usual = np.minimum(freedom, cases * weight - 1)
    return np.asarray(stdtrit(np.where(usual > 0, usual, np.nan), (1 + level) / 2))


def _t_intervals(
    value: FloatArray, variance: FloatArray, link: LinkFunction, quantile: FloatArray
) -> ConfidenceIntervals:
    """Return Student's t intervals on the scale of a link; none without variance."""
    intervals = delta_intervals(value, variance, link, quantile)
    has_interval = np.isfinite(intervals.low) & np.isfinite(intervals.high) & (variance > 0)
    t_intervals = ConfidenceIntervals.from_method(
        intervals.low, intervals.high, f"{delta_method_name(link)}, t"
    )
    return t_intervals.where(
        has_interval & (t_intervals.low < t_intervals.high), _no_intervals(value)
    )


def _no_intervals(value: FloatArray) -> ConfidenceIntervals:
    return ConfidenceIntervals.from_method(
        np.full(value.shape, np.nan), np.full(value.shape, np.nan), ""
    )
