"""Values and ranks of the classifiers on a measure, and significance of the best."""

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
    """Return the classifiers that can have values: measured ones, else those with fold scores."""
    summarized = {summary.classifier for summary in evaluation.fold_summaries}
    names = (classifier.name for classifier in evaluation.spec.classifiers)
    return evaluation.measured_classifiers or tuple(name for name in names if name in summarized)


def classifier_values(evaluation: Evaluation, measure: Measure) -> dict[str, MeasureValue]:
    """Return the values of all classifiers; with fold scores only, their means."""
    if evaluation.measured_classifiers:
        values = {name: evaluation.value(name, measure) for name in evaluation.measured_classifiers}
        return {name: score for name, score in values.items() if score is not None}
    return fold_mean_values(evaluation, measure)


def fold_mean_values(evaluation: Evaluation, measure: Measure) -> dict[str, MeasureValue]:
    """Return the means across folds of the classifiers with fold scores only."""
    with_fold_scores = {
        classifier.name
        for classifier in evaluation.spec.classifiers
        if classifier.fold_scores is not None
    }
    return {
        summary.classifier: fold_summary_value(summary)
        for summary in evaluation.fold_summaries
        if summary.classifier in with_fold_scores
        and summary.measure == measure.name
        and summary.is_overall
    }


def fold_summary_value(summary: FoldSummary) -> MeasureValue:
    """Return the mean across folds as a value with its confidence interval."""
    if summary.mean is None:
        return MeasureValue(None, ValueState.UNDEFINED, _NO_FINITE_FOLD)
    method = None if summary.low is None or summary.high is None else CORRECTED_RESAMPLED_T
    return MeasureValue(summary.mean, ValueState.DEFINED, None, summary.low, summary.high, method)


def values_best_first(evaluation: Evaluation, measure: Measure) -> dict[str, MeasureValue]:
    """Return the comparable values by classifier, best first."""
    return sort_best_first(classifier_values(evaluation, measure), measure)


def sort_best_first(
    values: Mapping[str, MeasureValue], measure: Measure
) -> dict[str, MeasureValue]:
    """Return the defined values, best first."""
    return {name: values[name] for name in rank_classifiers(values, measure)}


def tied_for_first(values: Mapping[str, MeasureValue], measure: Measure) -> list[str]:
    """Return the classifiers with the best value; several if tied."""
    return [name for name, rank in rank_classifiers(values, measure).items() if rank == 1]


def classifier_ranks(evaluation: Evaluation, measure: Measure) -> dict[str, int]:
    """Return the ranks of all classifiers with a value, best first."""
    return rank_classifiers(classifier_values(evaluation, measure), measure)


def rank_classifiers(values: Mapping[str, MeasureValue], measure: Measure) -> dict[str, int]:
    """Return the ranks of the defined values, best first; ties share a rank."""
    numbers = {name: score.number for name, score in values.items() if score.number is not None}
    ranks = competition_ranks(numbers, measure.orientation)
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def is_significantly_better(
    evaluation: Evaluation, measure: Measure, name: str, others: Iterable[str]
) -> bool | None:
    """Return whether one is significantly better than each of the others; None: not all tested.

    A single test that is not significant is enough for False.
    """
    tests = [evaluation.comparison_index.find(name, other, None, measure.name) for other in others]
    available = [test for test in tests if test is not None and test.p is not None]
    if any(test.verdict is not Decision.SUPERIOR for test in available):
        return False
    return True if available and len(available) == len(tests) else None
