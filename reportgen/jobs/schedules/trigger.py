"""The timetable as the scheduler asks for it.

APScheduler's own cron trigger counts weekdays from Monday, and treats clocks that are set forward
or back in another way than cron.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from apscheduler.triggers.base import BaseTrigger

if TYPE_CHECKING:
    from datetime import datetime

    from reportgen.jobs.schedules.timetable import Timetable


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
