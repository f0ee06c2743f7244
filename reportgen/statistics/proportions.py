"""Confidence intervals of proportions, their sums and differences, and of predictive values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.statistics.distributions import critical_z

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

FloatArray: TypeAlias = "npt.NDArray[np.float64]"

# About ten steps reach floating-point precision.
MAX_TANGO_STEPS = 60
HALF = 0.5


@dataclass(frozen=True, slots=True)
class ConfidenceInterval:
    """The lower and the upper confidence limit."""

    low: float
    high: float


def wilson_interval(successes: float, trials: float, level: float) -> ConfidenceInterval:
    """Return Wilson's score interval of a proportion (Wilson 1927); counts need not be integers."""
    _check_trials(trials)
    low, high = wilson_intervals(np.array(successes), np.array(trials), level)
    return ConfidenceInterval(float(low), float(high))


def wilson_intervals(
    successes: npt.ArrayLike, trials: npt.ArrayLike, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return Wilson's intervals of many proportions; NaN where there are no trials."""
    x, n = _as_float_arrays(successes, trials)
    z = critical_z(level)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = x / n
        half = z * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
        low = (share + z * z / (2 * n) - half) / (1 + z * z / n)
        high = (share + z * z / (2 * n) + half) / (1 + z * z / n)
    return _pin_extremes(low, high, x, n)


def clopper_pearson_interval(successes: float, trials: float, level: float) -> ConfidenceInterval:
    """Return the exact interval of a proportion, with coverage of at least `level` (1934)."""
    _check_trials(trials)
    low, high = clopper_pearson_intervals(np.array(successes), np.array(trials), level)
    return ConfidenceInterval(float(low), float(high))


def clopper_pearson_intervals(
    successes: npt.ArrayLike, trials: npt.ArrayLike, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return the exact intervals of many proportions; NaN where there are no trials."""
    from scipy.special import betaincinv

    x, n = _as_float_arrays(successes, trials)
    tail = (1 - level) / 2
    low = np.asarray(betaincinv(x, n - x + 1, tail), dtype=np.float64)
    high = np.asarray(betaincinv(x + 1, n - x, 1 - tail), dtype=np.float64)
    return _pin_extremes(low, high, x, n)


def mover(
    estimates: Sequence[float], intervals: Sequence[ConfidenceInterval], weights: Sequence[float]
) -> ConfidenceInterval:
    """Return the MOVER interval of a weighted sum of estimates (Zou and Donner 2008)."""
    low, high = mover_intervals(
        np.array(estimates),
        np.array([interval.low for interval in intervals]),
        np.array([interval.high for interval in intervals]),
        np.array(weights),
    )
    return ConfidenceInterval(float(low), float(high))


def mover_intervals(
    estimates: npt.ArrayLike, lows: npt.ArrayLike, highs: npt.ArrayLike, weights: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    """Return MOVER intervals of many weighted sums; the first axis is that of the summands."""
    middle, low, high = (np.asarray(array, dtype=np.float64) for array in (estimates, lows, highs))
    weight = np.asarray(weights, dtype=np.float64).reshape(-1, *(1,) * (middle.ndim - 1))
    below, above = weight * (middle - low), weight * (high - middle)
    # What is subtracted lowers the sum where it is high itself.
    down = np.where(weight >= 0, below, above)
    up = np.where(weight >= 0, above, below)
    total = (weight * middle).sum(axis=0)
    return total - np.sqrt((down**2).sum(axis=0)), total + np.sqrt((up**2).sum(axis=0))


def mover_log_intervals(
    successes: npt.ArrayLike, trials: npt.ArrayLike, exponents: npt.ArrayLike, level: float
) -> tuple[FloatArray, FloatArray]:
    """Return intervals of products of powers of independent proportions.

    Wilson limits are combined by MOVER on the log scale (Zou and Donner 2008). A proportion of 0
    stands at ½ / (n + 1) there, and its lower limit is infinitely far. The first axis is that of
    the factors.
    """
    x, n = _as_float_arrays(successes, trials)
    low, high = wilson_intervals(x, n, level)
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.clip(np.where(x > 0, x / n, HALF / (n + 1)), low, high)
        limits = mover_intervals(np.log(estimate), np.log(low), np.log(high), exponents)
        return np.exp(limits[0]), np.exp(limits[1])


def mover_mean_intervals(
    successes: npt.ArrayLike, trials: npt.ArrayLike, level: float
) -> tuple[float, float]:
    """Return the interval of the mean of independent proportions.

    MOVER adds up the asymmetry of the Wilson limits, although a mean of many proportions is nearly
    symmetric: it covers too little. Here the half-widths are squared and added, and the midpoints
    deviate from the estimates in proportion to each one's share of the variance, as the skewness
    of a sum does (Cornish and Fisher 1938). Of Wilson's half-width and that of the unbiased
    variance the larger is used. For one proportion it is Wilson's interval, if that is the wider.
    """
    x, n = _as_float_arrays(successes, trials)
    low, high = wilson_intervals(x, n, level)
    estimate = x / n
    unbiased = estimate * (1 - estimate) / np.maximum(n - 1, 1.0)
    half = np.maximum((high - low) / 2, critical_z(level) * np.sqrt(unbiased))
    total = float((half**2).sum())
    shift = float((((low + high) / 2 - estimate) * half**2).sum()) / total
    middle, reach = float(estimate.mean()) + shift / len(x), math.sqrt(total) / len(x)
    return middle - reach, middle + reach


def mover_difference(
    first: float,
    first_interval: ConfidenceInterval,
    second: float,
    second_interval: ConfidenceInterval,
) -> ConfidenceInterval:
    """Return the interval of a difference of independent estimates (Newcombe 1998)."""
    return mover((first, second), (first_interval, second_interval), (1, -1))


def mover_paired_difference(
    first: float,
    first_interval: ConfidenceInterval,
    second: float,
    second_interval: ConfidenceInterval,
    correlation: float,
) -> ConfidenceInterval:
    """Return the interval of a difference of correlated estimates (Zou and Donner 2008)."""
    difference = first - second
    down = _combine_half_widths(
        first - first_interval.low, second_interval.high - second, correlation
    )
    up = _combine_half_widths(
        first_interval.high - first, second - second_interval.low, correlation
    )
    return ConfidenceInterval(difference - down, difference + up)


def bonett_price_interval(
    first_only: float, second_only: float, cases: float, level: float
) -> ConfidenceInterval:
    """Return the interval of the difference of two paired proportions (Bonett and Price 2012).

    Args:
        first_only: Cases that only the first classifier predicts correctly.
        second_only: Cases that only the second classifier predicts correctly.
        cases: The number of cases.
        level: The confidence level.
    """
    _check_trials(cases)
    one = (first_only + 1) / (cases + 2)
    other = (second_only + 1) / (cases + 2)
    difference = one - other
    half = critical_z(level) * math.sqrt((one + other - difference**2) / (cases + 2))
    return ConfidenceInterval(max(-1.0, difference - half), min(1.0, difference + half))


def tango_interval(
    first_only: float, second_only: float, cases: float, level: float
) -> ConfidenceInterval:
    """Return the score interval of the difference of two paired proportions (Tango 1998)."""
    _check_trials(cases)
    z = critical_z(level)
    upper = _tango_upper(first_only, second_only, cases, z)
    # The difference the other way round has the same limits, turned.
    return ConfidenceInterval(-_tango_upper(second_only, first_only, cases, z), upper)


@dataclass(frozen=True, slots=True)
class PredictiveValueIntervals:
    """Confidence intervals of both predictive values at a prevalence."""

    positive: ConfidenceInterval
    negative: ConfidenceInterval


def predictive_value_intervals(
    counts: tuple[float, float, float, float], prevalence: float, level: float
) -> PredictiveValueIntervals:
    """Return intervals of the predictive values at a prevalence, from the likelihood ratios.

    `counts` are TP, FN, FP and TN.
    """
    positive, negative = predictive_value_bands(counts, np.array(prevalence), level)
    return PredictiveValueIntervals(
        ConfidenceInterval(float(positive[0]), float(positive[1])),
        ConfidenceInterval(float(negative[0]), float(negative[1])),
    )


def predictive_value_bands(
    counts: tuple[float, float, float, float], prevalences: npt.ArrayLike, level: float
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return lower and upper limits of PPV, then of NPV, at many prevalences.

    The odds of a correct result are the odds of the class times LR+, and for a negative one
    divided by LR−, so the limits of the likelihood ratios (MOVER of Wilson limits on the log
    scale) are those of the predictive values.
    """
    from scipy.special import expit, logit

    tp, fn, fp, tn = counts
    _check_trials(tp + fn)
    _check_trials(fp + tn)
    odds = logit(np.asarray(prevalences, dtype=np.float64))
    trials = np.array([tp + fn, fp + tn])
    with np.errstate(divide="ignore"):
        positive, negative = (
            np.log(mover_log_intervals(np.array(successes), trials, (1, -1), level))
            for successes in ((tp, fp), (fn, tn))
        )
    # At a prevalence of 0 or 1 the likelihood ratio does not matter, even if it is 0 or infinite.
    certain = np.isinf(odds)

    def limit(prior: FloatArray, ratio: float) -> FloatArray:
        with np.errstate(invalid="ignore"):
            return np.asarray(expit(np.where(certain, prior, prior + ratio)), dtype=np.float64)

    return (
        (limit(odds, positive[0]), limit(odds, positive[1])),
        (limit(-odds, -negative[1]), limit(-odds, -negative[0])),
    )


def _check_trials(trials: float) -> None:
    if not trials > 0:
        raise ValueError(f"a share of {trials} cases has no limits")


def _as_float_arrays(
    successes: npt.ArrayLike, trials: npt.ArrayLike
) -> tuple[FloatArray, FloatArray]:
    return np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64)


def _pin_extremes(
    low: FloatArray, high: FloatArray, x: FloatArray, n: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Set the limits of proportions of 0 and 1 to exactly 0 and 1."""
    none, some = x == 0, n > 0
    return (
        np.where(some, np.where(none, 0.0, low), np.nan),
        np.where(some, np.where(x == n, 1.0, high), np.nan),
    )


def _combine_half_widths(first: float, second: float, correlation: float) -> float:
    # Rounding can bring a difference of equal squares below 0.
    return math.sqrt(max(0.0, first**2 - 2 * correlation * first * second + second**2))


def _tango_upper(b: float, c: float, n: float, z: float) -> float:
    """Return the upper limit: the difference from which the estimate is z standard errors off.

    Found by the Illinois method: false position, in which the weight of an end that stays twice
    is halved. It encloses the limit like bisection, in a sixth of the steps.
    """
    estimate = (b - c) / n

    def excess(difference: float) -> float:
        return estimate + z * _tango_standard_error(b, c, n, difference) - difference

    low, high, limit = estimate, 1.0, 1.0
    # Where the standard error of the estimate is 0, it is positive right above it.
    at_low, at_high, last_is_low = max(excess(low), 1 / n), excess(high), None
    for _ in range(MAX_TANGO_STEPS):
        if at_high >= 0:
            return high
        limit = (low * at_high - high * at_low) / (at_high - at_low)
        if not low < limit < high:
            break
        at_limit = excess(limit)
        if at_limit > 0:
            low, at_low = limit, at_limit
            at_high = at_high / 2 if last_is_low else at_high
        else:
            high, at_high = limit, at_limit
            at_low = at_low / 2 if last_is_low is False else at_low
        last_is_low = at_limit > 0
    return limit


def _tango_standard_error(b: float, c: float, n: float, difference: float) -> float:
    linear = (2 * n - b + c) * difference - b - c
    constant = -c * difference * (1 - difference)
    # The share of cases right by the second alone that is likeliest if this is the difference.
    share = (math.sqrt(max(0.0, linear**2 - 8 * n * constant)) - linear) / (4 * n)
    return math.sqrt(max(0.0, 2 * share + difference * (1 - difference)) / n)
