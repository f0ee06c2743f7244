"""Ranks over data sets come out as in Demšar's paper, in SciPy and by hand."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from reportgen.statistics.ranks import (
    critical_difference,
    dunn_vs_control,
    friedman_test,
    maximal_groups,
    nemenyi_p,
    rank_rows,
    studentized_range_isf,
    studentized_range_sf,
)

# Demšar 2006, Table 6: C4.5, C4.5+m, C4.5+cf, C4.5+m+cf over 14 data sets. The paper ranks C4.5+cf
# before C4.5+m+cf where it prints 0.975 for both, hence the fourth decimal (as in SciPy's tests).
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798],
        [0.599, 0.591, 0.590, 0.569],
        [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657],
        [0.882, 0.888, 0.886, 0.898],
        [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685],
        [0.583, 0.583, 0.563, 0.625],
        [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000],
        [0.940, 0.962, 0.965, 0.962],
        [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975],
        [0.957, 0.978, 0.946, 0.970],
    ]
)
RANKS = rank_rows(DEMSAR, higher_is_better=True)


def test_average_ranks_are_those_of_the_paper() -> None:
    """Demšar prints 3.143, 2.000, 2.893 and 1.964."""
    assert RANKS.mean(axis=0) == pytest.approx([3.143, 2.000, 2.893, 1.964], abs=5e-4)


def test_ranks_of_a_row_are_shared_by_equal_values() -> None:
    """Of 0.9, 0.8, 0.8, 0.7 the two in the middle share (2 + 3) / 2; a loss ranks the other way."""
    row = np.array([[0.9, 0.8, 0.8, 0.7]])

    assert rank_rows(row, higher_is_better=True).tolist() == [[1, 2.5, 2.5, 4]]
    assert rank_rows(row, higher_is_better=False).tolist() == [[4, 2.5, 2.5, 1]]


def test_values_that_differ_by_rounding_alone_are_tied() -> None:
    """0.1 + 0.2 is 0.3, whatever floating point makes of it."""
    row = np.array([[0.1 + 0.2, 0.3]])

    assert rank_rows(row, higher_is_better=True).tolist() == [[1.5, 1.5]]


def test_friedman_without_ties_is_that_of_the_paper() -> None:
    """Demšar prints 9.28, and F = 13 · 9.28 / (14 · 3 − 9.28) = 3.69; he does not correct ties."""
    result = friedman_test(RANKS)

    assert result is not None
    assert result.chi_square_without_tie_correction == pytest.approx(9.28, abs=0.005)
    assert 13 * result.chi_square_without_tie_correction / (
        42 - result.chi_square_without_tie_correction
    ) == pytest.approx(3.69, abs=0.005)


@pytest.mark.parametrize("seed", range(5))
def test_friedman_with_ties_is_that_of_scipy(seed: int) -> None:
    """SciPy corrects for ties; whole numbers from 0 to 4 have many."""
    values = np.random.default_rng(seed).integers(0, 5, size=(9, 4)).astype(float)
    result = friedman_test(rank_rows(values, higher_is_better=False))
    expected = stats.friedmanchisquare(*values.T)

    assert result is not None
    assert (result.chi_square, result.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_iman_davenport_is_the_f_of_an_analysis_of_variance_of_the_ranks() -> None:
    """It is the two-way F of the ranks: columns against what rows and columns leave over."""
    rows, columns = RANKS.shape
    between = rows * ((RANKS.mean(axis=0) - 2.5) ** 2).sum()
    # Every row has the mean 2.5, so rows take up nothing.
    left = ((RANKS - 2.5) ** 2).sum() - between
    f = (between / (columns - 1)) / (left / ((columns - 1) * (rows - 1)))
    result = friedman_test(RANKS)

    assert result is not None
    assert result.f_statistic == pytest.approx(f)
    assert result.f_df == (3, 39)
    assert result.f_p == pytest.approx(stats.f.sf(f, 3, 39))


def test_the_same_order_everywhere_has_an_infinite_f_and_its_exact_chance() -> None:
    """Three rows of one order of three: the second and third had each 1 chance in 3! = 6."""
    result = friedman_test(np.array([[1.0, 2.0, 3.0]] * 3))

    assert result is not None
    assert result.f_statistic is None
    assert result.f_p == pytest.approx((1 / 6) ** 2)


def test_the_chance_of_one_order_knows_ties() -> None:
    """1, 2.5, 2.5 can be arranged in 3!/2! = 3 ways only."""
    result = friedman_test(np.array([[1.0, 2.5, 2.5]] * 3))

    assert result is not None
    assert result.f_p == pytest.approx((1 / 3) ** 2)


def test_all_tied_everywhere_is_no_test() -> None:
    """0/0 is undefined, not a p-value of 1."""
    assert friedman_test(np.full((5, 3), 2.0)) is None


def test_critical_values_are_those_of_the_table() -> None:
    """Demšar, Table 5a at 0.05 for 2 to 10 classifiers; 2.343 and 2.949 are 2.3437 and 2.9483."""
    table = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164]
    ratios = [studentized_range_isf(0.05, number) / math.sqrt(2) for number in range(2, 11)]

    assert ratios == pytest.approx(table, abs=1e-3)


@pytest.mark.parametrize("columns", [2, 3, 7, 20])
@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.001])
def test_the_studentized_range_is_that_of_scipy(columns: int, alpha: float) -> None:
    """With infinite degrees of freedom."""
    expected = float(stats.studentized_range.isf(alpha, columns, np.inf))

    assert studentized_range_isf(alpha, columns) == pytest.approx(expected, rel=1e-9)
    assert studentized_range_sf(expected, columns) == pytest.approx(alpha, rel=1e-9)


def test_the_critical_difference_is_that_of_the_paper() -> None:
    """Demšar: 2.569 · √(4 · 5 / (6 · 14)) = 1.25 at 0.05, and 1.12 at 0.1."""
    assert critical_difference(0.05, 4, 14) == pytest.approx(1.25, abs=0.005)
    assert critical_difference(0.10, 4, 14) == pytest.approx(1.12, abs=0.005)


def test_a_difference_at_the_critical_one_has_the_p_value_alpha() -> None:
    """The p-value and the critical difference are two readings of one test."""
    assert nemenyi_p(critical_difference(0.05, 5, 12), 5, 12) == pytest.approx(0.05)
    assert nemenyi_p(-critical_difference(0.05, 5, 12), 5, 12) == pytest.approx(0.05)


def test_z_against_a_control_is_that_of_the_paper() -> None:
    """Demšar, with C4.5 as control and a standard error of 0.488: 2.416, 2.342 and 0.512."""
    control, with_m, with_cf, with_both = RANKS.mean(axis=0)
    result = [dunn_vs_control(control - other, 4, 14) for other in (with_both, with_m, with_cf)]

    assert [z for z, _ in result] == pytest.approx([2.416, 2.342, 0.512], abs=1e-3)
    assert [p for _, p in result] == pytest.approx([0.016, 0.019, 0.607], abs=2e-3)


def test_groups_are_the_largest_in_which_all_are_linked() -> None:
    """B and c are linked with a and with each other, d with c only; e with none."""
    links = {frozenset(pair) for pair in ("ab", "ac", "bc", "cd")}

    assert maximal_groups("abcde", links) == [["a", "b", "c"], ["c", "d"]]
    assert maximal_groups("abc", set()) == []


@pytest.mark.parametrize("seed", range(5))
def test_maximal_groups_are_those_of_brute_force(seed: int) -> None:
    """Of seven members all subsets can be tried."""
    rng = np.random.default_rng(seed)
    members = "abcdefg"
    links = {frozenset(pair) for pair in combinations(members, 2) if rng.random() < 0.5}
    complete = [
        set(group)
        for size in range(2, 8)
        for group in combinations(members, size)
        if all(frozenset(pair) in links for pair in combinations(group, 2))
    ]
    largest = [group for group in complete if not any(group < other for other in complete)]

    result = maximal_groups(members, links)

    assert sorted(result) == sorted(sorted(group) for group in largest)
