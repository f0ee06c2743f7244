"""How often guessing looks valid: exact chances, against SciPy and against every possible table."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from scipy.stats import binom, chi2_contingency

from reportgen.statistics.chance import p_value_vs_random_accuracy, pearson_chi2, prob_random_passes


def passing_by_brute_force(
    positives: int, negatives: int, alpha: float, *, corrected: bool
) -> float:
    """Look at every table by SciPy's own test."""
    chance = 0.0
    for tp in range(positives + 1):
        for fp in range(negatives + 1):
            table = [[tp, positives - tp], [fp, negatives - fp]]
            right = tp + negatives - fp
            if 2 * right <= positives + negatives or not np.sum(table, axis=0).all():
                continue
            if chi2_contingency(table, correction=corrected).pvalue < alpha:
                chance += binom.pmf(tp, positives, 0.5) * binom.pmf(fp, negatives, 0.5)
    return float(chance)


@pytest.mark.parametrize("corrected", [False, True])
@pytest.mark.parametrize(("positives", "negatives"), [(1, 9), (2, 8), (5, 5), (3, 14), (12, 7)])
@pytest.mark.parametrize("alpha", [0.3, 0.1, 0.05])
def test_passing_agrees_with_every_table_tested_by_scipy(
    positives: int, negatives: int, alpha: float, *, corrected: bool
) -> None:
    """SciPy's correction is Yates' unless |observed − expected| < ½, where both are 0."""
    expected = passing_by_brute_force(positives, negatives, alpha, corrected=corrected)

    value = prob_random_passes(positives, negatives, alpha, yates_correction=corrected)

    assert value == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_ten_cases_at_a_tenth_as_enumerated_by_hand() -> None:
    """One Low among ten: only both extremes pass, each with ½¹⁰ times the ways to get there.

    With tp of 1 and fp of 9, chi-square is 10·(9 − fp)²/(9·(1 + fp)·(9 − fp)) for tp = 1, above
    2.706 for fp = 0 (10) and fp = 1 (4.4); accuracy is (10 − fp)/10. So (1 + 9)/1024.
    """
    assert prob_random_passes(1, 9, 0.1, yates_correction=False) == pytest.approx(
        10 / 1024, rel=1e-12
    )


def test_it_does_not_matter_which_class_is_positive() -> None:
    """Turning the classes round keeps accuracy and chi-square."""
    assert prob_random_passes(7, 40, 0.05, yates_correction=False) == pytest.approx(
        prob_random_passes(40, 7, 0.05, yates_correction=False), rel=1e-12
    )


@pytest.mark.parametrize("corrected", [False, True])
def test_with_many_cases_chance_passes_in_half_of_alpha(*, corrected: bool) -> None:
    """A million cases: significance has a chance of alpha, and half of it is on the right side."""
    value = prob_random_passes(300_000, 700_000, 0.05, yates_correction=corrected)

    assert value == pytest.approx(0.025, rel=0.01)


def test_without_one_of_the_classes_nothing_passes() -> None:
    """Chi-square is undefined then."""
    assert prob_random_passes(0, 10, 0.1, yates_correction=False) == 0
    assert prob_random_passes(10, 0, 0.1, yates_correction=True) == 0


def test_chi_square_agrees_with_scipy_and_is_nan_for_an_empty_margin() -> None:
    """El Emam's Figure 6: 4.956 with the correction."""
    figure_6 = [np.array(float(count)) for count in (19, 1, 37, 19)]
    table = [[19, 1], [37, 19]]

    for corrected in (False, True):
        expected = chi2_contingency(table, correction=corrected).statistic
        assert float(pearson_chi2(*figure_6, yates_correction=corrected)) == pytest.approx(expected)
        never_positive = [np.array(float(count)) for count in (0, 5, 0, 5)]
        assert np.isnan(pearson_chi2(*never_positive, yates_correction=corrected))


@pytest.mark.parametrize("share", [0.0, 0.1, 0.25, 0.5, 1.0])
@pytest.mark.parametrize("correct", [0, 10, 40, 75, 90, 100])
def test_being_as_accurate_agrees_with_the_sum_of_two_binomials(share: float, correct: int) -> None:
    """The number of right guesses is Bin(10, share) + Bin(90, 1 − share), folded together."""
    of_positives = binom.pmf(range(11), 10, share)
    of_negatives = binom.pmf(range(91), 90, 1 - share)
    expected = np.convolve(of_positives, of_negatives)[correct:].sum()

    assert p_value_vs_random_accuracy(10, 90, correct, share) == pytest.approx(
        expected, rel=1e-11, abs=1e-18
    )


def test_footnote_22_is_0_1488() -> None:
    """75 of 100, 90 of them Low, with Low said in 0.75: the paper simulated 0.137."""
    assert p_value_vs_random_accuracy(10, 90, 75, 0.25) == pytest.approx(0.1488, abs=5e-5)


@pytest.mark.parametrize("correct", [310, 400, 590])
def test_even_a_chance_far_out_is_exact_to_the_last_digits(correct: int) -> None:
    """Of 2⁶⁰⁰ ways to guess 600 cases with ½, so many are right so often; none is rounded."""
    ways = sum(comb(600, right) for right in range(correct, 601))

    value = p_value_vs_random_accuracy(60, 540, correct, 0.5)

    assert value == pytest.approx(float(Fraction(ways, 2**600)), rel=1e-13)


def test_counts_of_any_size_need_bounded_memory() -> None:
    """10¹⁵ negatives: half of the 5 % of significant tables are right in over half."""
    value = prob_random_passes(10**15, 10**15, 0.05, yates_correction=False)

    assert value == pytest.approx(0.025, abs=1e-4)
