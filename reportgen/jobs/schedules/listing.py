"""When specs are built next, in their own time zone and in that of the machine."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from reportgen.jobs.schedules.planning import Planned


@frozen
class ListedRun:
    """One run to come: when it is due where the spec is at home and here, and when it begins."""

    due: datetime
    local: datetime
    begins: datetime

    def row(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "due": self.due.isoformat(),
            "local": self.local.isoformat(),
            "begins": self.begins.isoformat(),
        }


@frozen
class Listed:
    """A spec and its next runs."""

    planned: Planned
    runs: tuple[ListedRun, ...]

    def row(self) -> dict[str, object]:
        """Return it for programs."""
        return {
            "name": self.planned.name,
            "spec": str(self.planned.path),
            "cron": self.planned.schedule.cron,
            "timezone": self.planned.schedule.timezone,
            "runs": [run.row() for run in self.runs],
        }

    def lines(self) -> list[str]:
        """Return it for people."""
        schedule = self.planned.schedule
        head = f"{self.planned.name}: {schedule.cron} in {schedule.timezone}"
        return [head, *(f"  {shown(run.due)}   here {shown(run.local)}" for run in self.runs)]


def next_runs(specs: Sequence[Planned], count: int, now: datetime) -> tuple[Listed, ...]:
    """Return the next runs of every spec."""
    return tuple(
        Listed(
            planned,
            tuple(
                ListedRun(
                    run.due.astimezone(ZoneInfo(planned.schedule.timezone)),
                    run.due.astimezone(),
                    run.begins,
                )
                for run in islice(planned.timetable.runs(now), count)
            ),
        )
        for planned in specs
    )


def shown(moment: datetime) -> str:
    """Return a time with its weekday and its offset from UTC."""
    return f"{moment:%a %Y-%m-%d %H:%M} {moment.isoformat()[-6:]}"
