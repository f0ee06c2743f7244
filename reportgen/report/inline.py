"""Inline elements of sentences and cells: numbers stay numbers until they are rendered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Measure
    from reportgen.measures.formula import Symbol


class Tone(StrEnum):
    """The tone of a badge, so that rendering can mark it by more than colour."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class MeasureEstimate:
    """A score of a measure; `best` marks the best among those it is compared with.

    Extra decimals tell it from another that would be written alike. Tables always show the
    interval of a score that has one, sentences only if asked to.
    """

    value: MeasureValue
    measure: Measure
    best: bool = False
    extra_decimals: int = 0
    with_interval: bool = False


@dataclass(frozen=True, slots=True)
class PlainNumber:
    """A number as such, with the digits after the point, or as many as it needs (None)."""

    number: float
    decimals: int | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value, never written as 0; `named` puts "p =" or "p <" before it; None: there is none."""

    number: float | None
    with_symbol: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """From one number to another, with the decimals of a measure or as many as are named.

    An end that is None is infinite.
    """

    low: float | None
    high: float | None
    measure: Measure | None = None
    decimals: int = 3


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that is no measure, with its interval if it has one: a threshold, a cost.

    Without named decimals it has three digits that count.
    """

    number: float | None
    low: float | None = None
    high: float | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class MeasureDifference:
    """A difference of two values of a measure, with its sign; None: there is none.

    It has the decimals that are named, those of its interval, or (None) as many as it needs.
    """

    measure: Measure
    number: float | None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """An integer count."""

    number: int


@dataclass(frozen=True, slots=True)
class Strong:
    """A name in a sentence: a classifier, a class."""

    text: str


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Emphasised text."""

    text: str


@dataclass(frozen=True, slots=True)
class Hyperlink:
    """A hyperlink."""

    text: str
    url: str


@dataclass(frozen=True, slots=True)
class MathSymbol:
    """A symbol in a sentence."""

    symbol: Symbol


@dataclass(frozen=True, slots=True)
class InlineCode:
    """Literal text: a path, a hash, a key."""

    text: str
    display_length: int | None = None


@dataclass(frozen=True, slots=True)
class VerdictBadge:
    """A rating of the capability tables with its values; `significant` None: not tested."""

    text: str
    tone: Tone
    significant: bool | None = None
    estimates: tuple[tuple[Symbol, MeasureEstimate], ...] = ()
    p_adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A count in a matrix with its share of its row, and whether it is right."""

    count: int
    row_proportion: float | None
    correct: bool


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure as the head of a row or column: title, symbol and which way is better."""

    measure: Measure


@dataclass(frozen=True, slots=True)
class CheckMark:
    """Whether two things agree, or (with a word of its own) whether something holds.

    `advisory`: a failure that does not fail the run.
    """

    passed: bool
    text: str = ""
    advisory: bool = False


Inline: TypeAlias = (
    str
    | MeasureEstimate
    | PlainNumber
    | PValue
    | Interval
    | Estimate
    | MeasureDifference
    | Count
    | Strong
    | Emphasis
    | Hyperlink
    | MathSymbol
    | InlineCode
)


@dataclass(frozen=True, slots=True)
class InlineText:
    """Words with numbers among them, where there is room for one cell, a head or a caption."""

    parts: tuple[Inline, ...]


TableCell: TypeAlias = (
    Inline | InlineText | VerdictBadge | MatrixCell | MeasureName | CheckMark | None
)
