"""Many who write at once: they wait for each other, and no run is lost or doubled."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from reportgen.errors import HistoryError
from reportgen.jobs.history import sqlite
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import sample

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PROCESSES, RUNS_EACH = 4, 200


def writer(where: str, name: str, number: int) -> subprocess.Popen[str]:
    """Start a process that keeps runs."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.history.writer", where, name, str(number)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_four_processes_lose_and_double_nothing(where: str) -> None:
    """4 × 200 runs into a history that none of the four has found ready; all have ended."""
    writers = [writer(where, f"spec {number}", RUNS_EACH) for number in range(PROCESSES)]
    printed_ids = [process.communicate(timeout=240)[0] for process in writers]
    assert [process.returncode for process in writers] == [0] * PROCESSES

    with open_history(where) as history:
        runs = history.runs()
    begun = [
        line.split()[1] for text in printed_ids for line in text.splitlines() if "begun" in line
    ]
    assert Counter(run.id for run in runs) == Counter(begun)
    assert Counter(run.name for run in runs) == {
        f"spec {number}": RUNS_EACH for number in range(PROCESSES)
    }
    assert {run.state for run in runs} == {RunState.COMPLETED}


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    """While another process is in the middle of writing, what was there before can be read."""
    where = str(tmp_path / "history.sqlite")
    record = sample()
    with open_history(where) as history:
        history.begin(record)
    other = sqlite3.connect(where, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    other.execute("DELETE FROM runs")

    with open_history(where) as history:
        assert history.get_run(record.id) == record
    other.execute("ROLLBACK")
    other.close()


def test_waiting_in_vain_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that holds the file open for writing does not let go: E513, exit code 5."""
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_SECONDS", 0.2)
    where = str(tmp_path / "history.sqlite")
    with open_history(where) as history:
        history.begin(sample())
    other = sqlite3.connect(where, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with open_history(where) as history, pytest.raises(HistoryError) as refused:
        history.begin(sample(1))
    other.close()
    assert refused.value.diagnostics[0].error_code.code == "E513"
    assert refused.value.exit_code == 5
