"""Differences, values and cases as they are written in sentences and tables alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import find_measure
from reportgen.report.parts import Count, DifferenceOf, Interval, Value
from reportgen.report.words.decimals import (
    decimals_of_difference,
    decimals_to_show,
    decimals_to_tell_apart,
)

if TYPE_CHECKING:
    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation
    from reportgen.scores import Score

MOST_CASES = 10_000_000
# Of more values some are always close together, and all would have digits nobody reads.
MOST_TOLD_APART = 6


def difference_cells(
    measure: Measure, number: float | None, low: float | None, high: float | None
) -> tuple[DifferenceOf | None, Interval | None]:
    """Return a difference and its interval; None is one that there is not."""
    if low is None or high is None:
        return None if number is None else DifferenceOf(measure, number), None
    decimals = decimals_of_difference(number, low, high, measure)
    difference = None if number is None else DifferenceOf(measure, number, decimals)
    return difference, Interval(low, high, None, decimals)


def values_told_apart(measure: Measure, *scores: Score) -> tuple[Value, ...]:
    """Return values with enough decimals to see that they differ, if they do."""
    numbers = [score.number for score in scores if score.number is not None]
    extra = decimals_to_tell_apart(numbers, measure)
    return tuple(Value(score, measure, extra_decimals=extra) for score in scores)


def value_among_all(
    evaluation: Evaluation, classifier: str, measure: Measure, class_: str | None
) -> Value | None:
    """Return the value of one classifier, told apart from those of others unless they are many."""
    score = evaluation.score(classifier, measure, class_)
    others = (evaluation.score(name, measure, class_) for name in evaluation.measured)
    numbers = [each.number for each in others if each and each.number is not None]
    many = len(numbers) > MOST_TOLD_APART
    extra = 0 if many else decimals_to_tell_apart(numbers, measure)
    return None if score is None else Value(score, measure, extra_decimals=extra)


def with_its_interval(score: Score, measure: Measure) -> Value:
    """Return a value for a sentence, with decimals that tell both ends of its interval apart."""
    return Value(
        score, measure, extra_decimals=decimals_to_show([score], measure), with_interval=True
    )


def margin_of(evaluation: Evaluation, name: str) -> float | None:
    """Return the difference in a measure that is too small to matter, if one was named."""
    margins = evaluation.spec.comparison.margin or {}
    found = {find_measure(asked): margin for asked, margin in margins.items()}
    return found.get(find_measure(name))


def cases_in_words(cases: int) -> Count | str:
    """Round up to two digits, as more would pretend to know more; too many are not counted."""
    if cases > MOST_CASES:
        return "over 10 million"
    unit = int(10 ** max(0, len(str(cases)) - 2))
    return Count(-(-cases // unit) * unit)
