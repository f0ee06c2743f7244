"""The machine, the versions and the commit that times belong to."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.speed.data import ROOT

LIBRARIES = ("numpy", "polars", "scipy", "scikit-learn", "pycm", "typer", "weasyprint")


def machine() -> dict[str, str]:
    """Return what a reader needs to know to compare times, by the words for it."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "commit": _commit(),
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "load average at the start": f"{os.getloadavg()[0]:.1f}",
        "memory": f"{memory / 2**30:.0f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        **{library: _version(library) for library in LIBRARIES},
    }


def _processor() -> str:
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        match = re.search(r"^model name\s*:\s*(.+)$", listed.read_text(), re.MULTILINE)
        if match:
            return match[1]
    return platform.processor() or platform.machine()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"


def _commit() -> str:
    def git(*arguments: str) -> str:
        command = ["git", *arguments]
        ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
        return ran.stdout.strip()

    changed = git("status", "--porcelain", "--", "reportgen", "benchmarks/speed")
    return f"{git('rev-parse', '--short', 'HEAD') or 'unknown'}{' with changes' if changed else ''}"
