"""Rank confidence sets from the decisions of pairwise tests."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.evaluation.capabilities import add_capability_significance, capability_rows
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.likelihood_relations import relate_by_likelihood_ratios
from reportgen.evaluation.rank_sets import RankSet, compute_rank_sets
from reportgen.evaluation.significance import ComparisonIndex
from reportgen.evaluation.values import MeasureValue, ValueState
from tests.tables import binary_scores

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.evaluation.capabilities import CapabilityRow

SUPERIOR, INFERIOR, UNDECIDED = Decision.SUPERIOR, Decision.INFERIOR, Decision.UNDECIDED


def comparison_of(
    first: str, second: str, decision: Decision, measure: str = "accuracy", p: float | None = 0.5
) -> Comparison:
    """Return a primary comparison with a decision."""
    return Comparison(
        first=first,
        second=second,
        measure=measure,
        test="paired permutation (exact)",
        data="paired",
        p=p,
        p_adjusted=p,
        verdict=decision,
        primary_test=True,
    )


def accuracy_values(
    numbers: Mapping[str, float],
) -> dict[tuple[str, str | None, str | None, str], MeasureValue]:
    """Return accuracies by classifier as an evaluation keeps them."""
    return {
        (name, None, None, "accuracy"): MeasureValue(number, ValueState.DEFINED)
        for name, number in numbers.items()
    }


def rank_sets(numbers: Mapping[str, float], *rows: Comparison) -> dict[str, RankSet]:
    """Return the rank sets of accuracies by classifier."""
    values = accuracy_values(numbers)
    return {
        rank_set.classifier: rank_set for rank_set in compute_rank_sets(values, rows, list(numbers))
    }


def limits(sets: Mapping[str, RankSet]) -> dict[str, tuple[int, int]]:
    """Return the rank sets as intervals."""
    return {name: (item.rank_low, item.rank_high) for name, item in sets.items()}


def test_ranks_are_excluded_by_significant_differences_only() -> None:
    """A is better than C and D, B than D."""
    sets = rank_sets(
        {"A": 0.9, "B": 0.85, "C": 0.8, "D": 0.7},
        comparison_of("A", "B", UNDECIDED),
        comparison_of("A", "C", SUPERIOR),
        comparison_of("A", "D", SUPERIOR),
        comparison_of("B", "C", UNDECIDED),
        comparison_of("D", "B", INFERIOR),
        comparison_of("C", "D", UNDECIDED),
    )

    assert limits(sets) == {"A": (1, 2), "B": (1, 3), "C": (2, 4), "D": (3, 4)}
    assert [value.rank for value in sets.values()] == [1, 2, 3, 4]


def test_superior_to_all_others_is_rank_one_alone() -> None:
    """For two classifiers the sets are the verdicts of the paper's table."""
    assert limits(rank_sets({"A": 0.9, "B": 0.8}, comparison_of("A", "B", SUPERIOR))) == {
        "A": (1, 1),
        "B": (2, 2),
    }
    assert limits(rank_sets({"A": 0.9, "B": 0.8}, comparison_of("A", "B", UNDECIDED))) == {
        "A": (1, 2),
        "B": (1, 2),
    }


def test_pairs_that_were_not_tested_exclude_no_rank() -> None:
    """With baseline C, A against B stays open."""
    sets = rank_sets(
        {"A": 0.9, "B": 0.8, "C": 0.7},
        comparison_of("A", "C", SUPERIOR),
        comparison_of("B", "C", SUPERIOR),
    )

    assert limits(sets) == {"A": (1, 2), "B": (1, 2), "C": (3, 3)}
    assert [value.untested for value in sets.values()] == [1, 1, 0]


def test_a_classifier_without_a_value_has_no_rank() -> None:
    """The others are ranked without it."""
    values = accuracy_values({"A": 0.9, "B": 0.8})
    values["C", None, None, "accuracy"] = MeasureValue(None, ValueState.UNDEFINED, "no cases")
    sets = compute_rank_sets(values, [comparison_of("A", "B", SUPERIOR)], ["A", "B", "C"])

    assert [(item.classifier, item.of) for item in sets] == [("A", 2), ("B", 2)]


@given(st.lists(st.integers(0, 6), min_size=2, max_size=7), st.integers(1, 4))
def test_sets_contain_the_observed_rank_if_tests_agree_with_the_values(
    values: list[int], gap: int
) -> None:
    """Differences of at least `gap` are significant, in the direction of the values."""
    numbers = {f"c{at}": float(value) for at, value in enumerate(values)}
    rows = [
        comparison_of(one, other, SUPERIOR if difference > 0 else INFERIOR)
        if abs(difference := numbers[one] - numbers[other]) >= gap
        else comparison_of(one, other, UNDECIDED)
        for one, other in combinations(numbers, 2)
    ]
    for item in rank_sets(numbers, *rows).values():
        assert 1 <= item.rank_low <= item.rank <= item.rank_high <= item.of


# tp, fn, fp, tn: the first has the better sensitivity, the second the better specificity.
SIDES = {"A": (90, 10, 30, 70), "B": (70, 30, 10, 90)}


def capability_rows_of(*rows: Comparison) -> dict[str, CapabilityRow]:
    """Return the capability rows of both classifiers."""
    scores = binary_scores(SIDES)
    related = relate_by_likelihood_ratios(scores, list(SIDES), [None])
    index = ComparisonIndex.from_comparisons(rows)
    ratings = add_capability_significance(
        capability_rows(scores, list(SIDES), [None]), scores, related, index
    )
    return {row.classifier: row for row in ratings}


def test_the_two_sides_of_a_capability_are_rated_separately() -> None:
    """A confirmed side is not hidden by an unconfirmed one."""
    rows = capability_rows_of(
        comparison_of("A", "B", SUPERIOR, "sensitivity", 0.01),
        comparison_of("A", "B", UNDECIDED, "specificity", 0.3),
    )
    cell = rows["A"].cells["class_effectiveness"]

    assert cell.positive is not None
    assert cell.negative is not None
    assert cell.positive.measure == "sensitivity"
    assert cell.positive.value == pytest.approx(0.9)
    assert (cell.positive.verdict, cell.positive.significant) == ("superior", True)
    assert (cell.positive.rank_low, cell.positive.rank_high) == (1, 1)
    assert (cell.negative.verdict, cell.negative.significant) == ("inferior", False)
    assert (cell.negative.rank_low, cell.negative.rank_high) == (1, 2)
    assert cell.negative.p_adjusted == pytest.approx(0.3)


def test_sides_without_a_test_have_no_rank_set() -> None:
    """Not tested is not the same as no difference."""
    cell = capability_rows_of()["A"].cells["class_effectiveness"]

    assert cell.positive is not None
    assert (cell.positive.rank, cell.positive.rank_low, cell.positive.rank_high) == (1, None, None)
    assert cell.positive.significant is None


def test_capabilities_of_one_measure_have_a_rank_set() -> None:
    """Accuracy rates the overall effectiveness."""
    rows = capability_rows_of(comparison_of("A", "B", UNDECIDED))

    for row in rows.values():
        cell = row.cells["overall_effectiveness"]
        assert (cell.rank_low, cell.rank_high, cell.positive) == (1, 2, None)
