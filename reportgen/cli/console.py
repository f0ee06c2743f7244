"""What people read on stderr: messages, and faults with the place and the way out."""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.errors import Diagnostic, Location

MAX_SOURCE_WIDTH = 160


def print_data(text: str) -> None:
    """Print data; whoever reads it, such as `head`, may stop reading without stopping the work."""
    try:
        typer.echo(text)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_path(path: str) -> None:
    """Print the path of a file; on a terminal it is a link to the file."""
    from pathlib import Path

    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        # The escape sequence OSC 8, which terminals without links ignore.
        link = Path(path).absolute().as_uri()
        print_data(f"\x1b]8;;{link}\x1b\\{sanitize_text(path)}\x1b]8;;\x1b\\")
    else:
        print_data(path)


def print_message(message: str) -> None:
    """Print a message where it does not mix with data."""
    typer.echo(message, err=True)


def print_warning(message: str) -> None:
    """Print a warning."""
    print_message(f"{_styled('warning', 'yellow')}: {sanitize_text(message)}")


@contextmanager
def progress(task: str) -> Iterator[Callable[[str], None]]:
    """Show a person at a terminal what is going on, step by step; a log stays quiet."""
    if not sys.stderr.isatty():
        yield lambda _step: None
        return
    from rich.console import Console

    with Console(stderr=True).status(sanitize_text(task)) as status:
        yield lambda step: status.update(sanitize_text(f"{task}: {step} …"))


def print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Print every fault, and how many there are."""
    for fault in diagnostics:
        print_message(format_diagnostic(fault) + "\n")
    if len(diagnostics) > 1:
        print_message(f"{len(diagnostics)} errors")


def sanitize_text(text: str) -> str:
    """Return text from data so that it cannot steer a terminal or hide what it says."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if unicodedata.category(sign) in {"Cc", "Cf"} else sign
        for sign in text
    )


def format_diagnostic(diagnostic: Diagnostic, *, plain: bool = False) -> str:
    """Return a fault as a compiler would show it, for a terminal or (plain) for elsewhere."""
    code = f"error[{diagnostic.error_code.code}]"
    head = code if plain else _styled(code, "red")
    lines = [f"{head}: {sanitize_text(diagnostic.message)}", *_location_lines(diagnostic.location)]
    if diagnostic.help:
        indent = (
            " " * len(str(diagnostic.location.line))
            if diagnostic.location and diagnostic.location.line
            else ""
        )
        lines.append(f"{indent} = help: {sanitize_text(diagnostic.help)}")
    return "\n".join(lines)


def diagnostic_row(diagnostic: Diagnostic) -> dict[str, object]:
    """Return a fault for programs."""
    place = diagnostic.location
    return {
        "code": diagnostic.error_code.code,
        "message": diagnostic.message,
        "path": str(place.path) if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
        "help": diagnostic.help,
    }


def print_json(value: object) -> None:
    """Print data for programs."""
    print_data(json.dumps(value, indent=2, ensure_ascii=False))


def _styled(text: str, colour: str) -> str:
    return text if os.environ.get("NO_COLOR") else typer.style(text, fg=colour, bold=True)


def _location_lines(location: Location | None) -> list[str]:
    if location is None:
        return []
    where = ":".join(str(part) for part in (location.path, location.line, location.column) if part)
    margin = " " * len(str(location.line or ""))
    lines = [f"{margin} --> {where}"]
    if location.source_line is not None and location.line is not None:
        source = sanitize_text(location.source_line[:MAX_SOURCE_WIDTH])
        lines += [f"{margin} |", f"{location.line} | {source}"]
        if location.column is not None and location.column <= MAX_SOURCE_WIDTH:
            width = max(1, min(location.width, len(source) - location.column + 1))
            lines.append(f"{margin} | {' ' * (location.column - 1)}{'^' * width}")
    return lines
