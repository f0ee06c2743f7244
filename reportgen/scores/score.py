"""One value of one measure: a number, an infinity, or undefined with the reason."""

from __future__ import annotations

import math
from enum import StrEnum

from reportgen.frozen import frozen


class State(StrEnum):
    """Whether a measure has a value."""

    DEFINED = "defined"
    INFINITE = "infinite"
    UNDEFINED = "undefined"


@frozen
class Score:
    """The value of a measure; `reason` says why it is not a plain number, or over what it is.

    `low` and `high` are the ends of the interval that `interval` names the method of; an end that
    is None although there is a method is infinite.
    """

    value: float | None
    state: State
    reason: str | None = None
    low: float | None = None
    high: float | None = None
    interval: str | None = None

    @property
    def number(self) -> float | None:
        """Return the value to compare by: infinite values count, undefined ones do not."""
        if self.state is State.INFINITE:
            return -math.inf if self.reason and self.reason.startswith("−") else math.inf
        return self.value
