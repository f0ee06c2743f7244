"""Limits of measures of numeric predictions, from sums over the cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.intervals.limits import Limits, delta_limits
from reportgen.measures.interval import Curve
from reportgen.measures.regression import MAE, PEARSON, R2, RMSE
from reportgen.statistics.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

# The standard error of Fisher's z is 1 / √(n − 3).
FISHER_CASES = 3
EXACT = 1e-12


def numeric_limits(
    measure: Measure, sums: Mapping[str, Numbers], level: float, weight: Numbers
) -> Limits:
    """Return the limits of a measure for vectors of sums; none where nothing varies."""
    match measure.name:
        case RMSE.name:
            return _root_of_mean(sums, level, weight)
        case MAE.name:
            return _mean(sums, level, weight)
        case R2.name:
            return _explained(sums, level, weight)
        case PEARSON.name:
            return _correlation(sums, level, weight)
        case _:
            raise LookupError(measure.name)


def _root_of_mean(sums: Mapping[str, Numbers], level: float, weight: Numbers) -> Limits:
    with np.errstate(all="ignore"):
        mean = sums["squared_errors"] / sums["cases"]
        variance = _variance_of_mean(sums["quartic_errors"], mean, sums["cases"], weight)
        return _told(np.sqrt(mean), variance / (4 * mean), Curve.LOG, sums["cases"] * weight, level)


def _mean(sums: Mapping[str, Numbers], level: float, weight: Numbers) -> Limits:
    with np.errstate(all="ignore"):
        mean = sums["absolute_errors"] / sums["cases"]
        variance = _variance_of_mean(sums["squared_errors"], mean, sums["cases"], weight)
        return _told(mean, variance, Curve.LOG, sums["cases"] * weight, level)


def _explained(sums: Mapping[str, Numbers], level: float, weight: Numbers) -> Limits:
    """Take the logarithm of 1 − R², which a case moves by e² / Σe² − d² / Σd² (d = y − ȳ)."""
    errors, spread, cases = sums["squared_errors"], sums["true_spread"], sums["cases"]
    with np.errstate(all="ignore"):
        rest = errors / spread
        moved = (
            sums["quartic_errors"] / errors**2
            - 2 * sums["common_quartic"] / (errors * spread)
            + sums["quartic_true_spread"] / spread**2
        )
        variance = rest**2 * moved * cases / (cases - 1) / weight
        return _told(1 - rest, variance, Curve.LOG_OF_REST, cases * weight, level)


def _correlation(sums: Mapping[str, Numbers], level: float, weight: Numbers) -> Limits:
    """Take Fisher's z, which supposes that true and predicted values are jointly normal."""
    with np.errstate(all="ignore"):
        value = sums["common_spread"] / np.sqrt(sums["true_spread"] * sums["predicted_spread"])
        free = sums["cases"] * weight - FISHER_CASES
        variance = np.where(free > 0, (1 - value**2) ** 2 / free, np.nan)
        found = delta_limits(value, variance, Curve.FISHER_Z, normal_quantile(level))
    told = (free > 0) & (np.abs(value) < 1 - EXACT)
    return Limits.named(found.low, found.high, "fisher z").where(told, _none(value))


def _variance_of_mean(squares: Numbers, mean: Numbers, cases: Numbers, weight: Numbers) -> Numbers:
    """Return the variance of a mean of cases from the sum of their squares."""
    return (squares / cases - mean**2) / (cases - 1) / weight


def _told(value: Numbers, variance: Numbers, curve: Curve, cases: Numbers, level: float) -> Limits:
    """Return limits by Student's t on a scale; none where nothing varies, as in an exact fit."""
    from scipy.special import stdtrit

    quantile = np.asarray(stdtrit(np.where(cases > 1, cases - 1, np.nan), (1 + level) / 2))
    found = delta_limits(value, variance, curve, quantile)
    told = np.isfinite(found.low) & np.isfinite(found.high) & (variance > 0)
    return found.where(told & (found.low < found.high), _none(value))


def _none(value: Numbers) -> Limits:
    return Limits.named(np.full(value.shape, np.nan), np.full(value.shape, np.nan), "")
