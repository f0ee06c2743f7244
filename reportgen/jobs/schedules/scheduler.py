"""The scheduler: builds specs when they are due, for as long as it is let."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Lock, RLock
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode, Fault, OutputError
from reportgen.errors.crash import internal_fault
from reportgen.frozen import frozen
from reportgen.jobs.running.job import Outcome
from reportgen.jobs.schedules.catching_up import is_missed, state_by, taken_up
from reportgen.jobs.schedules.planning import Planned, Suspended
from reportgen.jobs.schedules.retrying import wait_before_retry
from reportgen.jobs.schedules.state import Entry, SpecState, write_state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from reportgen.jobs.schedules.catching_up import LastRun
    from reportgen.jobs.schedules.planning import Plan
    from reportgen.jobs.schedules.timer import Timer
    from reportgen.jobs.schedules.workshop import Builds


def _now() -> datetime:
    return datetime.now(UTC)


@frozen
class Voice:
    """Who hears what happens."""

    say: Callable[[str], None]
    show_faults: Callable[[tuple[Fault, ...]], None]
    built: Callable[[Outcome], None] = lambda _outcome: None
    """Is called after every run, one at a time."""


@dataclass(slots=True)
class Scheduler:
    """Knows which specs are due when, and what became of them."""

    output: Path
    builds: Builds
    voice: Voice
    timer: Timer
    known: Mapping[str, Entry] = field(default_factory=dict)
    """What an earlier scheduler has left."""
    last_runs: Callable[[Planned], LastRun | None] = lambda _planned: None
    now: Callable[[], datetime] = _now
    entries: dict[str, Entry] = field(default_factory=dict)
    is_stopping: bool = False
    _plan: Plan = field(default_factory=dict)
    _missed: set[str] = field(default_factory=set)
    _tries: dict[str, int] = field(default_factory=dict)
    """How often those that are to be tried again have failed in a row."""
    _lock: RLock = field(default_factory=RLock)
    _after_lock: Lock = field(default_factory=Lock)

    def follow(self, plan: Plan) -> None:
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
                if isinstance(found, Suspended):
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
            if isinstance(found, Planned)
            and (name in self._missed or self.entries[name].last is None)
        ]

    def run(self, name: str) -> int | None:
        """Build a spec; return after how many seconds to try again, if that is to be done.

        A time that comes before the next try counts as that: otherwise no try would be the last,
        of which people are told.
        """
        suspended = self._plan.get(name)
        if isinstance(suspended, Suspended) and not self.is_stopping:
            self._refused(suspended)
            return None
        with self._lock:
            found, entry = self._plan.get(name), self.entries.get(name)
            if self.is_stopping or not isinstance(found, Planned) or entry is None:
                return None
            if entry.state is SpecState.RUNNING:
                self.left_out(name)
                return None
            self.timer.forget_retry(name)
            self._missed.discard(name)
            entry.state, entry.last = SpecState.RUNNING, self.now()
            self.note()
            attempt = self._tries.pop(name, 0)
        outcome = self._built(found.path, is_last=attempt >= found.schedule.retries)
        wait = wait_before_retry(found.schedule, outcome.exit_code, attempt)
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
            f"{_shown(self.now())} {name}: left out, the run before it is still going on"
        )

    def note(self) -> None:
        """Write how all is; a disk that is full for a while does not end the schedule."""
        with self._lock:
            for name, entry in self.entries.items():
                entry.next = self.timer.next_run(name)
            try:
                write_state(self.output, self.entries.values(), self.now())
            except OutputError as error:
                self.voice.show_faults(error.faults)

    def running(self) -> int:
        """Return how many specs are being built."""
        states = [entry.state for entry in list(self.entries.values())]
        return states.count(SpecState.RUNNING)

    def _ended(
        self, found: Planned, entry: Entry, outcome: Outcome, wait: int | None
    ) -> int | None:
        """Note how a build ended; return after how many seconds to try again, if that may be."""
        name, planned = found.name, self._plan.get(found.name)
        if self.is_stopping and outcome.exit_code > ExitCode.GATE_FAILED:
            wait, entry.state = None, SpecState.INTERRUPTED
        elif isinstance(planned, Suspended):
            wait, entry.state = None, SpecState.SUSPENDED
        else:
            retrying = SpecState.RETRYING
            entry.state = state_by(outcome.exit_code) if wait is None else retrying
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
        if self.entries[name].state is not SpecState.RUNNING:
            self.known = {**self.known, name: self.entries.pop(name)}

    def _suspend(self, found: Suspended) -> None:
        """Build it no more; if it was on the timetable it fails when its time comes."""
        self.timer.forget_retry(found.name)
        entry = self._entry(found)
        entry.why = "; ".join(fault.message for fault in found.faults)
        if entry.state is not SpecState.RUNNING:
            entry.state = SpecState.SUSPENDED
        self.voice.show_faults(found.faults)
        self.voice.say(f"{found.name}: suspended until the spec is mended")

    def _refused(self, found: Suspended) -> None:
        """Let the time of a suspended spec be a failure, so that somebody hears of it."""
        self.voice.say(f"{_shown(self.now())} {found.name}: not built, it is suspended")
        try:
            self.builds.refuse(found.path, found.faults)
        except Exception as error:  # noqa: BLE001  # the others have to be built all the same
            self.voice.show_faults((internal_fault(found.path, error),))

    def _take_on(self, found: Planned, before: Planned | Suspended | None) -> None:
        """Put a spec on the timetable; if its time has passed, it is built now, once."""
        entry = self._entry(found)
        entry.why = None
        if isinstance(before, Planned) and before.schedule == found.schedule:
            return
        now = self.now()
        is_running = entry.state is SpecState.RUNNING
        if not isinstance(before, Planned) and not is_running and is_missed(found, entry, now):
            self._missed.add(found.name)
        entry.cron, entry.timezone = found.schedule.cron, found.schedule.timezone
        if not is_running:
            entry.state = state_by(entry.exit_code)
        name = found.name
        self.timer.keep(name, found.timetable, lambda: self.run_and_retry(name))
        if name in self._missed:
            self.voice.say(f"{_shown(now)} {name}: was missed, is built now")
            self.timer.catch_up(name, lambda: self.run_and_retry(name))

    def _entry(self, found: Planned | Suspended) -> Entry:
        """Return what is known of a spec, from now or from before."""
        name = found.name
        if name not in self.entries:
            remembered = self.last_runs(found) if isinstance(found, Planned) else None
            self.entries[name] = taken_up(name, self.known.get(name), remembered)
        entry = self.entries[name]
        entry.spec = str(found.path)
        return entry

    def _built(self, spec: Path, *, is_last: bool) -> Outcome:
        """Build a spec; whatever happens, there is an outcome."""
        try:
            return self.builds.build(spec, is_last=is_last)
        except Exception as error:  # noqa: BLE001  # the others have to be built all the same
            return Outcome(spec, ExitCode.INTERNAL, faults=(internal_fault(spec, error),))

    def _tell_others(self, outcome: Outcome) -> None:
        """Do what is done after every run; that it fails is told, and is no failure of the run."""
        if self.is_stopping:
            return
        with self._after_lock:
            try:
                self.voice.built(outcome)
            except Exception as error:  # noqa: BLE001  # nobody else would hear of it in a thread
                self.voice.show_faults((internal_fault(outcome.spec, error),))

    def _tell(self, found: Planned, entry: Entry, outcome: Outcome, wait: int | None) -> None:
        self.voice.show_faults(outcome.faults)
        took = f"{outcome.seconds:.1f} s"
        told = f"failed after {took}" if wait is not None else f"{entry.state} in {took}"
        if outcome.exit_code:
            told += f", exit code {int(outcome.exit_code)}"
        if wait is not None:
            told += f"; is tried again in {wait} s"
        elif entry.next is not None:
            told += f", next {_shown(entry.next)}"
        self.voice.say(f"{_shown(self.now())} {found.name}: {told}")


def _shown(moment: datetime) -> str:
    return f"{moment:%Y-%m-%d %H:%M:%S} UTC"
