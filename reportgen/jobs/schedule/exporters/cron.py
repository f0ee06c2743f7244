"""Exporter for cron: a crontab."""

from __future__ import annotations

import shlex
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.jobs.schedule.exporters.exporter import Exporter

if TYPE_CHECKING:
    from reportgen.jobs.schedule.exporters.exporter import ExportContext


def delay_seconds(context: ExportContext) -> int:
    """Return a fixed delay within the jitter: POSIX sh has no random numbers."""
    digest = sha256(context.name.encode()).digest()
    return int.from_bytes(digest[:8]) % (context.schedule.jitter + 1)


def crontab_command(context: ExportContext) -> str:
    """Return the command: one program with an absolute path, quoted for the shell and for cron."""
    words = (*context.program, *context.absolute_arguments(with_retries=True))
    # In a crontab an unescaped percent sign ends the command. It is written outside the quotes,
    # with a backslash that either cron or the shell removes.
    return " ".join(
        shlex.quote(word).replace("%", r"'\%'") if "%" in word else shlex.quote(word)
        for word in words
    )


EXPORTER = Exporter(
    templates=("cron.cron.j2",),
    filters={"delay_seconds": delay_seconds, "crontab_command": crontab_command},
)
