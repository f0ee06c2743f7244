"""The ways to somebody: letters, webhooks, commands. Secrets stay in the environment."""

from __future__ import annotations

import json
import os
import subprocess
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.jobs.notifications.news import News
    from reportgen.spec import Notify

    Send: TypeAlias = Callable[[News], None]

SECONDS_TO_TELL = 15.0


class UntoldError(Exception):
    """Somebody could not be told; its words hold nothing secret."""


def channels_of(notice: Notify) -> Iterator[tuple[str, Send]]:
    """Yield the ways that a notice names, with what to call them in a message."""
    if notice.email is not None:
        from reportgen.jobs.notifications.letters import send_letter

        yield f"e-mail to {', '.join(notice.email.to)}", partial(send_letter, notice.email)
    if notice.webhook is not None:
        from reportgen.jobs.notifications.webhooks import post

        yield f"the webhook in ${notice.webhook}", partial(post, notice.webhook)
    if notice.command is not None:
        yield f"the command `{notice.command[0]}`", partial(_run, notice.command)


def secret(variable: str) -> str:
    """Return what an environment variable holds."""
    value = os.environ.get(variable, "").strip()
    if not value:
        raise UntoldError(f"the environment variable {variable} is not set")
    return value


def _run(command: Sequence[str], news: News) -> None:
    """Run a command in the folder of the spec, with the news as JSON on its input."""
    try:
        done = subprocess.run(  # noqa: S603  # the spec names it, and no shell reads it
            list(command),
            input=json.dumps(news.as_data(), ensure_ascii=False).encode(),
            cwd=news.spec.absolute().parent,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS_TO_TELL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UntoldError(f"it did not end within {SECONDS_TO_TELL:g} s") from None
    except OSError as error:
        raise UntoldError(error.strerror or "it could not be started") from None
    if done.returncode:
        raise UntoldError(f"it ended with code {done.returncode}")
