"""The exchange test over several classes, where whole answers change sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import binomtest
from sklearn.metrics import f1_score, precision_score, recall_score

from reportgen.evaluation.multiple_testing import Hypothesis, PermutationPlan
from reportgen.evaluation.permutation_tests import (
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
    """The same statistics and p-values: every class is enumerated against the rest."""
    enumerated = paired_permutation_test(PAIR, SMALL, hypotheses(MANY), PermutationPlan(0))
    pair_tests = paired_permutation_test_multiclass(
        PAIR, answers_of(SMALL), (YES, NO), hypotheses(MANY), PermutationPlan(0)
    )

    assert pair_tests.tests == enumerated.tests
    assert pair_tests.cases == enumerated.cases == 110
    assert pair_tests.statistics == pytest.approx(enumerated.statistics, abs=1e-12)
    assert pair_tests.p_values == pytest.approx(enumerated.p_values, abs=1e-12)


def test_accuracy_over_all_classes_is_tested_as_mcnemar_does() -> None:
    """28 against 13 right answers; two wrong answers that differ change nothing."""
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, hypotheses(["accuracy"], None), PermutationPlan(0)
    )

    assert block.statistics[0] == pytest.approx((28 - 13) / 41**0.5)
    assert block.p_values[0] == pytest.approx(binomtest(13, 41).pvalue)


def test_a_class_is_tested_as_if_it_stood_against_the_rest() -> None:
    """Recall of a: 14 against 6 of its 62 cases."""
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, hypotheses(["sensitivity"], "a"), PermutationPlan(0)
    )

    assert block.p_values[0] == pytest.approx(binomtest(6, 20).pvalue)


def test_disagreements_are_gathered_by_truth_and_the_two_answers() -> None:
    """On cases of a: 14 of A's a against b and 6 the other way round make one kind of 20."""
    discordant_pairs = count_discordant_pairs(answers(COUNTS), THREE)
    kinds = list(
        zip(discordant_pairs.truth, discordant_pairs.class_a, discordant_pairs.class_b, strict=True)
    )
    at = kinds.index((0, 0, 1))

    assert (
        discordant_pairs.n_ab[at],
        discordant_pairs.n_ba[at],
        discordant_pairs.n_discordant[at],
    ) == (14, 6, 20)
    assert discordant_pairs.n_discordant.sum() == sum(
        count for kind, count in COUNTS.items() if kind[1] != kind[2]
    )


def test_exchanging_the_classifiers_turns_signs_and_leaves_p_values_close() -> None:
    """Other draws serve, so the p-values are equal but for these."""
    tested = [
        *hypotheses(["accuracy", "kappa", "mcc"], None),
        *(Hypothesis(measure(name), label) for label in THREE for name in ("precision", "f1")),
    ]
    family = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, tested, PermutationPlan(0)
    )
    pair_tests = paired_permutation_test_multiclass(
        PAIR, exchanged(answers(COUNTS)), THREE, tested, PermutationPlan(0)
    )

    assert family.statistics == pytest.approx(-pair_tests.statistics, abs=1e-9)
    assert family.p_values == pytest.approx(pair_tests.p_values, abs=2 * FOUR_ERRORS)


@pytest.mark.parametrize("name", ["f1", "precision", "sensitivity"])
def test_an_average_over_the_classes_is_tested_to_first_order(name: str) -> None:
    """The macro average moves with every swapped pair; p by all swaps of 20,000 samples by hand."""
    frame = answers(COUNTS)
    block = paired_permutation_test_multiclass(
        PAIR, frame, THREE, [Hypothesis(measure(name), None, "macro")], PermutationPlan(0)
    )
    rows = [kind for kind, count in COUNTS.items() for _ in range(count)]
    score = {"f1": f1_score, "precision": precision_score, "sensitivity": recall_score}[name]
    truth, first, second = (np.array(column) for column in zip(*rows, strict=True))

    def gap(one: np.ndarray, other: np.ndarray) -> float:
        return float(score(truth, one, average="macro") - score(truth, other, average="macro"))

    random, result = np.random.default_rng(5), []
    for _ in range(1_000):
        swapped = random.random(len(truth)) < 0.5
        result.append(gap(np.where(swapped, second, first), np.where(swapped, first, second)))
    expected = np.mean(np.abs(result) >= abs(gap(first, second)) - 1e-12)

    # A share of 1,000 has a standard error of at most 0.016.
    assert block.p_values[0] == pytest.approx(expected, abs=0.03)


def test_weighted_recall_and_micro_averages_are_tested_as_accuracy_is() -> None:
    """They are functions of the number of correct cases."""
    tested = [
        Hypothesis(measure("sensitivity"), None, "weighted"),
        Hypothesis(measure("f1"), None, "micro"),
        Hypothesis(measure("accuracy"), None, "macro"),
    ]
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, tested, PermutationPlan(0)
    )

    assert block.p_values == pytest.approx([binomtest(13, 41).pvalue] * 3)


def test_hypotheses_and_statistics_stay_together_when_they_are_sorted() -> None:
    """The block puts the whole before the classes; every statistic keeps its measure."""
    tested = (*hypotheses(["precision"], "b"), *hypotheses(["accuracy"], None))
    block = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, tested, PermutationPlan(0)
    )

    assert [(one.measure.name, one.class_) for one in block.hypotheses] == [
        ("accuracy", None),
        ("precision", "b"),
    ]
    alone = paired_permutation_test_multiclass(
        PAIR, answers(COUNTS), THREE, hypotheses(["precision"], "b"), PermutationPlan(0)
    )
    assert block.statistics[1] == alone.statistics[0]


def test_the_same_seed_draws_the_same_outcomes() -> None:
    """And another seed others."""
    tested = hypotheses(["kappa"], None)
    one, again, other = (
        paired_permutation_test_multiclass(
            PAIR, answers(COUNTS), THREE, tested, PermutationPlan(seed)
        ).p_values[0]
        for seed in (1, 1, 2)
    )

    assert one == again != other
