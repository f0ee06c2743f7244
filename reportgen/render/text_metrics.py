"""Estimates of the width and height of table cells before layout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.render.plain_text import (
    MAX_UNBROKEN_LETTERS,
    cell_text,
    compact_interval_text,
    short_measure_name,
)
from reportgen.report.inline import (
    Estimate,
    InlineCode,
    Interval,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PValue,
    Strong,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.report.document import Table
    from reportgen.report.inline import TableCell

# Widths in ems of the type: a letter, one of an interval, and the space around a column.
LETTER_WIDTH, HEAD_LETTER_WIDTH, SMALL_LETTER_WIDTH, COLUMN_GAP = 0.57, 0.54, 0.5, 1.0
MEASURE_HEAD_WIDTH, VERDICT_WIDTH = 14.0, 9.0
# A long head of a row has at most so many lines.
MAX_ROW_HEAD_LINES = 3
# Heights in rows of one line: a badge or a measure's head, and a value over its interval.
TALL_ROW_HEIGHT, TWO_LINE_ROW_HEIGHT = 2.2, 1.6


def is_short_row_head(cell: TableCell) -> bool:
    """Return whether a row head is short enough for one line."""
    return isinstance(cell, str | Strong) and len(cell_text(cell)) <= MAX_UNBROKEN_LETTERS


def estimate_column_widths(table: Table) -> list[float]:
    """Estimate the minimum width of each column, in ems."""
    rows = [row for group in table.groups for row in group.rows]
    return [
        max(
            [
                _head_width(column.head),
                *(_cell_width(row[index], is_head=index == 0) for row in rows),
            ]
        )
        for index, column in enumerate(table.columns)
    ]


def estimate_rows_height(rows: Sequence[Sequence[TableCell]]) -> float:
    """Estimate the height of rows, in rows of one line."""
    return sum(max(map(_cell_height, row), default=1.0) for row in rows)


def _head_width(cell: TableCell) -> float:
    if isinstance(cell, MeasureName):
        return (
            min(len(short_measure_name(cell.measure)), MAX_UNBROKEN_LETTERS) + 2
        ) * HEAD_LETTER_WIDTH + COLUMN_GAP
    return _longest_word_length(cell) * HEAD_LETTER_WIDTH + COLUMN_GAP


def _cell_height(cell: TableCell) -> float:
    if isinstance(cell, MeasureName | VerdictBadge):
        return TALL_ROW_HEIGHT
    has_interval = isinstance(cell, MeasureEstimate | Estimate) and compact_interval_text(cell)
    return TWO_LINE_ROW_HEIGHT if has_interval else 1.0


def _cell_width(cell: TableCell, *, is_head: bool) -> float:
    match cell:
        case MeasureName():
            return MEASURE_HEAD_WIDTH
        case VerdictBadge():
            return VERDICT_WIDTH
        case MeasureEstimate() | Estimate():
            number = len(cell_text(cell)) * LETTER_WIDTH
            return max(number, len(compact_interval_text(cell)) * SMALL_LETTER_WIDTH) + COLUMN_GAP
        case PValue() | Interval() | MeasureDifference():
            return len(cell_text(cell)) * LETTER_WIDTH + COLUMN_GAP
        case _:
            lines = (1 if is_short_row_head(cell) else MAX_ROW_HEAD_LINES) if is_head else math.inf
            return (
                max(_longest_word_length(cell), len(cell_text(cell)) / lines) * LETTER_WIDTH
                + COLUMN_GAP
            )


def _longest_word_length(cell: TableCell) -> int:
    """Return the length of the longest unbreakable part of a cell; numbers are never broken."""
    longest = max(len(word) for word in cell_text(cell).split(" "))
    return (
        min(longest, MAX_UNBROKEN_LETTERS)
        if isinstance(cell, str | Strong | InlineCode)
        else longest
    )
