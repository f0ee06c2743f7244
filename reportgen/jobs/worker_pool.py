"""The crew of workers: hands out jobs one at a time, and outlives the death of a worker."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, Self

from reportgen.errors import (
    Diagnostic,
    ExitCode,
    Location,
    LockedError,
    OutputError,
    RenderingError,
)
from reportgen.errors.jobs import TIMED_OUT
from reportgen.errors.run import WORKER_DIED
from reportgen.jobs.job import JobOutcome
from reportgen.jobs.resources import NO_LIMITS, build_worker_config, memory_diagnostic
from reportgen.jobs.worker import SHUTDOWN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from reportgen.jobs.job import Job
    from reportgen.jobs.resources import ResourceLimits, WorkerConfig


# A worker's process as the crew sees it: forked while that is safe, else started afresh.

WAIT_POLL_SECONDS = 0.01


class WorkerProcess(Protocol):
    """What can be done with a process."""

    @property
    def pid(self) -> int:
        """Its number."""

    def terminate(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it."""

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end: the code it ended with, or less than 0 for the signal that killed it.

        Raises:
            subprocess.TimeoutExpired: It has not ended in time.
        """


@dataclass(slots=True)
class ForkedProcess:
    """A copy of this process: ready at once, because all that is imported is there already."""

    pid: int
    exit_code: int | None = field(default=None, init=False)

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.exit_code is None:
            pid, status = os.waitpid(self.pid, 0 if deadline is None else os.WNOHANG)
            if pid:
                self.exit_code = os.waitstatus_to_exitcode(status)
            elif deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("worker", timeout or 0.0)
            else:
                time.sleep(WAIT_POLL_SECONDS)
        return self.exit_code

    def _signal(self, number: signal.Signals) -> None:
        # One that was waited for is gone, and its number may be another's by now.
        if self.exit_code is None:
            os.kill(self.pid, number)


@dataclass(frozen=True, eq=False, slots=True)
class Worker:
    """A worker's process, the way to it, and the pipe whose end tells it that nobody is there."""

    process: WorkerProcess
    channel: Connection[WorkerConfig | Job, JobOutcome | str]
    liveness_fd: int

    def close(self) -> None:
        """Give it nothing more to do."""
        self.channel.close()

    def kill(self) -> None:
        """End it, however far it is."""
        self.process.kill()
        self.process.wait()
        os.close(self.liveness_fd)


# The worker that was started before anybody knew what it will have to do.
_preforked: list[Worker] = []


def prefork_worker() -> None:
    """Start a worker now, where that is safe, which loads what it needs while others prepare."""
    if not can_fork() or _preforked:
        return
    # If there can be no process now, that is told when one is needed.
    with suppress(OSError):
        _preforked.append(_launch_worker(()))
        atexit.register(_kill_preforked)


def _kill_preforked() -> None:
    """End who stands by and was not needed, so that it is not left to others."""
    while _preforked:
        _preforked.pop().kill()


def start_worker(config: WorkerConfig, other_workers: Sequence[Worker]) -> Worker:
    """Start a worker, or take the one that stands by; `others` are none of its business."""
    worker = _preforked.pop() if _preforked else _launch_worker(other_workers)
    # One that died meanwhile is found when its outcome is waited for.
    with suppress(OSError):
        worker.channel.send(config)
    return worker


def _launch_worker(other_workers: Sequence[Worker]) -> Worker:
    with _block_signals(), ExitStack() as ends:
        ours, its = Pipe()
        ends.callback(its.close)
        held, lifeline = os.pipe()
        ends.callback(os.close, held)
        with ExitStack() as failed:
            failed.callback(ours.close)
            failed.callback(os.close, lifeline)
            worker = Worker(_fork_or_spawn(its, held), ours, lifeline)
            failed.pop_all()
        if worker.process.pid == 0:
            _run_as_worker(its, held, (worker, *other_workers))
        return worker


def _fork_or_spawn(
    channel: Connection[JobOutcome | str, WorkerConfig | Job], liveness_fd: int
) -> WorkerProcess:
    """Start a process; in a copy of this one, its number is 0."""
    if not can_fork():
        return _spawn_process(channel, liveness_fd)
    _flush_streams()
    return ForkedProcess(os.fork())


def can_fork() -> bool:
    """Tell whether a copy of this process would work: threads, as those of polars, do not."""
    return threading.active_count() == 1 and "polars" not in sys.modules


def _run_as_worker(
    channel: Connection[JobOutcome | str, WorkerConfig | Job],
    liveness_fd: int,
    workers: Sequence[Worker],
) -> None:
    """Be the worker, in the copy of the process that the crew runs in."""
    code = 1
    try:
        from reportgen.jobs.worker import serve_jobs

        # While a copy holds the crew's ends, nobody would see that the crew is gone.
        for each in workers:
            each.channel.close()
            os.close(each.liveness_fd)
        serve_jobs(channel, liveness_fd)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    finally:
        # Not as a process ends that ran to its end: that would end the crew's things as well.
        # Also if it is told to end right now.
        try:
            _flush_streams()
        finally:
            os._exit(code)


def _spawn_process(
    channel: Connection[JobOutcome | str, WorkerConfig | Job], liveness_fd: int
) -> WorkerProcess:
    numbers = [channel.fileno(), liveness_fd]
    # With -P no module in the folder where the user happens to be takes the place of another.
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module
        [sys.executable, "-P", "-m", "reportgen.jobs.worker", *map(str, numbers)],
        stdin=subprocess.DEVNULL,
        pass_fds=numbers,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
        },
    )


def cpu_seconds(pid: int) -> float | None:
    """Return how much of the processor a process has had; None: this system does not say it."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # Behind the name, which may have blanks and brackets: user and system time are 12th and 13th.
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Whoever closed it has none.
        if stream is not None:
            with suppress(OSError):
                stream.flush()


@contextmanager
def _block_signals() -> Iterator[None]:
    """Let no signal come between the start of a worker and the note that it was started."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# Ended by others; all other ends are those of a library that got no memory and cannot say so.
EXTERNAL_SIGNALS = {0, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


# A worker that may take little memory and does nothing for so long waits for a thread that it got
# no memory for.
STALL_SECONDS, STALL_POLL_SECONDS = 30.0, 1.0
NO_PROCESS_HELP = "wait until others have ended, or allow more processes and open files (`ulimit`)"


@dataclass(frozen=True, slots=True)
class _Task:
    """A job that a worker is at: its place in the list, since when, and until when it may take."""

    index: int
    job: Job
    started: float
    deadline: float | None

    def failed_outcome(self, diagnostic: Diagnostic) -> tuple[int, JobOutcome]:
        """Return how it ended, if its worker could not say so."""
        seconds = time.monotonic() - self.started
        outcome = JobOutcome(
            self.job.spec, ExitCode.ENVIRONMENT, diagnostics=(diagnostic,), seconds=seconds
        )
        return self.index, outcome


class WorkerPool:
    """Processes that build one job at a time each; all are gone when the crew is left."""

    def __init__(self, size: int, limits: ResourceLimits = NO_LIMITS) -> None:
        self._size = size
        self._limits = limits
        self._workers: list[Worker] = []
        self._busy: dict[Worker, _Task] = {}
        self._last_progress: dict[Worker, tuple[float | None, float]] = {}
        """How much a worker has done, and when that was seen first."""

    def __enter__(self) -> Self:
        # Now rather than when there is something to do: later there may be threads, such as the
        # one that shows a person what goes on, and a process with threads cannot be copied.
        for _ in range(self._size):
            self._start_worker()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.close()
            if worker in self._busy:
                worker.process.terminate()
        try:
            for worker in self._workers:
                task = self._busy.get(worker)
                _reap(worker, task.job if task else None)
        finally:
            # Whoever interrupts the end as well wants it at once.
            for worker in self._workers:
                worker.kill()

    def build(
        self,
        jobs: Sequence[Job],
        on_progress: Callable[[Job, str], None] = lambda _job, _step: None,
        should_stop: Callable[[JobOutcome], bool] = lambda _outcome: False,
    ) -> Iterator[tuple[int, JobOutcome]]:
        """Build all jobs, and yield each outcome with the place of its job once it is there.

        After an outcome that ends all, nothing is begun any more.
        """
        waiting = deque(enumerate(jobs))
        self._dispatch(waiting)
        while self._busy:
            ready = wait([worker.channel for worker in self._busy], self._poll_timeout())
            for worker in list(self._busy):
                finished = self._receive(worker, on_progress) if worker.channel in ready else None
                if finished is None and self._is_timed_out(worker):
                    finished = self._kill_timed_out(worker)
                if finished is None and self._is_stalled(worker):
                    finished = self._kill_stalled(worker)
                if finished is not None:
                    if should_stop(finished[1]):
                        waiting.clear()
                    self._dispatch(waiting)
                    yield finished

    def stop(self, *, force: bool) -> None:
        """Ask the workers that are at work to end, or end them; another thread may do so."""
        for worker in list(self._busy):
            if force:
                worker.process.kill()
            else:
                worker.process.terminate()

    @property
    def is_busy(self) -> bool:
        """Tell whether there is a worker at work."""
        return bool(self._busy)

    def _dispatch(self, queue: deque[tuple[int, Job]]) -> None:
        """Give every worker that is free the next job."""
        while queue and (worker := self._idle_worker()):
            place, job = queue.popleft()
            seconds = self._limits.timeout_seconds
            began = time.monotonic()
            deadline = None if seconds is None else began + seconds
            self._busy[worker] = _Task(place, job, began, deadline)
            self._last_progress.pop(worker, None)
            # One that died meanwhile is found when its outcome is waited for.
            with suppress(OSError):
                worker.channel.send(job)

    def _idle_worker(self) -> Worker | None:
        free = next((worker for worker in self._workers if worker not in self._busy), None)
        return self._start_worker() if free is None and len(self._workers) < self._size else free

    def _start_worker(self) -> Worker:
        try:
            worker = start_worker(build_worker_config(self._size, self._limits), self._workers)
        except OSError as error:
            message = f"no process can be started: {error.strerror or error}"
            raise RenderingError(Diagnostic(WORKER_DIED, message, help=NO_PROCESS_HELP)) from error
        self._workers.append(worker)
        return worker

    def _poll_timeout(self) -> float | None:
        """Return how long nothing may be heard: until the first deadline."""
        deadlines = [task.deadline for task in self._busy.values() if task.deadline is not None]
        if self._limits.memory_bytes is not None:
            deadlines.append(time.monotonic() + STALL_POLL_SECONDS)
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _is_timed_out(self, worker: Worker) -> bool:
        deadline = self._busy[worker].deadline
        return deadline is not None and time.monotonic() >= deadline

    def _is_stalled(self, worker: Worker) -> bool:
        """Tell whether a worker with little memory has done nothing for long, and does not wait."""
        if self._limits.memory_bytes is None or self._busy[worker].job.wait:
            return False
        now, done = time.monotonic(), cpu_seconds(worker.process.pid)
        known, since = self._last_progress.get(worker, (None, now))
        self._last_progress[worker] = (done, since if done == known else now)
        return done is not None and done == known and now - since > STALL_SECONDS

    def _kill_stalled(self, worker: Worker) -> tuple[int, JobOutcome]:
        """End a worker that does nothing any more."""
        task = self._busy[worker]
        worker.process.kill()
        self._remove_worker(worker)
        what = f"the process that built {task.job.spec} did nothing for {STALL_SECONDS:g} s"
        return task.failed_outcome(
            _memory_limit_diagnostic(task.job, what, self._limits.memory_bytes or 0)
        )

    def _receive(
        self, worker: Worker, on_progress: Callable[[Job, str], None]
    ) -> tuple[int, JobOutcome] | None:
        """Take what a worker has made of its job; that it died is an outcome, too."""
        task = self._busy[worker]
        try:
            heard = worker.channel.recv()
        except (EOFError, OSError):
            code = self._remove_worker(worker)
            return task.failed_outcome(_crash_diagnostic(task.job, code, self._limits))
        if isinstance(heard, str):
            on_progress(task.job, heard)
            return None
        del self._busy[worker]
        return task.index, heard

    def _kill_timed_out(self, worker: Worker) -> tuple[int, JobOutcome]:
        """Stop a worker that takes too long."""
        task = self._busy[worker]
        worker.process.terminate()
        self._remove_worker(worker)
        fault = Diagnostic(
            TIMED_OUT,
            f"the report was not ready after {self._limits.timeout_seconds:g} s",
            Location(task.job.spec),
            "allow more with --timeout, or ask for less: fewer formats, less detail",
        )
        return task.failed_outcome(fault)

    def _remove_worker(self, worker: Worker) -> int:
        """Take leave of a worker that is dead or has to be; return how it ended."""
        task = self._busy.pop(worker)
        worker.close()
        code = _reap(worker, task.job)
        worker.kill()
        self._workers.remove(worker)
        return code


def _reap(worker: Worker, job: Job | None) -> int:
    """Wait until a worker has ended, see to it that it does, and leave nothing half written."""
    try:
        code = worker.process.wait(SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        worker.process.kill()
        code = worker.process.wait()
    if job is not None and code and job.output.is_dir():
        _rollback_output(job)
    return code


def _rollback_output(job: Job) -> None:
    """Bring back a report that was being replaced; whoever holds its lock by now does so."""
    from reportgen.output.lock import file_lock, lock_path
    from reportgen.output.write import rollback_interrupted_write

    with suppress(OutputError, LockedError), file_lock(lock_path(job.folder)):
        rollback_interrupted_write(job.folder)


def _crash_diagnostic(job: Job, code: int, limits: ResourceLimits) -> Diagnostic:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    message = f"the process that built {job.spec} {how}"
    if limits.memory_bytes is not None and -code not in EXTERNAL_SIGNALS:
        return _memory_limit_diagnostic(job, message, limits.memory_bytes)
    return Diagnostic(
        WORKER_DIED,
        message,
        Location(job.spec),
        "often the memory is used up: fewer at the same time need less, as with --jobs 1",
    )


def _memory_limit_diagnostic(job: Job, problem: str, limit: int) -> Diagnostic:
    most_told = f"it may take no more than {limit / 1e6:.0f} MB"
    return memory_diagnostic(job.spec, f"{problem}, probably because {most_told}")
