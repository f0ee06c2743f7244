"""Which versions of what a report was made with."""

from __future__ import annotations

import platform
from importlib.metadata import version

from reportgen import __version__

LIBRARIES = ("jinja2", "numpy", "polars", "pydantic", "scipy", "weasyprint")


def used_versions() -> dict[str, str]:
    """Return the versions of reportgen, Python and the libraries, by name."""
    return {
        "reportgen": __version__,
        "python": platform.python_version(),
        **{library: version(library) for library in LIBRARIES},
    }
