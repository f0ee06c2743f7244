"""A call of reportgen for every spec: a few calls are measured and their time is scaled."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

MEASURED = 5


def specs(folder: Path, number: int) -> dict[str, float]:
    """Build the first specs one by one, and tell the seconds that all would take."""
    command = Path(sys.executable).with_name("reportgen")
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as output:
        for repetition in range(MEASURED):
            spec = folder / f"spec{repetition}.toml"
            subprocess.run(  # noqa: S603  # our own command
                [command, "build", spec, "--output", output, "--format", "json", "--no-history"],
                check=True,
                capture_output=True,
            )
    return {"seconds": (time.perf_counter() - start) / MEASURED * number}
