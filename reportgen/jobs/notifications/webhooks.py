"""Webhooks: a short message as Slack, Mattermost and others take it."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reportgen import __version__
from reportgen.jobs.notifications.channels import SECONDS_TO_TELL, UntoldError, secret

if TYPE_CHECKING:
    from reportgen.jobs.notifications.news import News

# What these markers mean to Slack, data must not say.
ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
MOST_LETTERS = 3000
ATTEMPTS, SECONDS_BETWEEN = 3, 1.0
BUSY, SERVER_FAULT, SUCCESS = 429, 500, range(200, 300)


def post(variable: str, news: News) -> None:
    """Post the news to the address in an environment variable; what is busy is asked again."""
    address = secret(variable)
    body = json.dumps({"text": _text(news)}).encode()
    for attempt in range(1, ATTEMPTS + 1):
        try:
            status = _status(address, body)
        except (OSError, HTTPException) as error:
            status, reason = SERVER_FAULT, f"no connection ({type(error).__name__})"
        else:
            reason = f"it answered with status {status}"
        if status in SUCCESS:
            return
        if attempt == ATTEMPTS or (status < SERVER_FAULT and status != BUSY):
            raise UntoldError(reason)
        time.sleep(SECONDS_BETWEEN)


def _status(address: str, body: bytes) -> int:
    """Post once; an answer that leads elsewhere is not followed."""
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        raise UntoldError("its address cannot be read") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UntoldError("its address must begin with https:// or http://")
    kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = kind(parts.hostname, port, timeout=SECONDS_TO_TELL)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    try:
        headers = {
            "Content-Type": "application/json; charset=utf-8",
            "User-Agent": f"reportgen/{__version__}",
        }
        connection.request("POST", path, body, headers)
        return connection.getresponse().status
    finally:
        connection.close()


def _text(news: News) -> str:
    """Return the news with a bold first line, cut where a message would be too long."""
    head, rest = news.headline, news.text.removeprefix(news.headline)
    bold = f"*{head.replace('*', '')}*{rest}"
    cut = bold if len(bold) <= MOST_LETTERS else f"{bold[:MOST_LETTERS]} …"
    return cut.translate(ESCAPES)
