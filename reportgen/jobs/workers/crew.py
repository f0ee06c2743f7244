"""The crew of workers: hands out jobs one at a time, and outlives the death of a worker."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from pathlib import Path
from typing import TYPE_CHECKING, Self

from reportgen.errors import ExitCode, Fault, OutputError, Place
from reportgen.errors.run_faults import BROKE_OFF
from reportgen.workers.job import Outcome
from reportgen.workers.number import usable_cores

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from reportgen.workers.job import Job

# Long enough to take back a report that is being written; a long query does not hear of the end.
SECONDS_TO_END = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class _Worker:
    """A process and the way to it."""

    process: subprocess.Popen[bytes]
    channel: Connection[Job, Outcome]


class Crew:
    """Processes that build one job at a time each; all are gone when the crew is left."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._workers: list[_Worker] = []
        self._busy: dict[_Worker, tuple[int, Job]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        for worker in self._workers:
            worker.channel.close()
            if worker in self._busy:
                worker.process.terminate()
        try:
            for worker in self._workers:
                _place, job = self._busy.get(worker, (None, None))
                _end(worker, job)
        finally:
            # Whoever interrupts the end as well wants it at once.
            for worker in self._workers:
                worker.process.kill()
                worker.process.wait()

    def build(self, jobs: Sequence[Job]) -> Iterator[tuple[int, Outcome]]:
        """Build all jobs, and yield each outcome with the place of its job once it is there."""
        waiting = deque(enumerate(jobs))
        self._hand_out(waiting)
        while self._busy:
            ready = wait([worker.channel for worker in self._busy])
            for worker in [worker for worker in self._busy if worker.channel in ready]:
                finished = self._collect(worker)
                self._hand_out(waiting)
                yield finished

    def _hand_out(self, waiting: deque[tuple[int, Job]]) -> None:
        """Give every worker that is free the next job."""
        while waiting and (worker := self._free()):
            place, job = waiting.popleft()
            self._busy[worker] = (place, job)
            # One that died meanwhile is found when its outcome is waited for.
            with suppress(OSError):
                worker.channel.send(job)

    def _free(self) -> _Worker | None:
        free = next((worker for worker in self._workers if worker not in self._busy), None)
        return self._start() if free is None and len(self._workers) < self._size else free

    def _start(self) -> _Worker:
        with _signals_held_back():
            ours, its = Pipe()
            with its:
                # Started afresh, not forked: the threads of polars do not survive a fork. With -P
                # no module in the folder where the user happens to be takes the place of another.
                process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                    [sys.executable, "-P", "-m", "reportgen.workers.worker", str(its.fileno())],
                    stdin=subprocess.DEVNULL,
                    pass_fds=[its.fileno()],
                    env=surroundings(self._size),
                )
            self._workers.append(_Worker(process, ours))
        return self._workers[-1]

    def _collect(self, worker: _Worker) -> tuple[int, Outcome]:
        """Take what a worker has made of its job; that it died is an outcome, too."""
        place, job = self._busy.pop(worker)
        try:
            outcome = worker.channel.recv()
        except (EOFError, OSError):
            worker.channel.close()
            outcome = _broken_off(job, _end(worker, job))
            self._workers.remove(worker)
        return place, outcome


def surroundings(size: int) -> dict[str, str]:
    """Return the environment of a worker: its share of the cores, and where modules are."""
    return {
        "POLARS_MAX_THREADS": str(max(1, usable_cores() // size)),
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
    }


def _end(worker: _Worker, job: Job | None) -> int:
    """Wait until a worker has ended, see to it that it does, and leave nothing half written."""
    try:
        code = worker.process.wait(SECONDS_TO_END)
    except subprocess.TimeoutExpired:
        worker.process.kill()
        code = worker.process.wait()
    if job is not None and code < 0:
        from reportgen.rendering.writing import ensure_writable

        # It begins by taking back what a process that is gone has left half written.
        with suppress(OutputError):
            ensure_writable(job.output / job.spec.stem)
    return code


def _broken_off(job: Job, code: int) -> Outcome:
    how = f"was killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"
    fault = Fault(
        BROKE_OFF,
        f"the process that built {job.spec} {how}",
        Place(job.spec),
        "often the memory is used up: fewer at the same time need less, as with --jobs 1",
    )
    return Outcome(job.spec, ExitCode.ENVIRONMENT, faults=(fault,))


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Let no signal come between the start of a worker and the note that it was started."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
