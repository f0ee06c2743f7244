"""What a report is made of: blocks that say what is shown, not how it looks.

Numbers stay numbers here; only rendering turns them into text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from reportgen.measures import Measure
    from reportgen.report.charts import Chart
    from reportgen.report.inline import Inline, InlineText, MatrixCell, TableCell
    from reportgen.report.what_if import WhatIfData


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or several."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences of equal rank, or (numbered) one after the other."""

    items: tuple[Paragraph, ...]
    numbered: bool = False
    start: int = 1
    """The number of the first item, where items are numbered."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section; a section's own is of level 2."""

    text: str
    level: int = 3


@dataclass(frozen=True, slots=True)
class Note:
    """A remark that stands apart: to explain, or (warning) to be careful."""

    parts: tuple[Inline, ...]
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Column:
    """The head of a column; numbers are set to the right."""

    head: TableCell
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows under a common head (None: no head); the first cell of a row is its own head."""

    rows: tuple[tuple[TableCell, ...], ...]
    head: str | InlineText | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is unique within the report and names exported files.

    An empty caption is none.
    """

    name: str
    caption: str | InlineText
    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    note: Paragraph | None = None


@dataclass(frozen=True, slots=True)
class Matrix:
    """A confusion matrix: rows true, columns predicted."""

    name: str
    caption: str
    classes: tuple[str, ...]
    rows: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True, slots=True)
class Matrices:
    """Confusion matrices that belong side by side."""

    items: tuple[Matrix, ...]


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure is: everything else is read off the measure itself."""

    measure: Measure
    overall: bool = False


@dataclass(frozen=True, slots=True)
class Formulas:
    """Definitions of measures; the method of intervals is the one the spec asks for."""

    items: tuple[Definition, ...]
    interval_method: str = "recommended"
    brief: bool = False
    """Only what a measure asks and its formula: not when it is undefined, nor its source."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing; `reading` says in a sentence what it shows, also where nothing can be drawn."""

    name: str
    title: str
    chart: Chart
    description: Paragraph
    note: Paragraph | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """Text of a file, line by line."""

    text: str
    language: str = ""


Block: TypeAlias = (
    Paragraph | Bullets | Note | Table | Matrices | Formulas | Figure | Listing | Heading
)


class Chapter(StrEnum):
    """What a section is there for: the order in which readers ask."""

    SUMMARY = "The answer"
    RESULTS = "Details"
    METHODS = "Method and definitions"
    REPRODUCIBILITY = "Reproducing this report"


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A part of the report under a heading of its own."""

    kind: str
    title: str
    blocks: tuple[Block, ...]
    chapter: Chapter = Chapter.RESULTS


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """The whole report."""

    title: str
    subtitle: Paragraph
    sections: tuple[ReportSection, ...]
    colophon: Paragraph
    what_if: WhatIfData | None = None
    """What a page in a browser computes with; other formats have no use for it."""
