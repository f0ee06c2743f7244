"""How much room the cells of a table take, estimated before anything is laid out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.rendering.texts import LONG_WORD, cell_text, narrow_interval, short_name
from reportgen.report.parts import (
    Code,
    DifferenceOf,
    Estimate,
    Interval,
    MeasureName,
    PValue,
    Strong,
    Value,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.report.document import Table
    from reportgen.report.parts import Cell

# Widths in ems of the type: a letter, one of an interval, and the space around a column.
LETTER, HEAD_LETTER, SMALL_LETTER, GAP = 0.57, 0.54, 0.5, 1.0
MEASURE_HEAD, VERDICT_WIDTH = 14.0, 9.0
# A long head of a row has at most so many lines.
MOST_LINES = 3
# Heights in rows of one line: a badge or a measure's head, and a value over its interval.
TALL_ROW, TWO_LINE_ROW = 2.2, 1.6


def is_brief(cell: Cell) -> bool:
    """Tell whether the head of a row is so short that it should stay in one line."""
    return isinstance(cell, str | Strong) and len(cell_text(cell)) <= LONG_WORD


def widths_of(table: Table) -> list[float]:
    """Estimate the least width of each column, in ems of the type."""
    rows = [row for group in table.groups for row in group.rows]
    return [
        max([_head_width(column.head), *(_width(row[at], head=at == 0) for row in rows)])
        for at, column in enumerate(table.columns)
    ]


def height_of(rows: Sequence[Sequence[Cell]]) -> float:
    """Estimate how tall rows are, in rows of one line."""
    return sum(max(map(_height, row), default=1.0) for row in rows)


def _head_width(cell: Cell) -> float:
    if isinstance(cell, MeasureName):
        return (min(len(short_name(cell.measure)), LONG_WORD) + 2) * HEAD_LETTER + GAP
    return _longest_word(cell) * HEAD_LETTER + GAP


def _height(cell: Cell) -> float:
    if isinstance(cell, MeasureName | Verdict):
        return TALL_ROW
    has_interval = isinstance(cell, Value | Estimate) and narrow_interval(cell)
    return TWO_LINE_ROW if has_interval else 1.0


def _width(cell: Cell, *, head: bool) -> float:
    match cell:
        case MeasureName():
            return MEASURE_HEAD
        case Verdict():
            return VERDICT_WIDTH
        case Value() | Estimate():
            number = len(cell_text(cell)) * LETTER
            return max(number, len(narrow_interval(cell)) * SMALL_LETTER) + GAP
        case PValue() | Interval() | DifferenceOf():
            return len(cell_text(cell)) * LETTER + GAP
        case _:
            lines = (1 if is_brief(cell) else MOST_LINES) if head else math.inf
            return max(_longest_word(cell), len(cell_text(cell)) / lines) * LETTER + GAP


def _longest_word(cell: Cell) -> int:
    """Count letters up to where a word may be broken; numbers are never broken."""
    longest = max(len(word) for word in cell_text(cell).split(" "))
    return min(longest, LONG_WORD) if isinstance(cell, str | Strong | Code) else longest
