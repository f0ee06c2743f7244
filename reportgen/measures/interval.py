"""How sure a measure's value is: the kind of interval each measure declares for itself."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from reportgen.measures.measure import Measure


class Curve(Enum):
    """The scale on which a value is closest to normal; limits are taken there and back."""

    PLAIN = "plain"
    LOG = "log"
    LOGIT = "logit"
    FISHER_Z = "Fisher z"
    LOG_OF_REST = "log of 1 − value"


@frozen
class Proportion:
    """A share of cases: the formula is a quotient of counts, or 1 minus one (Wilson)."""


@frozen
class SumOfProportions:
    """A sum of independent shares, times a weight (square and add, Newcombe)."""

    parts: tuple[Measure, ...]
    weight: float = 1.0


@frozen
class ThroughJaccard:
    """F1 is 2J / (1 + J), so its limits are those of the Jaccard index carried over."""


@frozen
class Delta:
    """The delta method over all counts of the table, on a scale of its own."""

    curve: Curve


@frozen
class PlacementVariance:
    """DeLong's variance of an area under the ROC curve, limits on the logit scale."""


@frozen
class PositivesLogit:
    """The logit interval of Boyd, Eng and Page for areas under precision-recall curves."""


@frozen
class MeanOfCases:
    """A mean of one number per case: Student's t; `curve` LOG for means that are never negative.

    `summed` and `squared` are the tally's columns that sum the numbers and their squares.
    """

    summed: str
    squared: str
    curve: Curve = Curve.PLAIN


@frozen
class CaseBootstrap:
    """Resampling, where no formula is reliable."""


@frozen
class Moments:
    """The delta method over sums of numeric errors, on a scale of its own."""

    curve: Curve


@frozen
class NoInterval:
    """No interval is meant, for a reason."""

    reason: str


MeantInterval: TypeAlias = (
    Proportion
    | SumOfProportions
    | ThroughJaccard
    | Delta
    | PlacementVariance
    | PositivesLogit
    | MeanOfCases
    | CaseBootstrap
    | Moments
)
IntervalKind: TypeAlias = MeantInterval | NoInterval
