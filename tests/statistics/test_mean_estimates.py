"""Means over cases against SciPy's t-tests."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from reportgen.statistics.t_tests import estimate_mean

VALUES = np.random.default_rng(1).normal(0.3, 1.0, 40)


def test_limits_and_p_are_those_of_scipy() -> None:
    """From the sum and the sum of squares alone."""
    mean_estimate = estimate_mean(float(VALUES.sum()), float((VALUES**2).sum()), 40)
    expected = ttest_1samp(VALUES, 0.0)
    interval = expected.confidence_interval(0.9)

    assert mean_estimate is not None
    assert mean_estimate.statistic == pytest.approx(expected.statistic, rel=1e-12)
    assert mean_estimate.p == pytest.approx(expected.pvalue, rel=1e-10)
    assert mean_estimate.df == 39
    assert mean_estimate.interval(0.9) == pytest.approx((interval.low, interval.high), rel=1e-10)


def test_cases_counted_three_times_are_no_new_cases() -> None:
    """With a weight of 1/3 the interval is about that of the cases counted once."""
    once = estimate_mean(float(VALUES.sum()), float((VALUES**2).sum()), 40)
    thrice = estimate_mean(3 * float(VALUES.sum()), 3 * float((VALUES**2).sum()), 120, 1 / 3)

    assert once is not None
    assert thrice is not None
    assert thrice.df == pytest.approx(once.df)
    # The divisors of the variances are 39/40 and 119/120.
    ratio = thrice.standard_error / once.standard_error
    assert ratio == pytest.approx((39 / 40 * 120 / 119) ** 0.5)


@pytest.mark.parametrize(
    ("total", "squares", "cases"),
    [(0.1 * 10, 0.1**2 * 10, 10), (1.0, 1.0, 1), (float("inf"), float("inf"), 5)],
)
def test_what_does_not_vary_or_is_infinite_has_no_interval(
    total: float, squares: float, cases: float
) -> None:
    """Ten times 0.1, a single case, and an infinite loss."""
    assert estimate_mean(total, squares, cases) is None
