"""Lines for a crontab."""

from __future__ import annotations

import shlex
from hashlib import sha256
from typing import TYPE_CHECKING

from reportgen.jobs.schedules.units.fields import fields_of, hindrance, plain_line
from reportgen.jobs.schedules.units.unit import Unit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.jobs.schedules.units.unit import Order


def crontab_units(order: Order) -> tuple[Unit, ...]:
    """Return a crontab for one spec."""
    return (Unit(f"{order.unit_name}.cron", "\n".join(_lines(order)) + "\n"),)


def _lines(order: Order) -> Iterator[str]:
    planned = order.planned
    yield f"# Written by `reportgen schedule export cron` from {order.absolute(planned.path)}"
    yield "# CRON_TZ is read by cronie (Fedora, RHEL, Arch, SUSE). The cron of Debian and Ubuntu"
    yield "# reads times in the zone of the machine."
    if planned.variables:
        yield f"# Set beforehand in this file, which others must not read: {_names(order)}"
    if planned.schedule.retries:
        yield "# cron knows no retries: a run that fails is not tried again before its next time."
    yield f"CRON_TZ={planned.schedule.timezone}"
    yield f"{cron_line(order)} {_delay(order)}{_command(order)}"


def cron_line(order: Order) -> str:
    """Return the five fields as every cron reads them."""
    fields = fields_of(order.planned.schedule.cron)
    hindered = hindrance(fields)
    if hindered is not None:
        raise order.refusal(hindered)
    return plain_line(fields)


def _names(order: Order) -> str:
    return ", ".join(order.planned.variables)


def _delay(order: Order) -> str:
    """Return the same delay every time: plain sh has no dice."""
    jitter = order.planned.schedule.jitter
    drawn = int.from_bytes(sha256(order.planned.name.encode()).digest()[:8]) % (jitter + 1)
    return f"sleep {drawn} && " if drawn else ""


def _command(order: Order) -> str:
    # To cron a percent sign is the end of the line. It is taken out of the quotes with its
    # backslash, which either cron takes away or else the shell.
    return " ".join(
        shlex.quote(word).replace("%", r"'\%'") if "%" in word else shlex.quote(word)
        for word in order.command()
    )
