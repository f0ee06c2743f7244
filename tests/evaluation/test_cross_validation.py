"""Mean and variance over folds, by hand."""

from __future__ import annotations

from statistics import stdev

import pytest

from reportgen.evaluation.cross_validation import FoldSummary, summarize_folds
from reportgen.evaluation.values import build_reported_fold_values, compute_count_values
from reportgen.measures import find_measure
from reportgen.measures.counts import ACCURACY
from tests.tables import POSITIVE, Counts, fold_tallies


def summary(measure: str, folds: dict[str, Counts]) -> FoldSummary:
    """Return the summary of a measure for the positive class."""
    expected = find_measure(measure)
    assert expected is not None
    scores = compute_count_values(fold_tallies(folds), [expected], POSITIVE)
    (result,) = (
        fold_summary
        for fold_summary in summarize_folds(scores)
        if fold_summary.class_ is None and fold_summary.average is None
    )
    return result


def test_mean_and_variance_are_those_of_the_folds() -> None:
    """0.5, 0.7 and 0.9: mean 0.7, Σ(Sᵢ−S̄)² = 0.08, over 2, and over 6 for the mean; SD 0.2."""
    result = summary("sensitivity", {"1": (5, 5, 1, 1), "2": (7, 3, 1, 1), "3": (9, 1, 1, 1)})

    assert (result.k, result.undefined_folds) == (3, 0)
    assert result.mean == pytest.approx(0.7, rel=1e-14)
    assert result.variance == pytest.approx(0.08 / 2, rel=1e-14)
    assert result.standard_deviation == pytest.approx(stdev([0.5, 0.7, 0.9]), rel=1e-14)
    assert result.variance_of_mean == pytest.approx(0.08 / 6, rel=1e-14)


def test_folds_of_different_sizes_count_the_same() -> None:
    """The mean over folds is not the value over all cases: that would be 91/110."""
    result = summary("sensitivity", {"1": (1, 9, 1, 1), "2": (90, 10, 1, 1)})

    assert result.mean == pytest.approx((0.1 + 0.9) / 2, rel=1e-14)


def test_an_undefined_fold_is_counted_and_left_out() -> None:
    """A fold without positives has no sensitivity, which is not a sensitivity of 0."""
    result = summary("sensitivity", {"1": (5, 5, 1, 1), "2": (0, 0, 5, 5), "3": (9, 1, 1, 1)})

    assert (result.k, result.undefined_folds) == (3, 1)
    assert result.mean == pytest.approx(0.7, rel=1e-14)
    assert result.variance == pytest.approx(0.08, rel=1e-14)
    assert result.variance_of_mean == pytest.approx(0.08 / 2, rel=1e-14)


def test_an_infinite_fold_is_left_out_as_well() -> None:
    """No false positive in fold 2."""
    result = summary("lr_positive", {"1": (5, 5, 5, 5), "2": (5, 5, 0, 5), "3": (9, 1, 3, 7)})

    assert (result.k, result.undefined_folds) == (3, 1)
    assert result.mean == pytest.approx((1 + 3) / 2, rel=1e-12)


def test_with_one_defined_fold_there_is_a_mean_but_no_variance() -> None:
    """One number does not vary."""
    result = summary("sensitivity", {"1": (5, 5, 1, 1), "2": (0, 0, 5, 5)})

    assert result.mean == 0.5
    assert result.variance is None
    assert result.variance_of_mean is None


def test_without_a_defined_fold_there_is_nothing() -> None:
    """Neither mean nor variance, and no 0 instead of them."""
    result = summary("sensitivity", {"1": (0, 0, 5, 5), "2": (0, 0, 4, 6)})

    assert (result.mean, result.variance, result.variance_of_mean) == (None, None, None)
    assert result.standard_deviation is None
    assert result.undefined_folds == result.k == 2


def test_equal_folds_do_not_vary() -> None:
    """The variance is 0, not undefined."""
    result = summary("sensitivity", {"1": (5, 5, 1, 1), "2": (5, 5, 1, 1)})

    assert (result.variance, result.variance_of_mean) == (0, 0)


def test_scores_given_per_fold_are_summarised_like_measured_ones() -> None:
    """0.8 and 0.6."""
    (result,) = summarize_folds(build_reported_fold_values("A", {ACCURACY: [0.8, 0.6]}))

    assert (result.classifier, result.measure, result.k) == ("A", "accuracy", 2)
    assert result.mean == pytest.approx(0.7, rel=1e-14)
    assert result.variance == pytest.approx(0.02, rel=1e-12)


def test_without_folds_there_is_no_summary() -> None:
    """A hold-out set has no folds."""
    expected = find_measure("accuracy")
    assert expected is not None
    scores = compute_count_values(fold_tallies({"1": (5, 5, 5, 5)}), [expected], POSITIVE)
    held_out = type(scores)(scores.pooled_over_folds())

    assert summarize_folds(held_out) == ()
