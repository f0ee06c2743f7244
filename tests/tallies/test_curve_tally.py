"""What every threshold counts."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_curve

from reportgen.tallies.curves import CURVE_SCHEMA, CurveTally, count_curves, steps_of
from tests.scored_cases import binary_cases, several_classes

TRUTH = [1, 1, 0, 1, 0, 0]
SCORES = [0.9, 0.8, 0.8, 0.4, 0.4, 0.1]


def test_a_case_counts_as_found_from_its_own_score_on() -> None:
    """One row per distinct score, the highest first; equal scores are found together."""
    tally = count_curves(binary_cases(TRUTH, {"A": SCORES}))

    assert tally.frame.drop("classifier", "class").rows() == [
        (0.9, 1, 0, 3, 3),
        (0.8, 2, 1, 3, 3),
        (0.4, 3, 2, 3, 3),
        (0.1, 3, 3, 3, 3),
    ]
    assert tally.frame.select("classifier", "class").unique().rows() == [("A", "yes")]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 8)), min_size=2, max_size=40))
def test_the_points_are_those_of_scikit_learn(drawn: list[tuple[bool, int]]) -> None:
    """roc_curve has one point more, at an infinite threshold."""
    truth = np.array([True, False, *(positive for positive, _ in drawn)])
    scores = np.array([3.0, 3.0, *(float(score) for _, score in drawn)])
    steps = steps_of(scores, truth)
    fpr, tpr, thresholds = roc_curve(truth, scores, drop_intermediate=False)

    assert steps.threshold.tolist() == thresholds[1:].tolist()
    assert (steps.tp / steps.positives).tolist() == pytest.approx(tpr[1:].tolist(), abs=1e-15)
    assert (steps.fp / steps.negatives).tolist() == pytest.approx(fpr[1:].tolist(), abs=1e-15)


def test_of_several_classes_only_the_corners_are_kept() -> None:
    """Two cases of class 0 in a row lie on one line; the rise ends where a false one begins."""
    rows = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.6, 0.4], [0.5, 0.5]])
    tally = count_curves(several_classes([0, 0, 1, 1, 0], {"A": rows}))
    of_first = tally.frame.filter(tally.frame["class"] == "0")

    assert of_first.select("threshold", "tp", "fp").rows() == [
        (0.8, 2, 0),
        (0.6, 2, 2),
        (0.5, 3, 2),
    ]


def test_a_curve_tally_refuses_another_frame() -> None:
    """Columns are part of the contract."""
    frame = count_curves(binary_cases(TRUTH, {"A": SCORES})).frame

    assert frame.schema == CURVE_SCHEMA
    with pytest.raises(TypeError, match="a curve tally needs"):
        CurveTally(frame.drop("tp"))
