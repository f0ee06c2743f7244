"""Pairs in order and areas under precision-recall curves."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from reportgen.aggregates.ranking import RankingStatistics, compute_ranking_statistics
from tests.scored_cases import binary_cases, drawn_probabilities, several_classes


def rank_counts(truth: list[int], scores: list[float]) -> dict[str, float]:
    """Return what the ranking of one classifier counts."""
    statistics = compute_ranking_statistics(binary_cases(truth, {"A": scores}))
    return statistics.frame.drop("classifier", "fold", "class").row(0, named=True)


def test_pairs_in_order_and_tied_pairs_are_counted() -> None:
    """0.9 is above all three others, 0.8 ties one and is above two, 0.4 ties one, is above one."""
    result = rank_counts([1, 1, 0, 1, 0, 0], [0.9, 0.8, 0.8, 0.4, 0.4, 0.1])

    assert (result["positives"], result["negatives"], result["pairs"]) == (3, 3, 9)
    assert result["concordant"] == 3 + 2 + 1
    assert result["tied"] == 1 + 1
    assert result["precision_steps"] == pytest.approx(1 / 1 + 2 / 3 + 3 / 5)


def test_precision_is_interpolated_by_counts() -> None:
    """From 0 to 1 found precision is 1; from (1, 0) to (2, 1) it is x / (2x − 1).

    Its integral from 1 to 2 is x/2 + ln(2x − 1)/4, so 1/2 + ln(3)/4; straight lines would give
    the mean of 1 and 2/3, which is more.
    """
    result = rank_counts([1, 1, 0], [0.9, 0.5, 0.5])

    assert result["pr_area"] == pytest.approx(1 + 0.5 + math.log(3) / 4)
    assert result["pr_area"] < 1 + (1 + 2 / 3) / 2


def test_the_worked_example_of_davis_and_goadrich_is_reproduced() -> None:
    """Points A (5 true, 5 false) and B (10, 30) of 20 positives: precision between them.

    Their Figure 6 has 6, 7, 8, 9 true positives with 10, 15, 20, 25 false ones: precision 0.375,
    0.318, 0.286, 0.265. The area over 5 to 10 is that of x / (x + 5 + 5(x − 5)).
    """
    truth = [1] * 5 + [0] * 5 + [1] * 5 + [0] * 25 + [1] * 10 + [0] * 10
    scores = [3.0] * 10 + [2.0] * 30 + [1.0] * 20
    steps = np.linspace(5, 10, 200_001)
    to_b = np.trapezoid(steps / (steps + 5 + 5 * (steps - 5)), steps)
    last = np.linspace(10, 20, 200_001)
    to_end = np.trapezoid(last / (last + 30 + (last - 10)), last)

    assert [round(x / (x + 5 + 5 * (x - 5)), 3) for x in (6, 7, 8, 9)] == [
        0.375,
        0.318,
        0.286,
        0.265,
    ]
    assert rank_counts(truth, scores)["pr_area"] == pytest.approx(5 * 0.5 + to_b + to_end, rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(-5, 5)), min_size=1, max_size=60))
def test_areas_agree_with_scikit_learn_with_many_ties(drawn: list[tuple[bool, int]]) -> None:
    """Few different scores, so most pairs are tied."""
    truth = [1, 0, *(int(positive) for positive, _ in drawn)]
    scores = [0.0, 0.0, *(float(score) for _, score in drawn)]
    result = rank_counts(truth, scores)

    area = (result["concordant"] + result["tied"] / 2) / result["pairs"]
    assert area == pytest.approx(roc_auc_score(truth, scores), abs=1e-12)
    steps = result["precision_steps"] / result["positives"]
    assert steps == pytest.approx(average_precision_score(truth, scores), abs=1e-12)


@pytest.mark.parametrize("decimals", [12, 1])
def test_the_whole_is_the_mean_over_pairs_of_classes(decimals: int) -> None:
    """Hand and Till's M is scikit-learn's one-against-one average, with and without ties."""
    truth, rows = drawn_probabilities(3, cases=300, classes=4, decimals=decimals)
    # With one decimal rows no longer add up to 1, so the rest goes to a class at random.
    rows[:, 3] += 1 - rows.sum(axis=1)
    statistics = compute_ranking_statistics(several_classes(truth.tolist(), {"A": rows}))
    expected = roc_auc_score(truth, rows, multi_class="ovo", average="macro")

    assert statistics.multiclass["hand_till"][0] == pytest.approx(expected, abs=1e-12)
    sizes = np.bincount(truth)
    assert statistics.multiclass["pairs"][0] == len(truth) ** 2 - (sizes**2).sum()


def test_a_class_that_does_not_occur_is_in_no_pair() -> None:
    """Class 2 has no cases: the whole is over the pairs of the others."""
    truth, rows = drawn_probabilities(4, cases=60, classes=2)
    with_third = np.column_stack([rows, np.zeros(60)])
    two = compute_ranking_statistics(several_classes(truth.tolist(), {"A": rows})).multiclass
    three = compute_ranking_statistics(
        several_classes(truth.tolist(), {"A": with_third})
    ).multiclass

    assert three.equals(two)


def test_every_fold_is_counted_by_itself() -> None:
    """Fold null is over all cases, which is not the sum of the folds: pairs across folds."""
    folds = ["1", "1", "2", "2"]
    statistics = compute_ranking_statistics(
        binary_cases([1, 0, 1, 0], {"A": [0.9, 0.2, 0.3, 0.5]}, folds)
    )
    concordant = dict(statistics.frame.select("fold", "concordant").rows())

    assert concordant == {None: 3, "1": 1, "2": 0}


def test_ranking_statistics_reject_another_frame() -> None:
    """Columns are part of the contract."""
    statistics = compute_ranking_statistics(binary_cases([1, 0], {"A": [1.0, 0.0]}))

    with pytest.raises(TypeError, match="ranking statistics need"):
        RankingStatistics(statistics.frame.drop("tied"), statistics.multiclass)
    with pytest.raises(TypeError, match="ranking statistics need"):
        RankingStatistics(statistics.frame, pl.DataFrame())
