"""The primary measure: declared in the spec, or chosen by the task and the class proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from reportgen.measures import (
    Measure,
    Orientation,
    get_measure,
    parse_measure,
)
from reportgen.measures.registry import question_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from reportgen.evaluation.comparison import Comparison, HypothesisFamily
    from reportgen.evaluation.majority_baseline import MajorityBaseline
    from reportgen.measures import Average
    from reportgen.spec import Spec

PrimaryReason: TypeAlias = Literal[
    "declared", "default", "first measure", "majority class", "not above majority class"
]
DEFAULT_PRIMARY_MEASURE = {
    "binary": "accuracy",
    "multiclass": "accuracy",
    "ordinal": "quadratic_kappa",
    "multilabel": "exact_match",
    "regression": "rmse",
}
# Where the largest class has this proportion of the cases, accuracy tells little.
MAX_MAJORITY_PROPORTION = 0.9
# Over several classes it is the mean recall.
BALANCED_MEASURE = "balanced_accuracy"


@dataclass(frozen=True, slots=True)
class PrimaryMeasure:
    """The measure that the headline is about, its average over the classes, and why it is it."""

    measure: Measure
    average: Average | None
    reason: PrimaryReason

    @property
    def name(self) -> str:
        """The name as a spec has it: macro_f1."""
        return self.measure.name if self.average is None else f"{self.average}_{self.measure.name}"

    def same_question(self, measure: str, average: str | None) -> bool:
        """Return whether a measure always ranks classifiers as the primary measure does."""
        return question_of(measure, average) == question_of(self.measure.name, self.average)

    def family(self, comparison: Comparison) -> HypothesisFamily:
        """Return the family of hypotheses that a comparison belongs to."""
        if comparison.class_ is not None:
            return "details"
        is_primary = self.same_question(comparison.measure, comparison.average)
        return "headline" if is_primary else "overall"


def choose_primary_measure(
    spec: Spec,
    reported_measures: Sequence[Measure],
    measures_with_values: Collection[str],
    majority: MajorityBaseline | None,
) -> PrimaryMeasure | None:
    """Return the primary measure; None if no measure has a better direction.

    Without a declared one it is accuracy or RMSE, else the first reported measure. Balanced
    accuracy replaces accuracy where the largest class has at least 90 % of the cases, or where the
    best accuracy is not significantly above that of always predicting the largest class.
    """
    if spec.comparison.primary is not None:
        declared = parse_measure(spec.comparison.primary)
        if declared is not None:
            return PrimaryMeasure(*declared, "declared")
    directed = [
        measure for measure in reported_measures if measure.orientation is not Orientation.NEITHER
    ]
    candidates = [measure for measure in directed if measure.name in measures_with_values]
    candidates = candidates or directed
    if not candidates:
        return None
    default = get_measure(DEFAULT_PRIMARY_MEASURE[spec.task.kind])
    names = {measure.name for measure in candidates}
    if default.name not in names:
        first = candidates[0]
        is_averaged = (
            spec.task.is_multiclass
            and not first.has_overall_value(spec.task.kind)
            and first.has_class_averages
        )
        return PrimaryMeasure(first, "macro" if is_averaged else None, "first measure")
    if default.name == "accuracy" and majority is not None and BALANCED_MEASURE in names:
        reason = _reason_against_accuracy(majority)
        if reason is not None:
            return PrimaryMeasure(get_measure(BALANCED_MEASURE), None, reason)
    return PrimaryMeasure(default, None, "default")


def _reason_against_accuracy(majority: MajorityBaseline) -> PrimaryReason | None:
    if majority.proportion >= MAX_MAJORITY_PROPORTION:
        return "majority class"
    best = max(majority.comparisons, key=lambda row: row.value.value or 0.0)
    return None if best.position == "above" else "not above majority class"
