"""Timer of the scheduler: APScheduler, with its misfire and concurrency settings made explicit."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import TYPE_CHECKING, Protocol

from apscheduler.jobstores.base import JobLookupError
from apscheduler.triggers.base import BaseTrigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from apscheduler.schedulers.background import BackgroundScheduler

    from reportgen.jobs.schedule.timetable import Timetable


RETRY_PREFIX = "retry of "
CATCH_UP_PREFIX = "catch-up of "


class Timer(Protocol):
    """Calls callbacks at scheduled times."""

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Call the callback at each run of a timetable."""

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Call the callback once at a time, unless it is cancelled before."""

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Call the callback once immediately."""

    def remove(self, name: str) -> None:
        """Remove all scheduled calls of a name."""

    def cancel_retry(self, name: str) -> None:
        """Cancel the retry of a name."""

    def next_run(self, name: str) -> datetime | None:
        """Return the time of the next call; None if there is none."""

    def check_clock(self) -> None:
        """Compare the due times with the wall clock, which may have jumped."""


@dataclass(slots=True)
class NullTimer:
    """A timer without calls, for a single pass."""

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Do nothing."""

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Do nothing."""

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Do nothing."""

    def remove(self, name: str) -> None:
        """Do nothing."""

    def cancel_retry(self, name: str) -> None:
        """Do nothing."""

    def next_run(self, name: str) -> datetime | None:  # noqa: ARG002  # signature of the protocol
        """Return None."""
        return None

    def check_clock(self) -> None:
        """Do nothing."""


@dataclass(slots=True)
class ThreadTimer:
    """A timer that calls in threads: several specs concurrently, one run per spec at a time."""

    max_workers: int
    on_skipped: Callable[[str], None] = lambda _name: None
    """The callback for a run that is skipped because the previous one is in progress."""
    _scheduler: BackgroundScheduler = field(init=False)

    def __post_init__(self) -> None:
        from apscheduler.events import EVENT_JOB_MAX_INSTANCES
        from apscheduler.executors.pool import ThreadPoolExecutor
        from apscheduler.schedulers.background import BackgroundScheduler

        # Silenced: the callbacks log in the format of reportgen.
        logging.getLogger("apscheduler").addHandler(logging.NullHandler())
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(self.max_workers)},
            job_defaults={
                # A misfire is run however late it is, as after suspension of the machine, ...
                "misfire_grace_time": None,
                # ... several misfires of a spec are coalesced into one run, ...
                "coalesce": True,
                # ... and no run starts while the previous one is in progress.
                "max_instances": 1,
            },
        )
        self._scheduler.add_listener(
            lambda event: self.on_skipped(event.job_id), EVENT_JOB_MAX_INSTANCES
        )

    def start(self) -> None:
        """Start the timer."""
        self._scheduler.start()

    def stop(self) -> None:
        """Start no further calls; calls in progress continue."""
        self._scheduler.remove_all_jobs()
        self._scheduler.shutdown(wait=False)

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Call the callback at each run of a timetable."""
        self._scheduler.add_job(
            callback, TimetableTrigger(timetable), id=name, replace_existing=True
        )

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Call the callback once at a time, unless it is cancelled before."""
        self._scheduler.add_job(
            callback, "date", run_date=run_at, id=RETRY_PREFIX + name, replace_existing=True
        )

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Call the callback once immediately."""
        self._scheduler.add_job(
            callback,
            "date",
            run_date=datetime.now(UTC),
            id=CATCH_UP_PREFIX + name,
            replace_existing=True,
        )

    def remove(self, name: str) -> None:
        """Remove all scheduled calls of a name."""
        for job in (name, RETRY_PREFIX + name, CATCH_UP_PREFIX + name):
            self._remove_job(job)

    def cancel_retry(self, name: str) -> None:
        """Cancel the retry of a name."""
        self._remove_job(RETRY_PREFIX + name)

    def next_run(self, name: str) -> datetime | None:
        """Return the time of the next call; None if there is none."""
        jobs = [self._scheduler.get_job(job) for job in (name, RETRY_PREFIX + name)]
        # A job added before the start of the scheduler has no next run time yet.
        times = [getattr(job, "next_run_time", None) for job in jobs if job is not None]
        return min((time for time in times if time is not None), default=None)

    def check_clock(self) -> None:
        """Compare the due times with the wall clock.

        APScheduler waits on the monotonic clock, which stands still while the machine sleeps and
        does not follow a corrected wall clock. A due time that was computed while the clock was
        ahead is computed again if it leaves out a whole period.
        """
        now = datetime.now(UTC)
        for job in self._scheduler.get_jobs():
            if not isinstance(job.trigger, TimetableTrigger):
                continue
            due = [run.start for run in islice(job.trigger.timetable.runs(now), 2)]
            if len(due) > 1 and job.next_run_time > due[1]:
                with suppress(JobLookupError):
                    job.modify(next_run_time=due[0])
        self._scheduler.wakeup()

    def _remove_job(self, job: str) -> None:
        with suppress(JobLookupError):
            self._scheduler.remove_job(job)


class TimetableTrigger(BaseTrigger):  # type: ignore[misc]  # APScheduler carries no types
    """An APScheduler trigger for the runs of a timetable.

    The cron trigger of APScheduler counts weekdays from Monday, and treats daylight saving time
    transitions differently from cron.
    """

    __slots__ = ("timetable",)

    def __init__(self, timetable: Timetable) -> None:
        self.timetable = timetable

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        """Return the next time after the previous one, or after now if there was none."""
        run = next(self.timetable.runs(previous_fire_time or now), None)
        return None if run is None else run.start
