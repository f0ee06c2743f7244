"""Which runs are tried again, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors import ExitCode

if TYPE_CHECKING:
    from reportgen.spec.schedule import Schedule

# What may be better the next time; a spec that is wrong and a gate that failed stay as they are.
TRIED_AGAIN = {
    ExitCode.DATA,
    ExitCode.ENVIRONMENT,
    ExitCode.OUTPUT,
    ExitCode.LOCKED,
    ExitCode.INTERNAL,
}


def wait_before_retry(schedule: Schedule, exit_code: int, attempt: int) -> int | None:
    """Return after how many seconds a run is tried again, which was the attempt of this number.

    The first attempt has the number 0; None if it is not tried again.
    """
    if exit_code not in TRIED_AGAIN or attempt >= schedule.retries:
        return None
    return int(schedule.retry_after * 2**attempt)
