"""How long a report may take, and how much memory."""

from __future__ import annotations

import io
import os
import resource
from importlib import import_module

from reportgen.frozen import frozen


@frozen
class Limits:
    """What one report may take; None is no limit."""

    seconds: float | None = None
    memory: int | None = None

    def apply_to_memory(self) -> None:
        """Hold this process to the memory it may take; a lower limit it has already stays."""
        if self.memory is None:
            return
        _load_libraries()
        # Not addresses (RLIMIT_AS): threads and files reserve many and use few.
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = self.memory if hard == resource.RLIM_INFINITY else min(self.memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


NO_LIMITS = Limits()


def _load_libraries() -> None:
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
