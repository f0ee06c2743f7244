"""How runs ended: for people, and for programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.cli.messages import fault_row, readable, say, show, show_faults, warn
from reportgen.comparisons.gates.outcome import gate_row
from reportgen.errors import ExitCode
from reportgen.jobs.history.record import gates_in_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.jobs.running.job import Outcome


def show_outcome(outcome: Outcome, *, quiet: bool, alone: bool) -> None:
    """Say what there is to say about one spec, alone or of several; print files unless quiet."""
    for warning in outcome.warnings:
        warn(warning)
    show_faults(outcome.faults)
    if quiet or (alone and not outcome.files and outcome.faults):
        return
    say(readable(in_a_line(outcome)))
    if outcome.removed:
        say(f"removed, being of the earlier report: {', '.join(outcome.removed)}")
    for name in outcome.files:
        show(name)


def in_a_line(outcome: Outcome) -> str:
    """Return how a run ended, in one line."""
    gates = gates_in_words(outcome.gates)
    if outcome.unchanged:
        return f"{outcome.title}: unchanged{f', {gates}' if gates else ''}"
    if not outcome.files:
        return f"{outcome.spec}: failed ({outcome.seconds:.1f} s)"
    return f"{outcome.title}{f': {gates}' if gates else ''} ({outcome.seconds:.1f} s)"


def counted(outcomes: Sequence[Outcome], asked: int) -> str:
    """Return how many runs ended in which way."""
    unchanged = sum(outcome.unchanged for outcome in outcomes)
    written = sum(bool(outcome.files) for outcome in outcomes)
    gates = sum(outcome.exit_code is ExitCode.GATE_FAILED for outcome in outcomes)
    parts = (
        (written, "built"),
        (unchanged, "unchanged"),
        (len(outcomes) - written - unchanged, "failed"),
        (asked - len(outcomes), "not begun or stopped"),
    )
    said = ", ".join(f"{number} {what}" for number, what in parts if number)
    return f"{said}; gates failed in {gates}" if gates else said


def outcome_row(outcome: Outcome) -> dict[str, object]:
    """Return how a run ended, for programs."""
    return {
        "spec": str(outcome.spec),
        "exit_code": int(outcome.exit_code),
        "unchanged": outcome.unchanged,
        "run": outcome.run,
        "files": list(outcome.files),
        "gates": [gate_row(gate) for gate in outcome.gates],
        "warnings": list(outcome.warnings),
        "errors": [fault_row(fault) for fault in outcome.faults],
    }


def write_for_programs(
    outcomes: Sequence[Outcome], junit: Path | None, summary: Path | None
) -> None:
    """Write the gates as JUnit XML, and append what happened as Markdown, where it is asked for."""
    if junit is not None:
        from reportgen.jobs.running.junit import junit_xml
        from reportgen.rendering.writing import write_file

        write_file(junit, junit_xml(outcomes))
    if summary is not None:
        from reportgen.jobs.running.summary import summary_markdown
        from reportgen.rendering.writing import writing_to

        # Appended, because steps of a workflow share one such file.
        with writing_to(summary), summary.open("a", encoding="utf-8") as file:
            file.write(summary_markdown(outcomes))
