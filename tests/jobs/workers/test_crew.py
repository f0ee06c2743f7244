"""What a crew gives its workers, and that they do not outlive it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reportgen.jobs.running.job import Job
from reportgen.jobs.workers import process
from reportgen.jobs.workers.crew import Crew
from reportgen.jobs.workers.process import surroundings

NOBODY_READS = """
import sys
from pathlib import Path
from reportgen.jobs.workers.crew import Crew
from reportgen.jobs.running.job import Job

with Crew(1) as crew:
    for _outcome in crew.build([Job(Path(name), Path("out")) for name in ("gone.toml", "b.toml")]):
        print("one is done", flush=True)
        sys.stdin.read()
"""


@pytest.mark.parametrize(("size", "threads"), [(1, "8"), (2, "4"), (3, "2"), (20, "1")])
def test_workers_share_the_cores(monkeypatch: pytest.MonkeyPatch, size: int, threads: str) -> None:
    """Of 8 cores each of 3 workers has 8 // 3 = 2, and none has less than one."""
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    monkeypatch.setattr(process, "usable_cores", lambda: 8)

    assert surroundings(size)["POLARS_MAX_THREADS"] == threads


def test_a_number_of_threads_that_somebody_set_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who sets it knows why."""
    monkeypatch.setenv("POLARS_MAX_THREADS", "3")

    assert surroundings(2)["POLARS_MAX_THREADS"] == "3"


def test_one_worker_does_several_jobs(tmp_path: Path) -> None:
    """It stays warm, and says at which place of the list each outcome belongs."""
    jobs = [Job(tmp_path / f"{name}.toml", tmp_path) for name in "abc"]

    with Crew(1) as workers:
        found = list(workers.build(jobs))

    assert [place for place, _outcome in found] == [0, 1, 2]
    assert [outcome.spec for _place, outcome in found] == [job.spec for job in jobs]
    assert {outcome.faults[0].kind.code for _place, outcome in found} == {"E100"}


def test_a_worker_ends_when_the_crew_was_killed(tmp_path: Path) -> None:
    """Nobody is there to tell it to end, so it sees that nobody is there."""
    os.mkfifo(tmp_path / "b.toml")
    with subprocess.Popen(
        [sys.executable, "-c", NOBODY_READS],
        cwd=tmp_path,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        found = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True
        )
        process.send_signal(signal.SIGKILL)
    (tmp_path / "b.toml").open("w", encoding="utf-8").close()

    deadline = time.monotonic() + 30
    while _runs(int(found.stdout)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(int(found.stdout))


def _runs(process: int) -> bool:
    """Tell whether a process is there and is not merely waiting to be counted as dead."""
    shown = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(process)], capture_output=True, text=True, check=False
    )
    return shown.stdout.strip()[:1] not in {"", "Z"}
