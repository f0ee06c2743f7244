"""Quantiles and tails of the normal, chi-square and t distribution, from the standard library.

SciPy has those of the first two as well, but takes half a second to import, which a small report
would notice.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_STANDARD_NORMAL = NormalDist()
_NEAR_ONE = 1 - 1e-9
# From so many degrees of freedom on, a quantile of Student's t needs no SciPy.
_MANY_DEGREES = 1000


@lru_cache(maxsize=64)
def critical_z(level: float) -> float:
    """Return the z for which a standard normal variable lies within ±z with probability `level`."""
    if level > _NEAR_ONE:
        # The sum below would be rounded, at last to 1; the lower tail keeps its digits.
        return -norm_ppf((1 - level) / 2)
    return norm_ppf((1 + level) / 2)


def critical_t(degrees_of_freedom: float, level: float) -> float:
    """Return the t within ± which Student's t lies with probability `level`."""
    z = critical_z(level)
    if degrees_of_freedom >= _MANY_DEGREES:
        # Cornish and Fisher's expansion (Abramowitz and Stegun 26.7.5); at a level of 0.9999 the
        # relative error is about 1e-13.
        first = (z**3 + z) / 4
        second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
        inverse = 1 / degrees_of_freedom
        return z + inverse * (first + inverse * (second + inverse * (third + inverse * fourth)))
    from scipy.special import stdtrit

    if level > _NEAR_ONE:
        return -float(stdtrit(degrees_of_freedom, (1 - level) / 2))
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


def inverse_logit(log_odds: float) -> float:
    """Return the probability of which these are the log odds."""
    # The exponential of a large positive number would overflow.
    odds = math.exp(-abs(log_odds))
    return 1 / (1 + odds) if log_odds >= 0 else odds / (1 + odds)


def satterthwaite_df(squared_sum: float, quartic_sum: float, cases: float) -> float:
    """Return the degrees of freedom of a variance that is a sum of squared influences.

    The chi-square distribution with as many degrees of freedom has the mean and the variance of
    the estimate (Satterthwaite 1946): 2n / (kurtosis − 1).
    """
    spread = quartic_sum - squared_sum**2 / cases
    return 2 * squared_sum**2 / spread if spread > 0 else math.inf
