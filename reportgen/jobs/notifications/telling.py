"""Telling everybody who wants to know; that somebody cannot be told is never a fault of the run."""

from __future__ import annotations

from functools import partial
from threading import Thread
from typing import TYPE_CHECKING

from reportgen.jobs.notifications.channels import UntoldError, channels_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from reportgen.jobs.notifications.news import News
    from reportgen.spec import Notify


# A little more than a patient way of telling takes: three attempts, each with its own limit.
MOST_SECONDS = 60.0


def tell_all(notices: Iterable[Notify], news: News) -> tuple[str, ...]:
    """Tell the news to all whom they concern; return a warning for each who could not be told."""
    return tuple(_untold(notices, news))


def _untold(notices: Iterable[Notify], news: News) -> Iterator[str]:
    for notice in notices:
        if news.occasions.isdisjoint(notice.on):
            continue
        for channel, send in channels_of(notice):
            reason = _in_time(partial(send, news))
            if reason is not None:
                yield f"{channel} could not be told: {reason}"


def _in_time(send: Callable[[], None]) -> str | None:
    """Send, and return why it could not be; nobody who answers slowly holds the others up."""
    reasons: list[str | None] = []

    def sent() -> None:
        try:
            send()
            reasons.append(None)
        except UntoldError as error:
            reasons.append(str(error))
        except Exception as error:  # noqa: BLE001  # whatever it is, the report is there
            # Only its kind: its words may hold an address with a password.
            reasons.append(type(error).__name__)

    thread = Thread(target=sent, daemon=True)
    thread.start()
    thread.join(MOST_SECONDS)
    return reasons[0] if reasons else f"it took more than {MOST_SECONDS:g} s"
