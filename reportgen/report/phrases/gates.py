"""Phrases on gates: subject and criterion, the same in reports and notifications."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.inline import PlainNumber, Strong
from reportgen.report.phrases.words import measure_phrase

if TYPE_CHECKING:
    from reportgen.evaluation.gate_outcome import EvaluatedGate
    from reportgen.report.inline import Inline

_LIMIT_PHRASES = {"low": "lower confidence limit ", "high": "upper confidence limit "}


def gate_subject(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Return the classifier and the measure of a gate."""
    name = measure_phrase(get_measure(gate.measure))
    if gate.class_ is not None:
        return Strong(gate.classifier), f": {name}, class ", Strong(gate.class_)
    average = "" if gate.average is None else f", {gate.average} average"
    return Strong(gate.classifier), f": {name}{average}"


def gate_criterion(gate: EvaluatedGate) -> tuple[Inline, ...]:
    """Return the criterion of a gate."""
    number: tuple[Inline, ...] = (
        () if gate.criterion is None else (PlainNumber(abs(gate.criterion)),)
    )
    if gate.kind == "not_worse_than":
        return "non-inferior to ", Strong(gate.against or ""), " (margin ", *number, ")"
    if gate.kind == "not_worse_than_last":
        return "non-inferior to previous run (margin ", *number, ")"
    exact: tuple[Inline, ...] = () if gate.criterion is None else (PlainNumber(gate.criterion),)
    condition = {"at_least": "≥ ", "at_most": "≤ "}.get(gate.kind, "")
    return f"{_LIMIT_PHRASES.get(gate.bound or '', '')}{condition}", *exact
