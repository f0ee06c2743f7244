"""When the report is built by itself."""

from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field

from reportgen.errors.spec_faults import MALFORMED
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, refusal

CRON_FIELDS = 5


def _cron(line: str) -> str:
    if len(line.split()) != CRON_FIELDS:
        raise refusal(
            MALFORMED,
            "must have five fields: minute, hour, day, month, weekday",
            'for Mondays at six write "0 6 * * MON"',
        )
    return line


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        # Some machines have no time zone database, so that nothing can be said about the name.
        if not available_timezones():
            return name
        raise refusal(
            MALFORMED, "must be a time zone's name", 'for example "Europe/Berlin" or "UTC"'
        ) from None
    return name


class Schedule(SpecModel):
    """When the report is built by itself."""

    cron: Annotated[Line, AfterValidator(_cron)] = Field(examples=["0 6 * * MON"])
    """Minute, hour, day, month and weekday, as in a crontab."""

    timezone: Annotated[Line, AfterValidator(_timezone)] = Field(
        default="UTC", examples=["Europe/Berlin"]
    )
    """The time zone the cron line is read in."""
