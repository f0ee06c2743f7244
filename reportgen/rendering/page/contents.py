"""The contents of a report, in columns as even as they can be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.document import Report


@frozen
class Entry:
    """A line of the contents: a section with its anchor, or the head of a chapter without one."""

    text: str
    anchor: str | None = None


def contents_of(report: Report, anchors: Sequence[str], columns: int) -> list[list[Entry]]:
    """Return the entries by column: as few lines as fit, and no chapter's head at the foot."""
    # Not left to the stylesheet: WeasyPrint balances columns by laying them out again and again.
    entries = list(_entries(report, anchors))
    lines = -(-len(entries) // columns)
    while len(filled := _filled(entries, lines)) > columns:
        lines += 1
    return filled


def _entries(report: Report, anchors: Sequence[str]) -> Iterator[Entry]:
    chapter = None
    for section, anchor in zip(report.sections, anchors, strict=True):
        if section.chapter is not chapter:
            chapter = section.chapter
            yield Entry(chapter.value)
        yield Entry(section.title, anchor)


def _filled(entries: Sequence[Entry], lines: int) -> list[list[Entry]]:
    columns: list[list[Entry]] = [[]]
    for entry in entries:
        # A head needs room for the section under it.
        if len(columns[-1]) + (entry.anchor is None) >= lines and columns[-1]:
            columns.append([])
        columns[-1].append(entry)
    return columns
