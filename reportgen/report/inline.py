"""Inline elements of sentences and cells: numbers stay numbers until they are rendered."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from reportgen.evaluation.values import MeasureValue
    from reportgen.measures import Capability, Measure
    from reportgen.measures.formula import Symbol


class Tone(StrEnum):
    """The tone of a badge, which rendering shows by more than colour."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"
    NEUTRAL = "neutral"


@dataclass(frozen=True, slots=True)
class MeasureEstimate:
    """The value of a measure; `best` marks the best of the values it is compared with.

    Extra decimals distinguish it from other values; `decimals` are those it shares with other
    values, or None. Tables always show the confidence interval of a value that has one, sentences
    only with `with_interval`.
    """

    value: MeasureValue
    measure: Measure
    best: bool = False
    extra_decimals: int = 0
    with_interval: bool = False
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class PlainNumber:
    """A number that is no value of a measure; decimals of None: as many as it needs."""

    number: float
    decimals: int | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True)
class PValue:
    """A p-value, never printed as 0; `with_symbol` adds "p =" or "p <". None: not available."""

    number: float | None
    with_symbol: bool = False


@dataclass(frozen=True, slots=True)
class Interval:
    """An interval on the scale of a measure (proportions are in percent) or of no measure.

    Decimals are those given, or (None) those of the measure, or three. A limit of None is infinite.
    """

    low: float | None
    high: float | None
    measure: Measure | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number that is no value of a measure, such as a threshold, with its interval if any.

    By default it has three significant digits.
    """

    number: float | None
    low: float | None = None
    high: float | None = None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class MeasureDifference:
    """A difference of two values of a measure, with its sign; None: not available.

    Decimals are those given, usually those of its interval, or (None) as many as it needs.
    """

    measure: Measure
    number: float | None
    decimals: int | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """A number of cases or of other things; of weighted cases the sum of their weights."""

    number: float


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
    """A rating of the capability tables with its values; `significant` None: not tested.

    A badge with `alternative_text` is a mark: its text is a symbol, the alternative its meaning.
    """

    text: str
    tone: Tone
    significant: bool | None = None
    estimates: tuple[tuple[Symbol, MeasureEstimate], ...] = ()
    p_adjusted: float | None = None
    alternative_text: str = ""


@dataclass(frozen=True, slots=True)
class RankRange:
    """The observed rank and the ranks that the tests leave open: a bar with a dot, best left.

    Grades are ranks too: the best is the first. Without a rank the value is undefined, without
    `low` and `high` nothing was tested.
    """

    text: str
    rank: int | None
    of: int
    side: str = ""
    """The side of a capability, + or −."""
    low: int | None = None
    high: int | None = None
    tone: Tone = Tone.NEUTRAL
    estimate: MeasureEstimate | None = None
    observed: str = ""
    """The observed rank or grade, where the text does not have it."""
    alternative_text: str = ""


@dataclass(frozen=True, slots=True)
class CellGroup:
    """Several elements in one cell: one below the other or, with `in_row`, side by side."""

    items: tuple[str | PlainNumber | MeasureEstimate | VerdictBadge | RankRange, ...]
    in_row: bool = False


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A count in a confusion matrix, its proportion of the row, and whether it is correct."""

    count: float
    row_proportion: float | None
    correct: bool


@dataclass(frozen=True, slots=True)
class MeasureName:
    """A measure as the head of a row or column: title, symbol and orientation."""

    measure: Measure


@dataclass(frozen=True, slots=True)
class RatingMeasureName:
    """A measure that rates a capability, as the head of a column; `side`: + or −, if any."""

    measure: Measure
    side: str = ""


@dataclass(frozen=True, slots=True)
class CapabilityName:
    """A capability as the head of a column: title and the plain question that it answers."""

    capability: Capability


@dataclass(frozen=True, slots=True)
class CheckMark:
    """Whether two values agree or, with `text`, whether a condition holds.

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
    """Several inline elements in the place of one: in a cell, a head or a caption."""

    parts: tuple[Inline, ...]


TableCell: TypeAlias = (
    Inline
    | InlineText
    | VerdictBadge
    | RankRange
    | CellGroup
    | MatrixCell
    | MeasureName
    | RatingMeasureName
    | CapabilityName
    | CheckMark
    | None
)
