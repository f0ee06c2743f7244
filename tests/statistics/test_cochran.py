"""Cochran's Q against statsmodels and against McNemar's chi-square."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import cochrans_q

from reportgen.statistics.paired_tests import CochranQ, cochran_q, mcnemar_test

PATTERNS = np.array(list(product((0, 1), repeat=3)))


def q_of(patterns: np.ndarray, counts: list[int]) -> CochranQ:
    """Sum up patterns of right (1) and wrong (0), one column per classifier, and test them."""
    times = np.array(counts)
    return cochran_q(times @ patterns, float(times @ patterns.sum(axis=1) ** 2))


@given(st.lists(st.integers(0, 30), min_size=8, max_size=8).filter(lambda item: sum(item[1:7]) > 0))
def test_q_agrees_with_statsmodels(counts: list[int]) -> None:
    """Three classifiers, all patterns of right and wrong."""
    expected = cochrans_q(np.repeat(PATTERNS, counts, axis=0))
    result = q_of(PATTERNS, counts)

    assert result.statistic == pytest.approx(expected.statistic, rel=1e-9, abs=1e-12)
    assert result.p == pytest.approx(expected.pvalue, rel=1e-9)
    assert result.df == 2


def test_q_of_two_classifiers_is_mcnemars_chi_square() -> None:
    """25 right by the first alone, 12 by the second alone."""
    result = q_of(np.array([[1, 1], [1, 0], [0, 1], [0, 0]]), [150, 25, 12, 13])

    assert result.statistic == pytest.approx(mcnemar_test(25, 12).chi_square)
    assert result.p == pytest.approx(mcnemar_test(25, 12).chi_square_p)


def test_classifiers_right_on_the_same_cases_have_no_q() -> None:
    """0/0 is undefined."""
    result = q_of(np.array([[1, 1, 1], [0, 0, 0]]), [8, 2])

    assert (result.statistic, result.p) == (None, None)
