"""The worker pool: processes that build reports, with time-out, memory limit and crash isolation.

A worker is started with `subprocess` rather than as a `multiprocessing.Process`, which would import
modules from the current directory of the user, run the main module a second time and start a
resource tracker process. Messages are pickled by a `multiprocessing` connection.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import TYPE_CHECKING, Self

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
from reportgen.jobs.resources import (
    NO_LIMITS,
    SHUTDOWN_SECONDS,
    build_worker_config,
    memory_diagnostic,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from reportgen.jobs.job import Job
    from reportgen.jobs.resources import ResourceLimits, WorkerConfig


@dataclass(frozen=True, eq=False, slots=True)
class Worker:
    """A worker process, its connection, and the liveness pipe that is closed when the pool ends."""

    process: subprocess.Popen[bytes]
    channel: Connection[WorkerConfig | Job, JobOutcome | str]
    liveness_fd: int

    def close(self) -> None:
        """Close the connection, so that an idle worker ends."""
        self.channel.close()

    def kill(self) -> None:
        """Kill the process and release its resources."""
        self.process.kill()
        self.process.wait()
        os.close(self.liveness_fd)


def start_worker(config: WorkerConfig) -> Worker:
    """Start a worker process and send it its configuration.

    Raises:
        OSError: No process can be started.
    """
    with _block_signals(), ExitStack() as worker_ends:
        channel, worker_channel = Pipe()
        worker_ends.callback(worker_channel.close)
        worker_liveness_fd, liveness_fd = os.pipe()
        worker_ends.callback(os.close, worker_liveness_fd)
        with ExitStack() as on_error:
            on_error.callback(channel.close)
            on_error.callback(os.close, liveness_fd)
            process = _start_process(worker_channel.fileno(), worker_liveness_fd)
            on_error.pop_all()
    worker = Worker(process, channel, liveness_fd)
    # A worker that died meanwhile is noticed when its outcome is waited for.
    with suppress(OSError):
        worker.channel.send(config)
    return worker


def _start_process(*fds: int) -> subprocess.Popen[bytes]:
    # With -P no module in the current directory shadows an installed one.
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module
        [sys.executable, "-P", "-m", "reportgen.jobs.worker", *map(str, fds)],
        stdin=subprocess.DEVNULL,
        pass_fds=fds,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
        },
    )


@contextmanager
def _block_signals() -> Iterator[None]:
    """Block signals until the new worker is registered, and in the worker itself."""
    previous_mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, previous_mask)


def cpu_seconds(pid: int) -> float | None:
    """Return the CPU time of a process in seconds; None if the system does not report it."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # After the name, which may contain spaces and parentheses, these are fields 12 and 13.
    user, system = status.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


# Sent by other processes. Under a memory limit, any other one is due to a failed allocation.
EXTERNAL_SIGNALS = {0, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


# A worker with a memory limit that uses no CPU time for this long is waiting for a thread that
# could not be started.
STALL_SECONDS, STALL_POLL_SECONDS = 30.0, 1.0
NO_PROCESS_HELP = (
    "wait for other processes to end, or increase the limits of processes and open files (`ulimit`)"
)


@dataclass(frozen=True, slots=True)
class _Task:
    """A job that a worker runs: its index in the list, its start and its deadline."""

    index: int
    job: Job
    started: float
    deadline: float | None

    def failed_outcome(self, diagnostic: Diagnostic) -> tuple[int, JobOutcome]:
        """Return the outcome of a job whose worker could not return one."""
        seconds = time.monotonic() - self.started
        outcome = JobOutcome(
            self.job.spec, ExitCode.ENVIRONMENT, diagnostics=(diagnostic,), seconds=seconds
        )
        return self.index, outcome


class WorkerPool:
    """Worker processes that run one job at a time each; all have ended when the context ends."""

    def __init__(self, size: int, limits: ResourceLimits = NO_LIMITS) -> None:
        self._size = size
        self._limits = limits
        self._workers: list[Worker] = []
        self._busy: dict[Worker, _Task] = {}
        self._last_progress: dict[Worker, tuple[float | None, float]] = {}
        """The CPU time of each worker, and the time of its last change."""

    def __enter__(self) -> Self:
        # Started together, so that their imports run concurrently.
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
            # A second interrupt kills them at once.
            for worker in self._workers:
                worker.kill()

    def build(
        self,
        jobs: Sequence[Job],
        on_progress: Callable[[Job, str], None] = lambda _job, _step: None,
        should_stop: Callable[[JobOutcome], bool] = lambda _outcome: False,
    ) -> Iterator[tuple[int, JobOutcome]]:
        """Run all jobs; yield each outcome with the index of its job as it completes.

        After an outcome for which `should_stop` is true, no further job is started.
        """
        waiting = deque(enumerate(jobs))
        self._dispatch(waiting)
        while self._busy:
            ready = wait([worker.channel for worker in self._busy], self._poll_timeout())
            for worker in list(self._busy):
                index_and_outcome = (
                    self._receive(worker, on_progress) if worker.channel in ready else None
                )
                if index_and_outcome is None and self._is_timed_out(worker):
                    index_and_outcome = self._kill_timed_out(worker)
                if index_and_outcome is None and self._is_stalled(worker):
                    index_and_outcome = self._kill_stalled(worker)
                if index_and_outcome is not None:
                    if should_stop(index_and_outcome[1]):
                        waiting.clear()
                    self._dispatch(waiting)
                    yield index_and_outcome

    def stop(self, *, force: bool) -> None:
        """Terminate the busy workers, or kill them; may be called from another thread."""
        for worker in list(self._busy):
            if force:
                worker.process.kill()
            else:
                worker.process.terminate()

    @property
    def is_busy(self) -> bool:
        """Whether a worker is running a job."""
        return bool(self._busy)

    def _dispatch(self, queue: deque[tuple[int, Job]]) -> None:
        """Send the next job to every idle worker."""
        while queue and (worker := self._idle_worker()):
            index, job = queue.popleft()
            seconds = self._limits.timeout_seconds
            started = time.monotonic()
            deadline = None if seconds is None else started + seconds
            self._busy[worker] = _Task(index, job, started, deadline)
            self._last_progress.pop(worker, None)
            # A worker that died meanwhile is noticed when its outcome is waited for.
            with suppress(OSError):
                worker.channel.send(job)

    def _idle_worker(self) -> Worker | None:
        idle = next((worker for worker in self._workers if worker not in self._busy), None)
        return self._start_worker() if idle is None and len(self._workers) < self._size else idle

    def _start_worker(self) -> Worker:
        try:
            worker = start_worker(build_worker_config(self._size, self._limits))
        except OSError as error:
            message = f"no process can be started: {error.strerror or error}"
            raise RenderingError(Diagnostic(WORKER_DIED, message, help=NO_PROCESS_HELP)) from error
        self._workers.append(worker)
        return worker

    def _poll_timeout(self) -> float | None:
        """Return the seconds until a deadline or a check for stalled workers; None: no limit."""
        deadlines = [task.deadline for task in self._busy.values() if task.deadline is not None]
        if self._limits.memory_bytes is not None:
            deadlines.append(time.monotonic() + STALL_POLL_SECONDS)
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _is_timed_out(self, worker: Worker) -> bool:
        deadline = self._busy[worker].deadline
        return deadline is not None and time.monotonic() >= deadline

    def _is_stalled(self, worker: Worker) -> bool:
        """Return whether a worker with a memory limit has used no CPU time for STALL_SECONDS."""
        if self._limits.memory_bytes is None or self._busy[worker].job.wait:
            return False
        now, used = time.monotonic(), cpu_seconds(worker.process.pid)
        before, since = self._last_progress.get(worker, (None, now))
        self._last_progress[worker] = (used, since if used == before else now)
        return used is not None and used == before and now - since > STALL_SECONDS

    def _kill_stalled(self, worker: Worker) -> tuple[int, JobOutcome]:
        """Kill a worker that has stalled."""
        task = self._busy[worker]
        worker.process.kill()
        self._remove_worker(worker)
        problem = f"the process that built {task.job.spec} was idle for {STALL_SECONDS:g} s"
        return task.failed_outcome(
            _memory_limit_diagnostic(task.job, problem, self._limits.memory_bytes or 0)
        )

    def _receive(
        self, worker: Worker, on_progress: Callable[[Job, str], None]
    ) -> tuple[int, JobOutcome] | None:
        """Receive a progress message or the outcome of a job; a crash is also an outcome."""
        task = self._busy[worker]
        try:
            message = worker.channel.recv()
        except (EOFError, OSError):
            code = self._remove_worker(worker)
            return task.failed_outcome(_crash_diagnostic(task.job, code, self._limits))
        if isinstance(message, str):
            on_progress(task.job, message)
            return None
        del self._busy[worker]
        return task.index, message

    def _kill_timed_out(self, worker: Worker) -> tuple[int, JobOutcome]:
        """Terminate a worker that exceeds the time-out."""
        task = self._busy[worker]
        worker.process.terminate()
        self._remove_worker(worker)
        diagnostic = Diagnostic(
            TIMED_OUT,
            f"the report was not finished after {self._limits.timeout_seconds:g} s",
            Location(task.job.spec),
            "increase --timeout, or reduce formats or detail",
        )
        return task.failed_outcome(diagnostic)

    def _remove_worker(self, worker: Worker) -> int:
        """Remove a worker that has ended or is to end; return its exit code."""
        task = self._busy.pop(worker)
        worker.close()
        code = _reap(worker, task.job)
        worker.kill()
        self._workers.remove(worker)
        return code


def _reap(worker: Worker, job: Job | None) -> int:
    """Wait for the end of a worker, kill it after a time-out, and roll back its write."""
    try:
        code = worker.process.wait(SHUTDOWN_SECONDS)
    except subprocess.TimeoutExpired:
        worker.process.kill()
        code = worker.process.wait()
    if job is not None and code and job.output.is_dir():
        _recover_output(job)
    return code


def _recover_output(job: Job) -> None:
    """Complete or discard a report that was being written, unless another run holds its lock."""
    from reportgen.output.lock import file_lock, lock_path
    from reportgen.output.write import recover_interrupted_write

    with suppress(OutputError, LockedError), file_lock(lock_path(job.folder)):
        recover_interrupted_write(job.folder)


def _crash_diagnostic(job: Job, code: int, limits: ResourceLimits) -> Diagnostic:
    reason = (
        f"was killed by {signal.Signals(-code).name}"
        if code < 0
        else f"ended with exit code {code}"
    )
    message = f"the process that built {job.spec} {reason}"
    if limits.memory_bytes is not None and -code not in EXTERNAL_SIGNALS:
        return _memory_limit_diagnostic(job, message, limits.memory_bytes)
    return Diagnostic(
        WORKER_DIED,
        message,
        Location(job.spec),
        "a frequent cause is lack of memory; --jobs 1 needs less",
    )


def _memory_limit_diagnostic(job: Job, problem: str, limit: int) -> Diagnostic:
    reason = f"of the memory limit of {limit / 1e6:.0f} MB"
    return memory_diagnostic(job.spec, f"{problem}, probably because {reason}")
