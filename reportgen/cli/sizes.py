"""Times and sizes as people type them: 90, 5m, 2GB."""

from __future__ import annotations

import re

import typer

SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600}
BYTES = {"": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 2**10, "MIB": 2**20, "GIB": 2**30}
LEAST_BYTES, MOST_BYTES = 10**8, 2**62


def seconds_of(written: str | None) -> float | None:
    """Return a time in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", (written or "").strip())
    if written is None:
        return None
    if found is None or not float(found[1]):
        raise typer.BadParameter(f"`{written}` is no time; write 90, 90s, 5m or 1h")
    return float(found[1]) * SECONDS[found[2]]


def bytes_of(written: str | None) -> int | None:
    """Return a size in bytes."""
    if written is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]I?B)?", written.strip().upper())
    if found is None:
        raise typer.BadParameter(f"`{written}` is no size; write 800MB, 2GB or 2GiB")
    size = int(float(found[1]) * BYTES[found[2] or ""])
    if size > MOST_BYTES:
        raise typer.BadParameter(f"`{written}` is more than any machine has")
    if size < LEAST_BYTES:
        raise typer.BadParameter(f"`{written}` is less than any report needs; write 800MB or 2GB")
    return size
