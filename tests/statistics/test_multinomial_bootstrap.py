"""Counts of cases drawn with replacement."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.statistics.bootstrap import MultinomialBootstrap

COUNTS = np.array([500, 1, 3, 40, 2, 454])
DRAWS = 20_000


@pytest.mark.parametrize("weight", [1.0, 0.5])
def test_counts_vary_as_multinomial_ones_do(weight: float) -> None:
    """Means n·p, variances n·p·(1 − p), covariances −n·p·q: of large cells, small ones and both."""
    counts = MultinomialBootstrap.from_counts(COUNTS, weight).sample(
        np.random.default_rng(8), DRAWS
    )

    size, shares = 1000 * weight, COUNTS / 1000
    expected = size * (np.diag(shares) - np.outer(shares, shares))
    spread = np.sqrt(np.diag(expected))
    assert set(counts.sum(axis=1)) == {size}
    reach = 5 * spread / np.sqrt(DRAWS)
    assert (np.abs(counts.mean(axis=0) - size * shares) < reach).all()
    # A correlation of 20 000 draws has a standard error of 0.007; rare cells have longer tails.
    ratio = np.cov(counts, rowvar=False) / np.outer(spread, spread)
    assert np.abs(ratio - expected / np.outer(spread, spread)).max() < 0.08


def test_at_least_one_case_is_drawn() -> None:
    """A fifth of two cases."""
    counts = MultinomialBootstrap.from_counts(np.array([1, 1]), 0.2).sample(
        np.random.default_rng(9), 300
    )

    assert set(counts.sum(axis=1)) == {1}


def test_cells_may_be_large_without_exception_or_small() -> None:
    """A share of 0 for the small ones, and of 1."""
    random = np.random.default_rng(10)

    assert set(
        MultinomialBootstrap.from_counts(np.array([50, 50]), 1.0).sample(random, 300).sum(axis=1)
    ) == {100}
    assert set(
        MultinomialBootstrap.from_counts(np.ones(100, np.int64), 1.0)
        .sample(random, 300)
        .sum(axis=1)
    ) == {100}
