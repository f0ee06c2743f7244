"""Heads among fair coins."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.statistics.permutation import MAX_INVERSION_TRIALS, sample_binomial_half


@pytest.mark.parametrize("most", [2, 24, MAX_INVERSION_TRIALS, MAX_INVERSION_TRIALS + 1, 1_000])
def test_heads_are_drawn_as_numpy_draws_binomial_numbers(most: int) -> None:
    """The same numbers in the same order, and what is drawn afterwards is the same too."""
    coins = np.random.default_rng(1).integers(1, most, 40, endpoint=True)
    coins[0] = most
    ours, numpys = np.random.default_rng(2), np.random.default_rng(2)
    drawn = sample_binomial_half(ours, coins, 5_000)

    assert np.array_equal(drawn.T, numpys.binomial(coins, 0.5, (5_000, 40)))
    assert ours.random() == numpys.random()


def test_no_draws_have_no_successes() -> None:
    """Two classifiers may differ on single cases only: there is a column per draw, and no row."""
    assert sample_binomial_half(
        np.random.default_rng(0), np.array([], dtype=np.int64), 7
    ).shape == (0, 7)
