"""Whether it is shown that somebody is worse by less than a margin (non-inferiority)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.comparisons.settling import Margins
from reportgen.measures import Orientation, find_measure, known_measure

if TYPE_CHECKING:
    from reportgen.comparisons.difference import Difference
    from reportgen.comparisons.gates.outcome import GateOutcome
    from reportgen.spec import Gate, Spec

NO_TEST = "no difference could be tested on these data"


def margin_of_gate(gate: Gate, spec: Spec) -> float:
    """Return how much worse is still no worse: by the gate itself, or by [comparison]."""
    if gate.margin is not None:
        return gate.margin
    given = {find_measure(name): size for name, size in (spec.comparison.margin or {}).items()}
    return given[known_measure(gate.measure)]


def judge_difference(
    stated: GateOutcome, row: Difference, margin: float, spec: Spec
) -> GateOutcome:
    """Pass if the interval at twice the level shows it: one question, declared before, one test."""
    margins = Margins(
        {row.measure: margin}, 1 - 2 * min(0.5, spec.comparison.alpha), spec.intervals.level
    )
    tested = replace(row, low=0.0, high=0.0) if _is_same(row) else row
    limits = margins.limits(tested)
    if limits is None:
        why = f"{NO_TEST}: {row.note or 'there is no interval of it'}"
        return replace(stated, why=why, value=row.difference)
    higher = known_measure(row.measure).orientation is Orientation.HIGHER
    # By how much it is worse, at its best, as found, and at its worst.
    worse = (-limits[1], -(row.difference or 0.0), -limits[0])
    if not higher:
        worse = (limits[0], row.difference or 0.0, limits[1])
    return replace(
        stated,
        passed=bool(margins.non_inferior(tested)),
        tested=True,
        why=_said(worse, margin),
        found=limits[0] if higher else limits[1],
        value=row.difference,
        low=limits[0],
        high=limits[1],
    )


def _is_same(row: Difference) -> bool:
    """Tell whether both did the same in every single case, which needs no interval."""
    same = row.difference == 0 and row.p == 1
    return same and row.low is None and row.data == "paired"


def _said(worse: tuple[float, float, float], margin: float) -> str:
    at_best, found, at_worst = worse
    if at_worst < 0:
        return "it is better, whichever end of the interval is true"
    if at_worst < margin:
        return "even at the worse end of the interval it is worse by less than the margin"
    if at_best >= margin:
        return "it is worse by the margin or more, whichever end of the interval is true"
    if found >= margin:
        return "it was found to be worse by the margin or more"
    return "at the worse end of the interval it is worse by the margin or more"
