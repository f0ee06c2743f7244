"""The sentence that says what the ranges beside values are: once, under the first such table."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.report.document import Paragraph, Table
from reportgen.report.parts import Value
from reportgen.report.words.level import level_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.report.document import Block, Section
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Plain


def with_interval_note(sections: Sequence[Section], evaluation: Evaluation) -> tuple[Section, ...]:
    """Add to the first table with intervals what they are and where their methods are named."""
    level = level_of(evaluation)
    told = next((section.title for section in sections if section.kind == "method"), None)
    noted: list[Section] = []
    for at, section in enumerate(sections):
        place = next((at for at, block in enumerate(section.blocks) if _has_intervals(block)), None)
        if place is None:
            noted.append(section)
            continue
        blocks = list(section.blocks)
        blocks[place] = _noted(blocks[place], level, told)
        return (*noted, replace(section, blocks=tuple(blocks)), *sections[at + 1 :])
    return tuple(noted)


def _has_intervals(block: Block) -> bool:
    return isinstance(block, Table) and any(
        isinstance(cell, Value) and cell.score.interval is not None
        for group in block.groups
        for row in group.rows
        for cell in row
    )


def _noted(block: Block, level: Plain, told: str | None) -> Block:
    if not isinstance(block, Table):
        return block
    methods = (
        f"“{told}” names the method of each measure, results.json that of every value."
        if told
        else "results.json names the method of every value."
    )
    said = ("The range with a value is its ", level, f" interval. {methods}")
    before = (*block.note.parts, " ") if block.note else ()
    return replace(block, note=Paragraph((*before, *said)))
