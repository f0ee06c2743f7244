"""Quantiles and tails of the normal, chi-square and t distribution, from the standard library.

SciPy has those of the first two as well, but takes half a second to import, which a small report
would notice.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_STANDARD_NORMAL = NormalDist()


def critical_z(level: float) -> float:
    """Return the z for which a standard normal variable lies within ±z with probability `level`."""
    return norm_ppf((1 + level) / 2)


def critical_t(degrees_of_freedom: float, level: float) -> float:
    """Return the t within ± which Student's t lies with probability `level`."""
    from scipy.special import stdtrit

    if math.isinf(degrees_of_freedom):
        return critical_z(level)
    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def norm_ppf(probability: float) -> float:
    """Return the quantile of the standard normal distribution (inverse CDF, probit)."""
    if probability in {0.0, 1.0}:
        return math.copysign(math.inf, probability - 0.5)
    return _STANDARD_NORMAL.inv_cdf(probability)


def chi2_sf(statistic: float) -> float:
    """Return the survival function of chi-square with one degree of freedom."""
    return math.erfc(math.sqrt(statistic / 2))


def chi2_isf(alpha: float) -> float:
    """Return the critical value of chi-square with one degree of freedom at level `alpha`."""
    return norm_ppf(alpha / 2) ** 2


def satterthwaite_df(squared_sum: float, quartic_sum: float, cases: float) -> float:
    """Return the degrees of freedom of a variance that is a sum of squared influences.

    The chi-square distribution with as many degrees of freedom has the mean and the variance of
    the estimate (Satterthwaite 1946): 2n / (kurtosis − 1).
    """
    spread = quartic_sum - squared_sum**2 / cases
    return 2 * squared_sum**2 / spread if spread > 0 else math.inf
