"""The scheduler follows specs as they change, and keeps a file that tells how all is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.schedule.registry import ScheduleRegistry
from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleState, read_schedule_file
from reportgen.paths import SCHEDULE_FILE
from tests.jobs.schedule.fakes import NOON, scheduled_spec
from tests.jobs.schedule.harness import Bench, read_entries

if TYPE_CHECKING:
    from pathlib import Path


def test_specs_that_come_change_and_go_are_followed(bench: Bench) -> None:
    """A new one is taken on, a new schedule counts at once, and one that is gone is let go."""
    bench.follow()
    bench.write("fraud", scheduled_spec("30 7 * * *"))
    bench.write("churn", scheduled_spec("0 9 * * *"))
    bench.follow()
    crons = {name: timetable.cron for name, (timetable, _) in bench.timer.scheduled.items()}
    (bench.specs / "fraud.toml").unlink()
    bench.follow()

    assert crons == {"churn": "0 9 * * *", "fraud": "30 7 * * *"}
    assert set(bench.timer.scheduled) == set(bench.scheduler.entries) == {"churn"}


def test_a_spec_whose_schedule_changed_missed_nothing(bench: Bench) -> None:
    """At noon a time before noon is of the past, although the last run was before it."""
    bench.follow()
    bench.scheduler.entries["churn"].last = NOON - timedelta(hours=6)
    bench.write("churn", scheduled_spec("0 9 * * *"))
    bench.follow()

    assert bench.builds.built == []


def test_a_spec_that_became_wrong_is_reported_once_and_suspended(bench: Bench) -> None:
    """It is not built from what it was, and taken up again when it is mended."""
    bench.follow()
    bench.write("churn", scheduled_spec().replace("binary", "binarry"))
    for _ in range(3):
        bench.follow()
    suspended = (
        bench.state(),
        len(bench.heard.diagnostics),
        bench.scheduler.entries["churn"].reason,
    )
    # Its time comes: it is not built, but fails, so that whoever wants to know is told.
    bench.timer.scheduled["churn"][1]()
    refused, built_names = list(bench.builds.failures), list(bench.builds.built)
    bench.write("churn", scheduled_spec())
    bench.follow()

    assert suspended == (ScheduleState.SUSPENDED, 1, "`kind` has the invalid value `binarry`")
    assert (refused, built_names) == (["churn: E107"], [])
    assert (bench.state(), set(bench.timer.scheduled)) == (ScheduleState.FAILED, {"churn"})
    assert bench.scheduler.entries["churn"].reason is None


def test_a_spec_that_becomes_wrong_while_it_is_built_is_suspended_after_that(bench: Bench) -> None:
    """The run goes on with what it has read; it is not tried again from a wrong spec."""

    def spoil() -> None:
        bench.write("churn", "title = ")
        bench.follow()

    bench.follow()
    bench.builds.codes, bench.builds.during = [ExitCode.DATA], spoil
    bench.timer.scheduled["churn"][1]()

    assert bench.state() is ScheduleState.SUSPENDED
    assert bench.timer.retries == {}


def test_what_was_missed_while_suspended_is_caught_up(bench: Bench) -> None:
    """It ran yesterday, was wrong at six, and is mended at noon: one run."""
    bench.now = NOON - timedelta(days=1)
    bench.follow()
    bench.timer.scheduled["churn"][1]()
    bench.write("churn", "title = 1")
    bench.follow()
    bench.now = NOON
    bench.write("churn", scheduled_spec(more="retries = 2\nretry_after = 30\n"))
    bench.follow()

    assert bench.builds.built == ["churn", "churn"]
    assert bench.timer.caught_up == ["churn"]


def test_two_specs_of_one_name_are_not_both_built(tmp_path: Path, bench: Bench) -> None:
    """Their reports would overwrite each other."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "churn.toml").write_text(scheduled_spec(), encoding="utf-8")
    bench.scheduler.update_schedules(ScheduleRegistry([bench.specs, other]).load_schedules())

    assert bench.heard.diagnostics[0].error_code.code == "E531"
    assert bench.state() is ScheduleState.SUSPENDED


def test_the_state_file_says_how_all_is(bench: Bench) -> None:
    """Others see by its time that the scheduler lives, and what it has done and will do."""
    bench.follow()
    bench.timer.scheduled["churn"][1]()
    document = json.loads((bench.output / SCHEDULE_FILE).read_text(encoding="utf-8"))

    assert document["schema"] == "reportgen/schedule/1"
    assert document["heartbeat"] == "2026-11-18T12:00:00+00:00"
    assert document["specs"] == [
        {
            "name": "churn",
            "spec": str(bench.specs / "churn.toml"),
            "cron": "0 6 * * *",
            "timezone": "UTC",
            "next": "2026-11-19T06:00:00+00:00",
            "last": "2026-11-18T12:00:00+00:00",
            "state": "done",
            "exit_code": 0,
            "reason": None,
        }
    ]


def test_the_state_is_running_while_it_is_built(bench: Bench) -> None:
    """Whoever finds the file after a crash knows that the run was broken off."""
    states = []
    bench.builds.during = lambda: states.append(read_entries(bench.output)["churn"].state)
    bench.follow()
    bench.timer.scheduled["churn"][1]()

    assert states == [ScheduleState.RUNNING]


def test_a_disk_that_is_full_does_not_end_the_schedule(bench: Bench) -> None:
    """That the state cannot be written is told, and the spec is built all the same."""
    bench.follow()
    (bench.output / SCHEDULE_FILE).unlink()
    (bench.output / SCHEDULE_FILE).mkdir()
    bench.timer.scheduled["churn"][1]()

    assert bench.builds.built == ["churn"]
    assert {fault.error_code.code for fault in bench.heard.diagnostics} == {"E500"}


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"schema": "x"}', '{"schema": "reportgen/schedule/1", "specs": 1}']
)
def test_a_state_file_of_something_else_is_rejected(tmp_path: Path, content: str) -> None:
    """It is never taken for a past that it does not tell."""
    (tmp_path / SCHEDULE_FILE).write_text(content, encoding="utf-8")

    with pytest.raises(ValueError, match=r"."):
        read_schedule_file(tmp_path)


def test_a_state_read_back_is_what_was_written(bench: Bench) -> None:
    """But for the next run, which is found anew."""
    bench.follow()
    bench.timer.scheduled["churn"][1]()
    (entry,) = read_entries(bench.output).values()

    assert entry.last == datetime(2026, 11, 18, 12, tzinfo=UTC)
    assert (entry.state, entry.exit_code, entry.cron) == (ScheduleState.DONE, 0, "0 6 * * *")


def _replaced(bench: Bench, *, comes_back: bool) -> None:
    """Take the spec away while it is built, as editors and git do, and perhaps bring it back."""
    spec = bench.specs / "churn.toml"
    text = spec.read_text(encoding="utf-8")
    bench.builds.during = lambda: None
    spec.unlink()
    bench.follow()
    assert bench.scheduler.running_count() == 1
    if comes_back:
        # Its time came meanwhile, and was left out as always.
        bench.now += timedelta(days=1)
        bench.write("churn", text)
        bench.follow()
        assert bench.scheduler.running_count() == 1


def test_a_spec_that_is_replaced_while_it_is_built_is_built_once(bench: Bench) -> None:
    """It counts as running all the time, and how that ended is known."""
    bench.follow()
    bench.builds.codes = [ExitCode.GATE_FAILED]
    bench.builds.during = lambda: _replaced(bench, comes_back=True)
    bench.timer.scheduled["churn"][1]()
    entry = read_entries(bench.output)["churn"]

    assert bench.builds.built == ["churn"]
    assert "missed" not in bench.heard.text
    assert (entry.state, entry.exit_code, entry.last) == (ScheduleState.DONE, 1, NOON)
    assert set(bench.timer.scheduled) == {"churn"}


@pytest.mark.parametrize(("code", "again"), [(ExitCode.SUCCESS, 0), (ExitCode.DATA, 1)])
def test_a_spec_that_is_gone_while_it_is_built_is_let_go_when_that_has_ended(
    bench: Bench, code: ExitCode, again: int
) -> None:
    """When it comes back its result is known; what would have been tried again is built."""
    text = (bench.specs / "churn.toml").read_text(encoding="utf-8")
    bench.follow()
    bench.builds.codes = [code]
    bench.builds.during = lambda: _replaced(bench, comes_back=False)
    bench.timer.scheduled["churn"][1]()
    gone = (set(bench.scheduler.entries), read_entries(bench.output), bench.timer.retries)
    bench.write("churn", text)
    bench.follow()

    assert gone == (set(), {}, {})
    assert bench.builds.built == ["churn"] * (1 + again)
    assert (bench.state(), bench.scheduler.entries["churn"].exit_code) == (ScheduleState.DONE, 0)


def test_a_spec_that_is_invalid_at_the_start_fails_at_its_due_time(bench: Bench) -> None:
    """It has a history row and notifications, as one that becomes invalid later."""
    bench.write("churn", scheduled_spec().replace("binary", "binarry"))
    bench.follow()
    before = list(bench.builds.failures)
    bench.timer.scheduled["churn"][1]()

    entry = bench.scheduler.entries["churn"]
    assert (before, bench.builds.failures, bench.builds.built) == ([], ["churn: E107"], [])
    assert (entry.state, entry.exit_code, entry.last) == (
        ScheduleState.SUSPENDED,
        int(ExitCode.SPEC),
        NOON,
    )


def test_a_spec_without_readable_schedule_fails_at_the_start(bench: Bench) -> None:
    """Its due times are unknown, so that it would never be noticed."""
    bench.write("broken", "title = ")
    bench.follow()
    bench.follow()

    assert [failure.partition(":")[0] for failure in bench.builds.failures] == ["broken"]


def test_a_spec_without_readable_schedule_keeps_its_earlier_due_times(tmp_path: Path) -> None:
    """They are those of the state file."""
    known = ScheduleEntry("churn", "", cron="0 6 * * *", timezone="UTC", last=NOON)
    bench = Bench(tmp_path, known)
    bench.write("churn", "title = ")
    bench.follow()

    assert bench.builds.failures == []
    assert bench.timer.scheduled["churn"][0].cron == "0 6 * * *"


def test_a_run_dated_in_the_future_delays_no_later_run(tmp_path: Path) -> None:
    """One run under a clock of 2030 must not suppress catch-up until 2030."""
    future = NOON.replace(year=2030)
    bench = Bench(tmp_path, ScheduleEntry("churn", "", last=future, cron="0 6 * * *"))
    bench.write("churn", scheduled_spec())
    bench.follow()
    at_start = list(bench.builds.built)
    later = Bench(tmp_path, bench.scheduler.entries["churn"])
    later.now = NOON + timedelta(days=2)
    later.follow()

    assert (at_start, bench.scheduler.entries["churn"].last) == ([], NOON)
    assert later.builds.built == ["churn"]
