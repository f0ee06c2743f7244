"""When specs are due: also where clocks are set forward or back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest

from reportgen.jobs.schedule.timetable import Timetable

BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"


def clock_times(cron: str, zone: str, day: str) -> list[str]:
    """Return the local times of a day, with their UTC offset, at which a run is due."""
    start = datetime.fromisoformat(day).replace(tzinfo=ZoneInfo(zone))
    end = (start.replace(tzinfo=None) + timedelta(days=1)).replace(tzinfo=ZoneInfo(zone))
    dues = Timetable(cron, zone).due_times(start - timedelta(seconds=1))
    lines: list[str] = []
    for due in dues:
        if due >= end:
            return lines
        lines.append(f"{due.astimezone(ZoneInfo(zone)):%H:%M%z}")
    return lines


GAPS = {
    # The clock goes from 02:00 to 03:00.
    "Berlin": ("30 2 * * *", BERLIN, "2026-03-29", ["03:00+0200"]),
    "New York": ("30 2 * * *", NEW_YORK, "2026-03-08", ["03:00-0400"]),
    # From 02:00 to 02:30.
    "Lord Howe": ("15 2 * * *", LORD_HOWE, "2026-10-04", ["02:30+1100"]),
    # From 00:00 to 01:00, so that midnight itself is left out.
    "Havana": ("0 0 * * *", "America/Havana", "2026-03-08", ["01:00-0400"]),
    "several in the gap": ("*/15 2 * * *", BERLIN, "2026-03-29", ["03:00+0200"]),
    "in the gap and after it": ("0 2,3 * * *", BERLIN, "2026-03-29", ["03:00+0200"]),
}


@pytest.mark.parametrize(("cron", "zone", "day", "expected"), GAPS.values(), ids=GAPS)
def test_a_time_that_clocks_skip_comes_once_right_after_the_gap(
    cron: str, zone: str, day: str, expected: list[str]
) -> None:
    """No period is left out, and none has two runs, when clocks are set forward."""
    assert clock_times(cron, zone, day) == expected


REPEATS = {
    # The clock goes from 03:00 back to 02:00.
    "Berlin": ("30 2 * * *", BERLIN, "2026-10-25", ["02:30+0200"]),
    # From 02:00 back to 01:00.
    "New York": ("30 1 * * *", NEW_YORK, "2026-11-01", ["01:30-0400"]),
    # From 02:00 back to 01:30.
    "Lord Howe": ("45 1 * * *", LORD_HOWE, "2026-04-05", ["01:45+1100"]),
    "a star among minutes": ("*/30 2 * * *", BERLIN, "2026-10-25", ["02:00+0200", "02:30+0200"]),
    "every eighth hour": (
        "0 */8 * * *",
        BERLIN,
        "2026-10-25",
        ["00:00+0200", "08:00+0100", "16:00+0100"],
    ),
}


@pytest.mark.parametrize(("cron", "zone", "day", "expected"), REPEATS.values(), ids=REPEATS)
def test_a_time_that_clocks_show_twice_comes_the_first_time(
    cron: str, zone: str, day: str, expected: list[str]
) -> None:
    """A line that names hours has one run for each time it names, when clocks are set back."""
    assert clock_times(cron, zone, day) == expected


def test_every_second_hour_has_one_run_for_the_hour_that_comes_twice() -> None:
    """Of 02:00 that comes twice, the first counts, although the line begins with a star."""
    hours = [time[:2] for time in clock_times("0 */2 * * *", BERLIN, "2026-10-25")]

    assert hours == [f"{hour:02}" for hour in range(0, 24, 2)]


@pytest.mark.parametrize("cron", ["30 * * * *", "30 0-23 * * *", "30 */1 * * *"])
def test_a_line_for_every_hour_follows_the_hours_that_there_are(cron: str) -> None:
    """A day of 25 hours has 25 runs, one of 23 hours has 23, and an hour lies between any two."""
    start = datetime(2026, 10, 24, 22, tzinfo=UTC)
    dues = list(islice(Timetable(cron, BERLIN).due_times(start), 48))

    assert len(clock_times(cron, BERLIN, "2026-10-25")) == 25
    assert len(clock_times(cron, BERLIN, "2026-03-29")) == 23
    assert {later - due for due, later in pairwise(dues)} == {timedelta(hours=1)}


@pytest.mark.parametrize("zone", [BERLIN, NEW_YORK, LORD_HOWE, "Asia/Kolkata", "UTC"])
@pytest.mark.parametrize("minute", range(0, 60, 15))
@pytest.mark.parametrize("hour", [0, 1, 2, 3])
def test_a_daily_line_has_one_run_on_each_day_of_a_year(zone: str, minute: int, hour: int) -> None:
    """Whatever the clocks do, 365 days have 365 runs, each on its own day."""
    start = datetime(2025, 12, 31, 23, 59, 59, tzinfo=ZoneInfo(zone))
    dues = islice(Timetable(f"{minute} {hour} * * *", zone).due_times(start), 365)
    days = [due.astimezone(ZoneInfo(zone)).date() for due in dues]

    assert days == [datetime(2026, 1, 1, tzinfo=UTC).date() + timedelta(day) for day in range(365)]


def test_weekdays_are_those_of_cron() -> None:
    """0 and 7 are Sunday, 1 is Monday; 2026-11-16 is a Monday."""
    start = datetime(2026, 11, 15, 12, tzinfo=UTC)
    firsts = {day: next(Timetable(f"0 6 * * {day}").due_times(start)).day for day in (0, 1, 2, 7)}

    assert firsts == {0: 22, 1: 16, 2: 17, 7: 22}


def test_jitter_is_the_same_for_the_same_time_and_differs_between_specs() -> None:
    """Many specs do not begin at once, and a restart does not draw anew."""
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def delays(name: str) -> list[float]:
        runs = islice(Timetable("0 6 * * *", jitter=600, name=name).runs(start), 50)
        return [(run.start - run.due).total_seconds() for run in runs]

    assert delays("churn") == delays("churn") != delays("fraud")
    assert all(0 <= delay <= 600 for delay in delays("churn"))
    assert len(set(delays("churn"))) > 25


def test_jitter_never_reaches_the_next_time() -> None:
    """An hour of jitter on a line for every minute leaves each minute its run, in order."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    runs = list(islice(Timetable("* * * * *", jitter=3600).runs(start), 100))

    assert all(run.start < run.due + timedelta(minutes=1) for run in runs)
    assert len({run.due for run in runs}) == 100


def test_runs_after_the_begin_of_one_are_the_next_ones() -> None:
    """Whoever asks for what follows a run never gets the same run again."""
    timetable = Timetable("*/10 * * * *", BERLIN, jitter=300, name="churn")
    start = datetime(2026, 10, 24, tzinfo=UTC)
    all_at_once = list(islice(timetable.runs(start), 300))
    one_by_one, moment = [], start
    for _ in range(300):
        one_by_one.append(next(timetable.runs(moment)))
        moment = one_by_one[-1].start

    assert one_by_one == all_at_once


@pytest.mark.parametrize(
    ("since", "expected"),
    [
        (datetime(2024, 1, 1, tzinfo=UTC), datetime(2026, 11, 16, 6, tzinfo=UTC)),
        (datetime(2026, 11, 16, 5, tzinfo=UTC), datetime(2026, 11, 16, 6, tzinfo=UTC)),
        (datetime(2026, 11, 16, 6, tzinfo=UTC), None),
    ],
)
def test_the_latest_run_is_the_last_of_those_missed(
    since: datetime, expected: datetime | None
) -> None:
    """Of years of Mondays at six only the last is left; after it there is none."""
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    latest = Timetable("0 6 * * MON").latest_run(since, now)

    assert (latest and latest.due) == expected


def test_the_latest_of_a_yearly_line_is_found() -> None:
    """Longer and longer stretches are searched until one is found."""
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    latest = Timetable("0 6 1 1 *").latest_run(datetime(2020, 1, 1, tzinfo=UTC), now)

    assert latest is not None
    assert latest.due == datetime(2026, 1, 1, 6, tzinfo=UTC)
