"""What sentences and cells are made of: numbers stay numbers here, only rendering writes them."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from reportgen.formulas import Symbol
    from reportgen.measures import Measure
    from reportgen.scores import Score


class Tone(StrEnum):
    """How a word is meant, so that rendering can mark it by more than colour."""

    GOOD = "good"
    BAD = "bad"
    MIXED = "mixed"
    NEUTRAL = "neutral"


@frozen
class Value:
    """A score of a measure; `best` marks the best among those it is compared with.

    Extra decimals tell it from another that would be written alike. Tables always show the
    interval of a score that has one, sentences only if asked to.
    """

    score: Score
    measure: Measure
    best: bool = False
    extra_decimals: int = 0
    with_interval: bool = False


@frozen
class Plain:
    """A number as such, with the digits after the point, or as many as it needs (None)."""

    number: float
    decimals: int | None = None
    unit: str = ""


@frozen
class PValue:
    """A p-value, never written as 0; `named` puts "p =" or "p <" before it; None: there is none."""

    number: float | None
    named: bool = False


@frozen
class Interval:
    """From one number to another, with the decimals of a measure or as many as are named.

    An end that is None is infinite.
    """

    low: float | None
    high: float | None
    measure: Measure | None = None
    decimals: int = 3


@frozen
class Estimate:
    """A number that is no measure, with its interval if it has one: a threshold, a cost.

    Without named decimals it has three digits that count.
    """

    number: float | None
    low: float | None = None
    high: float | None = None
    decimals: int | None = None


@frozen
class DifferenceOf:
    """A difference of two values of a measure, with its sign; None: there is none.

    It has the decimals that are named, those of its interval, or (None) as many as it needs.
    """

    measure: Measure
    number: float | None
    decimals: int | None = None


@frozen
class Count:
    """A number of things."""

    number: int


@frozen
class Strong:
    """A name in a sentence: a classifier, a class."""

    text: str


@frozen
class Emphasis:
    """Words that are stressed."""

    text: str


@frozen
class Link:
    """Words that lead to an address."""

    text: str
    address: str


@frozen
class Math:
    """A symbol in a sentence."""

    symbol: Symbol


@frozen
class Code:
    """Text to be read by the letter: a path, a hash, a key."""

    text: str
    shown: int | None = None


@frozen
class Verdict:
    """A word of the capability tables, with the values it stands on; backed None: not tested."""

    word: str
    tone: Tone
    backed: bool | None = None
    because: tuple[tuple[Symbol, Value], ...] = ()
    p_adjusted: float | None = None


@frozen
class Share:
    """A count in a matrix with its share of its row, and whether it is right."""

    count: int
    share: float | None
    right: bool


@frozen
class MeasureName:
    """A measure as the head of a row or column: title, symbol and which way is better."""

    measure: Measure


@frozen
class Check:
    """Whether two things agree, or (with a word of its own) whether something holds.

    Mild is what does not hold and yet stops nothing.
    """

    agrees: bool
    word: str = ""
    mild: bool = False


Part: TypeAlias = (
    str
    | Value
    | Plain
    | PValue
    | Interval
    | Estimate
    | DifferenceOf
    | Count
    | Strong
    | Emphasis
    | Link
    | Math
    | Code
)


@frozen
class Words:
    """Words with numbers among them, where there is room for one cell, a head or a caption."""

    parts: tuple[Part, ...]


Cell: TypeAlias = Part | Words | Verdict | Share | MeasureName | Check | None
