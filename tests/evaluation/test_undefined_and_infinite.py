"""What has no finite value says so, and why, in words."""

from __future__ import annotations

import polars as pl
import pytest

from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.evaluation.values import MeasureValue, ValueState, compute_regression_values
from tests.tables import REGRESSION_MEASURES, Counts, score, tally

NO_POSITIVES = "no case belongs to the class (TP + FN = 0)"
NO_NEGATIVES = "every case belongs to the class (FP + TN = 0)"
NONE_PREDICTED = "nothing was predicted as the class (TP + FP = 0)"
ALL_PREDICTED = "everything was predicted as the class (TN + FN = 0)"
MARGINS = "a row or column of the confusion matrix is empty"

KAPPA_REASON = (
    "all cases are of one class, and predicted so"
    " ((TP + FN) · (FN + TN) + (FP + TN) · (TP + FP) = 0)"
)


def value_of(measure: str, counts: Counts) -> MeasureValue:
    """Return the score of a table."""
    tp, fn, fp, tn = counts
    return score(measure, tally(tp=tp, fn=fn, fp=fp, tn=tn))


@pytest.mark.parametrize(
    ("measure", "counts", "reason"),
    [
        ("accuracy", (0, 0, 0, 0), "there are no cases (TP + FN + FP + TN = 0)"),
        ("sensitivity", (0, 0, 2, 3), NO_POSITIVES),
        ("specificity", (2, 3, 0, 0), NO_NEGATIVES),
        ("precision", (0, 4, 0, 5), NONE_PREDICTED),
        ("npv", (4, 0, 5, 0), ALL_PREDICTED),
        ("youden", (0, 0, 2, 3), NO_POSITIVES),
        ("youden", (2, 3, 0, 0), NO_NEGATIVES),
        ("balanced_accuracy", (0, 0, 2, 3), NO_POSITIVES),
        ("type_1_rate", (2, 3, 0, 0), NO_NEGATIVES),
        ("type_2_rate", (0, 0, 2, 3), NO_POSITIVES),
        ("lr_positive", (0, 0, 2, 3), NO_POSITIVES),
        ("lr_positive", (2, 3, 0, 0), NO_NEGATIVES),
        ("lr_positive", (0, 3, 0, 4), "sensitivity = 0 and specificity = 1"),
        ("lr_negative", (3, 0, 4, 0), "sensitivity = 1 and specificity = 0"),
        ("kappa_best", (0, 0, 2, 3), NO_POSITIVES),
        ("kappa_best", (2, 3, 0, 0), NO_NEGATIVES),
        ("markedness", (0, 4, 0, 5), NONE_PREDICTED),
        ("lift", (0, 4, 0, 5), NONE_PREDICTED),
        (
            "f1",
            (0, 0, 0, 5),
            "the class is neither true nor predicted anywhere (2 · TP + FN + FP = 0)",
        ),
        (
            "jaccard",
            (0, 0, 0, 5),
            "the class is neither true nor predicted anywhere (TP + FN + FP = 0)",
        ),
        (
            "mcc",
            (2, 3, 0, 0),
            f"{MARGINS} ((TP + FP) · (TP + FN) · (TN + FP) · (TN + FN) = 0)",
        ),
        (
            "mcc",
            (2, 0, 3, 0),
            f"{MARGINS} ((TP + FP) · (TP + FN) · (TN + FP) · (TN + FN) = 0)",
        ),
        (
            "chi_square_p",
            (2, 0, 3, 0),
            f"{MARGINS} ((TP + FN) · (FP + TN) · (TP + FP) · (FN + TN) = 0)",
        ),
        ("kappa", (5, 0, 0, 0), KAPPA_REASON),
    ],
)
def test_what_is_undefined_says_why(measure: str, counts: Counts, reason: str) -> None:
    """0/0 is no number: neither 0 nor 1."""
    assert value_of(measure, counts) == MeasureValue(None, ValueState.UNDEFINED, reason)


@pytest.mark.parametrize(
    ("measure", "counts", "reason"),
    [
        ("lr_positive", (3, 1, 0, 4), "+∞: specificity = 1"),
        ("lr_negative", (3, 1, 4, 0), "+∞: specificity = 0"),
        ("discriminant_power", (3, 1, 0, 4), "+∞: specificity = 1"),
        ("discriminant_power", (3, 0, 1, 4), "+∞: sensitivity = 1"),
        ("diagnostic_odds_ratio", (3, 1, 0, 4), "+∞: FP · FN = 0"),
    ],
)
def test_what_is_infinite_says_why_with_its_sign(measure: str, counts: Counts, reason: str) -> None:
    """x/0 is infinite, and comparable as such."""
    result = value_of(measure, counts)

    assert result == MeasureValue(None, ValueState.INFINITE, reason)
    assert result.number == float("inf")


@pytest.mark.parametrize("counts", [(0, 3, 1, 4), (1, 3, 4, 0), (0, 3, 4, 0)])
def test_discriminant_power_without_a_hit_is_minus_infinity(counts: Counts) -> None:
    """Ln 0 on one side or on both."""
    result = value_of("discriminant_power", counts)

    assert result.state is ValueState.INFINITE
    assert result.reason is not None
    assert result.reason.startswith("−∞: ")
    assert result.number == -float("inf")


@pytest.mark.parametrize("counts", [(3, 0, 4, 0), (0, 3, 0, 4)])
def test_discriminant_power_of_an_answer_that_never_changes_is_undefined(counts: Counts) -> None:
    """All positive or all negative is ∞ − ∞: no power, but not a number either."""
    result = value_of("discriminant_power", counts)

    assert result.state is ValueState.UNDEFINED
    assert result.reason is not None
    assert result.reason.endswith("is ∞ − ∞")


@pytest.mark.parametrize(
    ("measure", "counts"), [("mcc", (5, 0, 0, 1)), ("sensitivity", (0, 2, 1, 1))]
)
def test_a_plain_number_has_no_reason(measure: str, counts: Counts) -> None:
    """0 and 1 are values like any other."""
    result = value_of(measure, counts)

    assert result.state is ValueState.DEFINED
    assert result.reason is None


def regression_scores(truths: list[float], predictions: list[float]) -> dict[str, MeasureValue]:
    """Return the scores of numeric predictions by measure."""
    frame = pl.LazyFrame(
        {
            "classifier": ["A"] * len(truths),
            "fold": [None] * len(truths),
            "truth": truths,
            "prediction": predictions,
        },
        schema_overrides={"fold": pl.String},
    )
    tally = RegressionSums(sum_regression(frame).collect())
    scores = compute_regression_values(tally, REGRESSION_MEASURES).by_key()
    return {measure: result for (*_, measure), result in scores.items()}


def test_constant_truth_has_no_correlation_and_nothing_to_explain() -> None:
    """There is no variation of which a share could be explained."""
    result = regression_scores([0.1, 0.1, 0.1], [1.0, 2.0, 3.0])

    assert result["pearson"] == MeasureValue(
        None, ValueState.UNDEFINED, "all true values are equal (Σ(y−ȳ)² = 0)"
    )
    assert result["r2"].state is ValueState.INFINITE
    assert result["r2"].reason == "−∞: all true values are equal (Σ(y−ȳ)² = 0)"
    assert result["mae"].state is ValueState.DEFINED


def test_constant_predictions_have_no_correlation() -> None:
    """A model that always says the same number; its errors are numbers all the same."""
    result = regression_scores([1.0, 2.0, 3.0], [0.1, 0.1, 0.1])

    assert result["pearson"] == MeasureValue(
        None, ValueState.UNDEFINED, "all predicted values are equal (Σ(ŷ−m)² = 0)"
    )
    assert result["r2"].state is ValueState.DEFINED


def test_constant_truth_rightly_predicted_leaves_r2_undefined() -> None:
    """0/0: nothing to explain and no error."""
    result = regression_scores([2.0, 2.0], [2.0, 2.0])

    assert result["r2"].state is ValueState.UNDEFINED
    assert result["r2"].reason
    assert result["rmse"].value == 0
