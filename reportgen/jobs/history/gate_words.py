"""Gates as plain text, for what runs tell programs and people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.rendering.texts import sentence_text
from reportgen.report.parts import Plain
from reportgen.report.words.gates import what_is_judged, what_is_wanted

if TYPE_CHECKING:
    from reportgen.jobs.history.record import GateRecord

NOTHING = "nothing"
ENDS = {"low": "low end ", "high": "high end "}
WORSE_END = "worse end of the difference "
FEWEST_DECIMALS, MOST_DECIMALS = 3, 9


def judged_text(gate: GateRecord) -> str:
    """Return whose value of which measure a gate is about."""
    return sentence_text(what_is_judged(gate))


def wanted_text(gate: GateRecord) -> str:
    """Return what a gate wants."""
    return sentence_text(what_is_wanted(gate))


def found_text(gate: GateRecord) -> str:
    """Return the number that had to clear what is wanted, and which number that is."""
    if gate.found is None:
        return NOTHING
    which = WORSE_END if gate.kind.startswith("not_worse_than") else ENDS.get(gate.bound or "", "")
    return which + _number(gate.found, gate.wanted)


def _number(found: float, wanted: float | None) -> str:
    """Write what was found with digits that tell it apart from what is wanted."""
    if wanted is None or found == wanted:
        return sentence_text((Plain(found),))
    written = (
        sentence_text((Plain(found, decimals),))
        for decimals in (None, *range(FEWEST_DECIMALS, MOST_DECIMALS))
        if round(found, decimals or FEWEST_DECIMALS) != round(wanted, decimals or FEWEST_DECIMALS)
    )
    return next(written, sentence_text((Plain(found, MOST_DECIMALS),)))
