"""Runs that are stopped at any moment: nothing half, nothing stuck, nothing lost or doubled."""

from __future__ import annotations

import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.history.store import open_history
from reportgen.output.staging import state_folder
from reportgen.output.write import recover_interrupted_write
from tests.jobs.runs import (
    NEW,
    OLD,
    build,
    building,
    counts_in,
    kill_all,
    leftovers,
    write_spec,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

# Says when the command has set its own end on SIGTERM; before that the system ends it.
TELLING = """
import os, pathlib, signal
own = os.getpid()
def told(number, handler, real=signal.signal):
    before = real(number, handler)
    if number == signal.SIGTERM and os.getpid() == own:
        pathlib.Path("ready").touch()
    return before
signal.signal = told
"""
# A build takes about so long.
SECONDS = 1.5
KILLS = 25


@pytest.mark.parametrize("tenth", range(10))
def test_a_run_that_is_terminated_ends_with_143_and_leaves_nothing(
    changed_report: Path, tenth: int
) -> None:
    """At nine moments until its end; who comes too late finds the report done.

    The first is before the command can hear of it: then the system ends it, with nothing begun.
    """
    with building(changed_report, "small.toml", before=TELLING) as process:
        if tenth:
            _wait_for(changed_report / "ready", process)
            time.sleep(SECONDS * (tenth - 1) / 9)
        could_hear = (changed_report / "ready").exists()
        process.send_signal(signal.SIGTERM)
        _stdout, stderr = process.communicate()

    # Without a handler, which Python removes at the very end of a process, the system ends it.
    is_unheard = process.returncode == -signal.SIGTERM
    assert process.returncode in {143, 0} or is_unheard
    assert could_hear == bool(tenth)
    assert "Traceback" not in stderr
    counts = counts_in(changed_report / "reports/small")
    assert counts in ([NEW] if could_hear and process.returncode != 143 else [OLD, NEW])
    assert leftovers(changed_report) == []
    assert build(changed_report, "small.toml").returncode == 0


def test_a_run_that_is_killed_at_any_moment_costs_nothing(changed_report: Path) -> None:
    """25 times: the first process alone, all at any moment, or all while the report is written.

    No half report after the first step of the next run, no lock that stays, one row for each run.
    """
    moments = random.Random(6)  # noqa: S311  # moments, not secrets
    report = changed_report / "reports/small"
    while_writing = ended = 0
    standing = OLD
    for attempt in range(KILLS):
        counts = [[40 + attempt, 11], [8, 60]]
        write_spec(changed_report, counts)
        with building(changed_report, "small.toml") as process:
            if attempt % 5 < 3:
                time.sleep(moments.uniform(0.0, SECONDS))
            else:
                while_writing += _wait_for_stage(report, process)
                time.sleep(moments.uniform(0.0, 0.01))
            if attempt % 5:
                kill_all(process)
            else:
                process.kill()
            process.communicate()
        recover_interrupted_write(report)
        written_counts = counts_in(report)
        assert written_counts in (standing, counts)
        ended += process.returncode == 0
        standing = written_counts

    run = build(changed_report, "small.toml", "--wait")

    assert run.returncode == 0
    assert counts_in(report) == counts
    assert leftovers(changed_report) == []
    assert while_writing >= KILLS // 5
    _check_history(changed_report / "reports/history.sqlite", counts, at_least=ended + 2)


def _check_history(path: Path, last: list[list[int]], *, at_least: int) -> None:
    """Check that each run has one row, known by its counts; the last spec was run twice."""
    with open_history(str(path), must_exist=True) as history:
        runs = [history.get_run(record.id) for record in history.runs()]
    rows = Counter(str(run.confusion["A"]) for run in runs if run is not None)
    twice = str(tuple(map(tuple, last)))
    assert {counts: number for counts, number in rows.items() if number > 1} in ({}, {twice: 2})
    assert not [run for run in runs if run is None or run.state == "running"]
    assert sum(run is not None and run.state == "completed" for run in runs) >= at_least
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("pragma integrity_check").fetchone() == ("ok",)


def _wait_for(path: Path, process: subprocess.Popen[str]) -> None:
    while not path.exists():
        assert process.poll() is None
        time.sleep(0.001)


def _wait_for_stage(report: Path, process: subprocess.Popen[str]) -> bool:
    """Wait until a report is being written; tell whether that was seen before it was over."""
    while process.poll() is None:
        if any(state_folder(report).glob("stage-*/new")):
            return True
        time.sleep(0.0005)
    return False


def test_a_signal_in_a_callback_that_cannot_raise_still_ends_the_worker() -> None:
    """Python ignores an exception there, and would go on as if no signal had come."""
    code = (
        "import os, signal, sys, time\n"
        "from reportgen.jobs import worker\n"
        "signal.signal(signal.SIGTERM, worker._on_sigterm)\n"
        "signal.signal(signal.SIGALRM, worker._on_sigterm)\n"
        "sys.unraisablehook = worker._repeat_swallowed_exit\n"
        "class Finalized:\n"
        "    def __del__(self):\n"
        "        os.kill(os.getpid(), signal.SIGTERM)\n"
        "        time.sleep(0.05)\n"
        "Finalized()\n"
        "time.sleep(20)\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )

    assert (ended.returncode, ended.stderr) == (143, "")
