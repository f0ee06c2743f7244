"""The wording of a report as plain text: titles, sentences, captions, heads and axes.

Numbers are masked, because the goldens of results.json cover them.
"""

from __future__ import annotations

import re
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.render.plain_text import cell_text
from reportgen.report.charts import (
    DotPlot,
    FoldPlot,
    ForestPlot,
    GroupedDotPlot,
    LikelihoodRatioGraph,
    LineChart,
    LinePanels,
    RankHeatMap,
    ScatterPlot,
)
from reportgen.report.document import (
    Bullets,
    Callout,
    Details,
    Figure,
    Formulas,
    Heading,
    Listing,
    Matrices,
    Note,
    Paragraph,
    Table,
    Tiles,
)
from tests.report.report_text import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.report.charts import Chart
    from reportgen.report.document import Block, ReportDocument

_NUMBER = re.compile(r"[−+]?\b\d+(?:[.,\u202f\u00a0 ]?\d+)*(?:[\u202f\u00a0]?%)?")
_SOFTWARE = "Software:"
GOLDENS = Path(__file__).parent / "goldens"
RENEW = "renew it with: python -m pytest tests/report -k wording --update-goldens"


def check_wording(name: str, text: str, *, update: bool) -> None:
    """Compare a text with its golden, or write the golden anew."""
    golden = GOLDENS / f"{name}.txt"
    if update:
        golden.write_text(text, encoding="utf-8")
        return
    expected = golden.read_text(encoding="utf-8") if golden.exists() else ""
    lines = list(unified_diff(expected.splitlines(), text.splitlines(), "golden", "now", n=0))
    if lines:
        pytest.fail("\n".join((f"the wording of {name} differs; {RENEW}", *lines)), pytrace=False)


def wording(report: ReportDocument) -> str:
    """Return the wording of a report, a line for each sentence group, caption or head."""
    lines = [report.title, read(report.subtitle.parts)]
    for section in report.sections:
        lines += ["", f"## {section.title}"]
        for block in section.blocks:
            lines += _block_lines(block)
    lines += ["", read(report.colophon.parts)]
    masked = (_NUMBER.sub("#", line) for line in lines if not line.startswith(_SOFTWARE))
    return "\n".join(masked) + "\n"


def _block_lines(block: Block) -> Iterator[str]:
    match block:
        case Paragraph(parts):
            yield read(parts)
        case Bullets(items=items):
            yield from (f"- {read(item.parts)}" for item in items)
        case Note(parts, warning):
            yield f"{'Caution' if warning else 'Note'}: {read(parts)}"
        case Callout() | Tiles():
            yield from _answer_lines(block)
        case Heading(text):
            yield text
        case Table():
            yield f"Table: {cell_text(block.caption)}"
            yield " | ".join(cell_text(column.head) for column in block.columns)
            for group in block.groups:
                yield from () if group.head is None else (f"  {cell_text(group.head)}",)
            yield from () if block.note is None else (f"  {read(block.note.parts)}",)
        case Matrices(items):
            yield from (f"Matrix: {item.caption}" for item in items)
        case Formulas(items=items):
            yield from (f"{item.measure.title}: {item.measure.question}" for item in items)
        case Figure():
            yield f"Figure: {block.title}"
            yield from (f"  {label}" for label in _axis_labels(block.chart))
            yield f"  {read(block.description.parts)}"
            yield from () if block.note is None else (f"  {read(block.note.parts)}",)
        case Listing():
            return
        case Details(summary, blocks):
            yield f"Details: {read(summary.parts)}"
            for part in blocks:
                yield from (f"  {line}" for line in _block_lines(part))


def _answer_lines(block: Callout | Tiles) -> Iterator[str]:
    if isinstance(block, Callout):
        yield f"Callout: {read(block.title)}"
        yield from (f"  {read(line.parts)}" for line in block.paragraphs)
        return
    for tile in block.items:
        lines = (read(line.parts) for line in tile.lines)
        yield " / ".join((f"Tile: {read(tile.label)}", read(tile.value), *lines))


def _axis_labels(chart: Chart) -> Iterator[str]:
    match chart:
        case LinePanels(panels):
            for panel in panels:
                yield from _axis_labels(panel)
        case LineChart():
            marks = (label for _, label in chart.marker_legend)
            lines = (line.label for line in chart.references)
            legend = dict.fromkeys((*lines, *marks))
            yield " / ".join((chart.x_label, chart.y_label, *legend))
        case ScatterPlot() | LikelihoodRatioGraph():
            yield f"{chart.x_label} / {chart.y_label}"
        case ForestPlot():
            yield f"{chart.favours_left} / {chart.favours_right} / {read(chart.difference_head)}"
        case DotPlot() | FoldPlot():
            yield chart.x_label
        case GroupedDotPlot():
            yield " / ".join(panel.x_label for panel in chart.panels)
        case RankHeatMap():
            yield " / ".join(group.head for group in chart.groups)
        case _:
            return
