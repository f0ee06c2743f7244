"""Limits of measures of numeric predictions, against the cases themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from reportgen.aggregates.regression import RegressionSums, sum_regression
from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.values import MeasureValue, ValueState, compute_regression_values
from reportgen.spec.inference import IntervalSettings
from tests.tables import REGRESSION_MEASURES

if TYPE_CHECKING:
    from reportgen.statistics import FloatArray

RANDOM = np.random.default_rng(5)
TRUTH = RANDOM.normal(50, 10, 80)
PREDICTION = 10 + 0.8 * TRUTH + RANDOM.standard_t(5, 80) * 5
ERROR, DEVIATION = TRUTH - PREDICTION, TRUTH - TRUTH.mean()


def scored(
    truth: FloatArray, prediction: FloatArray, *, weight: float = 1.0, method: str = "recommended"
) -> dict[str, MeasureValue]:
    """Return the scores of numeric predictions with intervals, by measure."""
    frame = pl.LazyFrame({"truth": truth, "prediction": prediction}).with_columns(
        classifier=pl.lit("A"), fold=pl.lit(None, pl.String)
    )
    tally = RegressionSums(sum_regression(frame).collect())
    scores = compute_regression_values(tally, REGRESSION_MEASURES)
    asked = IntervalSettings.model_validate({"method": method})
    found = add_confidence_intervals(
        scores, None, tally, asked, positive=None, weights={"A": weight}
    )
    return {measure: score for (*_, measure), score in found.by_key().items()}


def limits_of_log(log_value: float, influence: FloatArray) -> tuple[float, float]:
    """Return Student's limits of a logarithm from what each case adds to it, carried back."""
    half = stats.t.ppf(0.975, len(influence) - 1) * influence.std(ddof=1) * len(influence) ** 0.5
    return float(np.exp(log_value - half)), float(np.exp(log_value + half))


def test_rmse_has_the_limits_of_a_mean_of_squares() -> None:
    """A case moves ln RMSE by half of e² / Σe²."""
    found = scored(TRUTH, PREDICTION)["rmse"]

    squares = ERROR**2
    wanted = limits_of_log(np.log(np.sqrt(squares.mean())), squares / squares.sum() / 2)
    assert (found.low, found.high) == pytest.approx(wanted, rel=1e-9)
    assert found.method == "delta, log"


def test_mae_has_the_limits_of_a_mean_of_absolute_errors() -> None:
    """A case moves ln MAE by |e| / Σ|e|."""
    found = scored(TRUTH, PREDICTION)["mae"]

    sizes = np.abs(ERROR)
    wanted = limits_of_log(np.log(sizes.mean()), sizes / sizes.sum())
    assert (found.low, found.high) == pytest.approx(wanted, rel=1e-9)


def test_r2_has_the_limits_of_a_ratio_of_sums_of_squares() -> None:
    """A case moves ln(1 − R²) by e² / Σe² − d² / Σd²."""
    found = scored(TRUTH, PREDICTION)["r2"]

    errors, spread = (ERROR**2).sum(), (DEVIATION**2).sum()
    low, high = limits_of_log(np.log(errors / spread), ERROR**2 / errors - DEVIATION**2 / spread)
    assert (found.low, found.high) == pytest.approx((1 - high, 1 - low), rel=1e-9)
    assert found.method == "delta, complementary log"


@pytest.mark.parametrize("method", ["recommended", "bootstrap"])
def test_pearson_has_the_limits_that_scipy_gives(method: str) -> None:
    """Fisher's z; from sums alone nothing can be drawn anew, and the name tells."""
    found = scored(TRUTH, PREDICTION, method=method)["pearson"]

    outside = stats.pearsonr(TRUTH, PREDICTION).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((outside.low, outside.high), rel=1e-9)
    assert found.method == "fisher z"


def test_an_exact_fit_has_no_interval() -> None:
    """Nothing varies, so nothing is known of how far off it may be."""
    found = scored(TRUTH, TRUTH)

    assert {measure: score.method for measure, score in found.items()} == {
        "rmse": None,
        "mae": None,
        "r2": None,
        "pearson": None,
    }


def test_repeated_cases_make_wider_intervals_than_new_ones() -> None:
    """Four predictions for each of 20 cases are less than predictions for 80."""
    new, repeated = scored(TRUTH, PREDICTION), scored(TRUTH, PREDICTION, weight=0.25)

    for measure, score in new.items():
        wider = repeated[measure]
        assert None not in {score.low, score.high, wider.low, wider.high}
        assert (wider.low or 0) < (score.low or 0) < (score.high or 0) < (wider.high or 0)


NUMBERS = st.integers(-1000, 1000).map(lambda tenths: tenths / 10)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=12))
def test_limits_lie_around_the_value_and_inside_the_range(pairs: list[tuple[float, float]]) -> None:
    """Also for few and equal numbers."""
    truth, prediction = (np.array(column) for column in zip(*pairs, strict=True))
    found = scored(truth, prediction)
    for measure in REGRESSION_MEASURES:
        score = found[measure.name]
        if score.method is None:
            assert (score.low, score.high) == (None, None)
            continue
        assert score.state is ValueState.DEFINED
        assert None not in {score.low, score.value, score.high}
        assert (score.low or 0) <= (score.value or 0) <= (score.high or 0)
        assert measure.range.contains(score.low or 0)
        assert measure.range.contains(score.high or 0)
