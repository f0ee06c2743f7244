"""A worker's process as the crew sees it: forked while that is safe, else started afresh."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.running.job import Job, Outcome
    from reportgen.jobs.workers.terms import Terms

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


@dataclass(frozen=True, eq=False, slots=True)
class Worker:
    """A worker's process, the way to it, and the pipe whose end tells it that nobody is there."""

    process: Process
    channel: Connection[Terms | Job, Outcome | str]
    lifeline: int

    def leave(self) -> None:
        """Give it nothing more to do."""
        self.channel.close()

    def let_go(self) -> None:
        """End it, however far it is."""
        self.process.kill()
        self.process.wait()
        os.close(self.lifeline)


# The worker that was started before anybody knew what it will have to do.
_standing_by: list[Worker] = []


def stand_by() -> None:
    """Start a worker now, where that is safe, which loads what it needs while others prepare."""
    if not can_fork() or _standing_by:
        return
    # If there can be no process now, that is told when one is needed.
    with suppress(OSError):
        _standing_by.append(_started(()))
        atexit.register(_send_home)


def _send_home() -> None:
    """End who stands by and was not needed, so that it is not left to others."""
    while _standing_by:
        _standing_by.pop().let_go()


def start(terms: Terms, others: Sequence[Worker]) -> Worker:
    """Start a worker, or take the one that stands by; `others` are none of its business."""
    worker = _standing_by.pop() if _standing_by else _started(others)
    # One that died meanwhile is found when its outcome is waited for.
    with suppress(OSError):
        worker.channel.send(terms)
    return worker


def _started(others: Sequence[Worker]) -> Worker:
    with _signals_held_back(), ExitStack() as ends:
        ours, its = Pipe()
        ends.callback(its.close)
        held, lifeline = os.pipe()
        ends.callback(os.close, held)
        with ExitStack() as failed:
            failed.callback(ours.close)
            failed.callback(os.close, lifeline)
            worker = Worker(_copied_or_fresh(its, held), ours, lifeline)
            failed.pop_all()
        if worker.process.pid == 0:
            _end_as_worker(its, held, (worker, *others))
        return worker


def _copied_or_fresh(its: Connection[Outcome | str, Terms | Job], held: int) -> Process:
    """Start a process; in a copy of this one, its number is 0."""
    if not can_fork():
        return _started_afresh(its, held)
    _flush()
    return Forked(os.fork())


def can_fork() -> bool:
    """Tell whether a copy of this process would work: threads, as those of polars, do not."""
    return threading.active_count() == 1 and "polars" not in sys.modules


def _end_as_worker(
    channel: Connection[Outcome | str, Terms | Job], lifeline: int, crew: Sequence[Worker]
) -> None:
    """Be the worker, in the copy of the process that the crew runs in."""
    code = 1
    try:
        from reportgen.jobs.workers.worker import work

        # While a copy holds the crew's ends, nobody would see that the crew is gone.
        for each in crew:
            each.channel.close()
            os.close(each.lifeline)
        work(channel, lifeline)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    finally:
        # Not as a process ends that ran to its end: that would end the crew's things as well.
        # Also if it is told to end right now.
        try:
            _flush()
        finally:
            os._exit(code)


def _started_afresh(channel: Connection[Outcome | str, Terms | Job], lifeline: int) -> Process:
    numbers = [channel.fileno(), lifeline]
    # With -P no module in the folder where the user happens to be takes the place of another.
    return subprocess.Popen(  # noqa: S603  # our own interpreter and module
        [sys.executable, "-P", "-m", "reportgen.jobs.workers.worker", *map(str, numbers)],
        stdin=subprocess.DEVNULL,
        pass_fds=numbers,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(str(Path(folder).absolute()) for folder in sys.path),
        },
    )


def processor_seconds(pid: int) -> float | None:
    """Return how much of the processor a process has had; None: this system does not say it."""
    try:
        told = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    # Behind the name, which may have blanks and brackets: user and system time are 12th and 13th.
    user, system = told.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


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
