"""Exporter for systemd: a service and a timer."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.jobs.schedule.exporters.exporter import (
    HOURS,
    LAST_ORDINAL,
    MINUTES,
    MONTHS,
    CronFields,
    Exporter,
    consecutive_ranges,
    parse_cron,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import date

    from reportgen.jobs.schedule.exporters.exporter import ExportContext

WEEKDAY_NAMES = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
EVERY_DAY = "*-{months}-*"
LAST_DAY = "*-{months}~01"
LAST_SEVEN_DAYS = "*-{months}~07/1"
DAYS_PER_WEEK = 7
ONE_YEAR = timedelta(days=370)


def on_calendar_expressions(context: ExportContext) -> list[str]:
    """Return the OnCalendar expressions of the schedule; a run is due if any of them matches."""
    fields = parse_cron(context.schedule.cron)
    time = f"{_format_numbers(fields.hours, HOURS)}:{_format_numbers(fields.minutes, MINUTES)}:00"
    months = _format_numbers(fields.months, MONTHS)
    return [
        f"{date.format(months=months)} {time} {context.schedule.timezone}"
        for date in _calendar_dates(context, fields)
    ]


def _calendar_dates(context: ExportContext, fields: CronFields) -> list[str]:
    if fields.on_last_weekday:
        raise context.unsupported_error("systemd does not support LW, the last working day")
    if fields.is_daily:
        return [EVERY_DAY]
    days, weekdays = list(_day_dates(fields)), list(_weekday_dates(fields))
    if not fields.match_both:
        return [*days, *weekdays]
    if fields.is_any_weekday:
        return days
    if fields.is_any_day:
        return weekdays
    if fields.ordinals or fields.on_last_day:
        raise context.unsupported_error(
            "systemd cannot combine L or # with both a day and a weekday"
        )
    return [f"{_weekday_list(fields.weekdays)} {day}" for day in days]


def _day_dates(fields: CronFields) -> Iterator[str]:
    if fields.days:
        yield f"*-{{months}}-{_format_numbers(fields.days, ())}"
    if fields.on_last_day:
        yield LAST_DAY


def _weekday_dates(fields: CronFields) -> Iterator[str]:
    if fields.weekdays:
        yield f"{_weekday_list(fields.weekdays)} {EVERY_DAY}"
    for weekday, ordinal in sorted(fields.ordinals):
        first = DAYS_PER_WEEK * (ordinal - 1) + 1
        days = range(first, min(first + DAYS_PER_WEEK, 32))
        date = (
            LAST_SEVEN_DAYS
            if ordinal == LAST_ORDINAL
            else f"*-{{months}}-{_format_numbers(days, ())}"
        )
        yield f"{WEEKDAY_NAMES[weekday]} {date}"


def _weekday_list(weekdays: Collection[int]) -> str:
    return ",".join(WEEKDAY_NAMES[weekday] for weekday in sorted(weekdays))


def _format_numbers(values: Collection[int], full_range: Collection[int]) -> str:
    if full_range and set(values) >= set(full_range):
        return "*"
    return ",".join(
        f"{first:02}" if first == last else f"{first:02}..{last:02}"
        for first, last in consecutive_ranges(values)
    )


def skipped_run(context: ExportContext) -> date | None:
    """Return the first day within a year whose run systemd skips in a DST gap; None if none."""
    schedule = context.schedule
    fields, zone = parse_cron(schedule.cron), ZoneInfo(schedule.timezone)
    for due in context.scheduled_spec.timetable.due_times(context.now):
        local = due.astimezone(zone)
        if due - context.now > ONE_YEAR:
            break
        if local.hour not in fields.hours or local.minute not in fields.minutes:
            return local.date()
    return None


def exec_start(context: ExportContext) -> str:
    """Return the quoted command; raise SpecError if systemd does not accept the program."""
    program, *options = context.program
    if not set("'\"\\").isdisjoint(program):
        raise context.unsafe_path_error(
            f"systemd accepts no program with a quote or a backslash in its path: {program}"
        )
    # systemd substitutes variables in the arguments, but not in the name of the program.
    arguments = (*options, *context.absolute_arguments(with_retries=True))
    return " ".join([quote(program), *(quote(word.replace("$", "$$")) for word in arguments)])


def writable_paths(context: ExportContext) -> list[str]:
    """Return the folders that the service writes to."""
    folders = [context.output, *filter(None, [context.publish_folder])]
    return [quote(context.absolute_path(folder)) for folder in folders]


def quote(text: str) -> str:
    """Return a word quoted for systemd."""
    escaped = escape_specifiers(text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{escaped}"'


def escape_specifiers(text: str) -> str:
    """Return a text in which systemd substitutes no specifier such as %h."""
    return text.replace("%", "%%")


def comment_path(context: ExportContext) -> str:
    """Return the path of the spec for a comment, which a trailing backslash would continue."""
    return context.absolute_path(context.scheduled_spec.path).rstrip("\\")


EXPORTER = Exporter(
    templates=("systemd.service.j2", "systemd.timer.j2"),
    filters={
        "comment_path": comment_path,
        "escape_specifiers": escape_specifiers,
        "exec_start": exec_start,
        "on_calendar_expressions": on_calendar_expressions,
        "skipped_run": skipped_run,
        "writable_paths": writable_paths,
    },
)
