"""What runs came to, as Markdown for the page on which GitHub shows the outcome of a workflow."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.comparisons.gates.outcome import GateVerdict
from reportgen.errors import ExitCode
from reportgen.jobs.history.gate_words import (
    found_text,
    judged_text,
    wanted_text,
)
from reportgen.rendering.plain.markdown import escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.history.record import GateRecord
    from reportgen.jobs.running.job import Outcome

# GitHub refuses a summary of more than 1024 KiB; other steps may add to the same one.
MOST_BYTES = 900_000
LONGEST_TEXT = 500
# The bad ones first.
SIGNS = {
    GateVerdict.FAILED: "✗",
    GateVerdict.WARNING: "!",
    GateVerdict.UNTESTED: "–",
    GateVerdict.PASSED: "✓",
}
HEAD = "| Gate | Outcome | Wanted | Found | Why |\n|---|---|---|---|---|"


def summary_markdown(outcomes: Sequence[Outcome]) -> str:
    """Return how every run ended and what became of its gates, the bad ones first."""
    parts = [f"## {_overall(outcomes)}\n\n"]
    left = MOST_BYTES - len(parts[0].encode())
    ordered = sorted(outcomes, key=_rank)
    for number, outcome in enumerate(ordered):
        whole, brief = (
            "\n".join(lines) + "\n\n" for lines in (_told(outcome), _told_in_brief(outcome))
        )
        part = whole if len(whole.encode()) <= left else brief
        left -= len(part.encode())
        if left < 0:
            many = len(ordered) - number
            parts.append(f"Left out, as this would be too long: {many} of {len(ordered)}.\n")
            break
        parts.append(part)
    return "".join(parts)


def _overall(outcomes: Sequence[Outcome]) -> str:
    many = len(outcomes)
    ranks = [_rank(outcome) for outcome in outcomes]
    counted = (
        (ranks.count(0), "not built"),
        (ranks.count(1), "with failed gates"),
        (ranks.count(2), "with warnings"),
    )
    said = ", ".join(f"{number} {what}" for number, what in counted if number)
    reports = "1 report" if many == 1 else f"{many} reports"
    return f"{reports}: {said or 'all is well'}"


def _rank(outcome: Outcome) -> int:
    """Order by how bad it is: not built, failed gates, warnings, all well."""
    if outcome.faults or outcome.exit_code not in {ExitCode.DONE, ExitCode.GATE_FAILED}:
        return 0
    if any(gate.has_failed for gate in outcome.gates) or outcome.exit_code is ExitCode.GATE_FAILED:
        return 1
    is_well = all(gate.verdict is GateVerdict.PASSED for gate in outcome.gates)
    return 3 if is_well and not outcome.warnings else 2


def _told(outcome: Outcome) -> Iterator[str]:
    yield f"### {_short(outcome.title or str(outcome.spec))}\n"
    yield _ended(outcome) + "\n"
    for fault in outcome.faults:
        yield f"- {fault.kind.code}: {_short(fault.message)}"
    for warning in outcome.warnings:
        yield f"- Warning: {_short(warning)}"
    if outcome.gates:
        yield f"\n{HEAD}"
        yield from map(_row, sorted(outcome.gates, key=_badness))


def _told_in_brief(outcome: Outcome) -> Iterator[str]:
    """Say how a run ended where the rest would be too long."""
    yield f"### {_short(outcome.title or str(outcome.spec))}\n"
    yield f"{_ended(outcome)} The rest would be too long here; the report has it."


def _ended(outcome: Outcome) -> str:
    number, many = Counter(gate.verdict for gate in outcome.gates), len(outcome.gates)
    failed, passed = number[GateVerdict.FAILED], number[GateVerdict.PASSED]
    if outcome.faults:
        said = "✗ The report is not whole." if outcome.files else "✗ There is no new report."
    elif failed:
        said = f"✗ {failed} of {many} gates failed."
    elif untested := number[GateVerdict.UNTESTED]:
        said = f"– {passed} of {many} gates passed, {untested} untested, none failed."
    elif many:
        said = f"✓ {passed} of {many} gates passed, none failed." if passed < many else _all(many)
    else:
        said = "✓ The report is built; it has no gates."
    return f"{said} Nothing had changed since the last run." if outcome.unchanged else said


def _all(many: int) -> str:
    return "✓ The gate passed." if many == 1 else f"✓ All {many} gates passed."


def _badness(gate: GateRecord) -> int:
    return list(SIGNS).index(gate.verdict)


def _row(gate: GateRecord) -> str:
    outcome = f"{SIGNS[gate.verdict]} {gate.verdict}"
    texts = (judged_text(gate), outcome, wanted_text(gate), found_text(gate), gate.why)
    return f"| {' | '.join(map(_short, texts))} |"


def _short(text: str) -> str:
    cut = text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 1]}…"
    return escaped(cut)
