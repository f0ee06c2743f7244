"""How long a report may take, and how much memory."""

from __future__ import annotations

import resource

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
        # Not addresses (RLIMIT_AS): threads and files reserve many and use few.
        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        most = self.memory if hard == resource.RLIM_INFINITY else min(self.memory, hard)
        resource.setrlimit(resource.RLIMIT_DATA, (most, hard))


NO_LIMITS = Limits()
