"""Notifications: their content, triggers, channels and dispatch."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from functools import partial
from threading import Thread
from typing import TYPE_CHECKING, TypeAlias

from pydantic import ValidationError

from reportgen.errors import ExitCode
from reportgen.evaluation.gate_outcome import gate_record
from reportgen.jobs.history.record import RunState, format_gate_counts
from reportgen.spec.jobs import NotificationSettings
from reportgen.spec.load import parse_partial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from reportgen.jobs.history.record import GateRecord, RunRecord
    from reportgen.spec.jobs import Trigger


NOTIFICATION_SCHEMA = "reportgen/notification/1"
SUCCESS_EXIT_CODES = {ExitCode.SUCCESS, ExitCode.GATE_FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notification:
    """The outcome of a run as plain values."""

    title: str
    spec: Path
    exit_code: ExitCode
    triggers: frozenset[Trigger]
    folder: Path
    run_id: str | None = None
    gates: tuple[GateRecord, ...] = ()
    errors: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The outcome in one line."""
        return f"{self.title}: {self._summary}"

    @property
    def _summary(self) -> str:
        if self.exit_code not in SUCCESS_EXIT_CODES:
            return "the run failed"
        if "recovery" in self.triggers:
            return "all is well again"
        return format_gate_counts(self.gates) or "the report is ready"

    @property
    def text(self) -> str:
        """The message as plain text."""
        return "\n".join([self.headline, "", *self._lines()])

    def to_payload(self) -> dict[str, object]:
        """Return the JSON payload."""
        return {
            "schema": NOTIFICATION_SCHEMA,
            "headline": self.headline,
            "title": self.title,
            "spec": str(self.spec),
            "run": self.run_id,
            "exit_code": int(self.exit_code),
            "triggers": sorted(self.triggers),
            "gates": [gate_record(gate) for gate in self.gates],
            "errors": list(self.errors),
            "findings": list(self.findings),
            "report": str(self.folder),
        }

    def _lines(self) -> Iterator[str]:
        yield from _bullet_list("What went wrong", self.errors)
        yield from _bullet_list("Gates", map(_format_gate, self.gates))
        yield from _bullet_list("What was found", self.findings)
        yield f"Spec: {self.spec}"
        yield f"Report: {self.folder}" if not self.errors else f"Earlier report: {self.folder}"
        if self.run_id is not None:
            yield f"Run: {self.run_id}"


def find_triggers(
    exit_code: ExitCode, gates: Iterable[GateRecord], previous_run: RunRecord | None
) -> frozenset[Trigger]:
    """Return the triggers of a run, compared with the previous run."""
    now_failing = _failed_gate_keys(gates)
    is_well = exit_code in SUCCESS_EXIT_CODES
    found: set[Trigger] = {"every_run"}
    if not is_well:
        found.add("failure")
    elif now_failing != (_failed_gate_keys(previous_run.gates) if previous_run else frozenset()):
        found.add("gate_change")
    was_bad = previous_run is not None and (
        previous_run.state is not RunState.COMPLETED
        or previous_run.exit_code not in SUCCESS_EXIT_CODES
        or bool(_failed_gate_keys(previous_run.gates))
    )
    if is_well and not now_failing and was_bad:
        found.add("recovery")
    return frozenset(found)


def _failed_gate_keys(gates: Iterable[GateRecord]) -> frozenset[tuple[str | None, ...]]:
    """Return the keys of the failed gates, independent of the observed values."""
    return frozenset(
        (gate.classifier, gate.measure, gate.class_, gate.average, gate.level, str(gate.criterion))
        for gate in gates
        if not gate.passed
    )


def _format_gate(gate: GateRecord) -> str:
    return f"{gate.verdict}: {gate.description}"


def _bullet_list(title: str, items: Iterable[str]) -> Iterator[str]:
    lines = [f"- {item}" for item in items]
    if lines:
        yield from (f"{title}:", *lines, "")


if TYPE_CHECKING:
    SendNotification: TypeAlias = Callable[[Notification], None]

CHANNEL_TIMEOUT_SECONDS = 15.0


class DeliveryError(Exception):
    """A notification could not be delivered; the message contains no secrets."""


def channels_for(settings: NotificationSettings) -> Iterator[tuple[str, SendNotification]]:
    """Yield the channels of a notification setting, each with its display name."""
    if settings.email is not None:
        from reportgen.jobs.notifications.email import send_email

        yield f"e-mail to {', '.join(settings.email.to)}", partial(send_email, settings.email)
    if settings.webhook is not None:
        from reportgen.jobs.notifications.webhook import post_webhook

        yield f"the webhook in ${settings.webhook}", partial(post_webhook, settings.webhook)
    if settings.command is not None:
        yield f"the command `{settings.command[0]}`", partial(_run_command, settings.command)


def read_secret(variable: str) -> str:
    """Return the value of an environment variable; raise DeliveryError if it is not set."""
    value = os.environ.get(variable, "").strip()
    if not value:
        raise DeliveryError(f"the environment variable {variable} is not set")
    return value


def _run_command(command: Sequence[str], notification: Notification) -> None:
    """Run a command in the folder of the spec, with the JSON payload on standard input."""
    try:
        done = subprocess.run(  # noqa: S603  # configured in the spec, run without a shell
            list(command),
            input=json.dumps(notification.to_payload(), ensure_ascii=False).encode(),
            cwd=notification.spec.absolute().parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=CHANNEL_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DeliveryError(f"it did not end within {CHANNEL_TIMEOUT_SECONDS:g} s") from None
    except OSError as error:
        raise DeliveryError(error.strerror or "it could not be started") from None
    if done.returncode:
        raise DeliveryError(f"it ended with code {done.returncode}")


def read_notify_settings(spec: Path) -> tuple[NotificationSettings, ...]:
    """Return the valid notification settings of a spec, even if the rest of the spec is invalid."""
    written = parse_partial(spec, "notify")
    return tuple(_valid_settings(written)) if isinstance(written, list) else ()


def _valid_settings(tables: list[object]) -> Iterator[NotificationSettings]:
    for table in tables:
        try:
            yield NotificationSettings.model_validate(table)
        except ValidationError:
            # The validation of the spec reports this error.
            continue


# Slightly more than the slowest channel takes: three attempts, each with its own time-out.
DELIVERY_TIMEOUT_SECONDS = 60.0


def notify(settings: Iterable[NotificationSettings], notification: Notification) -> tuple[str, ...]:
    """Send a notification to all channels whose triggers match; return a warning per failure."""
    return tuple(_delivery_failures(settings, notification))


def _delivery_failures(
    settings: Iterable[NotificationSettings], notification: Notification
) -> Iterator[str]:
    for notice in settings:
        if notification.triggers.isdisjoint(notice.on):
            continue
        for channel, send in channels_for(notice):
            reason = _send_within_timeout(partial(send, notification))
            if reason is not None:
                yield f"{channel} could not be told: {reason}"


def _send_within_timeout(send: Callable[[], None]) -> str | None:
    """Send within the time-out and return the reason of a failure, or None on success."""
    reasons: list[str | None] = []

    def sent() -> None:
        try:
            send()
            reasons.append(None)
        except DeliveryError as error:
            reasons.append(str(error))
        except Exception as error:  # noqa: BLE001  # the report is already written
            # Only the type: the message may contain a URL with a password.
            reasons.append(type(error).__name__)

    thread = Thread(target=sent, daemon=True)
    thread.start()
    thread.join(DELIVERY_TIMEOUT_SECONDS)
    return reasons[0] if reasons else f"it took more than {DELIVERY_TIMEOUT_SECONDS:g} s"
