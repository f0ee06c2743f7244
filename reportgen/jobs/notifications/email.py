"""Email notifications through the SMTP server that an environment variable names."""

from __future__ import annotations

import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate, make_msgid
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, unquote, urlsplit

from reportgen.jobs.notifications.dispatch import (
    CHANNEL_TIMEOUT_SECONDS,
    Channel,
    DeliveryError,
    read_secret,
)

if TYPE_CHECKING:
    from reportgen.jobs.notifications.dispatch import Notification
    from reportgen.spec.jobs import EmailSettings

MAX_ATTACHMENT_BYTES = 10_000_000


def send_email(settings: EmailSettings, notification: Notification) -> None:
    """Send a notification by email, with the PDF attached if configured and present."""
    server = _parse_smtp_url(read_secret(settings.server))
    message = build_email(settings, notification)
    try:
        with _connect_smtp(server) as connection:
            if server.username:
                connection.login(unquote(server.username), unquote(server.password or ""))
            connection.send_message(message)
    except smtplib.SMTPNotSupportedError:
        raise DeliveryError(
            "the mail server offers no encryption or no login, so that no password was sent"
        ) from None
    except smtplib.SMTPAuthenticationError:
        raise DeliveryError("the mail server rejected the user name or password") from None
    except smtplib.SMTPRecipientsRefused:
        raise DeliveryError("the mail server rejected the recipients") from None
    except (OSError, smtplib.SMTPException) as error:
        raise DeliveryError(f"the mail server did not accept it ({type(error).__name__})") from None


def build_email(settings: EmailSettings, notification: Notification) -> EmailMessage:
    """Return the message; text from data cannot inject headers."""
    message = EmailMessage()
    message["Subject"] = _plain_header(notification.headline)
    message["From"] = _plain_header(settings.sender)
    message["To"] = ", ".join(map(_plain_header, settings.to))
    message["Date"] = formatdate()
    message["Message-ID"] = make_msgid(domain=settings.sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    pdf = notification.pdf if settings.attach and not notification.errors else None
    content = None if pdf is None or pdf.stat().st_size > MAX_ATTACHMENT_BYTES else pdf.read_bytes()
    note = "\nThe PDF is too large for an email.\n" if pdf and content is None else ""
    message.set_content(f"{notification.text}\n{note}")
    if content is not None:
        message.add_attachment(
            content,
            maintype="application",
            subtype="pdf",
            filename=f"{notification.spec.stem}.pdf",
        )
    return message


def _plain_header(text: str) -> str:
    """Return text as the value of a header.

    Python 3.11 and 3.12 decode an encoded word (RFC 2047) in it, whose line breaks would begin
    further headers.
    """
    printable = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(printable.replace("=?", "= ?").split())


def _parse_smtp_url(url: str) -> SplitResult:
    try:
        server = urlsplit(url)
        is_valid = server.scheme in {"smtp", "smtps"} and server.hostname and server.port != 0
    except ValueError:
        is_valid = False
    if not is_valid:
        raise DeliveryError("the mail server must have the form smtps://user:password@host:465")
    return server


def _connect_smtp(server: SplitResult) -> smtplib.SMTP:
    """Connect with TLS if the server supports it; with a password TLS is required."""
    host, context = server.hostname or "", ssl.create_default_context()
    if server.scheme == "smtps":
        return smtplib.SMTP_SSL(
            host, server.port or 465, timeout=CHANNEL_TIMEOUT_SECONDS, context=context
        )
    connection = smtplib.SMTP(host, server.port or 587, timeout=CHANNEL_TIMEOUT_SECONDS)
    try:
        connection.ehlo()
        if server.username or connection.has_extn("starttls"):
            connection.starttls(context=context)
            connection.ehlo()
    except BaseException:
        connection.close()
        raise
    return connection


CHANNEL: Channel[EmailSettings] = Channel(
    describe=lambda settings: f"email to {', '.join(settings.to)}",
    send=send_email,
    environment_variables=lambda settings: (settings.server,),
)
