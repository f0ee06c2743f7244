"""Software versions of a report."""

from __future__ import annotations

import platform
import re
from importlib.metadata import distribution

from reportgen import __version__

_LIBRARIES = ("jinja2", "numpy", "polars", "pydantic", "scipy", "weasyprint")


def software_versions() -> dict[str, str]:
    """Return the versions of reportgen, Python and the libraries, by name."""
    return {
        "reportgen": __version__,
        "python": platform.python_version(),
        **{library: _installed_version(library) for library in _LIBRARIES},
    }


def _installed_version(library: str) -> str:
    # `distribution(…).version` parses the full description, which is ten times slower.
    metadata = distribution(library).read_text("METADATA") or ""
    match = re.search(r"^Version: (.+)$", metadata, re.MULTILINE)
    return match[1].strip() if match else distribution(library).version
