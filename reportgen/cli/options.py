"""Options shared by several commands, and the values that they accept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from reportgen.paths import HISTORY_ENV_VAR, HISTORY_FILE

OutputOption = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="The output folder of the reports.")
]
TimeoutOption = Annotated[
    str | None, typer.Option(metavar="TIME", help="Time limit of one report: 90s, 5m, 1h.")
]
MaxMemoryOption = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="Memory limit of one report: 800MB, 2GB."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
HistoryOption = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        envvar=HISTORY_ENV_VAR,
        help="The history of the runs: a file, or postgresql://user@host/database; default:"
        f" DIR/{HISTORY_FILE}.",
    ),
]
NoHistoryOption = Annotated[
    bool,
    typer.Option("--no-history", help="Do not record the run, and ignore earlier ones."),
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
    """Return the location of the history: as configured, else in the output folder; or None."""
    return None if disabled else location or str(output / HISTORY_FILE)


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
    """Return a duration such as 90, 90s, 5m or 1h in seconds."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text.strip())
    if match is None or not float(match[1]):
        raise typer.BadParameter(f"invalid time `{text}`; expected 90, 90s, 5m or 1h")
    return float(match[1]) * SECONDS_BY_UNIT[match[2]]


def parse_size(text: str | None) -> int | None:
    """Return a size such as 800MB, 2GB or 2GiB in bytes."""
    if text is None:
        return None
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMG]I?B)?", text.strip().upper())
    if match is None:
        raise typer.BadParameter(f"invalid size `{text}`; expected 800MB, 2GB or 2GiB")
    size = int(float(match[1]) * BYTES_BY_UNIT[match[2] or ""])
    if not MIN_MEMORY_BYTES <= size <= MAX_MEMORY_BYTES:
        raise typer.BadParameter(f"size `{text}` out of range; expected at least 100MB")
    return size
