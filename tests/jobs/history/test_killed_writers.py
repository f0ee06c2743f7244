"""Processes that are killed while they write, and disks that are full."""

from __future__ import annotations

import random
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
KILLS = 25
SECONDS_TO_START = 60


def kill_after(where: Path, wait: float) -> list[str]:
    """Let a process write, kill it some time after its first run, and return what it told."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.history.writer", str(where), "churn", "100000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    first = process.stdout.readline()
    time.sleep(wait)
    process.kill()
    rest = process.stdout.read()
    process.stdout.close()
    process.wait(SECONDS_TO_START)
    return [line for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]


def test_a_killed_process_leaves_a_whole_history(tmp_path: Path) -> None:
    """After each of 25 kills: what was told to be kept is, whole, and what was not is not half."""
    where = tmp_path / "history.sqlite"
    draws = random.Random(20260301)  # noqa: S311  # moments, not secrets
    printed_ids: list[str] = []
    for _ in range(KILLS):
        printed_ids += kill_after(where, draws.uniform(0, 0.1))
        with open_history(str(where)) as history:
            runs = {run.id: run for run in history.runs()}
            # Reading a run whole checks every row of it.
            assert all(history.get_run(run) for run in list(runs)[:3])

    begun = {line.split()[1] for line in printed_ids if line.startswith("begun")}
    ended = {line.split()[1] for line in printed_ids if line.startswith("ended")}
    assert begun <= set(runs)
    # At most one run for each kill was kept without having been told.
    assert len(runs) <= len(begun) + KILLS
    assert {run for run in ended if runs[run].state is not RunState.COMPLETED} == set()
    with sqlite3.connect(where) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


def test_runs_of_killed_processes_are_settled(tmp_path: Path) -> None:
    """What began and did not end is interrupted, once the next run of that output comes."""
    where = tmp_path / "history.sqlite"
    kill_after(where, 0.05)
    with open_history(str(where)) as history:
        begun = [run.id for run in history.runs() if run.state is RunState.RUNNING]
        history.recover_interrupted("churn", "/srv/reports/churn", "")
        states = {run.id: run.state for run in history.runs()}

    assert RunState.RUNNING not in states.values()
    assert all(states[run] is RunState.INTERRUPTED for run in begun)


def test_a_full_disk_leaves_the_runs_of_before(tmp_path: Path) -> None:
    """No file may grow beyond 200 kB: the run that does not fit is told, those before it stay."""
    where = tmp_path / "history.sqlite"
    code = (
        "import resource, sys\n"
        "from reportgen.errors import HistoryError\n"
        "from tests.jobs.history import writer\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))\n"
        "try:\n"
        "    writer.main()\n"
        "except HistoryError as error:\n"
        "    print('refused', error.diagnostics[0].error_code.code, int(error.exit_code))\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, str(where), "churn", "1000"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    *printed_ids, last = run.stdout.splitlines()
    assert last == "refused E514 5"

    begun = {line.split()[1] for line in printed_ids if line.startswith("begun")}
    with open_history(str(where)) as history:
        recorded_ids = {record.id for record in history.runs()}
        assert all(history.get_run(record) for record in recorded_ids)
        history.prune(keep=1, before=None, name=None)
    assert begun
    assert recorded_ids == begun
