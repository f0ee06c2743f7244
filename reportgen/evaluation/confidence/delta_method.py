"""The delta method on the scale of a link function, and arrays of confidence intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

import numpy as np

from reportgen.measures.measure import AT_MOST_ONE, NONNEGATIVE, SIGNED_UNIT, UNIT, LinkFunction

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.measures import ValueRange
    from reportgen.statistics import FloatArray, IndexArray


def link_forward(link: LinkFunction, value: FloatArray | float) -> FloatArray:
    """Return the link function of a value."""
    value = np.asarray(value, dtype=np.float64)
    with np.errstate(all="ignore"):
        match link:
            case LinkFunction.IDENTITY:
                return value
            case LinkFunction.LOG:
                return np.log(value)
            case LinkFunction.LOGIT:
                return np.log(value) - np.log1p(-value)
            case LinkFunction.FISHER_Z:
                return np.arctanh(value)
            case LinkFunction.COMPLEMENTARY_LOG:
                return np.log(1 - value)
            case _:
                assert_never(link)


def link_derivative(link: LinkFunction, value: FloatArray | float) -> FloatArray:
    """Return the derivative of the link function at a value."""
    value = np.asarray(value, dtype=np.float64)
    with np.errstate(all="ignore"):
        match link:
            case LinkFunction.IDENTITY:
                return np.ones_like(value)
            case LinkFunction.LOG:
                return 1 / value
            case LinkFunction.LOGIT:
                return 1 / (value * (1 - value))
            case LinkFunction.FISHER_Z:
                return 1 / (1 - value * value)
            case LinkFunction.COMPLEMENTARY_LOG:
                return -1 / (1 - value)
            case _:
                assert_never(link)


def link_inverse(link: LinkFunction, value: FloatArray | float) -> FloatArray:
    """Return the inverse of the link function."""
    value = np.asarray(value, dtype=np.float64)
    with np.errstate(all="ignore"):
        match link:
            case LinkFunction.IDENTITY:
                return value
            case LinkFunction.LOG:
                return np.exp(value)
            case LinkFunction.LOGIT:
                return 1 / (1 + np.exp(-value))
            case LinkFunction.FISHER_Z:
                return np.tanh(value)
            case LinkFunction.COMPLEMENTARY_LOG:
                return 1 - np.exp(value)
            case _:
                assert_never(link)


# A value closer to an end of the range than this is at the end, up to rounding.
BOUNDARY_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class ConfidenceIntervals:
    """Lower and upper limits with the method; NaN and no method where there is no interval."""

    low: FloatArray
    high: FloatArray
    method: npt.NDArray[np.str_]

    @classmethod
    def from_method(cls, low: FloatArray, high: FloatArray, method: str) -> ConfidenceIntervals:
        """Return intervals that were all computed by one method."""
        return cls(low, high, np.full(np.shape(low), method))

    def with_suffix(self, suffix: str) -> ConfidenceIntervals:
        """Return the intervals with more in the name of the method, where there is one."""
        method_names = [f"{method}{suffix}" if method else "" for method in self.method.ravel()]
        method = np.array(method_names).reshape(self.method.shape)
        return ConfidenceIntervals(self.low, self.high, method)

    def select(self, indices: tuple[IndexArray, ...]) -> ConfidenceIntervals:
        """Return the intervals at some indices."""
        return ConfidenceIntervals(self.low[indices], self.high[indices], self.method[indices])

    def where(self, mask: npt.NDArray[np.bool_], other: ConfidenceIntervals) -> ConfidenceIntervals:
        """Return these intervals where the mask holds, the others where not."""
        return ConfidenceIntervals(
            np.where(mask, self.low, other.low),
            np.where(mask, self.high, other.high),
            np.where(mask, self.method, other.method),
        )

    def clip_to_range(self, value: FloatArray, range_: ValueRange) -> ConfidenceIntervals:
        """Return the intervals clipped to the range and widened to contain the estimate."""
        least = -np.inf if range_.low is None else range_.low
        most = np.inf if range_.high is None else range_.high
        has = ~(np.isnan(self.low) | np.isnan(self.high) | np.isnan(value))
        with np.errstate(invalid="ignore"):
            low = np.minimum(np.clip(self.low, least, most), value)
            high = np.maximum(np.clip(self.high, least, most), value)
        return ConfidenceIntervals(
            np.where(has, low, np.nan),
            np.where(has, high, np.nan),
            np.where(has, self.method, ""),
        )


def stack_intervals(intervals: Sequence[ConfidenceIntervals]) -> ConfidenceIntervals:
    """Stack intervals of one shape along a new first axis."""
    return ConfidenceIntervals(
        np.array([part.low for part in intervals]),
        np.array([part.high for part in intervals]),
        np.array([part.method for part in intervals]),
    )


def delta_intervals(
    value: FloatArray, variance: FloatArray, link: LinkFunction, quantile: FloatArray | float
) -> ConfidenceIntervals:
    """Return intervals on the scale of a link function from the variance of the estimate."""
    with np.errstate(all="ignore"):
        half = quantile * np.sqrt(variance) * np.abs(link_derivative(link, value))
        one, other = (
            link_inverse(link, link_forward(link, value) + side * half) for side in (-1, 1)
        )
    # On a scale that runs downwards the ends change places.
    return ConfidenceIntervals.from_method(
        np.minimum(one, other), np.maximum(one, other), delta_method_name(link)
    )


def delta_method_name(link: LinkFunction) -> str:
    """Return the name of the delta method with a link function."""
    return "delta" if link is LinkFunction.IDENTITY else f"delta, {link.value}"


def is_degenerate(
    value: FloatArray, variance: FloatArray, range_: ValueRange
) -> npt.NDArray[np.bool_]:
    """Return where the delta method fails: no variance, or an estimate at the end of the range."""
    has_no_interval = ~np.isfinite(value) | ~np.isfinite(variance) | ~(variance > 0)
    for end in (range_.low, range_.high):
        if end is not None:
            has_no_interval |= np.abs(value - end) <= BOUNDARY_TOLERANCE
    return has_no_interval


def default_link(range_: ValueRange) -> LinkFunction:
    """Return the link function whose inverse never leaves the range."""
    curves = {
        UNIT: LinkFunction.LOGIT,
        NONNEGATIVE: LinkFunction.LOG,
        SIGNED_UNIT: LinkFunction.FISHER_Z,
        AT_MOST_ONE: LinkFunction.COMPLEMENTARY_LOG,
    }
    return curves.get(range_, LinkFunction.IDENTITY)
