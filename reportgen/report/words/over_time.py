"""Runs and their days, and what changed since, in words."""

from __future__ import annotations

from collections import Counter
from datetime import UTC
from typing import TYPE_CHECKING

from reportgen.measures import known_measure
from reportgen.report.parts import PValue, Strong
from reportgen.report.words.spoken import spoken_values
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.over_time.changes import Changes
    from reportgen.comparisons.over_time.reasons import Reason, ShareChange
    from reportgen.report.parts import Part

DAY, MINUTE, SECOND = "%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S"
MOST_CLASSES = 3
MORE, LESS = "more often", "less often"


def run_names(changes: Changes) -> tuple[str, ...]:
    """Return the days of the runs in UTC, with the time where two share a day."""
    ended = [run.ended.astimezone(UTC) for run in changes.runs]
    counted = {form: Counter(f"{each:{form}}" for each in ended) for form in (DAY, MINUTE)}
    return tuple(
        next(
            (f"{each:{form}}" for form in (DAY, MINUTE) if counted[form][f"{each:{form}}"] == 1),
            f"{each:{SECOND}}",
        )
        for each in ended
    )


def last_run(changes: Changes) -> str:
    """Return the day of the run that now is compared with."""
    return run_names(changes)[-1]


def share_then_and_now(change: ShareChange) -> tuple[Part, ...]:
    """Say a share of then and of now; nothing where one of them is not known."""
    if change.then is None or change.now is None:
        return ()
    measure = known_measure("sensitivity")
    then, now = spoken_values(measure, *(_score(each) for each in (change.then, change.now)))
    return then, " then, ", now, " now"


def rates_in_words(reason: Reason, *, figures: bool) -> Iterator[Part]:
    """Say which classes a classifier is shown to recognise more or less often, surest first."""
    surest = sorted(reason.shown_rates, key=lambda rate: rate.p_adjusted or 0.0)
    by_word = {
        word: rates
        for word in (LESS, MORE)
        if (rates := [rate for rate in surest if how_often(rate) == word])
    }
    yield "recognises "
    for number, (word, rates) in enumerate(by_word.items()):
        if figures:
            yield f"{'; ' if number else ''}{word}: "
            yield from _named_rates(rates, figures=True)
        else:
            plural = "classes" if len(rates) > 1 else "class"
            yield f"{' and ' if number else ''}{plural} "
            yield from (*_named_rates(rates, figures=False), f" {word}")


def how_often(rate: ShareChange) -> str:
    """Say whether a class is recognised more or less often than before."""
    return MORE if (rate.difference or 0.0) > 0 else LESS


def _named_rates(rates: Sequence[ShareChange], *, figures: bool) -> Iterator[Part]:
    told = rates[:MOST_CLASSES]
    rest = len(rates) - len(told)
    for number, rate in enumerate(told):
        last = number == len(told) - 1 and not rest
        yield "" if not number else " and " if last else ", "
        yield Strong(rate.class_)
        if figures:
            p = PValue(rate.p_adjusted, named=True)
            yield from (" (", *share_then_and_now(rate), "; ", p, ")")
    if rest:
        yield f" and {rest} other{'s' if rest > 1 else ''}"


def _score(value: float) -> Score:
    return Score(value, State.DEFINED)
