"""What a measure is: one value from which every reading of it is derived."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from reportgen.measures.formula import Formula, NamedFormula, Operand, Symbol
from reportgen.measures.formula.exact import evaluate_exact
from reportgen.measures.formula.tree import find_quantities

if TYPE_CHECKING:
    from reportgen.measures.references import Source


class Orientation(Enum):
    """Which way is better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class MeasureFamily(Enum):
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


SCORE_FAMILIES = frozenset({MeasureFamily.RANKING, MeasureFamily.PROBABILITY})


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The values a measure can take, both ends included; an infinite end is None."""

    low: float | None
    high: float | None

    def contains(self, value: float) -> bool:
        """Tell whether a value lies in the range."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)


UNIT = ValueRange(0, 1)
SIGNED_UNIT = ValueRange(-1, 1)
NONNEGATIVE = ValueRange(0, None)
AT_MOST_ONE = ValueRange(None, 1)
REAL = ValueRange(None, None)


@dataclass(frozen=True, slots=True, kw_only=True)
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
    range: ValueRange
    question: str
    source: Source
    family: MeasureFamily
    interval: IntervalMethod
    overall_formula: Formula | None = None
    requires: tuple[Formula, ...] = ()
    aliases: tuple[str, ...] = ()
    has_class_averages: bool = True
    caution: str | None = None

    def as_formula(self) -> NamedFormula:
        """Stand in a larger formula by name."""
        return NamedFormula(self.name, self.symbol, self.formula)

    def applies_to(self, task_kind: str) -> bool:
        """Tell whether the measure applies to a kind of task."""
        return (self.family is MeasureFamily.REGRESSION) == (task_kind == "regression")


# How sure a measure's value is: the kind of interval each measure declares for itself.


class LinkFunction(Enum):
    """The scale on which a value is closest to normal; limits are taken there and back."""

    IDENTITY = "plain"
    LOG = "log"
    LOGIT = "logit"
    FISHER_Z = "Fisher z"
    COMPLEMENTARY_LOG = "complementary log"


@dataclass(frozen=True, slots=True)
class Proportion:
    """A share of cases: the formula is a quotient of counts, or 1 minus one (Wilson)."""


@dataclass(frozen=True, slots=True)
class SumOfProportions:
    """A sum of independent shares, times a weight (square and add, Newcombe)."""

    parts: tuple[Measure, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class TransformedWilson:
    """F1 is 2J / (1 + J), so its limits are those of the Jaccard index carried over."""


@dataclass(frozen=True, slots=True)
class DeltaMethod:
    """The delta method over all counts of the table, on a scale of its own."""

    link: LinkFunction


@dataclass(frozen=True, slots=True)
class DeLong:
    """DeLong's variance of an area under the ROC curve, limits on the logit scale."""


@dataclass(frozen=True, slots=True)
class LogitAUPRC:
    """The logit interval of Boyd, Eng and Page for areas under precision-recall curves."""


@dataclass(frozen=True, slots=True)
class StudentT:
    """A mean of one number per case: Student's t; `curve` LOG for means that are never negative.

    `summed` and `squared` are the tally's columns that sum the numbers and their squares.
    """

    sum_column: str
    squared_sum_column: str
    link: LinkFunction = LinkFunction.IDENTITY


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Resampling, where no formula is reliable."""


@dataclass(frozen=True, slots=True)
class DeltaMoments:
    """The delta method over sums of numeric errors, on a scale of its own."""

    link: LinkFunction


@dataclass(frozen=True, slots=True)
class NoInterval:
    """No interval is meant, for a reason."""

    reason: str


IntervalEstimator: TypeAlias = (
    Proportion
    | SumOfProportions
    | TransformedWilson
    | DeltaMethod
    | DeLong
    | LogitAUPRC
    | StudentT
    | Bootstrap
    | DeltaMoments
)
IntervalMethod: TypeAlias = IntervalEstimator | NoInterval


# Which measures follow from sensitivity, specificity and prevalence alone.

CONFUSION_COUNTS = ("tp", "fn", "fp", "tn")


def is_function_of_rates(measure: Measure) -> bool:
    """Tell whether a measure can be worked out at another prevalence, however many cases."""
    names = {quantity.name for quantity in find_quantities(measure.formula)}
    # Tests of association grow with the number of cases, which a prevalence does not tell.
    return names <= set(CONFUSION_COUNTS) and measure.family is not MeasureFamily.ASSOCIATION


def depends_on_prevalence(measure: Measure) -> bool:
    """Tell whether a value moves when the cases of the class become more, all else the same."""
    few = {"tp": 70.0, "fn": 30.0, "fp": 20.0, "tn": 180.0}
    more = few | {"tp": 2 * few["tp"], "fn": 2 * few["fn"]}
    before, after = (float(evaluate_exact(measure.formula, counts)) for counts in (few, more))
    return not math.isclose(before, after, rel_tol=1e-9)
