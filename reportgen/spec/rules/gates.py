"""Gates have one condition each, and one that can be judged."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors.spec_faults import (
    GATE_CONDITION,
    GATE_SETTING,
    MEASURE_MISFIT,
    NEEDS_OTHER_KEY,
    OUT_OF_RANGE,
    TASK_MISFIT,
)
from reportgen.spec.findings import Aim, Finding, quoted, words
from reportgen.spec.gates import CONDITIONS, LITERAL
from reportgen.spec.rules.gate_differences import (
    difference_findings,
    interval_findings,
    of_measure,
)
from reportgen.spec.rules.measures import is_outside, measure_finding, range_of, share_help
from reportgen.spec.rules.scores import score_finding
from reportgen.spec.rules.task import unknown_class
from reportgen.spec.texts import label_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.measures import Measure
    from reportgen.spec.draft import Draft, Table
    from reportgen.spec.findings import KeyPath


def gate_findings(draft: Draft) -> Iterator[Finding]:
    """Yield what keeps a gate from being judged."""
    for path, gate in draft.tables("gates"):
        yield from _condition(path, gate)
        yield from _settings(path, gate)
        name, measure = gate.get("measure"), of_measure(draft, gate)
        if isinstance(name, str) and name.strip():
            yield from measure_finding(draft, name, (*path, "measure"))
            yield from score_finding(draft, name, (*path, "measure"))
        yield from _classes(draft, path, gate)
        if measure is not None:
            yield from _value(draft, path, gate, measure)
            yield from _wanted(path, gate, measure)
            yield from interval_findings(draft, path, gate, measure)
            yield from difference_findings(draft, path, gate, measure)


def _condition(path: KeyPath, gate: Table) -> Iterator[Finding]:
    given = [key for key in CONDITIONS if key in gate]
    if not given:
        yield Finding(
            GATE_CONDITION,
            f"a gate needs {words(CONDITIONS)}",
            (*path, CONDITIONS[0]),
            "for example `at_least = 0.9`",
            Aim.TABLE,
            absent=tuple((*path, key) for key in CONDITIONS),
        )
    for key in given[1:]:
        message = f"`{key}` cannot stand beside `{given[0]}`: a gate has one condition"
        help_line = "write a [[gates]] of its own for each condition"
        yield Finding(GATE_CONDITION, message, (*path, key), help_line, Aim.KEY)


def _settings(path: KeyPath, gate: Table) -> Iterator[Finding]:
    """Yield settings that the condition has no use for, or that contradict each other."""
    given = [key for key in CONDITIONS if key in gate]
    literal = any(key in LITERAL for key in given)
    if literal and "margin" in gate:
        message = f"`margin` has no use beside `{given[0]}`"
        help_line = f"take it out, or put it into the number of `{given[0]}`"
        yield Finding(GATE_SETTING, message, (*path, "margin"), help_line, Aim.KEY)
    if given and not literal and "bound" in gate:
        message = f"`bound` has no use beside `{given[0]}`, which looks at the whole interval"
        yield Finding(GATE_SETTING, message, (*path, "bound"), "take `bound` out", Aim.KEY)
    if given and "not_worse_than_last" not in given and "first" in gate:
        message = f"`first` has no use beside `{given[0]}`, which needs no earlier run"
        yield Finding(GATE_SETTING, message, (*path, "first"), "take `first` out", Aim.KEY)
    if "class" in gate and "average" in gate:
        message = "a value is of a class or an average over all of them, not both"
        help_line = "take `class` or `average` out"
        yield Finding(GATE_SETTING, message, (*path, "average"), help_line, Aim.KEY)
    name, other = gate.get("classifier"), gate.get("not_worse_than")
    if isinstance(other, str) and other == name:
        message = f"nobody is worse than itself: {quoted(name)} is on both sides"
        yield Finding(GATE_SETTING, message, (*path, "not_worse_than"), "name another classifier")


def _classes(draft: Draft, path: KeyPath, gate: Table) -> Iterator[Finding]:
    if draft.task_kind == "regression":
        for key in ("class", "average"):
            if key in gate:
                message = f"`{key}` does not fit a regression task"
                yield Finding(TASK_MISFIT, message, (*path, key), f"take `{key}` out", Aim.KEY)
        return
    label = label_text(gate.get("class"))
    if label is not None and draft.classes is not None and label not in draft.classes:
        yield unknown_class(draft.classes, label, (*path, "class"))


def _value(draft: Draft, path: KeyPath, gate: Table, measure: Measure) -> Iterator[Finding]:
    """Yield why there is no such value of the measure."""
    folds = draft.fold_scores(gate.get("classifier"))
    parted = next((key for key in ("class", "average") if key in gate), None)
    if folds is not None:
        yield from _of_folds(path, folds, measure, parted)
    elif parted is not None and draft.task_kind in {"binary", "multiclass"}:
        yield from _of_part(draft, path, gate, measure)
    elif draft.task_kind == "multiclass" and not _has_whole(measure):
        message = f"{quoted(gate.get('measure'))} has a value per class: name the `class`"
        help_line = 'or an average over the classes, as `average = "macro"`'
        yield Finding(NEEDS_OTHER_KEY, message, (*path, "measure"), help_line)


def _of_folds(
    path: KeyPath, folds: Table, measure: Measure, parted: str | None
) -> Iterator[Finding]:
    from reportgen.measures import find_measure

    if parted is not None:
        message = "scores per fold are known for the classifier as a whole, not for its classes"
        yield Finding(NEEDS_OTHER_KEY, message, (*path, parted), f"take `{parted}` out", Aim.KEY)
    elif folds and measure not in {find_measure(key) for key in folds}:
        message = f"of this classifier only the scores per fold of {words(tuple(folds))} are known"
        yield Finding(MEASURE_MISFIT, message, (*path, "measure"))


def _has_whole(measure: Measure) -> bool:
    from reportgen.measures import Family

    return measure.whole is not None or measure.family is Family.PROBABILITY


def _of_part(draft: Draft, path: KeyPath, gate: Table, measure: Measure) -> Iterator[Finding]:
    from reportgen.measures import Family

    binary, ranking = draft.task_kind == "binary", measure.family is Family.RANKING
    label, average = label_text(gate.get("class")), gate.get("average")
    name = quoted(gate.get("measure"))
    if measure.family is Family.PROBABILITY:
        key = "class" if "class" in gate else "average"
        message = f"{name} has one value over all classes"
        yield Finding(MEASURE_MISFIT, message, (*path, key), f"take `{key}` out", Aim.KEY)
    elif average is not None and (
        not measure.averaged or (ranking and (binary or average == "micro"))
    ):
        message = f"there is no such average of {name}"
        yield Finding(MEASURE_MISFIT, message, (*path, "average"), "take `average` out", Aim.KEY)
    elif ranking and binary and label is not None and label != draft.positive:
        message = f"{name} is measured by the score of the positive class"
        yield Finding(MEASURE_MISFIT, message, (*path, "class"), "take `class` out", Aim.KEY)


def _wanted(path: KeyPath, gate: Table, measure: Measure) -> Iterator[Finding]:
    """Yield numbers that the measure, or a difference in it, can never have."""
    for key in LITERAL:
        number = gate.get(key)
        if is_outside(number, measure):
            message = f"`{key}` is outside of {range_of(measure)}"
            yield Finding(OUT_OF_RANGE, message, (*path, key), share_help(measure, number))
    low, high, margin = measure.range.low, measure.range.high, gate.get("margin")
    if low is None or high is None or isinstance(margin, bool):
        return
    if isinstance(margin, int | float) and margin >= high - low:
        message = f"`margin` must be less than {high - low:g}, or nothing could ever be worse by it"
        yield Finding(OUT_OF_RANGE, message, (*path, "margin"), share_help(measure, margin))
