"""The paired test of the expected calibration error, against scikit-learn and SciPy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy.stats import bootstrap, foldnorm, norm
from sklearn.calibration import calibration_curve

from benchmarks.drawn_classifiers import EMPTY
from benchmarks.score_test_rates import ROWS, rejection_rate
from reportgen.aggregates.probabilities import (
    calibration_error_covariances,
    count_calibration_bins,
    sum_probability_losses,
)
from reportgen.evaluation.score_tests import (
    ECE_TEST,
    NO_VARIATION,
    TOO_FEW_FOR_ECE,
    run_score_tests,
)
from reportgen.evaluation.values import compute_probability_values
from reportgen.measures import get_measure
from reportgen.statistics.calibration import (
    BinStatistics,
    CalibrationGaps,
    debiased_ece_difference,
)
from tests.scored_cases import binary_cases, several_classes

if TYPE_CHECKING:
    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.evaluation.comparison import Comparison
    from reportgen.statistics import FloatArray

BINS = 15


def calibration_test(cases: ScoredCases) -> Comparison:
    """Return the test of the calibration error of the first two classifiers."""
    bins = count_calibration_bins(cases)
    aggregates = replace(
        EMPTY,
        classes=cases.classes,
        case_count=cases.size,
        calibration=bins,
        influence_covariances=calibration_error_covariances(cases, bins),
    )
    values = compute_probability_values(sum_probability_losses(cases), (get_measure("ece"),))
    names = cases.classifiers[0].classifier, cases.classifiers[1].classifier
    rows = run_score_tests(aggregates, values.by_key(), [names], 0.95)
    return next(row for row in rows if row.measure == "ece")


def draw_outcomes(cases: int, factors: tuple[float, float]) -> tuple[FloatArray, list[FloatArray]]:
    """Return outcomes, and probabilities with the log-odds multiplied and some noise."""
    rng = np.random.default_rng(7)
    logit = rng.normal(0.3, 1.5, cases)
    truth = (rng.random(cases) < 1 / (1 + np.exp(-logit))).astype(np.float64)
    noise = rng.normal(0, 0.4, (2, cases))
    scores = [1 / (1 + np.exp(-(f * logit + e))) for f, e in zip(factors, noise, strict=True)]
    return truth, scores


def expected_calibration_error(truth: FloatArray, score: FloatArray) -> float:
    """Return the error by scikit-learn's calibration curve, whose bins are the same."""
    observed, predicted = calibration_curve(truth, score, n_bins=BINS)
    counts = np.histogram(score, np.linspace(0, 1, BINS + 1))[0]
    return float(np.abs(observed - predicted) @ counts[counts > 0] / len(truth))


def test_difference_and_error_agree_with_scikit_learn_and_the_bootstrap_of_scipy() -> None:
    """Where no gap is near 0, the influence has the variance of the bootstrap."""
    truth, (first, second) = draw_outcomes(4000, (1.0, 1.0))
    first, second = first**0.5, second**0.3
    row = calibration_test(binary_cases(truth.astype(int).tolist(), {"A": first, "B": second}))

    def difference(*data: FloatArray) -> float:
        return expected_calibration_error(*data[:2]) - expected_calibration_error(data[0], data[2])

    resampled = bootstrap(
        (truth, first, second),
        difference,
        paired=True,
        vectorized=False,
        n_resamples=400,
        rng=np.random.default_rng(3),
        method="basic",
    )
    assert row.difference == pytest.approx(difference(truth, first, second), rel=1e-12)
    assert row.difference is not None
    assert row.statistic is not None
    assert row.p == pytest.approx(2 * norm.sf(abs(row.statistic)), rel=1e-9)
    assert row.low is not None
    assert row.high is not None
    error = (row.high - row.low) / (2 * norm.ppf(0.975))
    assert error == pytest.approx(float(resampled.standard_error), rel=0.1)
    assert row.test == ECE_TEST
    assert row.primary_test


def test_the_bias_of_noise_is_the_mean_of_the_folded_normal_distribution() -> None:
    """SciPy has its mean; a gap within two standard errors counts as noise."""
    gap, error = np.array([0.01, -0.05, 0.0]), np.array([0.02, 0.01, 0.0])
    true_gap = np.array([0.0, np.sqrt(0.05**2 - 4 * 0.01**2)])
    expected = [
        foldnorm.mean(mean / own, scale=own) - mean
        for mean, own in zip(true_gap, error, strict=False)
    ]

    assert CalibrationGaps(gap, error**2).bias == pytest.approx(sum(expected), rel=1e-9)


def test_removing_the_bias_never_enlarges_or_turns_a_difference() -> None:
    """It is between 0 and the difference, whichever classifier has more noise."""
    rng = np.random.default_rng(5)
    for _ in range(200):
        first, second = (
            CalibrationGaps(rng.normal(0, 0.02, BINS), rng.uniform(0, 0.02, BINS) ** 2)
            for _ in range(2)
        )
        difference = np.abs(first.gap).sum() - np.abs(second.gap).sum()
        debiased = debiased_ece_difference(first, second)

        assert abs(debiased) <= abs(difference)
        assert debiased * difference >= 0


def test_variances_of_gaps_are_those_of_the_contributions_of_cases() -> None:
    """A case adds its confidence minus its outcome to one bin."""
    truth, (score, _) = draw_outcomes(500, (1.0, 1.0))
    bins = count_calibration_bins(
        binary_cases(truth.astype(int).tolist(), {"A": score, "B": score})
    ).frame.filter(pl.col("classifier") == "A")
    sums = {name: bins[name].cast(pl.Float64).to_numpy() for name in bins.columns[3:]}
    hits = BinStatistics(sums["hits"], sums["hit_confidence"], sums["hit_squares"])
    misses = BinStatistics(
        sums["cases"] - sums["hits"],
        sums["confidence_sum"] - sums["hit_confidence"],
        sums["miss_squares"],
    )
    gaps = CalibrationGaps.from_bins(hits, misses)
    place = np.minimum((score * BINS).astype(int), BINS - 1)
    contributions = np.zeros((len(score), BINS))
    contributions[np.arange(len(score)), place] = score - truth

    assert gaps.gap == pytest.approx(contributions.mean(axis=0), abs=1e-12)
    assert gaps.variance == pytest.approx(contributions.var(axis=0) / len(score), abs=1e-12)


def test_counts_are_expanded_cases() -> None:
    """Rows that stand for several cases have the test of the cases."""
    truth, scores = draw_outcomes(300, (1.0, 2.0))
    times = np.random.default_rng(1).integers(1, 4, 300)
    counted = binary_cases(truth.astype(int).tolist(), dict(zip("AB", scores, strict=True)))
    expanded = binary_cases(
        np.repeat(truth, times).astype(int).tolist(),
        {name: np.repeat(score, times) for name, score in zip("AB", scores, strict=True)},
    )
    one, other = (
        calibration_test(replace(counted, counts=times.astype(np.float64))),
        calibration_test(expanded),
    )

    assert (one.difference, one.p) == pytest.approx((other.difference, other.p), rel=1e-12)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


def test_interval_and_p_value_agree_and_the_difference_is_inside() -> None:
    """0 is inside if and only if the difference is not significant."""
    for factors in ((1.0, 1.0), (1.0, 1.6), (1.0, 3.0), (2.0, 1.0)):
        truth, scores = draw_outcomes(400, factors)
        row = calibration_test(
            binary_cases(truth.astype(int).tolist(), dict(zip("AB", scores, strict=True)))
        )
        assert row.p is not None
        assert row.low is not None
        assert row.high is not None
        assert row.difference is not None

        assert (row.p <= 0.05) == (row.low > 0 or row.high < 0)
        assert row.low <= row.difference <= row.high


def test_equal_probabilities_do_not_differ_and_few_hits_are_not_tested() -> None:
    """Without variation p is 1; with fewer than ten misses there is no test."""
    truth, (score, other) = draw_outcomes(300, (1.0, 2.0))
    same = calibration_test(binary_cases(truth.astype(int).tolist(), {"A": score, "B": score}))
    small_sample = np.ones(300)
    small_sample[:9] = 0
    rare = calibration_test(
        binary_cases(small_sample.astype(int).tolist(), {"A": score, "B": other})
    )

    assert (same.p, same.note) == (1.0, NO_VARIATION)
    assert (rare.p, rare.note) == (None, TOO_FEW_FOR_ECE)


def test_several_classes_are_compared_by_the_highest_probability() -> None:
    """A hit is a correct prediction."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, 600)
    logits = 1.2 * np.eye(3)[truth] + rng.normal(size=(600, 3))
    rows = {}
    for name, factor in (("A", 1.2), ("B", 4.0)):
        weights = np.exp(factor * logits)
        rows[name] = weights / weights.sum(axis=1, keepdims=True)
    row = calibration_test(several_classes(truth.tolist(), rows))
    errors = [
        expected_calibration_error(
            (probabilities.argmax(axis=1) == truth).astype(np.float64), probabilities.max(axis=1)
        )
        for probabilities in rows.values()
    ]

    assert row.difference == pytest.approx(errors[0] - errors[1], rel=1e-12)
    assert row.p is not None
    assert row.p < 0.001


@pytest.mark.slow
@pytest.mark.parametrize("name", [row.name for row in ROWS if row.measure == "ece"])
def test_equal_errors_are_rarely_significant(name: str) -> None:
    """At most 5 % within simulation error; a difference is found."""
    row = next(row for row in ROWS if row.measure == "ece" and row.name == name)
    rate, _ = rejection_rate(row, 400, 200)

    assert rate > 0.5 if row.differ else rate <= 0.05 + 2.58 * (0.05 * 0.95 / 200) ** 0.5
