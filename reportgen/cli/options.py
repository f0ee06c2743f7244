"""Options that several commands have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from reportgen.places import HISTORY_FILE, HISTORY_VARIABLE

Output = Annotated[
    Path, typer.Option("--output", "-o", metavar="DIR", help="Where the reports go.")
]
Timeout = Annotated[
    str | None, typer.Option(metavar="TIME", help="How long one report may take: 90s, 5m, 1h.")
]
MaxMemory = Annotated[
    str | None,
    typer.Option(metavar="SIZE", help="How much memory one report may take: 800MB, 2GB."),
]
Kept = Annotated[
    str | None,
    typer.Option(
        metavar="PATH|URL",
        envvar=HISTORY_VARIABLE,
        help=f"Where runs are remembered; by default in DIR/{HISTORY_FILE}.",
    ),
]
NoHistory = Annotated[
    bool, typer.Option("--no-history", help="Remember nothing, and look at no earlier run.")
]


def history_of(output: Path, named: str | None, *, nowhere: bool) -> str | None:
    """Return where runs are remembered: what is named, beside the reports, or nowhere."""
    return None if nowhere else named or str(output / HISTORY_FILE)
