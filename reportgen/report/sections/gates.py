"""Acceptance criteria: the outcome of every gate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.measures import get_measure
from reportgen.report.document import Callout, Column, Paragraph, RowGroup, Table
from reportgen.report.formatting import (
    SCIENTIFIC_NOTATION,
    difference_decimals,
    extra_interval_decimals,
    extra_value_decimals,
    inline_percentage,
    inline_value_with_interval,
)
from reportgen.report.inline import (
    CheckMark,
    Count,
    InlineText,
    Interval,
    MeasureDifference,
    MeasureEstimate,
    Strong,
    Tone,
)
from reportgen.report.phrases import gate_criterion, gate_subject, measure_phrase

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.gate_outcome import GateOutcome
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_MAX_NAMED, _MAX_DECIMALS = 4, 6
# The outcome is second, so that narrow screens show it.
_GATE_COLUMNS = tuple(map(Column, ("Gate", "Outcome", "Criterion", "Observed", "Reason")))


def build_gates_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the overall outcome and the table of gates."""
    outcomes = evaluation.gates
    if not outcomes:
        return ()
    rows = tuple(
        (
            InlineText(gate_subject(gate)),
            _outcome_mark(gate),
            InlineText(gate_criterion(gate)),
            _observed_cell(gate),
            _capitalize_sentence(gate.reason),
        )
        for gate in outcomes
    )
    table = Table("gates", "", _GATE_COLUMNS, (RowGroup(rows),), _interval_note(evaluation))
    return _gates_callout(outcomes), table


def _gates_callout(outcomes: Sequence[GateOutcome]) -> Callout:
    """Return PASS or FAIL with the number of criteria met, and the gates that are not."""
    failed = [gate for gate in outcomes if gate.fails_run]
    warnings = [gate for gate in outcomes if gate.verdict is GateVerdict.WARNING]
    untested = [gate for gate in outcomes if gate.verdict is GateVerdict.UNTESTED]
    n_passed = sum(gate.verdict is GateVerdict.PASSED for gate in outcomes)
    title: list[Inline] = ["Gates: ", Strong("FAIL" if failed else "PASS")]
    if warnings:
        title += [" with ", Count(len(warnings)), f" warning{'s' if len(warnings) > 1 else ''}"]
    title += [": ", Count(n_passed), " of ", Count(len(outcomes))]
    title.append(" criterion met" if len(outcomes) == 1 else " criteria met")
    groups = (
        ("Failed", tuple(_describe_unmet(failed))),
        ("Warning", tuple(_describe_unmet(warnings))),
        ("Not tested (no earlier run to compare with)", tuple(_list_untested(untested))),
    )
    paragraphs = tuple(
        Paragraph((Strong(f"{label}:"), " ", *parts, ".")) for label, parts in groups if parts
    )
    tone = Tone.BAD if failed else Tone.MIXED if warnings or untested else Tone.GOOD
    return Callout(tuple(title), paragraphs, tone)


def _describe_unmet(outcomes: Sequence[GateOutcome]) -> Iterator[Inline]:
    """Yield the subject, the observed value and the criterion of gates; of many the first."""
    for index, gate in enumerate(outcomes[:_MAX_NAMED]):
        yield "; " if index else ""
        yield from (*gate_subject(gate), " ", *_observed_phrase(gate))
        yield from (", required: ", *gate_criterion(gate))
    if len(outcomes) > _MAX_NAMED:
        yield from ("; and ", Count(len(outcomes) - _MAX_NAMED), " more")


def _observed_phrase(gate: GateOutcome) -> tuple[Inline, ...]:
    cell = _observed_cell(gate)
    if isinstance(cell, MeasureEstimate):
        return inline_value_with_interval(
            cell.measure, cell.value, extra_decimals=cell.extra_decimals
        )
    return cell.parts if isinstance(cell, InlineText) else (str(cell),)


def _list_untested(outcomes: Sequence[GateOutcome]) -> Iterator[Inline]:
    """Yield the classifiers and measures of gates; of many the first."""
    gates = list(dict.fromkeys((gate.classifier, gate.measure) for gate in outcomes))
    for index, (classifier, measure) in enumerate(gates[:_MAX_NAMED]):
        yield "; " if index else ""
        yield from (Strong(classifier), f" in {measure_phrase(get_measure(measure))}")
    if len(gates) > _MAX_NAMED:
        yield from ("; and ", Count(len(gates) - _MAX_NAMED), " more")


def _outcome_mark(gate: GateOutcome) -> CheckMark:
    verdict = gate.verdict
    return CheckMark(
        verdict is GateVerdict.PASSED, verdict.value, advisory=verdict is not GateVerdict.FAILED
    )


def _observed_cell(gate: GateOutcome) -> TableCell:
    measure = get_measure(gate.measure)
    if not gate.is_difference:
        if gate.measure_value is None:
            return "no value"
        numbers = [number for number in (gate.observed, gate.criterion) if number is not None]
        extra = max(
            extra_interval_decimals([gate.measure_value], measure),
            extra_value_decimals(numbers, measure),
        )
        return MeasureEstimate(gate.measure_value, measure, extra_decimals=extra)
    if gate.value is None:
        return "no difference"
    if gate.low is None or gate.high is None:
        return InlineText(("difference ", MeasureDifference(measure, gate.value)))
    decimals = _distinguishing_decimals(gate, measure)
    number = MeasureDifference(measure, gate.value, decimals)
    interval = Interval(gate.low, gate.high, measure, decimals)
    return InlineText(("difference ", number, " (", interval, ")"))


def _distinguishing_decimals(gate: GateOutcome, measure: Measure) -> int:
    """Return decimals that distinguish the tested limit from the margin."""
    default_decimals = difference_decimals(gate.value, gate.low, gate.high, measure)
    if gate.observed is None or gate.criterion is None or default_decimals == SCIENTIFIC_NOTATION:
        return default_decimals
    pairs = (
        (gate.observed, gate.criterion, decimals)
        for decimals in range(default_decimals, _MAX_DECIMALS)
    )
    sufficient = (
        decimals
        for observed, criterion, decimals in pairs
        if round(observed, decimals) != round(criterion, decimals)
    )
    return next(sufficient, _MAX_DECIMALS)


def _capitalize_sentence(sentence: str) -> str:
    return f"{sentence[0].upper()}{sentence[1:]}."


def _interval_note(evaluation: Evaluation) -> Paragraph | None:
    """Return the note on the confidence intervals of differences."""
    non_inferiority = [
        gate for gate in evaluation.gates if gate.is_difference and gate.low is not None
    ]
    if not non_inferiority:
        return None
    level = inline_percentage(1 - 2 * min(0.5, evaluation.spec.comparison.alpha))
    parts: list[Inline] = ["Non-inferiority requires the ", level, " CI within the margin"]
    if any(gate.kind == "not_worse_than_last" for gate in non_inferiority):
        parts.append("; runs treated as independent (conservative)")
    return Paragraph((*parts, "."))
