"""Invariance of measures under eight changes of the confusion matrix."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.measures import (
    MEASURE_REGISTRY,
    MatrixChange,
    find_invariances,
    get_measure,
    is_function_of_counts,
)
from tests.measures.count_strategies import exact

# Sokolova and Lapalme 2009, section 4: I1 to I8; their AUC is the balanced accuracy.
PUBLISHED = {
    "accuracy": "+----+--",
    "precision": "-+-+-++-",
    "sensitivity": "-+--++-+",
    "f1": "-+---+--",
    "specificity": "--++-+-+",
    "balanced_accuracy": "+----+-+",
}
COUNT_MEASURES = [each for each in MEASURE_REGISTRY.values() if is_function_of_counts(each)]


@pytest.mark.parametrize(("name", "signs"), PUBLISHED.items())
def test_invariances_are_those_of_the_paper(name: str, signs: str) -> None:
    """A plus where the change leaves the measure as it is."""
    found = find_invariances(get_measure(name))

    assert "".join("+" if change in found else "-" for change in MatrixChange) == signs


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
