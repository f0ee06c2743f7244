"""The scheduler as a process: one per folder, following signals and files."""

from __future__ import annotations

import os
import signal
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode, LockedError, SpecError
from reportgen.jobs.job import JobOutcome
from reportgen.jobs.schedule.service import CLOCK_CHECK_SECONDS, SchedulerService
from reportgen.jobs.schedule.timer import ThreadTimer
from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleState, write_schedule_file
from tests.jobs.schedule.fakes import COUNTS, FakeExecutor, RecordedLog, scheduled_spec
from tests.jobs.schedule.harness import read_entries

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic

TIMEOUT = 5.0
MISSED = ScheduleEntry("churn", "", last=datetime.now(UTC) - timedelta(days=2))


@dataclass(slots=True)
class SlowExecutor:
    """Builds until it is stopped, or told to go on."""

    go_on: threading.Event = field(default_factory=threading.Event)
    begun: threading.Event = field(default_factory=threading.Event)
    stopped: bool = False

    def build(self, spec: Path, *, is_last_attempt: bool) -> JobOutcome:  # noqa: ARG002  # as asked
        """Wait."""
        self.begun.set()
        self.go_on.wait(TIMEOUT)
        return JobOutcome(spec, ExitCode.ENVIRONMENT if self.stopped else ExitCode.SUCCESS)

    def record_failure(self, spec: Path, diagnostics: tuple[Diagnostic, ...]) -> None:
        """Leave it at that."""

    def stop(self) -> None:
        """End what waits."""
        self.stopped = True
        self.go_on.set()


@pytest.fixture
def specs(tmp_path: Path) -> Path:
    """Return a folder with one spec that is due every day."""
    folder = tmp_path / "specs"
    folder.mkdir()
    (folder / "churn.toml").write_text(scheduled_spec(), encoding="utf-8")
    return folder


def when(condition: Callable[[], object], then: Callable[[], object]) -> threading.Thread:
    """Do something from another thread as soon as something is so."""

    def wait() -> None:
        deadline = time.monotonic() + TIMEOUT
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.01)
        then()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def send(number: signal.Signals) -> None:
    """Send this process a signal."""
    os.kill(os.getpid(), number)


def state_of(output: Path, name: str = "churn") -> ScheduleState | None:
    """Return how a spec is by the file."""
    entry = read_entries(output).get(name)
    return None if entry is None else entry.state


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_run_may_finish_when_the_scheduler_is_stopped(
    tmp_path: Path, specs: Path, number: signal.Signals, code: int
) -> None:
    """It is given time, its outcome is kept, and the exit code names the signal."""
    builds, log = SlowExecutor(), RecordedLog()
    write_schedule_file(tmp_path, [MISSED], datetime.now(UTC))
    threads = [
        when(builds.begun.is_set, lambda: send(number)),
        when(lambda: "waiting up to" in log.text, builds.go_on.set),
    ]
    ended = SchedulerService([specs], tmp_path, builds, log.log).run()
    for thread in threads:
        thread.join()

    assert ended == code
    assert not builds.stopped
    assert state_of(tmp_path) is ScheduleState.DONE


def test_a_run_that_takes_too_long_is_stopped_and_done_again_at_the_next_start(
    tmp_path: Path, specs: Path
) -> None:
    """After the time it was given; the file says that it was interrupted."""
    builds, log = SlowExecutor(), RecordedLog()
    write_schedule_file(tmp_path, [MISSED], datetime.now(UTC))
    thread = when(builds.begun.is_set, lambda: send(signal.SIGTERM))
    ended = SchedulerService([specs], tmp_path, builds, log.log, grace_seconds=0.2).run()
    thread.join()
    stopped = state_of(tmp_path)
    again = FakeExecutor()
    thread = when(lambda: again.built, lambda: send(signal.SIGTERM))
    SchedulerService([specs], tmp_path, again, log.log).run()
    thread.join()

    assert (ended, builds.stopped, stopped) == (143, True, ScheduleState.INTERRUPTED)
    assert again.built == ["churn"]
    assert state_of(tmp_path) is ScheduleState.DONE


def test_a_second_signal_stops_at_once(tmp_path: Path, specs: Path) -> None:
    """Whoever presses twice does not want to wait."""
    builds, log = SlowExecutor(), RecordedLog()
    write_schedule_file(tmp_path, [MISSED], datetime.now(UTC))
    threads = [
        when(builds.begun.is_set, lambda: send(signal.SIGINT)),
        when(lambda: "waiting up to" in log.text, lambda: send(signal.SIGINT)),
    ]
    begun = time.monotonic()
    ended = SchedulerService([specs], tmp_path, builds, log.log, grace_seconds=60).run()
    for thread in threads:
        thread.join()

    assert (ended, builds.stopped) == (130, True)
    assert time.monotonic() - begun < TIMEOUT


def test_specs_that_come_are_found_and_a_hangup_reads_all_anew(tmp_path: Path, specs: Path) -> None:
    """By looking now and then, or at once when a signal says so."""
    log = RecordedLog()
    later = specs / "later.toml"

    def hang_up() -> None:
        later.write_text(scheduled_spec("0 7 * * *"), encoding="utf-8")
        send(signal.SIGHUP)

    def look() -> None:
        (specs / "last.toml").write_text(scheduled_spec("0 8 * * *"), encoding="utf-8")

    threads = [
        when(lambda: state_of(tmp_path), hang_up),
        when(lambda: state_of(tmp_path, "later"), look),
        when(lambda: state_of(tmp_path, "last"), lambda: send(signal.SIGTERM)),
    ]
    SchedulerService([specs], tmp_path, FakeExecutor(), log.log, poll_seconds=0.5).run()
    for thread in threads:
        thread.join()

    assert sorted(read_entries(tmp_path)) == ["churn", "last", "later"]
    assert "reloading specs" in log.text


def test_the_file_is_written_again_and_again_as_a_sign_of_life(tmp_path: Path, specs: Path) -> None:
    """Whoever sees an old time in it knows that the scheduler is gone."""
    file = tmp_path / "schedule.json"
    timestamps: set[int] = set()

    def written_often() -> bool:
        if file.exists():
            timestamps.add(file.stat().st_mtime_ns)
        return len(timestamps) >= 5

    thread = when(written_often, lambda: send(signal.SIGTERM))
    SchedulerService(
        [specs], tmp_path, FakeExecutor(), RecordedLog().log, heartbeat_seconds=0.2
    ).run()
    thread.join()

    assert len(timestamps) >= 5


def test_a_second_scheduler_for_the_same_folder_is_rejected(tmp_path: Path, specs: Path) -> None:
    """Each would build what is due; the message names the process that is there already."""
    refused: list[LockedError] = []

    def start_another() -> None:
        with pytest.raises(LockedError) as raised:
            SchedulerService([specs], tmp_path, FakeExecutor(), RecordedLog().log).run_once()
        refused.append(raised.value)
        send(signal.SIGTERM)

    thread = when(lambda: state_of(tmp_path), start_another)
    SchedulerService([specs], tmp_path, FakeExecutor(), RecordedLog().log).run()
    thread.join()

    assert f"process {os.getpid()}" in refused[0].diagnostics[0].message
    assert refused[0].exit_code == 6


def test_once_builds_what_is_due_or_never_ran(tmp_path: Path, specs: Path) -> None:
    """The second call finds nothing to do."""
    builds = FakeExecutor()
    service = SchedulerService([specs], tmp_path, builds, RecordedLog().log)

    assert (service.run_once(), builds.built) == (0, ["churn"])
    assert (service.run_once(), builds.built) == (0, ["churn"])


@pytest.mark.slow
def test_once_tries_again_and_ends_with_the_worst_code(tmp_path: Path, specs: Path) -> None:
    """Data are missing twice, with a second and then two in between, and there at last."""
    schedule = scheduled_spec(more="retries = 2\nretry_after = 1\n")
    (specs / "churn.toml").write_text(schedule, encoding="utf-8")
    builds = FakeExecutor([ExitCode.DATA, ExitCode.DATA, ExitCode.GATE_FAILED])
    begun = time.monotonic()

    assert SchedulerService([specs], tmp_path, builds, RecordedLog().log).run_once() == 1
    assert builds.built == ["churn"] * 3
    assert time.monotonic() - begun >= 3


def test_once_can_be_stopped(tmp_path: Path, specs: Path) -> None:
    """A signal ends a single round as it ends the scheduler."""
    builds = SlowExecutor()
    thread = when(builds.begun.is_set, lambda: send(signal.SIGTERM))
    ended = SchedulerService(
        [specs], tmp_path, builds, RecordedLog().log, grace_seconds=0.1
    ).run_once()
    thread.join()

    assert (ended, builds.stopped) == (143, True)
    assert state_of(tmp_path) is ScheduleState.INTERRUPTED


def test_a_state_of_something_else_is_reported_and_written_anew(
    tmp_path: Path, specs: Path
) -> None:
    """No past is made up from it."""
    (tmp_path / "schedule.json").write_text("{}", encoding="utf-8")
    log = RecordedLog()
    SchedulerService([specs], tmp_path, FakeExecutor(), log.log).run_once()

    assert "cannot be read" in log.text
    assert state_of(tmp_path) is ScheduleState.DONE


@pytest.mark.parametrize("text", [COUNTS, "title = "])
def test_without_any_schedule_it_does_not_start(tmp_path: Path, specs: Path, text: str) -> None:
    """A scheduler that never does anything would look like one that works."""
    (specs / "churn.toml").write_text(text, encoding="utf-8")

    with pytest.raises(SpecError) as raised:
        SchedulerService([specs], tmp_path, FakeExecutor(), RecordedLog().log).run()

    assert raised.value.diagnostics[0].error_code.code == "E530"


def test_the_service_compares_due_times_with_the_clock(
    tmp_path: Path, specs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At least every 30 seconds, so that a machine that slept builds soon after."""
    checked: list[float] = []

    def check_and_stop(_timer: ThreadTimer) -> None:
        checked.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGTERM)

    monkeypatch.setattr(ThreadTimer, "check_clock", check_and_stop)
    SchedulerService(
        [specs], tmp_path, FakeExecutor(), RecordedLog().log, clock_check_seconds=0.05
    ).run()

    assert checked
    assert CLOCK_CHECK_SECONDS <= 30
