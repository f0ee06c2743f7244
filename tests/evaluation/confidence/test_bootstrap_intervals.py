"""The bootstrap: rows of the confusion matrix drawn anew."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reportgen.evaluation.confidence.bootstrap import percentile_intervals
from reportgen.spec.inference import IntervalSettings
from tests.evaluation.confidence.interval_tables import (
    WITH_INTERVAL,
    interval,
    intervals_of,
    matrix_intervals,
    measures_named,
)
from tests.tables import binary_tallies

LARGE = (4000, 1000, 1500, 8500)
BOOTSTRAP = IntervalSettings(method="bootstrap", draws=4000, seed=3)
# Given the cases of each class the numbers of these vary less than if cases are drawn freely.
FIXED_CLASSES = {
    "accuracy",
    "detection_prevalence",
    "detection_rate",
    "error_rate",
    "false_discovery_rate",
    "kappa_best",
    "lift",
    "precision",
    "prevalence",
}


@pytest.mark.parametrize(
    "measure",
    [measure.name for measure in WITH_INTERVAL if measure.name not in FIXED_CLASSES],
)
def test_on_many_cases_resampling_agrees_with_the_recommended_method(measure: str) -> None:
    """Both ends within a tenth of the width, on 15 000 cases."""
    intervals, usual = interval(measure, LARGE, BOOTSTRAP), interval(measure, LARGE)

    assert intervals.method == "bootstrap"
    assert None not in {intervals.low, intervals.high, usual.low, usual.high}
    near = 0.1 * ((usual.high or 0) - (usual.low or 0))
    assert (intervals.low, intervals.high) == pytest.approx((usual.low, usual.high), abs=near)


def test_classes_keep_their_cases_so_that_precision_varies_by_its_answers_alone() -> None:
    """Var(logit PPV) = (1 − s)/(s·P) + f/((1 − f)·N) for fixed P and N (Mercaldo 2007)."""
    result = interval("precision", LARGE, BOOTSTRAP)

    variance = 0.2 / (0.8 * 5000) + 0.85 / (0.15 * 10_000)
    centre = math.log(4000 / 1500)
    low, high = (1 / (1 + math.exp(-(centre + s * 1.96 * variance**0.5))) for s in (-1, 1))
    assert (result.low, result.high) == pytest.approx((low, high), abs=0.1 * (high - low))


def test_the_whole_and_averages_are_resampled_too() -> None:
    """Three classes, 10 000 cases."""
    matrix = [[4000, 600, 400], [500, 2200, 300], [400, 300, 1300]]
    measures = measures_named("kappa", "mcc", "f1", "precision")
    intervals = matrix_intervals({"A": matrix}, measures, BOOTSTRAP)
    usual = matrix_intervals({"A": matrix}, measures)

    for key, score in intervals.items():
        assert score.method == "bootstrap", key
        near = 0.15 * ((usual[key].high or 0) - (usual[key].low or 0))
        assert (score.low, score.high) == pytest.approx(
            (usual[key].low, usual[key].high), abs=near
        ), key


def test_the_same_seed_gives_the_same_limits_whoever_else_is_measured() -> None:
    """Draws begin anew for each classifier."""
    alone = intervals_of(binary_tallies({"B": LARGE}), settings=BOOTSTRAP)
    both = intervals_of(binary_tallies({"A": (5, 6, 7, 8), "B": LARGE}), settings=BOOTSTRAP)

    assert alone == {key: score for key, score in both.items() if key[0] == "B"}


def test_another_seed_gives_other_limits() -> None:
    """So that the seed is not idle."""
    other = BOOTSTRAP.model_copy(update={"seed": 4})

    assert interval("f1", LARGE, BOOTSTRAP) != interval("f1", LARGE, other)


def test_where_all_draws_are_equal_the_recommended_limits_stand_under_their_name() -> None:
    """10 of 10 found: drawn anew, always 10 of 10; Wilson still doubts."""
    result = interval("sensitivity", (10, 0, 5, 15), BOOTSTRAP)

    assert result == interval("sensitivity", (10, 0, 5, 15))
    assert result.method == "wilson"


def test_draws_without_a_value_are_left_out_and_infinite_ones_count() -> None:
    """1 … 98 and two infinite draws: the 95 % limits of 100 values; NaN changes nothing."""
    values = np.array([*range(1, 99), np.inf, np.inf], dtype=np.float64)
    with_gaps = np.concatenate([values, np.full(60, np.nan)])

    plain, gaps = (percentile_intervals(item[:, None], 0.95) for item in (values, with_gaps))

    assert (plain.low[0], plain.high[0]) == (gaps.low[0], gaps.high[0]) == (3, 98)


def test_when_most_draws_have_no_value_resampling_says_nothing() -> None:
    """One value and two that are undefined."""
    values = np.array([[1.0], [2.0], [np.nan], [np.nan], [np.nan]])

    assert percentile_intervals(values, 0.95).method[0] == ""
