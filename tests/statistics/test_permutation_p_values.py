"""P-values of enumerated and of sampled permutations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy.stats import norm

from reportgen.statistics.permutation import SupportWeights, permutation_p_value

if TYPE_CHECKING:
    from collections.abc import Callable

TEN = np.arange(10.0)


def score(value: float) -> Callable[[], float]:
    """Return the function that gives a score when the tail needs it."""
    return lambda: value


def test_a_statistic_of_0_has_a_p_value_of_1() -> None:
    """There is no difference, whatever might have been."""
    support = SupportWeights(np.array([0.5, 0.5]), 0.0, exact=True)

    assert permutation_p_value(0.0, np.array([1.0, 2.0]), support, score(0.0), "mid-p") == 1.0


def test_the_mass_left_out_is_added() -> None:
    """One of ten outcomes is as large (0.098), and 0.002 is not covered."""
    support = SupportWeights(np.full(10, 0.098), 0.002, exact=True)

    assert permutation_p_value(9.0, TEN, support, score(9.0), "exact") == pytest.approx(
        0.098 + 0.002
    )


def test_mid_p_counts_the_observed_outcome_half() -> None:
    """Outcomes 7, 8 and 9 of ten: 0.3, less half of the 0.1 of the observed 7."""
    support = SupportWeights(np.full(10, 0.1), 0.0, exact=True)

    assert permutation_p_value(7.0, TEN, support, score(7.0), "mid-p") == pytest.approx(0.25)


def test_a_larger_difference_never_has_a_larger_p_value_because_it_was_sampled() -> None:
    """Beyond all samples the tail is normal; within them the samples are counted."""
    null = np.random.default_rng(0).standard_normal(2_000)
    support = SupportWeights.monte_carlo(2_000)
    sizes = np.linspace(0.5, 12, 60)
    p_values = [permutation_p_value(z, null, support, score(z), "exact") for z in sizes]

    assert p_values == sorted(p_values, reverse=True)
    assert p_values[-1] == pytest.approx(2 * norm.sf(12))
    assert p_values[0] == pytest.approx(2 * norm.sf(0.5), abs=0.05)


def test_the_normal_tail_is_not_used_where_the_samples_resolve_it() -> None:
    """Fifty of a hundred outcomes are as large, though the normal tail is tiny."""
    null, support = np.repeat([1.0, 9.0], 50), SupportWeights.monte_carlo(100)

    assert permutation_p_value(9.0, null, support, score(9.0), "exact") == pytest.approx(51 / 101)


def test_an_undefined_statistic_has_no_p_value() -> None:
    """Not a number stays so."""
    support = SupportWeights.monte_carlo(10)

    assert math.isnan(permutation_p_value(math.nan, TEN, support, score(math.nan), "exact"))
