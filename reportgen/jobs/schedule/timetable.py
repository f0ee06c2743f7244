"""When a spec is due: cron lines read in a time zone, with one run for each period.

Clocks that are set forward leave times out, clocks that are set back show times twice. A line for
named hours has one run for each time it names: what is left out comes right after the gap, all of
it together, and what is shown twice comes the first time. A line for every hour follows the clock:
an hour that is left out has no run, one that comes twice has two.
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
# The latest of many times is looked for in longer and longer stretches that end now.
SEARCH_WINDOWS = [timedelta(hours=1), timedelta(days=1), timedelta(days=32), timedelta(days=370)]


class ScheduledRun(NamedTuple):
    """A run to come: the time that the cron line names, and the time when it begins."""

    due: datetime
    begins: datetime


@dataclass(frozen=True, slots=True)
class Timetable:
    """The times of one spec, all in UTC; `name` draws where in the jitter each of them begins."""

    cron: str
    timezone: str = "UTC"
    jitter: int = 0
    name: str = ""

    def due_times(self, after: datetime) -> Iterator[datetime]:
        """Yield the times that the line names, each once, all after a given one."""
        from cronsim import CronSim

        zone = ZoneInfo(self.timezone)
        minute, _, *days = self.cron.split()
        if len(CronSim(self.cron, after).hours) == HOURS_PER_DAY:
            every_hour = " ".join([minute, "*", *days])
            yield from (due.astimezone(UTC) for due in CronSim(every_hour, after.astimezone(zone)))
            return
        last = after.astimezone(UTC)
        # Without a zone cronsim takes the line by its word, and the clock is looked at here.
        for shown in CronSim(self.cron, after.astimezone(zone).replace(tzinfo=None)):
            due = _first_occurrence(shown, zone)
            if due > last:
                last = due
                yield due

    def runs(self, after: datetime) -> Iterator[ScheduledRun]:
        """Yield the runs that begin after a given time."""
        earliest = after - timedelta(seconds=self.jitter)
        for due, following in pairwise(self.due_times(earliest)):
            begins = due + self._delay(due, following)
            if begins > after:
                yield ScheduledRun(due, begins)

    def latest_run(self, since: datetime, now: datetime) -> ScheduledRun | None:
        """Return the last run that should have begun after one time and until another."""
        for start in (*(now - stretch for stretch in SEARCH_WINDOWS), since):
            found = list(takewhile(lambda run: run.begins <= now, self.runs(max(start, since))))
            if found:
                return found[-1]
        return None

    def _delay(self, due: datetime, following: datetime) -> timedelta:
        """Return the same delay for the same time of the same spec, and never a whole period."""
        most = min(self.jitter, int((following - due).total_seconds()) - 1)
        drawn = int.from_bytes(sha256(f"{self.name}\0{due.isoformat()}".encode()).digest()[:8])
        return timedelta(seconds=drawn % (most + 1))


def _first_occurrence(local_time: datetime, zone: ZoneInfo) -> datetime:
    """Return when a clock shows a time for the first time, or has just skipped it."""
    moment = local_time.replace(tzinfo=zone).astimezone(UTC)
    while moment.astimezone(zone).replace(tzinfo=None) != local_time:
        local_time += timedelta(minutes=1)
        moment = local_time.replace(tzinfo=zone).astimezone(UTC)
    return moment
