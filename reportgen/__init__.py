"""Turns the predictions of classifiers into an evaluation report people can act on."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.api import Report, build, evaluate, evaluate_spec
    from reportgen.errors import DataError, OutputError, RenderingError, ReportgenError, SpecError

__version__ = "0.1.0"

__all__ = [
    "DataError",
    "OutputError",
    "RenderingError",
    "Report",
    "ReportgenError",
    "SpecError",
    "build",
    "evaluate",
    "evaluate_spec",
]


if not TYPE_CHECKING:  # type checkers know the names from above, and which are none

    def __getattr__(name: str) -> object:
        """Load what is asked for only then, so that the commands start quickly."""
        if name not in __all__:
            raise AttributeError(f"module 'reportgen' has no attribute {name!r}")
        module = import_module("reportgen.errors" if name.endswith("Error") else "reportgen.api")
        return getattr(module, name)


def __dir__() -> list[str]:
    """List the public names, also those that are not loaded yet."""
    return [*__all__, "__version__"]
