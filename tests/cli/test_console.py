"""Tables on a terminal and in a pipe."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

from reportgen.cli.console import format_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

HEADERS = ("name", "text", "seconds")
ROWS = [("churn", "word " * 30 + "end", "4.2"), ("größe", "字", "12.0")]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(monkeypatch: pytest.MonkeyPatch, rows: Sequence[Sequence[str]]) -> str:
    """Return a table as a terminal of forty columns shows it."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    return format_table(rows, HEADERS, right_aligned=frozenset({"seconds"}))


def test_in_a_pipe_each_row_is_one_line_that_can_be_split() -> None:
    """However long it is, without colour, and aligned by the width of its characters."""
    lines = format_table(ROWS, HEADERS, right_aligned=frozenset({"seconds"})).splitlines()

    assert [re.split(r"  +", line) for line in lines] == [
        list(HEADERS),
        ["churn", ("word " * 30 + "end"), "4.2"],
        ["größe", "字", "12.0"],
    ]
    assert "\x1b" not in "".join(lines)
    assert lines[0].endswith("seconds")
    assert lines[1].endswith("    4.2")
    assert all(line == line.rstrip() for line in lines)


def test_on_a_terminal_rows_are_wrapped_to_its_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """The header is bold, and nothing is cut off."""
    table = on_terminal(monkeypatch, ROWS)
    lines = ESCAPES.sub("", table).splitlines()

    assert "\x1b[1m" in table
    assert max(map(len, lines)) <= 40
    assert len(lines) > 3
    assert " ".join(lines).count("word") == 30


def test_text_from_data_is_neither_markup_nor_an_escape_sequence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rich reads [bold] as markup, a terminal escape sequences as commands."""
    table = on_terminal(monkeypatch, [("[bold]", "\x1b[2J", "1")])

    assert "[bold]" in table
    assert "\x1b[2J" not in table


def test_an_indented_table_without_header() -> None:
    """As below the name of a classifier."""
    assert format_table([("a", "b"), ("long", "c")], indent=2) == "  a     b\n  long  c"
