"""What is found over folds: who has the best mean, and where the plain t-test misleads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.comparisons.folds.tests import disagreements
from reportgen.measures import Measure, find_measure, known_measure
from reportgen.report.findings.main import main_measure, of_many
from reportgen.report.findings.standing import best_first_of, fold_means
from reportgen.report.parts import PValue, Strong
from reportgen.report.words.how_tested import is_one_sided
from reportgen.report.words.spoken import spoken_difference, spoken_values, spoken_with_interval
from reportgen.report.words.wording import inside_a_sentence, number_word

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.scores import Score

MOST_MEASURES, TWO, DISAGREEMENTS_SPOKEN_OF = 3, 2, 4
CASES_DECIDE = " The verdicts of this report rest on the cases themselves, not on the folds."


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


def fold_disagreements(
    evaluation: Evaluation, measures: Sequence[Measure], *, deciding: bool = False
) -> tuple[tuple[Part, ...], ...]:
    """Say where only the plain t-test finds a difference; a sentence for each, up to a few.

    `deciding`: only where the folds decide, no cases being known.
    """
    wanted = {measure.name for measure in measures}
    alpha = evaluation.spec.comparison.alpha
    found = [
        each
        for each in disagreements(evaluation.differences, alpha)
        if each.plain.measure in wanted and (each.corrected.decisive or not deciding)
    ]
    said = [_disagreement(each.plain, each.corrected) for each in found]
    more = len(said) - DISAGREEMENTS_SPOKEN_OF
    if more <= 0:
        return tuple(said)
    rest = f"The same is true of {number_word(more)} more of the differences tested over folds."
    return (*said[:DISAGREEMENTS_SPOKEN_OF], (rest,))


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
    if row.verdict.is_decided:
        better = row if row.verdict is Finding.SUPERIOR else row.turned
        return (Strong(better.first), " is better than ", Strong(better.second), " (")
    if row.verdict is Finding.EQUIVALENT:
        return ("They are equivalent: the margin is not reached (",)
    return ("The difference is not shown to be more than chance (",)


def _disagreement(plain: Difference, corrected: Difference) -> tuple[Part, ...]:
    measure = known_measure(plain.measure)
    difference = plain.difference or 0.0
    return (
        f"Over the {number_word(int(plain.df or 0) + 1)} folds ",
        Strong(plain.first),
        f"’s {inside_a_sentence(measure)} is {'higher' if difference > 0 else 'lower'} than ",
        Strong(plain.second),
        "’s by ",
        *spoken_difference(measure, abs(difference), None, None),
        ": the plain t-test calls that significant (",
        PValue(plain.p, named=True),
        "), the corrected one, which allows for the folds sharing training cases, does not (",
        PValue(corrected.p, named=True),
        "). Trust the corrected one.",
        *(() if corrected.decisive else (CASES_DECIDE,)),
    )
