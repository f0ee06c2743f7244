"""Relations between measures that hold whatever the counts (Sokolova and others 2006)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.measures.count_strategies import POSITIVE_COUNTS, values_of_tables
from tests.tables import Counts, tally, value

few = settings(max_examples=12, deadline=None)

# Every count at least 1: all of these measures are finite then.
full_tables = st.lists(
    st.tuples(POSITIVE_COUNTS, POSITIVE_COUNTS, POSITIVE_COUNTS, POSITIVE_COUNTS),
    min_size=3,
    max_size=20,
)


def values(drawn: list[Counts]) -> list[dict[str, float]]:
    """Return the values of every table by measure."""
    by_counts: dict[Counts, dict[str, float]] = {}
    for measure, counts, score in values_of_tables(drawn):
        assert score.value is not None
        by_counts.setdefault(counts, {})[measure.name] = score.value
    return list(by_counts.values())


@few
@given(full_tables)
def test_youden_is_twice_balanced_accuracy_less_one(drawn: list[Counts]) -> None:
    """γ = 2·AUC_b − 1."""
    for by_name in values(drawn):
        expected = 2 * by_name["balanced_accuracy"] - 1
        assert by_name["youden"] == pytest.approx(expected, rel=1e-9, abs=1e-12)


@few
@given(full_tables)
def test_the_odds_of_both_sides_are_the_ratio_of_likelihood_ratios(drawn: list[Counts]) -> None:
    """s/(1−s) · f/(1−f) = ρ+/ρ−, which is also the diagnostic odds ratio."""
    for by_name in values(drawn):
        ratio = by_name["lr_positive"] / by_name["lr_negative"]
        on_class = by_name["sensitivity"] / by_name["type_2_rate"]
        on_rest = by_name["specificity"] / by_name["type_1_rate"]
        assert on_class * on_rest == pytest.approx(ratio, rel=1e-9)
        assert by_name["diagnostic_odds_ratio"] == pytest.approx(ratio, rel=1e-9)


@few
@given(full_tables)
def test_discriminant_power_is_the_log_of_the_ratio_of_likelihood_ratios(
    drawn: list[Counts],
) -> None:
    """DP = (√3/π) · ln(ρ+/ρ−)."""
    for by_name in values(drawn):
        ratio = by_name["lr_positive"] / by_name["lr_negative"]
        expected = math.sqrt(3) / math.pi * math.log(ratio)
        assert by_name["discriminant_power"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


informative = st.tuples(
    st.integers(50, 10**5), st.integers(1, 40), st.integers(1, 40), st.integers(50, 10**5)
)


@few
@given(st.lists(informative, min_size=3, max_size=20))
def test_the_likelihood_ratios_give_sensitivity_specificity_and_youden(drawn: list[Counts]) -> None:
    """With r = ρ+/ρ−: s = (ρ+−r)/(1−r), f = (1/ρ−−r)/(1−r), γ = (1/ρ−−1)(ρ+−1)/(r−1)."""
    for by_name in values(drawn):
        positive, negative = by_name["lr_positive"], by_name["lr_negative"]
        ratio = positive / negative
        sensitivity = (positive - ratio) / (1 - ratio)
        specificity = (1 / negative - ratio) / (1 - ratio)
        youden = (1 / negative - 1) * (positive - 1) / (ratio - 1)
        assert by_name["sensitivity"] == pytest.approx(sensitivity, rel=1e-9)
        assert by_name["specificity"] == pytest.approx(specificity, rel=1e-9)
        assert by_name["youden"] == pytest.approx(youden, rel=1e-9)


def test_f1_ignores_true_negatives() -> None:
    """Only the three counts that touch the positive class matter."""
    few_others = tally(tp=7, fp=2, fn=3, tn=0)
    many_others = tally(tp=7, fp=2, fn=3, tn=10_000)

    expected = pytest.approx(2 * 7 / (2 * 7 + 2 + 3), rel=1e-15)
    assert value("f1", few_others) == value("f1", many_others) == expected


@pytest.mark.parametrize("beta", ["0.1", "0.5", "1", "1.5", "2", "3", "10"])
def test_f_of_any_beta_weighs_sensitivity_beta_times_as_much(beta: str) -> None:
    """F_β = (1+β²)·precision·sensitivity / (β²·precision + sensitivity)."""
    counted = tally(tp=7, fn=3, fp=2, tn=5)
    precision, sensitivity, square = 7 / 9, 7 / 10, float(beta) ** 2

    expected = (1 + square) * precision * sensitivity / (square * precision + sensitivity)
    assert value(f"f{beta}", counted) == pytest.approx(expected, rel=1e-14)


def test_beta_above_one_favours_sensitivity() -> None:
    """The paper says the opposite of its own equation; the equation counts."""
    finds_more = tally(tp=9, fn=1, fp=6, tn=4)
    is_surer = tally(tp=4, fn=6, fp=1, tn=9)

    assert (value("f2", finds_more) or 0) > (value("f2", is_surer) or 0)
    assert (value("f0.5", finds_more) or 0) < (value("f0.5", is_surer) or 0)


@few
@given(full_tables)
def test_kappa_is_the_prevalence_formula_at_the_prevalence_of_the_data(
    drawn: list[Counts],
) -> None:
    """κ(q) = 2q(1−q)(s+f−1)/(q+Q−2qQ), Q = s·q+(1−f)(1−q) (El Emam and others 2000)."""
    for by_name in values(drawn):
        q, youden = by_name["prevalence"], by_name["youden"]
        called = by_name["sensitivity"] * q + by_name["type_1_rate"] * (1 - q)
        expected = 2 * q * (1 - q) * youden / (q + called - 2 * q * called)
        assert by_name["kappa"] == pytest.approx(expected, rel=1e-8, abs=1e-9)


@few
@given(full_tables)
def test_accuracy_and_precision_are_the_prevalence_formulas_at_the_prevalence_of_the_data(
    drawn: list[Counts],
) -> None:
    """A(q) = s·q + f·(1−q) and C(q) = s·q/(s·q + (1−f)(1−q))."""
    for by_name in values(drawn):
        q, hits = by_name["prevalence"], by_name["sensitivity"] * by_name["prevalence"]
        called = hits + by_name["type_1_rate"] * (1 - q)
        accuracy = hits + by_name["specificity"] * (1 - q)
        assert by_name["accuracy"] == pytest.approx(accuracy, rel=1e-9)
        assert by_name["precision"] == pytest.approx(hits / called, rel=1e-9)
        majority = max(q, 1 - q)
        expected = (accuracy - majority) / (1 - majority)
        assert by_name["kappa_best"] == pytest.approx(expected, rel=1e-8, abs=1e-8)
