"""Which verdicts of the capability tables and likelihood relations the tests support."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.capabilities import (
    CapabilityRating,
    CapabilityRow,
    add_capability_significance,
    capability_rows,
)
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.likelihood_relations import (
    LikelihoodRelation,
    add_relation_significance,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.significance import ComparisonIndex
from tests.tables import Counts, binary_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

# tp, fn, fp, tn: A is better than B, and B than C, in everything.
BEST, MIDDLE, WORST = (90, 10, 10, 90), (80, 20, 20, 80), (70, 30, 30, 70)
# A has the better sensitivity, B the better specificity.
SENSITIVE, SPECIFIC = (90, 10, 30, 70), (70, 30, 10, 90)
# Worse than chance: its positive answers speak against the class.
CONTRARY = (20, 80, 70, 30)

Verdicts = dict[tuple[str, str, str], Decision]


def evidence(verdicts: Mapping[tuple[str, str, str], Decision]) -> ComparisonIndex:
    """Return the evidence of verdicts by first, second and measure."""
    return ComparisonIndex.from_comparisons(
        Comparison(
            first=first,
            second=second,
            measure=measure,
            test="paired permutation (exact)",
            data="paired",
            p_adjusted=0.01 if finding in {Decision.SUPERIOR, Decision.INFERIOR} else 0.4,
            verdict=finding,
            primary_test=True,
        )
        for (first, second, measure), finding in verdicts.items()
    )


def rated_rows(tables: Mapping[str, Counts], verdicts: Verdicts) -> dict[str, CapabilityRow]:
    """Return the rows of the capability table by classifier."""
    scores = binary_scores(tables)
    rows = capability_rows(scores, list(tables), [None])
    related = relate_by_likelihood_ratios(scores, list(tables), [None])
    result = add_capability_significance(rows, scores, related, evidence(verdicts))
    return {row.classifier: row for row in result}


def cell(
    tables: Mapping[str, Counts], verdicts: Verdicts, classifier: str, capability: str
) -> CapabilityRating:
    """Return one cell."""
    return rated_rows(tables, verdicts)[classifier].cells[capability]


def relation(tables: Mapping[str, Counts], verdicts: Verdicts) -> LikelihoodRelation:
    """Return the relation of two classifiers."""
    related = relate_by_likelihood_ratios(binary_scores(tables), list(tables), [None])
    (result,) = add_relation_significance(related, evidence(verdicts))
    return result


THREE = {"A": BEST, "B": MIDDLE, "C": WORST}
BOTH_BEATEN: Verdicts = {
    ("A", "B", "accuracy"): Decision.SUPERIOR,
    ("A", "C", "accuracy"): Decision.SUPERIOR,
    ("B", "C", "accuracy"): Decision.UNDECIDED,
}


def test_the_best_of_three_is_significant_if_it_is_better_than_both() -> None:
    """B and C need not be told apart for that."""
    result = cell(THREE, BOTH_BEATEN, "A", "overall_effectiveness")

    assert (result.verdict, result.significant, result.p_adjusted) == ("superior", True, 0.01)


def test_one_open_comparison_leaves_the_best_insignificant() -> None:
    """The largest p-value of those it needs is shown."""
    verdicts = BOTH_BEATEN | {("A", "B", "accuracy"): Decision.UNDECIDED}
    result = cell(THREE, verdicts, "A", "overall_effectiveness")

    assert (result.verdict, result.significant, result.p_adjusted) == ("superior", False, 0.4)


def test_the_second_of_three_needs_both_comparisons() -> None:
    """Worse than A is shown, better than C is not."""
    result = cell(THREE, BOTH_BEATEN, "B", "overall_effectiveness")

    assert (result.verdict, result.significant) == ("second of three", False)
    decided = BOTH_BEATEN | {("B", "C", "accuracy"): Decision.SUPERIOR}
    assert cell(THREE, decided, "B", "overall_effectiveness").significant is True


def test_it_does_not_matter_which_classifier_a_test_names_first() -> None:
    """C against A, C inferior: so A is superior."""
    verdicts: Verdicts = {
        ("B", "A", "accuracy"): Decision.INFERIOR,
        ("C", "A", "accuracy"): Decision.INFERIOR,
    }

    assert cell(THREE, verdicts, "A", "overall_effectiveness").significant is True


def test_equivalent_or_tied_is_not_superior() -> None:
    """Three verdicts of a test support no superiority."""
    for finding in (Decision.EQUIVALENT, Decision.TIED, Decision.UNDECIDED):
        verdicts = BOTH_BEATEN | {("A", "B", "accuracy"): finding}
        assert cell(THREE, verdicts, "A", "overall_effectiveness").significant is False


def test_what_was_not_tested_is_neither_significant_nor_insignificant() -> None:
    """With baseline C, A against B is not tested: who is best of all stays open."""
    against_c: Verdicts = {
        ("A", "C", "accuracy"): Decision.SUPERIOR,
        ("B", "C", "accuracy"): Decision.SUPERIOR,
    }
    rows = rated_rows(THREE, against_c)

    assert rows["A"].cells["overall_effectiveness"].significant is None
    assert rows["A"].cells["overall_effectiveness"].p_adjusted is None
    assert rows["C"].cells["overall_effectiveness"].significant is True


def test_superior_on_positive_examples_rests_on_the_positive_measure_alone() -> None:
    """Sensitivity is decided, specificity is not."""
    tables = {"A": SENSITIVE, "B": SPECIFIC}
    verdicts: Verdicts = {
        ("A", "B", "sensitivity"): Decision.SUPERIOR,
        ("A", "B", "specificity"): Decision.UNDECIDED,
    }
    rows = rated_rows(tables, verdicts)
    first, second = (rows[name].cells["class_effectiveness"] for name in "AB")

    assert (first.verdict, first.significant) == ("superior on positive examples", True)
    assert (second.verdict, second.significant) == ("superior on negative examples", False)


def test_superior_on_both_classes_rests_on_both_measures() -> None:
    """One of the two is not enough."""
    tables = {"A": BEST, "B": WORST}
    one: Verdicts = {
        ("A", "B", "sensitivity"): Decision.SUPERIOR,
        ("A", "B", "specificity"): Decision.UNDECIDED,
    }
    both = one | {("A", "B", "specificity"): Decision.SUPERIOR}

    assert cell(tables, one, "A", "class_effectiveness").verdict == "superior on both classes"
    assert cell(tables, one, "A", "class_effectiveness").significant is False
    assert cell(tables, both, "A", "class_effectiveness").significant is True


def test_a_tie_claims_nothing() -> None:
    """So there is nothing to back."""
    tables = {"A": BEST, "B": BEST}
    result = cell(tables, {("A", "B", "accuracy"): Decision.TIED}, "A", "overall_effectiveness")

    assert (result.verdict, result.significant, result.p_adjusted) == ("tied", None, None)


def test_a_classifier_that_could_not_be_judged_is_not_waited_for() -> None:
    """C predicts nothing as negative, so its NPV is undefined and two are compared, not three."""
    tables = {"A": SENSITIVE, "B": SPECIFIC, "C": (100, 0, 100, 0)}
    # B has the better precision: 70/80 against 90/120.
    verdicts: Verdicts = {("A", "B", "precision"): Decision.INFERIOR}
    result = cell(tables, verdicts, "B", "predictive_power")

    assert (result.verdict, result.of, result.significant) == (
        "superior on positive examples",
        2,
        True,
    )


def test_a_test_that_says_the_opposite_does_not_back_a_verdict() -> None:
    """A found 1 of 10,000 without a false alarm, so its ρ+ is infinite; the test calls it lower."""
    tables = {"A": (1, 9_999, 0, 10_000), "B": (9_000, 1_000, 10, 9_990)}
    verdicts: Verdicts = {
        ("A", "B", "lr_positive"): Decision.INFERIOR,
        ("A", "B", "lr_negative"): Decision.INFERIOR,
    }
    result = cell(tables, verdicts, "A", "confirmation_of_classes")

    assert (result.verdict, result.significant) == ("superior for positives", False)
    assert relation(tables, verdicts).relation == "superior for confirmation of positives"
    assert relation(tables, verdicts).significant is False


def test_swapped_likelihood_ratios_are_not_claimed() -> None:
    """The tests compare ρ+ with ρ+, not with the ρ− that was put in its place."""
    tables = {"A": BEST, "B": CONTRARY}
    verdicts: Verdicts = {
        ("A", "B", "lr_positive"): Decision.SUPERIOR,
        ("A", "B", "lr_negative"): Decision.SUPERIOR,
    }

    for name in "AB":
        assert cell(tables, verdicts, name, "confirmation_of_classes").significant is None
    assert relation(tables, verdicts).swapped
    assert relation(tables, verdicts).significant is None


@pytest.mark.parametrize(
    ("positive", "negative", "expected"),
    [
        (Decision.SUPERIOR, Decision.SUPERIOR, True),
        (Decision.SUPERIOR, Decision.UNDECIDED, False),
        (Decision.UNDECIDED, Decision.SUPERIOR, False),
    ],
)
def test_superior_overall_needs_both_ratios(
    positive: Decision, negative: Decision, expected: object
) -> None:
    """A has the higher ρ+ and the lower ρ−; both p-values are told."""
    verdicts = {("A", "B", "lr_positive"): positive, ("A", "B", "lr_negative"): negative}
    result = relation({"A": BEST, "B": WORST}, verdicts)

    assert (result.relation, result.significant) == ("superior overall", expected)
    assert None not in {result.p_positive, result.p_negative}


def test_superior_for_negatives_rests_on_the_negative_ratio() -> None:
    """A has the lower ρ−, and a lower ρ+ about which nothing is claimed."""
    verdicts = {
        ("A", "B", "lr_positive"): Decision.UNDECIDED,
        ("A", "B", "lr_negative"): Decision.SUPERIOR,
    }
    result = relation({"A": SENSITIVE, "B": SPECIFIC}, verdicts)

    assert result.relation == "superior for confirmation of negatives"
    assert result.significant is True


def test_a_relation_without_tests_is_left_open() -> None:
    """Nothing was compared, so nothing is said of it."""
    result = relation({"A": BEST, "B": WORST}, {})

    assert (result.p_positive, result.p_negative, result.significant) == (None, None, None)


@pytest.mark.parametrize(
    ("low", "high", "expected"), [(2.1, 2.9, True), (1.9, 2.9, False), (2.1, 3.1, False)]
)
def test_a_grade_is_significant_if_the_whole_interval_has_it(
    low: float, high: float, expected: object
) -> None:
    """Fair is from 2 to 3; the discriminant power of 90 % and 90 % is 2.42."""
    scores = binary_scores({"A": BEST})
    key = ("A", None, None, "discriminant_power")
    with_intervals = scores | {key: replace(scores[key], low=low, high=high, method="delta")}
    (row,) = add_capability_significance(
        capability_rows(with_intervals, ["A"], [None]), with_intervals, (), evidence({})
    )
    result = row.cells["discrimination_of_classes"]

    assert (result.verdict, result.significant) == ("fair", expected)


def test_a_grade_without_an_interval_is_left_open() -> None:
    """Nothing says how sure it is."""
    (row,) = rated_rows({"A": BEST}, {}).values()

    assert row.cells["discrimination_of_classes"].significant is None


def test_only_primary_differences_without_average_are_evidence() -> None:
    """McNemar's test beside the decisive one, and macro averages, back no verdict."""
    base = Comparison(
        first="A",
        second="B",
        measure="accuracy",
        test="mcnemar",
        data="paired",
        verdict=Decision.SUPERIOR,
    )
    averaged = replace(base, primary_test=True, average="macro")

    assert (
        ComparisonIndex.from_comparisons([base, averaged]).find("A", "B", None, "accuracy") is None
    )


@pytest.mark.parametrize("decision", Decision)
def test_the_outcome_of_a_test_is_that_of_the_comparison_in_either_order(
    decision: Decision,
) -> None:
    """Superior for one is inferior for the other."""
    index = evidence({("A", "B", "accuracy"): decision})

    for pair in (("A", "B"), ("B", "A")):
        comparison = index.find(*pair, None, "accuracy")
        assert comparison is not None
        assert index.find_test(*pair, None, "accuracy") == (
            comparison.verdict,
            comparison.p_adjusted,
        )
    assert index.find_test("A", "C", None, "accuracy") is None
