"""Tables made to fit a page: how wide they are, and where they are parted."""

from __future__ import annotations

import math
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.rendering.numbers import count_text
from reportgen.rendering.sizes import height_of, widths_of
from reportgen.report.document import Paragraph, Report, RowGroup, Section, Table
from reportgen.report.parts import Words

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from reportgen.report.document import Block, Matrix

# Nobody reads more on paper, and layout takes minutes; whoever needs all rows finds them attached.
MOST_ROWS, MOST_CELLS = 200, 3000
MOST_ROWS_OF_A_PAGE = 2000
# Heights in rows of one line: a table worth moving, a group that a page holds.
SHORT_TABLE, FULL_PAGE = 7, 28
FEW_CLASSES, LONG_NAME = 4, 14


class Fit(StrEnum):
    """How a table is set so that it fits; each member is a class of the stylesheet."""

    ROOMY = "roomy"
    SMALL = "small"
    LANDSCAPE = "landscape"


@frozen
class Capacity:
    """How many ems of its type a table has in its fit."""

    fit: Fit
    ems: float


CAPACITIES = (Capacity(Fit.ROOMY, 56), Capacity(Fit.SMALL, 66), Capacity(Fit.LANDSCAPE, 98))


def fit_of(table: Table) -> Fit:
    """Choose the most comfortable setting a table fits in."""
    width = sum(widths_of(table))
    return next((room.fit for room in CAPACITIES if width <= room.ems), Fit.LANDSCAPE)


def stays_together(group: RowGroup) -> bool:
    """Tell whether the rows under a head fit on one page."""
    return group.head is not None and height_of(group.rows) <= FULL_PAGE


def is_short(table: Table) -> bool:
    """Tell whether a table is better moved to the next page than parted between pages."""
    return sum(height_of(group.rows) for group in table.groups) <= SHORT_TABLE


def needs_landscape(section: Section) -> bool:
    """Tell whether a table in a section is too wide for an upright page."""
    return any(
        isinstance(block, Table) and fit_of(block) is Fit.LANDSCAPE for block in section.blocks
    )


def is_numbered(matrix: Matrix) -> bool:
    """Tell whether the names of classes are too long to stand over columns."""
    return len(matrix.classes) > FEW_CLASSES and max(map(len, matrix.classes)) > LONG_NAME


def class_heads(matrix: Matrix) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the heads of columns and of rows: the names, or numbers and what they stand for."""
    if not is_numbered(matrix):
        return matrix.classes, matrix.classes
    numbers = tuple(str(number) for number in range(1, len(matrix.classes) + 1))
    named = zip(numbers, matrix.classes, strict=True)
    return numbers, tuple(f"{number}. {name}" for number, name in named)


def fitted(report: Report) -> Report:
    """Part what is too wide for a sheet of paper and cut what is too long for it."""
    return _with_blocks(report, lambda block: _parts(block, _cut_for_paper))


def parted(report: Report) -> Report:
    """Part what is too wide for a sheet of paper and keep all rows."""
    return _with_blocks(report, lambda block: _parts(block, lambda table: table))


def shortened(report: Report) -> Report:
    """Cut what is too long for a page in a browser."""
    return _with_blocks(report, lambda block: [_cut_for_browser(block)])


def _with_blocks(report: Report, change: Callable[[Block], Iterable[Block]]) -> Report:
    return replace(
        report,
        sections=tuple(
            replace(
                section,
                blocks=tuple(part for block in section.blocks for part in change(block)),
            )
            for section in report.sections
        ),
    )


def _cut_for_browser(block: Block) -> Block:
    if not isinstance(block, Table):
        return block
    return _cut(block, MOST_ROWS_OF_A_PAGE, "results.json has them all.")


def _cut_for_paper(table: Table) -> Table:
    most = min(MOST_ROWS, MOST_CELLS // len(table.columns))
    return _cut(_with_heads_repeated(table), most, "the attached results.json has them all.")


def _parts(block: Block, cut: Callable[[Table], Table]) -> Iterator[Block]:
    if isinstance(block, Table):
        yield from _parted(cut(block))
    else:
        yield block


def _cut(table: Table, most: int, elsewhere: str) -> Table:
    total = sum(len(group.rows) for group in table.groups)
    if total <= most:
        return table
    left, groups = most, list[RowGroup]()
    for group in table.groups:
        groups.append(replace(group, rows=group.rows[:left]))
        left -= len(groups[-1].rows)
    shown = f"The first {count_text(most)} of {count_text(total)} rows; {elsewhere} "
    note = Paragraph((shown, *(table.note.parts if table.note else ())))
    return replace(table, groups=tuple(group for group in groups if group.rows), note=note)


def _with_heads_repeated(table: Table) -> Table:
    """Part groups that no page holds, so that each page says whose rows it shows."""
    return replace(table, groups=tuple(part for group in table.groups for part in _pages(group)))


def _pages(group: RowGroup) -> Iterator[RowGroup]:
    number = math.ceil(height_of(group.rows) / FULL_PAGE) if group.head is not None else 1
    rows = math.ceil(len(group.rows) / max(number, 1))
    yield replace(group, rows=group.rows[:rows])
    for start in range(rows, len(group.rows), max(rows, 1)):
        yield RowGroup(group.rows[start : start + rows], _with(group.head, ", continued"))


def _with(head: str | Words | None, more: str) -> Words:
    """Return a head with more words after it."""
    before = head.parts if isinstance(head, Words) else (head or "",)
    return Words((*before, more))


def _parted(table: Table) -> Iterator[Table]:
    """Part a table between columns, each part with the heads of its rows."""
    chunks = list(_chunks(widths_of(table), CAPACITIES[-1].ems))
    if len(chunks) == 1:
        yield table
        return
    for number, (start, stop) in enumerate(chunks, 1):
        yield replace(
            table,
            name=table.name if number == 1 else f"{table.name}-{number}",
            caption=_with(table.caption, f" (part {number} of {len(chunks)})"),
            columns=(table.columns[0], *table.columns[start:stop]),
            groups=tuple(
                replace(group, rows=tuple((row[0], *row[start:stop]) for row in group.rows))
                for group in table.groups
            ),
            note=table.note if number == len(chunks) else None,
        )


def _chunks(widths: Sequence[float], room: float) -> Iterator[tuple[int, int]]:
    """Part columns, after the first, into runs of about equal width that fit."""
    head, rest = widths[0], widths[1:]
    total = sum(rest)
    parts = max(1, math.ceil(total / max(room - head, max(rest, default=1))))
    start, used = 1, 0.0
    for at, width in enumerate(rest, 1):
        if at > start and used + width / 2 > total / parts:
            yield start, at
            start, used = at, 0.0
        used += width
    yield start, len(widths)
