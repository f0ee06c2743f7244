"""Resampled calibration errors, and the estimate without bias."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.statistics.calibration import (
    BinStatistics,
    bootstrap_calibration_gaps,
    debiased_calibration_error,
    ece_interval,
    rms_calibration_error,
)


def groups(
    sure: np.ndarray, hit: np.ndarray, bins: int = 15
) -> tuple[BinStatistics, BinStatistics]:
    """Group cases by bin and outcome."""
    place = np.minimum((sure * bins).astype(int), bins - 1)

    def of(chosen: np.ndarray) -> BinStatistics:
        return BinStatistics(
            *(
                np.bincount(place[chosen], values[chosen], minlength=bins).astype(np.float64)
                for values in (np.ones_like(sure), sure, sure**2)
            )
        )

    return of(hit == 1), of(hit == 0)


def calibrated(seed: int, cases: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw cases that come true exactly as often as their probability says."""
    random = np.random.default_rng(seed)
    sure = random.random(cases)
    return sure, (random.random(cases) < sure).astype(int)


def resampled_errors(
    hits: BinStatistics, misses: BinStatistics, *, draws: int, seed: int, weight: float = 1.0
) -> np.ndarray:
    """Return the calibration error of each draw."""
    values = bootstrap_calibration_gaps(hits, misses, n_resamples=draws, seed=seed, weight=weight)
    return np.asarray(np.abs(values).sum(axis=1))


def limits(sure: np.ndarray, hit: np.ndarray) -> tuple[float, float, float]:
    """Return the calibration error and its 95 % limits."""
    hits, misses = groups(sure, hit)
    gaps = (hits.confidence_sum + misses.confidence_sum - hits.count) / len(sure)
    values = bootstrap_calibration_gaps(hits, misses, n_resamples=1000, seed=1)
    return (float(np.abs(gaps).sum()), *ece_interval(gaps, values, 0.95))


def test_resampling_groups_is_resampling_cases() -> None:
    """Mean and spread of 4000 draws agree with drawing single cases, which is far slower."""
    sure, hit = calibrated(1, 300)
    values = resampled_errors(*groups(sure, hit), draws=4000, seed=5)
    random = np.random.default_rng(6)
    place = np.minimum((sure * 15).astype(int), 14)
    slow = []
    for _ in range(4000):
        draws = random.integers(0, 300, 300)
        gaps = np.bincount(place[draws], weights=(sure - hit)[draws], minlength=15)
        slow.append(np.abs(gaps).sum() / 300)

    assert values.mean() == pytest.approx(np.mean(slow), rel=0.02)
    assert values.std() == pytest.approx(np.std(slow), rel=0.06)


def test_the_same_seed_gives_the_same_draws() -> None:
    """And another seed gives others."""
    both = groups(*calibrated(2, 100))
    first = resampled_errors(*both, draws=50, seed=1)

    assert first.tolist() == resampled_errors(*both, draws=50, seed=1).tolist()
    assert first.tolist() != resampled_errors(*both, draws=50, seed=2).tolist()


def test_repeated_cases_spread_the_draws() -> None:
    """A weight of a quarter draws a quarter of the cases: the spread is about doubled."""
    both = groups(*calibrated(3, 4000))
    all_cases = resampled_errors(*both, draws=3000, seed=1)
    values = resampled_errors(*both, draws=3000, seed=1, weight=0.25)

    assert values.std() > 1.3 * all_cases.std()


def test_limits_are_reflected_percentiles_where_gaps_are_wide() -> None:
    """One bin of 400 cases said to be 0.9, half of which come true: a gap of 0.4 ± z·0.5/20."""
    sure, hit = np.full(400, 0.9), np.tile([0, 1], 200)
    value, low, high = limits(sure, hit)

    assert value == pytest.approx(0.4)
    assert low == pytest.approx(0.4 - 1.96 * 0.025, abs=0.006)
    assert high == pytest.approx(0.4 + 1.96 * 0.025, abs=0.006)


def test_limits_of_calibrated_classifiers_reach_down_to_0() -> None:
    """In 97.5 % of samples; percentiles of the draws never do."""
    result = [limits(*calibrated(seed, 300)) for seed in range(200)]

    assert np.mean([low == 0 for _, low, _ in result]) == pytest.approx(0.97, abs=0.03)
    assert all(low <= value <= high for value, low, high in result)


def test_limits_contain_the_true_error_of_classifiers_that_are_too_sure() -> None:
    """Said 0.1 or 0.9, true 0.2 or 0.8: the error is 0.1, and 95 % of intervals contain it."""
    random = np.random.default_rng(4)
    covered = []
    for _ in range(300):
        sure = random.choice([0.1, 0.9], 300) + random.uniform(-0.03, 0.03, 300)
        true = np.where(sure > 0.5, sure - 0.1, sure + 0.1)
        _, low, high = limits(sure, (random.random(300) < true).astype(int))
        covered.append(low <= 0.1 <= high)

    assert 0.92 <= np.mean(covered) <= 0.98


def test_the_bias_is_taken_off() -> None:
    """Of calibrated classifiers the squared error less its bias is 0 on average, not above.

    Over 200 samples of 300 cases the root of the plain mean square is about √(15·p(1−p)/300).
    """
    plain, less = [], []
    for seed in range(200):
        hits, misses = groups(*calibrated(seed, 300))
        cases = hits.count + misses.count
        gap = (hits.confidence_sum + misses.confidence_sum - hits.count) / np.maximum(cases, 1)
        plain.append(float((cases * gap**2).sum() / 300))
        less.append(debiased_calibration_error(hits, misses) ** 2)

    assert np.mean(plain) > 0.007
    # Negative estimates are cut at 0, so a little is left.
    assert np.mean(less) < 0.25 * np.mean(plain)


def test_the_estimate_without_bias_is_worked_out_by_hand() -> None:
    """A bin of 10 with share 0.5 and mean 0.9: 0.4² − 0.25/9."""
    hits = BinStatistics(np.array([5.0]), np.array([4.5]), np.array([4.05]))
    misses = BinStatistics(np.array([5.0]), np.array([4.5]), np.array([4.05]))

    assert rms_calibration_error(hits, misses) == pytest.approx(0.4)
    assert debiased_calibration_error(hits, misses) == pytest.approx((0.16 - 0.25 / 9) ** 0.5)
    # Each case twice: five different ones.
    assert debiased_calibration_error(hits, misses, 0.5) == pytest.approx((0.16 - 0.25 / 4) ** 0.5)
