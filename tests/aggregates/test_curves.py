"""What every threshold counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from reportgen.aggregates.curves import CURVE_SCHEMA, count_curves, cumulate_counts
from tests.scored_cases import binary_cases, several_classes

TRUTH = [1, 1, 0, 1, 0, 0]
SCORES = [0.9, 0.8, 0.8, 0.4, 0.4, 0.1]


def test_a_case_counts_as_found_from_its_own_score_on() -> None:
    """One row per distinct score, the highest first; equal scores are found together."""
    curves = count_curves(binary_cases(TRUTH, {"A": SCORES}))

    assert curves.frame.drop("classifier", "class").rows() == [
        (0.9, 1, 0, 3, 3),
        (0.8, 2, 1, 3, 3),
        (0.4, 3, 2, 3, 3),
        (0.1, 3, 3, 3, 3),
    ]
    assert curves.frame.select("classifier", "class").unique().rows() == [("A", "yes")]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=40))
def test_the_points_are_those_of_scikit_learn(drawn: list[tuple[bool, int]]) -> None:
    """roc_curve has one point more, at an infinite threshold."""
    truth = np.array([True, False, *(positive for positive, _ in drawn)])
    scores = np.array([3.0, 3.0, *(float(score) for _, score in drawn)])
    steps = cumulate_counts(scores, truth)
    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)

    assert steps.threshold.tolist() == thresholds[1:].tolist()
    assert (steps.tp / steps.positives).tolist() == pytest.approx(tpr[1:].tolist(), abs=1e-15)
    assert (steps.fp / steps.negatives).tolist() == pytest.approx(fpr[1:].tolist(), abs=1e-15)


def test_of_several_classes_only_the_corners_are_kept() -> None:
    """Two cases of class 0 in a row lie on one line; the rise ends where a false one begins."""
    rows = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0.5, 0.5]])
    curves = count_curves(several_classes([0, 0, 1, 1, 0], {"A": rows}))
    of_first = curves.frame.filter(curves.frame["class"] == "0")

    assert of_first.select("threshold", "tp", "fp").rows() == [
        (0.8, 2, 0),
        (0.6, 2, 2),
        (0.5, 3, 2),
    ]


def test_a_curve_is_found_by_classifier_and_class() -> None:
    """Another class has no curve where scores rank for the positive one alone."""
    curves = count_curves(binary_cases(TRUTH, {"A": SCORES}))
    steps = curves.cumulative_counts("A", "yes")

    assert curves.frame.schema == CURVE_SCHEMA
    assert steps is not None
    assert steps.threshold.tolist() == [0.9, 0.8, 0.4, 0.1]
    assert curves.cumulative_counts("A", "no") is None
    assert [class_ for class_, _ in curves.by_class("A")] == ["yes"]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.floats(-9, 9), st.integers(1, 4)), max_size=40))
def test_equal_cases_may_be_counted_together(drawn: list[tuple[bool, float, int]]) -> None:
    """A score that stands for three cases counts as three of them do, negative or not."""
    sides = np.array([side for side, _, _ in drawn], np.bool_)
    scores = np.array([score for _, score, _ in drawn], np.float64)
    times = np.array([count for _, _, count in drawn], np.int64)
    together = cumulate_counts(scores, sides, times.astype(np.float64))
    one_by_one = cumulate_counts(np.repeat(scores, times), np.repeat(sides, times))

    assert together.threshold.tolist() == one_by_one.threshold.tolist()
    assert together.tp.tolist() == one_by_one.tp.tolist()
    assert together.fp.tolist() == one_by_one.fp.tolist()


@pytest.mark.parametrize("lowest", [0.0, -0.5])
def test_many_cases_are_counted_as_scikit_learn_counts_them(lowest: float) -> None:
    """Over several blocks, with equal scores, with 0 and −0, and with numbers below 0."""
    random = np.random.default_rng(5)
    truth = random.random(600_000) < 0.3
    scores = (random.normal(size=600_000) + truth).round(4).clip(lowest, None)
    scores[:1000] = -0.0
    steps = cumulate_counts(scores, truth)
    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)

    assert steps.threshold.tolist() == thresholds[1:].tolist()
    assert (steps.tp / steps.positives).tolist() == tpr[1:].tolist()
    assert (steps.fp / steps.negatives).tolist() == fpr[1:].tolist()
