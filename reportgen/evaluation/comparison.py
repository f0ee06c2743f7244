"""A tested difference of two classifiers in one measure."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

from reportgen.measures import Orientation

if TYPE_CHECKING:
    from collections.abc import Mapping


class Decision(StrEnum):
    """What a test says about the first of two classifiers."""

    SUPERIOR = "superior"
    INFERIOR = "inferior"
    TIED = "tied"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"

    @property
    def reversed(self) -> Decision:
        """What the same test says about the second."""
        sides = {Decision.SUPERIOR: Decision.INFERIOR, Decision.INFERIOR: Decision.SUPERIOR}
        return sides.get(self, self)

    @property
    def is_decided(self) -> bool:
        """Tell whether one of the two is shown to be better."""
        return self in {Decision.SUPERIOR, Decision.INFERIOR}


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """First minus second, with its interval, and what a test makes of it.

    Of the tests made of one difference one is decisive: it is adjusted for all comparisons of the
    report, and its verdict is the verdict of them all.
    """

    first: str
    second: str
    measure: str
    test: str
    data: Literal["paired", "unpaired", "folds"]
    class_: str | None = None
    average: str | None = None
    difference: float | None = None
    low: float | None = None
    high: float | None = None
    statistic: float | None = None
    df: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    verdict: Decision = Decision.UNDECIDED
    primary_test: bool = False
    non_inferior: bool | None = None
    """Whether the first is worse by less than the margin at most; None: no margin was named."""
    reverse_non_inferior: bool | None = None
    """The same for the second."""
    required_cases: int | None = None
    """How many cases would settle it with 80 % power if the difference found is the true one."""
    note: str | None = None

    @property
    def key(self) -> tuple[str, str, str | None, str | None, str]:
        """What is compared, whatever the test."""
        return self.first, self.second, self.class_, self.average, self.measure

    @property
    def is_tested(self) -> bool:
        """Tell whether it is the decisive test, and came to a p-value."""
        return self.primary_test and self.p is not None

    @property
    def reversed(self) -> Comparison:
        """The same difference, second minus first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=_negate(self.difference),
            low=_negate(self.high),
            high=_negate(self.low),
            statistic=_negate(self.statistic),
            verdict=self.verdict.reversed,
            non_inferior=self.reverse_non_inferior,
            reverse_non_inferior=self.non_inferior,
        )


def _negate(number: float | None) -> float | None:
    return None if number is None else -number


# Places among classifiers, with ties.

# Equal values may differ in their last digits when they were reached by different roundings.
CLOSE_TOLERANCE = 1e-12
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


def is_close(left: float, right: float) -> bool:
    """Tell whether two values are equal but for rounding."""
    return left == right or math.isclose(
        left, right, rel_tol=CLOSE_TOLERANCE, abs_tol=CLOSE_TOLERANCE
    )


def is_better(left: float, right: float, orientation: Orientation) -> bool:
    """Tell whether the left value is better, and not just equal."""
    higher = orientation is Orientation.HIGHER
    return not is_close(left, right) and ((left > right) == higher)


def competition_ranks(values: Mapping[str, float], orientation: Orientation) -> dict[str, int]:
    """Return each one's place: 1 and the number of those that are better."""
    return {
        name: 1 + sum(is_better(other, value, orientation) for other in values.values())
        for name, value in values.items()
    }


def format_rank(rank: int, of: int) -> str:
    """Say a place: second of four."""
    ordinal = ORDINALS[rank - 1] if rank <= len(ORDINALS) else f"{rank}{ordinal_suffix(rank)}"
    cardinal = CARDINALS[of - 1] if of <= len(CARDINALS) else str(of)
    return f"{ordinal} of {cardinal}"


def ordinal_suffix(number: int) -> str:
    """Return what follows the figures of a place: the nd of 2nd."""
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
