"""Gates on a value, or on an end of its interval: taken by the letter, whichever way is better."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.comparisons.verdicts.ranking import is_tie
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.folds.summaries import FoldSummary
    from reportgen.spec import Gate

OVER_FOLDS = "mean over folds"
ENDS = {"low": "the low end of the interval", "high": "the high end of the interval"}


def mean_over_folds(folds: Sequence[FoldSummary], classifier: str, measure: str) -> Score | None:
    """Return the mean of a classifier of which only scores per fold are known."""
    found = [
        fold
        for fold in folds
        if fold.is_of_whole and (fold.classifier, fold.measure) == (classifier, measure)
    ]
    if not found:
        return None
    mean, low, high = found[0].mean, found[0].low, found[0].high
    if mean is None:
        return Score(None, State.UNDEFINED, "there is no fold with a finite value")
    has_ends = low is not None and high is not None
    return Score(mean, State.DEFINED, None, low, high, OVER_FOLDS if has_ends else None)


def number_to_clear(score: Score, bound: str) -> float | str:
    """Return the value or the end of its interval; or, in words, why there is none."""
    number = score.number
    if number is None:
        return f"the value is undefined: {score.reason or 'it cannot be computed'}"
    if bound == "value":
        return number
    if score.interval is None:
        state = "infinite and has" if math.isinf(number) else "known, but there is"
        return f"the value is {state} no interval"
    if bound == "low":
        return -math.inf if score.low is None else score.low
    return math.inf if score.high is None else score.high


def clears(number: float, gate: Gate) -> bool:
    """Tell whether a number is as the gate wants it; rounding never decides."""
    if gate.at_least is not None:
        return number >= gate.at_least or is_tie(number, gate.at_least)
    most = math.inf if gate.at_most is None else gate.at_most
    return number <= most or is_tie(number, most)


def said_of(number: float, score: Score, gate: Gate) -> str:
    """Say how a number clears what is wanted, or that it does not."""
    least, passed = gate.at_least is not None, clears(number, gate)
    what = ENDS.get(gate.bound, "the value")
    met = "reaches what is wanted" if least else "does not exceed what is wanted"
    missed = "falls short of what is wanted" if least else "exceeds what is wanted"
    infinite = "infinite and " if math.isinf(number) else ""
    said = f"{what} {'is ' + infinite if infinite else ''}{met if passed else missed}"
    value = score.number
    if passed or gate.bound == "value" or value is None or not clears(value, gate):
        return said
    return f"{said}, though the value {'reaches' if least else 'does not exceed'} it"
