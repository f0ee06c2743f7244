"""Resource limits of a report and of the workers: time, memory, threads, number of workers."""

from __future__ import annotations

import errno
import io
import os
import resource
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location
from reportgen.errors.jobs import MEMORY_LIMIT_EXCEEDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from reportgen.jobs.job import Job


# Long enough to take back a report that is being written; a worker that takes longer is killed.
SHUTDOWN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """What one report may take; None is no limit."""

    timeout_seconds: float | None = None
    memory_bytes: int | None = None

    def apply_memory_limit(self) -> None:
        """Hold this process to the memory it may take; a lower limit it has already stays."""
        if self.memory_bytes is None:
            return
        _preload_libraries()
        # Not addresses (RLIMIT_AS): threads and files reserve many and use few.
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = self.memory_bytes if hard == resource.RLIM_INFINITY else min(self.memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


NO_LIMITS = ResourceLimits()


def _preload_libraries() -> None:
    """Load what starts threads or asks for memory while it is loaded, before there is a limit.

    Where the OpenBLAS of NumPy or that of SciPy gets none then, it asks again for ever; polars
    waits for ever for threads that could not be started.
    """
    # Whoever panics because memory is used up has none to look for the place either: that hangs.
    os.environ["RUST_BACKTRACE"] = "0"
    import_module("numpy")
    import_module("scipy.special")
    polars = import_module("polars")
    for engine in ("in-memory", "streaming"):
        polars.scan_csv(io.BytesIO(b"number\n1\n")).select(polars.len()).collect(engine=engine)


# How many reports are built at the same time, if nobody says it.

# A worker is worth its start, which takes 0.5 to 1.4 s, if it makes a PDF, which takes 2.5 s, or
# this many small reports without one, which take 0.1 s each.
SMALL_REPORTS_PER_WORKER = 6


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_worker_count(jobs: Sequence[Job]) -> int:
    """Return how many jobs to do at once: one, where workers would take longer to start."""
    most = min(available_cores(), len(jobs))
    # What a pipe holds can be read once, and perhaps by this process only.
    if most == 1 or any(job.spec.is_fifo() for job in jobs):
        return 1
    enough = jobs[: most * SMALL_REPORTS_PER_WORKER]
    reports = sum(SMALL_REPORTS_PER_WORKER if _renders_pdf(job) else 1 for job in enough)
    return max(1, min(most, reports // SMALL_REPORTS_PER_WORKER))


def _renders_pdf(job: Job) -> bool:
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


# On what terms a worker works, which it is told before its first job.

POLARS_THREADS_VARIABLE = "POLARS_MAX_THREADS"


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The number of threads of a worker, and what one report may take."""

    threads: int
    limits: ResourceLimits = NO_LIMITS

    def apply(self) -> None:
        """Hold this process to them, before polars is loaded."""
        # Whoever has set a number knows why.
        os.environ.setdefault(POLARS_THREADS_VARIABLE, str(self.threads))
        self.limits.apply_memory_limit()


def build_worker_config(pool_size: int, limits: ResourceLimits) -> WorkerConfig:
    """Return the terms of each worker of a crew: its share of the cores."""
    return WorkerConfig(max(1, available_cores() // pool_size), limits)


# Whether memory was used up, whatever a library makes of it.

# What is said where the system gave no memory: Python of a thread, the loader of a library, and
# Rust of both.
OUT_OF_MEMORY_MESSAGES = (
    "can't start new thread",
    "failed to map segment",
    "cannot allocate memory",
    "memory allocation",
    "resource temporarily unavailable",
)


def process_memory_limit() -> int | None:
    """Return how much memory this process may write to; None: as much as there is."""
    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if most == resource.RLIM_INFINITY else most


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether an error is out-of-memory; some signs count only under a memory limit."""
    if isinstance(error, MemoryError):
        return True
    return process_memory_limit() is not None and any(
        map(_indicates_out_of_memory, _exception_chain(error))
    )


def out_of_memory_diagnostic(spec: Path) -> Diagnostic:
    """Return the fault of a report that took all the memory it may take."""
    most = process_memory_limit()
    limited = "" if most is None else f": the limit is {most / 1e6:.0f} MB"
    return memory_diagnostic(spec, f"the memory was used up{limited}")


def memory_diagnostic(spec: Path, message: str) -> Diagnostic:
    """Return the fault of a report that needs more memory than it may take, however that showed."""
    return Diagnostic(
        MEMORY_LIMIT_EXCEEDED,
        message,
        Location(spec),
        "allow more with --max-memory, name fewer columns, or let an engine count",
    )


def _indicates_out_of_memory(error: BaseException) -> bool:
    # Python's own modules fail with a SystemError where they could not even make the right one.
    if isinstance(error, MemoryError | SystemError):
        return True
    if getattr(error, "errno", None) == errno.ENOMEM:
        return True
    return any(sign in str(error).lower() for sign in OUT_OF_MEMORY_MESSAGES)


def _exception_chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
