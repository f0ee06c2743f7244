"""Gates in words: what is asked of whom, the same in reports and in what runs tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.measures import known_measure
from reportgen.report.parts import Plain, Strong
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from reportgen.comparisons.gates.outcome import JudgedGate
    from reportgen.report.parts import Part

ENDS = {"low": "low end of the interval ", "high": "high end of the interval "}


def what_is_judged(gate: JudgedGate) -> tuple[Part, ...]:
    """Say whose value of which measure a gate is about."""
    name = inside_a_sentence(known_measure(gate.measure))
    if gate.class_ is not None:
        return Strong(gate.classifier), f": {name}, class ", Strong(gate.class_)
    average = "" if gate.average is None else f", {gate.average} average"
    return Strong(gate.classifier), f": {name}{average}"


def what_is_wanted(gate: JudgedGate) -> tuple[Part, ...]:
    """Say what a gate wants."""
    number: tuple[Part, ...] = () if gate.wanted is None else (Plain(abs(gate.wanted)),)
    if gate.kind == "not_worse_than":
        return "not worse than ", Strong(gate.against or ""), " by ", *number
    if gate.kind == "not_worse_than_last":
        return "not worse than an earlier run by ", *number
    exact: tuple[Part, ...] = () if gate.wanted is None else (Plain(gate.wanted),)
    condition = {"at_least": "at least ", "at_most": "at most "}.get(gate.kind, "")
    return f"{ENDS.get(gate.bound or '', '')}{condition}", *exact
