"""Exporter for systemd: a service and a timer."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.jobs.schedule.exporters.context import (
    HOURS,
    LAST_ORDINAL,
    MINUTES,
    MONTHS,
    CronFields,
    ExportedFile,
    consecutive_ranges,
    parse_cron,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from reportgen.jobs.schedule.exporters.context import ExportContext

WEEKDAY_NAMES = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
EVERY_DAY = "*-{months}-*"
LAST_DAY = "*-{months}~01"
LAST_SEVEN_DAYS = "*-{months}~07/1"
DAYS_PER_WEEK = 7
PERIODS_AHEAD = 400
ONE_YEAR = timedelta(days=370)

SERVICE_TEMPLATE = """\
# Written by `reportgen schedule export systemd` from {spec}
# Install: copy both files to /etc/systemd/system, make {reports},
# and `systemctl enable --now {name}.timer`
[Unit]
Description=Report of {title}, built by reportgen
{limit}
[Service]
Type=oneshot
User={user}
ExecStart={command}
{environment}{restart}\
NoNewPrivileges=yes
CapabilityBoundingSet=
PrivateDevices=yes
PrivateTmp=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHome=read-only
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectSystem=strict
ReadWritePaths={reports}
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
RestrictNamespaces=yes
RestrictSUIDSGID=yes
LockPersonality=yes
"""

TIMER_TEMPLATE = """\
# Written by `reportgen schedule export systemd` from {spec}
{skipped}[Unit]
Description=When the report of {title} is built by reportgen

[Timer]
{calendar}
AccuracySec=1s
{jitter}\
Persistent=true

[Install]
WantedBy=timers.target
"""


def export_systemd(context: ExportContext, now: datetime | None = None) -> tuple[ExportedFile, ...]:
    """Return the service that builds a spec and the timer that starts it."""
    planned = context.scheduled_spec
    schedule = planned.schedule
    told = {
        # A backslash at the end of a line would continue it; no line ends with one.
        "title": planned.name.replace("%", "%%"),
        "spec": context.absolute_path(planned.path).rstrip("\\"),
    }
    jitter = schedule.jitter
    service = SERVICE_TEMPLATE.format(
        **told,
        name=context.unit_name,
        user=context.user,
        command=_exec_start(context),
        reports=_quote(context.absolute_path(context.output)),
        environment=_environment_options(context),
        restart=_restart_options(context),
        limit=_start_limit(context),
    )
    timer = TIMER_TEMPLATE.format(
        **told,
        skipped=_dst_gap_comment(context, now or datetime.now(UTC)),
        calendar="\n".join(f"OnCalendar={line}" for line in on_calendar_expressions(context)),
        jitter=f"RandomizedDelaySec={jitter}s\nFixedRandomDelay=true\n" if jitter else "",
    )
    name = context.unit_name
    return ExportedFile(f"{name}.service", service), ExportedFile(f"{name}.timer", timer)


def on_calendar_expressions(context: ExportContext) -> list[str]:
    """Return the OnCalendar expressions of the schedule; a run is due if any of them matches."""
    fields = parse_cron(context.scheduled_spec.schedule.cron)
    time = f"{_format_numbers(fields.hours, HOURS)}:{_format_numbers(fields.minutes, MINUTES)}:00"
    months = _format_numbers(fields.months, MONTHS)
    return [
        f"{date.format(months=months)} {time} {context.scheduled_spec.schedule.timezone}"
        for date in _calendar_dates(context, fields)
    ]


def _calendar_dates(context: ExportContext, fields: CronFields) -> list[str]:
    if fields.on_last_weekday:
        raise context.unsupported_error("systemd does not know LW, the last working day of a month")
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
            "systemd cannot join L or # with a day and a weekday at once"
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


def _shortest_period(context: ExportContext) -> int:
    """Return the shortest period between two consecutive runs, in seconds."""
    dues = context.scheduled_spec.timetable.due_times(datetime(2024, 1, 1, tzinfo=UTC))
    gaps = (later - due for due, later in pairwise(islice(dues, PERIODS_AHEAD)))
    return int(min(gap.total_seconds() for gap in gaps))


def _dst_gap_comment(context: ExportContext, now: datetime) -> str:
    """Return a warning if a run falls into a DST gap within a year, which systemd skips."""
    schedule = context.scheduled_spec.schedule
    fields, zone = parse_cron(schedule.cron), ZoneInfo(schedule.timezone)
    for due in context.scheduled_spec.timetable.due_times(now):
        local = due.astimezone(zone)
        if due - now > ONE_YEAR:
            break
        if local.hour not in fields.hours or local.minute not in fields.minutes:
            return (
                f"# On {local:%Y-%m-%d} clocks are set forward over the time, and systemd leaves"
                " the run out.\n"
            )
    return ""


def _start_limit(context: ExportContext) -> str:
    """Return the start limit per period, by which systemd limits retries."""
    retries = context.scheduled_spec.schedule.retries
    if not retries:
        return ""
    seconds = _shortest_period(context) - 1
    return f"StartLimitIntervalSec={seconds}\nStartLimitBurst={retries + 1}\n"


def _restart_options(context: ExportContext) -> str:
    schedule = context.scheduled_spec.schedule
    if not schedule.retries:
        return ""
    return (
        "# Not after a failed gate or a wrong spec\n"
        "Restart=on-failure\n"
        "RestartPreventExitStatus=1 2\n"
        f"RestartSec={schedule.retry_after}s\n"
    )


def _environment_options(context: ExportContext) -> str:
    names = context.scheduled_spec.environment_variables
    if not names:
        return ""
    return (
        f"# A file that only its owner can read, with lines as NAME=value for: {', '.join(names)}\n"
        f"EnvironmentFile=/etc/reportgen/{context.unit_name}.env\n"
    )


def _exec_start(context: ExportContext) -> str:
    program, *arguments = context.command()
    if not set("'\"\\").isdisjoint(program):
        raise context.unsafe_path_error(
            f"systemd takes no program with a quote or a backslash: {program}"
        )
    # systemd substitutes variables in the arguments, but not in the name of the program.
    return " ".join([_quote(program), *(_quote(word.replace("$", "$$")) for word in arguments)])


def _quote(text: str) -> str:
    """Return a word quoted for systemd."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
