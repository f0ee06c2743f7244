"""Rank confidence sets: the ranks of a classifier that the tests do not exclude."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import get_measure
from reportgen.measures.ordering import competition_ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from reportgen.evaluation.comparison import AdjustedTest, Comparison
    from reportgen.evaluation.values import MeasureValue, ValueKey


@dataclass(frozen=True, slots=True)
class RankSet:
    """The observed rank of a classifier on a measure and its rank confidence set.

    The set is [1 + number of classifiers shown to be better, number of classifiers − number shown
    to be worse]. As the tests control the family-wise error rate, all sets of a report hold
    simultaneously (Mogstad, Romano, Shaikh and Wilhelm 2024).
    """

    classifier: str
    class_: str | None
    average: str | None
    measure: str
    value: float
    rank: int
    of: int
    rank_low: int
    rank_high: int
    untested: int
    """The number of other classifiers that it was not tested against."""


def rank_limits(
    classifier: str,
    others: Sequence[str],
    find_test: Callable[[str, str], AdjustedTest | None],
) -> tuple[int, int, int]:
    """Return the limits of a rank confidence set, and the number of pairs without a test.

    Args:
        classifier: the classifier to rank.
        others: all other classifiers that have a value.
        find_test: returns the test of the first against the second, None if there is none.
    """
    better = worse = untested = 0
    for other in others:
        test = find_test(classifier, other)
        if test is None or test.p_adjusted is None:
            untested += 1
        elif test.verdict is Decision.INFERIOR:
            better += 1
        elif test.verdict is Decision.SUPERIOR:
            worse += 1
    return 1 + better, 1 + len(others) - worse, untested


def compute_rank_sets(
    values: Mapping[ValueKey, MeasureValue],
    comparisons: Iterable[Comparison],
    classifiers: Sequence[str],
) -> tuple[RankSet, ...]:
    """Return the rank sets of all classifiers on every measure, class and average that is tested.

    A classifier without a value has no rank and does not count.
    """
    tested: dict[tuple[str | None, str | None, str], dict[tuple[str, str], AdjustedTest]] = {}
    for row in comparisons:
        if row.is_tested:
            by_pair = tested.setdefault((row.class_, row.average, row.measure), {})
            by_pair[row.first, row.second] = row.adjusted_test(row.first)
            by_pair[row.second, row.first] = row.adjusted_test(row.second)
    rank_sets: list[RankSet] = []
    for (class_, average, measure), by_pair in tested.items():
        values_by_classifier = {
            name: values.get((name, class_, average, measure)) for name in classifiers
        }
        numbers = {
            name: value.number
            for name, value in values_by_classifier.items()
            if value is not None and value.number is not None
        }
        rank_sets += _rank_sets_of_measure(numbers, (class_, average, measure), by_pair)
    return tuple(rank_sets)


def _rank_sets_of_measure(
    numbers: Mapping[str, float],
    key: tuple[str | None, str | None, str],
    by_pair: Mapping[tuple[str, str], AdjustedTest],
) -> Iterator[RankSet]:
    class_, average, measure = key
    ranks = competition_ranks(numbers, get_measure(measure).orientation)
    for name, number in numbers.items():
        others = [other for other in numbers if other != name]
        low, high, untested = rank_limits(
            name, others, lambda first, second: by_pair.get((first, second))
        )
        yield RankSet(
            classifier=name,
            class_=class_,
            average=average,
            measure=measure,
            value=number,
            rank=ranks[name],
            of=len(numbers),
            rank_low=low,
            rank_high=high,
            untested=untested,
        )
