"""The sums behind measures of numeric predictions."""

from __future__ import annotations

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.evaluation.values import ValueState, compute_regression_values
from reportgen.measures.formula.evaluate import evaluate_exact
from tests.tables import REGRESSION_MEASURES

Pairs = list[tuple[float, float]]


def summed(pairs: Pairs, folds: list[str] | None = None) -> RegressionSums:
    """Sum up pairs of true and predicted values of classifier A."""
    frame = pl.LazyFrame(
        {
            "classifier": ["A"] * len(pairs),
            "fold": folds or [None] * len(pairs),
            "truth": [float(truth) for truth, _ in pairs],
            "prediction": [float(prediction) for _, prediction in pairs],
        },
        schema_overrides={"fold": pl.String},
    )
    return RegressionSums(sum_regression(frame).collect())


def exact_sums(pairs: Pairs) -> dict[str, Fraction | float]:
    """Return the sums in exact fractions."""
    truths = [Fraction(truth) for truth, _ in pairs]
    predictions = [Fraction(prediction) for _, prediction in pairs]
    centre, middle = sum(truths) / len(pairs), sum(predictions) / len(pairs)
    both = list(zip(truths, predictions, strict=True))
    return {
        "cases": Fraction(len(pairs)),
        "squared_errors": Fraction(sum((y - x) ** 2 for y, x in both)),
        "absolute_errors": Fraction(sum(abs(y - x) for y, x in both)),
        "true_spread": Fraction(sum((y - centre) ** 2 for y in truths)),
        "predicted_spread": Fraction(sum((x - middle) ** 2 for x in predictions)),
        "common_spread": Fraction(sum((y - centre) * (x - middle) for y, x in both)),
    }


numbers = st.integers(-1000, 1000).map(lambda hundredths: hundredths / 100)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20))
def test_measures_of_numeric_predictions_are_those_of_exact_arithmetic(pairs: Pairs) -> None:
    """In value, range and state."""
    scores = compute_regression_values(summed(pairs), REGRESSION_MEASURES).by_key()
    sums = exact_sums(pairs)
    for measure in REGRESSION_MEASURES:
        score = scores["A", None, None, measure.name]
        required = [evaluate_exact(part, sums) for part in measure.requires]
        expected = float(evaluate_exact(measure.formula, sums))
        if expected != expected or 0 in required:  # noqa: PLR0124  # NaN is what differs from itself
            assert score.state is ValueState.UNDEFINED, measure.name
            assert score.reason, measure.name
        else:
            assert score.number == pytest.approx(expected, rel=1e-9, abs=1e-9), measure.name
            assert score.value is None or measure.range.contains(score.value), measure.name


@settings(max_examples=20, deadline=None)
@given(st.lists(numbers, min_size=2, max_size=20, unique=True))
def test_perfect_predictions_have_no_error_and_explain_everything(truths: list[float]) -> None:
    """The best value of every measure of numeric predictions."""
    scores = compute_regression_values(
        summed([(truth, truth) for truth in truths]), REGRESSION_MEASURES
    ).by_key()
    result = {measure: score.value for (*_, measure), score in scores.items()}

    assert result == {"rmse": 0, "mae": 0, "r2": 1, "pearson": pytest.approx(1, rel=1e-12)}


def test_folds_are_summed_by_themselves_and_together() -> None:
    """Fold null is over all cases, with the mean of all cases."""
    sums = summed([(1, 2), (3, 3), (5, 4)], ["1", "1", "2"])
    frame = sums.frame.sort("fold", nulls_last=True)

    assert frame["cases"].to_list() == [2, 1, 3]
    assert frame["squared_errors"].to_list() == [1, 1, 2]
    assert frame["true_spread"].to_list() == [2, 0, 8]


def test_a_large_offset_does_not_eat_the_spread() -> None:
    """Deviations are taken from the mean, not squares from squares."""
    near = summed([(1, 1), (2, 3), (3, 2)]).frame
    far = summed([(1e9 + 1, 1e9 + 1), (1e9 + 2, 1e9 + 3), (1e9 + 3, 1e9 + 2)]).frame

    for column in ("true_spread", "predicted_spread", "common_spread"):
        assert far[column].item() == pytest.approx(near[column].item(), rel=1e-6)


def test_equal_values_have_no_spread_at_all() -> None:
    """The mean of ten times 0.1 is not quite 0.1, which must not become a correlation."""
    frame = summed([(0.1, number) for number in range(10)]).frame

    assert frame["true_spread"].item() == 0
    assert frame["common_spread"].item() == 0


def test_a_frame_of_another_shape_is_rejected() -> None:
    """A wrong schema raises where the object is made."""
    with pytest.raises(TypeError, match="regression sums need"):
        RegressionSums(pl.DataFrame({"classifier": ["A"]}))
