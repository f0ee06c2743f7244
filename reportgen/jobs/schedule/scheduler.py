"""The scheduler: states of scheduled specs, misfires, retries and execution of due runs."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from threading import Lock, RLock
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, ExitCode, OutputError
from reportgen.errors.run import internal_error_diagnostic
from reportgen.jobs.history.record import RunState
from reportgen.jobs.job import JobOutcome
from reportgen.jobs.schedule.registry import ScheduledSpec, SuspendedSpec
from reportgen.jobs.schedule.timetable import Timetable
from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleState, write_schedule_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.schedule.registry import SpecSchedules
    from reportgen.jobs.schedule.service import Executor
    from reportgen.jobs.schedule.timer import Timer


# A run in another state was interrupted and is repeated.
FINISHED_RUN_STATES = {RunState.COMPLETED, RunState.FAILED}
INTERRUPTED_STATES = {ScheduleState.RUNNING, ScheduleState.INTERRUPTED, ScheduleState.RETRYING}
RECENT_RUNS = 20


@dataclass(frozen=True, slots=True)
class LastRun:
    """The time and the result of the last run of a spec."""

    started: datetime
    exit_code: int


def find_last_run(scheduled_spec: ScheduledSpec, history: HistoryStore) -> LastRun | None:
    """Return the last finished run of a spec in the history; None if there is none."""
    runs = history.runs(scheduled_spec.history_key, limit=RECENT_RUNS)
    ended = [
        LastRun(run.started, run.exit_code) for run in runs if run.state in FINISHED_RUN_STATES
    ]
    return next(iter(ended), None)


def restore_entry(
    name: str, previous_entry: ScheduleEntry | None, last_run: LastRun | None, now: datetime
) -> ScheduleEntry:
    """Return the entry of a spec from the earlier state file, updated by its last run."""
    entry = (
        ScheduleEntry(name, "") if previous_entry is None else replace(previous_entry, next=None)
    )
    was_interrupted = entry.state in INTERRUPTED_STATES
    if entry.last is not None and entry.last > now:
        # Written while the clock was wrong: due times would count as missed only after it.
        entry.last = now
    if last_run is not None and (entry.last is None or now >= last_run.started > entry.last):
        entry.last, entry.exit_code = last_run.started, last_run.exit_code
        was_interrupted = was_interrupted and last_run.exit_code > ExitCode.GATE_FAILED
    entry.state = (
        ScheduleState.INTERRUPTED if was_interrupted else state_of_exit_code(entry.exit_code)
    )
    return entry


def state_of_exit_code(exit_code: int | None) -> ScheduleState:
    """Return the state of a spec after a run with an exit code; None means no run yet."""
    if exit_code is None:
        return ScheduleState.WAITING
    return ScheduleState.DONE if exit_code <= ExitCode.GATE_FAILED else ScheduleState.FAILED


def is_misfire(scheduled_spec: ScheduledSpec, entry: ScheduleEntry, now: datetime) -> bool:
    """Return whether a spec has missed a due time since its last run, or was interrupted.

    A spec that never ran has no misfires, and neither has a changed schedule before the change.
    """
    if entry.state is ScheduleState.INTERRUPTED:
        return True
    schedule = scheduled_spec.schedule
    is_changed = entry.cron is not None and (entry.cron, entry.timezone) != (
        schedule.cron,
        schedule.timezone,
    )
    if is_changed or entry.last is None:
        return False
    return scheduled_spec.timetable.latest_run(min(entry.last, now), now) is not None


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SchedulerLog:
    """The callbacks for log messages, diagnostics and finished runs."""

    log_message: Callable[[str], None]
    log_diagnostics: Callable[[tuple[Diagnostic, ...]], None]
    on_run_finished: Callable[[JobOutcome], None] = lambda _outcome: None
    """The callback after every run; calls are serialized."""


@dataclass(slots=True)
class Scheduler:
    """Runs specs when they are due, and tracks their states."""

    output: Path
    executor: Executor
    log: SchedulerLog
    timer: Timer
    previous_entries: Mapping[str, ScheduleEntry] = field(default_factory=dict)
    """The entries in the state file of an earlier scheduler."""
    lookup_last_run: Callable[[ScheduledSpec], LastRun | None] = lambda _planned: None
    now: Callable[[], datetime] = _utc_now
    entries: dict[str, ScheduleEntry] = field(default_factory=dict)
    is_stopping: bool = False
    _schedules: SpecSchedules = field(default_factory=dict)
    _misfired: set[str] = field(default_factory=set)
    _failed_attempts: dict[str, int] = field(default_factory=dict)
    """The number of consecutive failed attempts by name, while a retry is scheduled."""
    _lock: RLock = field(default_factory=RLock)
    _callback_lock: Lock = field(default_factory=Lock)

    def update_schedules(self, schedules: SpecSchedules) -> None:
        """Add new specs, remove those without a schedule, and suspend invalid ones."""
        with self._lock:
            previous, self._schedules = self._schedules, schedules
            for name in previous.keys() - schedules.keys():
                self.timer.remove(name)
                self._remove_entry(name)
                self.log.log_message(f"{name}: no longer scheduled")
            for name, spec in schedules.items():
                if spec == previous.get(name):
                    continue
                if isinstance(spec, SuspendedSpec):
                    self._suspend(spec)
                else:
                    self._add_spec(spec, previous.get(name))
            if schedules != previous:
                self.write_state()

    def due_specs(self) -> list[str]:
        """Return the names of the specs with a misfire or without any run."""
        return [
            name
            for name, spec in self._schedules.items()
            if name in self._misfired
            or (isinstance(spec, ScheduledSpec) and self.entries[name].last is None)
        ]

    def run(self, name: str) -> float | None:
        """Build a spec; return the delay in seconds before a retry, None if there is none.

        A regular run that is due before the retry counts as the retry: otherwise no attempt would
        be the last one, after which notifications are sent.
        """
        scheduled_spec = self._schedules.get(name)
        if isinstance(scheduled_spec, SuspendedSpec) and not self.is_stopping:
            self._fail_suspended(scheduled_spec)
            return None
        with self._lock:
            spec, entry = self._schedules.get(name), self.entries.get(name)
            if self.is_stopping or not isinstance(spec, ScheduledSpec) or entry is None:
                return None
            if entry.state is ScheduleState.RUNNING:
                self.log_skipped(name)
                return None
            self.timer.cancel_retry(name)
            self._misfired.discard(name)
            entry.state, entry.last = ScheduleState.RUNNING, self.now()
            self.write_state()
            attempt = self._failed_attempts.pop(name, 0)
        outcome = self._execute(spec.path, is_last_attempt=attempt >= spec.schedule.retries)
        delay = spec.retry_policy.delay(outcome.exit_code, attempt)
        with self._lock:
            delay = self._record_outcome(spec, entry, outcome, delay)
            if delay is not None:
                self._failed_attempts[name] = attempt + 1
            self.write_state()
        self._call_on_run_finished(outcome)
        return delay

    def run_and_retry(self, name: str) -> None:
        """Build a spec now, and schedule a retry if it failed."""
        delay = self.run(name)
        if delay is not None and not self.is_stopping:
            retry_at = self.now() + timedelta(seconds=delay)
            self.timer.retry(name, retry_at, lambda: self.run_and_retry(name))

    def stop(self) -> None:
        """Start no further runs."""
        with self._lock:
            self.is_stopping = True

    def log_skipped(self, name: str) -> None:
        """Log that a run is skipped because the previous run is still in progress."""
        self.log.log_message(
            f"{_format_time(self.now())} {name}: skipped, the previous run is still in progress"
        )

    def write_state(self) -> None:
        """Write the state file; a write error, such as a full disk, is only logged."""
        with self._lock:
            for name, entry in self.entries.items():
                entry.next = self.timer.next_run(name)
            try:
                write_schedule_file(self.output, self.entries.values(), self.now())
            except OutputError as error:
                self.log.log_diagnostics(error.diagnostics)

    def running_count(self) -> int:
        """Return the number of runs in progress."""
        states = [entry.state for entry in list(self.entries.values())]
        return states.count(ScheduleState.RUNNING)

    def _record_outcome(
        self,
        scheduled_spec: ScheduledSpec,
        entry: ScheduleEntry,
        outcome: JobOutcome,
        retry_seconds: float | None,
    ) -> float | None:
        """Update the entry after a run; return the delay in seconds before a retry, or None."""
        name, current = scheduled_spec.name, self._schedules.get(scheduled_spec.name)
        if self.is_stopping and outcome.exit_code > ExitCode.GATE_FAILED:
            retry_seconds, entry.state = None, ScheduleState.INTERRUPTED
        elif isinstance(current, SuspendedSpec):
            retry_seconds, entry.state = None, ScheduleState.SUSPENDED
        else:
            retrying = ScheduleState.RETRYING
            entry.state = (
                state_of_exit_code(outcome.exit_code) if retry_seconds is None else retrying
            )
        entry.exit_code = int(outcome.exit_code)
        entry.next = self.timer.next_run(name)
        if current is None:
            # The spec was removed during the run: instead of a retry it is run when it returns.
            retry_seconds = None
            self._remove_entry(name)
        self._log_outcome(scheduled_spec, entry, outcome, retry_seconds)
        return retry_seconds

    def _remove_entry(self, name: str) -> None:
        """Move the entry of a removed spec to the previous ones, unless it is running."""
        if self.entries[name].state is not ScheduleState.RUNNING:
            self.previous_entries = {**self.previous_entries, name: self.entries.pop(name)}

    def _suspend(self, suspended_spec: SuspendedSpec) -> None:
        """Suspend a spec: a failure is recorded at its due times.

        Without a readable schedule these are the due times of the schedule it had before; if it had
        none, a failure is recorded immediately, so that the spec is not overlooked.
        """
        name = suspended_spec.name
        self.timer.cancel_retry(name)
        is_new = name not in self.entries
        entry = self._get_or_restore_entry(suspended_spec)
        timetable = suspended_spec.timetable
        if timetable is None and entry.cron is not None:
            timetable = Timetable(entry.cron, entry.timezone or "UTC", name=name)
        if timetable is not None:
            self.timer.schedule(name, timetable, lambda: self.run_and_retry(name))
        if is_new and self._is_due_on_suspension(entry, timetable):
            self._misfired.add(name)
            self.timer.catch_up(name, lambda: self.run_and_retry(name))
        entry.reason = "; ".join(diagnostic.message for diagnostic in suspended_spec.diagnostics)
        if entry.state is not ScheduleState.RUNNING:
            entry.state = ScheduleState.SUSPENDED
        self.log.log_diagnostics(suspended_spec.diagnostics)
        self.log.log_message(f"{suspended_spec.name}: suspended until the spec is fixed")

    def _is_due_on_suspension(self, entry: ScheduleEntry, timetable: Timetable | None) -> bool:
        """Return whether a failure is due when the scheduler starts with an invalid spec."""
        if timetable is None:
            return True
        last = entry.last
        return last is not None and timetable.latest_run(last, self.now()) is not None

    def _fail_suspended(self, suspended_spec: SuspendedSpec) -> None:
        """Record a due run of a suspended spec as a failure, so that notifications are sent."""
        with self._lock:
            self._misfired.discard(suspended_spec.name)
            entry = self.entries[suspended_spec.name]
            entry.last, entry.exit_code = self.now(), int(ExitCode.SPEC)
        self.log.log_message(
            f"{_format_time(self.now())} {suspended_spec.name}: not built, the spec is suspended"
        )
        try:
            self.executor.record_failure(suspended_spec.path, suspended_spec.diagnostics)
        except Exception as error:  # noqa: BLE001  # other specs must still be built
            self.log.log_diagnostics((internal_error_diagnostic(suspended_spec.path, error),))
        self.write_state()

    def _add_spec(
        self, scheduled_spec: ScheduledSpec, previous: ScheduledSpec | SuspendedSpec | None
    ) -> None:
        """Schedule a spec; after a misfire it is run once immediately."""
        entry = self._get_or_restore_entry(scheduled_spec)
        entry.reason = None
        if isinstance(previous, ScheduledSpec) and previous.schedule == scheduled_spec.schedule:
            return
        now = self.now()
        is_running = entry.state is ScheduleState.RUNNING
        if (
            not isinstance(previous, ScheduledSpec)
            and not is_running
            and is_misfire(scheduled_spec, entry, now)
        ):
            self._misfired.add(scheduled_spec.name)
        entry.cron, entry.timezone = scheduled_spec.schedule.cron, scheduled_spec.schedule.timezone
        if not is_running:
            entry.state = state_of_exit_code(entry.exit_code)
        name = scheduled_spec.name
        self.timer.schedule(name, scheduled_spec.timetable, lambda: self.run_and_retry(name))
        if name in self._misfired:
            self.log.log_message(f"{_format_time(now)} {name}: missed, building now")
            self.timer.catch_up(name, lambda: self.run_and_retry(name))

    def _get_or_restore_entry(self, spec: ScheduledSpec | SuspendedSpec) -> ScheduleEntry:
        """Return the entry of a spec; restore it from the state file if it is new."""
        name = spec.name
        if name not in self.entries:
            last_run = self.lookup_last_run(spec) if isinstance(spec, ScheduledSpec) else None
            self.entries[name] = restore_entry(
                name, self.previous_entries.get(name), last_run, self.now()
            )
        entry = self.entries[name]
        entry.spec = str(spec.path)
        return entry

    def _execute(self, spec: Path, *, is_last_attempt: bool) -> JobOutcome:
        """Build a spec; an exception becomes a failed outcome."""
        try:
            return self.executor.build(spec, is_last_attempt=is_last_attempt)
        except Exception as error:  # noqa: BLE001  # other specs must still be built
            return JobOutcome(
                spec, ExitCode.INTERNAL, diagnostics=(internal_error_diagnostic(spec, error),)
            )

    def _call_on_run_finished(self, outcome: JobOutcome) -> None:
        """Call the callback for finished runs; its errors are logged and do not fail the run."""
        if self.is_stopping:
            return
        with self._callback_lock:
            try:
                self.log.on_run_finished(outcome)
            except Exception as error:  # noqa: BLE001  # otherwise lost in the thread
                self.log.log_diagnostics((internal_error_diagnostic(outcome.spec, error),))

    def _log_outcome(
        self,
        scheduled_spec: ScheduledSpec,
        entry: ScheduleEntry,
        outcome: JobOutcome,
        retry_seconds: float | None,
    ) -> None:
        self.log.log_diagnostics(outcome.diagnostics)
        duration = f"{outcome.seconds:.1f} s"
        status = (
            f"failed after {duration}"
            if retry_seconds is not None
            else f"{entry.state} in {duration}"
        )
        if outcome.exit_code:
            status += f", exit code {int(outcome.exit_code)}"
        if retry_seconds is not None:
            status += f"; retry in {retry_seconds:g} s"
        elif entry.next is not None:
            status += f", next {_format_time(entry.next)}"
        self.log.log_message(f"{_format_time(self.now())} {scheduled_spec.name}: {status}")


def _format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
