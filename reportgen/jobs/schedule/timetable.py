"""Timetables: due times of cron expressions in a time zone, with jitter.

At the start of daylight saving time local times are skipped, at its end they occur twice. An
expression with named hours has one run for each time: skipped runs are coalesced into one right
after the gap, and a repeated time has a run at its first occurrence. An expression for every hour
follows the clock: a skipped hour has no run, a repeated hour has two.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple
from zoneinfo import ZoneInfo

if TYPE_CHECKING:
    from collections.abc import Iterator

HOURS_PER_DAY = 24
# The latest due time is searched for in increasing windows that end now.
SEARCH_WINDOWS = [timedelta(hours=1), timedelta(days=1), timedelta(days=32), timedelta(days=370)]


class ScheduledRun(NamedTuple):
    """A scheduled run: the due time of the cron expression, and the start time with jitter."""

    due: datetime
    start: datetime


@dataclass(frozen=True, slots=True)
class Timetable:
    """The due times of a spec in UTC; `name` is the seed of the jitter."""

    cron: str
    timezone: str = "UTC"
    jitter: int = 0
    name: str = ""

    def due_times(self, after: datetime) -> Iterator[datetime]:
        """Yield the distinct due times after a time."""
        from cronsim import CronSim

        zone = ZoneInfo(self.timezone)
        minute, _, *days = self.cron.split()
        if len(CronSim(self.cron, after).hours) == HOURS_PER_DAY:
            every_hour = " ".join([minute, "*", *days])
            yield from (due.astimezone(UTC) for due in CronSim(every_hour, after.astimezone(zone)))
            return
        last = after.astimezone(UTC)
        # Without a zone cronsim yields naive times; DST transitions are handled here.
        for local_time in CronSim(self.cron, after.astimezone(zone).replace(tzinfo=None)):
            due = _first_occurrence(local_time, zone)
            if due > last:
                last = due
                yield due

    def runs(self, after: datetime) -> Iterator[ScheduledRun]:
        """Yield the runs that start after a time."""
        earliest = after - timedelta(seconds=self.jitter)
        for due, following in pairwise(self.due_times(earliest)):
            start = due + self._delay(due, following)
            if start > after:
                yield ScheduledRun(due, start)

    def latest_run(self, since: datetime, now: datetime) -> ScheduledRun | None:
        """Return the last run with a start time after `since` and until `now`; None if none."""
        for start in (*(now - window for window in SEARCH_WINDOWS), since):
            runs = list(takewhile(lambda run: run.start <= now, self.runs(max(start, since))))
            if runs:
                return runs[-1]
        return None

    def _delay(self, due: datetime, following: datetime) -> timedelta:
        """Return the jitter: deterministic per spec and due time, and less than one period."""
        max_delay = min(self.jitter, int((following - due).total_seconds()) - 1)
        number = int.from_bytes(sha256(f"{self.name}\0{due.isoformat()}".encode()).digest()[:8])
        return timedelta(seconds=number % (max_delay + 1))


def _first_occurrence(local_time: datetime, zone: ZoneInfo) -> datetime:
    """Return the first occurrence of a local time in UTC; the end of the gap if skipped."""
    moment = local_time.replace(tzinfo=zone).astimezone(UTC)
    while moment.astimezone(zone).replace(tzinfo=None) != local_time:
        local_time += timedelta(minutes=1)
        moment = local_time.replace(tzinfo=zone).astimezone(UTC)
    return moment
