"""Common phrases: names, measures, test outcomes, gates, runs and changes since a run."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import CARDINALS
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.report.document import Note, Paragraph
from reportgen.report.formatting import (
    TO_PERCENT,
    difference_unit,
    inline_limit,
    inline_margin,
    inline_values,
    value_unit,
)
from reportgen.report.inline import Count, InlineCode, PlainNumber, PValue, Strong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.drift import DriftAnalysis
    from reportgen.evaluation.drift_attribution import (
        DriftAttribution,
        ProportionChange,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.gate_outcome import EvaluatedGate
    from reportgen.evaluation.monitoring import EvidencePoint, MonitoredQuantity
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline


# One state, one name: in prose, in table cells, and for the rating of a capability.
NO_DIFFERENCE = "no significant difference"
NOT_SIGNIFICANT = "n.s."
NOT_CONFIRMED = "not confirmed"

_MAX_NAMES = 4
_PROPER_NAMES = ("Matthews", "Jaccard", "Pearson", "Brier", "Hamming", "G-mean")
# A name of two people, such as Kolmogorov–Smirnov.
_TWO_NAMES = re.compile(r"[A-Z]\w+–[A-Z]")
_PARENTHESES = re.compile(r" \(.*\)$")


def join_names(names: Sequence[str]) -> Iterator[Inline]:
    """Yield names as a list: A, B and C."""
    for number, name in enumerate(names):
        if number:
            yield " and " if number == len(names) - 1 else ", "
        yield Strong(name)


def join_names_abbreviated(names: Sequence[str]) -> Iterator[Inline]:
    """Yield names as a list; of many the first, and the number of others."""
    if len(names) <= _MAX_NAMES:
        yield from join_names(names)
        return
    for number, name in enumerate(names[: _MAX_NAMES - 1]):
        yield from (", ", Strong(name)) if number else (Strong(name),)
    yield from (" and ", Count(len(names) - _MAX_NAMES + 1), " others")


def spell_number(number: int) -> str:
    """Return a number, up to ten as a word."""
    return CARDINALS[number - 1] if 1 <= number <= len(CARDINALS) else str(number)


def measure_phrase(measure: Measure) -> str:
    """Return the name of a measure inside a sentence, capitalised only if it is a proper name."""
    title = _PARENTHESES.sub("", measure.title)
    first = title.split()[0]
    is_name = first.endswith("'s") or first in _PROPER_NAMES or _TWO_NAMES.match(first)
    keeps_case = is_name or title[:2].isupper() or title[1:2].isdigit()
    return title if keeps_case else title[0].lower() + title[1:]


def join_sentences(*sentences: tuple[Inline, ...]) -> Paragraph | None:
    """Return sentences as a paragraph; None if there are none."""
    parts: list[Inline] = []
    for sentence in filter(None, sentences):
        parts += [" ", *sentence] if parts else sentence
    return Paragraph(tuple(parts)) if parts else None


def warning_notes(evaluation: Evaluation) -> tuple[Note, ...]:
    """Return a caution for every warning of the evaluation."""
    return tuple(Note(tuple(_warning_sentence(text)), warning=True) for text in evaluation.warnings)


def _warning_sentence(warning: str) -> Iterator[Inline]:
    """Yield a message as a sentence, with code between backticks."""
    sentence = warning[0].upper() + warning[1:].removesuffix(".") + "."
    for number, part in enumerate(sentence.split("`")):
        if part:
            yield InlineCode(part) if number % 2 else part


# Phrases on gates: subject and criterion, the same in reports and notifications.

_LIMIT_PHRASES = {"low": "lower confidence limit ", "high": "upper confidence limit "}
_WORSE_LIMIT = "worse limit of the difference "
_MIN_DECIMALS, _MAX_DECIMALS = 3, 9


def gate_subject(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Return the classifier and the measure of a gate."""
    name = measure_phrase(get_measure(gate.measure))
    if gate.class_ is not None:
        return Strong(gate.classifier), f": {name}, class ", Strong(gate.class_)
    average = "" if gate.average is None else f", {gate.average} average"
    return Strong(gate.classifier), f": {name}{average}"


def gate_criterion(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Return the criterion of a gate."""
    measure = get_measure(gate.measure)
    number: tuple[Inline, ...] = (
        () if gate.criterion is None else (inline_margin(measure, abs(gate.criterion)),)
    )
    if gate.kind == "not_worse_than":
        return "non-inferior to ", Strong(gate.against or ""), " (margin ", *number, ")"
    if gate.kind == "not_worse_than_last":
        return "non-inferior to previous run (margin ", *number, ")"
    exact: tuple[Inline, ...] = (
        () if gate.criterion is None else (inline_limit(measure, gate.criterion),)
    )
    condition = {"at_least": "≥\u00a0", "at_most": "≤\u00a0"}.get(gate.kind, "")
    return f"{_LIMIT_PHRASES.get(gate.bound or '', '')}{condition}", *exact


def gate_observed(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Return the number that is compared with the criterion, in the same unit."""
    if gate.observed is None:
        return ("nothing",)
    measure, is_difference = get_measure(gate.measure), gate.kind.startswith("not_worse_than")
    unit = difference_unit(measure) if is_difference else value_unit(measure)
    scale = TO_PERCENT if unit else 1.0
    observed = scale * gate.observed
    criterion = None if gate.criterion is None else scale * gate.criterion
    sufficient = (
        decimals
        for decimals in range(1 if unit else _MIN_DECIMALS, _MAX_DECIMALS)
        if criterion is None or round(observed, decimals) != round(criterion, decimals)
    )
    decimals = None if gate.observed == gate.criterion else next(sufficient, _MAX_DECIMALS)
    label = _WORSE_LIMIT if is_difference else _LIMIT_PHRASES.get(gate.bound or "", "")
    return label, PlainNumber(round(observed, _MAX_DECIMALS), decimals, unit)


# Phrases on runs and drift: run labels, changes in recall and in other measures.

_DAY_FORMAT, _MINUTE_FORMAT, _SECOND_FORMAT = "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"
_MAX_CLASSES = 3
_MAX_MEASURES = 3
_ROSE, _FELL = "rose", "fell"


def run_labels(changes: DriftAnalysis) -> tuple[str, ...]:
    """Return the dates of the runs in UTC, with the time where two share a date."""
    end_times = [run.ended.astimezone(UTC) for run in changes.runs]
    label_counts = {
        format_: Counter(f"{time:{format_}}" for time in end_times)
        for format_ in (_DAY_FORMAT, _MINUTE_FORMAT)
    }
    return tuple(
        next(
            (
                f"{time:{format_}}"
                for format_ in (_DAY_FORMAT, _MINUTE_FORMAT)
                if label_counts[format_][f"{time:{format_}}"] == 1
            ),
            f"{time:{_SECOND_FORMAT}}",
        )
        for time in end_times
    )


def last_run_label(changes: DriftAnalysis) -> str:
    """Return the label of the run that this one is compared with."""
    return run_labels(changes)[-1]


def proportion_change_phrase(change: ProportionChange) -> tuple[Inline, ...]:
    """Return the previous and the current proportion; nothing where one is unknown."""
    if change.then is None or change.now is None:
        return ()
    measure = get_measure("sensitivity")
    previous, current = inline_values(
        measure, *(_defined_value(proportion) for proportion in (change.then, change.now))
    )
    return previous, " → ", current


def recall_change_phrase(attribution: DriftAttribution, *, with_values: bool) -> Iterator[Inline]:
    """Yield the classes whose recall fell or rose significantly, smallest p-value first."""
    by_significance = sorted(
        attribution.significant_recall_changes, key=lambda rate: rate.p_adjusted or 0.0
    )
    by_word = {
        word: rates
        for word in (_FELL, _ROSE)
        if (rates := [rate for rate in by_significance if recall_change_direction(rate) == word])
    }
    for number, (word, rates) in enumerate(by_word.items()):
        yield "; recall on " if number else "recall on "
        yield from _list_recall_changes(rates, word, with_values=with_values)


def recall_change_direction(rate: ProportionChange) -> str:
    """Return whether the recall of a class rose or fell."""
    return _ROSE if (rate.difference or 0.0) > 0 else _FELL


def _list_recall_changes(
    rates: Sequence[ProportionChange], direction: str, *, with_values: bool
) -> Iterator[Inline]:
    first_rates = rates[:_MAX_CLASSES]
    n_more = len(rates) - len(first_rates)
    for number, rate in enumerate(first_rates):
        last = number == len(first_rates) - 1 and not n_more
        yield "" if not number else " and " if last else ", "
        yield Strong(rate.class_)
        if with_values:
            yield f" {direction}" if not number else ""
            p = PValue(rate.p_adjusted, with_symbol=True)
            yield from (" (", *proportion_change_phrase(rate), ", adjusted ", p, ")")
    if n_more:
        yield f" and {n_more} other{'s' if n_more > 1 else ''}"
    if not with_values:
        yield f" {direction}"


def measure_change_phrase(
    changes: DriftAnalysis, classifier: str, primary: Measure | None, most: int = _MAX_MEASURES
) -> Iterator[Inline]:
    """Yield the measures that changed significantly, the primary one first, then by p-value."""
    changed = sorted(
        (change for change in changes.significant_value_changes if change.classifier == classifier),
        key=lambda change: (
            primary is None or change.measure != primary.name,
            change.p_adjusted or 0.0,
        ),
    )
    for number, change in enumerate(changed[:most]):
        if change.then is None or change.now is None:
            continue
        measure = get_measure(change.measure)
        then, now = inline_values(measure, change.then, change.now)
        yield "; " if number else ""
        yield f"{measure_phrase(measure)} {_ROSE if (change.difference or 0.0) > 0 else _FELL} ("
        yield from (
            then,
            " → ",
            now,
            ", adjusted ",
            PValue(change.p_adjusted, with_symbol=True),
            ")",
        )
    n_more = len(changed) - most
    if n_more > 0:
        yield f" and {n_more} more measure{'s' if n_more > 1 else ''}"


def run_date_label(point: EvidencePoint) -> str:
    """Return the date of a run in UTC; now for the current one."""
    return "now" if point.ended is None else f"{point.ended.astimezone(UTC):{_DAY_FORMAT}}"


def monitoring_subject(quantity: MonitoredQuantity) -> Iterator[Inline]:
    """Yield what is monitored: classifier, measure, and what it is tested against."""
    measure = get_measure(quantity.measure)
    yield Strong(quantity.classifier)
    yield f", {measure_phrase(measure)} against "
    if quantity.kind == "reference":
        yield "the reference ("
    else:
        yield f"the limit ({'at least' if quantity.kind == 'at_least' else 'at most'} "
    (target,) = inline_values(measure, _defined_value(quantity.target))
    yield from (target, ")")


def monitoring_alarm_phrase(quantity: MonitoredQuantity) -> Iterator[Inline]:
    """Yield the evidence of a change, and since when."""
    yield from monitoring_subject(quantity)
    since, alarm = quantity.since, quantity.alarm
    if since is None or alarm is None:
        return
    yield f": evidence of a change since {run_date_label(since)} (alarm in the run of "
    yield f"{run_date_label(alarm)})" if alarm.ended is not None else "now)"


def _defined_value(value: float) -> MeasureValue:
    return MeasureValue(value, ValueState.DEFINED)
