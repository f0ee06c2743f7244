"""Places among classifiers, with ties."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.measures import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping

# Equal values may differ in their last digits when they were reached by different roundings.
TIE_TOLERANCE = 1e-12
ORDINALS = (
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)
CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def is_tie(left: float, right: float) -> bool:
    """Tell whether two values are equal but for rounding."""
    return left == right or math.isclose(left, right, rel_tol=TIE_TOLERANCE, abs_tol=TIE_TOLERANCE)


def is_better(left: float, right: float, orientation: Orientation) -> bool:
    """Tell whether the left value is better, and not just equal."""
    higher = orientation is Orientation.HIGHER
    return not is_tie(left, right) and ((left > right) == higher)


def places(values: Mapping[str, float], orientation: Orientation) -> dict[str, int]:
    """Return each one's place: 1 and the number of those that are better."""
    return {
        name: 1 + sum(is_better(other, value, orientation) for other in values.values())
        for name, value in values.items()
    }


def place_in_words(place: int, of: int) -> str:
    """Say a place: second of four."""
    ordinal = ORDINALS[place - 1] if place <= len(ORDINALS) else f"{place}{ending(place)}"
    cardinal = CARDINALS[of - 1] if of <= len(CARDINALS) else str(of)
    return f"{ordinal} of {cardinal}"


def ending(number: int) -> str:
    """Return what follows the figures of a place: the nd of 2nd."""
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
