"""One run: lock, look whether anything changed, build, record."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode, OutputError, ReportgenError
from reportgen.errors.crash import internal_fault
from reportgen.jobs.running.job import Outcome
from reportgen.jobs.running.shortage import is_short_of_memory, used_up

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.jobs.history.record import GateRecord
    from reportgen.jobs.running.job import Job
    from reportgen.jobs.running.remembering import Memory
    from reportgen.pipeline import Made
    from reportgen.spec import SpecFile


def run_job(job: Job, tell: Callable[[str], None] = lambda _step: None) -> Outcome:
    """Build one spec; whatever goes wrong is part of the outcome, so that others can go on."""
    began = time.monotonic()
    try:
        outcome = _run(job, tell)
    except ReportgenError as error:
        outcome = Outcome(job.spec, error.exit_code, faults=error.faults)
    except BaseException as error:
        # One broken spec must not take the others with it. Rust's panics are no `Exception`.
        if is_short_of_memory(error):
            outcome = Outcome(job.spec, ExitCode.ENVIRONMENT, faults=(used_up(job.spec),))
        elif isinstance(error, Exception):
            outcome = Outcome(
                job.spec, ExitCode.INTERNAL, faults=(internal_fault(job.spec, error),)
            )
        else:
            raise
    return replace(outcome, seconds=time.monotonic() - began)


def _run(job: Job, tell: Callable[[str], None]) -> Outcome:
    from reportgen.jobs.running.lock import holding, lock_of
    from reportgen.jobs.running.remembering import remembering
    from reportgen.pipeline import make, with_options
    from reportgen.rendering.writing import take_back
    from reportgen.spec import read_spec

    started = datetime.now(UTC)
    spec_file = with_options(read_spec(job.spec), job.formats, job.detail)
    name = job.kept_as(spec_file.spec.history.name)
    with holding(lock_of(job.folder), wait=job.wait, tell=tell):
        # First, as what is in the folder decides how the runs that left it there have ended.
        take_back(job.folder)
        with remembering(job, name) as memory:
            if job.if_changed:
                tell("looking for changes")
                standing = _standing_gates(spec_file, job.folder) if memory.ends_well() else None
                if standing is not None:
                    return _stays(job, spec_file, standing)
            made = make(spec_file, job.folder, tell, memory.recall(spec_file.spec.history.show))
            tell("writing")
            return _written(job, made, memory, started)


def _standing_gates(spec_file: SpecFile, folder: Path) -> tuple[GateRecord, ...] | None:
    from reportgen.jobs.running.unchanged import standing_gates

    return standing_gates(spec_file, folder)


def _stays(job: Job, spec_file: SpecFile, gates: tuple[GateRecord, ...]) -> Outcome:
    """Leave the report as it is; a gate that it failed is still failed."""
    ending = _ending(gates)
    return Outcome(job.spec, ending, spec_file.spec.title, unchanged=True, gates=gates)


def _ending(gates: tuple[GateRecord, ...]) -> ExitCode:
    return ExitCode(int(any(gate.has_failed for gate in gates)))


def _written(job: Job, made: Made, memory: Memory, started: datetime) -> Outcome:
    """Write the report; the history knows of it before, and how it went after."""
    from reportgen.jobs.history.record import RunState
    from reportgen.jobs.running.recording import gate_records, record_of

    gates = gate_records(made.evaluation)
    ending = ExitCode.ENVIRONMENT if made.faults else _ending(gates)
    run = None
    try:
        if job.history:
            run = memory.begin(record_of(job, made, started, ending))
        removed = made.write()
    except OutputError:
        memory.finish(run, RunState.FAILED, ExitCode.OUTPUT)
        raise
    except BaseException:
        memory.settle()
        raise
    memory.finish(run, RunState.WRITTEN, ending)
    return Outcome(
        spec=job.spec,
        exit_code=max(ending, ExitCode.OUTPUT) if memory.faults else ending,
        title=made.evaluation.spec.title,
        files=tuple(str(made.folder / name) for name in made.files),
        removed=removed,
        warnings=made.warnings,
        faults=(*made.faults, *memory.faults),
        gates=gates,
        run=run,
        notify=made.evaluation.spec.notify,
    )
