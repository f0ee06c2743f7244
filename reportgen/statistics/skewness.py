"""Confidence intervals of means of skewed numbers (Hall 1992)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]

# Below this the correction is smaller than rounding.
MIN_SKEWNESS = 1e-9


def hall_intervals(
    mean: npt.ArrayLike,
    standard_error: npt.ArrayLike,
    skewness: npt.ArrayLike,
    cases: npt.ArrayLike,
    quantile: npt.ArrayLike,
) -> tuple[FloatArray, FloatArray]:
    """Return intervals of means by Hall's monotone cubic transformation of the t statistic.

    The studentized mean T of skewed numbers is itself skewed; T + aT²/3 + a²T³/27 + a/6 with
    a = skewness / √n is not, to first order. The limits are those of T (Hall 1992).

    Args:
        mean: The means.
        standard_error: Their standard errors.
        skewness: The sample skewness of the numbers.
        cases: How many numbers there are.
        quantile: The two-sided quantile of the transformed statistic: z or Student's t.
    """
    a = np.asarray(skewness, dtype=np.float64) / np.sqrt(np.asarray(cases, dtype=np.float64))
    reach = np.asarray(quantile, dtype=np.float64)
    high, low = _inverse_transform(reach, a), _inverse_transform(-reach, a)
    centre, error = np.asarray(mean, dtype=np.float64), np.asarray(standard_error, dtype=np.float64)
    return centre - high * error, centre - low * error


def _inverse_transform(value: FloatArray, a: FloatArray) -> FloatArray:
    flat = np.abs(a) < MIN_SKEWNESS
    slope = np.where(flat, 1.0, a)
    cubic_root = 3 / slope * (np.cbrt(1 + slope * (value - slope / 6)) - 1)
    return np.asarray(np.where(flat, value, cubic_root), dtype=np.float64)
