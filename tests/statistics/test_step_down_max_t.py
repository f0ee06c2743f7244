"""p-values adjusted for statistics that go together (Westfall and Young's step-down)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm
from statsmodels.stats.multitest import multipletests

from reportgen.statistics.permutation import NullDistribution, max_t_critical_value, step_down_max_t

if TYPE_CHECKING:
    from reportgen.statistics import FloatArray

DRAWS = 200_000


def slowly(found: FloatArray, null: FloatArray, weights: FloatArray) -> list[float]:
    """Adjust p-values as the procedure is written down: a maximum over all that remain."""
    order = sorted(range(len(found)), key=lambda place: -abs(found[place]))
    adjusted, floor = [0.0] * len(found), 0.0
    for rank, place in enumerate(order):
        remaining = order[rank:]
        beyond = 0.0
        for outcome, weight in enumerate(weights):
            largest = max(abs(null[other, outcome]) for other in remaining)
            beyond += weight * (largest >= abs(found[place]) - 1e-9)
        floor = max(floor, beyond if found[place] else 1.0)
        adjusted[place] = min(1.0, floor)
    return adjusted


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 6), st.integers(1, 40))
def test_it_agrees_with_the_procedure_written_out(seed: int, rows: int, outcomes: int) -> None:
    """Small whole numbers, so that there are ties and nothing is tempered."""
    random = np.random.default_rng(seed)
    found = random.integers(-3, 4, rows).astype(np.float64)
    null = random.integers(-3, 4, (rows, outcomes)).astype(np.float64)
    weights = random.dirichlet(np.ones(outcomes))
    stepped = step_down_max_t(found, [NullDistribution.from_values(null)], weights, 0.0, "exact")

    assert stepped.adjusted == pytest.approx(slowly(found, null, weights), abs=1e-9)
    assert np.all(stepped.adjusted >= stepped.raw)
    assert np.all(stepped.adjusted <= 1)


def normals(rows: int) -> FloatArray:
    """Draw independent normal statistics."""
    return np.random.default_rng(0).standard_normal((rows, DRAWS))


def test_independent_statistics_are_adjusted_as_by_holm_and_sidak() -> None:
    """Without correlation there is nothing to gain: statsmodels' step-down of Šidák."""
    found = np.array([3.0, -2.6, 2.3, 1.0])
    weights = np.full(DRAWS, 1 / DRAWS)
    stepped = step_down_max_t(
        found, [NullDistribution.from_values(normals(4))], weights, 0.0, "exact"
    )
    raw = 2 * norm.sf(np.abs(found))

    assert stepped.raw == pytest.approx(raw, abs=0.004)
    assert stepped.adjusted == pytest.approx(multipletests(raw, method="holm-sidak")[1], abs=0.004)
    assert stepped.adjusted == pytest.approx(multipletests(raw, method="holm")[1], abs=0.02)


def test_a_measure_that_says_the_same_costs_nothing() -> None:
    """Error rate beside accuracy: the same statistic turned round, so no adjustment at all."""
    null = normals(1)
    twice = np.concatenate([null, -null])
    weights = np.full(DRAWS, 1 / DRAWS)
    stepped = step_down_max_t(
        np.array([2.2, -2.2]), [NullDistribution.from_values(twice)], weights, 0.0, "exact"
    )

    assert stepped.adjusted.tolist() == stepped.raw.tolist()
    assert stepped.raw[0] == stepped.raw[1]


def test_a_statistic_of_0_has_a_p_value_of_1() -> None:
    """Nothing was found, whatever might have been."""
    null, weights = NullDistribution.from_values(np.array([[1.0, 2.0]])), np.array([0.5, 0.5])
    stepped = step_down_max_t(np.array([0.0]), [null], weights, 0.0, "mid-p")

    assert stepped.raw.tolist() == [1.0]


def test_what_was_not_looked_at_is_added() -> None:
    """One of ten outcomes is as large (0.1), and 0.02 is not covered."""
    null, weights = np.arange(10.0)[np.newaxis], np.full(10, 0.098)
    stepped = step_down_max_t(
        np.array([9.0]), [NullDistribution.from_values(null)], weights, 0.02, "exact"
    )

    assert stepped.raw[0] == pytest.approx(0.098 + 0.02)


def test_mid_p_counts_what_was_found_half() -> None:
    """Outcomes 7, 8 and 9 of ten: 0.3, less half of the 0.1 of the 7 found."""
    null, weights = np.arange(10.0)[np.newaxis], np.full(10, 0.1)
    stepped = step_down_max_t(
        np.array([7.0]), [NullDistribution.from_values(null)], weights, 0.0, "mid-p"
    )

    assert stepped.raw[0] == pytest.approx(0.25)


def test_a_critical_value_is_exceeded_with_no_more_than_its_probability() -> None:
    """Of ten equal outcomes 0 to 9 only the 9 exceeds 8; at 25 % two may."""
    largest, weights = np.arange(10.0), np.full(10, 0.1)

    assert max_t_critical_value(largest, weights, 0.1 + 1e-12) == 8
    assert max_t_critical_value(largest, weights, 0.25) == 7
    assert max_t_critical_value(largest, weights, 0.05) == 9


def test_a_statistic_that_is_often_huge_does_not_drown_the_others() -> None:
    """Of five cases, all on one side is 1 in 16 and gives 13: worth a normal 1.86, no more."""
    random = np.random.default_rng(3)
    normal = random.standard_normal(DRAWS)
    huge = np.where(random.random(DRAWS) < 1 / 16, 13.0, 0.4)
    weights = np.full(DRAWS, 1 / DRAWS)
    null = NullDistribution.from_values(np.array([normal, huge]))
    stepped = step_down_max_t(np.array([3.3, 13.0]), [null], weights, 0.0, "exact")

    # Beyond 3.3 a normal number lies in 0.00097 of the draws; untempered it would be 0.063.
    assert stepped.adjusted[0] == pytest.approx(0.00097, abs=3e-4)
    assert stepped.raw[1] == pytest.approx(1 / 16, abs=3e-3)
    assert stepped.adjusted[1] >= stepped.raw[1]
