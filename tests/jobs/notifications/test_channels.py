"""The registry of channels: a key of [[notify]] and a module each."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.jobs import notifications
from reportgen.jobs.notifications.dispatch import Channel, load_channel, secret_variables
from reportgen.spec.jobs import NOTIFICATION_CHANNELS, NotificationSettings


def test_every_channel_has_a_key_and_a_module() -> None:
    """A key without a module would fail at the first notification, a module without a key never."""
    folder = Path(notifications.__file__).parent
    modules = {
        path.stem for path in folder.glob("*.py") if "\nCHANNEL: " in path.read_text("utf-8")
    }

    assert modules == set(NOTIFICATION_CHANNELS)


@pytest.mark.parametrize("name", NOTIFICATION_CHANNELS)
def test_every_channel_describes_itself(name: str) -> None:
    """With the example of its key in the documents."""
    example = NotificationSettings.model_fields[name].examples
    assert example, f"the key `{name}` needs an example"
    settings = NotificationSettings.model_validate({name: example[0]})
    channel = load_channel(name)

    assert isinstance(channel, Channel)
    assert channel.describe(getattr(settings, name)).isprintable()
    assert callable(channel.send)


def test_variables_with_secrets_are_named_once() -> None:
    """Exported schedules list them."""
    notify = [
        NotificationSettings.model_validate({"webhook": "SLACK"}),
        NotificationSettings.model_validate(
            {
                "webhook": "SLACK",
                "email": {"to": ["a@example.org"], "sender": "b@example.org", "server": "SMTP"},
                "command": ["true"],
            }
        ),
    ]

    assert secret_variables(notify) == ("SLACK", "SMTP")
