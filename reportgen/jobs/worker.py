"""A worker process: runs the jobs that the worker pool sends, until the pool is gone.

Started as `python -m reportgen.jobs.worker CHANNEL_FD LIVENESS_FD`.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NoReturn

from reportgen.jobs.resources import SHUTDOWN_SECONDS, WorkerConfig
from reportgen.jobs.runner import run_job

if TYPE_CHECKING:
    from types import FrameType

    from reportgen.jobs.job import Job, JobOutcome

TERMINATED_EXIT_CODE = 143
SWALLOWED_EXIT_SECONDS = 0.01


def worker_main() -> None:
    """Serve the connection whose file descriptor is the first argument."""
    channel_fd, liveness_fd = map(int, sys.argv[1:])
    with Connection(channel_fd) as channel:
        serve_jobs(channel, liveness_fd)
    # The interpreter would look for cycles among all objects before it ends, which takes a tenth of
    # a small report.
    gc.freeze()


def serve_jobs(channel: Connection[JobOutcome | str, WorkerConfig | Job], liveness_fd: int) -> None:
    """Receive the configuration, then run every job that comes, until the pool is gone."""
    signal.signal(signal.SIGTERM, _on_sigterm)
    signal.signal(signal.SIGALRM, _on_sigterm)
    sys.unraisablehook = _repeat_swallowed_exit
    # The pool blocks both signals while it starts a worker. SIGINT stays blocked: a terminal sends
    # it to all processes, and the pool is responsible for the shutdown of its workers.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    threading.Thread(target=_exit_with_parent, args=(liveness_fd,), daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            message = channel.recv()
            if isinstance(message, WorkerConfig):
                message.apply()
            else:
                channel.send(run_job(message, channel.send))


def _exit_with_parent(liveness_fd: int) -> None:
    """Wait for the end of the pool's process, normal or not, and exit."""
    os.read(liveness_fd, 1)
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(SHUTDOWN_SECONDS)
    os.kill(os.getpid(), signal.SIGKILL)


def _on_sigterm(_signal: int, _frame: FrameType | None) -> NoReturn:
    # A second signal must not interrupt the restoring of the earlier report.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # An exception rather than an immediate exit: an interrupted write is rolled back first.
    sys.exit(TERMINATED_EXIT_CODE)


def _repeat_swallowed_exit(unraisable: sys.UnraisableHookArgs) -> None:
    """Exit a moment later if the signal arrived in a callback that cannot raise exceptions."""
    if isinstance(unraisable.exc_value, SystemExit):
        signal.setitimer(signal.ITIMER_REAL, SWALLOWED_EXIT_SECONDS)
    else:
        sys.__unraisablehook__(unraisable)


if __name__ == "__main__":
    worker_main()
