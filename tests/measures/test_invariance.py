"""Invariance of measures under eight changes of the confusion matrix."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reportgen.measures import (
    MEASURE_REGISTRY,
    MatrixChange,
    find_invariances,
    get_measure,
    is_function_of_counts,
)
from reportgen.measures.formula.evaluate import evaluate_exact
from reportgen.measures.invariance import has_straight_contours, is_function_of_rates
from tests.measures.count_strategies import exact

if TYPE_CHECKING:
    from collections.abc import Callable

# Sokolova and Lapalme 2009, section 4: I1 to I8; their AUC is the balanced accuracy.
PUBLISHED = {
    "accuracy": "+----+--",
    "precision": "-+-+-++-",
    "sensitivity": "-+--++-+",
    "f1": "-+---+--",
    "specificity": "--++-+-+",
    "balanced_accuracy": "+----+-+",
}
COUNT_MEASURES = [
    measure for measure in MEASURE_REGISTRY.values() if is_function_of_counts(measure)
]


@pytest.mark.parametrize(("name", "signs"), PUBLISHED.items())
def test_invariances_are_those_of_the_paper(name: str, signs: str) -> None:
    """A plus where the change leaves the measure as it is."""
    invariances = find_invariances(get_measure(name))

    assert "".join("+" if change in invariances else "-" for change in MatrixChange) == signs


def test_every_measure_but_tests_ignores_the_number_of_cases() -> None:
    """Uniform scaling changes a test statistic, and nothing else."""
    growing = {
        measure.name
        for measure in COUNT_MEASURES
        if MatrixChange.UNIFORM_SCALING not in find_invariances(measure)
    }

    assert growing == {"chi_square", "chi_square_p", "pearson_chi_square", "pearson_chi_square_p"}


@settings(max_examples=40, deadline=None)
@given(st.tuples(*[st.integers(1, 500)] * 4), st.integers(2, 9), st.integers(2, 9))
def test_invariances_hold_at_any_matrix(
    counts: tuple[int, int, int, int], first: int, second: int
) -> None:
    """They were found at a few matrices; here are others."""
    tp, fn, fp, tn = counts
    changed = {
        MatrixChange.EXCHANGE: (tn, fp, fn, tp),
        MatrixChange.TRUE_NEGATIVES: (tp, fn, fp, tn + first),
        MatrixChange.TRUE_POSITIVES: (tp + first, fn, fp, tn),
        MatrixChange.FALSE_NEGATIVES: (tp, fn + first, fp, tn),
        MatrixChange.FALSE_POSITIVES: (tp, fn, fp + first, tn),
        MatrixChange.UNIFORM_SCALING: (first * tp, first * fn, first * fp, first * tn),
        MatrixChange.COLUMN_SCALING: (first * tp, second * fn, first * fp, second * tn),
        MatrixChange.ROW_SCALING: (first * tp, first * fn, second * fp, second * tn),
    }
    for measure in COUNT_MEASURES:
        before = exact(measure.formula, counts)
        for change in find_invariances(measure):
            after = exact(measure.formula, changed[change])
            assert float(after) == pytest.approx(float(before), rel=1e-9, abs=1e-12), (
                measure.name,
                change,
            )


CURVED = {
    *("discriminant_power", "diagnostic_odds_ratio", "mcc", "g_mean", "markedness"),
    "fowlkes_mallows",
}


def test_contours_of_roots_logarithms_and_sums_of_ratios_are_curved() -> None:
    """All other measures of rates are ratios of linear functions of sensitivity and specificity."""
    named = ("f2", "f0.5", "expected_cost@fp=1,fn=10", "net_benefit@0.2")
    of_rates = [*filter(is_function_of_rates, COUNT_MEASURES), *map(get_measure, named)]

    assert {one.name for one in of_rates if not has_straight_contours(one.formula)} == CURVED


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(*[st.integers(1, 60)] * 4),
    st.floats(-1, 1).filter(lambda slope: abs(slope) > 0.01),
    st.sampled_from(["precision", "npv", "f1", "kappa", "youden", "accuracy", "lr_positive"]),
)
def test_half_way_between_two_matrices_with_one_value_the_value_is_the_same(
    counts: tuple[int, int, int, int], step: float, name: str
) -> None:
    """At the same class sizes; the second matrix is found by bisection."""
    tp, fn, fp, tn = counts
    formula = get_measure(name).formula

    def value(hits: float, rejections: float) -> float:
        changed = {"tp": tp + hits, "fn": fn - hits, "fp": fp - rejections, "tn": tn + rejections}
        return float(evaluate_exact(formula, changed))

    target, hits = value(0, 0), 0.9 * step * min(tp, fn)
    low, high = -0.999 * tn, 0.999 * fp
    rejections = float(brentq_or_nan(lambda at: value(hits, at) - target, low, high))
    assume(math.isfinite(rejections))

    assert value(hits / 2, rejections / 2) == pytest.approx(target, rel=1e-6, abs=1e-9)


def brentq_or_nan(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root, NaN if the signs at both ends agree."""
    from scipy.optimize import brentq

    if function(low) * function(high) > 0:
        return math.nan
    return float(brentq(function, low, high, xtol=1e-12, rtol=1e-14))


def test_mirrored_classifiers_have_one_g_mean_and_another_one_half_way() -> None:
    """(0.9, 0.7) and (0.7, 0.9): √0.63, and 0.8 between them."""
    formula = get_measure("g_mean").formula
    values = [
        evaluate_exact(formula, {"tp": tp, "fn": 100 - tp, "fp": 100 - tn, "tn": tn})
        for tp, tn in ((90, 70), (70, 90), (80, 80))
    ]

    assert values == pytest.approx([0.63**0.5, 0.63**0.5, 0.8])
