"""Where scheduled specs are built: in processes that can be stopped."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from reportgen.jobs.resources import NO_LIMITS, ResourceLimits
from reportgen.jobs.schedule.service import ProcessExecutor
from tests.jobs.schedule.fakes import scheduled_spec

if TYPE_CHECKING:
    from pathlib import Path

DEADLINE = 30.0


def test_a_spec_is_built_in_a_process_of_its_own_and_remembered(tmp_path: Path) -> None:
    """The report is there, and the history has the run."""
    spec = tmp_path / "churn.toml"
    spec.write_text(scheduled_spec(), encoding="utf-8")
    history_path = str(tmp_path / "history.sqlite")
    outcome = ProcessExecutor(tmp_path / "out", history_path, NO_LIMITS).build(
        spec, is_last_attempt=True
    )
    with open_history(history_path) as history:
        runs = history.runs("churn")

    assert outcome.exit_code is ExitCode.SUCCESS
    assert (tmp_path / "out/churn/results.json").is_file()
    assert [run.state for run in runs] == [RunState.COMPLETED]


@pytest.mark.slow
def test_what_takes_too_long_is_ended_at_its_limit(tmp_path: Path) -> None:
    """A pipe that nobody writes to holds the worker up until its time is over."""
    spec = tmp_path / "churn.toml"
    os.mkfifo(spec)
    history = str(tmp_path / "history.sqlite")
    executor = ProcessExecutor(tmp_path / "out", history, ResourceLimits(timeout_seconds=1))
    outcome = executor.build(spec, is_last_attempt=True)

    assert outcome.exit_code is ExitCode.ENVIRONMENT
    assert outcome.diagnostics[0].error_code.code == "E407"
    assert outcome.seconds >= 1


def test_a_build_can_be_stopped_from_another_thread(tmp_path: Path) -> None:
    """Whoever waits for it gets an outcome; that it was stopped is not remembered as a failure."""
    spec = tmp_path / "churn.toml"
    os.mkfifo(spec)
    history = tmp_path / "history.sqlite"
    executor = ProcessExecutor(tmp_path / "out", str(history), NO_LIMITS)
    with ThreadPoolExecutor(1) as pool:
        building = pool.submit(executor.build, spec, is_last_attempt=True)
        # A pipe can be opened for writing once its reader is there.
        end = os.open(spec, os.O_WRONLY)
        begun = time.monotonic()
        executor.stop()
        outcome = building.result(DEADLINE)
        took = time.monotonic() - begun
        os.close(end)

    assert outcome.exit_code is ExitCode.ENVIRONMENT
    assert took < DEADLINE / 2
    assert not history.exists()
