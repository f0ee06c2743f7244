"""One run is one row in the history, whichever process ends it and when."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.history.record import new_run_id
from tests.jobs.runs import (
    assert_new_report_stands,
    assert_old_report_stands,
    build,
    building,
    counts_in,
    recorded_runs,
    write_spec,
)
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

# What happens once in a worker.
ENDS = """
import os, signal
times = [1]
def ends():
    if times:
        times.clear()
        {}
"""
KILLED, ALL_KILLED = "os.kill(os.getpid(), signal.SIGKILL)", "os.killpg(0, signal.SIGKILL)"
IN_THE_EXCHANGE = """
import reportgen.output.staging as stages
real = stages.exchange_folders
def instead(*arguments):
    ends()
    return real(*arguments)
stages.exchange_folders = instead
"""
AFTER_WRITING = """
from reportgen.jobs.recording import HistorySession
real = HistorySession.finish
def instead(*arguments):
    ends()
    real(*arguments)
HistorySession.finish = instead
"""
AFTER_ALL = """
import reportgen.jobs.runner as run
real = run._write_and_record
def instead(*arguments):
    written = real(*arguments)
    ends()
    return written
run._write_and_record = instead
"""


def rows(folder: Path) -> list[tuple[str, int]]:
    """Return how each run that is remembered ended, the latest first."""
    return [(str(run.state), run.exit_code) for run in recorded_runs(folder / "reports")]


def test_a_report_that_cannot_be_written_is_one_failed_run(changed_report: Path) -> None:
    """With what went wrong."""
    full = ENDS.format('raise OSError(28, "No space left on device")') + IN_THE_EXCHANGE

    run = build(changed_report, "small.toml", in_worker=full)

    assert run.returncode == 5, run.stderr
    assert rows(changed_report) == [("failed", 5), ("completed", 0)]
    assert "No space left on device" in recorded_runs(changed_report / "reports")[0].errors[0]
    assert_old_report_stands(changed_report)


def test_a_worker_killed_while_it_writes_is_one_failed_run(changed_report: Path) -> None:
    """The new report was complete, but not yet in its place."""
    run = build(changed_report, "small.toml", in_worker=ENDS.format(KILLED) + IN_THE_EXCHANGE)

    assert run.returncode == 4, run.stderr
    assert rows(changed_report) == [("failed", 4), ("completed", 0)]
    assert "killed by SIGKILL" in recorded_runs(changed_report / "reports")[0].errors[0]
    assert_old_report_stands(changed_report)
    assert build(changed_report, "small.toml").returncode == 0
    assert rows(changed_report) == [("completed", 0), ("failed", 4), ("completed", 0)]


@pytest.mark.parametrize("moment", [AFTER_WRITING, AFTER_ALL], ids=["before", "after"])
def test_a_worker_killed_after_it_wrote_has_written(changed_report: Path, moment: str) -> None:
    """Before or after it has said so to the history; the exit code is the one that was told."""
    run = build(changed_report, "small.toml", in_worker=ENDS.format(KILLED) + moment)

    assert run.returncode == 4, run.stderr
    assert rows(changed_report) == [("completed", 4), ("completed", 0)]
    assert "killed by SIGKILL" in recorded_runs(changed_report / "reports")[0].errors[0]
    assert_new_report_stands(changed_report)


@pytest.mark.parametrize(
    ("moment", "ended"),
    [(IN_THE_EXCHANGE, ("interrupted", 4)), (AFTER_WRITING, ("completed", 0))],
    ids=["in the exchange", "after writing"],
)
def test_what_nobody_was_left_to_remember_the_next_run_settles(
    changed_report: Path, moment: str, ended: tuple[str, int]
) -> None:
    """All processes were killed: by what is in the folder then, one row says how far it came."""
    with building(
        changed_report, "small.toml", in_worker=ENDS.format(ALL_KILLED) + moment
    ) as process:
        process.communicate()
    assert process.returncode == -9
    assert rows(changed_report) == [("running", 0), ("completed", 0)]
    write_spec(changed_report, [[42, 8], [6, 62]])

    run = build(changed_report, "small.toml")

    assert run.returncode == 0, run.stderr
    assert rows(changed_report) == [("completed", 0), ended, ("completed", 0)]
    assert counts_in(changed_report / "reports/small") == [[42, 8], [6, 62]]


def test_ids_do_not_meet() -> None:
    """64 bits in each second: two of a million in one second meet in 1 of 37 million cases."""
    assert re.fullmatch(r"\d{8}T\d{6}-[0-9a-f]{16}", new_run_id())


def test_a_thousand_specs_at_once_are_a_thousand_rows(tmp_path: Path) -> None:
    """By two processes: each has its report and its one row, and nothing is left."""
    number = 1000
    (tmp_path / "specs").mkdir()
    for at in range(number):
        path = tmp_path / f"specs/spec{at:04}.toml"
        path.write_text(counted_spec([[40 + at, 10], [8, 60]]), encoding="utf-8")

    run = build(tmp_path, "specs", "--jobs", "2", timeout=600)

    assert run.returncode == 0, run.stderr[-2000:]
    assert f"{number} built" in run.stderr
    runs = recorded_runs(tmp_path / "reports")
    names = [f"spec{at:04}" for at in range(number)]
    assert sorted(record.name for record in runs) == names
    assert {(str(record.state), record.exit_code) for record in runs} == {("completed", 0)}
    for at in (0, 499, 999):
        assert counts_in(tmp_path / f"reports/{names[at]}") == [[40 + at, 10], [8, 60]]
    assert sorted(path.name for path in (tmp_path / "reports").iterdir()) == sorted(
        ["history.sqlite", *names]
    )
