"""The library that waits: APScheduler, with everything that it would otherwise decide set here."""

from __future__ import annotations

import logging
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from apscheduler.triggers.base import BaseTrigger

if TYPE_CHECKING:
    from collections.abc import Callable

    from apscheduler.schedulers.background import BackgroundScheduler

    from reportgen.jobs.schedule.timetable import Timetable


RETRY_PREFIX = "retry of "
CATCH_UP_PREFIX = "catch-up of "


class Timer(Protocol):
    """Calls something when its time has come."""

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Call whenever a run of a timetable begins."""

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Call once, unless it is forgotten before."""

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Call now."""

    def remove(self, name: str) -> None:
        """Call no more."""

    def cancel_retry(self, name: str) -> None:
        """Do not try again."""

    def next_run(self, name: str) -> datetime | None:
        """Return when it is called next."""


@dataclass(slots=True)
class NullTimer:
    """Calls nothing: for one round only."""

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Do nothing."""

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Do nothing."""

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Do nothing."""

    def remove(self, name: str) -> None:
        """Have nothing to forget."""

    def cancel_retry(self, name: str) -> None:
        """Have nothing to forget."""

    def next_run(self, name: str) -> datetime | None:  # noqa: ARG002  # as the protocol has it
        """Return that there is none."""
        return None


@dataclass(slots=True)
class ThreadTimer:
    """Calls in threads, several at once but each spec once at a time."""

    max_workers: int
    on_skipped: Callable[[str], None] = lambda _name: None
    """Is told of a time that came while the run before was still going on."""
    _scheduler: BackgroundScheduler = field(init=False)

    def __post_init__(self) -> None:
        from apscheduler.events import EVENT_JOB_MAX_INSTANCES
        from apscheduler.executors.pool import ThreadPoolExecutor
        from apscheduler.schedulers.background import BackgroundScheduler

        # What it has to say is said in our words, by those it calls.
        logging.getLogger("apscheduler").addHandler(logging.NullHandler())
        self._scheduler = BackgroundScheduler(
            timezone=UTC,
            executors={"default": ThreadPoolExecutor(self.max_workers)},
            job_defaults={
                # However late, as after the machine was asleep, it is done ...
                "misfire_grace_time": None,
                # ... but once for all the times that were missed, ...
                "coalesce": True,
                # ... and not while the one before is still going on.
                "max_instances": 1,
            },
        )
        self._scheduler.add_listener(
            lambda event: self.on_skipped(event.job_id), EVENT_JOB_MAX_INSTANCES
        )

    def start(self) -> None:
        """Begin to call."""
        self._scheduler.start()

    def stop(self) -> None:
        """Begin nothing new; what was begun goes on."""
        self._scheduler.remove_all_jobs()
        self._scheduler.shutdown(wait=False)

    def schedule(self, name: str, timetable: Timetable, callback: Callable[[], None]) -> None:
        """Call whenever a run of a timetable begins."""
        self._scheduler.add_job(
            callback, TimetableTrigger(timetable), id=name, replace_existing=True
        )

    def retry(self, name: str, run_at: datetime, callback: Callable[[], None]) -> None:
        """Call once, unless it is forgotten before."""
        self._scheduler.add_job(
            callback, "date", run_date=run_at, id=RETRY_PREFIX + name, replace_existing=True
        )

    def catch_up(self, name: str, callback: Callable[[], None]) -> None:
        """Call now."""
        self._scheduler.add_job(
            callback,
            "date",
            run_date=datetime.now(UTC),
            id=CATCH_UP_PREFIX + name,
            replace_existing=True,
        )

    def remove(self, name: str) -> None:
        """Call no more."""
        for job in (name, RETRY_PREFIX + name, CATCH_UP_PREFIX + name):
            self._remove_job(job)

    def cancel_retry(self, name: str) -> None:
        """Do not try again."""
        self._remove_job(RETRY_PREFIX + name)

    def next_run(self, name: str) -> datetime | None:
        """Return when it is called next."""
        jobs = [self._scheduler.get_job(job) for job in (name, RETRY_PREFIX + name)]
        # One that waits for the start of the scheduler has no time yet.
        times = [getattr(job, "next_run_time", None) for job in jobs if job is not None]
        return min((time for time in times if time is not None), default=None)

    def _remove_job(self, job: str) -> None:
        from apscheduler.jobstores.base import JobLookupError

        with suppress(JobLookupError):
            self._scheduler.remove_job(job)


# The timetable as the scheduler asks for it.
#
# APScheduler's own cron trigger counts weekdays from Monday, and treats clocks that are set forward
# or back in another way than cron.


class TimetableTrigger(BaseTrigger):  # type: ignore[misc]  # APScheduler carries no types
    """Fires when a run of a timetable begins."""

    __slots__ = ("timetable",)

    def __init__(self, timetable: Timetable) -> None:
        self.timetable = timetable

    def get_next_fire_time(
        self, previous_fire_time: datetime | None, now: datetime
    ) -> datetime | None:
        """Return the next time after the last one, or after now if there was none."""
        run = next(self.timetable.runs(previous_fire_time or now), None)
        return None if run is None else run.begins
