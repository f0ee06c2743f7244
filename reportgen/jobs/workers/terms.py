"""On what terms a worker works, which it is told before its first job."""

from __future__ import annotations

import os

from reportgen.frozen import frozen
from reportgen.jobs.workers.limits import NO_LIMITS, Limits
from reportgen.jobs.workers.number import usable_cores

THREADS = "POLARS_MAX_THREADS"


@frozen
class Terms:
    """The number of threads of a worker, and what one report may take."""

    threads: int
    limits: Limits = NO_LIMITS

    def apply(self) -> None:
        """Hold this process to them, before polars is loaded."""
        # Whoever has set a number knows why.
        os.environ.setdefault(THREADS, str(self.threads))
        self.limits.apply_to_memory()


def terms_of(size: int, limits: Limits) -> Terms:
    """Return the terms of each worker of a crew: its share of the cores."""
    return Terms(max(1, usable_cores() // size), limits)
