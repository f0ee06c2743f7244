"""How classifiers stand in a measure: their values, their places, and what tests make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures.ordering import competition_ranks
from reportgen.statistics.t_tests import CORRECTED_RESAMPLED_T

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reportgen.evaluation.cross_validation import FoldSummary
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure

_NO_FINITE_FOLD = "no fold has a finite value"


def evaluated_classifiers(evaluation: Evaluation) -> tuple[str, ...]:
    """Return those who can have a value: measured ones or, if there are none, those with folds."""
    given = {summary.classifier for summary in evaluation.fold_summaries}
    names = (each.name for each in evaluation.spec.classifiers)
    return evaluation.measured_classifiers or tuple(name for name in names if name in given)


def classifier_values(evaluation: Evaluation, measure: Measure) -> dict[str, MeasureValue]:
    """Return the values of all classifiers; where only scores per fold are known, their means."""
    if evaluation.measured_classifiers:
        found = {name: evaluation.value(name, measure) for name in evaluation.measured_classifiers}
        return {name: score for name, score in found.items() if score is not None}
    return fold_mean_values(evaluation, measure)


def fold_mean_values(evaluation: Evaluation, measure: Measure) -> dict[str, MeasureValue]:
    """Return the means over the folds of those of whom only scores per fold are known."""
    given = {each.name for each in evaluation.spec.classifiers if each.fold_scores is not None}
    return {
        summary.classifier: fold_summary_value(summary)
        for summary in evaluation.fold_summaries
        if summary.classifier in given and summary.measure == measure.name and summary.is_overall
    }


def fold_summary_value(summary: FoldSummary) -> MeasureValue:
    """Return the mean over the folds as a score, with the limits that it has."""
    if summary.mean is None:
        return MeasureValue(None, ValueState.UNDEFINED, _NO_FINITE_FOLD)
    method = None if summary.low is None or summary.high is None else CORRECTED_RESAMPLED_T
    return MeasureValue(summary.mean, ValueState.DEFINED, None, summary.low, summary.high, method)


def values_best_first(evaluation: Evaluation, measure: Measure) -> dict[str, MeasureValue]:
    """Return the values that can be compared, by classifier, the best first."""
    return sort_best_first(classifier_values(evaluation, measure), measure)


def sort_best_first(
    values: Mapping[str, MeasureValue], measure: Measure
) -> dict[str, MeasureValue]:
    """Leave out whoever has no value, and put the best first."""
    return {name: values[name] for name in rank_classifiers(values, measure)}


def tied_for_first(values: Mapping[str, MeasureValue], measure: Measure) -> list[str]:
    """Return whoever has the best value; several if it is equal."""
    return [name for name, place in rank_classifiers(values, measure).items() if place == 1]


def classifier_ranks(evaluation: Evaluation, measure: Measure) -> dict[str, int]:
    """Return the places of all classifiers that have a value, best first."""
    return rank_classifiers(classifier_values(evaluation, measure), measure)


def rank_classifiers(values: Mapping[str, MeasureValue], measure: Measure) -> dict[str, int]:
    """Return the places of those who have a value, best first; equal ones share a place."""
    numbers = {name: score.number for name, score in values.items() if score.number is not None}
    ranks = competition_ranks(numbers, measure.orientation)
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def is_significantly_better(
    evaluation: Evaluation, measure: Measure, name: str, others: Iterable[str]
) -> bool | None:
    """Tell whether the tests show one to be better than each of the others; None: not all tested.

    A single test that does not show it is enough to say no.
    """
    tests = [evaluation.comparison_index.find(name, other, None, measure.name) for other in others]
    known = [test for test in tests if test is not None and test.p is not None]
    if any(test.verdict is not Decision.SUPERIOR for test in known):
        return False
    return True if known and len(known) == len(tests) else None
