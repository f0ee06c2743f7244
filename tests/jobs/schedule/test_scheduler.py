"""The scheduler: what it builds when, and what it says."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.schedule.scheduler import LastRun
from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleState
from tests.jobs.schedule.fakes import NOON, scheduled_spec
from tests.jobs.schedule.harness import Bench

if TYPE_CHECKING:
    from pathlib import Path


def test_a_spec_that_never_ran_is_not_caught_up(bench: Bench) -> None:
    """Its time has passed today, but nobody has promised that run."""
    bench.follow()

    assert bench.builds.built == []
    assert bench.state() is ScheduleState.WAITING


RUNNING = ScheduleState.RUNNING

CAUGHT_UP = {
    "missed for a month": (ScheduleEntry("churn", "", last=NOON - timedelta(days=30)), 1),
    "missed today": (ScheduleEntry("churn", "", last=NOON - timedelta(hours=7)), 1),
    "nothing missed": (ScheduleEntry("churn", "", last=NOON - timedelta(hours=5)), 0),
    "broken off": (
        ScheduleEntry("churn", "", last=NOON - timedelta(hours=1), state=ScheduleState.RUNNING),
        1,
    ),
    "stopped": (
        ScheduleEntry("churn", "", last=NOON - timedelta(hours=1), state=ScheduleState.INTERRUPTED),
        1,
    ),
    "to be tried again": (
        ScheduleEntry(
            "churn", "", last=NOON - timedelta(hours=1), state=ScheduleState.RETRYING, exit_code=3
        ),
        1,
    ),
    "failed for good": (
        ScheduleEntry(
            "churn", "", last=NOON - timedelta(hours=1), state=ScheduleState.FAILED, exit_code=3
        ),
        0,
    ),
    "had another schedule": (
        ScheduleEntry("churn", "", "0 5 * * *", "UTC", last=NOON - timedelta(days=30)),
        0,
    ),
}


@pytest.mark.parametrize(("known", "runs"), CAUGHT_UP.values(), ids=CAUGHT_UP)
def test_what_was_missed_is_caught_up_once(tmp_path: Path, known: ScheduleEntry, runs: int) -> None:
    """However many times were missed while nobody was there, it is built once at the start."""
    bench = Bench(tmp_path, known)
    bench.write("churn", scheduled_spec())
    bench.follow()

    assert bench.builds.built == ["churn"] * runs
    assert bench.heard.text.count("missed, building now") == runs


def test_a_run_by_hand_counts_as_the_last_one(tmp_path: Path) -> None:
    """The history knows of a run after six, so that nothing was missed since."""
    bench = Bench(tmp_path, ScheduleEntry("churn", "", last=NOON - timedelta(days=30)))
    bench.scheduler.lookup_last_run = lambda _planned: LastRun(NOON - timedelta(hours=1), 0)
    bench.write("churn", scheduled_spec())
    bench.follow()

    assert bench.builds.built == []


@pytest.mark.parametrize(("code", "runs"), [(0, 0), (1, 0), (3, 1)])
def test_what_was_broken_off_is_settled_by_a_later_report(
    tmp_path: Path, code: int, runs: int
) -> None:
    """By one that was written; a later failure settles nothing."""
    bench = Bench(
        tmp_path, ScheduleEntry("churn", "", last=NOON - timedelta(hours=3), state=RUNNING)
    )
    bench.scheduler.lookup_last_run = lambda _planned: LastRun(NOON - timedelta(hours=1), code)
    bench.write("churn", scheduled_spec())
    bench.follow()

    assert bench.builds.built == ["churn"] * runs


def test_how_the_last_run_ended_is_known_after_a_restart(tmp_path: Path) -> None:
    """A failure does not look like a spec that waits for its first run."""
    known = ScheduleEntry(
        "churn", "", last=NOON - timedelta(hours=5), state=ScheduleState.DONE, exit_code=3
    )
    bench = Bench(tmp_path, known)
    bench.write("churn", scheduled_spec())
    bench.follow()

    assert bench.state() is ScheduleState.FAILED


def test_a_failed_run_is_tried_again_after_twice_the_time_each_time(bench: Bench) -> None:
    """30 s and then 60 s later; with two retries the third failure is the last."""
    bench.builds.codes = [ExitCode.DATA, ExitCode.ENVIRONMENT, ExitCode.OUTPUT]
    bench.follow()
    bench.timer.scheduled["churn"][1]()
    waits = []
    while bench.timer.retries:
        assert bench.state() is ScheduleState.RETRYING
        begins, call = bench.timer.retries.pop("churn")
        waits.append((begins - bench.now).total_seconds())
        call()

    assert waits == [30, 60]
    assert bench.builds.built == ["churn"] * 3
    # Only of the last failure people are told.
    assert bench.builds.last_tries == [False, False, True]
    assert (bench.state(), bench.scheduler.entries["churn"].exit_code) == (ScheduleState.FAILED, 5)


@pytest.mark.parametrize("code", [ExitCode.SUCCESS, ExitCode.GATE_FAILED, ExitCode.SPEC])
def test_what_would_end_the_same_way_is_not_tried_again(bench: Bench, code: ExitCode) -> None:
    """A failed gate and a wrong spec are no accidents."""
    bench.builds.codes = [code]
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert bench.timer.retries == {}
    assert bench.state() is (ScheduleState.FAILED if code is ExitCode.SPEC else ScheduleState.DONE)


@pytest.mark.parametrize(
    "code",
    [
        ExitCode.DATA,
        ExitCode.ENVIRONMENT,
        ExitCode.OUTPUT,
        ExitCode.LOCKED,
        ExitCode.INTERNAL,
    ],
)
def test_what_may_be_better_the_next_time_is_tried_again(bench: Bench, code: ExitCode) -> None:
    """Data that come late, a full disk, another run in the way, and whatever nobody foresaw."""
    bench.builds.codes = [code]
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert set(bench.timer.retries) == {"churn"}


def test_the_next_time_takes_the_place_of_a_retry(bench: Bench) -> None:
    """A run of the new period makes the retry of the old one needless."""
    bench.builds.codes = [ExitCode.DATA]
    bench.follow()
    bench.timer.scheduled["churn"][1]()
    bench.timer.scheduled["churn"][1]()

    assert bench.timer.retries == {}
    assert bench.state() is ScheduleState.DONE


def test_times_that_come_before_the_retry_count_as_tries(bench: Bench) -> None:
    """Else every failure would be a first one, and nobody would ever be told."""
    bench.builds.codes = [ExitCode.DATA] * 4
    bench.follow()
    for _ in range(4):
        bench.timer.scheduled["churn"][1]()

    # With two retries the third failure is the last; the fourth is a first one again.
    assert bench.builds.last_tries == [False, False, True, False]


def test_a_spec_is_not_built_twice_at_once(bench: Bench) -> None:
    """A time that comes while it is built is left out, and that is said."""
    bench.follow()
    bench.builds.during = bench.timer.scheduled["churn"][1]
    bench.timer.scheduled["churn"][1]()

    assert bench.builds.built == ["churn"]
    assert "skipped" in bench.heard.text


def test_a_crash_of_a_build_is_an_outcome(bench: Bench) -> None:
    """Whatever is raised, the spec is told to have failed, and can be built the next time."""

    def crash() -> None:
        raise OSError("no more processes")

    bench.builds.during = crash
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert "no more processes" in bench.heard.diagnostics[0].message
    assert bench.scheduler.entries["churn"].exit_code == ExitCode.INTERNAL


def test_a_fault_of_what_follows_a_run_is_reported_and_is_not_the_runs(bench: Bench) -> None:
    """A site that cannot be published leaves the report done, and the retry in its place."""

    def fail(_outcome: object) -> None:
        raise OSError("no way to the site")

    bench.scheduler.log = replace(bench.scheduler.log, on_run_finished=fail)
    bench.builds.codes = [ExitCode.DATA]
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert "no way to the site" in bench.heard.diagnostics[-1].message
    assert set(bench.timer.retries) == {"churn"}


def test_every_run_is_reported_in_one_line_with_its_time(bench: Bench) -> None:
    """When, which spec, how it ended, and when it is built next."""
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert bench.heard.lines == [
        "2026-11-18 12:00:00 UTC churn: done in 0.0 s, next 2026-11-19 06:00:00 UTC"
    ]


def test_nothing_is_begun_once_it_is_to_stop(bench: Bench) -> None:
    """A time that comes between the signal and the end is left to the next start."""
    bench.follow()
    bench.scheduler.stop()
    bench.timer.scheduled["churn"][1]()

    assert bench.builds.built == []


def test_a_run_that_fails_while_it_is_stopped_was_interrupted(bench: Bench) -> None:
    """It is no failure to try again now; the next start builds it."""
    bench.builds.codes = [ExitCode.ENVIRONMENT]
    bench.builds.during = bench.scheduler.stop
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert bench.state() is ScheduleState.INTERRUPTED
    assert bench.timer.retries == {}
