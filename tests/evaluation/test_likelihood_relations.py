"""Which of two classifiers confirms which class better (figure 1)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.likelihood_relations import (
    LIKELIHOOD_RELATIONS,
    LikelihoodRelation,
    OrientedLikelihoodRatios,
    orient_likelihood_ratios,
    relate_by_likelihood_ratios,
)
from reportgen.evaluation.values import MeasureValue, ValueState
from tests.tables import Counts, ScoreKey, binary_scores, matrix_scores


def relation(first: Counts, second: Counts) -> LikelihoodRelation:
    """Return the relation of A to B."""
    (result,) = relate_by_likelihood_ratios(
        binary_scores({"A": first, "B": second}), ["A", "B"], [None]
    )
    return result


def relation_of_ratios(
    positives: tuple[float, float], negatives: tuple[float, float]
) -> LikelihoodRelation:
    """Return the relation of A to B with the likelihood ratios given."""
    scores: dict[ScoreKey, MeasureValue] = {
        (classifier, None, None, measure): score_of(number)
        for measure, numbers in (("lr_positive", positives), ("lr_negative", negatives))
        for classifier, number in zip("AB", numbers, strict=True)
    }
    (result,) = relate_by_likelihood_ratios(scores, ["A", "B"], [None])
    return result


def score_of(number: float) -> MeasureValue:
    """Return the score of a number, which may be infinite."""
    if math.isinf(number):
        return MeasureValue(None, ValueState.INFINITE, "+∞: given so")
    return MeasureValue(number, ValueState.DEFINED)


@pytest.mark.parametrize(
    ("positives", "negatives", "word"),
    [
        ((3, 2), (0.2, 0.3), "superior overall"),
        ((3, 2), (0.3, 0.2), "superior for confirmation of positives"),
        ((3, 2), (0.2, 0.2), "superior for confirmation of positives"),
        ((2, 3), (0.2, 0.3), "superior for confirmation of negatives"),
        ((2, 2), (0.2, 0.3), "superior for confirmation of negatives"),
        ((2, 3), (0.3, 0.2), "inferior overall"),
        ((2, 3), (0.2, 0.2), "inferior for confirmation of positives"),
        ((2, 2), (0.3, 0.2), "inferior for confirmation of negatives"),
        ((2, 2), (0.2, 0.2), "tied"),
        ((math.inf, 2), (0.2, 0.3), "superior overall"),
        ((2, math.inf), (0.2, 0.3), "superior for confirmation of negatives"),
        ((math.inf, math.inf), (0.2, 0.3), "superior for confirmation of negatives"),
        ((math.inf, math.inf), (0.2, 0.2), "tied"),
        ((2, 2), (0.1 + 0.2, 0.3), "tied"),
    ],
)
def test_the_two_ratios_decide_the_relation(
    positives: tuple[float, float], negatives: tuple[float, float], word: str
) -> None:
    """A higher ρ+ confirms positives, a lower ρ− negatives; each may be better, equal or worse."""
    assert relation_of_ratios(positives, negatives).relation == word


def test_all_nine_combinations_have_a_word() -> None:
    """Better, equal and worse on either side."""
    assert set(LIKELIHOOD_RELATIONS) == {
        (left, right) for left in (-1, 0, 1) for right in (-1, 0, 1)
    }


ratios = st.floats(1, 100)
fractions = st.floats(0.01, 1)


@settings(max_examples=50)
@given(ratios, ratios, fractions, fractions)
def test_the_relation_turned_round_is_its_opposite(
    lr_a: float, lr_b: float, negative_a: float, negative_b: float
) -> None:
    """Superior overall one way is inferior overall the other."""
    there = relation_of_ratios((lr_a, lr_b), (negative_a, negative_b))
    back = relation_of_ratios((lr_b, lr_a), (negative_b, negative_a))

    assert there.reverse_relation == back.relation
    assert back.reverse_relation == there.relation


def test_when_each_confirms_one_class_the_reverse_is_superior_too() -> None:
    """A has the higher ρ+, B the lower ρ−: neither is called inferior."""
    likelihood_relation = relation_of_ratios((3, 2), (0.3, 0.2))

    assert likelihood_relation.relation == "superior for confirmation of positives"
    assert likelihood_relation.reverse_relation == "superior for confirmation of negatives"


def test_ratios_are_swapped_below_one() -> None:
    """A positive answer that speaks against the class is an answer for the rest."""
    assert orient_likelihood_ratios(0.25, 4.0) == OrientedLikelihoodRatios(4.0, 0.25, swapped=True)
    assert orient_likelihood_ratios(1.0, 1.0) == OrientedLikelihoodRatios(1.0, 1.0, swapped=False)
    assert orient_likelihood_ratios(4.0, 0.25) == OrientedLikelihoodRatios(4.0, 0.25, swapped=False)


def test_a_relation_names_whose_ratios_were_swapped() -> None:
    """A has ρ+ 0.25; B has 7/3."""
    result = relation((2, 8, 8, 2), (7, 3, 3, 7))

    assert result.swapped_classifiers == ("A",)
    assert result.relation == "superior overall"


def test_both_may_be_swapped() -> None:
    """Then the worse liar is the better source."""
    result = relation((2, 8, 8, 2), (3, 7, 7, 3))

    assert result.swapped_classifiers == ("A", "B")
    assert result.relation == "superior overall"


def test_no_false_positive_confirms_positives_best() -> None:
    """ρ+ is infinite for A; B misses fewer."""
    result = relation((5, 5, 0, 10), (9, 1, 2, 8))

    assert result.relation == "superior for confirmation of positives"


@pytest.mark.parametrize("counts", [(0, 0, 3, 7), (7, 3, 0, 0), (0, 5, 0, 5)])
def test_an_undefined_ratio_leaves_the_relation_undefined(counts: Counts) -> None:
    """No relation is made up."""
    result = relation(counts, (7, 3, 3, 7))

    assert result.relation == result.reverse_relation == "undefined"
    assert result.swapped_classifiers == ()


def test_every_pair_is_related_once_on_every_class() -> None:
    """Three classifiers and three classes make nine relations."""
    classes = ("a", "b", "c")
    matrix = ((9, 1, 0), (2, 6, 2), (2, 2, 6))
    scores = matrix_scores({"A": matrix, "B": matrix, "C": matrix}, classes)

    likelihood_relations = relate_by_likelihood_ratios(scores, ["A", "B", "C"], classes)

    assert [(item.class_, item.first, item.second) for item in likelihood_relations] == [
        (class_, first, second)
        for class_ in classes
        for first, second in (("A", "B"), ("A", "C"), ("B", "C"))
    ]
    assert {item.relation for item in likelihood_relations} == {"tied"}


def test_one_classifier_has_no_relations() -> None:
    """There is no pair."""
    assert relate_by_likelihood_ratios(binary_scores({"A": (7, 3, 3, 7)}), ["A"], [None]) == ()


def test_no_relation_claims_to_be_tested() -> None:
    """There is no test yet."""
    result = relation((8, 2, 2, 8), (7, 3, 3, 7))

    assert (result.significant, result.p_positive, result.p_negative) == (None, None, None)
