"""Where the rows of text files stand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.errors import Place
from reportgen.predictions import csv_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from reportgen.predictions.csv_text import Dialect


def lines_of(path: Path, dialect: Dialect | None, rows: set[int]) -> dict[int, int]:
    """Return the lines of some rows of CSV, or of JSON Lines if there is no dialect."""
    last, lines = max(rows), {}
    for index, line in enumerate(_line_numbers(path, dialect)):
        if index in rows:
            lines[index] = line
        if index >= last:
            break
    return lines


def _line_numbers(path: Path, dialect: Dialect | None) -> Iterator[int]:
    """Yield the line of each row, one after the other."""
    if dialect is not None:
        for record in csv_text.rows(path, dialect):
            yield record.line
        return
    with csv_text.open_text(path) as stream:
        for number, text in enumerate(stream, start=1):
            if text.strip():
                yield number


def place_in(path: Path, line: int, value: str) -> Place:
    """Return a place in a line, where the value is if it stands there once."""
    source = csv_text.source_line(path, line)
    if source is None or not value or source.count(value) != 1:
        return Place(path, line, source=source)
    return Place(path, line, source.index(value) + 1, len(value), source)
