"""Means of one number per case: Student's t from sums and sums of squares."""

from __future__ import annotations

import math

from reportgen.frozen import frozen

# Sums of equal numbers leave a variance of rounding errors, far below this share of the squares.
ROUNDING = 1e-12


@frozen
class CaseMean:
    """A mean over cases, its standard error and degrees of freedom."""

    mean: float
    standard_error: float
    df: float

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the mean."""
        from scipy.special import stdtrit

        reach = float(stdtrit(self.df, 0.5 + level / 2)) * self.standard_error
        return self.mean - reach, self.mean + reach

    @property
    def statistic(self) -> float:
        """How many standard errors the mean is away from 0."""
        return self.mean / self.standard_error

    @property
    def p(self) -> float:
        """The chance of a mean at least as far from 0, were it 0."""
        from scipy.special import stdtr

        return 2 * float(stdtr(self.df, -abs(self.statistic)))


def case_mean(total: float, squares: float, cases: float, weight: float = 1.0) -> CaseMean | None:
    """Return the mean of numbers by their sum and sum of squares; None if they do not vary.

    `weight` is below 1 where cases were counted several times: a repetition is no new case.
    """
    different = cases * weight
    if different <= 1 or not (math.isfinite(total) and math.isfinite(squares)):
        return None
    spread = squares - total * total / cases
    if spread <= ROUNDING * squares:
        return None
    error = math.sqrt(spread / (cases - 1) / different)
    return CaseMean(total / cases, error, different - 1)
