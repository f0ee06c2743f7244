"""Tables made to fit a page: how wide they are, and where they are parted."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from reportgen.rendering.fragments import LONG_WORD
from reportgen.rendering.numbers import count_text
from reportgen.rendering.texts import cell_text, short_name
from reportgen.report.document import (
    Code,
    Column,
    Count,
    Matrices,
    Matrix,
    MeasureName,
    Paragraph,
    Report,
    RowGroup,
    Section,
    Strong,
    Table,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.document import Block, Cell

# Layout takes minutes for thousands of rows; whoever needs them all finds them attached.
MOST_CELLS = 3000
MANY_CLASSES, MOST_CLASSES = 12, 24
# Widths in ems of the type: a letter, and the space around a column.
LETTER, HEAD_LETTER, GAP = 0.57, 0.54, 1.0
MEASURE_HEAD, VERDICT_WIDTH = 14.0, 9.0
MATRIX_LETTER, MATRIX_GAP, MATRIX_ROOM = 0.5, 0.8, 71
SHORT_TABLE, SMALL_GROUP = 16, 5


class Fit(StrEnum):
    """How a table is set so that it fits; each member is a class of the stylesheet."""

    ROOMY = "roomy"
    SMALL = "small"
    LANDSCAPE = "landscape"


@dataclass(frozen=True, slots=True)
class Capacity:
    """How many ems of its type a table has in its fit."""

    fit: Fit
    ems: float


CAPACITIES = (Capacity(Fit.ROOMY, 56), Capacity(Fit.SMALL, 66), Capacity(Fit.LANDSCAPE, 98))


def fit_of(table: Table) -> Fit:
    """Choose the most comfortable setting a table fits in."""
    width = sum(_widths(table))
    return next((room.fit for room in CAPACITIES if width <= room.ems), Fit.LANDSCAPE)


def is_brief(cell: Cell) -> bool:
    """Tell whether the head of a row is so short that it should stay in one line."""
    return isinstance(cell, str | Strong) and len(cell_text(cell)) <= LONG_WORD


def stays_together(group: RowGroup) -> bool:
    """Tell whether the rows under a head are few enough to stay on one page."""
    return group.head is not None and len(group.rows) <= SMALL_GROUP


def is_short(table: Table) -> bool:
    """Tell whether a table is better moved to the next page than parted between pages."""
    rows = [row for group in table.groups for row in group.rows]
    tall = sum(any(isinstance(cell, MeasureName | Verdict) for cell in row) for row in rows)
    return len(rows) + tall <= SHORT_TABLE


def needs_landscape(section: Section) -> bool:
    """Tell whether anything in a section is too wide for an upright page."""
    return any(
        (isinstance(block, Table) and fit_of(block) is Fit.LANDSCAPE)
        or (isinstance(block, Matrices) and any(map(_is_wide, block.items)))
        for block in section.blocks
    )


def is_dense(matrix: Matrix) -> bool:
    """Tell whether a matrix has too many classes to show shares in figures."""
    return len(matrix.classes) > MANY_CLASSES


def fitted(report: Report) -> Report:
    """Part what is too wide for a page and cut what is too long for it."""
    return replace(
        report,
        sections=tuple(
            replace(
                section,
                blocks=tuple(part for block in section.blocks for part in _parts(block)),
            )
            for section in report.sections
        ),
    )


def _is_wide(matrix: Matrix) -> bool:
    names = max(_longest_word(name) for name in matrix.classes)
    figures = max(len(count_text(cell.count)) for row in matrix.rows for cell in row)
    column = max(names, figures) * MATRIX_LETTER + MATRIX_GAP
    return column * (len(matrix.classes) + 1) > MATRIX_ROOM


def _parts(block: Block) -> Iterator[Block]:
    match block:
        case Table():
            yield from _parted(_cut(block))
        case Matrices(items=items):
            few = tuple(item for item in items if len(item.classes) <= MOST_CLASSES)
            if few:
                yield Matrices(few)
            for item in items:
                if item not in few:
                    yield from _parted(_cut(_as_table(item)))
        case _:
            yield block


def _cut(table: Table) -> Table:
    most = MOST_CELLS // len(table.columns)
    total = sum(len(group.rows) for group in table.groups)
    if total <= most:
        return table
    left, groups = most, list[RowGroup]()
    for group in table.groups:
        groups.append(replace(group, rows=group.rows[:left]))
        left -= len(groups[-1].rows)
    missing = (
        f"The first {count_text(most)} of {count_text(total)} rows;"
        " the page and the attached results.json hold the rest. "
    )
    note = Paragraph((missing, *(table.note.parts if table.note else ())))
    return replace(table, groups=tuple(group for group in groups if group.rows), note=note)


def _parted(table: Table) -> Iterator[Table]:
    """Part a table between columns, each part with the heads of its rows."""
    chunks = list(_chunks(_widths(table), CAPACITIES[-1].ems))
    if len(chunks) == 1:
        yield table
        return
    for number, (start, stop) in enumerate(chunks, 1):
        yield replace(
            table,
            name=table.name if number == 1 else f"{table.name}-{number}",
            caption=f"{table.caption} (part {number} of {len(chunks)})",
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


def _as_table(matrix: Matrix) -> Table:
    """Write a matrix of many classes as a table, which can be parted between columns."""
    return Table(
        name=f"matrix-{matrix.name}",
        caption=f"{matrix.caption}: true classes below, predicted classes beside",
        columns=(Column("true"), *(Column(name, numeric=True) for name in matrix.classes)),
        groups=(
            RowGroup(
                tuple(
                    (name, *(Count(cell.count) for cell in row))
                    for name, row in zip(matrix.classes, matrix.rows, strict=True)
                )
            ),
        ),
    )


def _widths(table: Table) -> list[float]:
    rows = [row for group in table.groups for row in group.rows]
    return [
        max([_head_width(column.head), *(_width(row[at], head=at == 0) for row in rows)])
        for at, column in enumerate(table.columns)
    ]


def _head_width(cell: Cell) -> float:
    if isinstance(cell, MeasureName):
        return (min(len(short_name(cell.measure)), LONG_WORD) + 2) * HEAD_LETTER + GAP
    return _longest_word(cell) * HEAD_LETTER + GAP


def _width(cell: Cell, *, head: bool) -> float:
    match cell:
        case MeasureName():
            return MEASURE_HEAD
        case Verdict():
            return VERDICT_WIDTH
        case _:
            letters = len(cell_text(cell)) if head and is_brief(cell) else _longest_word(cell)
            return letters * LETTER + GAP


def _longest_word(cell: Cell) -> int:
    """Count letters up to where a word may be broken; numbers are never broken."""
    longest = max(len(word) for word in cell_text(cell).split(" "))
    return min(longest, LONG_WORD) if isinstance(cell, str | Strong | Code) else longest
