"""What holds for every interval, whatever the counts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.confidence.intervals import add_confidence_intervals
from reportgen.evaluation.values import ValueState, compute_count_values
from reportgen.measures import find_measure
from reportgen.spec.inference import IntervalSettings
from tests.evaluation.confidence.interval_tables import (
    WITH_INTERVAL,
    interval,
    intervals_of,
    matrix_intervals,
    measures_named,
)
from tests.measures.count_strategies import tables
from tests.tables import POSITIVE, Counts, binary_tallies, fold_tallies

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.evaluation.values import MeasureValue
    from tests.tables import ScoreKey

MEASURES = (*WITH_INTERVAL, *measures_named("f0.5", "f2"))
METHODS = st.sampled_from(["recommended", "clopper-pearson", "bootstrap"])
CELL = st.one_of(st.integers(0, 2), st.integers(0, 50), st.integers(0, 10**6))
MATRICES = st.integers(2, 5).flatmap(
    lambda size: st.lists(
        st.lists(st.lists(CELL, min_size=size, max_size=size), min_size=size, max_size=size),
        min_size=1,
        max_size=4,
    )
)


def assert_sound(scores: Mapping[ScoreKey, MeasureValue]) -> None:
    """Every value has limits around it, inside the measure's range; undefined ones have none."""
    for key, score in scores.items():
        measure = find_measure(key[-1])
        number = score.number
        if score.state is ValueState.UNDEFINED or number is None:
            assert (score.low, score.high, score.method) == (None, None, None), key
            continue
        assert measure is not None
        assert score.method, key
        low = -math.inf if score.low is None else score.low
        high = math.inf if score.high is None else score.high
        assert low <= number <= high, (key, score)
        assert all(not math.isfinite(end) or measure.range.contains(end) for end in (low, high))


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(tables(), METHODS, st.sampled_from([0.5, 0.95, 0.999]), st.sampled_from([1.0, 0.1]))
def test_limits_lie_around_the_value_and_inside_the_range(
    drawn: list[Counts], method: str, level: float, weight: float
) -> None:
    """For classes and averages of binary tables, with and without zeros."""
    request = IntervalSettings.model_validate({"method": method, "level": level, "draws": 200})
    tally = binary_tallies({str(number): counts for number, counts in enumerate(drawn)})

    assert_sound(intervals_of(tally, MEASURES, request, weight=weight))


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(MATRICES, METHODS, st.sampled_from([1.0, 0.1]))
def test_limits_over_several_classes_lie_around_the_value_and_inside_the_range(
    matrices: list[list[list[int]]], method: str, weight: float
) -> None:
    """For classes, averages and the whole of matrices, with and without zeros."""
    request = IntervalSettings.model_validate({"method": method, "draws": 200})
    named_ = {str(number): matrix for number, matrix in enumerate(matrices)}

    assert_sound(matrix_intervals(named_, MEASURES, request, weight=weight))


@pytest.mark.slow
@settings(max_examples=6, deadline=None)
@given(tables(st.integers(1, 1000)))
def test_a_higher_level_never_gives_a_narrower_interval(drawn: list[Counts]) -> None:
    """99 % intervals contain 80 % intervals."""
    tally = binary_tallies({str(number): counts for number, counts in enumerate(drawn)})
    wide = intervals_of(tally, MEASURES, IntervalSettings(level=0.99))
    for key, narrow in intervals_of(tally, MEASURES, IntervalSettings(level=0.8)).items():
        low, high = wide[key].low, wide[key].high
        assert low is None or narrow.low is None or low <= narrow.low, key
        assert high is None or narrow.high is None or narrow.high <= high, key


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(tables(st.integers(5, 1000)))
def test_a_share_and_its_rest_have_mirrored_limits(drawn: list[Counts]) -> None:
    """The error rate is 1 − accuracy, so its limits are 1 − those of accuracy, exchanged."""
    for counts in drawn[:5]:
        right, wrong = interval("accuracy", counts), interval("error_rate", counts)
        assert right.low is not None
        assert right.high is not None
        mirrored = 1 - right.high, 1 - right.low
        assert (wrong.low, wrong.high) == pytest.approx(mirrored, abs=1e-12)


def test_scores_of_single_folds_have_no_interval() -> None:
    """A fold is part of the evidence, not evidence by itself."""
    tally = fold_tallies({"1": (5, 5, 1, 9), "2": (7, 3, 2, 8)})
    scores = compute_count_values(tally, measures_named("sensitivity"), POSITIVE)

    frame = add_confidence_intervals(
        scores, tally, None, IntervalSettings(), positive=POSITIVE
    ).frame

    in_folds = pl.col("fold").is_not_null()
    assert frame.filter(in_folds)["method"].null_count() == frame.filter(in_folds).height > 0
    assert frame.filter(~in_folds)["method"].null_count() == 0


def test_what_else_is_known_of_a_score_stays_as_it_was() -> None:
    """Rows, their order, values, states and reasons."""
    tally = binary_tallies({"A": (5, 5, 0, 9), "B": (0, 0, 2, 8)})
    scores = compute_count_values(tally, MEASURES, POSITIVE)

    measure_values = add_confidence_intervals(
        scores, tally, None, IntervalSettings(), positive=POSITIVE
    )

    limits = ["low", "high", "method"]
    assert measure_values.frame.drop(limits).equals(scores.frame.drop(limits), null_equal=True)
