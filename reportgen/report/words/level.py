"""The level of the intervals, as it is written wherever intervals are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.parts import Plain

if TYPE_CHECKING:
    from reportgen.report.evaluation import Evaluation

PERCENT = 100


def level_of(evaluation: Evaluation) -> Plain:
    """Return the level of the intervals in per cent."""
    return percentage(evaluation.spec.intervals.level)


def percentage(level: float) -> Plain:
    """Return a level as the spec has it, in per cent with the digits it was given."""
    # Rounded, because 0.999 times 100 is not quite 99.9.
    return Plain(round(PERCENT * level, 9), unit="%")
