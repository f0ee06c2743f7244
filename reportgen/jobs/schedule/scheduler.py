"""The scheduler: builds specs when they are due, for as long as it is let."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from threading import Lock, RLock
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, ExitCode, OutputError
from reportgen.errors.run import internal_error_diagnostic
from reportgen.jobs.history.record import RunState
from reportgen.jobs.job import JobOutcome
from reportgen.jobs.schedule.registry import ScheduledSpec, SuspendedSpec
from reportgen.output.write import write_file_atomic
from reportgen.paths import SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.schedule.registry import SpecSchedules
    from reportgen.jobs.schedule.service import Executor
    from reportgen.jobs.schedule.timer import Timer
    from reportgen.spec.jobs import ScheduleSettings


# How the scheduler and its specs are, kept in a file that others may read.

SCHEDULE_STATE_SCHEMA = "reportgen/schedule/1"


class ScheduleState(StrEnum):
    """How a scheduled spec is."""

    WAITING = "waiting"
    """Its time has not come yet."""
    RUNNING = "running"
    """It is being built."""
    DONE = "done"
    """Its report was written, though perhaps with a failed gate."""
    FAILED = "failed"
    """It could not be built, and is not tried again before its next time."""
    RETRYING = "retrying"
    """It could not be built, and is tried again soon."""
    INTERRUPTED = "interrupted"
    """It was stopped while it was built, and is built when the scheduler starts again."""
    SUSPENDED = "suspended"
    """The spec has a fault; it is not built until that is mended."""


@dataclass(slots=True)
class ScheduleEntry:
    """What is known of one scheduled spec."""

    name: str
    spec: str
    cron: str | None = None
    timezone: str | None = None
    next: datetime | None = None
    last: datetime | None = None
    state: ScheduleState = ScheduleState.WAITING
    exit_code: int | None = None
    why: str | None = None
    """What is wrong with the spec, while it is suspended."""

    def row(self) -> dict[str, object]:
        """Return it as the file has it."""
        return {
            "name": self.name,
            "spec": self.spec,
            "cron": self.cron,
            "timezone": self.timezone,
            "next": _format_timestamp(self.next),
            "last": _format_timestamp(self.last),
            "state": self.state.value,
            "exit_code": self.exit_code,
            "why": self.why,
        }


def write_schedule_state(folder: Path, entries: Iterable[ScheduleEntry], now: datetime) -> None:
    """Write the file whole; whoever reads it sees by its time that the scheduler is alive."""
    document = {
        "schema": SCHEDULE_STATE_SCHEMA,
        "heartbeat": _format_timestamp(now),
        "pid": os.getpid(),
        "specs": [entry.row() for entry in sorted(entries, key=lambda entry: entry.name)],
    }
    content = json.dumps(document, indent=2, ensure_ascii=False) + "\n"
    write_file_atomic(folder / SCHEDULE_FILE, content.encode())


def read_schedule_state(folder: Path) -> dict[str, ScheduleEntry]:
    """Return what an earlier scheduler has left, by name.

    Raises:
        ValueError: There is a file, and it is none of a scheduler.
    """
    try:
        document = json.loads((folder / SCHEDULE_FILE).read_bytes())
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ValueError(error.strerror) from error
    try:
        if document["schema"] != SCHEDULE_STATE_SCHEMA:
            raise ValueError(f"its schema is {document['schema']!r}")
        entries = [_parse_entry(row) for row in document["specs"]]
    except (KeyError, TypeError) as error:
        raise ValueError(f"it lacks {error}") from error
    return {entry.name: entry for entry in entries}


def _parse_entry(row: dict[str, str | int | None]) -> ScheduleEntry:
    exit_code = row["exit_code"]
    return ScheduleEntry(
        name=str(row["name"]),
        spec=str(row["spec"]),
        cron=None if row["cron"] is None else str(row["cron"]),
        timezone=None if row["timezone"] is None else str(row["timezone"]),
        last=None if row["last"] is None else _parse_timestamp(str(row["last"])),
        state=ScheduleState(str(row["state"])),
        exit_code=None if exit_code is None else int(exit_code),
    )


def _format_timestamp(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat(timespec="seconds")


def _parse_timestamp(written: str) -> datetime:
    moment = datetime.fromisoformat(written)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


# What was missed while nobody was there to do it.

# A run that ended in none of these was broken off, and has to be done again.
COMPLETED_STATES = {RunState.WRITTEN, RunState.FAILED}
INTERRUPTED_STATES = {ScheduleState.RUNNING, ScheduleState.INTERRUPTED, ScheduleState.RETRYING}
RECENT_RUNS = 20


@dataclass(frozen=True, slots=True)
class LastRun:
    """When a spec was last built, and how that ended."""

    started: datetime
    exit_code: int


def find_last_run(planned: ScheduledSpec, history: HistoryStore) -> LastRun | None:
    """Return the last run of a spec that came to an end, as the history knows it."""
    runs = history.runs(planned.kept_as, most=RECENT_RUNS)
    ended = [LastRun(run.started, run.exit_code) for run in runs if run.state in COMPLETED_STATES]
    return max(ended, key=lambda run: run.started, default=None)


def restore_entry(
    name: str, earlier: ScheduleEntry | None, remembered: LastRun | None
) -> ScheduleEntry:
    """Return what is known of a spec: what the scheduler before has left, and what ran since."""
    entry = ScheduleEntry(name, "") if earlier is None else replace(earlier, next=None)
    is_broken_off = entry.state in INTERRUPTED_STATES
    if remembered is not None and (entry.last is None or remembered.started > entry.last):
        entry.last, entry.exit_code = remembered.started, remembered.exit_code
        is_broken_off = is_broken_off and remembered.exit_code > ExitCode.GATE_FAILED
    entry.state = (
        ScheduleState.INTERRUPTED if is_broken_off else state_of_exit_code(entry.exit_code)
    )
    return entry


def state_of_exit_code(exit_code: int | None) -> ScheduleState:
    """Return how a spec is by how its last run ended."""
    if exit_code is None:
        return ScheduleState.WAITING
    return ScheduleState.DONE if exit_code <= ExitCode.GATE_FAILED else ScheduleState.FAILED


def is_misfire(planned: ScheduledSpec, entry: ScheduleEntry, now: datetime) -> bool:
    """Tell whether a spec was due since it last ran, or was broken off.

    What never ran has missed nothing, and times that a new schedule names have no past.
    """
    if entry.state is ScheduleState.INTERRUPTED:
        return True
    schedule = planned.schedule
    is_other = entry.cron is not None and (entry.cron, entry.timezone) != (
        schedule.cron,
        schedule.timezone,
    )
    if is_other or entry.last is None:
        return False
    return planned.timetable.latest(entry.last, now) is not None


# Which runs are tried again, and when.

# What may be better the next time; a spec that is wrong and a gate that failed stay as they are.
RETRYABLE_EXIT_CODES = {
    ExitCode.DATA,
    ExitCode.ENVIRONMENT,
    ExitCode.OUTPUT,
    ExitCode.LOCKED,
    ExitCode.INTERNAL,
}


def retry_delay(schedule: ScheduleSettings, exit_code: int, attempt: int) -> int | None:
    """Return after how many seconds a run is tried again, which was the attempt of this number.

    The first attempt has the number 0; None if it is not tried again.
    """
    if exit_code not in RETRYABLE_EXIT_CODES or attempt >= schedule.retries:
        return None
    return int(schedule.retry_after * 2**attempt)


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class SchedulerLog:
    """Who hears what happens."""

    say: Callable[[str], None]
    show_faults: Callable[[tuple[Diagnostic, ...]], None]
    built: Callable[[JobOutcome], None] = lambda _outcome: None
    """Is called after every run, one at a time."""


@dataclass(slots=True)
class Scheduler:
    """Knows which specs are due when, and what became of them."""

    output: Path
    builds: Executor
    voice: SchedulerLog
    timer: Timer
    known: Mapping[str, ScheduleEntry] = field(default_factory=dict)
    """What an earlier scheduler has left."""
    last_runs: Callable[[ScheduledSpec], LastRun | None] = lambda _planned: None
    now: Callable[[], datetime] = _utc_now
    entries: dict[str, ScheduleEntry] = field(default_factory=dict)
    is_stopping: bool = False
    _plan: SpecSchedules = field(default_factory=dict)
    _missed: set[str] = field(default_factory=set)
    _tries: dict[str, int] = field(default_factory=dict)
    """How often those that are to be tried again have failed in a row."""
    _lock: RLock = field(default_factory=RLock)
    _after_lock: Lock = field(default_factory=Lock)

    def follow(self, plan: SpecSchedules) -> None:
        """Take on what is new, let go what is gone, and suspend what cannot be read any more."""
        with self._lock:
            before, self._plan = self._plan, plan
            for name in before.keys() - plan.keys():
                self.timer.forget(name)
                self._let_go(name)
                self.voice.say(f"{name}: has no schedule any more")
            for name, found in plan.items():
                if found == before.get(name):
                    continue
                if isinstance(found, SuspendedSpec):
                    self._suspend(found)
                else:
                    self._take_on(found, before.get(name))
            if plan != before:
                self.note()

    def due_now(self) -> list[str]:
        """Return the specs whose time has come since they last ran, or that never did."""
        return [
            name
            for name, found in self._plan.items()
            if isinstance(found, ScheduledSpec)
            and (name in self._missed or self.entries[name].last is None)
        ]

    def run(self, name: str) -> int | None:
        """Build a spec; return after how many seconds to try again, if that is to be done.

        A time that comes before the next try counts as that: otherwise no try would be the last,
        of which people are told.
        """
        suspended = self._plan.get(name)
        if isinstance(suspended, SuspendedSpec) and not self.is_stopping:
            self._refused(suspended)
            return None
        with self._lock:
            found, entry = self._plan.get(name), self.entries.get(name)
            if self.is_stopping or not isinstance(found, ScheduledSpec) or entry is None:
                return None
            if entry.state is ScheduleState.RUNNING:
                self.left_out(name)
                return None
            self.timer.forget_retry(name)
            self._missed.discard(name)
            entry.state, entry.last = ScheduleState.RUNNING, self.now()
            self.note()
            attempt = self._tries.pop(name, 0)
        outcome = self._built(found.path, is_last=attempt >= found.schedule.retries)
        wait = retry_delay(found.schedule, outcome.exit_code, attempt)
        with self._lock:
            wait = self._ended(found, entry, outcome, wait)
            if wait is not None:
                self._tries[name] = attempt + 1
            self.note()
        self._tell_others(outcome)
        return wait

    def run_and_retry(self, name: str) -> None:
        """Build a spec now, and see to it that it is tried again if it failed."""
        wait = self.run(name)
        if wait is not None and not self.is_stopping:
            begins = self.now() + timedelta(seconds=wait)
            self.timer.retry(name, begins, lambda: self.run_and_retry(name))

    def stop(self) -> None:
        """Begin nothing new from now on."""
        with self._lock:
            self.is_stopping = True

    def left_out(self, name: str) -> None:
        """Say that a run is left out because the one before it takes so long."""
        self.voice.say(
            f"{_format_time(self.now())} {name}: left out, the run before it is still going on"
        )

    def note(self) -> None:
        """Write how all is; a disk that is full for a while does not end the schedule."""
        with self._lock:
            for name, entry in self.entries.items():
                entry.next = self.timer.next_run(name)
            try:
                write_schedule_state(self.output, self.entries.values(), self.now())
            except OutputError as error:
                self.voice.show_faults(error.diagnostics)

    def running(self) -> int:
        """Return how many specs are being built."""
        states = [entry.state for entry in list(self.entries.values())]
        return states.count(ScheduleState.RUNNING)

    def _ended(
        self, found: ScheduledSpec, entry: ScheduleEntry, outcome: JobOutcome, wait: int | None
    ) -> int | None:
        """Note how a build ended; return after how many seconds to try again, if that may be."""
        name, planned = found.name, self._plan.get(found.name)
        if self.is_stopping and outcome.exit_code > ExitCode.GATE_FAILED:
            wait, entry.state = None, ScheduleState.INTERRUPTED
        elif isinstance(planned, SuspendedSpec):
            wait, entry.state = None, ScheduleState.SUSPENDED
        else:
            retrying = ScheduleState.RETRYING
            entry.state = state_of_exit_code(outcome.exit_code) if wait is None else retrying
        entry.exit_code = int(outcome.exit_code)
        entry.next = self.timer.next_run(name)
        if planned is None:
            # What was to be tried again is built when the spec comes back.
            wait = None
            self._let_go(name)
        self._tell(found, entry, outcome, wait)
        return wait

    def _let_go(self, name: str) -> None:
        """Remember a spec that is gone; one that is being built stays until that has ended."""
        if self.entries[name].state is not ScheduleState.RUNNING:
            self.known = {**self.known, name: self.entries.pop(name)}

    def _suspend(self, found: SuspendedSpec) -> None:
        """Build it no more; if it was on the timetable it fails when its time comes."""
        self.timer.forget_retry(found.name)
        entry = self._entry(found)
        entry.why = "; ".join(fault.message for fault in found.faults)
        if entry.state is not ScheduleState.RUNNING:
            entry.state = ScheduleState.SUSPENDED
        self.voice.show_faults(found.faults)
        self.voice.say(f"{found.name}: suspended until the spec is mended")

    def _refused(self, found: SuspendedSpec) -> None:
        """Let the time of a suspended spec be a failure, so that somebody hears of it."""
        self.voice.say(f"{_format_time(self.now())} {found.name}: not built, it is suspended")
        try:
            self.builds.refuse(found.path, found.faults)
        except Exception as error:  # noqa: BLE001  # the others have to be built all the same
            self.voice.show_faults((internal_error_diagnostic(found.path, error),))

    def _take_on(self, found: ScheduledSpec, before: ScheduledSpec | SuspendedSpec | None) -> None:
        """Put a spec on the timetable; if its time has passed, it is built now, once."""
        entry = self._entry(found)
        entry.why = None
        if isinstance(before, ScheduledSpec) and before.schedule == found.schedule:
            return
        now = self.now()
        is_running = entry.state is ScheduleState.RUNNING
        if (
            not isinstance(before, ScheduledSpec)
            and not is_running
            and is_misfire(found, entry, now)
        ):
            self._missed.add(found.name)
        entry.cron, entry.timezone = found.schedule.cron, found.schedule.timezone
        if not is_running:
            entry.state = state_of_exit_code(entry.exit_code)
        name = found.name
        self.timer.keep(name, found.timetable, lambda: self.run_and_retry(name))
        if name in self._missed:
            self.voice.say(f"{_format_time(now)} {name}: was missed, is built now")
            self.timer.catch_up(name, lambda: self.run_and_retry(name))

    def _entry(self, found: ScheduledSpec | SuspendedSpec) -> ScheduleEntry:
        """Return what is known of a spec, from now or from before."""
        name = found.name
        if name not in self.entries:
            remembered = self.last_runs(found) if isinstance(found, ScheduledSpec) else None
            self.entries[name] = restore_entry(name, self.known.get(name), remembered)
        entry = self.entries[name]
        entry.spec = str(found.path)
        return entry

    def _built(self, spec: Path, *, is_last: bool) -> JobOutcome:
        """Build a spec; whatever happens, there is an outcome."""
        try:
            return self.builds.build(spec, is_last=is_last)
        except Exception as error:  # noqa: BLE001  # the others have to be built all the same
            return JobOutcome(
                spec, ExitCode.INTERNAL, faults=(internal_error_diagnostic(spec, error),)
            )

    def _tell_others(self, outcome: JobOutcome) -> None:
        """Do what is done after every run; that it fails is told, and is no failure of the run."""
        if self.is_stopping:
            return
        with self._after_lock:
            try:
                self.voice.built(outcome)
            except Exception as error:  # noqa: BLE001  # nobody else would hear of it in a thread
                self.voice.show_faults((internal_error_diagnostic(outcome.spec, error),))

    def _tell(
        self, found: ScheduledSpec, entry: ScheduleEntry, outcome: JobOutcome, wait: int | None
    ) -> None:
        self.voice.show_faults(outcome.faults)
        took = f"{outcome.seconds:.1f} s"
        told = f"failed after {took}" if wait is not None else f"{entry.state} in {took}"
        if outcome.exit_code:
            told += f", exit code {int(outcome.exit_code)}"
        if wait is not None:
            told += f"; is tried again in {wait} s"
        elif entry.next is not None:
            told += f", next {_format_time(entry.next)}"
        self.voice.say(f"{_format_time(self.now())} {found.name}: {told}")


def _format_time(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
