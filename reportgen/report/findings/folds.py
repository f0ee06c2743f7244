"""What is found of classifiers of which only scores per fold are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons import Finding
from reportgen.measures import Measure, find_measure
from reportgen.report.findings.main import main_measure, of_many
from reportgen.report.findings.others import DECIDED
from reportgen.report.findings.standing import best_first_of, fold_means
from reportgen.report.parts import PValue, Strong
from reportgen.report.words.how_tested import is_one_sided
from reportgen.report.words.spoken import spoken_difference, spoken_values, spoken_with_interval
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons import Difference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.scores import Score

MOST_MEASURES, TWO = 3, 2


def fold_findings(evaluation: Evaluation) -> Iterator[tuple[Part, ...]]:
    """Yield who has the best mean over the folds, and what the tests make of that."""
    for measure in _measures(evaluation)[:MOST_MEASURES]:
        values = best_first_of(fold_means(evaluation, measure), measure)
        what = f"mean {inside_a_sentence(measure)} over the folds"
        if len(values) == 1:
            ((name, score),) = values.items()
            figures = spoken_with_interval(measure, score)
            yield (Strong(name), f" has a {what} of ", *figures, ".")
        elif len(values) == TWO:
            yield tuple(_of_two(evaluation, measure, values))
        elif values:
            yield from of_many(evaluation, measure, values, what)


def _measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures of which scores per fold were given, the main one first."""
    given = (
        find_measure(name)
        for each in evaluation.spec.classifiers
        for name in each.fold_scores or {}
    )
    found = [measure for measure in dict.fromkeys(given) if measure is not None]
    return sorted(found, key=lambda measure: measure is not main_measure(evaluation))


def _of_two(evaluation: Evaluation, measure: Measure, values: dict[str, Score]) -> Iterator[Part]:
    """Give both means, their difference as it was tested, and what the test says of it."""
    row = evaluation.evidence.by_key.get((frozenset(values), None, measure.name))
    first, second = values if row is None else (row.first, row.second)
    ahead, behind = spoken_values(measure, values[first], values[second])
    yield f"Mean {inside_a_sentence(measure)} over the folds: "
    yield from (Strong(first), " ", ahead, ", ", Strong(second), " ", behind)
    if row is None or row.p is None:
        yield "; they were not tested against each other."
        return
    if row.verdict is Finding.TIED:
        yield ". They are the same."
        return
    figures = spoken_difference(measure, row.difference, row.low, row.high)
    yield from (" (difference ", *figures, ")") if figures else ()
    yield ". "
    yield from _better_or_not(evaluation, row)
    yield from (PValue(row.p_adjusted, named=True), ").")


def _better_or_not(evaluation: Evaluation, row: Difference) -> tuple[Part, ...]:
    """Say what the test has found, which may ask only whether the first is better."""
    if is_one_sided(evaluation, row):
        shown = "" if row.verdict is Finding.SUPERIOR else "not "
        said = f" is {shown}shown to be better than "
        return (Strong(row.first), said, Strong(row.second), " (one-sided test, ")
    if row.verdict in DECIDED:
        better = row if row.verdict is Finding.SUPERIOR else row.turned
        return (Strong(better.first), " is better than ", Strong(better.second), " (")
    if row.verdict is Finding.EQUIVALENT:
        return ("They are equivalent: the margin is not reached (",)
    return ("The difference is not shown to be more than chance (",)
