"""The library that waits, set so that nothing is lost and nothing comes twice."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, tzinfo
from itertools import islice
from threading import Event
from typing import TYPE_CHECKING, ClassVar

import pytest

from reportgen.jobs.schedule.timer import ThreadTimer, TimetableTrigger
from reportgen.jobs.schedule.timetable import ScheduledRun, Timetable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

TIMEOUT = 5.0


class OverdueTimetable(Timetable):
    """A timetable whose first sixty times have passed, as after a machine was asleep."""

    start_times: ClassVar[list[datetime]] = []

    def runs(self, after: datetime) -> Iterator[ScheduledRun]:
        """Begin an hour before whoever asks first."""
        self.start_times.append(after)
        return super().runs(after - timedelta(hours=1) if len(self.start_times) == 1 else after)


class OftenTimetable(Timetable):
    """A timetable with a run every tenth of a second."""

    __slots__ = ()

    def runs(self, after: datetime) -> Iterator[ScheduledRun]:
        """Yield them."""
        while True:
            after += timedelta(seconds=0.1)
            yield ScheduledRun(after, after)


@pytest.fixture
def timer() -> Iterator[ThreadTimer]:
    """Return a timer that has begun, and stop it."""
    timer = ThreadTimer(2)
    timer.start()
    yield timer
    timer.stop()


def wait_for(condition: Callable[[], object]) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + TIMEOUT
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_many_missed_times_are_one_run(timer: ThreadTimer) -> None:
    """After an hour's sleep a line for every minute is run once, however late."""
    calls: list[float] = []
    timetable = OverdueTimetable("* * * * *")
    timer.schedule("churn", timetable, lambda: calls.append(time.monotonic()))
    wait_for(lambda: calls)
    time.sleep(0.3)

    # Asked for the first time, then for each of the sixty minutes, and for what comes after them.
    assert len(timetable.start_times) >= 61
    assert len(calls) == 1


def test_a_time_that_comes_during_a_run_is_left_out_and_reported(timer: ThreadTimer) -> None:
    """The same spec never runs twice at once."""
    calls: list[int] = []
    left_out: list[str] = []
    go_on = Event()
    timer.on_skipped = left_out.append

    def slow() -> None:
        calls.append(1)
        go_on.wait(TIMEOUT)

    timer.schedule("churn", OftenTimetable("* * * * *"), slow)
    wait_for(lambda: len(left_out) >= 2)
    at_once = len(calls)
    timer.remove("churn")
    go_on.set()

    assert at_once == 1
    assert set(left_out) == {"churn"}


def test_a_retry_comes_once_at_its_time_unless_it_is_forgotten(timer: ThreadTimer) -> None:
    """The next time of the timetable takes its place."""
    calls: list[str] = []
    soon = datetime.now(UTC) + timedelta(seconds=0.3)
    timer.retry("churn", soon, lambda: calls.append("churn"))
    timer.retry("fraud", soon, lambda: calls.append("fraud"))
    timer.cancel_retry("fraud")
    timer.cancel_retry("never there")
    begun = datetime.now(UTC)
    wait_for(lambda: calls)
    time.sleep(0.3)

    assert calls == ["churn"]
    assert datetime.now(UTC) >= soon > begun


def test_the_next_run_is_that_of_the_timetable_or_of_a_retry_before_it(timer: ThreadTimer) -> None:
    """What others read as the next run is the next one that there will be."""
    timetable = Timetable("0 6 * * *", "Europe/Berlin", jitter=60, name="churn")
    timer.schedule("churn", timetable, lambda: None)
    of_timetable = timer.next_run("churn")
    soon = datetime.now(UTC) + timedelta(seconds=5)
    timer.retry("churn", soon, lambda: None)

    assert of_timetable == next(timetable.runs(datetime.now(UTC))).start
    assert timer.next_run("churn") == soon
    timer.remove("churn")
    assert timer.next_run("churn") is None


def test_the_trigger_goes_from_one_run_to_the_next() -> None:
    """It gives what the timetable gives, also over a night in which clocks are set back."""
    timetable = Timetable("30 2 * * *", "Europe/Berlin", jitter=90, name="churn")
    trigger = TimetableTrigger(timetable)
    start = datetime(2026, 10, 23, tzinfo=UTC)
    fired = [trigger.get_next_fire_time(None, start)]
    for _ in range(4):
        fired.append(trigger.get_next_fire_time(fired[-1], start))

    assert fired == [run.start for run in islice(timetable.runs(start), 5)]


def test_a_clock_that_jumps_makes_no_run_late(
    timer: ThreadTimer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After sleep or a pause of the machine, the wall clock decides and not the time waited."""
    shift = timedelta()

    class JumpingClock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> JumpingClock:
            moment = datetime.now(tz) + shift
            return cls.fromtimestamp(moment.timestamp(), tz)

    monkeypatch.setattr("apscheduler.schedulers.base.datetime", JumpingClock)
    was_called = Event()
    timer.retry("churn", datetime.now(UTC) + timedelta(hours=1), was_called.set)
    # The timer has computed how long it waits.
    time.sleep(0.3)
    shift = timedelta(hours=2)
    is_late = not was_called.wait(0.3)
    timer.check_clock()

    assert is_late
    assert was_called.wait(TIMEOUT)


class ShiftedTimetable(Timetable):
    """A timetable that is asked the first time while the clock is ahead."""

    ahead: ClassVar[timedelta] = timedelta()

    def runs(self, after: datetime) -> Iterator[ScheduledRun]:
        """Yield the runs after a time, the first time after a later one."""
        ahead, ShiftedTimetable.ahead = ShiftedTimetable.ahead, timedelta()
        return super().runs(after + ahead)


def test_a_clock_that_is_set_back_by_years_delays_no_run(timer: ThreadTimer) -> None:
    """The next run was computed while the clock showed another century."""
    ShiftedTimetable.ahead = timedelta(days=36_500)
    timetable = ShiftedTimetable("0 6 * * *", name="churn")
    timer.schedule("churn", timetable, lambda: None)
    before = timer.next_run("churn")
    timer.check_clock()

    assert before is not None
    assert before.year > 2100
    assert timer.next_run("churn") == next(timetable.runs(datetime.now(UTC))).start


def test_a_clock_that_is_set_back_a_little_repeats_no_run(timer: ThreadTimer) -> None:
    """The run of this period has taken place: the next one is that of the following period."""
    ShiftedTimetable.ahead = timedelta(days=1)
    timetable = ShiftedTimetable("0 6 * * *", name="churn")
    timer.schedule("churn", timetable, lambda: None)
    following = timer.next_run("churn")
    timer.check_clock()

    first, second = (run.start for run in islice(timetable.runs(datetime.now(UTC)), 2))
    assert timer.next_run("churn") == following == second != first
