"""The tables [schedule], [[notify]] and [history]: scheduled and recorded runs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, datetime
from typing import TYPE_CHECKING, Annotated, Literal
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field

from reportgen.errors.spec import INVALID_FORMAT, REQUIRES_OTHER_KEY
from reportgen.spec.fields import NonEmpty, ProportionFloat, SingleLine, SpecModel, custom_error
from reportgen.spec.issues import Highlight, ValidationIssue

if TYPE_CHECKING:
    from reportgen.spec.spec import Spec

CRON_FIELDS = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day": "1 to 31, or L for the month's last",
    "month": "1 to 12, or JAN to DEC",
    "weekday": "0 to 7 from Sunday to Sunday, or SUN to SAT",
}
# 50 years from here on are searched: a leap day that is a Monday occurs every 28 years.
CRON_SEARCH_START = datetime(2024, 1, 1)  # noqa: DTZ001  # cron lines know no time zone


def _check_cron(line: str) -> str:
    fields = line.split()
    if len(fields) != len(CRON_FIELDS):
        raise custom_error(
            INVALID_FORMAT,
            "must have five fields: minute, hour, day, month, weekday",
            'for Mondays at six write "0 6 * * MON"',
        )
    for index, (name, allowed) in enumerate(CRON_FIELDS.items()):
        single = ["*"] * len(CRON_FIELDS)
        single[index] = fields[index]
        if not _has_next_time(" ".join(single)):
            raise custom_error(
                INVALID_FORMAT,
                f"has the invalid {name} {fields[index]!r}",
                f"the {name} is {allowed}; also * for all, a list 1,3, a range 1-5 and a step */2",
            )
    if not _has_next_time(line):
        raise custom_error(
            INVALID_FORMAT,
            "names a day that does not exist",
            "none of the months has this day, such as 30 in FEB",
        )
    return line


def _has_next_time(line: str) -> bool:
    """Return whether a cron line is valid and there is a time for it."""
    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(line, CRON_SEARCH_START))
    # Python rejects numbers of thousands of digits, cronsim a step of a list.
    except (CronSimError, StopIteration, ValueError, AssertionError):
        return False
    return True


def _check_timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        # Without a time zone database the name cannot be checked.
        if not available_timezones():
            return name
        raise custom_error(
            INVALID_FORMAT, "must be a time zone name", 'for example "Europe/Berlin" or "UTC"'
        ) from None
    return name


class ScheduleSettings(SpecModel):
    """When the report is built automatically."""

    cron: Annotated[SingleLine, AfterValidator(_check_cron)] = Field(examples=["0 6 * * MON"])
    """A cron expression: minute, hour, day, month and weekday."""

    timezone: Annotated[SingleLine, AfterValidator(_check_timezone)] = Field(
        default="UTC", examples=["Europe/Berlin"]
    )
    """The time zone of the cron expression."""

    jitter: Annotated[int, Field(ge=0, le=3600)] = Field(default=0, examples=[60])
    """The maximum random delay in seconds, so that reports do not start at the same moment."""

    retries: Annotated[int, Field(ge=0, le=10)] = Field(default=0, examples=[2])
    """The number of retries of a failed run; a failed gate is not retried."""

    retry_after: Annotated[int, Field(ge=1, le=86_400)] = Field(default=60, examples=[60])
    """The delay before the first retry in seconds; it doubles with every retry."""


Trigger = Literal["failure", "gate_change", "recovery", "every_run"]


def _check_variable_name(name: str) -> str:
    if not (name.isidentifier() and name.isascii()):
        raise custom_error(
            INVALID_FORMAT,
            "must be the name of an environment variable, not its content",
            'such as "SLACK_WEBHOOK": secrets do not belong in a spec',
        )
    return name


def _check_email_address(address: str) -> str:
    name, separator, host = address.rpartition("@")
    if not (name and separator and host) or any(
        sign.isspace() or sign in '<>,;"' for sign in address
    ):
        raise custom_error(INVALID_FORMAT, "must be an email address", 'such as "team@example.org"')
    return address


EnvironmentVariable = Annotated[SingleLine, AfterValidator(_check_variable_name)]
EmailAddress = Annotated[SingleLine, AfterValidator(_check_email_address)]


class EmailSettings(SpecModel):
    """An email; the server comes from an environment variable."""

    to: NonEmpty[EmailAddress] = Field(examples=[["team@example.org"]])
    """The recipients."""

    sender: EmailAddress = Field(examples=["reports@example.org"])
    """The sender."""

    server: EnvironmentVariable = Field(default="REPORTGEN_SMTP", examples=["REPORTGEN_SMTP"])
    """The environment variable with the server, such as smtps://user:password@host:465."""

    attach: bool = Field(default=False, examples=[True])
    """Whether to attach the PDF, if there is one."""


class NotificationSettings(SpecModel):
    """A notification by email, webhook or command."""

    on: NonEmpty[Trigger] = Field(
        default=("failure", "gate_change", "recovery"), examples=[["failure", "recovery"]]
    )
    """The triggers: a run fails, a gate changes, a run succeeds again, or every run."""

    email: EmailSettings | None = Field(
        default=None, examples=[{"to": ["team@example.org"], "sender": "reports@example.org"}]
    )
    """An email."""

    webhook: EnvironmentVariable | None = Field(default=None, examples=["SLACK_WEBHOOK"])
    """The environment variable with the URL of a webhook, which receives Slack's JSON."""

    command: NonEmpty[SingleLine] | None = Field(
        default=None, examples=[["notify-send", "reportgen"]]
    )
    """A program and its arguments, run without a shell; it reads the notification as JSON."""


NOTIFICATION_CHANNELS = tuple(name for name in NotificationSettings.model_fields if name != "on")
"""Each key is a channel, which `reportgen/jobs/notifications/<key>.py` delivers."""


def validate_notifications(spec: Spec) -> Iterator[ValidationIssue]:
    """Yield notifications without a channel."""
    for index, notification in enumerate(spec.notify):
        path = ("notify", index)
        if all(getattr(notification, channel) is None for channel in NOTIFICATION_CHANNELS):
            yield ValidationIssue(
                REQUIRES_OTHER_KEY,
                "a notification needs a channel",
                (*path, "on"),
                f"add one of {', '.join(f'`{channel}`' for channel in NOTIFICATION_CHANNELS)},"
                ' for example `webhook = "SLACK_WEBHOOK"`',
                Highlight.TABLE,
                depends_on=tuple((*path, channel) for channel in NOTIFICATION_CHANNELS),
            )


class HistorySettings(SpecModel):
    """The history of earlier runs; its location is an option of the command."""

    name: SingleLine | None = Field(default=None, examples=["churn"])
    """The name of the report in the history; by default that of the spec file."""

    show: Annotated[int, Field(ge=0, le=1000)] = Field(default=20, examples=[20])
    """The maximum number of earlier runs in the report; 0 for none."""

    error_rate: ProportionFloat | None = Field(default=None, examples=[0.05])
    """Monitoring: the chance of ever raising a false alarm, over all runs of the schedule.

    After every run the accuracy of each classifier is tested against the reference runs, and each
    gate with a fixed limit of a proportion against that limit. Every run has to be on new cases.
    """

    reference: Annotated[int, Field(ge=1, le=1000)] = Field(default=1, examples=[10])
    """Monitoring: how many of the first runs are the reference; more make it more precise."""

    since: date | None = Field(default=None, examples=["2026-11-01"])
    """Monitoring: runs before this date do not count, for example before a new classifier."""
