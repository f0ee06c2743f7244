"""Conditions the results have to meet."""

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
from reportgen.spec.fields import (
    FiniteFloat,
    LabelText,
    PositiveFloat,
    SingleLine,
    SpecModel,
    format_label,
)
from reportgen.spec.inference import has_difference_test
from reportgen.spec.issues import Highlight, ValidationIssue, join_alternatives, quote_value
from reportgen.spec.measures import (
    describe_measure_range,
    is_out_of_range,
    suggest_value_in_range,
    validate_measure_name,
    validate_scores_available,
)
from reportgen.spec.task import unknown_class_issue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.spec.issues import KeyPath, RawSpec, RawTable


ABSOLUTE_CONDITIONS = ("at_least", "at_most")
GATE_CONDITIONS = (*ABSOLUTE_CONDITIONS, "not_worse_than", "not_worse_than_last")


class Gate(SpecModel):
    """A condition on one classifier in one measure; what could not be computed does not meet it."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [condition]} for condition in GATE_CONDITIONS]}
    )

    classifier: SingleLine = Field(examples=["NB"])
    """The name of the classifier."""

    measure: SingleLine = Field(examples=["youden"])
    """The measure."""

    class_: LabelText | None = Field(default=None, alias="class", examples=["success"])
    """The class whose value is meant, if it is not that of the whole classifier."""

    average: Literal["macro", "micro", "weighted"] | None = Field(default=None, examples=["macro"])
    """The average over classes that is meant, if it is not the value of the whole classifier."""

    at_least: FiniteFloat | None = Field(default=None, examples=[0.5])
    """What must be reached."""

    at_most: FiniteFloat | None = Field(default=None, examples=[0.1])
    """What must not be exceeded."""

    not_worse_than: SingleLine | None = Field(default=None, examples=["SVM"])
    """Another classifier: it must be shown that this one is worse by less than the margin."""

    not_worse_than_last: Literal["run", "published"] | None = Field(
        default=None, examples=["published"]
    )
    """The same against the last run, or the last one that was published."""

    first: Literal["pass", "fail"] = Field(default="pass", examples=["fail"])
    """What becomes of it while there is no earlier run to compare with: passed untested, or not."""

    margin: PositiveFloat | None = Field(default=None, examples=[0.01])
    """How much worse is still no worse; by default the margin of `[comparison]`."""

    bound: Literal["low", "value", "high"] = Field(default="value", examples=["low"])
    """Which end of the interval must clear it, for `at_least` and `at_most`."""

    level: Literal["error", "warning"] = Field(default="error", examples=["warning"])
    """Whether a failed gate ends the run with exit code 1, or is only told."""


# Gates that forbid to be worse name differences that can be tested, and a margin.

OVERALL_VALUE_HELP = "ask for a value of the classifier as a whole, or for `at_least`"


def gate_measure(raw: RawSpec, gate: RawTable) -> Measure | None:
    """Return the measure of a gate, if there is such a one and it fits the task."""
    from reportgen.measures import find_measure

    name = gate.get("measure")
    measure = find_measure(name) if isinstance(name, str) else None
    fits = raw.probable_task_kind is None or (
        measure and measure.applies_to(raw.probable_task_kind)
    )
    return measure if fits else None


def validate_gate_interval(
    raw: RawSpec, path: KeyPath, gate: RawTable, measure: Measure
) -> Iterator[ValidationIssue]:
    """Yield why there is no interval whose end could clear anything."""
    from reportgen.measures.measure import NoInterval

    # Scores per fold have an interval of their mean, whatever they measure.
    if not isinstance(measure.interval, NoInterval) or _gate_fold_scores(raw, gate, "classifier"):
        return
    if gate.get("bound") in {"low", "high"} and any(key in gate for key in ABSOLUTE_CONDITIONS):
        message = f"{quote_value(gate.get('measure'))} has no interval"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, "bound"), "take `bound` out", Highlight.KEY
        )


def validate_non_inferiority_gate(
    raw: RawSpec, path: KeyPath, gate: RawTable, measure: Measure
) -> Iterator[ValidationIssue]:
    """Yield why it cannot be tested whether somebody is worse."""
    from reportgen.measures import Orientation

    key = next((key for key in ("not_worse_than", "not_worse_than_last") if key in gate), None)
    if key is None:
        return
    if measure.orientation is Orientation.NEITHER:
        message = f"{quote_value(gate.get('measure'))} is neither better high nor low"
        help_line = "nobody can be worse in it: use `at_least` or `at_most`"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"), help_line)
        return
    if key == "not_worse_than_last":
        yield from _validate_against_last_run(raw, path, gate)
    else:
        yield from _validate_against_classifier(raw, path, gate, measure)
    yield from _validate_margin_known(raw, path, gate, measure, key)


def _validate_margin_known(
    raw: RawSpec, path: KeyPath, gate: RawTable, measure: Measure, key: str
) -> Iterator[ValidationIssue]:
    margins = raw.table("comparison").get("margin")
    known = {*(margins if isinstance(margins, dict) else ())}
    if "margin" in gate or known & {measure.name, *measure.aliases}:
        return
    yield ValidationIssue(
        REQUIRES_OTHER_KEY,
        f"`{key}` needs a `margin`: how much worse is still no worse",
        (*path, key),
        "for example `margin = 0.01`; without one nothing could ever be shown",
        missing_keys=((*path, "margin"), ("comparison", "margin")),
    )


def _validate_against_last_run(
    raw: RawSpec, path: KeyPath, gate: RawTable
) -> Iterator[ValidationIssue]:
    if _gate_fold_scores(raw, gate, "classifier"):
        message = "of a mean over folds the history keeps no interval to test it by"
        help_line = "give predictions or counts instead of `fold_scores`, or use `at_least`"
        yield ValidationIssue(
            GATE_UNTESTABLE, message, (*path, "not_worse_than_last"), help_line, Highlight.KEY
        )


def _validate_against_classifier(
    raw: RawSpec, path: KeyPath, gate: RawTable, measure: Measure
) -> Iterator[ValidationIssue]:
    one, other = (
        _gate_fold_scores(raw, gate, "classifier"),
        _gate_fold_scores(raw, gate, "not_worse_than"),
    )
    label = format_label(gate.get("class"))
    if "average" in gate:
        message = "there is no test of a difference of averages over classes"
        yield ValidationIssue(
            GATE_UNTESTABLE, message, (*path, "average"), OVERALL_VALUE_HELP, Highlight.KEY
        )
    elif raw.task_kind == "binary" and label not in {None, raw.positive}:
        message = "in a binary task differences are tested in the positive class"
        yield ValidationIssue(
            GATE_UNTESTABLE, message, (*path, "class"), "take `class` out", Highlight.KEY
        )
    elif one is not None and other is not None:
        yield from _validate_against_fold_scores(path, one, other, measure)
    elif one is not None or other is not None:
        known_by = _classifier_source(
            raw, gate.get("classifier" if one is None else "not_worse_than")
        )
        if known_by == "confusion":
            message = "between scores per fold and counts no difference can be tested"
            help_line = "give predictions of both, or scores per fold of both"
            yield ValidationIssue(GATE_UNTESTABLE, message, (*path, "not_worse_than"), help_line)
    elif not has_difference_test(measure):
        message = f"there is no test of a difference in {quote_value(gate.get('measure'))}"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, "measure"), "use `at_least` or `at_most`"
        )


def _validate_against_fold_scores(
    path: KeyPath, fold_scores: RawTable, reference_fold_scores: RawTable, measure: Measure
) -> Iterator[ValidationIssue]:
    mine, theirs = (
        _fold_scores_of_measure(fold_scores, measure),
        _fold_scores_of_measure(reference_fold_scores, measure),
    )
    if theirs is None:
        message = f"of this classifier no scores per fold of `{measure.name}` are known"
        yield ValidationIssue(GATE_UNTESTABLE, message, (*path, "not_worse_than"))
    elif mine is not None and len(mine) != len(theirs):
        message = f"they have {len(mine)} and {len(theirs)} scores per fold, so not the same folds"
        yield ValidationIssue(GATE_UNTESTABLE, message, (*path, "not_worse_than"))


def _fold_scores_of_measure(folds: RawTable, measure: Measure) -> list[object] | None:
    names = {measure.name, *measure.aliases}
    return next(
        (each for name, each in folds.items() if name in names and isinstance(each, list)), None
    )


def _gate_fold_scores(raw: RawSpec, gate: RawTable, key: str) -> RawTable | None:
    return raw.fold_scores(gate.get(key))


def _classifier_source(raw: RawSpec, classifier: object) -> str | None:
    tables = (table for _, table in raw.tables("classifiers") if table.get("name") == classifier)
    found = next(tables, {})
    return "confusion" if "confusion" in found else None


# Gates have one condition each, and one that can be judged.


def validate_gates(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield what keeps a gate from being judged."""
    for path, gate in raw.tables("gates"):
        yield from _validate_condition(path, gate)
        yield from _validate_condition_settings(path, gate)
        name, measure = gate.get("measure"), gate_measure(raw, gate)
        if isinstance(name, str) and name.strip():
            yield from validate_measure_name(raw, name, (*path, "measure"))
            yield from validate_scores_available(raw, name, (*path, "measure"))
        yield from _validate_gate_class(raw, path, gate)
        if measure is not None:
            yield from _validate_gate_value(raw, path, gate, measure)
            yield from _validate_limits(path, gate, measure)
            yield from validate_gate_interval(raw, path, gate, measure)
            yield from validate_non_inferiority_gate(raw, path, gate, measure)


def _validate_condition(path: KeyPath, gate: RawTable) -> Iterator[ValidationIssue]:
    given = [key for key in GATE_CONDITIONS if key in gate]
    if not given:
        yield ValidationIssue(
            GATE_CONDITION,
            f"a gate needs {join_alternatives(GATE_CONDITIONS)}",
            (*path, GATE_CONDITIONS[0]),
            "for example `at_least = 0.9`",
            Highlight.TABLE,
            missing_keys=tuple((*path, key) for key in GATE_CONDITIONS),
        )
    for key in given[1:]:
        message = f"`{key}` cannot stand beside `{given[0]}`: a gate has one condition"
        help_line = "write a [[gates]] of its own for each condition"
        yield ValidationIssue(GATE_CONDITION, message, (*path, key), help_line, Highlight.KEY)


def _validate_condition_settings(path: KeyPath, gate: RawTable) -> Iterator[ValidationIssue]:
    """Yield settings that the condition has no use for, or that contradict each other."""
    given = [key for key in GATE_CONDITIONS if key in gate]
    literal = any(key in ABSOLUTE_CONDITIONS for key in given)
    if literal and "margin" in gate:
        message = f"`margin` has no use beside `{given[0]}`"
        help_line = f"take it out, or put it into the number of `{given[0]}`"
        yield ValidationIssue(GATE_SETTING, message, (*path, "margin"), help_line, Highlight.KEY)
    if given and not literal and "bound" in gate:
        message = f"`bound` has no use beside `{given[0]}`, which looks at the whole interval"
        yield ValidationIssue(
            GATE_SETTING, message, (*path, "bound"), "take `bound` out", Highlight.KEY
        )
    if given and "not_worse_than_last" not in given and "first" in gate:
        message = f"`first` has no use beside `{given[0]}`, which needs no earlier run"
        yield ValidationIssue(
            GATE_SETTING, message, (*path, "first"), "take `first` out", Highlight.KEY
        )
    if "class" in gate and "average" in gate:
        message = "a value is of a class or an average over all of them, not both"
        help_line = "take `class` or `average` out"
        yield ValidationIssue(GATE_SETTING, message, (*path, "average"), help_line, Highlight.KEY)
    name, other = gate.get("classifier"), gate.get("not_worse_than")
    if isinstance(other, str) and other == name:
        message = f"nobody is worse than itself: {quote_value(name)} is on both sides"
        yield ValidationIssue(
            GATE_SETTING, message, (*path, "not_worse_than"), "name another classifier"
        )


def _validate_gate_class(raw: RawSpec, path: KeyPath, gate: RawTable) -> Iterator[ValidationIssue]:
    if raw.task_kind == "regression":
        for key in ("class", "average"):
            if key in gate:
                message = f"`{key}` does not fit a regression task"
                yield ValidationIssue(
                    NOT_APPLICABLE_TO_TASK,
                    message,
                    (*path, key),
                    f"take `{key}` out",
                    Highlight.KEY,
                )
        return
    label = format_label(gate.get("class"))
    if label is not None and raw.classes is not None and label not in raw.classes:
        yield unknown_class_issue(raw.classes, label, (*path, "class"))


def _validate_gate_value(
    raw: RawSpec, path: KeyPath, gate: RawTable, measure: Measure
) -> Iterator[ValidationIssue]:
    """Yield why there is no such value of the measure."""
    folds = raw.fold_scores(gate.get("classifier"))
    parted = next((key for key in ("class", "average") if key in gate), None)
    if folds is not None:
        yield from _validate_fold_score_value(path, folds, measure, parted)
    elif parted is not None and raw.task_kind in {"binary", "multiclass"}:
        yield from _validate_class_or_average(raw, path, gate, measure)
    elif raw.task_kind == "multiclass" and not _has_overall_value(measure):
        message = f"{quote_value(gate.get('measure'))} has a value per class: name the `class`"
        help_line = 'or an average over the classes, as `average = "macro"`'
        yield ValidationIssue(REQUIRES_OTHER_KEY, message, (*path, "measure"), help_line)


def _validate_fold_score_value(
    path: KeyPath, folds: RawTable, measure: Measure, breakdown_key: str | None
) -> Iterator[ValidationIssue]:
    from reportgen.measures import find_measure

    if breakdown_key is not None:
        message = "scores per fold are known for the classifier as a whole, not for its classes"
        yield ValidationIssue(
            REQUIRES_OTHER_KEY,
            message,
            (*path, breakdown_key),
            f"take `{breakdown_key}` out",
            Highlight.KEY,
        )
    elif folds and measure not in {find_measure(key) for key in folds}:
        message = f"of this classifier only the scores per fold of {join_alternatives(tuple(folds))} are known"
        yield ValidationIssue(MEASURE_NOT_APPLICABLE, message, (*path, "measure"))


def _has_overall_value(measure: Measure) -> bool:
    from reportgen.measures import MeasureFamily

    return measure.overall_formula is not None or measure.family is MeasureFamily.PROBABILITY


def _validate_class_or_average(
    raw: RawSpec, path: KeyPath, gate: RawTable, measure: Measure
) -> Iterator[ValidationIssue]:
    from reportgen.measures import MeasureFamily

    binary, ranking = raw.task_kind == "binary", measure.family is MeasureFamily.RANKING
    label, average = format_label(gate.get("class")), gate.get("average")
    name = quote_value(gate.get("measure"))
    if measure.family is MeasureFamily.PROBABILITY:
        key = "class" if "class" in gate else "average"
        message = f"{name} has one value over all classes"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, key), f"take `{key}` out", Highlight.KEY
        )
    elif average is not None and (
        not measure.has_class_averages or (ranking and (binary or average == "micro"))
    ):
        message = f"there is no such average of {name}"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, "average"), "take `average` out", Highlight.KEY
        )
    elif ranking and binary and label is not None and label != raw.positive:
        message = f"{name} is measured by the score of the positive class"
        yield ValidationIssue(
            MEASURE_NOT_APPLICABLE, message, (*path, "class"), "take `class` out", Highlight.KEY
        )


def _validate_limits(path: KeyPath, gate: RawTable, measure: Measure) -> Iterator[ValidationIssue]:
    """Yield numbers that the measure, or a difference in it, can never have."""
    for key in ABSOLUTE_CONDITIONS:
        number = gate.get(key)
        if is_out_of_range(number, measure):
            message = f"`{key}` is outside of {describe_measure_range(measure)}"
            yield ValidationIssue(
                OUT_OF_RANGE, message, (*path, key), suggest_value_in_range(measure, number)
            )
    low, high, margin = measure.range.low, measure.range.high, gate.get("margin")
    if low is None or high is None or isinstance(margin, bool):
        return
    if isinstance(margin, int | float) and margin >= high - low:
        message = f"`margin` must be less than {high - low:g}, or nothing could ever be worse by it"
        yield ValidationIssue(
            OUT_OF_RANGE, message, (*path, "margin"), suggest_value_in_range(measure, margin)
        )
