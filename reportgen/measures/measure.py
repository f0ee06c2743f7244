"""What a measure is: one value from which every reading of it is derived."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from reportgen.formulas import Formula, Named, Operand, Symbol
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from reportgen.measures.interval import IntervalKind
    from reportgen.measures.references import Source


class Orientation(Enum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class Family(Enum):
    """What a measure looks at; each family is also a group a spec may ask for."""

    OVERALL = "overall"
    CLASS = "class_effectiveness"
    PREDICTIVE = "predictive_power"
    OVERLAP = "overlap"
    LIKELIHOOD = "likelihood"
    AGREEMENT = "agreement"
    ASSOCIATION = "association"
    DESCRIPTION = "description"
    REGRESSION = "regression"
    RANKING = "ranking"
    PROBABILITY = "probability"


SCORE_FAMILIES = frozenset({Family.RANKING, Family.PROBABILITY})


@frozen
class Range:
    """The values a measure can take, both ends included; an infinite end is None."""

    low: float | None
    high: float | None

    def contains(self, value: float) -> bool:
        """Tell whether a value lies in the range."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)


UNIT = Range(0, 1)
SIGNED_UNIT = Range(-1, 1)
NOT_NEGATIVE = Range(0, None)
AT_MOST_ONE = Range(None, 1)
REAL = Range(None, None)


@frozen(kw_only=True)
class Measure(Operand):
    """A measure of predictions.

    `whole` is its formula over all classes at once, if it has one, with an interval of the same
    kind; `requires` are parts that must not be 0 for the value to mean anything, beyond what the
    formula itself demands.
    """

    name: str
    title: str
    symbol: Symbol
    formula: Formula
    orientation: Orientation
    range: Range
    answers: str
    source: Source
    family: Family
    interval: IntervalKind
    whole: Formula | None = None
    requires: tuple[Formula, ...] = ()
    aliases: tuple[str, ...] = ()
    averaged: bool = True
    caution: str | None = None

    def as_formula(self) -> Named:
        """Stand in a larger formula by name."""
        return Named(self.name, self.symbol, self.formula)

    def fits(self, task_kind: str) -> bool:
        """Tell whether the measure applies to a kind of task."""
        return (self.family is Family.REGRESSION) == (task_kind == "regression")
