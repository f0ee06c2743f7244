"""A cron line of a time zone said in UTC."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.jobs.schedules.units.fields import MONTHS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.schedules.units.fields import Fields
    from reportgen.jobs.schedules.units.unit import Order

MINUTES_A_DAY = 24 * 60
DAYS_LOOKED_AT = 400


def offsets(timezone: str, now: datetime) -> tuple[int, ...]:
    """Return the offsets from UTC, in minutes, that a zone has within the coming year."""
    zone = ZoneInfo(timezone)
    days = (now + timedelta(days=day) for day in range(DAYS_LOOKED_AT))
    found = {day.astimezone(UTC).astimezone(zone).utcoffset() or timedelta() for day in days}
    return tuple(sorted(int(offset.total_seconds() // 60) for offset in found))


def in_utc(order: Order, fields: Fields, offset: int) -> Iterator[Fields]:
    """Yield the lines that say in UTC what one says at an offset; refuse what cannot be said."""
    # Where one day is like the other, it does not matter which of them it is.
    is_alike = fields.is_daily and len(fields.months) == len(MONTHS)
    hours: dict[tuple[int, int], set[int]] = {}
    for hour, minute in product(sorted(fields.hours), sorted(fields.minutes)):
        day, rest = divmod(hour * 60 + minute - offset, MINUTES_A_DAY)
        hours.setdefault((0 if is_alike else day, rest % 60), set()).add(rest // 60)
    minutes: dict[tuple[int, frozenset[int]], set[int]] = {}
    for (day, minute), at in hours.items():
        minutes.setdefault((day, frozenset(at)), set()).add(minute)
    for (day, same), past in sorted(minutes.items(), key=_first):
        if day and not (fields.is_any_day and len(fields.months) == len(MONTHS)):
            raise order.refusal("in UTC it is another day, and the first of a month has no number")
        weekdays = frozenset((weekday + day) % 7 for weekday in fields.weekdays)
        yield replace(fields, minutes=frozenset(past), hours=same, weekdays=weekdays)


def _first(line: tuple[tuple[int, frozenset[int]], set[int]]) -> tuple[int, int, int]:
    (day, hours), minutes = line
    return day, min(hours), min(minutes)
