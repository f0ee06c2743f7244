"""Phrases on runs and drift: run labels and changes in recall."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING

from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import get_measure
from reportgen.report.formatting import inline_values
from reportgen.report.inline import PValue, Strong

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.drift import DriftAnalysis, DriftAttribution, ProportionChange
    from reportgen.report.inline import Inline

_DAY_FORMAT, _MINUTE_FORMAT, _SECOND_FORMAT = "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"
_MAX_CLASSES = 3
_ROSE, _FELL = "rose", "fell"


def run_labels(changes: DriftAnalysis) -> tuple[str, ...]:
    """Return the dates of the runs in UTC, with the time where two share a date."""
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
    """Return the label of the run that this one is compared with."""
    return run_labels(changes)[-1]


def proportion_change_phrase(change: ProportionChange) -> tuple[Inline, ...]:
    """Return the previous and the current proportion; nothing where one is unknown."""
    if change.then is None or change.now is None:
        return ()
    measure = get_measure("sensitivity")
    then, now = inline_values(
        measure, *(_defined_value(each) for each in (change.then, change.now))
    )
    return then, " → ", now


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
    rates: Sequence[ProportionChange], word: str, *, with_values: bool
) -> Iterator[Inline]:
    stated = rates[:_MAX_CLASSES]
    rest = len(rates) - len(stated)
    for number, rate in enumerate(stated):
        last = number == len(stated) - 1 and not rest
        yield "" if not number else " and " if last else ", "
        yield Strong(rate.class_)
        if with_values:
            yield f" {word}" if not number else ""
            p = PValue(rate.p_adjusted, with_symbol=True)
            yield from (" (", *proportion_change_phrase(rate), ", ", p, ")")
    if rest:
        yield f" and {rest} other{'s' if rest > 1 else ''}"
    if not with_values:
        yield f" {word}"


def _defined_value(value: float) -> MeasureValue:
    return MeasureValue(value, ValueState.DEFINED)
