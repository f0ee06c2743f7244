"""A worker: a process that builds what it is given until nobody gives it anything.

The crew starts it as `python -m reportgen.workers.worker CHANNEL`.
"""

from __future__ import annotations

import signal
import sys
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, NoReturn

from reportgen.workers.job import build_job

if TYPE_CHECKING:
    from types import FrameType

    from reportgen.workers.job import Job, Outcome

STOPPED = 143


def main() -> None:
    """Serve the channel whose number is the argument."""
    signal.signal(signal.SIGTERM, _stopped)
    # The crew holds both signals back while it starts a worker. The interrupt stays so: it goes
    # to all processes of a terminal, and the crew decides what becomes of the workers.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    with Connection(int(sys.argv[1])) as channel:
        serve(channel)


def serve(channel: Connection[Outcome, Job]) -> None:
    """Build every job that comes, until the other side is gone."""
    while True:
        try:
            job = channel.recv()
            channel.send(build_job(job))
        except (EOFError, OSError):
            return


def _stopped(_signal: int, _frame: FrameType | None) -> NoReturn:
    # An exception rather than the end: a report that is being written is taken back first.
    sys.exit(STOPPED)


if __name__ == "__main__":
    main()
