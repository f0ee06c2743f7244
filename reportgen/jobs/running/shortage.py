"""Whether memory was used up, whatever a library makes of it."""

from __future__ import annotations

import errno
import resource
from typing import TYPE_CHECKING

from reportgen.errors import Fault, Place
from reportgen.errors.job_faults import TOO_MUCH_MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# What is said where the system gave no memory: Python of a thread, the loader of a library, and
# Rust of both.
SIGNS = (
    "can't start new thread",
    "failed to map segment",
    "cannot allocate memory",
    "memory allocation",
    "resource temporarily unavailable",
)


def memory_limit() -> int | None:
    """Return how much memory this process may write to; None: as much as there is."""
    most, _ = resource.getrlimit(resource.RLIMIT_DATA)
    return None if most == resource.RLIM_INFINITY else most


def is_short_of_memory(error: BaseException) -> bool:
    """Tell whether an error comes from used-up memory; most of its signs mean it under a limit."""
    if isinstance(error, MemoryError):
        return True
    return memory_limit() is not None and any(map(_is_sign, _with_causes(error)))


def used_up(spec: Path) -> Fault:
    """Return the fault of a report that took all the memory it may take."""
    most = memory_limit()
    limited = "" if most is None else f": the limit is {most / 1e6:.0f} MB"
    return memory_fault(spec, f"the memory was used up{limited}")


def memory_fault(spec: Path, message: str) -> Fault:
    """Return the fault of a report that needs more memory than it may take, however that showed."""
    return Fault(
        TOO_MUCH_MEMORY,
        message,
        Place(spec),
        "allow more with --max-memory, name fewer columns, or let an engine count",
    )


def _is_sign(error: BaseException) -> bool:
    # Python's own modules fail with a SystemError where they could not even make the right one.
    if isinstance(error, MemoryError | SystemError):
        return True
    if getattr(error, "errno", None) == errno.ENOMEM:
        return True
    return any(sign in str(error).lower() for sign in SIGNS)


def _with_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
