"""The true values of the simulation of operating points, against very many cases."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.operating_point_coverage import (
    Setting,
    net_benefit_rows,
    operating_point_rows,
)
from reportgen.aggregates.operating_points import OperatingPointPlan, aggregate_operating_points
from reportgen.measures import get_measure
from tests.scored_cases import binary_cases


def test_the_true_values_are_those_of_very_many_cases() -> None:
    """Integrated over the normal distribution, and counted."""
    many = Setting(200_000, 0.3, 0.8)
    truth, places = many.draw(np.random.default_rng(1))
    expected = many.true_values()
    measures = tuple(map(get_measure, expected))
    cases = binary_cases(truth.astype(int).tolist(), {"A": places[0].tolist()}, ranking_only=True)
    result = aggregate_operating_points(cases, OperatingPointPlan(measures, n_resamples=2))

    assert result is not None
    for measure in measures:
        assert result.values(measure)["A"] == pytest.approx(expected[measure.name], rel=0.02)


def test_intervals_of_a_few_samples_cover() -> None:
    """Most of a few samples; the figures in docs/coverage.md have many."""
    setting = Setting(100, 0.4, 0.85)
    rows = [row for row, _ in operating_point_rows(setting, 10, 200)]

    assert len(rows) == len(setting.true_values())
    assert all(row.percent >= 60 for row in [*rows, *net_benefit_rows(setting, 20)])
