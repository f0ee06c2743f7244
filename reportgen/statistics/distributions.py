"""Quantiles and tails of the normal and the chi-square distribution, from the standard library.

SciPy has them too, but takes half a second to import, which a small report would notice.
"""

from __future__ import annotations

import math
from statistics import NormalDist

_STANDARD_NORMAL = NormalDist()


def critical_z(level: float) -> float:
    """Return the z for which a standard normal variable lies within ±z with probability `level`."""
    return norm_ppf((1 + level) / 2)


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
