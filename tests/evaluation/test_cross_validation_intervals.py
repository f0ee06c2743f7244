"""Limits of the mean over folds."""

from __future__ import annotations

import math

import pytest
from scipy import stats

from reportgen.evaluation.cross_validation import FoldSummary, summarize_folds
from reportgen.evaluation.values import build_reported_fold_values
from reportgen.measures.counts import ACCURACY

# Passerini's ten folds of classifier A: mean 0.824, Σ(Sᵢ − S̄)² = 0.00464.
FOLDS = [0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]


def summary(values: list[float], level: float = 0.95, ratio: float | None = None) -> FoldSummary:
    """Return the summary of accuracies per fold; without a ratio, that of cross-validation."""
    ratios = None if ratio is None else {"A": ratio}
    (result,) = summarize_folds(build_reported_fold_values("A", {ACCURACY: values}), level, ratios)
    return result


@pytest.mark.parametrize("level", [0.9, 0.95])
def test_limits_of_the_mean_have_the_variance_of_nadeau_and_bengio(level: float) -> None:
    """(1/10 + 1/9) · 0.00464 / 9, with Student's t of 9 degrees of freedom."""
    result = summary(FOLDS, level)

    half = stats.t.ppf((1 + level) / 2, 9) * math.sqrt((1 / 10 + 1 / 9) * 0.00464 / 9)
    assert (result.low, result.high) == pytest.approx((0.824 - half, 0.824 + half), rel=1e-9)


def test_a_ratio_of_nought_gives_the_plain_t_interval() -> None:
    """Folds that share no training cases, by SciPy."""
    result = summary(FOLDS, ratio=0.0)

    outside = stats.ttest_1samp(FOLDS, 0).confidence_interval(0.95)
    assert (result.low, result.high) == pytest.approx((outside.low, outside.high), rel=1e-9)


def test_limits_stay_inside_the_range_of_the_measure() -> None:
    """Accuracy is at most 1, however much the folds differ."""
    result = summary([1.0, 0.5, 1.0])

    assert (result.low, result.high) == (0.0, 1.0)


@pytest.mark.parametrize("values", [[0.8], [0.8, 0.8, 0.8]])
def test_folds_that_do_not_vary_give_no_limits(values: list[float]) -> None:
    """They say nothing about how far off their mean may be."""
    result = summary(values)

    assert (result.low, result.high) == (None, None)


def test_without_a_ratio_there_are_no_limits() -> None:
    """How much training data folds share is not known."""
    scores = build_reported_fold_values("A", {ACCURACY: FOLDS})

    (result,) = summarize_folds(scores, 0.95, {"A": None})

    assert (result.low, result.high) == (None, None)
