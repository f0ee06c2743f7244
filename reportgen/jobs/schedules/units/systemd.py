"""A service and a timer for systemd."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from reportgen.jobs.schedules.units.fields import (
    HOURS,
    LAST,
    MINUTES,
    MONTHS,
    Fields,
    fields_of,
    spans,
)
from reportgen.jobs.schedules.units.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from reportgen.jobs.schedules.units.unit import Order

WEEKDAY_NAMES = ("Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat")
EVERY_DAY = "*-{months}-*"
LAST_DAY = "*-{months}~01"
LAST_SEVEN = "*-{months}~07/1"
DAYS_OF_WEEK = 7
PERIODS_LOOKED_AT = 400
YEAR = timedelta(days=370)

SERVICE = """\
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

TIMER = """\
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


def systemd_units(order: Order, now: datetime | None = None) -> tuple[Unit, ...]:
    """Return the service that builds a spec and the timer that starts it."""
    planned = order.planned
    schedule = planned.schedule
    told = {
        # A backslash at the end of a line would take the next one with it; none ends with these.
        "title": planned.name.replace("%", "%%"),
        "spec": order.absolute(planned.path).rstrip("\\"),
    }
    jitter = schedule.jitter
    service = SERVICE.format(
        **told,
        name=order.unit_name,
        user=order.user,
        command=_command(order),
        reports=_quoted(order.absolute(order.reports)),
        environment=_environment(order),
        restart=_restart(order),
        limit=_limit(order),
    )
    timer = TIMER.format(
        **told,
        skipped=_skipped(order, now or datetime.now(UTC)),
        calendar="\n".join(f"OnCalendar={line}" for line in calendar_lines(order)),
        jitter=f"RandomizedDelaySec={jitter}s\nFixedRandomDelay=true\n" if jitter else "",
    )
    name = order.unit_name
    return Unit(f"{name}.service", service), Unit(f"{name}.timer", timer)


def calendar_lines(order: Order) -> list[str]:
    """Return when the spec is due as systemd says it; it is due if any of them is."""
    fields = fields_of(order.planned.schedule.cron)
    time = f"{_numbers(fields.hours, HOURS)}:{_numbers(fields.minutes, MINUTES)}:00"
    months = _numbers(fields.months, MONTHS)
    return [
        f"{date.format(months=months)} {time} {order.planned.schedule.timezone}"
        for date in _dates(order, fields)
    ]


def _dates(order: Order, fields: Fields) -> list[str]:
    if fields.on_last_weekday:
        raise order.refusal("systemd does not know LW, the last working day of a month")
    if fields.is_daily:
        return [EVERY_DAY]
    days, weekdays = list(_days(fields)), list(_weekdays(fields))
    if not fields.both:
        return [*days, *weekdays]
    if fields.is_any_weekday:
        return days
    if fields.is_any_day:
        return weekdays
    if fields.ordinals or fields.on_last_day:
        raise order.refusal("systemd cannot join L or # with a day and a weekday at once")
    return [f"{_named(fields.weekdays)} {day}" for day in days]


def _days(fields: Fields) -> Iterator[str]:
    if fields.days:
        yield f"*-{{months}}-{_numbers(fields.days, ())}"
    if fields.on_last_day:
        yield LAST_DAY


def _weekdays(fields: Fields) -> Iterator[str]:
    if fields.weekdays:
        yield f"{_named(fields.weekdays)} {EVERY_DAY}"
    for weekday, ordinal in sorted(fields.ordinals):
        first = DAYS_OF_WEEK * (ordinal - 1) + 1
        days = range(first, min(first + DAYS_OF_WEEK, 32))
        date = LAST_SEVEN if ordinal == LAST else f"*-{{months}}-{_numbers(days, ())}"
        yield f"{WEEKDAY_NAMES[weekday]} {date}"


def _named(weekdays: Collection[int]) -> str:
    return ",".join(WEEKDAY_NAMES[weekday] for weekday in sorted(weekdays))


def _numbers(values: Collection[int], whole: Collection[int]) -> str:
    if whole and set(values) >= set(whole):
        return "*"
    return ",".join(
        f"{first:02}" if first == last else f"{first:02}..{last:02}"
        for first, last in spans(values)
    )


def _shortest_period(order: Order) -> int:
    """Return the seconds between two runs that follow each other soonest."""
    dues = order.planned.timetable.dues(datetime(2024, 1, 1, tzinfo=UTC))
    gaps = (later - due for due, later in pairwise(islice(dues, PERIODS_LOOKED_AT)))
    return int(min(gap.total_seconds() for gap in gaps))


def _skipped(order: Order, now: datetime) -> str:
    """Return a warning if the clock skips a time within the year, which systemd leaves out."""
    schedule = order.planned.schedule
    fields, zone = fields_of(schedule.cron), ZoneInfo(schedule.timezone)
    for due in order.planned.timetable.dues(now):
        local = due.astimezone(zone)
        if due - now > YEAR:
            break
        if local.hour not in fields.hours or local.minute not in fields.minutes:
            return (
                f"# On {local:%Y-%m-%d} clocks are set forward over the time, and systemd leaves"
                " the run out.\n"
            )
    return ""


def _limit(order: Order) -> str:
    """Return how often it may be started before its next time: systemd counts retries so."""
    retries = order.planned.schedule.retries
    if not retries:
        return ""
    seconds = _shortest_period(order) - 1
    return f"StartLimitIntervalSec={seconds}\nStartLimitBurst={retries + 1}\n"


def _restart(order: Order) -> str:
    schedule = order.planned.schedule
    if not schedule.retries:
        return ""
    return (
        "# Not after a failed gate or a wrong spec\n"
        "Restart=on-failure\n"
        "RestartPreventExitStatus=1 2\n"
        f"RestartSec={schedule.retry_after}s\n"
    )


def _environment(order: Order) -> str:
    names = order.planned.variables
    if not names:
        return ""
    return (
        f"# A file that only its owner can read, with lines as NAME=value for: {', '.join(names)}\n"
        f"EnvironmentFile=/etc/reportgen/{order.unit_name}.env\n"
    )


def _command(order: Order) -> str:
    program, *arguments = order.command()
    if not set("'\"\\").isdisjoint(program):
        raise order.unsafe(f"systemd takes no program with a quote or a backslash: {program}")
    # Variables would be replaced in the arguments, but not in the name of the program.
    return " ".join([_quoted(program), *(_quoted(word.replace("$", "$$")) for word in arguments)])


def _quoted(text: str) -> str:
    """Return a word as systemd reads it back, whatever is in it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{escaped}"'
