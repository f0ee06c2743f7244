"""The comparison of two classifiers on one measure, and competition ranks."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias


class Decision(StrEnum):
    """The decision of a test about the first of two classifiers."""

    SUPERIOR = "superior"
    INFERIOR = "inferior"
    TIED = "tied"
    UNDECIDED = "undecided"
    EQUIVALENT = "equivalent"
    NOT_TESTED = "not tested"

    @property
    def reversed(self) -> Decision:
        """The same decision about the second classifier."""
        return _OPPOSITE_DECISIONS.get(self, self)

    @property
    def is_decided(self) -> bool:
        """Return whether one of the two is significantly better."""
        return self in {Decision.SUPERIOR, Decision.INFERIOR}


_OPPOSITE_DECISIONS = {
    Decision.SUPERIOR: Decision.INFERIOR,
    Decision.INFERIOR: Decision.SUPERIOR,
}


class AdjustedTest(NamedTuple):
    """The outcome of a primary test: the decision about a classifier, and the adjusted p-value."""

    verdict: Decision
    p_adjusted: float | None


HypothesisFamily: TypeAlias = Literal["headline", "overall", "details"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The difference first minus second, with its confidence interval and test.

    Of several tests of one difference one is primary: it is adjusted for all comparisons of the
    report, and its decision holds for the secondary tests too.
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
    """The smallest family-wise error rate of the report at which the difference is significant."""
    low_adjusted: float | None = None
    """The lower limit that holds for all comparisons of the family at once."""
    high_adjusted: float | None = None
    """The upper limit that holds for all comparisons of the family at once."""
    family: HypothesisFamily | None = None
    """The family of hypotheses that a primary test is adjusted in."""
    verdict: Decision = Decision.UNDECIDED
    primary_test: bool = False
    non_inferior: bool | None = None
    """Whether the first is worse by less than the margin at most; None: no margin was named."""
    reverse_non_inferior: bool | None = None
    """The same for the second."""
    required_cases: int | None = None
    """How many cases would settle it with 80 % power if the difference found is the true one."""
    required_clusters: int | None = None
    """How many clusters of the same sizes that would be; None: cases are independent."""
    note: str | None = None
    segment_column: str | None = None
    """The column of the segment that the comparison is about; None: all cases."""
    segment: str | None = None
    """The segment: a value of the column."""
    at_decision: bool = False
    """Whether it is about predictions at the thresholds by the declared costs or requirement."""
    contrast: Literal["classifiers", "other cases"] = "classifiers"
    """Whether two classifiers differ, or a classifier on the segment and on all other cases."""

    @property
    def key(self) -> tuple[str, str, str | None, str | None, str]:
        """The contrast, whatever the test: classifiers, class, average and measure."""
        return self.first, self.second, self.class_, self.average, self.measure

    @property
    def reported_limits(self) -> tuple[float | None, float | None]:
        """The limits printed next to an adjusted p-value: simultaneous ones, if there are any."""
        if self.low_adjusted is None or self.high_adjusted is None:
            return self.low, self.high
        return self.low_adjusted, self.high_adjusted

    @property
    def tested(self) -> bool:
        """Return whether there is a p-value."""
        return self.p is not None

    @property
    def significant(self) -> bool | None:
        """Whether one of the two is significantly better; None: not tested."""
        return None if self.verdict is Decision.NOT_TESTED else self.verdict.is_decided

    @property
    def is_tested(self) -> bool:
        """Return whether this is the primary test and has a p-value."""
        return self.primary_test and self.p is not None

    def adjusted_test(self, classifier: str) -> AdjustedTest:
        """Return the outcome of the test as a decision about one of the two classifiers."""
        verdict = self.verdict if classifier == self.first else self.verdict.reversed
        return AdjustedTest(verdict, self.p_adjusted)

    @property
    def reversed(self) -> Comparison:
        """The same comparison, second minus first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            difference=_negate(self.difference),
            low=_negate(self.high),
            high=_negate(self.low),
            low_adjusted=_negate(self.high_adjusted),
            high_adjusted=_negate(self.low_adjusted),
            statistic=_negate(self.statistic),
            verdict=self.verdict.reversed,
            non_inferior=self.reverse_non_inferior,
            reverse_non_inferior=self.non_inferior,
        )


def _negate(number: float | None) -> float | None:
    return None if number is None else -number


# Words for ranks among classifiers.

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


def format_rank(rank: int, of: int) -> str:
    """Return a rank in words: second of four."""
    ordinal = ORDINALS[rank - 1] if rank <= len(ORDINALS) else f"{rank}{ordinal_suffix(rank)}"
    cardinal = CARDINALS[of - 1] if of <= len(CARDINALS) else str(of)
    return f"{ordinal} of {cardinal}"


def ordinal_suffix(number: int) -> str:
    """Return the suffix of an ordinal number: nd for 2."""
    if number % 100 in {11, 12, 13}:
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
