"""The paired t-test from sums against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_rel

from reportgen.statistics.paired_t import paired_mean_test


def test_the_test_from_sums_agrees_with_scipy() -> None:
    """Thirty pairs of squared errors."""
    rng = np.random.default_rng(3)
    first, second = rng.uniform(size=30) ** 2, rng.uniform(size=30) ** 2
    expected = ttest_rel(first, second)
    limits = expected.confidence_interval(0.9)

    found = paired_mean_test(
        float((first - second).mean()), float((first - second).var(ddof=1)), 30, 0.9
    )

    assert found.statistic == pytest.approx(expected.statistic, rel=1e-9)
    assert found.df == expected.df
    assert found.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert found.limits is not None
    assert found.limits.low == pytest.approx(limits.low, rel=1e-9)
    assert found.limits.high == pytest.approx(limits.high, rel=1e-9)


def test_cases_that_do_not_vary_give_no_statistic() -> None:
    """No difference anywhere: nothing speaks for one; the same everywhere: t would be infinite."""
    none = paired_mean_test(0.0, 0.0, 10, 0.95)
    constant = paired_mean_test(0.1, 0.0, 10, 0.95)

    assert (none.statistic, none.p, none.limits) == (None, 1.0, None)
    assert (constant.statistic, constant.p, constant.limits) == (None, None, None)


def test_a_single_case_cannot_be_tested() -> None:
    """It has no variance."""
    found = paired_mean_test(0.2, 0.0, 1, 0.95)

    assert (found.statistic, found.df, found.p) == (None, 0, None)
