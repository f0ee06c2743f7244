"""A worker's process as the crew sees it: forked while that is safe, else started afresh."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from reportgen.jobs.workers.number import usable_cores
from reportgen.jobs.workers.worker import work

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.running.job import Job, Outcome
    from reportgen.jobs.workers.limits import Limits

POLL_SECONDS = 0.01


class Process(Protocol):
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
class Forked:
    """A copy of this process: ready at once, because all that is imported is there already."""

    pid: int
    ended: int | None = field(default=None, init=False)

    def terminate(self) -> None:
        """Ask it to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it."""
        self._signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while self.ended is None:
            pid, status = os.waitpid(self.pid, 0 if deadline is None else os.WNOHANG)
            if pid:
                self.ended = os.waitstatus_to_exitcode(status)
            elif deadline is not None and time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("worker", timeout or 0.0)
            else:
                time.sleep(POLL_SECONDS)
        return self.ended

    def _signal(self, number: signal.Signals) -> None:
        # One that was waited for is gone, and its number may be another's by now.
        if self.ended is None:
            os.kill(self.pid, number)


def start(
    size: int,
    limits: Limits,
    lifeline: tuple[int, int],
    others: Sequence[Connection[Job, Outcome | str]],
) -> tuple[Process, Connection[Job, Outcome | str]]:
    """Start a worker of a crew of this size; it ends when nobody holds the lifeline's other end.

    `others` are the ways to the workers there are, which are none of its business.
    """
    with _signals_held_back():
        ours, its = Pipe()
        if can_fork():
            _flush()
            pid = os.fork()
            if not pid:
                ours.close()
                _end_as_worker(its, size, limits, lifeline, others)
            its.close()
            return Forked(pid), ours
        with its:
            return _started_afresh(its, size, limits, lifeline[0]), ours


def can_fork() -> bool:
    """Tell whether a copy of this process would work: threads, as those of polars, do not."""
    return threading.active_count() == 1 and "polars" not in sys.modules


def _end_as_worker(
    channel: Connection[Outcome | str, Job],
    size: int,
    limits: Limits,
    lifeline: tuple[int, int],
    others: Sequence[Connection[Job, Outcome | str]],
) -> None:
    """Be the worker, in the copy of the process that the crew runs in."""
    code = 1
    try:
        # While a copy holds the crew's ends, nobody would see that the crew is gone.
        os.close(lifeline[1])
        for other in others:
            other.close()
        os.environ |= surroundings(size)
        work(channel, lifeline[0], limits)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    finally:
        _flush()
        # Not as a process ends that ran to its end: that would end the crew's things as well.
        os._exit(code)


def _started_afresh(
    channel: Connection[Outcome | str, Job], size: int, limits: Limits, lifeline: int
) -> Process:
    numbers = [channel.fileno(), lifeline]
    # With -P no module in the folder where the user happens to be takes the place of another.
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module
        [
            *(sys.executable, "-P", "-m", "reportgen.jobs.workers.worker"),
            *map(str, numbers),
            str(limits.memory or 0),
        ],
        stdin=subprocess.DEVNULL,
        pass_fds=numbers,
        env={
            **os.environ,
            **surroundings(size),
            "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
        },
    )


def surroundings(size: int) -> dict[str, str]:
    """Return the environment of a worker: its share of the cores, unless somebody set it."""
    share = str(max(1, usable_cores() // size))
    return {"POLARS_MAX_THREADS": os.environ.get("POLARS_MAX_THREADS", share)}


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Whoever closed it has none.
        if stream is not None:
            with suppress(OSError):
                stream.flush()


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Let no signal come between the start of a worker and the note that it was started."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
