"""Document model of a report: sections made of blocks, independent of the output format.

Numbers stay numbers here; only rendering turns them into text.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from reportgen.measures import Measure
    from reportgen.report.charts import Chart
    from reportgen.report.inline import Inline, InlineText, MatrixCell, TableCell, Tone
    from reportgen.report.what_if import WhatIfData


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One or more sentences."""

    parts: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Bullets:
    """A bullet list, or a numbered one."""

    items: tuple[Paragraph, ...]
    numbered: bool = False
    start: int = 1
    """The number of the first item, where items are numbered."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a section; the title of a section has level 2."""

    text: str
    level: int = 3


@dataclass(frozen=True, slots=True)
class Note:
    """A call-out: an explanation, or a caution (`warning`)."""

    parts: tuple[Inline, ...]
    warning: bool = False


@dataclass(frozen=True, slots=True)
class Callout:
    """The answer of page one, such as the recommendation: a title and what stands behind it."""

    title: tuple[Inline, ...]
    paragraphs: tuple[Paragraph, ...]
    tone: Tone


@dataclass(frozen=True, slots=True)
class Tile:
    """A main value in large type, under its label, with lines that put it in context."""

    label: tuple[Inline, ...]
    value: tuple[Inline, ...]
    lines: tuple[Paragraph, ...] = ()


@dataclass(frozen=True, slots=True)
class Tiles:
    """Main values side by side."""

    items: tuple[Tile, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column head; numeric columns are aligned right.

    `group_heads`: heads above it, outermost first; equal ones of adjacent columns are one head.
    """

    head: TableCell
    numeric: bool = False
    group_heads: tuple[TableCell, ...] = ()


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows under a common head (None: no head); the first cell of a row is its own head."""

    rows: tuple[tuple[TableCell, ...], ...]
    head: str | InlineText | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `name` is unique within the report and names exported files.

    An empty caption means no caption and no number.
    """

    name: str
    caption: str | InlineText
    columns: tuple[Column, ...]
    groups: tuple[RowGroup, ...]
    note: Paragraph | None = None
    number: str = ""

    @property
    def label(self) -> str:
        """How the table is cited: "Table 3", or empty."""
        return f"Table {self.number}" if self.number else ""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A confusion matrix: rows true, columns predicted.

    The last classes have no row if no case is truly of them, as of the class of unanswered cases.
    """

    name: str
    caption: str
    classes: tuple[str, ...]
    rows: tuple[tuple[MatrixCell, ...], ...]


@dataclass(frozen=True, slots=True)
class Matrices:
    """Confusion matrices, side by side, with a number in common."""

    items: tuple[Matrix, ...]
    number: str = ""

    @property
    def label(self) -> str:
        """How the matrices are cited: "Table 3", or empty."""
        return f"Table {self.number}" if self.number else ""


@dataclass(frozen=True, slots=True)
class Definition:
    """The definition of a measure to be printed; `overall`: with its formula over all classes."""

    measure: Measure
    overall: bool = False


@dataclass(frozen=True, slots=True)
class Formulas:
    """Definitions of measures, with the confidence-interval method of the spec."""

    items: tuple[Definition, ...]
    interval_method: str = "recommended"
    brief: bool = False
    """Only the question and the formula: not when it is undefined, nor its source."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart; `description` states its content in words, also where nothing can be drawn."""

    name: str
    title: str
    chart: Chart
    description: Paragraph
    note: Paragraph | None = None
    number: str = ""
    # The height of the plots as a share of their full height, chosen for the pages of a PDF.
    height_scale: float = 1.0

    @property
    def label(self) -> str:
        """How the figure is cited: "Figure 2", or empty."""
        return f"Figure {self.number}" if self.number else ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Text of a file, line by line."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that the page folds under a sentence, which states what they show.

    Other formats have them in full detail only, and so does the page of such a report unfold them.
    """

    summary: Paragraph
    blocks: tuple[Block, ...]


Block: TypeAlias = (
    Paragraph
    | Bullets
    | Note
    | Callout
    | Tiles
    | Table
    | Matrices
    | Formulas
    | Figure
    | Listing
    | Heading
    | Details
)


class Chapter(StrEnum):
    """The chapters of a report, in their order."""

    SUMMARY = "Summary"
    RESULTS = "Results"
    METHODS = "Methods and definitions"
    REPRODUCIBILITY = "Reproducibility"


@dataclass(frozen=True, slots=True)
class ReportSection:
    """A section of the report under its heading."""

    kind: str
    title: str
    blocks: tuple[Block, ...]
    chapter: Chapter = Chapter.RESULTS


@dataclass(frozen=True, slots=True)
class DocumentMetadata:
    """What the report is about: for the title block and the metadata of the files."""

    description: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    """The date in ISO format, as in 2026-11-17."""
    version: str = ""
    data: str = ""


@dataclass(frozen=True, slots=True)
class ReportDocument:
    """A report: title, sections, colophon and the data of the interactive page."""

    title: str
    subtitle: Paragraph
    sections: tuple[ReportSection, ...]
    colophon: Paragraph
    what_if: WhatIfData | None = None
    """The data of the interactive page; other formats ignore it."""
    metadata: DocumentMetadata = DocumentMetadata()


def iter_blocks(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield all blocks, with those of details in the place of the details."""
    for block in blocks:
        if isinstance(block, Details):
            yield from iter_blocks(block.blocks)
        else:
            yield block


def omit_details(report: ReportDocument) -> ReportDocument:
    """Return the report without details, and without sections that have nothing else."""
    sections = (
        replace(
            section,
            blocks=tuple(block for block in section.blocks if not isinstance(block, Details)),
        )
        for section in report.sections
    )
    return replace(report, sections=tuple(section for section in sections if section.blocks))
