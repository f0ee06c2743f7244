"""The console: data and tables on stdout; messages, diagnostics and progress on stderr.

File names, labels and titles may contain escape sequences, which terminals and the viewers of logs
obey. Every function here prints control and format characters escaped, as Python does.
"""

from __future__ import annotations

import json
import os
import sys
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from reportgen.errors import Diagnostic, OutputError
from reportgen.errors.run import OUTPUT_UNWRITABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Literal, TextIO

    from reportgen.errors import Location

MAX_SOURCE_WIDTH = 160
UNLIMITED_WIDTH = 1_000_000


def print_data(text: str) -> None:
    """Print one line of data."""
    print_formatted(escape_text(text))


def print_text(text: str) -> None:
    """Print lines on stdout."""
    print_formatted(escape_text(text, keep="\n"))


def print_document(text: str) -> None:
    """Print the content of a file: in a pipe as it is, on a terminal escaped."""
    if sys.stdout.isatty():
        print_text(text)
    else:
        print_formatted(text)


def print_formatted(text: str) -> None:
    """Print text of this module, such as a table, whose cells are escaped already.

    A reader that closes the pipe, such as `head`, does not stop the command.

    Raises:
        OutputError: The disk to which stdout is redirected is full, for example.
    """
    try:
        typer.echo(text)
    except OSError as error:
        raise_stdout_error(error)


def raise_stdout_error(error: OSError) -> None:
    """Raise the error of writing to stdout as an OutputError; a closed pipe is no error.

    What is left to be written is discarded, or it would fail again at the end of the process.
    """
    _discard(sys.stdout)
    if not isinstance(error, BrokenPipeError):
        message = f"standard output cannot be written: {error.strerror}"
        raise OutputError(Diagnostic(OUTPUT_UNWRITABLE, message)) from error


def _print_error(text: str) -> None:
    """Print text on stderr; a failure to print leaves the exit code as it is."""
    try:
        typer.echo(text, err=True)
    except OSError:
        _discard(sys.stderr)


def _discard(stream: TextIO) -> None:
    """Let everything that is written to a stream from now on disappear."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def print_path(path: str) -> None:
    """Print the path of a file; on a terminal it is a link to the file."""
    from pathlib import Path

    if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
        # The escape sequence OSC 8, which terminals without links ignore.
        link = Path(path).absolute().as_uri()
        print_formatted(f"\x1b]8;;{link}\x1b\\{escape_text(path)}\x1b]8;;\x1b\\")
    else:
        print_data(path)


def print_message(message: str) -> None:
    """Print a message of one line on stderr."""
    _print_error(escape_text(message))


def print_lines(text: str) -> None:
    """Print lines on stderr."""
    _print_error(escape_text(text, keep="\n"))


def print_warning(message: str) -> None:
    """Print a warning."""
    _print_error(f"{_styled('warning', 'yellow')}: {escape_text(message)}")


@contextmanager
def progress(task: str) -> Iterator[Callable[[str], None]]:
    """Show the current step on a terminal; print nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _step: None
        return
    from rich.console import Console
    from rich.text import Text

    # As `Text`, because rich reads `[…]` in a string as markup.
    with Console(stderr=True).status(Text(escape_text(task))) as status:
        yield lambda step: status.update(Text(escape_text(f"{task}: {step} …")))


def print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Print all diagnostics and their number."""
    for diagnostic in diagnostics:
        _print_error(format_diagnostic(diagnostic) + "\n")
    if len(diagnostics) > 1:
        print_message(f"{len(diagnostics)} errors")


# Control and format characters, such as those that change the direction of text; separators of
# lines; and halves of surrogate pairs, which stand for bytes of a file name that are not UTF-8.
UNSAFE_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def escape_text(text: str, keep: str = "") -> str:
    """Return text with escape sequences of Python for all characters that a terminal obeys."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if character in keep or unicodedata.category(character) not in UNSAFE_CATEGORIES
        else repr(character)[1:-1]
        for character in text
    )


def _mask_text(text: str) -> str:
    """Return text of the same length without the characters that a terminal obeys."""
    return "".join(
        "\N{REPLACEMENT CHARACTER}"
        if unicodedata.category(character) in UNSAFE_CATEGORIES
        else character
        for character in text
    )


def format_table(
    rows: Sequence[Sequence[str]],
    headers: Sequence[str] = (),
    *,
    right_aligned: frozenset[str] = frozenset(),
    indent: int = 0,
) -> str:
    """Return a table for stdout.

    On a terminal the header is bold and long cells are wrapped to the width. Elsewhere each row is
    one line without colour, its columns separated by at least two spaces, so that `grep`, `sort`
    and `awk` can read it.

    Args:
        rows: The cells; control characters are escaped.
        headers: The names of the columns; none for a table without a header line.
        right_aligned: The headers of numeric columns.
        indent: The number of spaces before each line.
    """
    from io import StringIO

    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table
    from rich.text import Text

    on_terminal = sys.stdout.isatty()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), show_header=bool(headers))
    table.header_style = "bold" if on_terminal else ""
    for header in headers or [""] * max(map(len, rows), default=0):
        justify: Literal["left", "right"] = "right" if header in right_aligned else "left"
        table.add_column(Text(header), justify=justify, overflow="fold")
    for row in rows:
        table.add_row(*(Text(escape_text(cell)) for cell in row))
    width = None if on_terminal else UNLIMITED_WIDTH
    console = Console(file=StringIO(), width=width, force_terminal=on_terminal, highlight=False)
    with console.capture() as capture:
        console.print(Padding(table, (0, 0, 0, indent), expand=False))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def format_diagnostic(diagnostic: Diagnostic, *, plain: bool = False) -> str:
    """Return a diagnostic in the style of a compiler; plain: without colour."""
    code = f"error[{diagnostic.error_code.code}]"
    head = code if plain else _styled(code, "red")
    lines = [f"{head}: {escape_text(diagnostic.message)}", *_location_lines(diagnostic.location)]
    if diagnostic.help:
        indent = (
            " " * len(str(diagnostic.location.line))
            if diagnostic.location and diagnostic.location.line
            else ""
        )
        lines.append(f"{indent} = help: {escape_text(diagnostic.help)}")
    return "\n".join(lines)


def diagnostic_row(diagnostic: Diagnostic) -> dict[str, object]:
    """Return a diagnostic as a JSON object."""
    location = diagnostic.location
    return {
        "code": diagnostic.error_code.code,
        "message": diagnostic.message,
        "path": str(location.path) if location else None,
        "line": location.line if location else None,
        "column": location.column if location else None,
        "help": diagnostic.help,
    }


def print_json(value: object) -> None:
    """Print a value as JSON, escaping all characters that a terminal obeys."""
    text = json.dumps(value, indent=2, ensure_ascii=False)
    print_formatted(
        "".join(
            json.dumps(character)[1:-1]
            if character != "\n" and unicodedata.category(character) in UNSAFE_CATEGORIES
            else character
            for character in text
        )
    )


def _styled(text: str, colour: str) -> str:
    return text if os.environ.get("NO_COLOR") else typer.style(text, fg=colour, bold=True)


def _location_lines(location: Location | None) -> list[str]:
    if location is None:
        return []
    where = ":".join(str(part) for part in (location.path, location.line, location.column) if part)
    margin = " " * len(str(location.line or ""))
    lines = [f"{margin} --> {escape_text(where)}"]
    if location.source_line is not None and location.line is not None:
        source = _mask_text(location.source_line[:MAX_SOURCE_WIDTH])
        lines += [f"{margin} |", f"{location.line} | {source}"]
        if location.column is not None and location.column <= MAX_SOURCE_WIDTH:
            width = max(1, min(location.width, len(source) - location.column + 1))
            lines.append(f"{margin} | {' ' * (location.column - 1)}{'^' * width}")
    return lines
