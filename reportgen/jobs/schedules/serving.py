"""The scheduler as a process: it holds its folder, listens to signals and stops in peace."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode, LockedError
from reportgen.frozen import frozen
from reportgen.jobs.running.lock import holding
from reportgen.jobs.schedules.planning import Planned, Planner, nothing_scheduled
from reportgen.jobs.schedules.scheduler import Scheduler
from reportgen.jobs.schedules.state import SpecState, read_state
from reportgen.jobs.schedules.timer import NoTimer, ThreadTimer
from reportgen.places import SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path
    from types import FrameType

    from reportgen.jobs.schedules.catching_up import LastRun
    from reportgen.jobs.schedules.scheduler import Voice
    from reportgen.jobs.schedules.state import Entry
    from reportgen.jobs.schedules.timer import Timer
    from reportgen.jobs.schedules.workshop import Builds

LOCK = f".{SCHEDULE_FILE}.lock"
HEARTBEAT_SECONDS = 30.0
LOOK_SECONDS = 5.0
GRACE_SECONDS = 10.0
POLL_SECONDS = 0.1
STOPPED_BY = 128


@frozen
class Service:
    """What is scheduled and where, how many at once, and how it is built."""

    paths: Sequence[Path]
    output: Path
    builds: Builds
    voice: Voice
    at_once: int = 1
    last_runs: Callable[[Planned], LastRun | None] = lambda _planned: None
    heartbeat: float = HEARTBEAT_SECONDS
    look: float = LOOK_SECONDS
    grace: float = GRACE_SECONDS

    def run(self) -> int:
        """Build specs when they are due, until a signal ends it; return the exit code."""
        with _alone(self.output), _listening() as signals:
            planner = Planner(self.paths)
            timer = ThreadTimer(self.at_once)
            scheduler = self._scheduler(timer)
            timer.left_out = scheduler.left_out
            self._begin(scheduler, planner)
            timer.start()
            scheduler.note()
            self.voice.say(f"scheduled: {', '.join(sorted(scheduler.entries))}")
            self._serve(scheduler, planner, signals)
            self._end(scheduler, timer, signals)
        return STOPPED_BY + (signals.ended_by or signal.SIGTERM)

    def run_once(self) -> int:
        """Build what is due, or never ran; return the worst exit code."""
        with _alone(self.output), _listening() as signals:
            scheduler = self._scheduler(NoTimer())
            self._begin(scheduler, Planner(self.paths))
            names = scheduler.due_now()
            with ThreadPoolExecutor(self.at_once) as pool:
                rounds = [pool.submit(_until_done, scheduler, name, signals) for name in names]
                while not all(each.done() for each in rounds):
                    time.sleep(POLL_SECONDS)
                    if signals.ended_by is not None and not scheduler.is_stopping:
                        scheduler.stop()
                        self._let_finish(scheduler, signals)
            for each in rounds:
                each.result()
            scheduler.note()
            if signals.ended_by is not None:
                return STOPPED_BY + signals.ended_by
            codes = [scheduler.entries[name].exit_code or 0 for name in names]
            suspended = (entry.state is SpecState.SUSPENDED for entry in scheduler.entries.values())
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

    def _known(self) -> dict[str, Entry]:
        try:
            return read_state(self.output)
        except ValueError as error:
            told = f"{self.output / SCHEDULE_FILE} cannot be read ({error}) and is written anew"
            self.voice.say(told)
            return {}

    def _begin(self, scheduler: Scheduler, planner: Planner) -> None:
        from reportgen.jobs.running.finding import find_specs

        find_specs(self.paths)
        plan = planner.plan()
        scheduler.follow(plan)
        if not any(isinstance(found, Planned) for found in plan.values()):
            raise nothing_scheduled(self.paths)

    def _serve(self, scheduler: Scheduler, planner: Planner, signals: _Signals) -> None:
        """Look at the specs and show a sign of life, until it is to end."""
        looked = beat = time.monotonic()
        while signals.ended_by is None:
            time.sleep(POLL_SECONDS)
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

    def _end(self, scheduler: Scheduler, timer: ThreadTimer, signals: _Signals) -> None:
        scheduler.stop()
        timer.stop()
        self._let_finish(scheduler, signals)
        scheduler.note()
        self.voice.say("stopped")

    def _let_finish(self, scheduler: Scheduler, signals: _Signals) -> None:
        """Give what is being built some time; a second signal, or its end, stops it."""
        running = scheduler.running()
        if running:
            self.voice.say(f"waiting up to {self.grace:g} s for {running} to finish")
        deadline = time.monotonic() + self.grace
        while scheduler.running() and time.monotonic() < deadline and signals.ends == 1:
            time.sleep(POLL_SECONDS)
        while scheduler.running():
            self.builds.stop()
            time.sleep(POLL_SECONDS)


@contextmanager
def _alone(output: Path) -> Iterator[None]:
    """Hold a folder against other schedulers: each of them would build what is due."""
    try:
        with holding(output / LOCK):
            yield
    except LockedError as error:
        help_line = "stop it first, or schedule into another folder with -o"
        raise LockedError(*(replace(fault, help=help_line) for fault in error.faults)) from error


def _until_done(scheduler: Scheduler, name: str, signals: _Signals) -> None:
    """Build a spec, and again as often as its schedule allows."""
    wait = scheduler.run(name)
    while wait is not None:
        again = time.monotonic() + wait
        while time.monotonic() < again:
            time.sleep(POLL_SECONDS)
            if signals.ended_by is not None:
                return
        wait = scheduler.run(name)


@dataclass(slots=True)
class _Signals:
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
def _listening() -> Iterator[_Signals]:
    signals = _Signals()
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.signal(number, signals.take) for number in numbers}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
