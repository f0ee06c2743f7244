"""The tables [[gates]]: quality gates, conditions that the results have to meet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import ConfigDict, Field

from reportgen.errors.spec import (
    GATE_CONDITION,
    GATE_SETTING,
    GATE_UNTESTABLE,
    MEASURE_NOT_APPLICABLE,
    NOT_APPLICABLE_TO_TASK,
    OUT_OF_RANGE,
    REQUIRES_OTHER_KEY,
)
from reportgen.spec.fields import FiniteFloat, LabelText, PositiveFloat, SingleLine, SpecModel
from reportgen.spec.issues import (
    Highlight,
    ValidationIssue,
    join_alternatives,
    key_issue,
    quote_value,
)
from reportgen.spec.measures import (
    MeasureName,
    describe_measure_range,
    is_out_of_range,
    suggest_value_in_range,
    validate_measure_name,
    validate_scores_available,
)
from reportgen.spec.task import validate_known_class

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.measures import Measure
    from reportgen.spec.fields import TaskKind
    from reportgen.spec.issues import KeyPath
    from reportgen.spec.spec import Spec

    FoldScores = Mapping[str, tuple[float, ...]]

ABSOLUTE_CONDITIONS = ("at_least", "at_most")
GATE_CONDITIONS = (*ABSOLUTE_CONDITIONS, "not_worse_than", "not_worse_than_last")


class Gate(SpecModel):
    """A condition on a measure of a classifier; undefined values do not meet it."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [condition]} for condition in GATE_CONDITIONS]}
    )

    classifier: SingleLine = Field(examples=["NB"])
    """The name of the classifier."""

    measure: MeasureName = Field(examples=["youden"])
    """The measure."""

    class_: LabelText | None = Field(default=None, alias="class", examples=["success"])
    """The class of the value; by default the overall value."""

    average: Literal["macro", "micro", "weighted"] | None = Field(default=None, examples=["macro"])
    """The average over classes; by default the overall value."""

    at_least: FiniteFloat | None = Field(default=None, examples=[0.5])
    """The minimum."""

    at_most: FiniteFloat | None = Field(default=None, examples=[0.1])
    """The maximum."""

    not_worse_than: SingleLine | None = Field(default=None, examples=["SVM"])
    """Non-inferiority to another classifier: worse by less than the margin, with confidence."""

    not_worse_than_last: Literal["run", "published"] | None = Field(
        default=None, examples=["published"]
    )
    """Non-inferiority to the last run, or to the last published run."""

    first: Literal["pass", "fail"] = Field(default="pass", examples=["fail"])
    """Whether the gate passes or fails while there is no earlier run to compare with."""

    margin: PositiveFloat | None = Field(default=None, examples=[0.01])
    """The non-inferiority margin; by default the margin of [comparison]."""

    bound: Literal["low", "value", "high"] = Field(default="value", examples=["low"])
    """The value or confidence limit that `at_least` or `at_most` applies to."""

    level: Literal["error", "warning"] = Field(default="error", examples=["warning"])
    """Whether a failed gate ends the run with exit code 1, or is only reported."""


def validate_gates(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield what prevents the evaluation of a gate."""
    from reportgen.measures import find_measure

    for index, gate in enumerate(spec.gates):
        path: KeyPath = ("gates", index)
        yield from _validate_condition(path, gate)
        yield from _validate_condition_settings(path, gate)
        yield from validate_measure_name(spec, gate.measure, (*path, "measure"))
        yield from validate_scores_available(spec, gate.measure, (*path, "measure"))
        yield from _validate_gate_class(spec, path, gate)
        measure = find_measure(gate.measure)
        if measure is not None and measure.applies_to(spec.task.kind):
            yield from _validate_gate_value(spec, path, gate, measure)
            yield from _validate_limits(path, gate, measure)
            yield from _validate_gate_interval(spec, path, gate, measure)
            yield from _validate_non_inferiority_gate(spec, path, gate, measure)


def _conditions_of(gate: Gate) -> list[str]:
    return [key for key in GATE_CONDITIONS if getattr(gate, key) is not None]


def _fold_scores_of(spec: Spec, name: str | None) -> FoldScores | None:
    """Return the scores per fold of a classifier, None if it has none."""
    classifier = None if name is None else spec.find_classifier(name)
    return None if classifier is None else classifier.fold_scores


def _validate_condition(path: KeyPath, gate: Gate) -> Iterator[ValidationIssue]:
    conditions = _conditions_of(gate)
    if not conditions:
        yield ValidationIssue(
            GATE_CONDITION,
            f"a gate needs {join_alternatives(GATE_CONDITIONS)}",
            (*path, GATE_CONDITIONS[0]),
            "for example `at_least = 0.9`",
            Highlight.TABLE,
            depends_on=tuple((*path, key) for key in GATE_CONDITIONS),
        )
    for key in conditions[1:]:
        message = f"cannot be combined with `{conditions[0]}`: a gate has one condition"
        help_text = "write a separate [[gates]] for each condition"
        yield key_issue(GATE_CONDITION, (*path, key), message, help_text, Highlight.KEY)


def _validate_condition_settings(path: KeyPath, gate: Gate) -> Iterator[ValidationIssue]:
    """Yield settings that have no effect with the condition, or contradict each other."""
    for condition in _conditions_of(gate)[:1]:
        unused: dict[str, str] = {}
        if condition in ABSOLUTE_CONDITIONS:
            unused["margin"] = f"remove `margin`, or include it in the number of `{condition}`"
        else:
            unused["bound"] = "remove `bound`"
        if condition != "not_worse_than_last":
            unused["first"] = "remove `first`"
        for key, help_text in unused.items():
            if key in gate.model_fields_set:
                message = f"has no effect with `{condition}`"
                yield key_issue(GATE_SETTING, (*path, key), message, help_text, Highlight.KEY)
    if gate.class_ is not None and gate.average is not None:
        message = "cannot be combined with `class`: a value is of a class or an average of them"
        help_text = "remove `class` or `average`"
        yield key_issue(GATE_SETTING, (*path, "average"), message, help_text, Highlight.KEY)
    if gate.not_worse_than == gate.classifier:
        message = f"{quote_value(gate.classifier)} cannot be compared with itself"
        help_text = "name another classifier"
        yield ValidationIssue(GATE_SETTING, message, (*path, "not_worse_than"), help_text)


def _validate_gate_class(spec: Spec, path: KeyPath, gate: Gate) -> Iterator[ValidationIssue]:
    if spec.task.kind != "regression":
        yield from validate_known_class(spec.task.classes, gate.class_, (*path, "class"))
        return
    for key, value in (("class", gate.class_), ("average", gate.average)):
        if value is not None:
            message = "does not apply to a regression task"
            yield key_issue(
                NOT_APPLICABLE_TO_TASK, (*path, key), message, f"remove `{key}`", Highlight.KEY
            )


def _validate_gate_value(
    spec: Spec, path: KeyPath, gate: Gate, measure: Measure
) -> Iterator[ValidationIssue]:
    """Yield an issue if the measure has no value of the class, of the average, or overall."""
    fold_scores = _fold_scores_of(spec, gate.classifier)
    has_breakdown = gate.class_ is not None or gate.average is not None
    if fold_scores is not None:
        yield from _validate_fold_score_value(path, gate, fold_scores, measure)
    elif has_breakdown and spec.task.kind != "regression":
        yield from _validate_class_or_average(spec, path, gate, measure)
    elif spec.task.is_multiclass and not _has_overall_value(measure, spec.task.kind):
        yield ValidationIssue(
            REQUIRES_OTHER_KEY,
            f"{quote_value(gate.measure)} has a value per class: name the `class`",
            (*path, "measure"),
            'or an average over the classes, for example `average = "macro"`',
            depends_on=((*path, "class"), (*path, "average")),
        )


def _validate_fold_score_value(
    path: KeyPath, gate: Gate, fold_scores: FoldScores, measure: Measure
) -> Iterator[ValidationIssue]:
    from reportgen.measures import find_measure

    key = "class" if gate.class_ is not None else "average"
    if gate.class_ is not None or gate.average is not None:
        message = "does not apply to scores per fold, which are overall values"
        yield key_issue(REQUIRES_OTHER_KEY, (*path, key), message, f"remove `{key}`", Highlight.KEY)
    elif measure not in {find_measure(name) for name in fold_scores}:
        message = f"this classifier only has scores per fold of {join_alternatives(fold_scores)}"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"))


def _has_overall_value(measure: Measure, kind: TaskKind) -> bool:
    from reportgen.measures import MeasureFamily

    of_probabilities = measure.family is MeasureFamily.PROBABILITY and kind != "multilabel"
    return measure.has_overall_value(kind) or of_probabilities


def _validate_class_or_average(
    spec: Spec, path: KeyPath, gate: Gate, measure: Measure
) -> Iterator[ValidationIssue]:
    from reportgen.measures import MeasureFamily

    name = quote_value(gate.measure)
    binary, ranking = spec.task.kind == "binary", measure.family is MeasureFamily.RANKING
    key, message = "average", None
    if measure.family is MeasureFamily.PROBABILITY and spec.task.kind != "multilabel":
        key = "class" if gate.class_ is not None else "average"
        message = f"{name} has one value over all classes"
    elif gate.average is not None and (
        not measure.has_class_averages or (ranking and (binary or gate.average == "micro"))
    ):
        message = f"there is no {gate.average} average of {name}"
    elif ranking and binary and gate.class_ not in {None, spec.task.positive}:
        key, message = "class", f"{name} is computed from the score of the positive class"
    if message is not None:
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, key), f"remove `{key}`", Highlight.KEY
        )


def _validate_limits(path: KeyPath, gate: Gate, measure: Measure) -> Iterator[ValidationIssue]:
    """Yield numbers outside the range of the measure, or of its differences."""
    for key in ABSOLUTE_CONDITIONS:
        number = getattr(gate, key)
        if number is not None and is_out_of_range(number, measure):
            message = f"is outside {describe_measure_range(measure)}"
            help_text = suggest_value_in_range(measure, number)
            yield key_issue(OUT_OF_RANGE, (*path, key), message, help_text)
    low, high, margin = measure.range.low, measure.range.high, gate.margin
    if low is not None and high is not None and margin is not None and margin >= high - low:
        message = f"must be less than {high - low:g}, or no difference could exceed it"
        help_text = suggest_value_in_range(measure, margin)
        yield key_issue(OUT_OF_RANGE, (*path, "margin"), message, help_text)


def _validate_gate_interval(
    spec: Spec, path: KeyPath, gate: Gate, measure: Measure
) -> Iterator[ValidationIssue]:
    """Yield an issue if a gate uses a confidence limit of a measure that has none."""
    from reportgen.measures.measure import NoInterval

    # Scores per fold have an interval of their mean, whatever they measure.
    if not isinstance(measure.interval, NoInterval) or _fold_scores_of(spec, gate.classifier):
        return
    is_absolute = gate.at_least is not None or gate.at_most is not None
    if gate.bound != "value" and is_absolute:
        message = f"{quote_value(gate.measure)} has no confidence interval"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, "bound"), "remove `bound`", Highlight.KEY
        )


def _validate_non_inferiority_gate(
    spec: Spec, path: KeyPath, gate: Gate, measure: Measure
) -> Iterator[ValidationIssue]:
    """Yield why non-inferiority cannot be tested."""
    from reportgen.measures import Orientation

    key = next((name for name in _conditions_of(gate) if name not in ABSOLUTE_CONDITIONS), None)
    if key is None:
        return
    if measure.orientation is Orientation.NEITHER:
        message = f"{quote_value(gate.measure)} has no better direction"
        help_text = "use `at_least` or `at_most` instead"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"), help_text)
        return
    if gate.not_worse_than is not None:
        yield from _validate_against_classifier(spec, path, gate, measure)
    elif _fold_scores_of(spec, gate.classifier):
        message = "cannot be tested for scores per fold: the history has no interval of their mean"
        help_text = "give predictions or counts instead of `fold_scores`, or use `at_least`"
        yield key_issue(GATE_UNTESTABLE, (*path, key), message, help_text, Highlight.KEY)
    margins = set(spec.comparison.margin or ())
    if gate.margin is None and not margins & {measure.name, *measure.aliases}:
        yield key_issue(
            REQUIRES_OTHER_KEY,
            (*path, key),
            "needs a non-inferiority `margin`",
            "for example `margin = 0.01`; without one non-inferiority cannot be shown",
            depends_on=((*path, "margin"), ("comparison", "margin")),
        )


def _validate_against_classifier(
    spec: Spec, path: KeyPath, gate: Gate, measure: Measure
) -> Iterator[ValidationIssue]:
    classifier_scores, reference = (
        _fold_scores_of(spec, name) for name in (gate.classifier, gate.not_worse_than)
    )
    if gate.average == "micro":
        yield ValidationIssue(
            GATE_UNTESTABLE,
            "micro averages are functions of accuracy, which is tested instead",
            (*path, "average"),
            'use `measure = "accuracy"`, or `at_least`',
            Highlight.KEY,
        )
    elif spec.task.kind == "binary" and gate.class_ not in {None, spec.task.positive}:
        message = "in a binary task differences are tested for the positive class"
        yield ValidationIssue(
            GATE_UNTESTABLE, message, (*path, "class"), "remove `class`", Highlight.KEY
        )
    elif classifier_scores is not None and reference is not None:
        yield from _validate_against_fold_scores(path, classifier_scores, reference, measure)
    elif classifier_scores is not None or reference is not None:
        other = spec.find_classifier(
            (gate.not_worse_than or "") if classifier_scores else gate.classifier
        )
        if other is not None and other.confusion is not None:
            message = "there is no test of differences between scores per fold and counts"
            help_text = "give predictions of both, or scores per fold of both"
            yield ValidationIssue(GATE_UNTESTABLE, message, (*path, "not_worse_than"), help_text)


def _validate_against_fold_scores(
    path: KeyPath, classifier_scores: FoldScores, reference: FoldScores, measure: Measure
) -> Iterator[ValidationIssue]:
    names = {measure.name, *measure.aliases}
    scores, reference_scores = (
        next((values for name, values in table.items() if name in names), None)
        for table in (classifier_scores, reference)
    )
    if reference_scores is None:
        message = f"this classifier has no scores per fold of `{measure.name}`"
        yield ValidationIssue(GATE_UNTESTABLE, message, (*path, "not_worse_than"))
    elif scores is not None and len(scores) != len(reference_scores):
        message = f"different folds: {len(scores)} and {len(reference_scores)} scores per fold"
        yield ValidationIssue(GATE_UNTESTABLE, message, (*path, "not_worse_than"))
