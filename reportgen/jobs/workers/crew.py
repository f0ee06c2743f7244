"""The crew of workers: hands out jobs one at a time, and outlives the death of a worker."""

from __future__ import annotations

import signal
import subprocess
import time
from collections import deque
from contextlib import suppress
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Self

from reportgen.errors import ExitCode, Fault, LockedError, OutputError, Place, RenderingError
from reportgen.errors.job_faults import TIMED_OUT
from reportgen.errors.run_faults import BROKE_OFF
from reportgen.frozen import frozen
from reportgen.jobs.running.job import Outcome
from reportgen.jobs.running.shortage import memory_fault
from reportgen.jobs.workers.limits import NO_LIMITS
from reportgen.jobs.workers.process import processor_seconds, start
from reportgen.jobs.workers.terms import terms_of
from reportgen.jobs.workers.worker import SECONDS_TO_END

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import TracebackType

    from reportgen.jobs.running.job import Job
    from reportgen.jobs.workers.limits import Limits
    from reportgen.jobs.workers.process import Worker


# Ended by others; all other ends are those of a library that got no memory and cannot say so.
NOT_OF_ITS_OWN = {0, signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}


# A worker that may take little memory and does nothing for so long waits for a thread that it got
# no memory for.
STUCK_SECONDS, LOOK_SECONDS = 30.0, 1.0
NO_PROCESS = "wait until others have ended, or allow more processes and open files (`ulimit`)"


@frozen
class _Task:
    """A job that a worker is at: its place in the list, since when, and until when it may take."""

    place: int
    job: Job
    began: float
    deadline: float | None

    def ended_badly(self, fault: Fault) -> tuple[int, Outcome]:
        """Return how it ended, if its worker could not say so."""
        seconds = time.monotonic() - self.began
        outcome = Outcome(self.job.spec, ExitCode.ENVIRONMENT, faults=(fault,), seconds=seconds)
        return self.place, outcome


class Crew:
    """Processes that build one job at a time each; all are gone when the crew is left."""

    def __init__(self, size: int, limits: Limits = NO_LIMITS) -> None:
        self._size = size
        self._limits = limits
        self._workers: list[Worker] = []
        self._busy: dict[Worker, _Task] = {}
        self._stirred: dict[Worker, tuple[float | None, float]] = {}
        """How much a worker has done, and when that was seen first."""

    def __enter__(self) -> Self:
        # Now rather than when there is something to do: later there may be threads, such as the
        # one that shows a person what goes on, and a process with threads cannot be copied.
        for _ in range(self._size):
            self._start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.leave()
            if worker in self._busy:
                worker.process.terminate()
        try:
            for worker in self._workers:
                task = self._busy.get(worker)
                _end(worker, task.job if task else None)
        finally:
            # Whoever interrupts the end as well wants it at once.
            for worker in self._workers:
                worker.let_go()

    def build(
        self,
        jobs: Sequence[Job],
        tell: Callable[[Job, str], None] = lambda _job, _step: None,
        ends_all: Callable[[Outcome], bool] = lambda _outcome: False,
    ) -> Iterator[tuple[int, Outcome]]:
        """Build all jobs, and yield each outcome with the place of its job once it is there.

        After an outcome that ends all, nothing is begun any more.
        """
        waiting = deque(enumerate(jobs))
        self._hand_out(waiting)
        while self._busy:
            ready = wait([worker.channel for worker in self._busy], self._patience())
            for worker in list(self._busy):
                finished = self._collect(worker, tell) if worker.channel in ready else None
                if finished is None and self._is_late(worker):
                    finished = self._give_up(worker)
                if finished is None and self._is_stuck(worker):
                    finished = self._let_die(worker)
                if finished is not None:
                    if ends_all(finished[1]):
                        waiting.clear()
                    self._hand_out(waiting)
                    yield finished

    def stop(self, *, at_once: bool) -> None:
        """Ask the workers that are at work to end, or end them; another thread may do so."""
        for worker in list(self._busy):
            if at_once:
                worker.process.kill()
            else:
                worker.process.terminate()

    @property
    def is_busy(self) -> bool:
        """Tell whether there is a worker at work."""
        return bool(self._busy)

    def _hand_out(self, waiting: deque[tuple[int, Job]]) -> None:
        """Give every worker that is free the next job."""
        while waiting and (worker := self._free()):
            place, job = waiting.popleft()
            seconds = self._limits.seconds
            began = time.monotonic()
            deadline = None if seconds is None else began + seconds
            self._busy[worker] = _Task(place, job, began, deadline)
            self._stirred.pop(worker, None)
            # One that died meanwhile is found when its outcome is waited for.
            with suppress(OSError):
                worker.channel.send(job)

    def _free(self) -> Worker | None:
        free = next((worker for worker in self._workers if worker not in self._busy), None)
        return self._start() if free is None and len(self._workers) < self._size else free

    def _start(self) -> Worker:
        try:
            worker = start(terms_of(self._size, self._limits), self._workers)
        except OSError as error:
            message = f"no process can be started: {error.strerror or error}"
            raise RenderingError(Fault(BROKE_OFF, message, help=NO_PROCESS)) from error
        self._workers.append(worker)
        return worker

    def _patience(self) -> float | None:
        """Return how long nothing may be heard: until the first deadline."""
        deadlines = [task.deadline for task in self._busy.values() if task.deadline is not None]
        if self._limits.memory is not None:
            deadlines.append(time.monotonic() + LOOK_SECONDS)
        return max(0.0, min(deadlines) - time.monotonic()) if deadlines else None

    def _is_late(self, worker: Worker) -> bool:
        deadline = self._busy[worker].deadline
        return deadline is not None and time.monotonic() >= deadline

    def _is_stuck(self, worker: Worker) -> bool:
        """Tell whether a worker with little memory has done nothing for long, and does not wait."""
        if self._limits.memory is None or self._busy[worker].job.wait:
            return False
        now, done = time.monotonic(), processor_seconds(worker.process.pid)
        known, since = self._stirred.get(worker, (None, now))
        self._stirred[worker] = (done, since if done == known else now)
        return done is not None and done == known and now - since > STUCK_SECONDS

    def _let_die(self, worker: Worker) -> tuple[int, Outcome]:
        """End a worker that does nothing any more."""
        task = self._busy[worker]
        worker.process.kill()
        self._dismiss(worker)
        what = f"the process that built {task.job.spec} did nothing for {STUCK_SECONDS:g} s"
        return task.ended_badly(_too_much_memory(task.job, what, self._limits.memory or 0))

    def _collect(
        self, worker: Worker, tell: Callable[[Job, str], None]
    ) -> tuple[int, Outcome] | None:
        """Take what a worker has made of its job; that it died is an outcome, too."""
        task = self._busy[worker]
        try:
            heard = worker.channel.recv()
        except (EOFError, OSError):
            code = self._dismiss(worker)
            return task.ended_badly(_broken_off(task.job, code, self._limits))
        if isinstance(heard, str):
            tell(task.job, heard)
            return None
        del self._busy[worker]
        return task.place, heard

    def _give_up(self, worker: Worker) -> tuple[int, Outcome]:
        """Stop a worker that takes too long."""
        task = self._busy[worker]
        worker.process.terminate()
        self._dismiss(worker)
        fault = Fault(
            TIMED_OUT,
            f"the report was not ready after {self._limits.seconds:g} s",
            Place(task.job.spec),
            "allow more with --timeout, or ask for less: fewer formats, less detail",
        )
        return task.ended_badly(fault)

    def _dismiss(self, worker: Worker) -> int:
        """Take leave of a worker that is dead or has to be; return how it ended."""
        task = self._busy.pop(worker)
        worker.leave()
        code = _end(worker, task.job)
        worker.let_go()
        self._workers.remove(worker)
        return code


def _end(worker: Worker, job: Job | None) -> int:
    """Wait until a worker has ended, see to it that it does, and leave nothing half written."""
    try:
        code = worker.process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        worker.process.kill()
        code = worker.process.wait()
    if job is not None and code and job.output.is_dir():
        _take_back(job)
    return code


def _take_back(job: Job) -> None:
    """Bring back a report that was being replaced; whoever holds its lock by now does so."""
    from reportgen.jobs.running.lock import holding, lock_of
    from reportgen.rendering.writing import take_back

    with suppress(OutputError, LockedError), holding(lock_of(job.folder)):
        take_back(job.folder)


def _broken_off(job: Job, code: int, limits: Limits) -> Fault:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    message = f"the process that built {job.spec} {how}"
    if limits.memory is not None and -code not in NOT_OF_ITS_OWN:
        return _too_much_memory(job, message, limits.memory)
    return Fault(
        BROKE_OFF,
        message,
        Place(job.spec),
        "often the memory is used up: fewer at the same time need less, as with --jobs 1",
    )


def _too_much_memory(job: Job, what: str, most: int) -> Fault:
    most_told = f"it may take no more than {most / 1e6:.0f} MB"
    return memory_fault(job.spec, f"{what}, probably because {most_told}")
