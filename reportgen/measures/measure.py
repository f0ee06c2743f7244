"""The definition of a measure, and the kinds of confidence interval a measure can declare."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from reportgen.measures.formula import Formula, NamedFormula, Operand, Symbol

if TYPE_CHECKING:
    from reportgen.measures.references import Source


class Orientation(Enum):
    """Whether higher or lower values are better."""

    HIGHER = "higher"
    LOWER = "lower"
    NEITHER = "neither"


class MeasureFamily(Enum):
    """The kind of input a measure needs; each family is also a group that a spec may name."""

    OVERALL = "overall"
    CLASS = "class_effectiveness"
    PREDICTIVE = "predictive_power"
    OVERLAP = "overlap"
    LIKELIHOOD = "likelihood"
    AGREEMENT = "agreement"
    ORDINAL = "ordinal"
    MULTILABEL = "multilabel"
    ASSOCIATION = "association"
    DESCRIPTION = "description"
    REGRESSION = "regression"
    RANKING = "ranking"
    PROBABILITY = "probability"
    OPERATING_POINT = "operating_point"


SCORE_FAMILIES = frozenset(
    {MeasureFamily.RANKING, MeasureFamily.PROBABILITY, MeasureFamily.OPERATING_POINT}
)


@dataclass(frozen=True, slots=True)
class ValueRange:
    """The closed range of a measure's values; an infinite end is None."""

    low: float | None
    high: float | None

    def contains(self, value: float) -> bool:
        """Return whether a value lies in the range."""
        above = self.low is None or value >= self.low
        return above and (self.high is None or value <= self.high)


UNIT = ValueRange(0, 1)
SIGNED_UNIT = ValueRange(-1, 1)
NONNEGATIVE = ValueRange(0, None)
AT_MOST_ONE = ValueRange(None, 1)
REAL = ValueRange(None, None)


class OperatingPointRule(Enum):
    """How the threshold of an operating point is chosen from the scores."""

    CONSTRAINT = "highest value of a measure among the thresholds at which another is high enough"
    TOP_CASES = "a number of cases with the highest scores"
    TOP_FRACTION = "a fraction of the cases with the highest scores"
    PARTIAL_AREA = "all thresholds up to a false positive rate"
    MAXIMUM_DIFFERENCE = "largest difference of the true and the false positive rate"


@dataclass(frozen=True, slots=True)
class MeasureParameter:
    """The operating point that a measure is taken at: a rule and its number.

    With a constraint, `target` is the measure to maximise and `condition` the one that has to be
    at least `value`.
    """

    rule: OperatingPointRule
    value: float = 0.0
    target: str = ""
    condition: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure(Operand):
    """A measure of predictions.

    `overall_formula` is the formula over all classes at once, if there is one, with the same kind
    of interval; `requires` are parts that must not be 0 for the value to be meaningful, beyond
    what the formula itself demands. With a `threshold`, cases whose probability is at least that
    count as predicted positive, whatever was predicted. `parameter` says which of the measures
    that share a definition it is. `only_for` is the one kind of task it applies to.
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
    only_for: str | None = None
    threshold: float | None = None
    parameter: MeasureParameter | None = None
    is_index: bool = False
    """Whether it is stated as a decimal by convention, although it is a proportion."""

    def __hash__(self) -> int:
        """Hash the name alone: measures are keys of many mappings, and formulas are trees."""
        return hash(self.name)

    @property
    def is_proportion(self) -> bool:
        """Whether it is a proportion, or a mean of proportions, which is stated in percent."""
        match self.interval:
            case Proportion() | CaseMean(is_proportion=True):
                return not self.is_index
            case SumOfProportions(parts=parts, weight=weight):
                return weight * len(parts) == 1
            case CaseBootstrap(link=None, corrects_optimism=False):
                return True
            case _:
                return False

    def as_formula(self) -> NamedFormula:
        """Return the named formula that stands for the measure in a larger formula."""
        return NamedFormula(self.name, self.symbol, self.formula)

    def applies_to(self, task_kind: str) -> bool:
        """Return whether the measure applies to a kind of task."""
        if self.only_for is not None:
            return task_kind == self.only_for
        return (self.family is MeasureFamily.REGRESSION) == (task_kind == "regression")

    def has_overall_value(self, task_kind: str) -> bool:
        """Return whether the measure has a value over all classes of a task with several."""
        if task_kind == "multilabel":
            return self.family is MeasureFamily.MULTILABEL
        return self.overall_formula is not None


class LinkFunction(Enum):
    """The link function: the scale on which the estimate is closest to normal."""

    IDENTITY = "plain"
    LOG = "log"
    LOGIT = "logit"
    FISHER_Z = "Fisher z"
    COMPLEMENTARY_LOG = "complementary log"


@dataclass(frozen=True, slots=True)
class Proportion:
    """A binomial proportion: a quotient of counts, or 1 minus one (Wilson interval)."""


@dataclass(frozen=True, slots=True)
class SumOfProportions:
    """A sum of independent proportions, times a weight (MOVER; Newcombe 1998)."""

    parts: tuple[Measure, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ProductOfProportions:
    """A product of powers of independent proportions (MOVER on the log scale; Zou and Donner 2008).

    `factors` are the proportions with their exponents.
    """

    factors: tuple[tuple[Measure, float], ...]


@dataclass(frozen=True, slots=True)
class TransformedWilson:
    """A monotone transform of Wilson limits: F1 = 2J / (1 + J), with J the Jaccard index."""


@dataclass(frozen=True, slots=True)
class DeltaMethod:
    """The delta method on the counts of the confusion matrix, on the scale of a link function."""

    link: LinkFunction


@dataclass(frozen=True, slots=True)
class DeLong:
    """DeLong's variance of the area under the ROC curve, on the logit scale."""


@dataclass(frozen=True, slots=True)
class InfluenceFunction:
    """Variance from the influence function of an area, Student's t on the logit scale."""


@dataclass(frozen=True, slots=True)
class StudentT:
    """Student's t interval of a mean of one number per case; log link for nonnegative means.

    `sum_column`, `squared_sum_column` and `cubed_sum_column` are the aggregates of the numbers,
    their squares and their cubes. With cubes it is corrected for skewness (Hall 1992).
    """

    sum_column: str
    squared_sum_column: str
    cubed_sum_column: str | None = None
    link: LinkFunction = LinkFunction.IDENTITY


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The nonparametric bootstrap, where no closed formula is reliable."""


@dataclass(frozen=True, slots=True)
class CaseBootstrap:
    """The standard error from a bootstrap of the cases.

    Of a proportion the limits are Wilson's for the number of cases with that error, otherwise
    those of the normal distribution on the scale of a link function. Of a maximum over thresholds
    the optimism is subtracted: its expected excess on the cases that it was found on.
    """

    link: LinkFunction | None = None
    corrects_optimism: bool = False


@dataclass(frozen=True, slots=True)
class DeltaMoments:
    """Moments of numeric errors, on the scale of a link function.

    The identity is that of a mean over cases, which is corrected for skewness (Hall 1992).
    """

    link: LinkFunction


@dataclass(frozen=True, slots=True)
class CaseMean:
    """A mean of one number from 0 to 1 per case: Wilson of a proportion, else logit with t."""

    is_proportion: bool = False


@dataclass(frozen=True, slots=True)
class NoInterval:
    """No confidence interval, for a stated reason."""

    reason: str


IntervalEstimator: TypeAlias = (
    Proportion
    | SumOfProportions
    | ProductOfProportions
    | TransformedWilson
    | DeltaMethod
    | DeLong
    | InfluenceFunction
    | StudentT
    | Bootstrap
    | CaseBootstrap
    | DeltaMoments
    | CaseMean
)
IntervalMethod: TypeAlias = IntervalEstimator | NoInterval


CONFUSION_COUNTS = ("tp", "fn", "fp", "tn")
