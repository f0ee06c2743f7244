"""Letters, webhooks and commands against real servers, and that secrets stay secret."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from aiosmtpd.controller import Controller

from reportgen.errors import ExitCode
from reportgen.jobs.history.record import GateRecord
from reportgen.jobs.notifications import dispatch, webhook
from reportgen.jobs.notifications.dispatch import (
    DELIVERY_TIMEOUT_SECONDS,
    Notification,
    notify,
)
from reportgen.jobs.notifications.email import build_email
from reportgen.spec.jobs import EmailSettings, NotificationSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import EmailMessage
    from pathlib import Path

    from aiosmtpd.smtp import SMTP, Envelope, Session

SECRET = "hunter2"  # noqa: S105  # a password that must not be seen anywhere
GATE = GateRecord(
    classifier="A",
    measure="f1",
    class_=None,
    average=None,
    level="error",
    passed=False,
    observed=0.7,
    criterion=0.8,
    reason="F1 is 0.7, less than 0.8",
)
LETTER = EmailSettings(to=("team@example.org", "boss@example.org"), sender="reports@example.org")


def notification_of(folder: Path, title: str = "Churn", pdf: Path | None = None) -> Notification:
    """Return the notification of a run whose gate failed."""
    return Notification(
        title=title,
        spec=folder / "churn.toml",
        exit_code=ExitCode.GATE_FAILED,
        triggers=frozenset({"every_run", "gate_change"}),
        folder=folder,
        run_id="20261116T120000-00000000",
        gates=(GATE,),
        findings=("A is better than B.",),
        pdf=pdf,
    )


@dataclass
class Post:
    """A mail server that keeps what it gets."""

    messages: list[EmailMessage] = field(default_factory=list)

    async def handle_DATA(  # noqa: N802  # the name is the library's
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        """Take a letter."""
        assert isinstance(envelope.content, bytes)
        letter = message_from_bytes(envelope.content, policy=policy.default)
        self.messages.append(letter)
        return "250 OK"


@pytest.fixture
def post(monkeypatch: pytest.MonkeyPatch) -> Iterator[Post]:
    """Run a mail server, and name it in the environment."""
    handler = Post()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = Controller(handler, hostname="127.0.0.1", port=port)
    server.start()
    monkeypatch.setenv("REPORTGEN_SMTP", f"smtp://127.0.0.1:{port}")
    yield handler
    server.stop()


def test_an_email_says_what_happened_and_has_the_pdf(tmp_path: Path, post: Post) -> None:
    """The subject is the news, everything else is in the text, and the PDF is the report's."""
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7 a report")
    notice = NotificationSettings(
        on=("gate_change",), email=LETTER.model_copy(update={"attach": True})
    )

    assert notify([notice], notification_of(tmp_path, pdf=tmp_path / "report.pdf")) == ()

    [letter] = post.messages
    assert letter["Subject"] == "Churn: 1 of 1 gates failed"
    assert letter["To"] == "team@example.org, boss@example.org"
    body = letter.get_body()
    assert body is not None
    assert "failed: A, F1 score: F1 is 0.7, less than 0.8" in body.get_content()
    assert "A is better than B." in body.get_content()
    [pdf] = letter.iter_attachments()
    assert pdf.get_filename() == "churn.pdf"
    assert pdf.get_content() == b"%PDF-1.7 a report"


def test_the_pdf_of_an_earlier_run_is_not_sent(tmp_path: Path, post: Post) -> None:
    """It stays in the folder if this run wrote other formats only."""
    (tmp_path / "report.pdf").write_bytes(b"%PDF-1.7 an earlier report")
    notice = NotificationSettings(
        on=("gate_change",), email=LETTER.model_copy(update={"attach": True})
    )

    assert notify([notice], notification_of(tmp_path)) == ()

    [letter] = post.messages
    assert list(letter.iter_attachments()) == []


def test_a_title_cannot_add_headers(tmp_path: Path, post: Post) -> None:
    """A line break in data stays in its line."""
    notify(
        [NotificationSettings(email=LETTER)],
        notification_of(tmp_path, "A\r\nBcc: everybody@example.org\r\n\r\nB"),
    )

    [letter] = post.messages
    assert letter["Bcc"] is None
    assert letter["Subject"] == "A Bcc: everybody@example.org B: 1 of 1 gates failed"


def test_only_those_are_notified_who_asked_for_this_trigger(tmp_path: Path, post: Post) -> None:
    """Nobody is woken for nothing."""
    notify(
        [NotificationSettings(on=("failure", "recovery"), email=LETTER)], notification_of(tmp_path)
    )

    assert post.messages == []


def test_no_password_goes_to_a_server_without_encryption(
    tmp_path: Path, post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The warning says why, and does not say the password either."""
    server = f"smtp://user:{SECRET}@"
    monkeypatch.setenv("REPORTGEN_SMTP", os.environ["REPORTGEN_SMTP"].replace("smtp://", server))

    [warning] = notify([NotificationSettings(email=LETTER)], notification_of(tmp_path))

    assert "no password was sent" in warning
    assert SECRET not in warning
    assert post.messages == []


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (None, "the environment variable REPORTGEN_SMTP is not set"),
        (f"http://user:{SECRET}@host", "must have the form smtps://user:password@host:465"),
        (f"smtp://user:{SECRET}@host:port", "must have the form smtps://user:password@host:465"),
        (f"smtp://user:{SECRET}@127.0.0.1:1", "the mail server did not accept it"),
    ],
)
def test_a_mail_server_that_cannot_be_had_is_a_warning_without_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str | None, reason: str
) -> None:
    """A report is never lost to a letter."""
    monkeypatch.delenv("REPORTGEN_SMTP", raising=False)
    if address is not None:
        monkeypatch.setenv("REPORTGEN_SMTP", address)

    [warning] = notify([NotificationSettings(email=LETTER)], notification_of(tmp_path))

    assert warning.startswith("notification by email to team@example.org, boss@example.org failed")
    assert reason in warning
    assert SECRET not in warning


@dataclass
class Hook:
    """A server that keeps what is posted to it, and answers as it is told."""

    statuses: list[int]
    bodies: list[dict[str, str]] = field(default_factory=list)
    address: str = ""


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hook]:
    """Run a server for webhooks, and name it in the environment."""
    hook_server = Hook([])

    class Handler(BaseHTTPRequestHandler):
        """Answer with the next status."""

        def do_POST(self) -> None:  # the name is the library's
            """Take a message."""
            length = int(self.headers["Content-Length"])
            hook_server.bodies.append(json.loads(self.rfile.read(length)))
            self.send_response(hook_server.statuses.pop(0) if hook_server.statuses else 200)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002
            """Stay quiet."""

    monkeypatch.setattr(webhook, "POST_RETRY_SECONDS", 0.01)
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        hook_server.address = f"http://127.0.0.1:{server.server_address[1]}/services/{SECRET}"
        monkeypatch.setenv("SLACK", hook_server.address)
        yield hook_server
        server.shutdown()


def test_a_webhook_gets_a_text_in_which_data_mean_nothing(tmp_path: Path, hook: Hook) -> None:
    """Slack would read <!channel> in a title as a call to everybody."""
    assert (
        notify(
            [NotificationSettings(webhook="SLACK")], notification_of(tmp_path, "<!channel> & co")
        )
        == ()
    )

    [body] = hook.bodies
    assert list(body) == ["text"]
    assert body["text"].startswith("*&lt;!channel&gt; &amp; co: 1 of 1 gates failed*\n")
    assert "F1 is 0.7, less than 0.8" in body["text"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("statuses", "requests", "warned"),
    [
        ([503, 429, 200], 3, False),
        ([500, 500, 500], 3, True),
        ([404], 1, True),
        ([302], 1, True),
    ],
    ids=["busy for a while", "broken", "gone", "leads elsewhere"],
)
def test_a_webhook_that_is_busy_is_asked_again(
    tmp_path: Path, hook: Hook, statuses: list[int], requests: int, *, warned: bool
) -> None:
    """What is wrong for good is a warning at once, without the address."""
    hook.statuses = list(statuses)

    warnings = notify([NotificationSettings(webhook="SLACK")], notification_of(tmp_path))

    assert len(hook.bodies) == requests
    assert [SECRET in warning for warning in warnings] == [False] * warned
    assert all(f"status {statuses[-1]}" in warning for warning in warnings)


def test_a_command_gets_the_notification_as_json(tmp_path: Path) -> None:
    """It runs in the folder of the spec, and no shell reads its arguments."""
    code = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(sys.stdin.read())"
    notice = NotificationSettings(command=(sys.executable, "-c", code, "told; $(rm -rf x).json"))

    assert notify([notice], notification_of(tmp_path)) == ()

    notification = json.loads((tmp_path / "told; $(rm -rf x).json").read_text(encoding="utf-8"))
    assert notification["schema"] == "reportgen/notification/1"
    assert notification["headline"] == "Churn: 1 of 1 gates failed"
    assert notification["gates"][0]["class"] is None
    assert notification["exit_code"] == 1


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (("no-such-program",), "No such file or directory"),
        ((sys.executable, "-c", "raise SystemExit(7)"), "it ended with exit code 7"),
    ],
)
def test_a_command_that_fails_is_a_warning(
    tmp_path: Path, command: tuple[str, ...], reason: str
) -> None:
    """The report is there all the same."""
    [warning] = notify([NotificationSettings(command=command)], notification_of(tmp_path))

    assert warning == f"notification by the command `{command[0]}` failed: {reason}"


def test_who_answers_slowly_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that takes for ever costs its limit, and is a warning."""
    monkeypatch.setattr(dispatch, "DELIVERY_TIMEOUT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("SLACK", f"http://127.0.0.1:{silent.getsockname()[1]}/{SECRET}")
        began = time.monotonic()

        [warning] = notify([NotificationSettings(webhook="SLACK")], notification_of(tmp_path))

    assert warning == "notification by the webhook in $SLACK failed: no answer within 0.2 s"
    assert time.monotonic() - began < 10


def test_one_failed_delivery_does_not_keep_back_the_others(tmp_path: Path, post: Post) -> None:
    """Each is told by itself."""
    notices = [NotificationSettings(webhook="NO_SUCH_VARIABLE"), NotificationSettings(email=LETTER)]

    [warning] = notify(notices, notification_of(tmp_path))

    assert warning == (
        "notification by the webhook in $NO_SUCH_VARIABLE failed: the environment variable"
        " NO_SUCH_VARIABLE is not set"
    )
    assert len(post.messages) == 1


def test_channels_that_hang_cost_one_time_limit_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that accepts and never answers, three times, and one that works."""
    monkeypatch.setattr(dispatch, "DELIVERY_TIMEOUT_SECONDS", 0.6)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HOOK", f"http://127.0.0.1:{silent.getsockname()[1]}/")
        output = tmp_path / "delivered"
        command = (sys.executable, "-c", f"open({str(output)!r}, 'w').close()")
        settings = [
            *(NotificationSettings(on=("every_run",), webhook="HOOK") for _ in range(3)),
            NotificationSettings(on=("every_run",), command=command),
        ]
        started = time.monotonic()
        warnings = notify(settings, notification_of(tmp_path))
        seconds = time.monotonic() - started

    assert (len(warnings), output.exists()) == (3, True)
    assert dispatch.CHANNEL_TIMEOUT_SECONDS <= DELIVERY_TIMEOUT_SECONDS <= 15
    assert seconds < 1.2
    assert "no answer within 0.6 s" in warnings[0]


def test_an_encoded_word_in_a_title_adds_no_header(tmp_path: Path) -> None:
    """Python 3.11 and 3.12 decode it, with its line breaks."""
    title = "=?utf-8?q?Churn=0D=0ABcc:_all@example.org?="
    message = build_email(LETTER, notification_of(tmp_path, title))
    parsed = message_from_bytes(message.as_bytes(), policy=policy.default)

    assert parsed["Bcc"] is None
    assert "\n" not in parsed["Subject"]
    assert "Churn" in parsed["Subject"]
