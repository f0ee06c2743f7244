"""When the report is built by itself."""

from datetime import datetime
from typing import Annotated
from zoneinfo import ZoneInfo, available_timezones

from pydantic import AfterValidator, Field

from reportgen.errors.spec_faults import MALFORMED
from reportgen.spec.model import SpecModel
from reportgen.spec.texts import Line, refusal

CRON_FIELDS = {
    "minute": "0 to 59",
    "hour": "0 to 23",
    "day": "1 to 31, or L for the month's last",
    "month": "1 to 12, or JAN to DEC",
    "weekday": "0 to 7 from Sunday to Sunday, or SUN to SAT",
}
# From here on 50 years are searched: a leap day that is a Monday comes every 28 years.
SEARCHED_FROM = datetime(2024, 1, 1)  # noqa: DTZ001  # cron lines know no time zone


def _cron(line: str) -> str:
    fields = line.split()
    if len(fields) != len(CRON_FIELDS):
        raise refusal(
            MALFORMED,
            "must have five fields: minute, hour, day, month, weekday",
            'for Mondays at six write "0 6 * * MON"',
        )
    for place, (name, allowed) in enumerate(CRON_FIELDS.items()):
        alone = ["*"] * len(CRON_FIELDS)
        alone[place] = fields[place]
        if not _comes(" ".join(alone)):
            raise refusal(
                MALFORMED,
                f"has {fields[place]!r} for the {name}, which is none",
                f"the {name} is {allowed}; also * for all, a list 1,3, a range 1-5 and a step */2",
            )
    if not _comes(line):
        raise refusal(
            MALFORMED, "names a day that never comes", "no month named has the day, as 30 in FEB"
        )
    return line


def _comes(line: str) -> bool:
    """Say whether a cron line can be read and there is a time for it."""
    from cronsim import CronSim, CronSimError

    try:
        next(CronSim(line, SEARCHED_FROM))
    # Thousands of digits are no number for Python, and a step of a list none for cronsim.
    except (CronSimError, StopIteration, ValueError, AssertionError):
        return False
    return True


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

    jitter: Annotated[int, Field(ge=0, le=3600)] = Field(default=0, examples=[60])
    """Up to how many seconds later it begins, so that many do not begin at the same moment."""

    retries: Annotated[int, Field(ge=0, le=10)] = Field(default=0, examples=[2])
    """How often a run that failed is tried again; a failed gate is no such failure."""

    retry_after: Annotated[int, Field(ge=1, le=86_400)] = Field(default=60, examples=[60])
    """After how many seconds it is tried again; each time twice as long."""
