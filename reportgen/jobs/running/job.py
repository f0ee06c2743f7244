"""What a worker is given and what it gives back: small plain values, in this process or another."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode, Fault, Place, ReportgenError
from reportgen.errors.crash import crash_file
from reportgen.errors.run_faults import INTERNAL_ERROR

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.spec import Detail, Format


@dataclass(frozen=True, slots=True)
class Job:
    """One spec to build, with what the call wants instead of what the spec says."""

    spec: Path
    output: Path
    formats: tuple[Format, ...] | None = None
    detail: Detail | None = None


@dataclass(frozen=True, slots=True)
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


def build_job(job: Job, tell: Callable[[str], None] = lambda _step: None) -> Outcome:
    """Build one spec; whatever goes wrong is part of the outcome, so that others can go on."""
    from reportgen.pipeline import build

    started = time.monotonic()
    try:
        built = build(job.spec, job.output, job.formats, tell, detail=job.detail)
    except ReportgenError as error:
        return Outcome(job.spec, error.exit_code, faults=error.faults)
    except Exception as error:  # noqa: BLE001  # one broken spec must not take the others with it
        return Outcome(job.spec, ExitCode.INTERNAL, faults=(_internal(job.spec, error),))
    return Outcome(
        spec=job.spec,
        exit_code=ExitCode.ENVIRONMENT if built.faults else ExitCode.DONE,
        title=built.evaluation.spec.title,
        files=tuple(str(built.folder / name) for name in built.files),
        removed=built.removed,
        warnings=built.warnings,
        faults=built.faults,
        seconds=time.monotonic() - started,
    )


def _internal(spec: Path, error: Exception) -> Fault:
    message = f"internal error: {type(error).__name__}: {error}"
    return Fault(INTERNAL_ERROR, message, Place(spec), f"please report it with {crash_file()}")
