"""Two samples of counts, against SciPy and statsmodels."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency, fisher_exact
from statsmodels.stats.proportion import proportions_ztest

from reportgen.statistics.contingency import homogeneity_test


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((30, 50, 20), (45, 30, 25)),
        ((500, 300, 150, 50), (450, 350, 160, 40)),
        ((80, 20), (70, 40)),
    ],
)
def test_chi_square_agrees_with_scipy(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    """Without Yates' correction, which is only for two kinds and conservative."""
    result = homogeneity_test(first, second)
    expected = chi2_contingency([first, second], correction=False)

    assert result is not None
    assert result.test == "chi-square"
    assert result.df == expected.dof
    assert result.statistic == pytest.approx(expected.statistic)
    assert result.p == pytest.approx(expected.pvalue)


def test_two_kinds_are_the_score_test_of_two_shares() -> None:
    """80 of 100 against 70 of 110: statsmodels' z-test pools the shares as well."""
    result = homogeneity_test((80, 20), (70, 40))
    z, p = proportions_ztest([80, 70], [100, 110])

    assert result is not None
    assert result.statistic == pytest.approx(z**2)
    assert result.p == pytest.approx(p)


@pytest.mark.parametrize(
    ("first", "second"),
    [((3, 1), (1, 9)), ((5, 0), (0, 5)), ((996, 4), (1000, 0)), ((1, 2), (2, 1))],
)
def test_few_cases_of_two_kinds_are_tested_exactly(
    first: tuple[int, int], second: tuple[int, int]
) -> None:
    """Where fewer than five are expected, chi-square would claim too much."""
    result = homogeneity_test(first, second)

    assert result is not None
    assert result.test == "Fisher"
    assert result.p == pytest.approx(fisher_exact([first, second]).pvalue)


def test_few_cases_of_many_kinds_are_drawn_anew() -> None:
    """Of 10 cases 4 are the first sample: all 210 ways to choose them are counted here.

    20,000 draws miss a chance of 0.03 by 0.0037 at most, but for three times in a thousand.
    """
    first, second = (3, 1, 0), (0, 2, 4)
    cases = "aaabbbcccc"
    result = homogeneity_test(first, second, seed=1)
    ways = [Counter(chosen) for chosen in combinations(cases, 4)]
    tables = [[[way[kind], cases.count(kind) - way[kind]] for kind in "abc"] for way in ways]
    statistics = [chi2_contingency(table).statistic for table in tables]
    here = chi2_contingency([first, second]).statistic
    exact = sum(statistic >= here - 1e-9 for statistic in statistics) / 210

    assert result is not None
    assert result.test == "permutation"
    assert result.p == pytest.approx(exact, abs=0.0037)
    assert result == homogeneity_test(first, second, seed=1)


def test_kinds_that_nobody_has_are_left_out() -> None:
    """They would only add degrees of freedom."""
    with_empty, without = (
        homogeneity_test((30, 0, 70), (45, 0, 55)),
        homogeneity_test((30, 70), (45, 55)),
    )

    assert with_empty == without


def test_nothing_is_tested_without_cases_and_one_kind_is_always_the_same() -> None:
    """An empty sample has no shares; a single kind has the share 1 in both."""
    assert homogeneity_test((0, 0), (3, 4)) is None
    only_one = homogeneity_test((10, 0), (20, 0))
    assert only_one is not None
    assert only_one.p == 1


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [(8, 12), (60, 45)])
def test_it_claims_a_difference_of_equal_shares_no_more_often_than_the_level(
    sizes: tuple[int, int],
) -> None:
    """Of 300 pairs of samples 15 are expected at 0.05; 28 would be three standard errors more."""
    random = np.random.default_rng(5)
    draws = [
        [random.multinomial(size, (0.6, 0.25, 0.1, 0.05)) for size in sizes] for _ in range(300)
    ]
    tested = [homogeneity_test(first, second) for first, second in draws]

    assert sum(item is not None and item.p <= 0.05 for item in tested) <= 28
