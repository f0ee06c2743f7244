"""Hall's intervals of means of skewed numbers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import skew, t, ttest_1samp

from reportgen.statistics.skewness import hall_intervals


def test_numbers_without_skewness_have_student_s_interval() -> None:
    """SciPy's t interval of symmetric numbers."""
    numbers = np.array([-3.0, -1.0, 0.0, 1.0, 3.0])
    expected = ttest_1samp(numbers, 0).confidence_interval(0.95)
    error = numbers.std(ddof=1) / np.sqrt(5)

    arrays = hall_intervals(numbers.mean(), error, skew(numbers), 5, t.ppf(0.975, 4))

    assert arrays == pytest.approx((expected.low, expected.high), rel=1e-12)


def test_the_mean_of_exponential_numbers_is_covered_on_both_sides() -> None:
    """20 exponential numbers: Student's interval misses 7 % above and less than 1 % below."""
    random = np.random.default_rng(7)
    numbers = random.exponential(size=(20_000, 20))
    error = numbers.std(axis=1, ddof=1) / np.sqrt(20)
    low, high = hall_intervals(
        numbers.mean(axis=1), error, skew(numbers, axis=1), 20, t.ppf(0.975, 19)
    )

    assert (low > 1).mean() == pytest.approx(0.025, abs=0.012)
    assert (high < 1).mean() == pytest.approx(0.025, abs=0.025)
    assert ((low <= 1) & (high >= 1)).mean() > 0.935
