"""The exchange test over several classes, where whole answers change sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binomtest

from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
from reportgen.evaluation.permutation_tests import (
    PAIRED_MONTE_CARLO,
    count_discordant_pairs,
    paired_permutation_test,
    paired_permutation_test_multiclass,
)
from tests.evaluation.paired_tables import (
    NO,
    PAIR,
    YES,
    answers,
    answers_of,
    hypotheses,
    measure,
    table,
)

if TYPE_CHECKING:
    import polars as pl

MANY = ("accuracy", "sensitivity", "precision", "npv", "youden", "lr_positive", "kappa", "mcc")
SMALL = table((20, 9, 3, 8), (6, 4, 12, 48))
THREE = ("a", "b", "c")
# Truth, answer of A, answer of B. A alone is right 14 + 9 + 5 times, B alone 6 + 4 + 3 times; on
# 2 + 3 cases they differ and both are wrong.
COUNTS = {
    ("a", "a", "a"): 40,
    ("a", "a", "b"): 14,
    ("a", "b", "a"): 6,
    ("a", "b", "c"): 2,
    ("b", "b", "b"): 35,
    ("b", "b", "c"): 9,
    ("b", "a", "b"): 4,
    ("c", "c", "c"): 30,
    ("c", "c", "a"): 5,
    ("c", "b", "c"): 3,
    ("c", "a", "b"): 3,
}
# A standard error of a p-value out of 20,000 draws is √(p (1 − p) / 20,000) ≤ 0.0036.
FOUR_ERRORS = 4 * 0.0036


def exchanged(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the answers with A and B exchanged."""
    return frame.rename(
        {"first_prediction": "second_prediction", "second_prediction": "first_prediction"}
    ).select("truth", "first_prediction", "second_prediction", "count")


def test_for_two_classes_it_agrees_with_the_test_that_looks_at_all_outcomes() -> None:
    """The same statistics, and the same p-values but for the draws."""
    enumerated = paired_permutation_test(PAIR, SMALL, hypotheses(MANY), PermutationPlan(0))
    drawn = paired_permutation_test_multiclass(
        PAIR, answers_of(SMALL), (YES, NO), hypotheses(MANY), PermutationPlan(0)
    )

    assert drawn.test == PAIRED_MONTE_CARLO
    assert drawn.cases == enumerated.cases == 110
    assert drawn.observed == pytest.approx(enumerated.observed, abs=1e-12)
    one, other = enumerated.p_values("exact"), drawn.p_values("exact")
    assert other.raw == pytest.approx(one.raw, abs=FOUR_ERRORS)
    assert other.adjusted == pytest.approx(one.adjusted, abs=FOUR_ERRORS)


def test_accuracy_over_all_classes_is_tested_as_mcnemar_does() -> None:
    """28 against 13 right answers; two wrong answers that differ change nothing."""
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, hypotheses(["accuracy"], None), PermutationPlan(0)
    )

    assert block.observed[0] == pytest.approx((28 - 13) / 41**0.5)
    assert block.p_values("exact").raw[0] == pytest.approx(
        binomtest(13, 41).pvalue, abs=FOUR_ERRORS
    )


def test_a_class_is_tested_as_if_it_stood_against_the_rest() -> None:
    """Recall of a: 14 against 6 of its 62 cases."""
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, hypotheses(["sensitivity"], "a"), PermutationPlan(0)
    )

    assert block.p_values("exact").raw[0] == pytest.approx(binomtest(6, 20).pvalue, abs=FOUR_ERRORS)


def test_disagreements_are_gathered_by_truth_and_the_two_answers() -> None:
    """On cases of a: 14 of A's a against b and 6 the other way round make one kind of 20."""
    found = count_discordant_pairs(answers(COUNTS), THREE)
    kinds = list(zip(found.truth, found.class_a, found.class_b, strict=True))
    at = kinds.index((0, 0, 1))

    assert (found.n_ab[at], found.n_ba[at], found.n_discordant[at]) == (14, 6, 20)
    assert found.n_discordant.sum() == sum(
        count for kind, count in COUNTS.items() if kind[1] != kind[2]
    )


def test_exchanging_the_classifiers_turns_signs_and_leaves_p_values_close() -> None:
    """Other draws serve, so the p-values are equal but for these."""
    asked = [
        *hypotheses(["accuracy", "kappa", "mcc"], None),
        *(Hypothesis(measure(name), label) for label in THREE for name in ("precision", "f1")),
    ]
    straight = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, asked, PermutationPlan(0)
    )
    turned = paired_permutation_test_multiclass(
        PAIR, exchanged(answers(COUNTS)), THREE, asked, PermutationPlan(0)
    )

    assert straight.observed == pytest.approx(-turned.observed, abs=1e-9)
    one, other = straight.p_values("exact"), turned.p_values("exact")
    assert one.raw == pytest.approx(other.raw, abs=2 * FOUR_ERRORS)


def test_every_statistic_of_the_whole_matrix_is_centred_and_of_unit_variance() -> None:
    """If either way is equally likely, the mean is 0 and the variance is 1 by its own error."""
    block = paired_permutation_test_multiclass(
        PAIR,
        answers(COUNTS),
        THREE,
        hypotheses(["accuracy", "kappa", "mcc"], None),
        PermutationPlan(0),
    )

    assert np.mean(block.null_distributions[0].values, axis=1) == pytest.approx([0, 0, 0], abs=0.03)
    assert np.var(block.null_distributions[0].values, axis=1) == pytest.approx([1, 1, 1], abs=0.05)


def test_hypotheses_and_statistics_stay_together_when_they_are_sorted() -> None:
    """The block puts the whole before the classes; every statistic keeps its measure."""
    asked = (*hypotheses(["precision"], "b"), *hypotheses(["accuracy"], None))
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, asked, PermutationPlan(0)
    )

    assert [(one.measure.name, one.class_) for one in block.hypotheses] == [
        ("accuracy", None),
        ("precision", "b"),
    ]
    alone = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, hypotheses(["precision"], "b"), PermutationPlan(0)
    )
    assert block.observed[1] == alone.observed[0]


def test_the_same_seed_draws_the_same_outcomes() -> None:
    """And another seed others."""
    asked = hypotheses(["accuracy"], None)
    one, again, other = (
        paired_permutation_test_multiclass(
            PAIR, answers(COUNTS), THREE, asked, PermutationPlan(seed)
        )
        .null_distributions[0]
        .values
        for seed in (1, 1, 2)
    )

    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)
