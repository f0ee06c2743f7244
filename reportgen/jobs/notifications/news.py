"""What there is to tell of a run, and on what occasion."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.gates.outcome import gate_row
from reportgen.errors import ExitCode
from reportgen.frozen import frozen
from reportgen.jobs.history.record import RunState, gates_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from reportgen.jobs.history.record import GateRecord, RunRecord
    from reportgen.spec.notify import Occasion

SCHEMA = "reportgen/news/1"
WELL = {ExitCode.DONE, ExitCode.GATE_FAILED}


@frozen(kw_only=True)
class News:
    """How a run ended, in plain values."""

    title: str
    spec: Path
    exit_code: ExitCode
    occasions: frozenset[Occasion]
    folder: Path
    run: str | None = None
    gates: tuple[GateRecord, ...] = ()
    faults: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """What happened, in a line."""
        return f"{self.title}: {self._what}"

    @property
    def _what(self) -> str:
        if self.exit_code not in WELL:
            return "the run failed"
        if "recovery" in self.occasions:
            return "all is well again"
        return gates_in_words(self.gates) or "the report is ready"

    @property
    def text(self) -> str:
        """Everything, for people."""
        return "\n".join([self.headline, "", *self._lines()])

    def as_data(self) -> dict[str, object]:
        """Everything, for programs."""
        return {
            "schema": SCHEMA,
            "headline": self.headline,
            "title": self.title,
            "spec": str(self.spec),
            "run": self.run,
            "exit_code": int(self.exit_code),
            "occasions": sorted(self.occasions),
            "gates": [gate_row(gate) for gate in self.gates],
            "errors": list(self.faults),
            "findings": list(self.findings),
            "report": str(self.folder),
        }

    def _lines(self) -> Iterator[str]:
        yield from _listed("What went wrong", self.faults)
        yield from _listed("Gates", map(_gate_line, self.gates))
        yield from _listed("What was found", self.findings)
        yield f"Spec: {self.spec}"
        yield f"Report: {self.folder}" if not self.faults else f"Earlier report: {self.folder}"
        if self.run is not None:
            yield f"Run: {self.run}"


def occasions_of(
    exit_code: ExitCode, gates: Iterable[GateRecord], before: RunRecord | None
) -> frozenset[Occasion]:
    """Return what a run is an occasion for, seen against the one before it."""
    now_failing = _failing(gates)
    is_well = exit_code in WELL
    found: set[Occasion] = {"every_run"}
    if not is_well:
        found.add("failure")
    elif now_failing != (_failing(before.gates) if before else frozenset()):
        found.add("gate_change")
    was_bad = before is not None and (
        before.state is not RunState.WRITTEN
        or before.exit_code not in WELL
        or bool(_failing(before.gates))
    )
    if is_well and not now_failing and was_bad:
        found.add("recovery")
    return frozenset(found)


def _failing(gates: Iterable[GateRecord]) -> frozenset[tuple[str | None, ...]]:
    """Return the gates that failed, whatever was found this time."""
    return frozenset(
        (gate.classifier, gate.measure, gate.class_, gate.average, gate.level, str(gate.wanted))
        for gate in gates
        if not gate.passed
    )


def _gate_line(gate: GateRecord) -> str:
    return f"{gate.verdict}: {gate.told}"


def _listed(head: str, items: Iterable[str]) -> Iterator[str]:
    lines = [f"- {item}" for item in items]
    if lines:
        yield from (f"{head}:", *lines, "")
