"""A cron line taken apart, and written so that every cron reads it alike."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MINUTES = range(60)
HOURS = range(24)
DAYS = range(1, 32)
MONTHS = range(1, 13)
WEEKDAYS = range(7)
LAST = 0
SHORTEST_RANGE = 3
SHORTEST_STEP = 3


@frozen
class Fields:
    """What a cron line says; weekdays are counted from Sunday."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    ordinals: frozenset[tuple[int, int]] = frozenset()
    """Weekdays of which only one in a month is meant: the first to fifth, or the LAST."""
    on_last_day: bool = False
    on_last_weekday: bool = False
    both: bool = True
    """Whether day and weekday have to fit both, or one of them is enough."""

    @property
    def is_any_day(self) -> bool:
        """Whether the days of the month say nothing."""
        return self.days.issuperset(DAYS)

    @property
    def is_any_weekday(self) -> bool:
        """Whether the weekdays say nothing."""
        return self.weekdays.issuperset(WEEKDAYS)

    @property
    def is_daily(self) -> bool:
        """Whether every day of the month fits."""
        if self.both:
            return self.is_any_day and self.is_any_weekday
        return self.is_any_day or self.is_any_weekday


def fields_of(line: str) -> Fields:
    """Take a cron line apart that was checked before."""
    from cronsim import CronSim

    parsed = CronSim(line, datetime(2024, 1, 1))  # noqa: DTZ001  # cron lines know no time zone
    weekdays = {each for each in parsed.weekdays if isinstance(each, int)}
    ordinals = {each for each in parsed.weekdays if not isinstance(each, int)}
    return Fields(
        frozenset(parsed.minutes),
        frozenset(parsed.hours),
        frozenset(day for day in parsed.days if day > 0),
        frozenset(parsed.months),
        frozenset(day % 7 for day in weekdays),
        frozenset((day % 7, max(LAST, ordinal)) for day, ordinal in ordinals),
        CronSim.LAST in parsed.days,
        CronSim.LAST_WEEKDAY in parsed.days,
        parsed.day_and,
    )


def hindrance(fields: Fields) -> str | None:
    """Return why not every cron can say it, or None if every cron can."""
    if fields.on_last_day or fields.on_last_weekday or fields.ordinals:
        return "L, LW and # are not known there"
    if fields.both and not fields.is_any_day and not fields.is_any_weekday:
        return "a day and a weekday that have to fit both are not known there"
    return None


def plain_line(fields: Fields) -> str:
    """Return the line in numbers, with stars only for fields that say nothing."""
    days = range(1, 32) if fields.is_daily else fields.days
    weekdays = range(7) if fields.is_daily else fields.weekdays
    parts = (
        (fields.minutes, MINUTES),
        (fields.hours, HOURS),
        (days, DAYS),
        (fields.months, MONTHS),
        (weekdays, WEEKDAYS),
    )
    return " ".join(_written(values, whole) for values, whole in parts)


def spans(values: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the stretches without a gap, each by its first and last number."""
    ordered = sorted(values)
    first = last = ordered[0]
    for value in ordered[1:]:
        if value != last + 1:
            yield first, last
            first = value
        last = value
    yield first, last


def _written(values: Collection[int], whole: range) -> str:
    if set(values) >= set(whole):
        return "*"
    for step in range(2, len(whole) // SHORTEST_STEP + 1):
        # Not for days, where a star would change what is meant.
        if whole in {MINUTES, HOURS} and set(values) == set(whole[::step]):
            return f"*/{step}"
    return ",".join(
        f"{first}-{last}"
        if last - first + 1 >= SHORTEST_RANGE
        else ",".join(map(str, range(first, last + 1)))
        for first, last in spans(values)
    )
