"""Telling everybody who wants to know; that somebody cannot be told is never a fault of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.jobs.notifications.channels import UntoldError, channels_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.jobs.notifications.news import News
    from reportgen.spec import Notify


def tell_all(notices: Iterable[Notify], news: News) -> tuple[str, ...]:
    """Tell the news to all whom they concern; return a warning for each who could not be told."""
    return tuple(_untold(notices, news))


def _untold(notices: Iterable[Notify], news: News) -> Iterator[str]:
    for notice in notices:
        if news.occasions.isdisjoint(notice.on):
            continue
        for channel, send in channels_of(notice):
            try:
                send(news)
            except UntoldError as error:
                yield f"{channel} could not be told: {error}"
            except Exception as error:  # noqa: BLE001  # whatever it is, the report is there
                # Only its kind: its words may hold an address with a password.
                yield f"{channel} could not be told: {type(error).__name__}"
