"""t-tests of paired differences over folds, and Student's t for means of cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.distributions import critical_t

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.statistics.wilcoxon import FloatArray, Tails


PAIRED_T, CORRECTED_RESAMPLED_T = "paired t", "corrected resampled t"
T_5X2CV, F_5X2CV = "5x2cv t", "5x2cv F"
MIN_FOLDS = 2
REPEATS_5X2CV, FOLDS_5X2CV = 5, 2
# Differences whose range is below this fraction of the largest are equal but for rounding.
RANGE_TOLERANCE = 1e-12

TOO_FEW_FOLDS = "one fold has no spread to judge a difference by"
NO_DIFFERENCE_IN_ANY_FOLD = "both have the same value in every fold"
CONSTANT_DIFFERENCE = (
    "the difference is the same in every fold, so there is no spread to judge it by"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldTest:
    """The mean difference over folds with its test; `reason` is why a result is missing."""

    name: str
    estimate: float
    standard_error: float | None = None
    statistic: float | None = None
    df: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


def paired_ttest(
    differences: Sequence[float] | FloatArray, level: float, tails: Tails = "two"
) -> FoldTest:
    """Test the mean difference by the standard paired t-test; one tail: whether it is above 0.

    Anti-conservative for cross-validation, whose folds share training cases.
    """
    return _fold_ttest(PAIRED_T, differences, 0.0, level, tails)


def corrected_resampled_ttest(
    differences: Sequence[float] | FloatArray,
    test_train_ratio: float,
    level: float,
    tails: Tails = "two",
) -> FoldTest:
    """Test the mean difference by the corrected resampled t-test (Nadeau and Bengio 2003).

    With J folds the variance of the mean is (1/J + n_test/n_train)·s².
    """
    return _fold_ttest(CORRECTED_RESAMPLED_T, differences, test_train_ratio, level, tails)


def ttest_5x2cv(
    differences: Sequence[Sequence[float]] | FloatArray, tails: Tails = "two"
) -> tuple[FoldTest, FoldTest]:
    """Run the 5×2cv tests: Dietterich's t (1998) and Alpaydin's two-sided F (1999)."""
    from scipy.special import fdtrc

    table = np.asarray(differences, dtype=np.float64)
    if table.shape != (REPEATS_5X2CV, FOLDS_5X2CV):
        raise ValueError(f"5x2cv needs five repeats of two folds, not {table.shape}")
    mean = float(table.mean())
    variances = ((table - table.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    spread = float(variances.sum())
    if math.sqrt(spread) <= RANGE_TOLERANCE * float(np.abs(table).max()):
        return _zero_variance_result(T_5X2CV, mean), _zero_variance_result(F_5X2CV, mean)
    t = float(table[0, 0]) / math.sqrt(spread / REPEATS_5X2CV)
    f = float((table**2).sum()) / (FOLDS_5X2CV * spread)
    return (
        FoldTest(
            name=T_5X2CV, estimate=mean, statistic=t, df=REPEATS_5X2CV, p=_t_p_value(t, 5, tails)
        ),
        FoldTest(
            name=F_5X2CV,
            estimate=mean,
            statistic=f,
            df=REPEATS_5X2CV * FOLDS_5X2CV,
            p=float(fdtrc(REPEATS_5X2CV * FOLDS_5X2CV, REPEATS_5X2CV, f)),
        ),
    )


def _fold_ttest(
    name: str,
    differences: Sequence[float] | FloatArray,
    test_train_ratio: float,
    level: float,
    tails: Tails,
) -> FoldTest:
    values = np.asarray(differences, dtype=np.float64)
    if not values.size:
        raise ValueError("a test over folds needs at least one difference")
    mean = float(values.mean())
    if len(values) < MIN_FOLDS:
        return FoldTest(name=name, estimate=mean, reason=TOO_FEW_FOLDS)
    if float(np.ptp(values)) <= RANGE_TOLERANCE * float(np.abs(values).max()):
        return _zero_variance_result(name, mean)
    df = len(values) - 1
    standard_error = float(values.std(ddof=1)) * math.sqrt(1 / len(values) + test_train_ratio)
    statistic = mean / standard_error
    half_width = critical_t(df, level) * standard_error
    return FoldTest(
        name=name,
        estimate=mean,
        standard_error=standard_error,
        statistic=statistic,
        df=df,
        p=_t_p_value(statistic, df, tails),
        low=mean - half_width,
        high=mean + half_width,
    )


def _zero_variance_result(name: str, mean: float) -> FoldTest:
    """Return the result for differences without variance: p = 1 if all are 0, else no test."""
    if mean == 0:
        return FoldTest(name=name, estimate=0.0, p=1.0, reason=NO_DIFFERENCE_IN_ANY_FOLD)
    return FoldTest(name=name, estimate=mean, reason=CONSTANT_DIFFERENCE)


def _t_p_value(statistic: float, df: float, tails: Tails) -> float:
    from scipy.special import stdtr

    if tails == "one":
        return float(stdtr(df, -statistic))
    return float(2 * stdtr(df, -abs(statistic)))


# A variance below this fraction of the sum of squares is rounding error.
VARIANCE_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class MeanEstimate:
    """A mean over cases with its standard error and degrees of freedom."""

    mean: float
    standard_error: float
    df: float

    def interval(self, level: float) -> tuple[float, float]:
        """Return the t interval of the mean."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.df, 0.5 + level / 2)) * self.standard_error
        return self.mean - reach, self.mean + reach

    @property
    def statistic(self) -> float:
        """The t statistic of the hypothesis that the mean is 0."""
        return self.mean / self.standard_error

    @property
    def p(self) -> float:
        """The two-sided p-value of that hypothesis."""
        from scipy.special import stdtr

        return 2 * float(stdtr(self.df, -abs(self.statistic)))


def estimate_mean(
    total: float, squared_sum: float, cases: float, weight: float = 1.0
) -> MeanEstimate | None:
    """Return the mean from a sum and a sum of squares; None if the numbers do not vary.

    `weight` is the effective number of cases per case, below 1 where cases were repeated.
    """
    different = cases * weight
    if different <= 1 or not (math.isfinite(total) and math.isfinite(squared_sum)):
        return None
    spread = squared_sum - total * total / cases
    if spread <= VARIANCE_TOLERANCE * squared_sum:
        return None
    error = math.sqrt(spread / (cases - 1) / different)
    return MeanEstimate(total / cases, error, different - 1)
