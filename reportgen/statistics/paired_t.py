"""The paired t-test from sums: is the mean of differences per case other than 0?"""

from __future__ import annotations

import math
from dataclasses import dataclass

from reportgen.statistics.proportions import Limits


@dataclass(frozen=True, slots=True)
class PairedMeanTest:
    """Student's t of a mean difference; None where all cases differ by the same, or are too few.

    Where no case differs at all nothing speaks for a difference: p is 1.
    """

    statistic: float | None
    df: int
    p: float | None
    limits: Limits | None


def paired_mean_test(
    mean_difference: float, variance_of_differences: float, cases: int, level: float
) -> PairedMeanTest:
    """Test a mean of differences; the variance is the sample's, with one less than the cases."""
    from scipy.special import stdtr, stdtrit

    df = cases - 1
    if df < 1 or not variance_of_differences > 0:
        no_difference = df >= 1 and mean_difference == 0
        return PairedMeanTest(None, max(df, 0), 1.0 if no_difference else None, None)
    error = math.sqrt(variance_of_differences / cases)
    statistic = mean_difference / error
    half = float(stdtrit(df, (1 + level) / 2)) * error
    return PairedMeanTest(
        statistic,
        df,
        float(2 * stdtr(df, -abs(statistic))),
        Limits(mean_difference - half, mean_difference + half),
    )
