"""Resource limits of a report and of the workers: time, memory, threads, number of workers."""

from __future__ import annotations

import errno
import io
import os
import re
import resource
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, Location
from reportgen.errors.jobs import MEMORY_LIMIT_EXCEEDED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.job import Job


# Enough time to roll back an interrupted write; after it the worker is killed.
SHUTDOWN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ResourceLimits:
    """The resource limits of one report; None means no limit."""

    timeout_seconds: float | None = None
    memory_bytes: int | None = None

    def apply_memory_limit(self) -> None:
        """Apply the memory limit to this process; an existing lower limit is retained."""
        if self.memory_bytes is None:
            return
        _preload_libraries()
        # Not the address space (RLIMIT_AS): threads and mapped files reserve more than they use.
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = (
            self.memory_bytes if hard == resource.RLIM_INFINITY else min(self.memory_bytes, hard)
        )
        resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))


NO_LIMITS = ResourceLimits()


def _preload_libraries() -> None:
    """Load libraries that start threads or allocate memory on import, before the limit applies.

    Under a limit, the OpenBLAS of NumPy and SciPy would retry a failed allocation forever, and
    polars would wait forever for threads that could not be started.
    """
    # A panic caused by exhausted memory would hang in the backtrace, which allocates memory.
    os.environ["RUST_BACKTRACE"] = "0"
    import_module("numpy")
    import_module("scipy.special")
    polars = import_module("polars")
    for engine in ("in-memory", "streaming"):
        polars.scan_csv(io.BytesIO(b"number\n1\n")).select(polars.len()).collect(engine=engine)


# The start of a worker takes 0.5 to 1.4 s. It pays off for a PDF, which takes 2.5 s, or for this
# many small reports without a PDF, which take 0.1 s each.
SMALL_REPORTS_PER_WORKER = 6


def available_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_worker_count(jobs: Sequence[Job]) -> int:
    """Return the default number of workers; 1 if starting more would not save time."""
    max_workers = min(available_cores(), len(jobs))
    # A pipe can be read only once, and possibly only by this process.
    if max_workers == 1 or any(job.spec.is_fifo() for job in jobs):
        return 1
    sample_jobs = jobs[: max_workers * SMALL_REPORTS_PER_WORKER]
    reports = sum(SMALL_REPORTS_PER_WORKER if _renders_pdf(job) else 1 for job in sample_jobs)
    return max(1, min(max_workers, reports // SMALL_REPORTS_PER_WORKER))


# As text, and only the start: a spec is parsed in the worker, under its limits.
_SPEC_START_BYTES = 1 << 20
_FORMATS_KEY = re.compile(r"^[ \t]*formats[ \t]*=[ \t]*\[([^\[\]]*)\]", re.MULTILINE)


def _renders_pdf(job: Job) -> bool:
    """Return whether a job renders a PDF, without the slow import of the spec models."""
    if job.formats is not None:
        return "pdf" in job.formats
    try:
        with job.spec.open("rb") as stream:
            start = stream.read(_SPEC_START_BYTES).decode(errors="replace")
    except OSError:
        # The build reports the error.
        return False
    formats = _FORMATS_KEY.search(start)
    return formats is None or "pdf" in formats[1]


POLARS_THREADS_VARIABLE = "POLARS_MAX_THREADS"


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """The number of threads of a worker, and the resource limits of one report."""

    threads: int
    limits: ResourceLimits = NO_LIMITS

    def apply(self) -> None:
        """Apply the configuration to this process, before polars is loaded."""
        # A value set by the user takes precedence.
        os.environ.setdefault(POLARS_THREADS_VARIABLE, str(self.threads))
        self.limits.apply_memory_limit()


def build_worker_config(pool_size: int, limits: ResourceLimits) -> WorkerConfig:
    """Return the configuration of each worker of a pool: an equal share of the cores."""
    return WorkerConfig(max(1, available_cores() // pool_size), limits)


# Messages for failed allocations: of Python for threads, of the dynamic loader for libraries, and
# of Rust for both.
OUT_OF_MEMORY_MESSAGES = (
    "can't start new thread",
    "failed to map segment",
    "cannot allocate memory",
    "memory allocation",
    "resource temporarily unavailable",
)


def process_memory_limit() -> int | None:
    """Return the memory limit of this process in bytes; None if there is none."""
    limit, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if limit == resource.RLIM_INFINITY else limit


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether exhausted memory caused an error; most signs count only under a limit."""
    if isinstance(error, MemoryError):
        return True
    limit = process_memory_limit()
    if limit is None:
        return False
    # Python itself raises odd errors where memory is short, such as a ValueError while importing.
    return _data_bytes() > NEARLY_EXHAUSTED * limit or any(
        map(_indicates_out_of_memory, _exception_chain(error))
    )


# The share of the limit above which any unexpected error is due to the memory.
NEARLY_EXHAUSTED = 0.8


def _data_bytes() -> int:
    """Return the memory of this process that counts for its limit; 0 where it is unknown."""
    try:
        statm = Path("/proc/self/statm").read_text(encoding="ascii")
    except OSError:
        return 0
    return int(statm.split()[5]) * resource.getpagesize()


def out_of_memory_diagnostic(spec: Path) -> Diagnostic:
    """Return the diagnostic of a report that exhausted its memory limit."""
    limit = process_memory_limit()
    limit_text = "" if limit is None else f": the limit is {limit / 1e6:.0f} MB"
    return memory_diagnostic(spec, f"out of memory{limit_text}")


def memory_diagnostic(spec: Path, message: str) -> Diagnostic:
    """Return the diagnostic of a report that exceeds the memory limit, with a specific message."""
    return Diagnostic(
        MEMORY_LIMIT_EXCEEDED,
        message,
        Location(spec),
        "increase --max-memory, name fewer columns, or use the Spark engine",
    )


def _indicates_out_of_memory(error: BaseException) -> bool:
    # Modules of Python raise SystemError if even the MemoryError could not be allocated.
    if isinstance(error, MemoryError | SystemError):
        return True
    if getattr(error, "errno", None) == errno.ENOMEM:
        return True
    return any(message in str(error).lower() for message in OUT_OF_MEMORY_MESSAGES)


def _exception_chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
