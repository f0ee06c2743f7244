"""Capabilities and the measures that rate them (Sokolova et al. 2006, tables 4 and 6)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class SingleMeasureRating:
    """Rated by one measure: the best value is superior."""

    measure: str


@dataclass(frozen=True, slots=True)
class TwoSidedRating:
    """Rated on the positive and on the negative class, each by its own measure."""

    positive: str
    negative: str
    both_classes_suffix: str
    positive_class_suffix: str
    negative_class_suffix: str
    swaps_ratios_below_one: bool = False


@dataclass(frozen=True, slots=True)
class ThresholdRating:
    """Rated on a scale of one measure: each grade holds below its limit."""

    measure: str
    grades: tuple[tuple[float, str], ...]
    highest_grade: str


RatingRule: TypeAlias = SingleMeasureRating | TwoSidedRating | ThresholdRating


@dataclass(frozen=True, slots=True)
class Capability:
    """One column of a capability table; `question` says in plain words what it answers."""

    name: str
    title: str
    question: str
    table: Literal["traditional", "discriminant"]
    rating_rule: RatingRule

    @property
    def measures(self) -> tuple[str, ...]:
        """The names of the measures that rate the capability."""
        match self.rating_rule:
            case TwoSidedRating(positive=positive, negative=negative):
                return (positive, negative)
            case SingleMeasureRating(measure) | ThresholdRating(measure=measure):
                return (measure,)


OVERALL_EFFECTIVENESS = Capability(
    "overall_effectiveness",
    "Overall effectiveness",
    "How often is it right?",
    "traditional",
    SingleMeasureRating("accuracy"),
)
PREDICTIVE_POWER = Capability(
    "predictive_power",
    "Predictive power",
    "Can I trust its answer?",
    "traditional",
    TwoSidedRating(
        "precision", "npv", "on both classes", "on positive examples", "on negative examples"
    ),
)
CLASS_EFFECTIVENESS = Capability(
    "class_effectiveness",
    "Class effectiveness",
    "Does it recognise the class?",
    "traditional",
    TwoSidedRating(
        "sensitivity",
        "specificity",
        "on both classes",
        "on positive examples",
        "on negative examples",
    ),
)
AVOIDANCE_OF_FAILURE = Capability(
    "avoidance_of_failure",
    "Avoidance of failure",
    "Does it avoid errors on both sides?",
    "discriminant",
    SingleMeasureRating("youden"),
)
CONFIRMATION_OF_CLASSES = Capability(
    "confirmation_of_classes",
    "Confirmation of classes",
    "How far does its answer shift the odds?",
    "discriminant",
    TwoSidedRating(
        "lr_positive",
        "lr_negative",
        "overall",
        "for positives",
        "for negatives",
        swaps_ratios_below_one=True,
    ),
)
DISCRIMINATION_OF_CLASSES = Capability(
    "discrimination_of_classes",
    "Discrimination of classes",
    "How well does it separate the classes?",
    "discriminant",
    ThresholdRating("discriminant_power", ((1.0, "poor"), (2.0, "limited"), (3.0, "fair")), "good"),
)
CAPABILITIES: dict[str, Capability] = {
    capability.name: capability
    for capability in (
        OVERALL_EFFECTIVENESS,
        PREDICTIVE_POWER,
        CLASS_EFFECTIVENESS,
        AVOIDANCE_OF_FAILURE,
        CONFIRMATION_OF_CLASSES,
        DISCRIMINATION_OF_CLASSES,
    )
}
