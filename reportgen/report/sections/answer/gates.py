"""Whether the conditions of the spec are met, before all else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.gates.outcome import GateVerdict
from reportgen.measures import known_measure
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import Check, Count, DifferenceOf, Interval, Strong, Value, Words
from reportgen.report.words.decimals import (
    AS_POWERS,
    decimals_of_difference,
    decimals_to_show,
    decimals_to_tell_apart,
)
from reportgen.report.words.gates import what_is_judged, what_is_wanted
from reportgen.report.words.level import percentage
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.gates.outcome import GateOutcome
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

MOST_NAMED, MOST_DECIMALS = 4, 6
# The outcome stands second, so that it is seen where a narrow screen shows two columns.
HEADS = tuple(map(Column, ("Gate", "Outcome", "Wanted", "Found", "Why")))


def gates(evaluation: Evaluation) -> tuple[Block, ...]:
    """Say in a sentence whether all gates passed, and show each with what was found."""
    outcomes = evaluation.gates
    if not outcomes:
        return ()
    rows = tuple(
        (
            Words(what_is_judged(gate)),
            _check(gate),
            Words(what_is_wanted(gate)),
            _found(gate),
            _sentence(gate.why),
        )
        for gate in outcomes
    )
    table = Table("gates", "", HEADS, (RowGroup(rows),), _note(evaluation))
    return Paragraph(tuple(_overall(outcomes))), table


def _overall(outcomes: Sequence[GateOutcome]) -> Iterator[Part]:
    many = len(outcomes)
    failed = [gate for gate in outcomes if gate.stops]
    warned = [gate for gate in outcomes if gate.verdict is GateVerdict.WARNING]
    untested = [gate for gate in outcomes if gate.verdict is GateVerdict.UNTESTED]
    only = ", which is only a warning: "
    if failed:
        yield from (Count(len(failed)), " of ", Count(many), " gates failed: ")
        yield from (*_named(failed), ".")
        if warned:
            was = "was" if len(warned) == 1 else "were"
            yield from (" ", Count(len(warned)), f" more {was} not met{only}", *_named(warned), ".")
    elif warned:
        was = "was" if len(warned) == 1 else "were"
        yield from ("No gate failed, but ", Count(len(warned)), " of ", Count(many))
        yield from (f" {was} not met{only}", *_named(warned), ".")
    elif untested:
        yield from (Count(many - len(untested)), " of ", Count(many), " gates passed.")
    elif many == 1:
        yield "The gate passed."
    else:
        yield from ("All ", Count(many), " gates passed.")
    if untested:
        was = "was" if len(untested) == 1 else "were"
        yield from (" ", Count(len(untested)), f" {was} not tested, as there is nothing yet to")
        yield from (" compare with: ", *_named(untested), ".")


def _named(outcomes: Sequence[GateOutcome]) -> Iterator[Part]:
    """Name whom gates are about and in which measure; of many the first."""
    told = list(dict.fromkeys((gate.classifier, gate.measure) for gate in outcomes))
    for at, (classifier, measure) in enumerate(told[:MOST_NAMED]):
        yield "; " if at else ""
        yield from (Strong(classifier), f" in {inside_a_sentence(known_measure(measure))}")
    if len(told) > MOST_NAMED:
        yield from ("; and ", Count(len(told) - MOST_NAMED), " more")


def _check(gate: GateOutcome) -> Check:
    verdict = gate.verdict
    return Check(
        verdict is GateVerdict.PASSED, verdict.value, mild=verdict is not GateVerdict.FAILED
    )


def _found(gate: GateOutcome) -> Cell:
    measure = known_measure(gate.measure)
    if not gate.is_difference:
        if gate.score is None:
            return "nothing"
        judged = [each for each in (gate.found, gate.wanted) if each is not None]
        extra = max(
            decimals_to_show([gate.score], measure), decimals_to_tell_apart(judged, measure)
        )
        return Value(gate.score, measure, extra_decimals=extra)
    if gate.value is None:
        return "no difference"
    if gate.low is None or gate.high is None:
        return Words(("difference ", DifferenceOf(measure, gate.value)))
    decimals = _telling_decimals(gate, measure)
    number = DifferenceOf(measure, gate.value, decimals)
    interval = Interval(gate.low, gate.high, None, decimals)
    return Words(("difference ", number, " (", interval, ")"))


def _telling_decimals(gate: GateOutcome, measure: Measure) -> int:
    """Return decimals that tell the judged end of an interval from the margin."""
    usual = decimals_of_difference(gate.value, gate.low, gate.high, measure)
    if gate.found is None or gate.wanted is None or usual == AS_POWERS:
        return usual
    pairs = ((gate.found, gate.wanted, places) for places in range(usual, MOST_DECIMALS))
    enough = (at for one, other, at in pairs if round(one, at) != round(other, at))
    return next(enough, MOST_DECIMALS)


def _sentence(why: str) -> str:
    return f"{why[0].upper()}{why[1:]}."


def _note(evaluation: Evaluation) -> Paragraph | None:
    """Say what the range with a difference is."""
    shown = [gate for gate in evaluation.gates if gate.is_difference and gate.low is not None]
    if not shown:
        return None
    level = percentage(1 - 2 * min(0.5, evaluation.spec.comparison.alpha))
    said: list[Part] = ["The range with a difference is its ", level]
    said.append(" interval: nobody passes whose difference could be beyond the margin.")
    if any(gate.kind == "not_worse_than_last" for gate in shown):
        said.append(
            " Runs are compared as if they had no case in common, which is on the safe side where"
            " they have some."
        )
    return Paragraph(tuple(said))
