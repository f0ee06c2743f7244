"""What a run is given and what it gives back: small plain values, in this process or another."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.jobs.history.record import new_run_id

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.errors import ExitCode, Fault
    from reportgen.jobs.history.record import GateRecord
    from reportgen.spec import Detail, Format, Notify


def kept_as(spec: Path, named: str | None) -> str:
    """Return the name under which the history keeps the runs of a spec, which may name one."""
    return named or spec.stem


@frozen
class Job:
    """One spec to build once, with what the call wants instead of what the spec says."""

    spec: Path
    output: Path
    formats: tuple[Format, ...] | None = None
    detail: Detail | None = None
    history: str | None = None
    """Where runs are kept; None: nowhere."""
    if_changed: bool = False
    wait: bool = False
    """Whether to wait for another run that writes to the same place."""
    run: str = field(default_factory=new_run_id)
    """Under which name the history is to know it, whichever process tells the history of it."""

    @property
    def folder(self) -> Path:
        """Where the report goes."""
        return self.output / self.spec.stem

    def kept_as(self, named: str | None) -> str:
        """Return the name under which the history keeps its runs."""
        return kept_as(self.spec, named)


@frozen
class Outcome:
    """How one spec was built: what was written, what there is to say, and how it ended."""

    spec: Path
    exit_code: ExitCode
    title: str = ""
    files: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()
    seconds: float = 0.0
    gates: tuple[GateRecord, ...] = ()
    unchanged: bool = False
    """Whether nothing had changed, so that the earlier report stays."""
    run: str | None = None
    """Under which name the history knows it."""
    notify: tuple[Notify, ...] = ()
    """Who wants to be told."""
