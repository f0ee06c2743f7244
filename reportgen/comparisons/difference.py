"""A tested difference of two classifiers in one measure."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Literal

from reportgen.frozen import frozen


class Finding(StrEnum):
    """What a test says about the first of two classifiers."""

    SUPERIOR = "superior"
    INFERIOR = "inferior"
    TIED = "tied"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"

    @property
    def turned(self) -> Finding:
        """What the same test says about the second."""
        sides = {Finding.SUPERIOR: Finding.INFERIOR, Finding.INFERIOR: Finding.SUPERIOR}
        return sides.get(self, self)

    @property
    def is_decided(self) -> bool:
        """Tell whether one of the two is shown to be better."""
        return self in {Finding.SUPERIOR, Finding.INFERIOR}


@frozen(kw_only=True)
class Difference:
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
    verdict: Finding = Finding.UNDECIDED
    decisive: bool = False
    non_inferior: bool | None = None
    """Whether the first is worse by less than the margin at most; None: no margin was named."""
    reverse_non_inferior: bool | None = None
    """The same for the second."""
    cases_needed: int | None = None
    """How many cases would settle it with 80 % power if the difference found is the true one."""
    note: str | None = None

    @property
    def key(self) -> tuple[str, str, str | None, str | None, str]:
        """What is compared, whatever the test."""
        return self.first, self.second, self.class_, self.average, self.measure

    @property
    def is_tested(self) -> bool:
        """Tell whether it is the decisive test, and came to a p-value."""
        return self.decisive and self.p is not None

    @property
    def turned(self) -> Difference:
        """The same difference, second minus first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=_negative(self.difference),
            low=_negative(self.high),
            high=_negative(self.low),
            statistic=_negative(self.statistic),
            verdict=self.verdict.turned,
            non_inferior=self.reverse_non_inferior,
            reverse_non_inferior=self.non_inferior,
        )


def _negative(number: float | None) -> float | None:
    return None if number is None else -number
