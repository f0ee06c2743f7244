"""Phrases on runs and drift: run labels, changes in recall and in other measures."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.report.formatting import inline_values
from reportgen.report.inline import PValue, Strong
from reportgen.report.phrases.words import measure_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.drift import DriftAnalysis, DriftAttribution, ProportionChange
    from reportgen.measures import Measure
    from reportgen.report.inline import Inline

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
    surest = sorted(attribution.significant_recall_changes, key=lambda rate: rate.p_adjusted or 0.0)
    by_word = {
        word: rates
        for word in (_FELL, _ROSE)
        if (rates := [rate for rate in surest if recall_change_direction(rate) == word])
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
    listed = rates[:_MAX_CLASSES]
    n_more = len(rates) - len(listed)
    for number, rate in enumerate(listed):
        last = number == len(listed) - 1 and not n_more
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


def _defined_value(value: float) -> MeasureValue:
    return MeasureValue(value, ValueState.DEFINED)
