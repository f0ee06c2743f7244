"""Two classifiers known by their counts only: whose answer it was is exchanged."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact

from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix
from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
from reportgen.evaluation.permutation_tests import (
    UNPAIRED_EXACT,
    UNPAIRED_MONTE_CARLO,
    unpaired_permutation_test,
)
from tests.evaluation.paired_tables import NO, PAIR, YES, hypotheses, measure

CLASSES = (YES, NO)
# tp, fn, fp, tn of table 2 in Sokolova, Japkowicz and Szpakowicz 2006.
SVM, NB = (1242, 189, 390, 740), (1108, 323, 272, 858)
MANY = ("accuracy", "sensitivity", "specificity", "precision", "youden", "lr_positive", "kappa")


def matrix(tp: int, fn: int, fp: int, tn: int) -> SparseConfusionMatrix:
    """Return the confusion matrix of one classifier."""
    return SparseConfusionMatrix.from_dense(np.array([[tp, fn], [fp, tn]], dtype=np.float64))


def p_of(name: str, first: tuple[int, ...], second: tuple[int, ...]) -> float:
    """Return the raw p-value of one measure."""
    both = matrix(*first), matrix(*second)
    block = unpaired_permutation_test(PAIR, both, CLASSES, hypotheses([name]), PermutationPlan(0))
    assert (block.data, block.tests[0]) == ("unpaired", UNPAIRED_EXACT)
    return float(block.p_values[0])


def test_nb_is_not_shown_to_avoid_failure_better() -> None:
    """γ is 0.5228 against 0.5336: p = 0.65, so the paper's "superior" has no backing."""
    assert p_of("youden", SVM, NB) == pytest.approx(0.650, abs=1e-3)


@given(st.tuples(*[st.integers(0, 12)] * 4), st.tuples(*[st.integers(0, 12)] * 4))
@settings(max_examples=40)
def test_equal_class_sizes_make_sensitivity_fishers_exact_test(
    first: tuple[int, int, int, int], second: tuple[int, int, int, int]
) -> None:
    """With as many cases for each, the outcomes farther from equality are the less likely ones."""
    tp, fn, fp, tn = first
    other = min(second[0], tp + fn)
    second = (other, tp + fn - other, fp, tn)
    if tp + fn == 0 or fp + tn == 0:
        return
    expected = fisher_exact([[tp, fn], [second[0], second[1]]])[1]

    assert p_of("sensitivity", first, second) == pytest.approx(expected, abs=1e-8)


def test_a_handful_of_cases_claims_nothing() -> None:
    """3 of 3 against 0 of 3 found: Fisher says 0.1, and so does every measure at least."""
    both = matrix(3, 0, 0, 3), matrix(0, 3, 1, 2)
    block = unpaired_permutation_test(PAIR, both, CLASSES, hypotheses(MANY), PermutationPlan(0))

    assert p_of("sensitivity", (3, 0, 0, 3), (0, 3, 1, 2)) == pytest.approx(0.1)
    assert min(block.p_values) >= 0.05 - 1e-8


def test_perfect_against_always_wrong_is_no_tie() -> None:
    """There is no spread in either, and yet nothing could differ more."""
    assert p_of("accuracy", (30, 0, 0, 40), (0, 30, 40, 0)) < 1e-6


def test_exchanging_the_two_turns_the_signs_and_leaves_the_p_values() -> None:
    """Whoever is named first."""
    both = matrix(*SVM), matrix(*NB)
    family = unpaired_permutation_test(PAIR, both, CLASSES, hypotheses(MANY), PermutationPlan(0))
    pair_tests = unpaired_permutation_test(
        PAIR, both[::-1], CLASSES, hypotheses(MANY), PermutationPlan(0)
    )

    assert pair_tests.statistics == pytest.approx(-family.statistics)
    assert pair_tests.p_values == pytest.approx(family.p_values, abs=1e-8)


def test_large_counts_are_drawn_and_agree_with_the_normal_test() -> None:
    """A hundred times table 2: z = −4.53 for γ, p = 5.8e-6, and for F1 z = 19.8."""
    first, second = (tuple(100 * count for count in item) for item in (SVM, NB))
    both = matrix(*first), matrix(*second)
    block = unpaired_permutation_test(
        PAIR, both, CLASSES, hypotheses(["accuracy", "youden"]), PermutationPlan(3)
    )

    assert block.tests[0] == UNPAIRED_MONTE_CARLO
    assert block.p_values[1] == pytest.approx(5.8e-6, rel=0.15)
    shares = [(1242 + 740) / 2561, (1108 + 858) / 2561]
    variance = sum(share * (1 - share) for share in shares) / 256_100
    assert block.statistics[0] == pytest.approx(
        (shares[0] - shares[1]) / math.sqrt(variance), rel=1e-3
    )


def test_several_classes_are_dealt_out_row_by_row() -> None:
    """Equal matrices differ in nothing; of unequal ones the whole and the classes are tested."""
    classes = ("a", "b", "c")
    tested = [
        *(Hypothesis(measure("sensitivity"), label) for label in classes),
        *(Hypothesis(measure(name), None) for name in ("accuracy", "kappa")),
    ]
    one = SparseConfusionMatrix.from_dense(
        np.array([[80, 10, 10], [10, 70, 20], [5, 15, 80]], dtype=np.float64)
    )
    other = SparseConfusionMatrix.from_dense(
        np.array([[80, 10, 10], [30, 40, 30], [5, 15, 80]], dtype=np.float64)
    )
    same = unpaired_permutation_test(PAIR, (one, one), classes, tested, PermutationPlan(0))
    apart = unpaired_permutation_test(PAIR, (one, other), classes, tested, PermutationPlan(0))

    assert list(same.p_values) == [1.0] * len(tested)
    raw = {
        (one.measure.name, one.class_): p
        for one, p in zip(apart.hypotheses, apart.p_values, strict=True)
    }
    assert raw["sensitivity", "b"] < 0.001
    assert raw["sensitivity", "a"] == 1.0
    # 230 of 300 against 200 of 300: z = 2.73 unpaired, p = 0.006.
    assert raw["accuracy", None] == pytest.approx(0.006, abs=0.004)
