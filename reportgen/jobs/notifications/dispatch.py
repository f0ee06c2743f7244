"""Notifications: their content, triggers, channels and dispatch."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import ValidationError

from reportgen.errors import ExitCode
from reportgen.evaluation.gate_outcome import format_gate_counts, gate_record
from reportgen.jobs.history.record import RunState
from reportgen.spec.jobs import NOTIFICATION_CHANNELS, NotificationSettings
from reportgen.spec.load import parse_partial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
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
    pdf: Path | None = None
    """The PDF of the run; one of an earlier run may be in the folder."""

    @property
    def headline(self) -> str:
        """The outcome in one line."""
        return f"{self.title}: {self._summary}"

    @property
    def _summary(self) -> str:
        if self.exit_code not in SUCCESS_EXIT_CODES:
            return "run failed"
        if "recovery" in self.triggers:
            return "recovered"
        return format_gate_counts(self.gates) or "report ready"

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
        yield from _bullet_list("Errors", self.errors)
        yield from _bullet_list("Gates", map(_format_gate, self.gates))
        yield from _bullet_list("Key findings", self.findings)
        yield f"Spec: {self.spec}"
        yield f"Report: {self.folder}" if not self.errors else f"Earlier report: {self.folder}"
        if self.run_id is not None:
            yield f"Run: {self.run_id}"


def find_triggers(
    exit_code: ExitCode, gates: Iterable[GateRecord], previous_run: RunRecord | None
) -> frozenset[Trigger]:
    """Return the triggers of a run, compared with the previous run."""
    failed_gates = _failed_gate_keys(gates)
    succeeded = exit_code in SUCCESS_EXIT_CODES
    triggers: set[Trigger] = {"every_run"}
    if not succeeded:
        triggers.add("failure")
    elif failed_gates != (_failed_gate_keys(previous_run.gates) if previous_run else frozenset()):
        triggers.add("gate_change")
    failed_before = previous_run is not None and (
        previous_run.state is not RunState.COMPLETED
        or previous_run.exit_code not in SUCCESS_EXIT_CODES
        or bool(_failed_gate_keys(previous_run.gates))
    )
    if succeeded and not failed_gates and failed_before:
        triggers.add("recovery")
    return frozenset(triggers)


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


# Of one connection or command; less than the limit of a delivery, so that its reason is known.
CHANNEL_TIMEOUT_SECONDS = 12.0
Settings = TypeVar("Settings")


class DeliveryError(Exception):
    """A notification could not be delivered; the message contains no secrets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel(Generic[Settings]):
    """A way to deliver notifications, configured by the key of its name in [[notify]].

    Args:
        describe: Returns what warnings call the channel.
        send: Delivers a notification, or raises DeliveryError.
        environment_variables: Returns the names of the variables with its secrets.
    """

    describe: Callable[[Settings], str]
    send: Callable[[Settings, Notification], None]
    environment_variables: Callable[[Settings], tuple[str, ...]] = lambda _settings: ()


def load_channel(name: str) -> Channel[Any]:
    """Return the channel of a key of [[notify]]: `CHANNEL` in the module of that name."""
    channel: Channel[Any] = import_module(f"{__package__}.{name}").CHANNEL
    return channel


def configured_channels(
    settings: NotificationSettings,
) -> Iterator[tuple[Channel[Any], Any]]:
    """Yield the channels of a notification setting, each with its own settings."""
    for name in NOTIFICATION_CHANNELS:
        channel_settings = getattr(settings, name)
        if channel_settings is not None:
            yield load_channel(name), channel_settings


def secret_variables(notify: Iterable[NotificationSettings]) -> tuple[str, ...]:
    """Return the distinct environment variables with the secrets of all channels."""
    names = (
        name
        for settings in notify
        for channel, channel_settings in configured_channels(settings)
        for name in channel.environment_variables(channel_settings)
    )
    return tuple(dict.fromkeys(names))


def read_secret(variable: str) -> str:
    """Return the value of an environment variable; raise DeliveryError if it is not set."""
    value = os.environ.get(variable, "").strip()
    if not value:
        raise DeliveryError(f"the environment variable {variable} is not set")
    return value


def read_notify_settings(spec: Path) -> tuple[NotificationSettings, ...]:
    """Return the valid notification settings of a spec, even if the rest of the spec is invalid."""
    tables = parse_partial(spec, "notify")
    return tuple(_valid_settings(tables)) if isinstance(tables, list) else ()


def _valid_settings(tables: list[object]) -> Iterator[NotificationSettings]:
    for table in tables:
        try:
            yield NotificationSettings.model_validate(table)
        except ValidationError:
            # The validation of the spec reports this error.
            continue


# For all attempts of a channel together; the channels are used in parallel.
DELIVERY_TIMEOUT_SECONDS = 15.0


def notify(settings: Iterable[NotificationSettings], notification: Notification) -> tuple[str, ...]:
    """Send a notification to all channels whose triggers match; return a warning per failure.

    All channels are used at the same time, and each has the same time limit in total.
    """
    deliveries = begin_deliveries(settings, notification)
    return tuple(warning for delivery in deliveries for warning in delivery.warnings())


def begin_deliveries(
    settings: Iterable[NotificationSettings], notification: Notification
) -> list[Delivery]:
    """Begin to send a notification to all channels whose triggers match."""
    return [
        Delivery.begin(channel, channel_settings, notification)
        for setting in settings
        if not notification.triggers.isdisjoint(setting.on)
        for channel, channel_settings in configured_channels(setting)
    ]


@dataclass(frozen=True, slots=True)
class Delivery:
    """The delivery of a notification by one channel, in a thread."""

    description: str
    thread: Thread
    deadline: float
    reasons: list[str | None]
    """The reason of a failure, or None on success, once it has ended."""

    @classmethod
    def begin(
        cls, channel: Channel[Any], channel_settings: object, notification: Notification
    ) -> Delivery:
        """Start to send a notification."""
        reasons: list[str | None] = []

        def deliver() -> None:
            try:
                channel.send(channel_settings, notification)
                reasons.append(None)
            except DeliveryError as error:
                reasons.append(str(error))
            except Exception as error:  # noqa: BLE001  # the report is already written
                # Only the type: the message may contain a URL with a password.
                reasons.append(type(error).__name__)

        thread = Thread(target=deliver, daemon=True)
        thread.start()
        deadline = time.monotonic() + DELIVERY_TIMEOUT_SECONDS
        return cls(channel.describe(channel_settings), thread, deadline, reasons)

    def warnings(self) -> tuple[str, ...]:
        """Wait until the deadline; return the warning about a failure, if it failed."""
        self.thread.join(max(self.deadline - time.monotonic(), 0))
        unanswered = f"no answer within {DELIVERY_TIMEOUT_SECONDS:g} s"
        reason = self.reasons[0] if self.reasons else unanswered
        return () if reason is None else (f"notification by {self.description} failed: {reason}",)
