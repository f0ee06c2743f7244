"""The scheduler service: a process with a lock, signal handling and graceful shutdown."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock, Thread
from typing import TYPE_CHECKING, Protocol

from reportgen.errors import Diagnostic, ExitCode, Location, LockedError
from reportgen.errors.run import WORKER_DIED
from reportgen.jobs.job import RETRYABLE_EXIT_CODES, Job, JobOutcome
from reportgen.jobs.resources import SHUTDOWN_SECONDS
from reportgen.jobs.schedule.registry import ScheduledSpec, ScheduleRegistry, no_schedule_error
from reportgen.jobs.schedule.scheduler import Scheduler
from reportgen.jobs.schedule.timer import NullTimer, ThreadTimer
from reportgen.jobs.schedule_state import ScheduleState, read_schedule_file
from reportgen.jobs.worker_pool import WorkerPool
from reportgen.output.lock import file_lock
from reportgen.paths import SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import FrameType

    from reportgen.jobs.notifications.dispatch import Notification
    from reportgen.jobs.resources import ResourceLimits
    from reportgen.jobs.schedule.scheduler import LastRun, SchedulerLog
    from reportgen.jobs.schedule.timer import Timer
    from reportgen.jobs.schedule_state import ScheduleEntry
    from reportgen.spec import NotificationSettings


SCHEDULER_LOCK_FILE = f".{SCHEDULE_FILE}.lock"
HEARTBEAT_SECONDS = 30.0
# A run is at most so late after the clock has jumped: sleep, a paused virtual machine, NTP.
CLOCK_CHECK_SECONDS = 10.0
SPEC_POLL_SECONDS = 5.0
GRACE_SECONDS = 10.0
LOOP_POLL_SECONDS = 0.1
SIGNAL_EXIT_BASE = 128


@dataclass(frozen=True, slots=True)
class SchedulerService:
    """The scheduler process: spec paths, output folder, executor and intervals."""

    paths: Sequence[Path]
    output: Path
    executor: Executor
    log: SchedulerLog
    concurrency: int = 1
    lookup_last_run: Callable[[ScheduledSpec], LastRun | None] = lambda _planned: None
    heartbeat_seconds: float = HEARTBEAT_SECONDS
    poll_seconds: float = SPEC_POLL_SECONDS
    grace_seconds: float = GRACE_SECONDS
    clock_check_seconds: float = CLOCK_CHECK_SECONDS

    def run(self) -> int:
        """Build specs when they are due until a signal arrives; return the exit code."""
        with _scheduler_lock(self.output), _signal_handlers() as signals:
            registry = ScheduleRegistry(self.paths)
            timer = ThreadTimer(self.concurrency)
            scheduler = self._build_scheduler(timer)
            timer.on_skipped = scheduler.log_skipped
            self._load_schedules(scheduler, registry)
            timer.start()
            scheduler.write_state()
            self.log.log_message(f"scheduled: {', '.join(sorted(scheduler.entries))}")
            self._serve(scheduler, registry, signals, timer)
            self._shut_down(scheduler, timer, signals)
        return SIGNAL_EXIT_BASE + (signals.stop_signal or signal.SIGTERM)

    def run_once(self) -> int:
        """Build the specs that are due or never ran; return the worst exit code."""
        with _scheduler_lock(self.output), _signal_handlers() as signals:
            scheduler = self._build_scheduler(NullTimer())
            self._load_schedules(scheduler, ScheduleRegistry(self.paths))
            names = scheduler.due_specs()
            with ThreadPoolExecutor(self.concurrency) as pool:
                futures = [
                    pool.submit(_run_with_retries, scheduler, name, signals) for name in names
                ]
                while not all(future.done() for future in futures):
                    time.sleep(LOOP_POLL_SECONDS)
                    if signals.stop_signal is not None and not scheduler.is_stopping:
                        scheduler.stop()
                        self._wait_for_running(scheduler, signals)
            for future in futures:
                future.result()
            scheduler.write_state()
            if signals.stop_signal is not None:
                return SIGNAL_EXIT_BASE + signals.stop_signal
            codes = [scheduler.entries[name].exit_code or 0 for name in names]
            suspension_flags = (
                entry.state is ScheduleState.SUSPENDED for entry in scheduler.entries.values()
            )
            return max([*codes, int(ExitCode.SPEC) if any(suspension_flags) else 0])

    def _build_scheduler(self, timer: Timer) -> Scheduler:
        return Scheduler(
            self.output,
            self.executor,
            self.log,
            timer,
            previous_entries=self._read_previous_entries(),
            lookup_last_run=self.lookup_last_run,
        )

    def _read_previous_entries(self) -> dict[str, ScheduleEntry]:
        try:
            state = read_schedule_file(self.output)
        except ValueError as error:
            path = self.output / SCHEDULE_FILE
            self.log.log_message(f"{path} cannot be read and is replaced: {error}")
            return {}
        return {entry.name: entry for entry in state.specs} if state else {}

    def _load_schedules(self, scheduler: Scheduler, registry: ScheduleRegistry) -> None:
        from reportgen.jobs.job import find_specs

        find_specs(self.paths)
        schedules = registry.load_schedules()
        scheduler.update_schedules(schedules)
        if not any(spec.timetable is not None for spec in schedules.values()):
            raise no_schedule_error(self.paths)

    def _serve(
        self,
        scheduler: Scheduler,
        registry: ScheduleRegistry,
        signals: _ReceivedSignals,
        timer: Timer,
    ) -> None:
        """Poll the specs, check the clock and write the heartbeat until shutdown."""
        last_poll = last_heartbeat = last_clock_check = time.monotonic()
        while signals.stop_signal is None:
            time.sleep(LOOP_POLL_SECONDS)
            now = time.monotonic()
            if signals.reload_requested:
                signals.reload_requested = False
                self.log.log_message("reloading specs")
                scheduler.update_schedules(registry.load_schedules(force_reload=True))
            elif now - last_poll >= self.poll_seconds:
                last_poll = now
                scheduler.update_schedules(registry.load_schedules())
            if now - last_clock_check >= self.clock_check_seconds:
                last_clock_check = now
                timer.check_clock()
            if now - last_heartbeat >= self.heartbeat_seconds:
                last_heartbeat = now
                scheduler.write_state()

    def _shut_down(
        self, scheduler: Scheduler, timer: ThreadTimer, signals: _ReceivedSignals
    ) -> None:
        scheduler.stop()
        timer.stop()
        self._wait_for_running(scheduler, signals)
        scheduler.write_state()
        self.log.log_message("stopped")

    def _wait_for_running(self, scheduler: Scheduler, signals: _ReceivedSignals) -> None:
        """Wait for runs in progress; stop them after the grace period or a second signal."""
        running = scheduler.running_count()
        if running:
            self.log.log_message(f"waiting up to {self.grace_seconds:g} s for {running} to finish")
        deadline = time.monotonic() + self.grace_seconds
        while scheduler.running_count() and time.monotonic() < deadline and signals.stop_count == 1:
            time.sleep(LOOP_POLL_SECONDS)
        while scheduler.running_count():
            self.executor.stop()
            time.sleep(LOOP_POLL_SECONDS)


@contextmanager
def _scheduler_lock(output: Path) -> Iterator[None]:
    """Lock an output folder against other schedulers, which would build the same specs."""
    try:
        with file_lock(output / SCHEDULER_LOCK_FILE):
            yield
    except LockedError as error:
        help_line = "stop it first, or use another output folder with -o"
        raise LockedError(
            *(replace(diagnostic, help=help_line) for diagnostic in error.diagnostics)
        ) from error


def _run_with_retries(scheduler: Scheduler, name: str, signals: _ReceivedSignals) -> None:
    """Build a spec, with as many retries as its schedule allows."""
    delay = scheduler.run(name)
    while delay is not None:
        retry_at = time.monotonic() + delay
        while time.monotonic() < retry_at:
            time.sleep(LOOP_POLL_SECONDS)
            if signals.stop_signal is not None:
                return
        delay = scheduler.run(name)


@dataclass(slots=True)
class _ReceivedSignals:
    """The signals received by this process.

    Plain attributes that are polled: a lock, as in `threading.Event`, could be held by the code
    that a signal interrupts.
    """

    reload_requested: bool = False
    stop_signal: int | None = None
    stop_count: int = 0

    def handle(self, number: int, _frame: FrameType | None) -> None:
        """Record a signal."""
        if number == signal.SIGHUP:
            self.reload_requested = True
            return
        self.stop_signal = self.stop_signal or number
        self.stop_count += 1


@contextmanager
def _signal_handlers() -> Iterator[_ReceivedSignals]:
    signals = _ReceivedSignals()
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    previous = {number: signal.signal(number, signals.handle) for number in numbers}
    try:
        yield signals
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


EXECUTOR_POLL_SECONDS = 0.02


class Executor(Protocol):
    """Builds specs; concurrent calls come from different threads."""

    def build(self, spec: Path, *, is_last_attempt: bool) -> JobOutcome:
        """Build a spec and return the outcome; a failed last attempt sends notifications."""

    def record_failure(self, spec: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Record a spec that cannot be built as a failed run."""

    def stop(self) -> None:
        """Stop all builds in progress; each pending call returns an outcome."""


@dataclass(slots=True)
class ProcessExecutor:
    """Builds each spec in a new process, so that no memory accumulates over time."""

    output: Path
    history: str | None
    limits: ResourceLimits
    log_warning: Callable[[str], None] = lambda _warning: None
    """The callback for notifications that could not be delivered."""
    _pools: list[WorkerPool] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)
    _is_stopped: bool = False

    def build(self, spec: Path, *, is_last_attempt: bool) -> JobOutcome:
        """Build a spec in a separate process, record the run and send notifications."""
        from reportgen.jobs.runner import finalize_run

        job = Job(spec, self.output, history=self.history)
        with WorkerPool(1, self.limits) as pool:
            with self._lock:
                self._pools.append(pool)
            try:
                for _index, outcome in pool.build([job]):
                    # A stopped run is repeated later: no record, no notification.
                    if self._is_stopped and outcome.exit_code > ExitCode.GATE_FAILED:
                        return outcome
                    is_final = is_last_attempt or outcome.exit_code not in RETRYABLE_EXIT_CODES
                    return finalize_run(job, outcome, is_final=is_final, send=self._send)
            finally:
                with self._lock:
                    self._pools.remove(pool)
        diagnostic = Diagnostic(WORKER_DIED, f"no worker has built {spec}", Location(spec))
        return JobOutcome(spec, ExitCode.INTERNAL, diagnostics=(diagnostic,))

    def record_failure(self, spec: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Record that a spec could not be built, and send notifications."""
        from reportgen.jobs.runner import finalize_run

        job = Job(spec, self.output, history=self.history)
        outcome = JobOutcome(spec, ExitCode.SPEC, diagnostics=diagnostics)
        finalize_run(job, outcome, send=self._send)

    def _send(
        self, settings: Iterable[NotificationSettings], notification: Notification
    ) -> tuple[str, ...]:
        """Send a notification in a thread, so that the next spec does not wait for it."""
        from reportgen.jobs.notifications.dispatch import notify

        def send_and_log() -> None:
            for warning in notify(settings, notification):
                self.log_warning(f"{notification.spec.stem}: {warning}")

        # Not a daemon: the process ends after the notification, which has a time limit.
        Thread(target=send_and_log).start()
        return ()

    def stop(self) -> None:
        """Terminate all workers; kill those that do not end."""
        with self._lock:
            self._is_stopped = True
            pools = list(self._pools)
        for pool in pools:
            pool.stop(force=False)
        deadline = time.monotonic() + SHUTDOWN_SECONDS
        while any(pool.is_busy for pool in pools) and time.monotonic() < deadline:
            time.sleep(EXECUTOR_POLL_SECONDS)
        for pool in pools:
            pool.stop(force=True)
