"""Outcomes of runs with gates, as short to write as tests need them."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import Diagnostic, ExitCode
from reportgen.errors.data import UNKNOWN_LABEL
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.job import JobOutcome


def gate(  # noqa: PLR0913  # every part of a gate has a usual value
    *,
    passed: bool = True,
    level: str = "error",
    classifier: str = "NB",
    observed: float | None = 0.91,
    reason: str = "the value is at least the minimum",
    kind: str = "at_least",
    bound: str | None = "value",
    class_: str | None = None,
    criterion: float = 0.9,
    against: str | None = None,
    tested: bool = True,
) -> GateRecord:
    """Return a gate on accuracy."""
    return GateRecord(
        classifier=classifier,
        measure="accuracy",
        class_=class_,
        average=None,
        level=level,
        passed=passed,
        observed=observed,
        criterion=criterion,
        reason=reason,
        kind=kind,
        bound=bound,
        against=against,
        tested=tested,
    )


def run_of(
    *gates: GateRecord, title: str = "Churn", spec: str = "specs/churn.toml", seconds: float = 1.5
) -> JobOutcome:
    """Return a run that wrote its report."""
    failed = any(not gate.passed and gate.level == "error" for gate in gates)
    return JobOutcome(
        spec=Path(spec),
        exit_code=ExitCode.GATE_FAILED if failed else ExitCode.SUCCESS,
        title=title,
        files=("out/churn/report.html",),
        seconds=seconds,
        gates=gates,
    )


def broken_run(*messages: str) -> JobOutcome:
    """Return the outcome of a run that failed before its report was written."""
    faults = tuple(Diagnostic(UNKNOWN_LABEL, message) for message in messages)
    return JobOutcome(spec=Path("specs/broken.toml"), exit_code=ExitCode.DATA, diagnostics=faults)
