"""What is kept of an error that nobody foresaw."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors.fault import Fault, Place
from reportgen.errors.run_faults import INTERNAL_ERROR

if TYPE_CHECKING:
    from pathlib import Path


def internal_fault(spec: Path, error: Exception) -> Fault:
    """Return the fault of a spec that met an error nobody foresaw, with where it is written."""
    message = f"internal error: {type(error).__name__}: {error}"
    return Fault(INTERNAL_ERROR, message, Place(spec), f"please report it with {crash_file()}")


def crash_file() -> str:
    """Write the traceback to a file of its own: a job's log may be gone tomorrow."""
    import tempfile
    import traceback

    from reportgen import __version__

    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", prefix="reportgen-crash-", suffix=".txt", delete=False
    ) as file:
        file.write(f"reportgen {__version__}\n{traceback.format_exc()}")
    return file.name
