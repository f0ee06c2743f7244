"""Runs of the command in processes of their own, and what they leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.history.store import open_history
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.history.record import RunRecord

ROOT = Path(__file__).parents[2]
# Replaces what a worker does with a job.
INSTEAD = """
import os, time, reportgen.jobs.runner as run
def instead(job, on_progress):
    {}
run._build_and_record = instead
"""
on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="the system does not limit memory so, or has no /proc"
)
OLD, NEW = [[40, 10], [8, 60]], [[41, 9], [7, 61]]


def write_spec(folder: Path, counts: list[list[int]] = OLD, name: str = "small") -> Path:
    """Write a small spec."""
    path = folder / f"{name}.toml"
    path.write_text(counted_spec(counts, [[38, 12], [9, 59]]), encoding="utf-8")
    return path


def command(*arguments: object, before: str = "") -> list[str]:
    """Return the command line of a build; `before` is code that runs in its process first."""
    code = f"import sys\n{before}\nfrom reportgen.cli import main\nmain()"
    return [sys.executable, "-c", code, "build", "--format", "json", *map(str, arguments)]


def surroundings(*folders: Path) -> dict[str, str]:
    """Return the environment of a build, which imports modules of these folders as well."""
    paths = os.pathsep.join(map(str, (*folders, ROOT)))
    return {**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1"}


def worker_preamble(folder: Path, code: str) -> Path:
    """Return a folder with a `sitecustomize` that runs code in every worker first."""
    preamble = folder / "worker-preamble"
    preamble.mkdir(exist_ok=True)
    body = textwrap.indent(f"pass\n{code}", "    ")
    (preamble / "sitecustomize.py").write_text(
        f'import sys\nif "reportgen.jobs.worker" in sys.orig_argv:\n{body}\n', encoding="utf-8"
    )
    return preamble


def build(
    folder: Path, *arguments: object, before: str = "", in_worker: str = "", timeout: int = 120
) -> subprocess.CompletedProcess[str]:
    """Build in a folder, and wait; `in_worker` is code that runs in each worker first."""
    return subprocess.run(
        command(*arguments, before=before),
        cwd=folder,
        env=surroundings(worker_preamble(folder, in_worker)),
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )


@contextmanager
def building(
    folder: Path, *arguments: object, before: str = "", in_worker: str = ""
) -> Iterator[subprocess.Popen[str]]:
    """Build in a folder, without waiting, in a group of processes of its own."""
    with subprocess.Popen(
        command(*arguments, before=before),
        cwd=folder,
        env=surroundings(worker_preamble(folder, in_worker)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            kill_all(process)


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill a build with the processes that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def assert_old_report_stands(folder: Path) -> None:
    """Check that nothing of a failed run can be seen but its place in the history."""
    assert counts_in(folder / "reports/small") == OLD
    assert leftovers(folder) == []


def assert_new_report_stands(folder: Path) -> None:
    """Check that the report was built anew, and nothing else is left."""
    assert counts_in(folder / "reports/small") == NEW
    assert leftovers(folder) == []


def counts_in(folder: Path) -> list[list[int]]:
    """Return what the report in a folder says, having made sure that it is whole."""
    manifest = json.loads((folder / "manifest.json").read_bytes())
    results = (folder / "results.json").read_bytes()
    hashes = {file["path"]: file["sha256"] for file in manifest["outputs"]}
    assert hashes == {"results.json": sha256(results).hexdigest()}
    counts: list[list[int]] = json.loads(results)["confusion"][0]["counts"]
    return counts


def leftovers(folder: Path) -> list[str]:
    """Return temporary files and locks, however deep."""
    return [path.name for path in folder.rglob(".*")]


def recorded_runs(folder: Path) -> tuple[RunRecord, ...]:
    """Return the runs in the history of a folder, the latest first."""
    with open_history(str(folder / "history.sqlite"), must_exist=True) as history:
        return history.runs()
