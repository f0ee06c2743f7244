"""Tests of the differences of two classifiers over the same folds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.statistics.wilcoxon import Floats, Tails

PAIRED_T, CORRECTED_T = "paired t", "corrected t"
FIVE_BY_TWO_T, FIVE_BY_TWO_F = "5x2cv t", "5x2cv F"
FEWEST = 2
REPEATS, FOLDS = 5, 2
# Differences whose spread is below this share of the largest are equal but for rounding.
ROUNDING = 1e-12

TOO_FEW = "one fold has no spread to judge a difference by"
NO_DIFFERENCE = "both have the same value in every fold"
ALL_EQUAL = "the difference is the same in every fold, so there is no spread to judge it by"


@frozen(kw_only=True)
class FoldTest:
    """A mean difference over folds and what a test makes of it; `reason` says what is missing."""

    name: str
    estimate: float
    standard_error: float | None = None
    statistic: float | None = None
    df: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def paired_t(differences: Sequence[float] | Floats, level: float, tails: Tails = "two") -> FoldTest:
    """Test the mean difference as if the folds were independent; one tail: whether it is above 0.

    Too optimistic for cross-validation, whose folds share training cases.
    """
    return _t_test(PAIRED_T, differences, 0.0, level, tails)


def corrected_t(
    differences: Sequence[float] | Floats, ratio: float, level: float, tails: Tails = "two"
) -> FoldTest:
    """Test the mean difference by Nadeau and Bengio: with n folds its variance is (1/n + ratio)·s².

    The ratio is that of test to training cases.
    """
    return _t_test(CORRECTED_T, differences, ratio, level, tails)


def five_by_two(
    differences: Sequence[Sequence[float]] | Floats, tails: Tails = "two"
) -> tuple[FoldTest, FoldTest]:
    """Test five repeats of two folds by Dietterich's t and by Alpaydin's F, which has no tails."""
    from scipy.special import fdtrc

    table = np.asarray(differences, dtype=np.float64)
    if table.shape != (REPEATS, FOLDS):
        raise ValueError(f"5x2cv needs five repeats of two folds, not {table.shape}")
    mean = float(table.mean())
    variances = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    spread = float(variances.sum())
    if math.sqrt(spread) <= ROUNDING * float(np.abs(table).max()):
        return _without_spread(FIVE_BY_TWO_T, mean), _without_spread(FIVE_BY_TWO_F, mean)
    t = float(table[0, 0]) / math.sqrt(spread / REPEATS)
    f = float((table**2).sum()) / (FOLDS * spread)
    return (
        FoldTest(name=FIVE_BY_TWO_T, estimate=mean, statistic=t, df=REPEATS, p=_p(t, 5, tails)),
        FoldTest(
            name=FIVE_BY_TWO_F,
            estimate=mean,
            statistic=f,
            df=REPEATS * FOLDS,
            p=float(fdtrc(REPEATS * FOLDS, REPEATS, f)),
        ),
    )


def critical_t(df: float, level: float) -> float:
    """Return the value that t exceeds, in size, in a share of 1 − level of samples."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + level) / 2))


def _t_test(
    name: str, differences: Sequence[float] | Floats, ratio: float, level: float, tails: Tails
) -> FoldTest:
    values = np.asarray(differences, dtype=np.float64)
    if not values.size:
        raise ValueError("a test over folds needs at least one difference")
    mean = float(values.mean())
    if len(values) < FEWEST:
        return FoldTest(name=name, estimate=mean, reason=TOO_FEW)
    if float(np.ptp(values)) <= ROUNDING * float(np.abs(values).max()):
        return _without_spread(name, mean)
    df = len(values) - 1
    standard_error = float(values.std(ddof=1)) * math.sqrt(1 / len(values) + ratio)
    statistic = mean / standard_error
    half_width = critical_t(df, level) * standard_error
    return FoldTest(
        name=name,
        estimate=mean,
        standard_error=standard_error,
        statistic=statistic,
        df=df,
        p=_p(statistic, df, tails),
        low=mean - half_width,
        high=mean + half_width,
    )


def _without_spread(name: str, mean: float) -> FoldTest:
    """Say that nothing speaks for a difference where there is none, and else nothing."""
    if mean == 0:
        return FoldTest(name=name, estimate=0.0, p=1.0, reason=NO_DIFFERENCE)
    return FoldTest(name=name, estimate=mean, reason=ALL_EQUAL)


def _p(statistic: float, df: float, tails: Tails) -> float:
    from scipy.special import stdtr

    if tails == "one":
        return float(stdtr(df, -statistic))
    return float(2 * stdtr(df, -abs(statistic)))
