"""Fitting tables to pages: font size, landscape pages, splitting by columns and rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.render.number_format import format_frequency
from reportgen.render.plain_text import (
    MAX_UNBROKEN_LETTERS,
    cell_text,
    interval_text,
    short_measure_name,
)
from reportgen.report.document import (
    Details,
    Paragraph,
    ReportDocument,
    RowGroup,
    Table,
    omit_details,
)
from reportgen.report.inline import (
    CellGroup,
    Estimate,
    InlineCode,
    InlineText,
    Interval,
    MeasureDifference,
    MeasureEstimate,
    MeasureName,
    PValue,
    RankRange,
    Strong,
    VerdictBadge,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reportgen.report.document import Block, Matrix
    from reportgen.report.inline import TableCell


# Estimates of the width and height of table cells before layout.

# Widths in ems of the type: a letter, one of an interval, and the space around a column.
LETTER_WIDTH, HEAD_LETTER_WIDTH, SMALL_LETTER_WIDTH, COLUMN_GAP = 0.57, 0.54, 0.54, 0.8
MEASURE_HEAD_WIDTH, VERDICT_WIDTH = 14.0, 9.0
# Ranks with the value above them, on one line with their bar, and a mark of one symbol.
RANK_WIDTH, RANK_LINE_WIDTH, MARK_WIDTH = 4.7, 6.6, 1.9
# Heights in rows of one line: a value over its bar and its ranks.
RANK_HEIGHT = 2.6
# A long head of a row has at most so many lines.
MAX_ROW_HEAD_LINES = 3
# Heights in rows of one line: a badge or a measure's head, and a value over its interval.
TALL_ROW_HEIGHT, TWO_LINE_ROW_HEIGHT = 2.2, 1.6


# On paper a table of few columns has room for longer heads of rows on one line.
_FEW_COLUMNS, _MAX_ROW_HEAD_LETTERS = 6, 20


def is_short_row_head(cell: TableCell, columns: int | None = None) -> bool:
    """Return whether a row head is short enough for one line.

    Args:
        cell: The head of the row.
        columns: The number of columns of a table on paper.
    """
    has_room = columns is not None and columns <= _FEW_COLUMNS
    longest = _MAX_ROW_HEAD_LETTERS if has_room else MAX_UNBROKEN_LETTERS
    return isinstance(cell, str | Strong) and len(cell_text(cell)) <= longest


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
    if isinstance(cell, CellGroup):
        return 0.0
    return _longest_word_length(cell) * HEAD_LETTER_WIDTH + COLUMN_GAP


def group_head_rows(table: Table) -> list[list[tuple[TableCell, int]]]:
    """Return the rows of heads above the column heads: each head with its number of columns."""
    levels = max((len(column.group_heads) for column in table.columns), default=0)
    rows: list[list[tuple[TableCell, int]]] = []
    for level in range(levels):
        row: list[tuple[TableCell, int]] = []
        previous: tuple[TableCell, ...] | None = None
        for column in table.columns:
            heads = column.group_heads[: level + 1]
            if heads and heads == previous:
                row[-1] = (row[-1][0], row[-1][1] + 1)
            else:
                row.append((heads[level] if len(heads) > level else None, 1))
            previous = heads
        rows.append(row)
    return rows


def _cell_height(cell: TableCell) -> float:
    if isinstance(cell, MeasureName | VerdictBadge):
        return TALL_ROW_HEIGHT
    if isinstance(cell, RankRange):
        return RANK_HEIGHT if cell.estimate else 1.0
    if isinstance(cell, CellGroup):
        heights = [1.0 if cell.in_row else _cell_height(item) for item in cell.items]
        return max(heights) if cell.in_row else sum(heights)
    has_interval = isinstance(cell, MeasureEstimate | Estimate) and interval_text(cell)
    return TWO_LINE_ROW_HEIGHT if has_interval else 1.0


def _cell_width(cell: TableCell, *, is_head: bool) -> float:
    match cell:
        case MeasureName():
            return MEASURE_HEAD_WIDTH
        case VerdictBadge(alternative_text=alternative_text):
            mark = max(MARK_WIDTH, len(cell_text(cell)) * SMALL_LETTER_WIDTH + 0.8)
            return mark if alternative_text else VERDICT_WIDTH
        case RankRange(estimate=estimate):
            return RANK_WIDTH if estimate else RANK_LINE_WIDTH
        case CellGroup(items=items, in_row=in_row):
            widths = [_group_item_width(item) for item in items]
            return (sum(widths) if in_row else max(widths)) + COLUMN_GAP
        case MeasureEstimate() | Estimate():
            number = len(cell_text(cell)) * LETTER_WIDTH
            return max(number, len(interval_text(cell)) * SMALL_LETTER_WIDTH) + COLUMN_GAP
        case PValue() | Interval() | MeasureDifference():
            return len(cell_text(cell)) * LETTER_WIDTH + COLUMN_GAP
        case _:
            lines = (1 if is_short_row_head(cell) else MAX_ROW_HEAD_LINES) if is_head else math.inf
            # Longer heads take more lines: no table is turned for their sake.
            letters = min(len(cell_text(cell)) / lines, _MAX_ROW_HEAD_LETTERS)
            return max(_longest_word_length(cell), letters) * LETTER_WIDTH + COLUMN_GAP


def _group_item_width(item: TableCell) -> float:
    """Estimate the width of an element of a cell: values are without interval."""
    if isinstance(item, MeasureEstimate):
        return len(cell_text(item)) * LETTER_WIDTH
    if isinstance(item, VerdictBadge) and not item.alternative_text:
        return RANK_LINE_WIDTH
    return _cell_width(item, is_head=False)


def _longest_word_length(cell: TableCell) -> int:
    """Return the length of the longest unbreakable part of a cell; numbers are never broken."""
    longest = max(len(word) for word in cell_text(cell).split(" "))
    return (
        min(longest, MAX_UNBROKEN_LETTERS)
        if isinstance(cell, str | Strong | InlineCode)
        else longest
    )


# Layout of longer tables takes minutes; the attached results.json has all rows.
MAX_PDF_ROWS, MAX_PDF_CELLS = 200, 3000
MAX_HTML_ROWS = 2000
# In rows of one line: the largest table moved as a whole, without and with groups (between which
# it may be broken), and the largest group on one page.
MAX_UNBROKEN_HEIGHT, MAX_UNBROKEN_GROUPS_HEIGHT, PAGE_HEIGHT = 16, 10, 28
MAX_NAMED_COLUMNS, MAX_CLASS_NAME_LENGTH = 4, 14


class TableFit(StrEnum):
    """How a table is fitted to the page; the values are CSS classes."""

    REGULAR = "roomy"
    SMALL = "small"
    LANDSCAPE = "landscape"


@dataclass(frozen=True, slots=True)
class FitCapacity:
    """The width available to a table, in ems of its font size."""

    fit: TableFit
    width_em: float


FIT_CAPACITIES = (
    FitCapacity(TableFit.REGULAR, 58),
    FitCapacity(TableFit.SMALL, 63),
    FitCapacity(TableFit.LANDSCAPE, 93),
)


def choose_table_fit(table: Table) -> TableFit:
    """Return the fit with the largest font in which the table is not too wide."""
    width = sum(estimate_column_widths(table))
    return next(
        (capacity.fit for capacity in FIT_CAPACITIES if width <= capacity.width_em),
        TableFit.LANDSCAPE,
    )


def fits_one_page(group: RowGroup) -> bool:
    """Return whether the rows of a group fit on one page."""
    return group.head is not None and estimate_rows_height(group.rows) <= PAGE_HEIGHT


def is_short_table(table: Table) -> bool:
    """Return whether a table is short enough to be kept on one page."""
    height = sum(estimate_rows_height(group.rows) for group in table.groups)
    is_grouped = len(table.groups) > 1
    return height <= (MAX_UNBROKEN_GROUPS_HEIGHT if is_grouped else MAX_UNBROKEN_HEIGHT)


def has_numbered_classes(matrix: Matrix) -> bool:
    """Return whether the class names are too long for column heads, which are numbers then."""
    return (
        len(matrix.classes) > MAX_NAMED_COLUMNS
        and max(map(len, matrix.classes)) > MAX_CLASS_NAME_LENGTH
    )


def matrix_heads(matrix: Matrix) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the heads of columns and rows: class names, or numbers and numbered class names.

    A column without a row, that of cases without an answer, keeps its name.
    """
    if not has_numbered_classes(matrix):
        return matrix.classes, matrix.classes[: len(matrix.rows)]
    numbers = tuple(str(number) for number in range(1, len(matrix.classes) + 1))
    numbered_classes = zip(numbers, matrix.classes, strict=True)
    row_heads = tuple(f"{number}. {name}" for number, name in numbered_classes)
    n_rows = len(matrix.rows)
    return (*numbers[:n_rows], *matrix.classes[n_rows:]), row_heads[:n_rows]


def paginate(report: ReportDocument) -> ReportDocument:
    """Return the report for the PDF.

    Details are omitted, tables split that are too wide, and truncated that are too long.
    """
    return _map_blocks(omit_details(report), lambda block: _split_block(block, _truncate_for_pdf))


def split_wide_tables(report: ReportDocument) -> ReportDocument:
    """Return the report with tables split that are too wide; all rows are kept."""
    return _map_blocks(report, lambda block: _split_block(block, lambda table: table))


def truncate_long_tables(report: ReportDocument) -> ReportDocument:
    """Return the report with tables truncated that are too long for a browser."""
    return _map_blocks(report, lambda block: [_truncate_for_html(block)])


def _map_blocks(
    report: ReportDocument, transform: Callable[[Block], Iterable[Block]]
) -> ReportDocument:
    return replace(
        report,
        sections=tuple(
            replace(
                section,
                blocks=tuple(part for block in section.blocks for part in transform(block)),
            )
            for section in report.sections
        ),
    )


def _truncate_for_html(block: Block) -> Block:
    if isinstance(block, Details):
        return replace(block, blocks=tuple(map(_truncate_for_html, block.blocks)))
    if not isinstance(block, Table):
        return block
    return _truncate_rows(block, MAX_HTML_ROWS, "results.json has them all.")


def _truncate_for_pdf(table: Table) -> Table:
    max_rows = min(MAX_PDF_ROWS, MAX_PDF_CELLS // len(table.columns))
    return _truncate_rows(
        _repeat_group_heads(table), max_rows, "the attached results.json has them all."
    )


def _split_block(block: Block, truncate: Callable[[Table], Table]) -> Iterator[Block]:
    if isinstance(block, Table):
        yield from _split_columns(truncate(block))
    else:
        yield block


def _truncate_rows(table: Table, max_rows: int, full_data_hint: str) -> Table:
    total = sum(len(group.rows) for group in table.groups)
    if total <= max_rows:
        return table
    remaining, groups = max_rows, list[RowGroup]()
    for group in table.groups:
        groups.append(replace(group, rows=group.rows[:remaining]))
        remaining -= len(groups[-1].rows)
    limit, size = format_frequency(max_rows), format_frequency(total)
    displayed = f"The first {limit} of {size} rows; {full_data_hint} "
    note = Paragraph((displayed, *(table.note.parts if table.note else ())))
    return replace(table, groups=tuple(group for group in groups if group.rows), note=note)


def _repeat_group_heads(table: Table) -> Table:
    """Split groups longer than a page, so that each page has the head of its rows."""
    return replace(
        table, groups=tuple(part for group in table.groups for part in _split_group(group))
    )


def _split_group(group: RowGroup) -> Iterator[RowGroup]:
    number = (
        math.ceil(estimate_rows_height(group.rows) / PAGE_HEIGHT) if group.head is not None else 1
    )
    rows = math.ceil(len(group.rows) / max(number, 1))
    yield replace(group, rows=group.rows[:rows])
    for start in range(rows, len(group.rows), max(rows, 1)):
        yield RowGroup(group.rows[start : start + rows], _append_text(group.head, ", continued"))


def _append_text(head: str | InlineText | None, suffix: str) -> InlineText:
    """Return a head with text appended."""
    existing = head.parts if isinstance(head, InlineText) else (head or "",)
    return InlineText((*existing, suffix))


def _split_columns(table: Table) -> Iterator[Table]:
    """Split a table by columns; each part repeats the row heads."""
    chunks = list(_column_chunks(estimate_column_widths(table), FIT_CAPACITIES[-1].width_em))
    if len(chunks) == 1:
        yield table
        return
    for number, (start, stop) in enumerate(chunks, 1):
        yield replace(
            table,
            name=table.name if number == 1 else f"{table.name}-{number}",
            caption=_append_text(table.caption, f" (part {number} of {len(chunks)})"),
            columns=(table.columns[0], *table.columns[start:stop]),
            groups=tuple(
                replace(group, rows=tuple((row[0], *row[start:stop]) for row in group.rows))
                for group in table.groups
            ),
            note=table.note if number == len(chunks) else None,
        )


def _column_chunks(widths: Sequence[float], max_width: float) -> Iterator[tuple[int, int]]:
    """Yield ranges of columns after the first, of about equal width, that fit the page."""
    head, rest = widths[0], widths[1:]
    total = sum(rest)
    count = max(1, math.ceil(total / max(max_width - head, max(rest, default=1))))
    start, used = 1, 0.0
    for index, width in enumerate(rest, 1):
        if index > start and used + width / 2 > total / count:
            yield start, index
            start, used = index, 0.0
        used += width
    yield start, len(widths)
