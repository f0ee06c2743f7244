"""The scheduler as a process: it holds its folder, listens to signals and stops in peace."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import Diagnostic, ExitCode, Location, LockedError
from reportgen.errors.run import WORKER_DIED
from reportgen.jobs.job import Job, JobOutcome
from reportgen.jobs.schedule.registry import ScheduledSpec, ScheduleRegistry, no_schedule_error
from reportgen.jobs.schedule.scheduler import (
    RETRYABLE_EXIT_CODES,
    Scheduler,
    ScheduleState,
    read_schedule_state,
)
from reportgen.jobs.schedule.timer import NullTimer, ThreadTimer
from reportgen.jobs.worker import SHUTDOWN_SECONDS
from reportgen.jobs.worker_pool import WorkerPool
from reportgen.output.lock import file_lock
from reportgen.paths import SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import FrameType

    from reportgen.jobs.resources import ResourceLimits
    from reportgen.jobs.schedule.scheduler import LastRun, ScheduleEntry, SchedulerLog
    from reportgen.jobs.schedule.timer import Timer


SCHEDULER_LOCK_FILE = f".{SCHEDULE_FILE}.lock"
HEARTBEAT_SECONDS = 30.0
SPEC_POLL_SECONDS = 5.0
GRACE_SECONDS = 10.0
LOOP_POLL_SECONDS = 0.1
SIGNAL_EXIT_BASE = 128


@dataclass(frozen=True, slots=True)
class SchedulerService:
    """What is scheduled and where, how many at once, and how it is built."""

    paths: Sequence[Path]
    output: Path
    builds: Executor
    voice: SchedulerLog
    at_once: int = 1
    last_runs: Callable[[ScheduledSpec], LastRun | None] = lambda _planned: None
    heartbeat: float = HEARTBEAT_SECONDS
    look: float = SPEC_POLL_SECONDS
    grace: float = GRACE_SECONDS

    def run(self) -> int:
        """Build specs when they are due, until a signal ends it; return the exit code."""
        with _scheduler_lock(self.output), _signal_handlers() as signals:
            planner = ScheduleRegistry(self.paths)
            timer = ThreadTimer(self.at_once)
            scheduler = self._scheduler(timer)
            timer.left_out = scheduler.left_out
            self._begin(scheduler, planner)
            timer.start()
            scheduler.note()
            self.voice.say(f"scheduled: {', '.join(sorted(scheduler.entries))}")
            self._serve(scheduler, planner, signals)
            self._end(scheduler, timer, signals)
        return SIGNAL_EXIT_BASE + (signals.ended_by or signal.SIGTERM)

    def run_once(self) -> int:
        """Build what is due, or never ran; return the worst exit code."""
        with _scheduler_lock(self.output), _signal_handlers() as signals:
            scheduler = self._scheduler(NullTimer())
            self._begin(scheduler, ScheduleRegistry(self.paths))
            names = scheduler.due_now()
            with ThreadPoolExecutor(self.at_once) as pool:
                rounds = [
                    pool.submit(_run_with_retries, scheduler, name, signals) for name in names
                ]
                while not all(each.done() for each in rounds):
                    time.sleep(LOOP_POLL_SECONDS)
                    if signals.ended_by is not None and not scheduler.is_stopping:
                        scheduler.stop()
                        self._let_finish(scheduler, signals)
            for each in rounds:
                each.result()
            scheduler.note()
            if signals.ended_by is not None:
                return SIGNAL_EXIT_BASE + signals.ended_by
            codes = [scheduler.entries[name].exit_code or 0 for name in names]
            suspended = (
                entry.state is ScheduleState.SUSPENDED for entry in scheduler.entries.values()
            )
            return max([*codes, int(ExitCode.SPEC) if any(suspended) else 0])

    def _scheduler(self, timer: Timer) -> Scheduler:
        return Scheduler(
            self.output,
            self.builds,
            self.voice,
            timer,
            known=self._known(),
            last_runs=self.last_runs,
        )

    def _known(self) -> dict[str, ScheduleEntry]:
        try:
            return read_schedule_state(self.output)
        except ValueError as error:
            told = f"{self.output / SCHEDULE_FILE} cannot be read ({error}) and is written anew"
            self.voice.say(told)
            return {}

    def _begin(self, scheduler: Scheduler, planner: ScheduleRegistry) -> None:
        from reportgen.jobs.job import find_specs

        find_specs(self.paths)
        plan = planner.plan()
        scheduler.follow(plan)
        if not any(isinstance(found, ScheduledSpec) for found in plan.values()):
            raise no_schedule_error(self.paths)

    def _serve(
        self, scheduler: Scheduler, planner: ScheduleRegistry, signals: _ReceivedSignals
    ) -> None:
        """Look at the specs and show a sign of life, until it is to end."""
        looked = beat = time.monotonic()
        while signals.ended_by is None:
            time.sleep(LOOP_POLL_SECONDS)
            now = time.monotonic()
            if signals.is_reload:
                signals.is_reload = False
                self.voice.say("specs are read anew")
                scheduler.follow(planner.plan(afresh=True))
            elif now - looked >= self.look:
                looked = now
                scheduler.follow(planner.plan())
            if now - beat >= self.heartbeat:
                beat = now
                scheduler.note()

    def _end(self, scheduler: Scheduler, timer: ThreadTimer, signals: _ReceivedSignals) -> None:
        scheduler.stop()
        timer.stop()
        self._let_finish(scheduler, signals)
        scheduler.note()
        self.voice.say("stopped")

    def _let_finish(self, scheduler: Scheduler, signals: _ReceivedSignals) -> None:
        """Give what is being built some time; a second signal, or its end, stops it."""
        running = scheduler.running()
        if running:
            self.voice.say(f"waiting up to {self.grace:g} s for {running} to finish")
        deadline = time.monotonic() + self.grace
        while scheduler.running() and time.monotonic() < deadline and signals.ends == 1:
            time.sleep(LOOP_POLL_SECONDS)
        while scheduler.running():
            self.builds.stop()
            time.sleep(LOOP_POLL_SECONDS)


@contextmanager
def _scheduler_lock(output: Path) -> Iterator[None]:
    """Hold a folder against other schedulers: each of them would build what is due."""
    try:
        with file_lock(output / SCHEDULER_LOCK_FILE):
            yield
    except LockedError as error:
        help_line = "stop it first, or schedule into another folder with -o"
        raise LockedError(
            *(replace(fault, help=help_line) for fault in error.diagnostics)
        ) from error


def _run_with_retries(scheduler: Scheduler, name: str, signals: _ReceivedSignals) -> None:
    """Build a spec, and again as often as its schedule allows."""
    wait = scheduler.run(name)
    while wait is not None:
        again = time.monotonic() + wait
        while time.monotonic() < again:
            time.sleep(LOOP_POLL_SECONDS)
            if signals.ended_by is not None:
                return
        wait = scheduler.run(name)


@dataclass(slots=True)
class _ReceivedSignals:
    """What other processes have asked for.

    Plain values that are looked at now and then: a lock, as an event has it, could be held by the
    very line of the program that a signal interrupts.
    """

    is_reload: bool = False
    ended_by: int | None = None
    ends: int = 0

    def take(self, number: int, _frame: FrameType | None) -> None:
        """Note a signal."""
        if number == signal.SIGHUP:
            self.is_reload = True
            return
        self.ended_by = self.ended_by or number
        self.ends += 1


@contextmanager
def _signal_handlers() -> Iterator[_ReceivedSignals]:
    signals = _ReceivedSignals()
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, signals.take) for number in numbers}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


# Where scheduled specs are built: in a process each, which can be stopped.

EXECUTOR_POLL_SECONDS = 0.02


class Executor(Protocol):
    """Builds one spec after another or several at once, each call in a thread of its own."""

    def build(self, spec: Path, *, is_last: bool) -> JobOutcome:
        """Build a spec and return how it went; a failure is told if it is the last try."""

    def refuse(self, spec: Path, faults: tuple[Diagnostic, ...]) -> None:
        """Let a spec that cannot be built count as failed."""

    def stop(self) -> None:
        """Stop all that is being built; whoever waits for it gets an outcome."""


@dataclass(slots=True)
class ProcessExecutor:
    """Builds every spec in a fresh process, so that nothing piles up over months."""

    output: Path
    history: str | None
    limits: ResourceLimits
    _crews: list[WorkerPool] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _is_stopped: bool = False

    def build(self, spec: Path, *, is_last: bool) -> JobOutcome:
        """Build a spec in a process of its own, and tell whoever wants to know how it went."""
        from reportgen.jobs.runner import finalize_run

        job = Job(spec, self.output, history=self.history)
        with WorkerPool(1, self.limits) as crew:
            with self._lock:
                self._crews.append(crew)
            try:
                for _place, outcome in crew.build([job]):
                    # That it was stopped is no news, and is done again: it is not remembered.
                    if self._is_stopped and outcome.exit_code > ExitCode.GATE_FAILED:
                        return outcome
                    is_final = is_last or outcome.exit_code not in RETRYABLE_EXIT_CODES
                    return finalize_run(job, outcome, is_final=is_final)
            finally:
                with self._lock:
                    self._crews.remove(crew)
        fault = Diagnostic(WORKER_DIED, f"nobody has built {spec}", Location(spec))
        return JobOutcome(spec, ExitCode.INTERNAL, faults=(fault,))

    def refuse(self, spec: Path, faults: tuple[Diagnostic, ...]) -> None:
        """Remember that a spec could not be built, and tell whoever wants to know."""
        from reportgen.jobs.runner import finalize_run

        job = Job(spec, self.output, history=self.history)
        finalize_run(job, JobOutcome(spec, ExitCode.SPEC, faults=faults))

    def stop(self) -> None:
        """Ask all workers to end, and end those that do not hear of it."""
        with self._lock:
            self._is_stopped = True
            crews = list(self._crews)
        for crew in crews:
            crew.stop(at_once=False)
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        while any(crew.is_busy for crew in crews) and time.monotonic() < deadline:
            time.sleep(EXECUTOR_POLL_SECONDS)
        for crew in crews:
            crew.stop(at_once=True)
