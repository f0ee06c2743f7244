"""Tests over folds: Passerini's example, SciPy, and the papers' formulas written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from reportgen.statistics.distributions import critical_t
from reportgen.statistics.t_tests import (
    CONSTANT_DIFFERENCE,
    NO_DIFFERENCE_IN_ANY_FOLD,
    TOO_FEW_FOLDS,
    corrected_resampled_ttest,
    paired_ttest,
    ttest_5x2cv,
)

A = np.array([0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81])
B = np.array([0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77])
FIVE_BY_TWO = [(0.02, 0.03), (0.01, 0.04), (0.05, 0.01), (0.03, 0.03), (0.02, -0.01)]


def test_plain_t_of_the_lecture_notes() -> None:
    """Passerini: mean difference 0.046, standard error 0.0154344, t 2.98 against 2.262."""
    fold_test = paired_ttest(A - B, 0.95)

    assert fold_test.estimate == pytest.approx(0.046, abs=1e-12)
    assert fold_test.standard_error == pytest.approx(0.0154344, abs=5e-8)
    assert fold_test.statistic == pytest.approx(2.98, abs=5e-3)
    assert critical_t(9, 0.95) == pytest.approx(2.262, abs=5e-4)
    assert fold_test.p == pytest.approx(0.0154, abs=5e-5)


def test_corrected_t_of_the_lecture_notes_is_not_significant() -> None:
    """Nadeau and Bengio with a ninth as many test as training cases: t 2.0512, p 0.0705."""
    fold_test = corrected_resampled_ttest(A - B, 1 / 9, 0.95)

    assert fold_test.statistic == pytest.approx(2.0512, abs=5e-5)
    assert fold_test.p == pytest.approx(0.0705, abs=5e-5)
    assert fold_test.low is not None
    assert fold_test.low < 0


@pytest.mark.parametrize("tails", ["two", "one"])
def test_plain_t_is_that_of_scipy(tails: str) -> None:
    """Statistic, p-value and interval of `ttest_rel`."""
    fold_test = paired_ttest(A - B, 0.9, "one" if tails == "one" else "two")

    expected = stats.ttest_rel(A, B, alternative="greater" if tails == "one" else "two-sided")
    limits = stats.ttest_rel(A, B).confidence_interval(0.9)
    assert fold_test.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert fold_test.p == pytest.approx(expected.pvalue, abs=1e-9)
    assert (fold_test.low, fold_test.high) == pytest.approx((limits.low, limits.high), abs=1e-9)


def test_correction_is_by_the_formula_of_the_paper() -> None:
    """The variance of the mean is (1/J + test/train)·s²; ratio 0 gives the plain test."""
    differences = A - B
    error = math.sqrt((1 / 10 + 0.25) * differences.var(ddof=1))

    assert corrected_resampled_ttest(differences, 0.25, 0.95).standard_error == pytest.approx(
        error, abs=1e-12
    )
    assert corrected_resampled_ttest(differences, 0.0, 0.95).p == paired_ttest(differences, 0.95).p


def test_hundred_folds_do_not_make_a_difference_certain() -> None:
    """Ten repeats of the same ten folds: the plain error falls with √J, the corrected hardly."""
    once, ten_times = A - B, np.tile(A - B, 10)

    plain = [paired_ttest(item, 0.95).standard_error or 0 for item in (once, ten_times)]
    corrected = [
        corrected_resampled_ttest(item, 1 / 9, 0.95).standard_error or 0
        for item in (once, ten_times)
    ]
    assert plain[0] / plain[1] > 3
    assert corrected[0] / corrected[1] < 1.5


def test_one_tail_asks_whether_the_first_is_better() -> None:
    """Turned round the answers add up to 1."""
    better = corrected_resampled_ttest(A - B, 1 / 9, 0.95, "one").p
    worse = corrected_resampled_ttest(B - A, 1 / 9, 0.95, "one").p
    assert better is not None
    assert worse is not None

    assert better == pytest.approx(0.0704750967 / 2, abs=1e-9)
    assert better + worse == pytest.approx(1)


def test_five_by_two_is_by_the_formulas_of_the_papers() -> None:
    """Dietterich: d₁₁ / √(Σsᵢ²/5); Alpaydin: Σd² / (2Σsᵢ²); with s² = (d₁−d₂)²/2 per repeat."""
    squares = sum((one - other) ** 2 / 2 for one, other in FIVE_BY_TWO)
    t = 0.02 / math.sqrt(squares / 5)
    f = sum(one**2 + other**2 for one, other in FIVE_BY_TWO) / (2 * squares)

    found_t, found_f = ttest_5x2cv(FIVE_BY_TWO)

    assert found_t.statistic == pytest.approx(t, abs=1e-9)
    assert found_t.p == pytest.approx(2 * stats.t.sf(t, 5), abs=1e-9)
    assert found_f.statistic == pytest.approx(f, abs=1e-9)
    assert found_f.p == pytest.approx(stats.f.sf(f, 10, 5), abs=1e-9)


def test_five_by_two_wants_five_by_two() -> None:
    """Ten folds in another order of repeats are another design."""
    with pytest.raises(ValueError, match="five repeats of two folds"):
        ttest_5x2cv(np.array(FIVE_BY_TWO).T)


def test_equal_differences_have_no_test() -> None:
    """A spread of 0 would give an infinite t and a p of 0, which nothing supports."""
    fold_test = corrected_resampled_ttest([0.81 - 0.80, 0.83 - 0.82, 0.57 - 0.56], 0.5, 0.95)

    assert fold_test.estimate == pytest.approx(0.01)
    assert (fold_test.statistic, fold_test.p, fold_test.low) == (None, None, None)
    assert fold_test.reason == CONSTANT_DIFFERENCE
    assert [test.reason for test in ttest_5x2cv([(0.01, 0.01)] * 5)] == [CONSTANT_DIFFERENCE] * 2


def test_no_difference_in_any_fold_has_a_p_of_1() -> None:
    """Then nothing speaks for a difference."""
    fold_test = paired_ttest([0.0, 0.0, 0.0], 0.95)

    assert (fold_test.p, fold_test.estimate, fold_test.reason) == (1, 0, NO_DIFFERENCE_IN_ANY_FOLD)


def test_one_fold_has_no_test() -> None:
    """And none at all is a mistake of the caller."""
    assert paired_ttest([0.1], 0.95).reason == TOO_FEW_FOLDS
    with pytest.raises(ValueError, match="at least one"):
        paired_ttest([], 0.95)
