"""Names, measures and numbers inside sentences."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import CARDINALS
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Orientation, get_measure
from reportgen.report.document import Note, Paragraph
from reportgen.report.formatting import (
    TO_PERCENT,
    equivalence_margin,
    inline_percentage,
    inline_values,
)
from reportgen.report.inline import Count, InlineCode, PlainNumber, PValue, Strong
from reportgen.report.ranks import values_best_first

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.comparison import Comparison
    from reportgen.evaluation.drift import DriftAnalysis, DriftAttribution, ProportionChange
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.gate_outcome import EvaluatedGate
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline


_MAX_NAMES = 4
_PROPER_NAMES = ("Matthews", "Jaccard", "Type", "Pearson", "Brier")


def join_names(names: Sequence[str]) -> Iterator[Inline]:
    """Write names one after the other: A, B and C."""
    for number, name in enumerate(names):
        if number:
            yield " and " if number == len(names) - 1 else ", "
        yield Strong(name)


def join_names_abbreviated(names: Sequence[str]) -> Iterator[Inline]:
    """Write names one after the other; of many the first, and how many others."""
    if len(names) <= _MAX_NAMES:
        yield from join_names(names)
        return
    for number, name in enumerate(names[: _MAX_NAMES - 1]):
        yield from (", ", Strong(name)) if number else (Strong(name),)
    yield from (" and ", Count(len(names) - _MAX_NAMES + 1), " others")


def spell_number(number: int) -> str:
    """Say a number of things: up to ten by a word."""
    return CARDINALS[number - 1] if 1 <= number <= len(CARDINALS) else str(number)


def measure_phrase(measure: Measure) -> str:
    """Name a measure inside a sentence: titles that are no proper names are not capitalised."""
    title = measure.title
    first = title.split()[0]
    proper = first.endswith("'s") or title[:2].isupper() or title[1:2].isdigit()
    return title if proper or first in _PROPER_NAMES else title[0].lower() + title[1:]


def join_sentences(*sentences: tuple[Inline, ...]) -> Paragraph | None:
    """Join what is to be remarked; None: nothing."""
    parts: list[Inline] = []
    for sentence in filter(None, sentences):
        parts += [" ", *sentence] if parts else sentence
    return Paragraph(tuple(parts)) if parts else None


# What a better value of a measure means a classifier can do, in words for everybody.


@dataclass(frozen=True, slots=True)
class AbilityPhrase:
    """How to say that one is better, or that it is open who is.

    "finds a larger share of the positives [than B]": what stands before and after the other's name.
    """

    comparative: str
    gerund: str
    suffix: str = ""


ABILITY_PHRASES = {
    "youden": AbilityPhrase("avoids failure better", "avoiding failure"),
    "lr_positive": AbilityPhrase("confirms positives better", "confirming positives"),
    "lr_negative": AbilityPhrase("confirms negatives better", "confirming negatives"),
    "sensitivity": AbilityPhrase("finds a larger share of the positives", "finding positives"),
    "specificity": AbilityPhrase("rejects a larger share of the negatives", "rejecting negatives"),
    "discriminant_power": AbilityPhrase(
        "discriminates the classes better", "discriminating the classes"
    ),
    "precision": AbilityPhrase(
        "is right more often",
        "being right about what is called positive",
        " when it says positive",
    ),
    "npv": AbilityPhrase(
        "is right more often",
        "being right about what is called negative",
        " when it says negative",
    ),
    "roc_auc": AbilityPhrase("ranks cases better", "ranking cases"),
    "brier": AbilityPhrase("gives better probabilities", "giving probabilities"),
}


def ability_phrase(measure: Measure) -> AbilityPhrase:
    """Return the words for a measure, which may be no more than its name."""
    name = measure_phrase(measure)
    plain = AbilityPhrase("is better", name, f" in {name}")
    return ABILITY_PHRASES.get(measure.name, plain)


# What is said below a drawing of values, the best first: what the tests make of its lead.

_PAIR = 2


@dataclass(frozen=True, slots=True)
class LeaderComparison:
    """Who has the best value, and how the others that have one and those without stand to it."""

    best: Sequence[str]
    not_significant: Sequence[str]
    untested: Sequence[str]
    n_others: int
    undefined: Sequence[str]
    n_omitted: int = 0


def leader_sentence(comparison: LeaderComparison) -> Iterator[Inline]:
    """Say whom the best are shown to be better than; whoever is not shown worse is hollow."""
    best, without = comparison.best, comparison.undefined
    one = len(best) == 1
    if not best:
        yield "Nobody has a value."
        return
    yield from join_names_abbreviated(best)
    if not comparison.n_others:
        yield " alone has a value" if one else " have the same value"
    else:
        yield " has the best value" if one else " share the best value"
        yield from _leader_clause(comparison)
    if without:
        yield from (
            "; ",
            *join_names_abbreviated(without),
            " has none" if len(without) == 1 else " have none",
        )
    if more := comparison.n_omitted:
        yield from ("; ", Count(more), f" further one{' is' if more == 1 else 's are'} not drawn")
    yield "."


def _leader_clause(comparison: LeaderComparison) -> Iterator[Inline]:
    number = len(comparison.best)
    is_or_are, was_or_were = ("is", "was") if number == 1 else ("are", "were")
    every = {1: "", _PAIR: "both "}.get(number, "all ")
    if not comparison.not_significant and not comparison.untested:
        yield f" and {is_or_are} shown to be better than "
        yield from _all_others_phrase(comparison)
        return
    if comparison.not_significant:
        yield f" but {is_or_are} not {every}shown to be better than "
        yield from join_names_abbreviated(comparison.not_significant)
    if comparison.untested:
        yield f" {'and' if comparison.not_significant else 'but'} {was_or_were} not tested against "
        yield from join_names_abbreviated(comparison.untested)
    yield " (hollow)"


def _all_others_phrase(comparison: LeaderComparison) -> Iterator[Inline]:
    yield "the other" if comparison.n_others == 1 else "all others"
    if comparison.undefined:
        yield " that has a value" if comparison.n_others == 1 else " that have a value"


# How differences were tested, in a few plain sentences.

# Tests whose error rate holds for any number of cases; that of the others holds for many.
_EXACT_TESTS = ("paired permutation", "unpaired permutation")
_PAIRED_NOTE = (
    "Classifiers were compared case by case: if two of them do not differ, either is equally likely"
    " to be the one that is right where they disagree."
)
_ONLY_COUNTS_NOTE = (
    "Only counts are known, so the tests take the classifiers as measured on different cases."
)
_UNMATCHED_NOTE = (
    "Where the cases of two classifiers could not be matched, the tests take them as measured on"
    " different cases."
)
_PAIRED_POWER_NOTE = " With predictions case by case they could show more."
_REPEATED_CASES_NOTE = (
    "Cases were predicted several times; a repetition is not counted as a new case."
)
_FOLD_TEST_NOTE = (
    "Only scores per fold are known, so the decision is the corrected t-test's, which allows for"
    " the folds sharing training cases."
)
_ONE_SIDED_NOTE = (
    "The test over folds was asked to be one-sided: it asks only whether the first of two is better"
    " and cannot show that the second is."
)
_PAIRED_T_NOTE = "Models were compared by the paired t-test of the errors they make in each case"
_SQUARED_ERRORS_NOTE = ", root mean squared errors by that of the squared errors"
_DELONG_NOTE = "Areas under ROC curves were compared by DeLong's test."
_LOSS_T_NOTE = (
    "Measures of probabilities were compared by the paired t-test of their values in each case."
)
_PRIMARY_MEASURE_NOTE = (
    " The measure declared as primary is tested first; the others count only if it differs."
)


def multiplicity_sentence(evaluation: Evaluation) -> Iterator[Inline]:
    """Say in a sentence how often any difference claimed may be false; nothing if untested."""
    rows = [row for row in evaluation.comparisons if row.is_tested]
    if not rows:
        return
    asked = evaluation.spec.comparison
    alone = len(rows) == 1 or asked.correction == "none"
    if alone:
        yield from _adjustment_sentence(evaluation, rows)
    else:
        shown = sum(row.verdict.is_decided for row in rows)
        yield Count(len(rows))
        yield " differences were tested together; "
        yield Count(shown) if shown else "none"
        yield f" of them {'is' if shown == 1 else 'are'} more than chance. The chance that any"
        yield " difference claimed here is false is "
        yield from (_error_rate_qualifier(evaluation, rows), inline_percentage(asked.alpha), ".")
    if any(is_one_sided_test(evaluation, row) for row in rows):
        yield f" {_ONE_SIDED_NOTE}"


def describe_tests(evaluation: Evaluation) -> Iterator[Inline]:
    """Say on what the claims rest and how often any of them may be false; nothing if untested."""
    rows = [row for row in evaluation.comparisons if row.is_tested]
    if not rows:
        return
    said: list[tuple[Inline, ...]] = [
        *_case_test_sentences(evaluation, rows),
        *_score_test_sentences(evaluation, rows),
        *_fold_test_sentences(evaluation, rows),
        tuple(_adjustment_sentence(evaluation, rows)),
        *_equivalence_sentence(evaluation, rows),
    ]
    for number, parts in enumerate(said):
        yield from (" ", *parts) if number else parts


def uncompared_measures_sentence(evaluation: Evaluation) -> Iterator[str]:
    """Name the measures that are shown for several classifiers but compared for none."""
    compared = {row.measure for row in evaluation.comparisons if row.primary_test}
    names = [
        measure_phrase(measure)
        for measure in evaluation.overall_measures
        if measure.name not in compared
        and measure.orientation is not Orientation.NEITHER
        and len(values_best_first(evaluation, measure)) > 1
    ]
    if names:
        yield f" Shown but not compared: {', '.join(names)}."


def is_one_sided_test(evaluation: Evaluation, row: Comparison) -> bool:
    """Tell whether a test asks only whether the first is better."""
    return row.data == "folds" and evaluation.spec.folds.tails == "one"


def _case_test_sentences(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    tests = {row.test for row in rows}
    if any(test.startswith("paired permutation") for test in tests):
        yield (_PAIRED_NOTE,)
    apart = [row for row in rows if row.data == "unpaired"]
    counted = [item.name for item in evaluation.spec.classifiers if item.confusion is not None]
    sizes = evaluation.class_sizes
    if apart and len(counted) == len(evaluation.measured_classifiers):
        alike = all(sizes[row.first] == sizes[row.second] for row in apart)
        yield (_ONLY_COUNTS_NOTE + (_PAIRED_POWER_NOTE if alike else ""),)
    elif apart and any({row.first, row.second}.isdisjoint(counted) for row in apart):
        yield (_UNMATCHED_NOTE,)
    elif apart:
        whose = "its" if len(counted) == 1 else "their"
        yield (
            "Of ",
            *join_names(counted),
            f" only counts are known, so {whose} pairs are tested as if on different cases.",
        )
    if any("repeated" in test for test in tests):
        yield (_REPEATED_CASES_NOTE,)


def _score_test_sentences(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    by_t = {row.measure for row in rows if row.test == "paired t"}
    if by_t and evaluation.task_kind == "regression":
        yield (f"{_PAIRED_T_NOTE}{_SQUARED_ERRORS_NOTE if 'rmse' in by_t else ''}.",)
    if any(row.test == "delong" for row in rows):
        yield (_DELONG_NOTE,)
    if by_t and evaluation.task_kind != "regression":
        yield (_LOSS_T_NOTE,)


def _fold_test_sentences(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    if all(row.data == "folds" for row in rows):
        yield (_FOLD_TEST_NOTE,)
    if any(is_one_sided_test(evaluation, row) for row in rows):
        yield (_ONE_SIDED_NOTE,)


def _adjustment_sentence(evaluation: Evaluation, rows: Sequence[Comparison]) -> Iterator[Inline]:
    asked = evaluation.spec.comparison
    percent = inline_percentage(asked.alpha)
    at_most = _error_rate_qualifier(evaluation, rows)
    if len(rows) == 1:
        yield f"The chance that the one test made is wrong to see a difference is {at_most}"
    elif asked.correction == "none":
        yield "The p-values of the "
        yield Count(len(rows))
        yield " tests are not adjusted for their number: each is wrong to see a difference in "
        yield at_most
        yield percent
        yield " of such cases."
        return
    else:
        yield "The p-values are adjusted for all "
        yield Count(len(rows))
        yield f" differences tested, so the chance that any of those claimed is false is {at_most}"
    yield percent
    yield "."
    if asked.primary is not None:
        yield _PRIMARY_MEASURE_NOTE


def _error_rate_qualifier(evaluation: Evaluation, rows: Sequence[Comparison]) -> str:
    """Say whether the error rate holds for any number of cases, or for many."""
    # Mid-p halves the outcome found, which keeps the level on average only.
    exact = evaluation.spec.comparison.p_values == "exact" and all(
        row.test.startswith(_EXACT_TESTS) for row in rows
    )
    return "at most " if exact else "at most about "


def _equivalence_sentence(
    evaluation: Evaluation, rows: Sequence[Comparison]
) -> Iterator[tuple[Inline, ...]]:
    """Say by which interval equivalence is shown: it is not the one that is printed."""
    asked = evaluation.spec.comparison
    judged = sum(row.non_inferior is not None for row in evaluation.comparisons)
    if not judged or all(equivalence_margin(evaluation, row.measure) is None for row in rows):
        return
    shared = judged > 1 and asked.correction != "none"
    level = 1 - 2 * min(0.5, asked.alpha / (judged if shared else 1))
    yield (
        "Equivalence is shown by two one-sided tests: not the interval printed but that of ",
        PlainNumber(round(TO_PERCENT * level, 1), unit="%"),
        " has to lie within the margin",
        *(
            (
                ", ",
                inline_percentage(asked.alpha),
                " being shared among the ",
                Count(judged),
                " comparisons with a margin",
            )
            if shared
            else ()
        ),
        ".",
    )


# Runs and their days, and what changed since, in words.

_DAY_FORMAT, _MINUTE_FORMAT, _SECOND_FORMAT = "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"
_MAX_CLASSES = 3
_MORE_OFTEN, _LESS_OFTEN = "more often", "less often"


def run_labels(changes: DriftAnalysis) -> tuple[str, ...]:
    """Return the days of the runs in UTC, with the time where two share a day."""
    ended = [run.ended.astimezone(UTC) for run in changes.runs]
    counted = {
        form: Counter(f"{each:{form}}" for each in ended) for form in (_DAY_FORMAT, _MINUTE_FORMAT)
    }
    return tuple(
        next(
            (
                f"{each:{form}}"
                for form in (_DAY_FORMAT, _MINUTE_FORMAT)
                if counted[form][f"{each:{form}}"] == 1
            ),
            f"{each:{_SECOND_FORMAT}}",
        )
        for each in ended
    )


def last_run_label(changes: DriftAnalysis) -> str:
    """Return the day of the run that now is compared with."""
    return run_labels(changes)[-1]


def proportion_change_phrase(change: ProportionChange) -> tuple[Inline, ...]:
    """Say a share of then and of now; nothing where one of them is not known."""
    if change.then is None or change.now is None:
        return ()
    measure = get_measure("sensitivity")
    then, now = inline_values(
        measure, *(_defined_value(each) for each in (change.then, change.now))
    )
    return then, " then, ", now, " now"


def recall_change_phrase(attribution: DriftAttribution, *, with_values: bool) -> Iterator[Inline]:
    """Say which classes a classifier is shown to recognise more or less often, surest first."""
    surest = sorted(attribution.significant_recall_changes, key=lambda rate: rate.p_adjusted or 0.0)
    by_word = {
        word: rates
        for word in (_LESS_OFTEN, _MORE_OFTEN)
        if (rates := [rate for rate in surest if recall_change_direction(rate) == word])
    }
    yield "recognises "
    for number, (word, rates) in enumerate(by_word.items()):
        if with_values:
            yield f"{'; ' if number else ''}{word}: "
            yield from _list_recall_changes(rates, with_values=True)
        else:
            plural = "classes" if len(rates) > 1 else "class"
            yield f"{' and ' if number else ''}{plural} "
            yield from (*_list_recall_changes(rates, with_values=False), f" {word}")


def recall_change_direction(rate: ProportionChange) -> str:
    """Say whether a class is recognised more or less often than before."""
    return _MORE_OFTEN if (rate.difference or 0.0) > 0 else _LESS_OFTEN


def _list_recall_changes(
    rates: Sequence[ProportionChange], *, with_values: bool
) -> Iterator[Inline]:
    told = rates[:_MAX_CLASSES]
    rest = len(rates) - len(told)
    for number, rate in enumerate(told):
        last = number == len(told) - 1 and not rest
        yield "" if not number else " and " if last else ", "
        yield Strong(rate.class_)
        if with_values:
            p = PValue(rate.p_adjusted, with_symbol=True)
            yield from (" (", *proportion_change_phrase(rate), "; ", p, ")")
    if rest:
        yield f" and {rest} other{'s' if rest > 1 else ''}"


def _defined_value(value: float) -> MeasureValue:
    return MeasureValue(value, ValueState.DEFINED)


# Gates in words: what is asked of whom, the same in reports and in what runs tell.

_LIMIT_PHRASES = {"low": "low end of the interval ", "high": "high end of the interval "}


def gate_subject(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Say whose value of which measure a gate is about."""
    name = measure_phrase(get_measure(gate.measure))
    if gate.class_ is not None:
        return Strong(gate.classifier), f": {name}, class ", Strong(gate.class_)
    average = "" if gate.average is None else f", {gate.average} average"
    return Strong(gate.classifier), f": {name}{average}"


def gate_criterion(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Say what a gate wants."""
    number: tuple[Inline, ...] = (
        () if gate.criterion is None else (PlainNumber(abs(gate.criterion)),)
    )
    if gate.kind == "not_worse_than":
        return "not worse than ", Strong(gate.against or ""), " by ", *number
    if gate.kind == "not_worse_than_last":
        return "not worse than an earlier run by ", *number
    exact: tuple[Inline, ...] = () if gate.criterion is None else (PlainNumber(gate.criterion),)
    condition = {"at_least": "at least ", "at_most": "at most "}.get(gate.kind, "")
    return f"{_LIMIT_PHRASES.get(gate.bound or '', '')}{condition}", *exact


# Warnings as notes: at the top of the report, because they bear on every number below.


def warning_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return a note for every warning."""
    return tuple(Note(tuple(_warning_sentence(text)), warning=True) for text in evaluation.warnings)


def _warning_sentence(warning: str) -> Iterator[Inline]:
    """Make a sentence of a message, and set apart what it has between backticks."""
    sentence = warning[0].upper() + warning[1:].removesuffix(".") + "."
    for number, part in enumerate(sentence.split("`")):
        if part:
            yield InlineCode(part) if number % 2 else part
