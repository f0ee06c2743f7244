"""Where scheduled specs are built: in processes that can be stopped."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import Diagnostic, ExitCode, Location
from reportgen.errors.spec import SPEC_UNREADABLE
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from reportgen.jobs.notifications import dispatch
from reportgen.jobs.resources import NO_LIMITS, ResourceLimits
from reportgen.jobs.schedule.service import ProcessExecutor
from tests.jobs.schedule.fakes import scheduled_spec

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.notifications.dispatch import Notification

DEADLINE = 30.0


def test_a_spec_that_cannot_be_built_is_recorded_and_nobody_waits_for_its_notification(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next spec is built while a server does not answer; the scheduler logs the warning."""
    spec, history_path = tmp_path / "churn.toml", str(tmp_path / "out/history.sqlite")
    notify = '[[notify]]\non = ["failure"]\nwebhook = "HOOK"\n'
    spec.write_text(scheduled_spec(more=notify), encoding="utf-8")
    (tmp_path / "out").mkdir()
    answered = Event()
    notified: list[Notification] = []
    logged: list[str] = []

    def wait_for_answer(_settings: object, notification: Notification) -> tuple[str, ...]:
        notified.append(notification)
        return () if answered.wait(DEADLINE) else ("no answer",)

    monkeypatch.setattr(dispatch, "notify", wait_for_answer)
    executor = ProcessExecutor(tmp_path / "out", history_path, NO_LIMITS, logged.append)
    fault = Diagnostic(SPEC_UNREADABLE, "the spec is invalid", Location(spec))
    executor.record_failure(spec, (fault,))
    answered.set()
    with open_history(history_path) as history:
        (run,) = history.runs("churn")

    assert (run.state, run.exit_code) == (RunState.FAILED, ExitCode.SPEC)
    deadline = time.monotonic() + DEADLINE
    while not notified and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [(item.run_id, item.exit_code) for item in notified] == [(run.id, ExitCode.SPEC)]
    assert logged == []


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
