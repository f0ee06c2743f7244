"""Limits of shares, of their sums and differences, and of predictive values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from reportgen.statistics.distributions import critical_z
from reportgen.statistics.proportions import (
    ConfidenceInterval,
    bonett_price_interval,
    clopper_pearson_interval,
    mover,
    mover_difference,
    mover_log_intervals,
    mover_mean_intervals,
    mover_paired_difference,
    predictive_value_bands,
    predictive_value_intervals,
    tango_interval,
    wilson_interval,
    wilson_intervals,
)

LEVEL = 0.95
TP, FN, FP, TN = 80, 20, 30, 170


def near(limits: ConfidenceInterval, low: float, high: float, tolerance: float = 5e-7) -> bool:
    """Tell whether limits are those of a table printed with six decimals."""
    return abs(limits.low - low) <= tolerance and abs(limits.high - high) <= tolerance


def test_the_quantile_is_two_sided() -> None:
    """95 % of normal values lie within 1.959964."""
    assert critical_z(LEVEL) == pytest.approx(1.959963984540054, abs=1e-12)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (TP + TN, 300, 0.787003, 0.871235),  # accuracy
        (TP, 100, 0.711171, 0.866633),  # sensitivity
        (TN, 200, 0.793944, 0.892864),  # specificity
        (TP, 110, 0.637434, 0.801773),  # precision
        (TN, 190, 0.843009, 0.930819),  # negative predictive value
        (TP, 130, 0.529585, 0.694561),  # Jaccard
    ],
)
def test_wilson_gives_the_check_values(
    successes: int, trials: int, low: float, high: float
) -> None:
    """Shares of the table 80, 20, 30, 170."""
    assert near(wilson_interval(successes, trials, LEVEL), low, high)


@given(trials=st.integers(1, 500), share=st.floats(0, 1), level=st.floats(0.5, 0.999))
def test_both_limits_agree_with_statsmodels(trials: int, share: float, level: float) -> None:
    """Wilson, and Clopper-Pearson under the name of beta."""
    successes = round(share * trials)
    for ours, name in ((wilson_interval, "wilson"), (clopper_pearson_interval, "beta")):
        low, high = proportion_confint(successes, trials, alpha=1 - level, method=name)
        assert near(ours(successes, trials, level), low, high, 1e-9)


def test_limits_end_exactly_where_the_share_does() -> None:
    """Nothing found has the limit 0, everything found the limit 1, without rounding."""
    for limits_of in (wilson_interval, clopper_pearson_interval):
        assert limits_of(0, 7, LEVEL).low == 0
        assert limits_of(7, 7, LEVEL).high == 1


def test_halved_counts_have_wider_limits_about_the_same_share() -> None:
    """Cases predicted twice are scaled down, so counts need not be whole."""
    full, halved = wilson_interval(5, 9, LEVEL), wilson_interval(2.5, 4.5, LEVEL)

    assert halved.low < full.low < 5 / 9 < full.high < halved.high


def test_no_cases_have_no_limits() -> None:
    """One share is refused; among many it is NaN, the others are not touched."""
    with pytest.raises(ValueError, match="no limits"):
        wilson_interval(0, 0, LEVEL)

    low, high = wilson_intervals([0, 80], [0, 100], LEVEL)

    assert np.isnan(low[0])
    assert np.isnan(high[0])
    assert near(ConfidenceInterval(low[1], high[1]), 0.711171, 0.866633)


def test_sums_of_independent_shares_give_the_check_values() -> None:
    """Youden's index, balanced accuracy and markedness of the table 80, 20, 30, 170."""
    sensitivity, specificity = wilson_interval(TP, 100, LEVEL), wilson_interval(TN, 200, LEVEL)
    precision, npv = wilson_interval(TP, 110, LEVEL), wilson_interval(TN, 190, LEVEL)
    youden = mover((0.8, 0.85), (sensitivity, specificity), (1, 1))
    balanced = mover((0.8, 0.85), (sensitivity, specificity), (0.5, 0.5))
    markedness = mover((80 / 110, 170 / 190), (precision, npv), (1, 1))

    assert near(ConfidenceInterval(youden.low - 1, youden.high - 1), 0.544963, 0.729229)
    assert near(balanced, 0.772481, 0.864615)
    assert near(ConfidenceInterval(markedness.low - 1, markedness.high - 1), 0.518343, 0.704788)


def test_the_difference_of_independent_shares_is_newcombes() -> None:
    """56/70 and 48/80: 0.0524 to 0.3339, the example (a) of Newcombe 1998, method 10."""
    one, other = wilson_interval(56, 70, LEVEL), wilson_interval(48, 80, LEVEL)

    assert near(mover_difference(56 / 70, one, 48 / 80, other), 0.0524, 0.3339, 5e-5)


def test_correlation_narrows_a_difference() -> None:
    """Without correlation it is the difference of independent shares; with it, narrower."""
    one, other = wilson_interval(56, 70, LEVEL), wilson_interval(48, 80, LEVEL)
    free, tied = (
        mover_paired_difference(56 / 70, one, 48 / 80, other, correlation)
        for correlation in (0.0, 0.5)
    )

    assert near(free, *_ends(mover_difference(56 / 70, one, 48 / 80, other)), 1e-12)
    assert free.low < tied.low < tied.high < free.high


def test_one_estimate_minus_itself_is_known() -> None:
    """Fully correlated and equal: nothing is left to be unsure of but the shape of the limits."""
    one = ConfidenceInterval(0.4, 0.6)

    assert mover_paired_difference(0.5, one, 0.5, one, 1.0) == ConfidenceInterval(0.0, 0.0)


def test_a_paired_difference_gives_the_check_value() -> None:
    """25 cases right by the first alone, 12 by the second alone, of 200."""
    assert near(bonett_price_interval(25, 12, 200, LEVEL), 0.004416, 0.124297)
    assert near(tango_interval(25, 12, 200, LEVEL), 0.005635, 0.126941)


@given(cases=st.integers(1, 200), shares=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_paired_limits_hold_the_difference_and_turn_with_it(
    cases: int, shares: tuple[float, float]
) -> None:
    """Exchanging the classifiers turns the sign; no limit leaves −1 to 1."""
    b = round(shares[0] * cases)
    c = round(shares[1] * (cases - b))
    result, reversed_interval = (
        bonett_price_interval(b, c, cases, LEVEL),
        bonett_price_interval(c, b, cases, LEVEL),
    )

    assert -1 <= result.low <= (b - c) / cases <= result.high <= 1
    assert near(reversed_interval, -result.high, -result.low, 1e-12)


def tango_statistic(b: int, c: int, cases: int, difference: float) -> float:
    """Return Tango's score statistic of a difference (1998, equation 7)."""
    linear = -b - c + (2 * cases - b + c) * difference
    constant = -c * difference * (1 - difference)
    root = math.sqrt(max(linear**2 - 8 * cases * constant, 0.0))
    share = (root - linear) / (4 * cases)
    variance = cases * (2 * share + difference * (1 - difference))
    return (b - c - cases * difference) / math.sqrt(variance)


@given(cases=st.integers(1, 10_000), shares=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_the_score_statistic_at_tangos_limits_is_the_critical_value(
    cases: int, shares: tuple[float, float]
) -> None:
    """Also without discordant cases, and where all cases are discordant."""
    b = round(shares[0] * cases)
    c = round(shares[1] * (cases - b))
    confidence_interval = tango_interval(b, c, cases, LEVEL)

    assert -1 <= confidence_interval.low <= (b - c) / cases <= confidence_interval.high <= 1
    for limit, statistic in (
        (confidence_interval.low, critical_z(LEVEL)),
        (confidence_interval.high, -critical_z(LEVEL)),
    ):
        # A limit next to −1 or 1 has a variance next to 0.
        if abs(limit) < 1 - 1e-9:
            assert tango_statistic(b, c, cases, limit) == pytest.approx(statistic, rel=1e-6)
        else:
            assert abs(b - c) == cases


def ratio_limits(first: tuple[int, int], second: tuple[int, int]) -> tuple[float, float]:
    """Return MOVER limits of a ratio of proportions on the log scale, from statsmodels' Wilson."""
    (low, high), (other_low, other_high) = (
        proportion_confint(*item, method="wilson") for item in (first, second)
    )
    one, other = first[0] / first[1], second[0] / second[1]
    middle = math.log(one / other)
    return (
        math.exp(middle - math.hypot(math.log(one / low), math.log(other_high / other))),
        math.exp(middle + math.hypot(math.log(high / one), math.log(other / other_low))),
    )


def test_a_ratio_has_wilson_limits_combined_on_the_log_scale() -> None:
    """LR+ = 5.333 and LR− = 0.235 of the table, with Wilson limits by statsmodels."""
    positives, negatives = TP + FN, FP + TN
    for successes in ((TP, FP), (FN, TN)):
        arrays = mover_log_intervals(successes, (positives, negatives), (1, -1), LEVEL)
        expected = ratio_limits((successes[0], positives), (successes[1], negatives))

        assert arrays == pytest.approx(expected, rel=1e-12)


def test_a_mean_of_one_proportion_has_the_limits_of_wilson() -> None:
    """Near the ends of the scale, where Wilson's interval is wider than that of the variance."""
    assert mover_mean_intervals([98], [100], LEVEL) == pytest.approx(
        proportion_confint(98, 100, method="wilson"), rel=1e-12
    )


def test_a_mean_of_many_equal_proportions_is_nearly_symmetric() -> None:
    """The asymmetry of k equal intervals falls as 1/k, their width as 1/√k."""
    low, high = proportion_confint(28, 30, method="wilson")
    shift, half = (low + high) / 2 - 28 / 30, (high - low) / 2

    mover_mean = mover_mean_intervals([28] * 25, [30] * 25, LEVEL)

    assert mover_mean == pytest.approx(
        (28 / 30 + shift / 25 - half / 5, 28 / 30 + shift / 25 + half / 5)
    )


def test_predictive_values_at_a_prevalence_follow_from_the_likelihood_ratios() -> None:
    """At 0.1 the precision of the table is 0.372093, its NPV 0.974522; odds 1/9 times the ratio."""
    predictive_value = predictive_value_intervals((TP, FN, FP, TN), 0.1, LEVEL)
    positive = ratio_limits((TP, TP + FN), (FP, FP + TN))
    negative = ratio_limits((FN, TP + FN), (TN, FP + TN))

    assert near(predictive_value.positive, *(limit / (9 + limit) for limit in positive))
    assert near(predictive_value.negative, *(9 / (9 + limit) for limit in reversed(negative)))


def test_predictive_values_improve_with_the_table() -> None:
    """One false positive fewer never lowers a limit of precision, even where none is left."""
    one, none = (
        predictive_value_intervals(counts, 0.1, LEVEL).positive
        for counts in ((29, 1, 1, 29), (30, 0, 0, 30))
    )

    assert one.low < none.low
    assert one.high < none.high == 1


def test_nothing_is_unsure_where_only_one_class_exists() -> None:
    """At prevalence 0 every yes is wrong and every no right; at 1 the other way round."""
    (low, high), (negative_low, negative_high) = predictive_value_bands(
        (TP, FN, FP, TN), [0.0, 0.1, 1.0], LEVEL
    )

    assert (low[0], high[0], low[2], high[2]) == (0, 0, 1, 1)
    assert (negative_low[0], negative_high[0], negative_low[2], negative_high[2]) == (1, 1, 0, 0)
    expected = predictive_value_intervals((TP, FN, FP, TN), 0.1, LEVEL).positive
    assert near(ConfidenceInterval(low[1], high[1]), expected.low, expected.high)


def test_nothing_is_unsure_where_only_one_class_exists_and_no_error_was_seen() -> None:
    """An infinite likelihood ratio does not matter there."""
    (low, high), _ = predictive_value_bands((20, 0, 0, 30), [0.0, 1.0], LEVEL)

    assert (low.tolist(), high.tolist()) == ([0, 1], [0, 1])


def test_wilson_covers_shares_as_often_as_it_says() -> None:
    """Summed exactly over all outcomes of 100 cases, shares from 0.1 to 0.9."""
    low, high = wilson_intervals(np.arange(101), np.full(101, 100), LEVEL)
    shares = np.linspace(0.1, 0.9, 81)[:, None]
    covered = (low <= shares) & (shares <= high)
    coverage = (covered * binom.pmf(np.arange(101), 100, shares)).sum(axis=1)

    assert coverage.mean() == pytest.approx(0.95, abs=0.005)
    assert coverage.min() > 0.92


def _ends(limits: ConfidenceInterval) -> tuple[float, float]:
    return limits.low, limits.high
