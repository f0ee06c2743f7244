"""Which pairs are tested in which measures, and the intervals of their differences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.aggregates.paired import PAIRED_COUNT_SCHEMA, PairedPredictionCounts
from reportgen.evaluation import pairwise_tests
from reportgen.evaluation.contingency_tables import PairedTables
from reportgen.evaluation.multiple_testing import PermutationPlan
from reportgen.evaluation.pairwise_tests import (
    REPEATED_CASES_TEST,
    build_comparisons,
    mover_difference_interval,
)
from reportgen.evaluation.permutation_tests import PAIRED_EXACT
from reportgen.evaluation.permutation_tests import UNPAIRED_EXACT as REGROUPED
from reportgen.evaluation.studentized import delta_method_correlations
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import MEASURE_REGISTRY
from tests.evaluation.paired_tables import NO, PAIR, YES, answers_of, measure, table
from tests.tables import matrix_scores, matrix_tallies

if TYPE_CHECKING:
    from reportgen.statistics.paired_tests import PairedContingencyTable

RATING_MEASURES = [
    "accuracy",
    "precision",
    "npv",
    "sensitivity",
    "specificity",
    "youden",
    "lr_positive",
    "lr_negative",
]
COUNTS = table((60, 20, 10, 10), (10, 10, 15, 65))


def compare_pair(
    counts: PairedContingencyTable,
    *,
    joined: bool = True,
    weight: float = 1.0,
    positive: str | None = YES,
) -> pairwise_tests.ComparisonInputs:
    """Return what is compared of two classifiers with one table."""
    matrices = {
        name: ((hits, positives - hits), (alarms, negatives - alarms))
        for name, hits, alarms in (
            ("A", counts.positives.first, counts.negatives.first),
            ("B", counts.positives.second, counts.negatives.second),
        )
        for positives, negatives in [(counts.positives.total, counts.negatives.total)]
    }
    rows = answers_of(counts).with_columns(first=pl.lit("A"), second=pl.lit("B"))
    pairs = PairedPredictionCounts(rows.select(list(PAIRED_COUNT_SCHEMA)), (YES, NO), weight)
    scores = matrix_scores(matrices, (YES, NO))
    if positive is not None:
        scores |= {
            (name, None, average, item): score
            for (name, label, average, item), score in scores.items()
            if label == positive
        }
    return pairwise_tests.ComparisonInputs(
        values=scores,
        confusion=matrix_tallies(matrices, (YES, NO)),
        pairs=pairs if joined else None,
        positive=positive,
        measures=pairwise_tests.select_testable_measures([]),
        averaged_measures=(),
        averages=(),
        permutation_plan=PermutationPlan(0),
        weights=dict.fromkeys(PAIR, 1.0),
    )


def test_the_measures_that_verdicts_use_are_always_tested() -> None:
    """Discriminant power is graded on a scale, so no verdict compares it."""
    assert [item.name for item in pairwise_tests.select_testable_measures([])] == RATING_MEASURES


def test_what_is_shown_is_tested_besides_if_it_counts_and_has_a_better_end() -> None:
    """No prevalence (nobody is better in it), no chi-square, and no measure of scores."""
    names = [
        item.name
        for item in pairwise_tests.select_testable_measures(list(MEASURE_REGISTRY.values()))
    ]

    assert names[: len(RATING_MEASURES)] == RATING_MEASURES
    assert {"kappa", "mcc", "f1", "discriminant_power"} <= set(names)
    assert not {"prevalence", "chi_square", "chi_square_p", "roc_auc", "rmse"} & set(names)


def test_all_pairs_or_each_against_the_baseline() -> None:
    """The baseline comes second, so that a positive difference is progress."""
    assert pairwise_tests.pairs_to_compare(["A", "B", "C"], None) == (
        ("A", "B"),
        ("A", "C"),
        ("B", "C"),
    )
    assert pairwise_tests.pairs_to_compare(["A", "B", "C"], "B") == (("A", "B"), ("C", "B"))


@pytest.mark.parametrize(
    ("joined", "weight", "positive", "test", "data"),
    [
        (True, 1.0, YES, PAIRED_EXACT, "paired"),
        (True, 1.0, None, PAIRED_EXACT, "paired"),
        (True, 0.5, YES, REPEATED_CASES_TEST, "paired"),
        (False, 1.0, YES, REGROUPED, "unpaired"),
    ],
)
def test_the_test_is_chosen_by_what_is_known_of_the_cases(
    *, joined: bool, weight: float, positive: str | None, test: str, data: str
) -> None:
    """Exchanged where cases are joined and each is predicted once; else normal."""
    block = pairwise_tests.run_pair_tests(
        compare_pair(COUNTS, joined=joined, weight=weight, positive=positive), PAIR
    )

    assert block is not None
    assert (block.tests[0], block.data) == (test, data)


def test_an_undefined_value_is_not_tested() -> None:
    """B never says yes, so its precision is undefined; everything else is tested."""
    silent = table((0, 70, 0, 30), (0, 20, 0, 80))
    block = pairwise_tests.run_pair_tests(compare_pair(silent), PAIR)

    assert block is not None
    names = {hypothesis.measure.name for hypothesis in block.hypotheses}
    assert set(RATING_MEASURES) - names == {"precision", "lr_positive"}


def test_an_infinite_value_is_tested_with_a_note() -> None:
    """A has no false alarms: ρ+ is infinite, so the difference is no number but has a p-value."""
    sure = table((60, 20, 10, 10), (0, 0, 15, 85))
    comparisons = compare_pair(sure)
    block = pairwise_tests.run_pair_tests(comparisons, PAIR)
    assert block is not None
    rows = {row.measure: row for row in build_comparisons(comparisons, block, 0.95)}
    result = rows["lr_positive"]

    assert (result.difference, result.low, result.high) == (None, None, None)
    assert "infinite" in (result.note or "")
    assert result.p is not None


def estimate(value: float, low: float, high: float) -> MeasureValue:
    """Return a value with its interval."""
    return MeasureValue(value, ValueState.DEFINED, low=low, high=high, method="given")


def test_limits_of_a_difference_are_squared_and_added() -> None:
    """0.8 (0.7 to 0.86) less 0.6 (0.5 to 0.68): 0.2 − √(0.1² + 0.08²), 0.2 + √(0.06² + 0.1²)."""
    confidence_interval = mover_difference_interval(
        estimate(0.8, 0.7, 0.86), estimate(0.6, 0.5, 0.68), None
    )

    assert confidence_interval is not None
    assert confidence_interval.low == pytest.approx(0.2 - math.hypot(0.1, 0.08))
    assert confidence_interval.high == pytest.approx(0.2 + math.hypot(0.06, 0.1))


def test_values_that_vary_together_have_a_narrower_difference() -> None:
    """With correlation 0.5: √(0.1² + 0.08² − 2 · 0.5 · 0.1 · 0.08) below (Zou and Donner)."""
    confidence_interval = mover_difference_interval(
        estimate(0.8, 0.7, 0.86), estimate(0.6, 0.5, 0.68), 0.5
    )

    assert confidence_interval is not None
    assert confidence_interval.low == pytest.approx(0.2 - math.sqrt(0.0100 + 0.0064 - 0.0080))


def test_a_missing_end_leaves_no_interval() -> None:
    """An interval up to infinity has no difference."""
    open_ended = MeasureValue(0.8, ValueState.DEFINED, low=0.7, high=None, method="given")

    assert mover_difference_interval(open_ended, estimate(0.6, 0.5, 0.68), None) is None


def test_the_correlation_of_two_accuracies_is_that_of_being_right() -> None:
    """φ of the 2×2 table of right answers: both 60 + 65, A alone 20 + 15, B alone 10 + 10."""
    both, first, second, neither = 125, 35, 20, 20
    phi = (both * neither - first * second) / math.sqrt(
        (both + first) * (second + neither) * (both + second) * (first + neither)
    )

    values = delta_method_correlations(measure("accuracy"), PairedTables.stack([COUNTS]))
    assert values == pytest.approx([phi], abs=0.01)
