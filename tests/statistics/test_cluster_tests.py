"""Tests of clustered matched pairs, against arithmetic by hand and brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar

from reportgen.statistics.cluster_tests import (
    cluster_swap_tests,
    durkalski_chi_square,
    obuchowski_chi_square,
)

# The first six patients of Obuchowski (1998): glands judged right by both, by SPECT alone, by
# neither; none is judged right by PET alone. Published statistics are of all 21 patients.
BOTH = np.array([0.0, 2, 3, 1, 2, 4])
FIRST_ONLY = np.zeros(6)
SECOND_ONLY = np.array([2.0, 1, 0, 0, 1, 0])
NEITHER = np.array([1.0, 0, 0, 0, 0, 0])


def test_obuchowski_by_hand() -> None:
    """B − c is −2, −1 and −1 in three of six patients: (5/6) · 4² / (4 + 1 + 1)."""
    value = obuchowski_chi_square(FIRST_ONLY, SECOND_ONLY)

    assert value == pytest.approx(5 / 6 * 16 / 6)


def test_durkalski_by_hand() -> None:
    """(b − c) / n is −2/3, −1/3 and −1/3: (4/3)² / (4/9 + 1/9 + 1/9)."""
    sizes = BOTH + FIRST_ONLY + SECOND_ONLY + NEITHER

    value = durkalski_chi_square(FIRST_ONLY, SECOND_ONLY, sizes)

    assert value == pytest.approx((16 / 9) / (6 / 9))


def test_pairs_that_agree_everywhere_have_no_chi_square() -> None:
    """There is no variance to judge a difference by."""
    assert obuchowski_chi_square(FIRST_ONLY, FIRST_ONLY) is None
    assert durkalski_chi_square(FIRST_ONLY, FIRST_ONLY, BOTH + 1) is None


def test_swaps_are_enumerated_as_by_brute_force() -> None:
    """Every combination of swapped clusters is as likely as every other."""
    rng = np.random.default_rng(4)
    differences = rng.normal(0.4, 1, (9, 2))

    swap_tests = cluster_swap_tests(differences, seed=1)

    observed = np.abs(differences.sum(axis=0))
    sums = np.array([np.array(signs) @ differences for signs in product((-1, 1), repeat=9)])
    expected = (np.abs(sums) >= observed - 1e-12).mean(axis=0)
    assert swap_tests.exact
    assert swap_tests.p_values == pytest.approx(expected)


def test_single_cases_give_the_exact_mcnemar_test() -> None:
    """Swapping single discordant cases is a binomial test with probability ½."""
    from scipy.stats import binomtest

    differences = np.array([[1.0]] * 9 + [[-1.0]] * 3 + [[0.0]] * 20)

    swap_tests = cluster_swap_tests(differences, seed=1)

    assert swap_tests.p_values[0] == pytest.approx(binomtest(9, 12).pvalue)


def test_counts_stand_for_identical_units() -> None:
    """A row that stands for three units equals three rows."""
    differences = np.array([[1.0], [-1.0], [0.5]])
    counts = np.array([3.0, 2.0, 4.0])

    counted = cluster_swap_tests(differences, counts, seed=1)
    expanded = cluster_swap_tests(np.repeat(differences, [3, 2, 4], axis=0), seed=1)

    assert counted.p_values == pytest.approx(expanded.p_values)
    assert counted.statistics == pytest.approx(expanded.statistics)


def test_a_larger_difference_has_a_smaller_p_value_beyond_the_resolution() -> None:
    """Sampled swaps have no floor: the normal tail goes on."""
    rng = np.random.default_rng(7)
    noise = rng.normal(0, 1, 200)
    differences = np.column_stack([noise + 0.6, noise + 0.8, noise + 1.0])

    swap_tests = cluster_swap_tests(differences, seed=1)

    assert not swap_tests.exact
    assert swap_tests.p_values[0] > swap_tests.p_values[1] > swap_tests.p_values[2]
    assert swap_tests.p_values[2] < 1e-9


def test_sampled_swaps_agree_with_the_t_test_of_many_clusters() -> None:
    """With 300 clusters both p-values are nearly the same (SciPy's one-sample t-test)."""
    from scipy.stats import ttest_1samp

    differences = np.random.default_rng(3).normal(0.1, 1, (300, 1))

    swap_tests = cluster_swap_tests(differences, seed=1)
    expected = ttest_1samp(differences[:, 0], 0)

    assert swap_tests.statistics[0] == pytest.approx(expected.statistic)
    assert swap_tests.p_values[0] == pytest.approx(expected.pvalue, abs=0.01)


def test_published_statistics_of_all_patients() -> None:
    """McNemar 4.5, Obuchowski 2.86 and Durkalski 2.32 of 21 patients (R package clust.bin.pair).

    Only the first six patients are printed. McNemar and Obuchowski need eight discordant glands
    with squares that sum to 12, so that the others have −2, −1 and +1; of up to four glands a
    patient, two, three and two are the only ones that give Durkalski's statistic.
    """
    others = 21 - 6 - 3
    first_only = np.array([*FIRST_ONLY, 0, 0, 1, *[0] * others], dtype=np.float64)
    second_only = np.array([*SECOND_ONLY, 2, 1, 0, *[0] * others], dtype=np.float64)
    first_sizes = BOTH + FIRST_ONLY + SECOND_ONLY + NEITHER
    sizes = np.array([*first_sizes, 2, 3, 2, *[3] * others], dtype=np.float64)
    table = [[0, first_only.sum()], [second_only.sum(), 0]]

    assert mcnemar(table, exact=False, correction=False).statistic == pytest.approx(4.5)
    assert obuchowski_chi_square(first_only, second_only) == pytest.approx(2.86, abs=0.005)
    assert durkalski_chi_square(first_only, second_only, sizes) == pytest.approx(2.32, abs=0.005)
