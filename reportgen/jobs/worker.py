"""A worker: a process that builds what it is given until nobody gives it anything.

The crew forks it, or starts it as `python -m reportgen.jobs.workers.worker CHANNEL LIFELINE`.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NoReturn

from reportgen.jobs.resources import WorkerConfig
from reportgen.jobs.runner import run_job

if TYPE_CHECKING:
    from types import FrameType

    from reportgen.jobs.job import Job, JobOutcome

TERMINATED_EXIT_CODE = 143
# Long enough to take back a report that is being written; a long query does not hear of the end.
SHUTDOWN_SECONDS = 1.0


def worker_main() -> None:
    """Serve the channel whose number is the argument."""
    channel, lifeline = map(int, sys.argv[1:])
    with Connection(channel) as opened:
        serve_jobs(opened, lifeline)


def serve_jobs(channel: Connection[JobOutcome | str, WorkerConfig | Job], liveness_fd: int) -> None:
    """Hear the terms, and build every job that comes, until the other side is gone."""
    signal.signal(signal.SIGTERM, _on_sigterm)
    # The crew holds both signals back while it starts a worker. The interrupt stays so: it goes
    # to all processes of a terminal, and the crew decides what becomes of the workers.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_exit_with_parent, args=(liveness_fd,), daemon=True).start()
    # What every job needs, while the crew may still be reading what it is to do.
    import_module("reportgen.spec")
    with suppress(EOFError, OSError):
        while True:
            told = channel.recv()
            if isinstance(told, WorkerConfig):
                told.apply()
            else:
                channel.send(run_job(told, channel.send))


def _exit_with_parent(liveness_fd: int) -> None:
    """Wait until the crew is gone, however it went, and go as well: nobody waits for the work."""
    os.read(liveness_fd, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SHUTDOWN_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _on_sigterm(_signal: int, _frame: FrameType | None) -> NoReturn:
    # Whoever asks twice does not keep the report from being taken back.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # An exception rather than the end: a report that is being written is taken back first.
    sys.exit(TERMINATED_EXIT_CODE)


if __name__ == "__main__":
    worker_main()
