"""Exporter for cron: a crontab."""

from __future__ import annotations

import shlex
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.jobs.schedule.exporters.context import (
    ExportedFile,
    format_cron,
    parse_cron,
    unsupported_reason,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.schedule.exporters.context import ExportContext


def export_crontab(context: ExportContext) -> tuple[ExportedFile, ...]:
    """Return a crontab for one spec."""
    return (ExportedFile(f"{context.unit_name}.cron", "\n".join(_crontab_lines(context)) + "\n"),)


def _crontab_lines(context: ExportContext) -> Iterator[str]:
    planned = context.scheduled_spec
    path = context.absolute_path(planned.path)
    yield f"# Written by `reportgen schedule export cron` from {path}"
    yield "# CRON_TZ is read by cronie (Fedora, RHEL, Arch, SUSE). The cron of Debian and Ubuntu"
    yield "# reads times in the zone of the machine."
    if planned.environment_variables:
        names = _variable_names(context)
        yield f"# Set beforehand in this file, which others must not read: {names}"
    if planned.schedule.retries:
        yield "# cron knows no retries: a run that fails is not tried again before its next time."
    yield f"CRON_TZ={planned.schedule.timezone}"
    yield f"{portable_cron_line(context)} {_jitter_prefix(context)}{_cron_command(context)}"


def portable_cron_line(context: ExportContext) -> str:
    """Return the five fields in the syntax common to all cron implementations."""
    fields = parse_cron(context.scheduled_spec.schedule.cron)
    hindered = unsupported_reason(fields)
    if hindered is not None:
        raise context.unsupported_error(hindered)
    return format_cron(fields)


def _variable_names(context: ExportContext) -> str:
    return ", ".join(context.scheduled_spec.environment_variables)


def _jitter_prefix(context: ExportContext) -> str:
    """Return a `sleep` with a fixed delay for the jitter: POSIX sh has no random numbers."""
    jitter = context.scheduled_spec.schedule.jitter
    drawn = int.from_bytes(sha256(context.scheduled_spec.name.encode()).digest()[:8]) % (jitter + 1)
    return f"sleep {drawn} && " if drawn else ""


def _cron_command(context: ExportContext) -> str:
    # In a crontab an unescaped percent sign ends the command. It is written outside the quotes,
    # with a backslash that either cron or the shell removes.
    return " ".join(
        shlex.quote(word).replace("%", r"'\%'") if "%" in word else shlex.quote(word)
        for word in context.command()
    )
