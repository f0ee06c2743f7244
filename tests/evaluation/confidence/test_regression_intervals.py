"""Limits of measures of numeric predictions, against the cases themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

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


def values_with_intervals(
    truth: FloatArray, prediction: FloatArray, *, weight: float = 1.0, method: str = "recommended"
) -> dict[str, MeasureValue]:
    """Return the scores of numeric predictions with intervals, by measure."""
    frame = pl.LazyFrame({"truth": truth, "prediction": prediction}).with_columns(
        classifier=pl.lit("A"), fold=pl.lit(None, pl.String)
    )
    tally = RegressionSums(sum_regression(frame).collect())
    scores = compute_regression_values(tally, REGRESSION_MEASURES)
    settings = IntervalSettings.model_validate({"method": method})
    measure_values = add_confidence_intervals(
        scores, None, tally, settings, positive=None, weights={"A": weight}
    )
    return {measure: score for (*_, measure), score in measure_values.by_key().items()}


def freedom(influence: FloatArray) -> float:
    """Return 2n / (kurtosis − 1), the degrees of freedom of a variance, with SciPy's kurtosis."""
    return float(2 * len(influence) / (stats.kurtosis(influence, fisher=False) - 1))


def limits_of_log(log_value: float, influence: FloatArray) -> tuple[float, float]:
    """Return Student's limits of a logarithm from what each case adds to it, carried back."""
    error = influence.std(ddof=1) * len(influence) ** 0.5
    half = stats.t.ppf(0.975, freedom(influence)) * error
    return float(np.exp(log_value - half)), float(np.exp(log_value + half))


def hall_limits(numbers: FloatArray) -> tuple[float, float]:
    """Return the limits of a mean for which Hall's transformed t statistic is ± a quantile."""
    quantile = stats.t.ppf(0.975, freedom(numbers))
    a = stats.skew(numbers) / len(numbers) ** 0.5
    error = numbers.std(ddof=1) / len(numbers) ** 0.5

    def transformed(mean: float) -> float:
        t = (numbers.mean() - mean) / error
        return float(t + a * t**2 / 3 + a**2 * t**3 / 27 + a / 6)

    bracket = numbers.mean() - 20 * error, numbers.mean() + 20 * error
    low, high = (
        brentq(lambda mean, side=side: transformed(mean) - side * quantile, *bracket)
        for side in (1, -1)
    )
    return low, high


def test_rmse_has_hall_s_limits_of_a_mean_of_squares() -> None:
    """The roots of the limits of the mean squared error, found with SciPy."""
    result = values_with_intervals(TRUTH, PREDICTION)["rmse"]

    assert (result.low, result.high) == pytest.approx(np.sqrt(hall_limits(ERROR**2)), rel=1e-9)
    assert result.method == "hall, satterthwaite"


def test_mae_has_hall_s_limits_of_a_mean_of_absolute_errors() -> None:
    """Solved with SciPy."""
    result = values_with_intervals(TRUTH, PREDICTION)["mae"]

    assert (result.low, result.high) == pytest.approx(hall_limits(np.abs(ERROR)), rel=1e-9)


def test_r2_has_the_limits_of_a_ratio_of_sums_of_squares() -> None:
    """A case moves ln(1 − R²) by e² / Σe² − d² / Σd²."""
    result = values_with_intervals(TRUTH, PREDICTION)["r2"]

    errors, spread = (ERROR**2).sum(), (DEVIATION**2).sum()
    low, high = limits_of_log(np.log(errors / spread), ERROR**2 / errors - DEVIATION**2 / spread)
    assert (result.low, result.high) == pytest.approx((1 - high, 1 - low), rel=1e-9)
    assert result.method == "delta, complementary log, t"


@pytest.mark.parametrize("method", ["recommended", "bootstrap"])
def test_pearson_has_limits_of_the_jackknife_on_fisher_s_scale(method: str) -> None:
    """A case moves r by (uv − r(u² + v²)/2)/n, u and v standardised; also of the jackknife."""
    result = values_with_intervals(TRUTH, PREDICTION, method=method)["pearson"]

    n, r = len(TRUTH), stats.pearsonr(TRUTH, PREDICTION).statistic
    u, v = stats.zscore(TRUTH), stats.zscore(PREDICTION)
    influence = u * v - r * (u**2 + v**2) / 2
    error = influence.std(ddof=1) / (n - 3) ** 0.5 / (1 - r**2)
    half = stats.t.ppf(0.975, freedom(influence)) * error
    assert (result.low, result.high) == pytest.approx(
        (np.tanh(np.arctanh(r) - half), np.tanh(np.arctanh(r) + half)), rel=1e-9
    )
    assert result.method == "delta, Fisher z, t"
    subset = [np.arange(n) != case for case in range(n)]
    left_out = np.arctanh([stats.pearsonr(TRUTH[k], PREDICTION[k]).statistic for k in subset])
    assert error == pytest.approx(left_out.std() * (n - 1) ** 0.5, rel=0.05)


def test_pearson_of_normal_values_agrees_with_fisher_s_interval() -> None:
    """SciPy's interval assumes normal values; on 2000 of them both agree to 5 %."""
    truth = RANDOM.normal(size=2000)
    prediction = 0.8 * truth + RANDOM.normal(size=2000) * 0.6
    result = values_with_intervals(truth, prediction)["pearson"]

    outside = stats.pearsonr(truth, prediction).confidence_interval(0.95)
    assert result.low is not None
    assert result.high is not None
    assert result.high - result.low == pytest.approx(outside.high - outside.low, rel=0.05)


def test_an_exact_fit_has_no_interval() -> None:
    """Nothing varies, so nothing is known of how far off it may be."""
    result = values_with_intervals(TRUTH, TRUTH)

    assert {measure: score.method for measure, score in result.items()} == {
        "rmse": None,
        "mae": None,
        "r2": None,
        "pearson": None,
    }


def test_repeated_cases_make_wider_intervals_than_new_ones() -> None:
    """Four predictions for each of 20 cases are less than predictions for 80."""
    new, repeated = (
        values_with_intervals(TRUTH, PREDICTION),
        values_with_intervals(TRUTH, PREDICTION, weight=0.25),
    )

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
    result = values_with_intervals(truth, prediction)
    for measure in REGRESSION_MEASURES:
        score = result[measure.name]
        if score.method is None:
            assert (score.low, score.high) == (None, None)
            continue
        assert score.state is ValueState.DEFINED
        assert None not in {score.low, score.value, score.high}
        assert (score.low or 0) <= (score.value or 0) <= (score.high or 0)
        assert measure.range.contains(score.low or 0)
        assert measure.range.contains(score.high or 0)
