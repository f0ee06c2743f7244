"""Notifications to a command, which reads them as JSON."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

from reportgen.jobs.notifications.dispatch import CHANNEL_TIMEOUT_SECONDS, Channel, DeliveryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.jobs.notifications.dispatch import Notification


def run_command(command: Sequence[str], notification: Notification) -> None:
    """Run a command in the folder of the spec, with the JSON payload on standard input."""
    try:
        process = subprocess.run(  # noqa: S603  # configured in the spec, run without a shell
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
    if process.returncode:
        raise DeliveryError(f"it ended with exit code {process.returncode}")


CHANNEL: Channel[Sequence[str]] = Channel(
    describe=lambda command: f"the command `{command[0]}`", send=run_command
)
