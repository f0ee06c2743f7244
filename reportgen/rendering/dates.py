"""The date a report bears: none unless asked for, so that the same inputs give the same bytes."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from reportgen.errors import Fault, RenderingError
from reportgen.errors.run_faults import DATE_UNREADABLE

VARIABLE = "SOURCE_DATE_EPOCH"


def source_date() -> datetime | None:
    """Return the date that SOURCE_DATE_EPOCH asks for, if it is set."""
    written = os.environ.get(VARIABLE, "")
    if not written:
        return None
    try:
        return datetime.fromtimestamp(int(written), UTC)
    except (ValueError, OverflowError, OSError) as error:
        fault = Fault(
            DATE_UNREADABLE,
            f"{VARIABLE} is {written!r}, which is no date",
            help="set it to seconds since 1970, such as 1700000000, or unset it",
        )
        raise RenderingError(fault) from error
