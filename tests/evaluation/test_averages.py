"""Averages over the classes: which classes are in them, and what is said of those that are not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.aggregates.confusion import ConfusionCounts, confusion_schema
from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix, gradient_overall
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.values import MeasureValue, ValueState, compute_count_values
from reportgen.measures import get_measure
from reportgen.spec.inference import IntervalSettings
from tests.tables import matrix_scores

CLASSES = ("a", "b", "c")
MATRIX = ((5, 1, 2), (0, 7, 3), (4, 0, 6))
# No case is c and none is predicted as c.
WITHOUT_C = ((5, 3, 0), (1, 7, 0), (0, 0, 0))
# c occurs but is never predicted.
C_NEVER_PREDICTED = ((5, 3, 0), (1, 7, 0), (2, 2, 0))


def average(matrix: tuple[tuple[int, ...], ...], how: str, measure: str) -> MeasureValue:
    """Return an average over the classes a, b and c."""
    return matrix_scores({"A": matrix}, CLASSES)["A", None, how, measure]


def test_macro_is_the_plain_mean_of_the_classes() -> None:
    """Sensitivity 5/8, 7/10 and 6/10."""
    result = average(MATRIX, "macro", "sensitivity")

    assert result.value == pytest.approx((5 / 8 + 7 / 10 + 6 / 10) / 3, rel=1e-14)
    assert result.reason is None


def test_weighted_counts_a_class_by_its_cases() -> None:
    """Precision 5/9, 7/8 and 6/11 with 8, 10 and 10 cases."""
    result = average(MATRIX, "weighted", "precision")

    expected = (8 * 5 / 9 + 10 * 7 / 8 + 10 * 6 / 11) / 28
    assert result.value == pytest.approx(expected, rel=1e-14)


def test_micro_counts_every_decision_the_same() -> None:
    """The counts are summed first: tp 18, fn 10, fp 10, tn 46."""
    assert average(MATRIX, "micro", "precision").value == pytest.approx(18 / 28, rel=1e-14)
    assert average(MATRIX, "micro", "specificity").value == pytest.approx(46 / 56, rel=1e-14)


def test_an_average_says_over_how_many_classes_it_is() -> None:
    """The precision of a class that is never predicted is not taken for 0."""
    result = average(C_NEVER_PREDICTED, "macro", "precision")

    assert result.value == pytest.approx((5 / 8 + 7 / 12) / 2, rel=1e-14)
    assert result.state is ValueState.DEFINED
    assert result.reason == "over 2 of 3 classes; undefined for c"


def test_an_average_over_ten_classes_names_the_one_left_out() -> None:
    """Over 9 of 10 classes."""
    classes = tuple("abcdefghij")
    matrix = [[int(row == column and row < 9) for column in range(10)] for row in range(10)]
    matrix[9][0] = 1

    result = matrix_scores({"A": matrix}, classes)["A", None, "macro", "precision"]

    assert result.value == pytest.approx((8 + 1 / 2) / 9, rel=1e-14)
    assert result.reason == "over 9 of 10 classes; undefined for j"


def test_an_average_that_leaves_out_many_classes_does_not_name_only_some_of_them() -> None:
    """A list that ends before it is complete has to say so."""
    classes = tuple("abcdefghij")
    matrix = [[1] + [0] * 9 for _ in classes]

    result = matrix_scores({"A": matrix}, classes)["A", None, "macro", "precision"]

    assert result.value == pytest.approx(1 / 10, rel=1e-14)
    assert result.reason is not None
    assert result.reason.startswith("over 1 of 10 classes; undefined for b, c, d, e, f")
    assert result.reason != "over 1 of 10 classes; undefined for b, c, d, e, f"


def test_weighted_ignores_classes_without_cases() -> None:
    """A class of no weight leaves nothing out, so the average is over all that counts."""
    result = average(WITHOUT_C, "weighted", "sensitivity")

    assert result.value == pytest.approx((8 * 5 / 8 + 8 * 7 / 8) / 16, rel=1e-14)
    assert result.reason is None
    assert average(WITHOUT_C, "macro", "sensitivity").reason == (
        "over 2 of 3 classes; undefined for c"
    )


def test_an_average_of_nothing_is_undefined() -> None:
    """No class has a likelihood ratio when all cases are of one class."""
    result = average(((5, 0, 0), (0, 0, 0), (0, 0, 0)), "macro", "youden")

    assert result == MeasureValue(None, ValueState.UNDEFINED, "undefined for every class")


def test_an_average_with_an_infinite_class_is_infinite() -> None:
    """A class without false positives has an infinite ρ+."""
    matrix = ((5, 1, 0), (0, 7, 3), (1, 0, 6))
    without_false_positives = ((5, 1, 2), (0, 7, 3), (0, 0, 6))

    assert average(matrix, "macro", "lr_positive").state is ValueState.DEFINED
    result = average(without_false_positives, "macro", "lr_positive")
    assert (result.value, result.state) == (None, ValueState.INFINITE)
    assert result.reason == "+∞: infinite for some class"
    assert result.number == float("inf")


def test_infinities_of_opposite_signs_have_no_average() -> None:
    """Discriminant power +∞ for one class and −∞ for another."""
    # a is perfect; b is never found, c has no false negative but b is taken for it.
    result = average(((5, 0, 0), (0, 0, 3), (0, 1, 6)), "macro", "discriminant_power")

    assert result.state is ValueState.UNDEFINED
    assert result.reason == "infinite with opposite signs for different classes"


def test_multiclass_accuracy_kappa_and_mcc_are_of_the_whole_matrix() -> None:
    """Accuracy 18/28; kappa from Σ tₖpₖ = 72 + 80 + 110."""
    scores = matrix_scores({"A": MATRIX}, CLASSES)
    chance = (72 + 80 + 110) / 28**2

    accuracy = scores["A", None, None, "accuracy"].value
    assert accuracy == pytest.approx(18 / 28, rel=1e-14)
    expected = (18 / 28 - chance) / (1 - chance)
    assert scores["A", None, None, "kappa"].value == pytest.approx(expected, rel=1e-12)
    numerator = 18 * 28 - (72 + 80 + 110)
    denominator = ((28**2 - 266) * (28**2 - 264)) ** 0.5
    assert scores["A", None, None, "mcc"].value == pytest.approx(numerator / denominator, rel=1e-12)


def test_a_measure_of_one_class_has_no_value_for_the_whole_matrix() -> None:
    """Multiclass sensitivity exists per class and as an average only."""
    scores = matrix_scores({"A": MATRIX}, CLASSES)

    assert ("A", None, None, "sensitivity") not in scores
    assert ("A", "a", None, "sensitivity") in scores


def test_prevalence_and_chi_square_are_not_averaged() -> None:
    """An average of them would say nothing."""
    averaged = {measure for (_, _, how, measure) in matrix_scores({"A": MATRIX}, CLASSES) if how}

    assert averaged & {"prevalence", "chi_square", "chi_square_p"} == set()
    assert "f1" in averaged


def test_balanced_accuracy_over_several_classes_is_mean_recall() -> None:
    """The value and the limits are those of the macro average of sensitivity."""
    matrix = np.array([[40, 5, 5], [10, 30, 2], [0, 4, 16]])
    frame = pl.DataFrame(
        [
            {"classifier": "A", "truth": str(i), "prediction": str(j), "count": int(matrix[i, j])}
            for i in range(3)
            for j in range(3)
        ],
        schema=confusion_schema(("0", "1", "2")),
    )
    confusion = ConfusionCounts(frame, ("0", "1", "2"))
    measures = [get_measure("balanced_accuracy"), get_measure("sensitivity")]
    values = add_confidence_intervals(
        compute_count_values(confusion, measures, None),
        confusion,
        None,
        IntervalSettings(),
        positive=None,
    ).by_key()
    overall = values["A", None, None, "balanced_accuracy"]

    assert overall.value == pytest.approx(np.mean([40 / 50, 30 / 42, 16 / 20]))
    assert overall == values["A", None, "macro", "sensitivity"]


def test_the_gradient_of_mean_recall_is_its_derivative() -> None:
    """Cell by cell, by a small difference."""
    counts = np.array([[40.0, 5, 5], [10, 30, 2], [0, 4, 16]])
    measure, step = get_measure("balanced_accuracy"), 1e-6
    truth, prediction = (item.ravel() for item in np.indices(counts.shape))
    matrix = SparseConfusionMatrix(truth, prediction, counts.ravel(), 3)
    gradient = gradient_overall(measure, matrix)
    slopes = gradient.at_cells(truth, prediction)
    for place, slope in enumerate(slopes):
        moved = counts.ravel().copy()
        moved[place] += step
        after = gradient_overall(measure, SparseConfusionMatrix(truth, prediction, moved, 3))
        assert slope == pytest.approx((after.value - gradient.value) / step, abs=1e-6)
