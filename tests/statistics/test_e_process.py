"""E-processes: exact small examples, expectation at most 1, false alarms and delay."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.stats import binom, hypergeom, norm

from reportgen.statistics.e_process import _boost, _normal_scores, limit_path, reference_path

ALPHA = 0.05
THRESHOLD = 1 / ALPHA
# The first start has so much weight, of 1 / (s + 1) and with half the weight on early starts.
FIRST_OF_LIMIT = 1 / 101
FIRST_OF_REFERENCE = 0.5 * (1 / 3 + 1 / 101)


def lognormal_prior(alternatives: np.ndarray, likely: float) -> np.ndarray:
    """Return 0.9 of a lognormal prior on a geometric grid, and 0.1 of an even one."""
    lognormal = norm.pdf(np.log(alternatives), np.log(likely), 0.4)
    return np.asarray(0.9 * lognormal / lognormal.sum() + 0.1 / len(alternatives))


def test_one_run_is_a_mixture_of_binomial_likelihood_ratios() -> None:
    """80 of 100 against 0.9; the first start has weight 1/101, the rest still has the value 1."""
    log_odds_ratios = np.geomspace(0.005, 2.0, 24)
    odds = 9 * np.exp(-log_odds_ratios)
    ratios = binom.pmf(80, 100, odds / (1 + odds)) / binom.pmf(80, 100, 0.9)
    mixture = lognormal_prior(log_odds_ratios, 0.3) @ ratios

    path = limit_path(np.array([80]), np.array([100]), 0.9, "below", 1e9)

    assert np.exp(path.log_e[0]) == pytest.approx(FIRST_OF_LIMIT * mixture + 100 / 101)


def test_above_a_limit_is_below_its_complement() -> None:
    """An error rate of 15 in 100 above 0.1 is an accuracy of 85 below 0.9."""
    above = limit_path(np.array([15, 12]), np.array([100, 100]), 0.1, "above", THRESHOLD)
    below = limit_path(np.array([85, 88]), np.array([100, 100]), 0.9, "below", THRESHOLD)

    assert above.log_e == pytest.approx(below.log_e)


def test_the_expectation_at_the_limit_is_one() -> None:
    """Two runs of 12 cases at the limit: the mean over all outcomes is 1 after each."""
    after_one, after_two = 0.0, 0.0
    for first, second in product(range(13), repeat=2):
        path = limit_path(np.array([first, second]), np.array([12, 12]), 0.7, "below", 1e9)
        weight = binom.pmf(first, 12, 0.7) * binom.pmf(second, 12, 0.7)
        after_one += weight * np.exp(path.log_e[0])
        after_two += weight * np.exp(path.log_e[1])

    assert after_one == pytest.approx(1)
    assert after_two == pytest.approx(1)


@pytest.mark.parametrize("proportion", [0.7, 0.75])
@pytest.mark.parametrize("threshold", [1.001, 1.02, 1.2])
def test_the_probability_of_an_alarm_is_at_most_one_in_threshold(
    threshold: float, proportion: float
) -> None:
    """Three runs of 8 cases at and above the limit, all outcomes: Σ P(alarm) · threshold ≤ 1."""
    alarm = 0.0
    cases = np.full(3, 8)
    for hits in product(range(9), repeat=3):
        path = limit_path(np.array(hits), cases, 0.7, "below", threshold)
        alarm += float(np.prod(binom.pmf(hits, 8, proportion))) * (path.alarm is not None)

    assert alarm * threshold <= 1 + 1e-9


def test_evidence_beyond_the_threshold_is_given_to_outcomes_below_it() -> None:
    """Values 0.5 and 1.5, threshold 1.2: b · 0.5 / 2 + 1.2 / 2 = 1 has the solution b = 1.6."""
    values, probabilities = np.array([0.5, 1.5]), np.array([0.5, 0.5])

    assert _boost(values, probabilities, 1.2) == pytest.approx(1.6, rel=1e-6)
    assert _boost(values, probabilities, 2.0) == 1


def test_scores_are_those_of_randomized_hypergeometric_p_values() -> None:
    """30 of 40 after a reference of 20 of 30, then 5 of 10; SciPy's hypergeometric distribution."""
    scores = _normal_scores(np.array([30, 5]), np.array([40, 10]), (20, 30), seed=4)
    draws = np.random.default_rng(4).random(2)

    for score, draw, (hits, cases, of_hits, of_all) in zip(
        scores, draws, [(30, 40, 50, 70), (5, 10, 55, 80)], strict=True
    ):
        sample = hypergeom(of_all, of_hits, cases)
        assert norm.cdf(score) == pytest.approx(sample.cdf(hits - 1) + draw * sample.pmf(hits))


def test_scores_keep_far_tails() -> None:
    """No hit in 2,000 cases after 90 % of 2,000: a probability that floats round to 0."""
    scores = _normal_scores(np.array([0, 2000]), np.array([2000, 2000]), (1800, 2000), seed=1)

    assert -38 < scores[0] < -30
    assert 10 < scores[1] < 38


def test_one_run_is_a_mixture_of_normal_likelihood_ratios() -> None:
    """70 of 100 after 180 of 200: the score's mean is d · 200 / (300 · √(1/100 − 1/300))."""
    differences = np.geomspace(0.005, 0.6, 14)
    prior = lognormal_prior(differences, 0.09)
    score = _normal_scores(np.array([70]), np.array([100]), (180, 200), seed=2)[0]
    means = differences * 200 / (300 * np.sqrt(1 / 100 - 1 / 300))
    falls, rises = (norm.pdf(score, sign * means) / norm.pdf(score) for sign in (-1, 1))
    mixture = prior @ (0.8 * falls + 0.2 * rises)

    path = reference_path(np.array([70]), np.array([100]), (180, 200), 2, 1e9)

    expected = FIRST_OF_REFERENCE * mixture + 1 - FIRST_OF_REFERENCE
    assert np.exp(path.log_e[0]) == pytest.approx(expected)


def test_later_runs_do_not_change_earlier_evidence() -> None:
    """The path of a shorter history is the beginning of that of a longer one."""
    hits, cases = np.array([88, 85, 79, 80, 81]), np.full(5, 100)

    long = reference_path(hits, cases, (180, 200), 2, THRESHOLD)
    short = reference_path(hits[:3], cases[:3], (180, 200), 2, THRESHOLD)

    assert long.log_e[:3] == pytest.approx(short.log_e)


@pytest.mark.slow
@pytest.mark.parametrize("proportion", [0.5, 0.9, 0.99])
def test_false_alarms_stay_below_the_error_rate(proportion: float) -> None:
    """80 series of 60 runs with nothing changing: 4 are expected at most, 3 errors more is 10."""
    random = np.random.default_rng(1)
    cases = np.full(60, 50)
    by_limit = by_reference = 0
    for series in range(80):
        hits = random.binomial(50, proportion, 60)
        by_limit += limit_path(hits, cases, proportion, "below", THRESHOLD).alarm is not None
        reference = int(random.binomial(1000, proportion)), 1000
        path = reference_path(hits, cases, reference, series, THRESHOLD)
        by_reference += path.alarm is not None

    assert by_limit <= 10
    assert by_reference <= 10


def median_delay(quiet: int, reference: int | None = None) -> tuple[float, float]:
    """Return how long a fall from 0.90 to 0.87 is not found, and by how much it is misdated."""
    random = np.random.default_rng(2)
    delays, misdated = [], []
    for series in range(60):
        hits = np.append(random.binomial(200, 0.9, quiet), random.binomial(200, 0.87, 40))
        cases = np.full(len(hits), 200)
        path = (
            limit_path(hits, cases, 0.9, "below", THRESHOLD)
            if reference is None
            else reference_path(
                hits,
                cases,
                (int(random.binomial(reference, 0.9)), reference),
                series,
                THRESHOLD,
            )
        )
        delays.append(99 if path.alarm is None else path.alarm + 1 - quiet)
        misdated.append(99 if path.start is None else abs(path.start - quiet))
    return float(np.median(delays)), float(np.median(misdated))


@pytest.mark.parametrize(("quiet", "nights"), [(0, 8), (30, 9), (100, 9)])
def test_a_fall_below_a_limit_is_found_within_nights_and_dated(quiet: int, nights: int) -> None:
    """0.90 to 0.87 with 200 cases a night."""
    delay, misdated = median_delay(quiet)

    assert delay <= nights
    assert misdated <= 3


@pytest.mark.slow
@pytest.mark.parametrize(("quiet", "reference", "nights"), [(0, 10_000, 6), (100, 2_000, 12)])
def test_a_fall_below_the_reference_is_found_within_nights_and_dated(
    quiet: int, reference: int, nights: int
) -> None:
    """Soon after a large reference, and long after a small one."""
    delay, misdated = median_delay(quiet, reference)

    assert delay <= nights
    assert misdated <= 4


def test_the_expectation_without_a_change_is_one() -> None:
    """Normal scores of 4,000 pairs of runs: the mean is within four standard errors of 1."""
    random = np.random.default_rng(3)
    after = np.empty(4000)
    cases = np.full(2, 20)
    for series in range(len(after)):
        hits = random.binomial(20, 0.8, 2)
        reference = int(random.binomial(30, 0.8)), 30
        after[series] = np.exp(reference_path(hits, cases, reference, series, 1e9).log_e[1])

    assert abs(after.mean() - 1) <= 4 * after.std() / np.sqrt(len(after))


def test_a_late_fall_is_found_against_the_runs_before_it() -> None:
    """After 60 nights of 200 cases, with a reference of one night."""
    random = np.random.default_rng(6)
    hits = np.append(random.binomial(200, 0.9, 60), random.binomial(200, 0.8, 12))
    path = reference_path(hits, np.full(72, 200), (180, 200), 1, THRESHOLD)

    assert path.alarm is not None
    assert 60 <= path.alarm <= 63
    assert path.start == 60


def test_a_small_reference_and_few_runs_are_little_evidence() -> None:
    """Two reference cases, and ten runs at one proportion."""
    path = reference_path(np.full(10, 50), np.full(10, 100), (1, 2), 3, THRESHOLD)

    assert path.log_e.max() < np.log(2)
    assert path.alarm is None


def test_a_million_cases_a_night_are_counted() -> None:
    """A fall by a tenth of a percentage point is 3.3 standard errors a night."""
    hits = np.array([900_000, 899_000, 899_000, 899_000, 899_000])
    cases = np.full(5, 1_000_000)

    below = limit_path(hits, cases, 0.9, "below", THRESHOLD)
    changed = reference_path(hits, cases, (9_000_000, 10_000_000), 1, THRESHOLD)

    assert (below.alarm, below.start) == (3, 1)
    assert (changed.alarm, changed.start) == (4, 1)
