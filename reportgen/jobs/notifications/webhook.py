"""Webhook notifications: a short message in the format of Slack, Mattermost and others."""

from __future__ import annotations

import json
import time
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from reportgen import __version__
from reportgen.jobs.notifications.dispatch import (
    CHANNEL_TIMEOUT_SECONDS,
    Channel,
    DeliveryError,
    read_secret,
)

if TYPE_CHECKING:
    from reportgen.jobs.notifications.dispatch import Notification

# Control sequences of Slack, which text from data must not contain.
SLACK_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
MAX_MESSAGE_CHARACTERS = 3000
MAX_POST_ATTEMPTS, POST_RETRY_SECONDS = 3, 1.0
TOO_MANY_REQUESTS, SERVER_ERROR, SUCCESS_STATUSES = 429, 500, range(200, 300)


def post_webhook(variable: str, notification: Notification) -> None:
    """Post a notification to the URL in an environment variable; retry if the server is busy."""
    address = read_secret(variable)
    body = json.dumps({"text": _format_message(notification)}).encode()
    for attempt in range(1, MAX_POST_ATTEMPTS + 1):
        try:
            status = _post_once(address, body)
        except (OSError, HTTPException) as error:
            status, reason = SERVER_ERROR, f"no connection ({type(error).__name__})"
        else:
            reason = f"it answered with status {status}"
        if status in SUCCESS_STATUSES:
            return
        if attempt == MAX_POST_ATTEMPTS or (status < SERVER_ERROR and status != TOO_MANY_REQUESTS):
            raise DeliveryError(reason)
        time.sleep(POST_RETRY_SECONDS)


def _post_once(url: str, body: bytes) -> int:
    """Post once and return the status code; redirects are not followed."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise DeliveryError("its URL is invalid") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise DeliveryError("its URL must begin with https:// or http://")
    connection_class = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    connection = connection_class(parts.hostname, port, timeout=CHANNEL_TIMEOUT_SECONDS)
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


def _format_message(notification: Notification) -> str:
    """Return the message with a bold first line, truncated to the maximum length."""
    head, rest = notification.headline, notification.text.removeprefix(notification.headline)
    bold = f"*{head.replace('*', '')}*{rest}"
    truncated_text = (
        bold if len(bold) <= MAX_MESSAGE_CHARACTERS else f"{bold[:MAX_MESSAGE_CHARACTERS]} …"
    )
    return truncated_text.translate(SLACK_ESCAPES)


CHANNEL: Channel[str] = Channel(
    describe=lambda variable: f"the webhook in ${variable}",
    send=post_webhook,
    environment_variables=lambda variable: (variable,),
)
