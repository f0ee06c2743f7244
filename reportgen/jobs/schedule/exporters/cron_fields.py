"""Fields of cron expressions: parsed, and formatted in the syntax common to all cron versions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MINUTES = range(60)
HOURS = range(24)
DAYS = range(1, 32)
MONTHS = range(1, 13)
WEEKDAYS = range(7)
LAST_ORDINAL = 0
MIN_RANGE_LENGTH = 3
MIN_STEP_LENGTH = 3


@dataclass(frozen=True, slots=True)
class CronFields:
    """The parsed fields of a cron expression; weekday 0 is Sunday."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    ordinals: frozenset[tuple[int, int]] = frozenset()
    """Weekdays with an ordinal within the month: first to fifth, or LAST."""
    on_last_day: bool = False
    on_last_weekday: bool = False
    match_both: bool = True
    """Whether both day and weekday must match; otherwise one is sufficient."""

    @property
    def is_any_day(self) -> bool:
        """Whether the day of the month is unrestricted."""
        return self.days.issuperset(DAYS)

    @property
    def is_any_weekday(self) -> bool:
        """Whether the day of the week is unrestricted."""
        return self.weekdays.issuperset(WEEKDAYS)

    @property
    def is_daily(self) -> bool:
        """Whether the expression matches every day of the month."""
        if self.match_both:
            return self.is_any_day and self.is_any_weekday
        return self.is_any_day or self.is_any_weekday


def parse_cron(line: str) -> CronFields:
    """Return the fields of a valid cron expression."""
    from cronsim import CronSim

    parsed = CronSim(line, datetime(2024, 1, 1))  # noqa: DTZ001  # cron fields have no time zone
    weekdays = {weekday for weekday in parsed.weekdays if isinstance(weekday, int)}
    ordinals = {weekday for weekday in parsed.weekdays if not isinstance(weekday, int)}
    return CronFields(
        frozenset(parsed.minutes),
        frozenset(parsed.hours),
        frozenset(day for day in parsed.days if day > 0),
        frozenset(parsed.months),
        frozenset(day % 7 for day in weekdays),
        frozenset((day % 7, max(LAST_ORDINAL, ordinal)) for day, ordinal in ordinals),
        CronSim.LAST in parsed.days,
        CronSim.LAST_WEEKDAY in parsed.days,
        parsed.day_and,
    )


def unsupported_reason(fields: CronFields) -> str | None:
    """Return why the fields are not portable to every cron; None if they are."""
    if fields.on_last_day or fields.on_last_weekday or fields.ordinals:
        return "L, LW and # are not supported"
    if fields.match_both and not fields.is_any_day and not fields.is_any_weekday:
        return "a day and a weekday that must both match are not supported"
    return None


def format_cron(fields: CronFields) -> str:
    """Return the cron expression in numbers, with `*` only for unrestricted fields."""
    days = range(1, 32) if fields.is_daily else fields.days
    weekdays = range(7) if fields.is_daily else fields.weekdays
    parts = (
        (fields.minutes, MINUTES),
        (fields.hours, HOURS),
        (days, DAYS),
        (fields.months, MONTHS),
        (weekdays, WEEKDAYS),
    )
    return " ".join(_format_field(values, full_range) for values, full_range in parts)


def consecutive_ranges(values: Collection[int]) -> Iterator[tuple[int, int]]:
    """Yield the ranges of consecutive numbers, each as first and last number."""
    ordered = sorted(values)
    first = last = ordered[0]
    for value in ordered[1:]:
        if value != last + 1:
            yield first, last
            first = value
        last = value
    yield first, last


def _format_field(values: Collection[int], full_range: range) -> str:
    if set(values) >= set(full_range):
        return "*"
    for step in range(2, len(full_range) // MIN_STEP_LENGTH + 1):
        # Not for days, where `*` would change how day and weekday are combined.
        if full_range in {MINUTES, HOURS} and set(values) == set(full_range[::step]):
            return f"*/{step}"
    return ",".join(
        f"{first}-{last}"
        if last - first + 1 >= MIN_RANGE_LENGTH
        else ",".join(map(str, range(first, last + 1)))
        for first, last in consecutive_ranges(values)
    )
