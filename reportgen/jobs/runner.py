"""The runner of a single run: lock, change check, build, recording and notification."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode, HistoryError, LockedError, OutputError, ReportgenError
from reportgen.errors.run import internal_error_diagnostic
from reportgen.formats import PDF_FILE
from reportgen.jobs.history.record import RunState
from reportgen.jobs.job import JobOutcome, history_key
from reportgen.jobs.resources import is_out_of_memory, out_of_memory_diagnostic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from reportgen.jobs.history.record import GateRecord, RunRecord
    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.job import Job
    from reportgen.jobs.notifications.dispatch import Delivery, Notification
    from reportgen.jobs.recording import HistorySession
    from reportgen.pipeline import BuiltReport
    from reportgen.spec import NotificationSettings, SpecFile

    SendNotification: TypeAlias = Callable[
        [Iterable[NotificationSettings], Notification], tuple[str, ...]
    ]


def run_job(job: Job, on_progress: Callable[[str], None] = lambda _step: None) -> JobOutcome:
    """Build one spec; errors are part of the outcome, so that other jobs can continue."""
    started = time.monotonic()
    try:
        outcome = _build_and_record(job, on_progress)
    except ReportgenError as error:
        outcome = JobOutcome(job.spec, error.exit_code, diagnostics=error.diagnostics)
    except BaseException as error:
        # A failing spec must not affect other jobs. Panics of Rust are not an `Exception`.
        if is_out_of_memory(error):
            outcome = JobOutcome(
                job.spec, ExitCode.ENVIRONMENT, diagnostics=(out_of_memory_diagnostic(job.spec),)
            )
        elif isinstance(error, Exception):
            outcome = JobOutcome(
                job.spec,
                ExitCode.INTERNAL,
                diagnostics=(internal_error_diagnostic(job.spec, error),),
            )
        else:
            raise
    return replace(outcome, seconds=time.monotonic() - started)


def _build_and_record(job: Job, on_progress: Callable[[str], None]) -> JobOutcome:
    from reportgen.export.manifest import source_date
    from reportgen.jobs.recording import gates_if_up_to_date, open_history_session
    from reportgen.output.lock import file_lock, lock_path
    from reportgen.output.write import recover_interrupted_write
    from reportgen.pipeline import build_in_memory
    from reportgen.predictions.confinement import check_confined
    from reportgen.spec import load_spec

    started = datetime.now(UTC)
    # Before NumPy is imported, which fails if it is no date.
    source_date()
    spec_file = load_spec(job.spec).with_output(job.formats, job.detail)
    if job.untrusted:
        check_confined(spec_file)
    name = history_key(job.spec, spec_file.spec.history.name)
    with file_lock(lock_path(job.folder), wait=job.wait, on_progress=on_progress):
        # First, because the content of the folder determines the state of interrupted runs.
        recover_interrupted_write(job.folder)
        with open_history_session(job, name) as session:
            if job.if_changed:
                on_progress("looking for changes")
                gates = (
                    gates_if_up_to_date(spec_file, job.folder) if session.last_run_ok() else None
                )
                if gates is not None:
                    return _unchanged_outcome(job, spec_file, gates)
            built_report = build_in_memory(
                spec_file,
                job.folder,
                on_progress,
                session.load_previous(
                    spec_file.spec.history.show,
                    with_counts=spec_file.spec.history.error_rate is not None,
                ),
            )
            on_progress("writing")
            return _write_and_record(job, built_report, session, started)


def _unchanged_outcome(job: Job, spec_file: SpecFile, gates: tuple[GateRecord, ...]) -> JobOutcome:
    """Return the outcome of an unchanged report; its failed gates still count as failed."""
    exit_code = _exit_code_of_gates(gates)
    return JobOutcome(job.spec, exit_code, spec_file.spec.title, unchanged=True, gates=gates)


def _exit_code_of_gates(gates: tuple[GateRecord, ...]) -> ExitCode:
    return ExitCode(int(any(gate.has_failed for gate in gates)))


def _write_and_record(
    job: Job, built_report: BuiltReport, session: HistorySession, started: datetime
) -> JobOutcome:
    """Write the report; record the run before, and its final state after."""
    from reportgen.jobs.recording import build_gate_records, build_run_record

    gates = build_gate_records(built_report.evaluation)
    exit_code = ExitCode.ENVIRONMENT if built_report.diagnostics else _exit_code_of_gates(gates)
    run_id = None
    try:
        if job.history:
            run_id = session.begin(build_run_record(job, built_report, started, exit_code))
        removed = built_report.write()
    except OutputError:
        session.finish(run_id, RunState.FAILED, ExitCode.OUTPUT)
        raise
    except BaseException:
        session.recover_interrupted()
        raise
    session.finish(run_id, RunState.COMPLETED, exit_code)
    return JobOutcome(
        spec=job.spec,
        exit_code=max(exit_code, ExitCode.OUTPUT) if session.diagnostics else exit_code,
        title=built_report.evaluation.spec.title,
        files=tuple(str(built_report.folder / name) for name in built_report.files),
        removed=removed,
        warnings=(*built_report.warnings, *session.warnings),
        diagnostics=(*built_report.diagnostics, *session.diagnostics),
        gates=gates,
        run_id=run_id,
        notification_settings=built_report.evaluation.spec.notify,
    )


@dataclass(frozen=True, slots=True)
class PendingNotifications:
    """Notifications that are sent while other specs are built, by spec."""

    _deliveries: list[tuple[Path, Delivery]] = field(default_factory=list)

    def send(
        self, settings: Iterable[NotificationSettings], notification: Notification
    ) -> tuple[str, ...]:
        """Begin to send a notification; its warnings are collected later."""
        from reportgen.jobs.notifications.dispatch import begin_deliveries

        for delivery in begin_deliveries(settings, notification):
            self._deliveries.append((notification.spec, delivery))
        return ()

    def collect_warnings(self) -> dict[Path, tuple[str, ...]]:
        """Wait for all deliveries; return the warnings about failed ones by spec."""
        warnings_by_spec: dict[Path, tuple[str, ...]] = {}
        for spec, delivery in self._deliveries:
            warnings_by_spec[spec] = (*warnings_by_spec.get(spec, ()), *delivery.warnings())
        return warnings_by_spec


def finalize_run(
    job: Job, outcome: JobOutcome, *, is_final: bool = True, send: SendNotification | None = None
) -> JobOutcome:
    """Record a failed run, send notifications, and return the outcome with added errors.

    No notification is sent for a run that is not final, because it is retried. `send` sends it
    without waiting, and returns the warnings that are known already.
    Called in the process that started the run, which survives a crash of the worker.
    """
    if outcome.unchanged or outcome.exit_code is ExitCode.LOCKED or not job.spec.exists():
        # The report is unchanged, another run holds the lock, or the spec does not exist.
        return outcome
    settings = () if job.untrusted else _notify_settings(job, outcome)
    if outcome.run_id is not None and not settings:
        return outcome
    record, previous_run, outcome = _record_failure(job, outcome, is_final=is_final)
    if not (settings and is_final):
        return outcome
    from reportgen.jobs.notifications.dispatch import Notification, find_triggers, notify
    from reportgen.jobs.recording import read_title

    notification = Notification(
        title=outcome.title or read_title(job.spec) or job.spec.stem,
        spec=job.spec,
        exit_code=outcome.exit_code,
        triggers=find_triggers(outcome.exit_code, outcome.gates, previous_run),
        folder=job.folder.absolute(),
        run_id=outcome.run_id,
        gates=outcome.gates,
        errors=tuple(diagnostic.message for diagnostic in outcome.diagnostics),
        findings=record.findings if record else (),
        pdf=next((Path(name) for name in outcome.files if Path(name).name == PDF_FILE), None),
    )
    warnings = (send or notify)(settings, notification)
    return replace(outcome, warnings=(*outcome.warnings, *warnings))


def _notify_settings(job: Job, outcome: JobOutcome) -> tuple[NotificationSettings, ...]:
    """Return the notification settings, also of a spec that failed before it was validated.

    Commands of a spec that is invalid are not run.
    """
    if outcome.notification_settings:
        return outcome.notification_settings
    if outcome.exit_code in {ExitCode.SUCCESS, ExitCode.GATE_FAILED}:
        return ()
    from reportgen.jobs.notifications.dispatch import read_notify_settings

    settings = read_notify_settings(job.spec)
    if outcome.exit_code is not ExitCode.SPEC:
        return settings
    return tuple(setting for setting in settings if setting.command is None)


def _record_failure(
    job: Job, outcome: JobOutcome, *, is_final: bool
) -> tuple[RunRecord | None, RunRecord | None, JobOutcome]:
    """Record a failed run; return its record, the last notified run, and the outcome."""
    if job.history is None:
        return None, None, outcome
    from reportgen.jobs.history.store import history_is_missing, open_history

    if history_is_missing(job.history) and not job.output.exists():
        # Creates no history in an output folder that does not exist.
        return None, None, outcome
    from reportgen.jobs.recording import build_failure_record

    try:
        with open_history(job.history) as history:
            if outcome.run_id is None and not outcome.files:
                ended = datetime.now(UTC)
                started = ended - timedelta(seconds=outcome.seconds)
                _recover_interrupted(job, history)
                history.record_failure(build_failure_record(job, outcome, started, ended))
                outcome = replace(outcome, run_id=job.run_id)
            record = history.get_run(outcome.run_id) if outcome.run_id else None
            previous_run = None
            if record is not None:
                history.mark_final(record.id, is_final=is_final)
                previous_run = history.last_notified_run(record.name, record.id)
    except HistoryError as error:
        return None, None, _with_history_errors(outcome, error)
    return record, previous_run, outcome


def _recover_interrupted(job: Job, history: HistoryStore) -> None:
    """Set the state of a crashed run: completed if its report is in place, else interrupted."""
    record = history.get_run(job.run_id)
    if record is None or record.state is not RunState.RUNNING:
        return
    from reportgen.jobs.recording import manifest_hash
    from reportgen.output.lock import file_lock, lock_path
    from reportgen.output.write import recover_interrupted_write

    # Another run that holds the lock has already recovered it, or replaces the report.
    with suppress(LockedError, OutputError), file_lock(lock_path(job.folder)):
        recover_interrupted_write(job.folder)
        history.recover_interrupted(record.name, record.output, manifest_hash(job.folder))


def _with_history_errors(outcome: JobOutcome, error: HistoryError) -> JobOutcome:
    """Return the outcome with the errors of the history, unless it already has them."""
    new_diagnostics = tuple(
        diagnostic for diagnostic in error.diagnostics if diagnostic not in outcome.diagnostics
    )
    exit_code = max(outcome.exit_code, error.exit_code)
    return replace(
        outcome, diagnostics=(*outcome.diagnostics, *new_diagnostics), exit_code=exit_code
    )
