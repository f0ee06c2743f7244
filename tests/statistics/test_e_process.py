"""E-processes: exact small examples, expectation at most 1, false alarms and delay."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom, hypergeom, nchypergeom_fisher, norm

from reportgen.statistics.e_process import _block_path, limit_path, reference_path

ALPHA = 0.05


def test_one_run_is_the_beta_binomial_mixture_below_the_limit() -> None:
    """80 of 100 against 0.9: SciPy integrates the likelihood over the truncated prior.

    The start of the change has weight 1/2, the rest still has the value 1.
    """
    prior = beta(180, 20)
    ratio = quad(lambda p: binom.pmf(80, 100, p) * prior.pdf(p), 0, 0.9)[0] / (
        prior.cdf(0.9) * binom.pmf(80, 100, 0.9)
    )
    path = limit_path(np.array([80]), np.array([100]), 0.9, "below")

    assert np.exp(path.log_e[0]) == pytest.approx(0.5 * ratio + 0.5)


def test_above_a_limit_is_below_its_complement() -> None:
    """An error rate of 15 in 100 above 0.1 is an accuracy of 85 below 0.9."""
    above = limit_path(np.array([15, 12]), np.array([100, 100]), 0.1, "above")
    below = limit_path(np.array([85, 88]), np.array([100, 100]), 0.9, "below")

    assert above.log_e == pytest.approx(below.log_e)


def test_the_expectation_at_the_limit_is_one() -> None:
    """Two runs of 12 cases at the limit: the mean over all outcomes is 1 after each."""
    after_one, after_two = 0.0, 0.0
    for first, second in product(range(13), repeat=2):
        path = limit_path(np.array([first, second]), np.array([12, 12]), 0.7, "below")
        weight = binom.pmf(first, 12, 0.7) * binom.pmf(second, 12, 0.7)
        after_one += weight * np.exp(path.log_e[0])
        after_two += weight * np.exp(path.log_e[1])

    assert after_one == pytest.approx(1)
    assert after_two == pytest.approx(1)


def test_a_block_is_the_ratio_of_hypergeometric_probabilities() -> None:
    """One run of 40 against 4 of 40 reference cases; SciPy's distributions, mixed over a grid."""
    # All reference cases are hits, so that the drawn ones are as well.
    path = _block_path(np.array([30]), np.array([40]), (40, 40), seed=1)
    grid = np.linspace(-2, 2, 41)
    weights = norm.pdf(grid, 0, 0.3)
    ratios = nchypergeom_fisher.pmf(30, 44, 34, 40, np.exp(grid)) / hypergeom.pmf(30, 44, 34, 40)

    mixture = (weights * ratios).sum() / weights.sum()
    assert np.exp(path.log_e[0]) == pytest.approx(0.5 * mixture + 0.5)


@pytest.mark.slow
@pytest.mark.parametrize("proportion", [0.5, 0.9, 0.99])
def test_false_alarms_stay_below_the_error_rate(proportion: float) -> None:
    """80 series of 60 runs with nothing changing: 4 are expected at most, 3 errors more is 10."""
    random = np.random.default_rng(1)
    cases = np.full(60, 50)
    by_limit = by_reference = 0
    for series in range(80):
        hits = random.binomial(50, proportion, 60)
        by_limit += bool((limit_path(hits, cases, proportion, "below").log_e >= np.log(20)).any())
        reference = int(random.binomial(1000, proportion)), 1000
        path = reference_path(hits, cases, reference, seed=series)
        by_reference += bool((path.log_e >= np.log(20)).any())

    assert by_limit <= 10
    assert by_reference <= 10


def test_a_fall_is_found_within_days_and_dated() -> None:
    """0.90 to 0.87 after 20 nights of 200 cases: found within 20, dated within 10 of the start."""
    random = np.random.default_rng(2)
    delays, dated = [], []
    for _ in range(40):
        hits = np.append(random.binomial(200, 0.9, 20), random.binomial(200, 0.87, 40))
        path = limit_path(hits, np.full(60, 200), 0.9, "below")
        alarms = np.flatnonzero(path.log_e >= np.log(1 / ALPHA))
        delays.append(alarms[0] - 19 if alarms.size else 99)
        dated.append(path.start[alarms[0]] if alarms.size else -1)

    assert np.median(delays) <= 20
    assert np.median(np.abs(np.array(dated) - 20)) <= 10


def test_the_expectation_without_a_change_is_at_most_one() -> None:
    """Two runs of 10 cases and a reference of 10: the mean over all outcomes."""
    for proportion in (0.3, 0.7):
        mean = 0.0
        for reference, first, second in product(range(11), repeat=3):
            counts = reference, first, second
            weight = float(np.prod(binom.pmf(counts, 10, proportion)))
            path = reference_path(
                np.array([first, second]), np.array([10, 10]), (reference, 10), seed=7
            )
            mean += weight * np.exp(path.log_e[1])
        assert mean <= 1.02


def test_a_late_fall_is_found_against_the_runs_before_it() -> None:
    """After 60 nights of 200 cases, when hardly any reference case is left."""
    random = np.random.default_rng(6)
    hits = np.append(random.binomial(200, 0.9, 60), random.binomial(200, 0.8, 12))
    path = reference_path(hits, np.full(72, 200), (180, 200), seed=1)

    assert path.log_e[:60].max() < np.log(1 / ALPHA)
    assert path.log_e[-1] > np.log(1 / ALPHA)
    assert abs(path.start[-1] - 60) <= 2


def test_a_small_reference_and_few_runs_are_little_evidence() -> None:
    """Two reference cases, and ten runs at one proportion."""
    path = reference_path(np.full(10, 50), np.full(10, 100), (1, 2), seed=3)

    assert path.log_e.max() < np.log(2)
