"""How classifiers stand in a measure: their values, their places, and what tests make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.comparisons.verdicts.ranking import places
from reportgen.scores import Score, State
from reportgen.statistics.fold_tests import CORRECTED_T

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation

NO_FOLD = "no fold has a finite value"


def standing_names(evaluation: Evaluation) -> tuple[str, ...]:
    """Return those who can have a value: measured ones or, if there are none, those with folds."""
    given = {summary.classifier for summary in evaluation.folds}
    names = (each.name for each in evaluation.spec.classifiers)
    return evaluation.measured or tuple(name for name in names if name in given)


def standing_scores(evaluation: Evaluation, measure: Measure) -> dict[str, Score]:
    """Return the values of all classifiers; where only scores per fold are known, their means."""
    if evaluation.measured:
        found = {name: evaluation.score(name, measure) for name in evaluation.measured}
        return {name: score for name, score in found.items() if score is not None}
    return fold_means(evaluation, measure)


def fold_means(evaluation: Evaluation, measure: Measure) -> dict[str, Score]:
    """Return the means over the folds of those of whom only scores per fold are known."""
    given = {each.name for each in evaluation.spec.classifiers if each.fold_scores is not None}
    return {
        summary.classifier: mean_score(summary)
        for summary in evaluation.folds
        if summary.classifier in given and summary.measure == measure.name and summary.is_of_whole
    }


def mean_score(summary: FoldSummary) -> Score:
    """Return the mean over the folds as a score, with the limits that it has."""
    if summary.mean is None:
        return Score(None, State.UNDEFINED, NO_FOLD)
    method = None if summary.low is None or summary.high is None else CORRECTED_T
    return Score(summary.mean, State.DEFINED, None, summary.low, summary.high, method)


def standing_values(evaluation: Evaluation, measure: Measure) -> dict[str, Score]:
    """Return the values that can be compared, by classifier, the best first."""
    return best_first_of(standing_scores(evaluation, measure), measure)


def best_first_of(scores: Mapping[str, Score], measure: Measure) -> dict[str, Score]:
    """Leave out whoever has no value, and put the best first."""
    return {name: scores[name] for name in places_of(scores, measure)}


def sharing_the_first_place(values: Mapping[str, Score], measure: Measure) -> list[str]:
    """Return whoever has the best value; several if it is equal."""
    return [name for name, place in places_of(values, measure).items() if place == 1]


def standing_places(evaluation: Evaluation, measure: Measure) -> dict[str, int]:
    """Return the places of all classifiers that have a value, best first."""
    return places_of(standing_scores(evaluation, measure), measure)


def places_of(scores: Mapping[str, Score], measure: Measure) -> dict[str, int]:
    """Return the places of those who have a value, best first; equal ones share a place."""
    numbers = {name: score.number for name, score in scores.items() if score.number is not None}
    ranks = places(numbers, measure.orientation)
    return dict(sorted(ranks.items(), key=lambda item: item[1]))


def is_shown_better(
    evaluation: Evaluation, measure: Measure, name: str, others: Iterable[str]
) -> bool | None:
    """Tell whether the tests show one to be better than each of the others; None: not all tested.

    A single test that does not show it is enough to say no.
    """
    tests = [evaluation.evidence.about(name, other, None, measure.name) for other in others]
    known = [test for test in tests if test is not None and test.p is not None]
    if any(test.verdict is not Finding.SUPERIOR for test in known):
        return False
    return True if known and len(known) == len(tests) else None
