"""What is found over folds: who has the best mean, and where the plain t-test misleads."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Decision
from reportgen.measures import Measure, find_measure, get_measure
from reportgen.report.findings.comparisons import leader_findings, primary_measure
from reportgen.report.formatting import inline_difference, inline_value_with_interval, inline_values
from reportgen.report.inline import PValue, Strong
from reportgen.report.phrases import is_one_sided_test, measure_phrase, spell_number
from reportgen.report.ranks import fold_mean_values, sort_best_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue
    from reportgen.report.inline import Inline

_MAX_MEASURES, _PAIR_SIZE, _MAX_DISAGREEMENTS = 3, 2, 4
_CASE_TESTS_NOTE = " The verdicts of this report rest on the cases themselves, not on the folds."


def cross_validation_findings(evaluation: Evaluation) -> Iterator[tuple[Inline, ...]]:
    """Yield who has the best mean over the folds, and what the tests make of that."""
    for measure in _fold_score_measures(evaluation)[:_MAX_MEASURES]:
        values = sort_best_first(fold_mean_values(evaluation, measure), measure)
        what = f"mean {measure_phrase(measure)} over the folds"
        if len(values) == 1:
            ((name, score),) = values.items()
            figures = inline_value_with_interval(measure, score)
            yield (Strong(name), f" has a {what} of ", *figures, ".")
        elif len(values) == _PAIR_SIZE:
            yield tuple(_two_classifier_finding(evaluation, measure, values))
        elif values:
            yield from leader_findings(evaluation, measure, values, what)


def corrected_test_disagreements(
    evaluation: Evaluation, measures: Sequence[Measure], *, primary_only: bool = False
) -> tuple[tuple[Inline, ...], ...]:
    """Say where only the plain t-test finds a difference; a sentence for each, up to a few.

    `deciding`: only where the folds decide, no cases being known.
    """
    wanted = {measure.name for measure in measures}
    found = [
        each
        for each in evaluation.correction_disagreements
        if each.uncorrected.measure in wanted and (each.corrected.primary_test or not primary_only)
    ]
    said = [_disagreement_sentence(each.uncorrected, each.corrected) for each in found]
    more = len(said) - _MAX_DISAGREEMENTS
    if more <= 0:
        return tuple(said)
    rest = f"The same is true of {spell_number(more)} more of the differences tested over folds."
    return (*said[:_MAX_DISAGREEMENTS], (rest,))


def _fold_score_measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures of which scores per fold were given, the main one first."""
    given = (
        find_measure(name)
        for each in evaluation.spec.classifiers
        for name in each.fold_scores or {}
    )
    found = [measure for measure in dict.fromkeys(given) if measure is not None]
    return sorted(found, key=lambda measure: measure is not primary_measure(evaluation))


def _two_classifier_finding(
    evaluation: Evaluation, measure: Measure, values: dict[str, MeasureValue]
) -> Iterator[Inline]:
    """Give both means, their difference as it was tested, and what the test says of it."""
    row = evaluation.comparison_index.by_key.get((frozenset(values), None, measure.name))
    first, second = values if row is None else (row.first, row.second)
    ahead, behind = inline_values(measure, values[first], values[second])
    yield f"Mean {measure_phrase(measure)} over the folds: "
    yield from (Strong(first), " ", ahead, ", ", Strong(second), " ", behind)
    if row is None or row.p is None:
        yield "; they were not tested against each other."
        return
    if row.verdict is Decision.TIED:
        yield ". They are the same."
        return
    figures = inline_difference(measure, row.difference, row.low, row.high)
    yield from (" (difference ", *figures, ")") if figures else ()
    yield ". "
    yield from _decision_clause(evaluation, row)
    yield from (PValue(row.p_adjusted, with_symbol=True), ").")


def _decision_clause(evaluation: Evaluation, row: Comparison) -> tuple[Inline, ...]:
    """Say what the test has found, which may ask only whether the first is better."""
    if is_one_sided_test(evaluation, row):
        shown = "" if row.verdict is Decision.SUPERIOR else "not "
        said = f" is {shown}shown to be better than "
        return (Strong(row.first), said, Strong(row.second), " (one-sided test, ")
    if row.verdict.is_decided:
        better = row if row.verdict is Decision.SUPERIOR else row.reversed
        return (Strong(better.first), " is better than ", Strong(better.second), " (")
    if row.verdict is Decision.EQUIVALENT:
        return ("They are equivalent: the margin is not reached (",)
    return ("The difference is not shown to be more than chance (",)


def _disagreement_sentence(uncorrected: Comparison, corrected: Comparison) -> tuple[Inline, ...]:
    measure = get_measure(uncorrected.measure)
    difference = uncorrected.difference or 0.0
    return (
        f"Over the {spell_number(int(uncorrected.df or 0) + 1)} folds ",
        Strong(uncorrected.first),
        f"’s {measure_phrase(measure)} is {'higher' if difference > 0 else 'lower'} than ",
        Strong(uncorrected.second),
        "’s by ",
        *inline_difference(measure, abs(difference), None, None),
        ": the plain t-test calls that significant (",
        PValue(uncorrected.p, with_symbol=True),
        "), the corrected one, which allows for the folds sharing training cases, does not (",
        PValue(corrected.p, with_symbol=True),
        "). Trust the corrected one.",
        *(() if corrected.primary_test else (_CASE_TESTS_NOTE,)),
    )
