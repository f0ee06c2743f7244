"""Options that several commands have."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from reportgen.paths import HISTORY_ENV_VAR, HISTORY_FILE

OutputOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Where the reports go.")
]
TimeoutOption = Annotated[
    str | None, typer.Option(metavar="TIME", help="How long one report may take: 90s, 5m, 1h.")
]
MaxMemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="How much memory one report may take: 800MB, 2GB."),
]
HistoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        envvar=HISTORY_ENV_VAR,
        help=f"Where runs are remembered; by default in DIR/{HISTORY_FILE}.",
    ),
]
NoHistoryOption = Annotated[
    bool, typer.Option("--no-history", help="Remember nothing, and look at no earlier run.")
]
PublishOption = Annotated[
    str | None,
    typer.Option(
        metavar="TARGET",
        help="Publish the reports in DIR to this folder or bucket (s3://, gs://, az://) after the"
        " run.",
    ),
]
BaseUrlOption = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="The public URL of the published site, for its sitemap and feed; the site keeps it.",
    ),
]


def resolve_history(output: Path, location: str | None, *, disabled: bool) -> str | None:
    """Return where runs are remembered: what is named, beside the reports, or nowhere."""
    return None if disabled else location or str(output / HISTORY_FILE)


# Times and sizes as people type them: 90, 5m, 2GB.

SECONDS_BY_UNIT = {"": 1, "s": 1, "m": 60, "h": 3600}
BYTES_BY_UNIT = {
    "": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
}
MIN_MEMORY_BYTES, MAX_MEMORY_BYTES = 10**8, 2**62


def parse_duration(text: str | None) -> float | None:
    """Return a time in seconds."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", (text or "").strip())
    if text is None:
        return None
    if found is None or not float(found[1]):
        raise typer.BadParameter(f"`{text}` is no time; write 90, 90s, 5m or 1h")
    return float(found[1]) * SECONDS_BY_UNIT[found[2]]


def parse_size(text: str | None) -> int | None:
    """Return a size in bytes."""
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]I?B)?", text.strip().upper())
    if found is None:
        raise typer.BadParameter(f"`{text}` is no size; write 800MB, 2GB or 2GiB")
    size = int(float(found[1]) * BYTES_BY_UNIT[found[2] or ""])
    if size > MAX_MEMORY_BYTES:
        raise typer.BadParameter(f"`{text}` is more than any machine has")
    if size < MIN_MEMORY_BYTES:
        raise typer.BadParameter(f"`{text}` is less than any report needs; write 800MB or 2GB")
    return size
