"""When the report is built by itself."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field

from reportgen.errors.spec import INVALID_FORMAT, REQUIRES_OTHER_KEY
from reportgen.spec.fields import NonEmpty, SingleLine, SpecModel, custom_error
from reportgen.spec.issues import Highlight, RawSpec, ValidationIssue

CRON_FIELDS = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day": "1 to 31, or L for the month's last",
    "month": "1 to 12, or JAN to DEC",
    "weekday": "0 to 7 from Sunday to Sunday, or SUN to SAT",
}
# From here on 50 years are searched: a leap day that is a Monday comes every 28 years.
CRON_SEARCH_START = datetime(2024, 1, 1)  # noqa: DTZ001  # cron lines know no time zone


def _check_cron(line: str) -> str:
    fields = line.split()
    if len(fields) != len(CRON_FIELDS):
        raise custom_error(
            INVALID_FORMAT,
            "must have five fields: minute, hour, day, month, weekday",
            'for Mondays at six write "0 6 * * MON"',
        )
    for place, (name, allowed) in enumerate(CRON_FIELDS.items()):
        alone = ["*"] * len(CRON_FIELDS)
        alone[place] = fields[place]
        if not _has_next_time(" ".join(alone)):
            raise custom_error(
                INVALID_FORMAT,
                f"has {fields[place]!r} for the {name}, which is none",
                f"the {name} is {allowed}; also * for all, a list 1,3, a range 1-5 and a step */2",
            )
    if not _has_next_time(line):
        raise custom_error(
            INVALID_FORMAT,
            "names a day that never comes",
            "no month named has the day, as 30 in FEB",
        )
    return line


def _has_next_time(line: str) -> bool:
    """Say whether a cron line can be read and there is a time for it."""
    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(line, CRON_SEARCH_START))
    # Thousands of digits are no number for Python, and a step of a list none for cronsim.
    except (CronSimError, StopIteration, ValueError, AssertionError):
        return False
    return True


def _check_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        # Some machines have no time zone database, so that nothing can be said about the name.
        if not available_timezones():
            return name
        raise custom_error(
            INVALID_FORMAT, "must be a time zone's name", 'for example "Europe/Berlin" or "UTC"'
        ) from None
    return name


class ScheduleSettings(SpecModel):
    """When the report is built by itself."""

    cron: Annotated[SingleLine, AfterValidator(_check_cron)] = Field(examples=["0 6 * * MON"])
    """Minute, hour, day, month and weekday, as in a crontab."""

    timezone: Annotated[SingleLine, AfterValidator(_check_timezone)] = Field(
        default="UTC", examples=["Europe/Berlin"]
    )
    """The time zone the cron line is read in."""

    jitter: Annotated[int, Field(ge=0, le=3600)] = Field(default=0, examples=[60])
    """Up to how many seconds later it begins, so that many do not begin at the same moment."""

    retries: Annotated[int, Field(ge=0, le=10)] = Field(default=0, examples=[2])
    """How often a run that failed is tried again; a failed gate is no such failure."""

    retry_after: Annotated[int, Field(ge=1, le=86_400)] = Field(default=60, examples=[60])
    """After how many seconds it is tried again; each time twice as long."""


# Who is told how a run ended.

Trigger = Literal["failure", "gate_change", "recovery", "every_run"]


def _check_variable_name(name: str) -> str:
    if not (name.isidentifier() and name.isascii()):
        raise custom_error(
            INVALID_FORMAT,
            "must be the name of an environment variable, not its content",
            'such as "SLACK_WEBHOOK": addresses with secrets do not belong into a spec',
        )
    return name


def _check_email_address(address: str) -> str:
    name, at, host = address.rpartition("@")
    if not (name and at and host) or any(sign.isspace() or sign in '<>,;"' for sign in address):
        raise custom_error(INVALID_FORMAT, "must be one mail address", 'such as "team@example.org"')
    return address


EnvironmentVariable = Annotated[SingleLine, AfterValidator(_check_variable_name)]
EmailAddress = Annotated[SingleLine, AfterValidator(_check_email_address)]


class EmailSettings(SpecModel):
    """A letter; the server comes from an environment variable."""

    to: NonEmpty[EmailAddress] = Field(examples=[["team@example.org"]])
    """Who gets it."""

    sender: EmailAddress = Field(examples=["reports@example.org"])
    """From whom it is."""

    server: EnvironmentVariable = Field(default="REPORTGEN_SMTP", examples=["REPORTGEN_SMTP"])
    """The environment variable that holds the server, such as smtps://user:password@host:465."""

    attach: bool = Field(default=False, examples=[True])
    """Whether the PDF goes with it, if there is one."""


class NotificationSettings(SpecModel):
    """One way of telling somebody: a letter, a webhook or a command."""

    on: NonEmpty[Trigger] = Field(
        default=("failure", "gate_change", "recovery"), examples=[["failure", "recovery"]]
    )
    """When: a run fails, a gate opens or closes, all is well again, or after every run."""

    email: EmailSettings | None = Field(
        default=None, examples=[{"to": ["team@example.org"], "sender": "reports@example.org"}]
    )
    """A letter."""

    webhook: EnvironmentVariable | None = Field(default=None, examples=["SLACK_WEBHOOK"])
    """The environment variable that holds the address of a webhook; it gets Slack's JSON."""

    command: NonEmpty[SingleLine] | None = Field(
        default=None, examples=[["notify-send", "reportgen"]]
    )
    """A program and its arguments, run without a shell; it gets the news as JSON on its input."""


# A notice names a way to somebody.

NOTIFICATION_CHANNELS = ("email", "webhook", "command")


def validate_notifications(raw: RawSpec) -> Iterator[ValidationIssue]:
    """Yield notices that would reach nobody."""
    for path, notice in raw.tables("notify"):
        if not any(way in notice for way in NOTIFICATION_CHANNELS):
            message = "a notice needs a way to somebody"
            help_line = 'add `email`, `webhook` or `command`, as in webhook = "SLACK_WEBHOOK"'
            yield ValidationIssue(
                REQUIRES_OTHER_KEY, message, (*path, "on"), help_line, Highlight.TABLE
            )


# What is remembered from run to run.


class HistorySettings(SpecModel):
    """What is remembered from run to run; where it is kept is said when the report is built."""

    name: SingleLine | None = Field(default=None, examples=["churn"])
    """Under which name runs are kept; by default that of the spec file."""

    show: Annotated[int, Field(ge=0, le=1000)] = Field(default=20, examples=[20])
    """How many earlier runs the report shows at most; 0 leaves them out."""
