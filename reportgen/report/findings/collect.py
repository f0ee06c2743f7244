"""All key findings of an evaluation, in the order in which the summary states them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.measures import CAPABILITIES, Orientation, ThresholdRating, get_measure
from reportgen.measures.ordering import competition_ranks
from reportgen.report.findings import Finding
from reportgen.report.findings.comparisons import (
    comparison_findings,
    majority_baseline_findings,
    primary_measure,
)
from reportgen.report.findings.cross_validation import (
    correction_disagreement_findings,
    cross_validation_findings,
)
from reportgen.report.findings.datasets import dataset_findings
from reportgen.report.findings.shift import (
    drift_findings,
    monitoring_findings,
    prevalence_findings,
)
from reportgen.report.selection import classifiers_best_first, is_section_included

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.values import MeasureValue

_MAX_CLASSIFIERS = 4
_DISCRIMINATION = "discrimination_of_classes"


@dataclass(frozen=True, slots=True)
class DiscriminantPowerFinding(Finding):
    """Grades of discriminant power with the classifiers that have them.

    A grade is a pair: the grades of the lower and of the upper confidence limit. None: undefined.
    """

    grades: dict[tuple[str, str] | None, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LowestRecall:
    """The classes with the lowest recall of a classifier."""

    classifier: str
    classes: tuple[str, ...]
    value: MeasureValue


@dataclass(frozen=True, slots=True)
class LowestRecallFinding(Finding):
    """The classes with the lowest recall, for each of the best classifiers."""

    lowest: tuple[LowestRecall, ...]
    of_labels: bool = False


@dataclass(frozen=True, slots=True)
class GradeErrorFinding(Finding):
    """How many grades the best classifier of an ordinal task is off."""

    classifier: str
    accuracy: MeasureValue
    within_one: MeasureValue
    rank_mae: MeasureValue


@dataclass(frozen=True, slots=True)
class LabelSetFinding(Finding):
    """How well the best classifier of a multilabel task predicts sets of labels."""

    classifier: str
    exact_match: MeasureValue
    hamming_loss: MeasureValue
    sample_f1: MeasureValue


@dataclass(frozen=True, slots=True)
class ReproductionFinding(Finding):
    """The number of published values that could not be reproduced.

    `section_included`: whether the report has the section with the reasons.
    """

    n_published: int
    n_different: int
    section_included: bool


def collect_findings(evaluation: Evaluation) -> tuple[Finding, ...]:
    """Return the key findings of an evaluation."""
    primary = primary_measure(evaluation)
    return (
        *dataset_findings(evaluation),
        *comparison_findings(evaluation),
        *drift_findings(evaluation),
        *monitoring_findings(evaluation),
        *majority_baseline_findings(evaluation),
        *_discriminant_power_finding(evaluation),
        *_task_finding(evaluation),
        *_lowest_recall_finding(evaluation),
        *cross_validation_findings(evaluation),
        *correction_disagreement_findings(
            evaluation, [primary] if primary else [], primary_only=True
        ),
        *prevalence_findings(evaluation),
        *_reproduction_finding(evaluation),
    )


def _discriminant_power_finding(evaluation: Evaluation) -> Iterator[DiscriminantPowerFinding]:
    """Yield the grades of a few classifiers; those of many are in the table of capabilities."""
    list_all = len(evaluation.measured_classifiers) <= _MAX_CLASSIFIERS
    if evaluation.task_kind != "binary" or not evaluation.capabilities or not list_all:
        return
    cells = {row.classifier: row.cells[_DISCRIMINATION] for row in evaluation.capabilities}
    grades: dict[tuple[str, str] | None, list[str]] = {}
    for name in classifiers_best_first(evaluation):
        if name in cells:
            rating = cells[name].verdict
            grades.setdefault(_grade_range(evaluation, name, rating), []).append(name)
    yield DiscriminantPowerFinding({grade: tuple(names) for grade, names in grades.items()})


def _grade_range(evaluation: Evaluation, classifier: str, rating: str) -> tuple[str, str] | None:
    """Return the grades at both confidence limits, or twice that of the value without a CI."""
    rule = CAPABILITIES[_DISCRIMINATION].rating_rule
    value = evaluation.value(classifier, get_measure("discriminant_power"))
    if not isinstance(rule, ThresholdRating) or value is None or value.number is None:
        return None
    if value.low is None or value.high is None:
        return rating, rating
    return _grade(rule, value.low), _grade(rule, value.high)


def _grade(rule: ThresholdRating, value: float) -> str:
    return next((grade for limit, grade in rule.grades if value < limit), rule.highest_grade)


def _lowest_recall_finding(evaluation: Evaluation) -> Iterator[LowestRecallFinding]:
    if not evaluation.is_multiclass:
        return
    top_names = classifiers_best_first(evaluation)[:_MAX_CLASSIFIERS]
    lowest = [row for name in top_names if (row := lowest_recall(evaluation, name)) is not None]
    if lowest:
        yield LowestRecallFinding(tuple(lowest), evaluation.task_kind == "multilabel")


def _task_finding(evaluation: Evaluation) -> Iterator[GradeErrorFinding | LabelSetFinding]:
    """Yield what the best classifier reaches in measures of ordered classes or of label sets."""
    names = classifiers_best_first(evaluation)[:1]
    if evaluation.task_kind == "ordinal":
        for name, values in _known_values(
            evaluation, names, ("accuracy", "within_one", "rank_mae")
        ):
            yield GradeErrorFinding(name, *values)
    elif evaluation.task_kind == "multilabel":
        measures = ("exact_match", "hamming_loss", "sample_f1")
        for name, values in _known_values(evaluation, names, measures):
            yield LabelSetFinding(name, *values)


def _known_values(
    evaluation: Evaluation, names: Sequence[str], measures: tuple[str, ...]
) -> Iterator[tuple[str, list[MeasureValue]]]:
    """Yield the classifiers that have values of all measures, with these values."""
    for name in names:
        values = [evaluation.value(name, get_measure(measure)) for measure in measures]
        defined_values = [
            value for value in values if value is not None and value.value is not None
        ]
        if len(defined_values) == len(values):
            yield name, defined_values


def lowest_recall(evaluation: Evaluation, classifier: str) -> LowestRecall | None:
    """Return the classes with the lowest recall of a classifier; None if all are alike."""
    measure = get_measure("sensitivity")
    if not evaluation.is_multiclass:
        return None
    values = {
        class_: value
        for class_ in evaluation.aggregates.classes
        if (value := evaluation.value(classifier, measure, class_)) is not None
        and value.value is not None
    }
    ranks_from_worst = competition_ranks(
        {class_: value.value or 0.0 for class_, value in values.items()}, Orientation.LOWER
    )
    classes = tuple(class_ for class_, rank in ranks_from_worst.items() if rank == 1)
    if not 0 < len(classes) < len(values):
        return None
    return LowestRecall(classifier, classes, values[classes[0]])


def _reproduction_finding(evaluation: Evaluation) -> Iterator[ReproductionFinding]:
    checks = evaluation.published
    if checks:
        different = sum(not check.agrees for check in checks)
        is_included = is_section_included(evaluation, "published")
        yield ReproductionFinding(len(checks), different, is_included)
