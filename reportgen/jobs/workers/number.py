"""How many reports are built at the same time, if nobody says it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.jobs.running.job import Job

# A worker is worth its start, which takes 0.5 to 1.4 s, if it makes a PDF, which takes 2.5 s, or
# this many small reports without one, which take 0.1 s each.
REPORTS_PER_START = 6


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def worthwhile(jobs: Sequence[Job]) -> int:
    """Return how many jobs to do at once: one, where workers would take longer to start."""
    most = min(usable_cores(), len(jobs))
    # What a pipe holds can be read once, and perhaps by this process only.
    if most == 1 or any(job.spec.is_fifo() for job in jobs):
        return 1
    enough = jobs[: most * REPORTS_PER_START]
    reports = sum(REPORTS_PER_START if _makes_pdf(job) else 1 for job in enough)
    return max(1, min(most, reports // REPORTS_PER_START))


def _makes_pdf(job: Job) -> bool:
    """Find out without the models of the spec, whose import would cost what is to be saved."""
    if job.formats is not None:
        return "pdf" in job.formats
    import tomllib

    try:
        return "pdf" in tomllib.loads(job.spec.read_text("utf-8"))["output"]["formats"]
    except KeyError:
        return True
    except (OSError, ValueError, TypeError, RecursionError):
        # Whatever is wrong with it is told when it is built, and soon.
        return False
