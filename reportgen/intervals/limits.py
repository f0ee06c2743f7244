"""The ends of many intervals at once, kept inside the measure's range and around its value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.intervals.scales import back, onto, slope_at
from reportgen.measures.interval import Curve
from reportgen.measures.measure import AT_MOST_ONE, NOT_NEGATIVE, SIGNED_UNIT, UNIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Places
    from reportgen.measures import Range

# Closer to an end of the range than this, a value is at the end but for rounding.
ROUNDING = 1e-12


@frozen
class Limits:
    """Lower and upper ends with the name of the method; NaN and no name where there are none."""

    low: Numbers
    high: Numbers
    method: npt.NDArray[np.str_]

    @classmethod
    def named(cls, low: Numbers, high: Numbers, method: str) -> Limits:
        """Take limits that were all found by one method."""
        return cls(low, high, np.full(np.shape(low), method))

    def at(self, places: tuple[Places, ...]) -> Limits:
        """Return the limits at some places."""
        return Limits(self.low[places], self.high[places], self.method[places])

    def where(self, chosen: npt.NDArray[np.bool_], other: Limits) -> Limits:
        """Return these limits where chosen, the others elsewhere."""
        return Limits(
            np.where(chosen, self.low, other.low),
            np.where(chosen, self.high, other.high),
            np.where(chosen, self.method, other.method),
        )

    def around(self, value: Numbers, range_: Range) -> Limits:
        """Return the limits inside the range, widened to contain the value that was found."""
        least = -np.inf if range_.low is None else range_.low
        most = np.inf if range_.high is None else range_.high
        has = ~(np.isnan(self.low) | np.isnan(self.high) | np.isnan(value))
        with np.errstate(invalid="ignore"):
            low = np.minimum(np.clip(self.low, least, most), value)
            high = np.maximum(np.clip(self.high, least, most), value)
        return Limits(
            np.where(has, low, np.nan),
            np.where(has, high, np.nan),
            np.where(has, self.method, ""),
        )


def stacked(parts: Sequence[Limits]) -> Limits:
    """Put limits of one shape together along a new first axis."""
    return Limits(
        np.array([part.low for part in parts]),
        np.array([part.high for part in parts]),
        np.array([part.method for part in parts]),
    )


def delta_limits(
    value: Numbers, variance: Numbers, curve: Curve, quantile: Numbers | float
) -> Limits:
    """Return limits taken on a scale from the variance of the value itself."""
    with np.errstate(all="ignore"):
        half = quantile * np.sqrt(variance) * np.abs(slope_at(curve, value))
        one, other = (back(curve, onto(curve, value) + side * half) for side in (-1, 1))
    # On a scale that runs downwards the ends change places.
    return Limits.named(np.minimum(one, other), np.maximum(one, other), delta_name(curve))


def delta_name(curve: Curve) -> str:
    """Return the name of the delta method on a scale."""
    return "delta" if curve is Curve.PLAIN else f"delta, {curve.value}"


def at_an_end(value: Numbers, variance: Numbers, range_: Range) -> npt.NDArray[np.bool_]:
    """Tell where the delta method says nothing: without spread, or at an end of the range."""
    stuck = ~np.isfinite(value) | ~np.isfinite(variance) | ~(variance > 0)
    for end in (range_.low, range_.high):
        if end is not None:
            stuck |= np.abs(value - end) <= ROUNDING
    return stuck


def curve_of(range_: Range) -> Curve:
    """Return the scale whose values never leave the range."""
    curves = {
        UNIT: Curve.LOGIT,
        NOT_NEGATIVE: Curve.LOG,
        SIGNED_UNIT: Curve.FISHER_Z,
        AT_MOST_ONE: Curve.LOG_OF_REST,
    }
    return curves.get(range_, Curve.PLAIN)
