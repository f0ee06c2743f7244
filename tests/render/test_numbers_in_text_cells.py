"""Numbers among the words of heads, captions and cells are written as all others are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import build_and_write
from reportgen.render.html import render_html
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.render.number_format import number_locale
from reportgen.render.pagination import paginate
from reportgen.report.document import Column, RowGroup, Table
from reportgen.report.inline import Count, InlineText, PlainNumber
from tests.render.sample_report import report_of
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.report.document import ReportDocument

SPEC = (
    counted_spec([[9, 1], [2, 8]], [[8, 2], [2, 8]])
    + """\
[prevalence]
targets = [0.02]
[comparison]
margin = { accuracy = 0.9 }
[intervals]
level = 0.925
[[published]]
classifier = "A"
measure = "precision"
prevalence = 0.125
value = 0.5
[output.theme]
numbers = "de"
"""
)
TABLE = Table(
    "t",
    InlineText(("At a level of ", PlainNumber(0.01))),
    (Column("Cases"), Column(InlineText((PlainNumber(0.25), " of one class")), numeric=True)),
    (
        RowGroup(
            (("ten", InlineText(("by ", PlainNumber(0.75), " or more"))),),
            InlineText(("At ", PlainNumber(0.02))),
        ),
    ),
)


@pytest.mark.parametrize("render", [render_html, render_markdown, render_latex])
def test_every_format_writes_them_in_the_style_asked_for(
    render: Callable[[ReportDocument], str],
) -> None:
    """A caption, the head of a column, that of a group, and a cell."""
    with number_locale("de"):
        text = render(report_of(TABLE)).replace("{,}", ",")

    for message in ("At a level of 0,01", "0,25 of one class", "At 0,02", "by 0,75 or more"):
        assert message in text


def test_a_group_that_goes_on_keeps_its_head() -> None:
    """Pages that part a group repeat its words."""
    rows = tuple((f"row {at}", Count(at)) for at in range(40))
    head = InlineText(("At ", PlainNumber(0.02)))
    long = Table("t", "T", (Column("Case"), Column("n")), (RowGroup(rows, head),))

    (section,) = paginate(report_of(long)).sections

    (table,) = (block for block in section.blocks if isinstance(block, Table))
    assert [group.head for group in table.groups] == [
        head,
        InlineText(("At ", PlainNumber(0.02), ", continued")),
    ]


def test_targets_margins_and_prevalences_follow_the_style_of_the_report(tmp_path: Path) -> None:
    """Whole sections: none of these numbers has a point left, in a report with commas."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")

    build_and_write(tmp_path / "spec.toml", tmp_path / "out", ("markdown",))
    text = (tmp_path / "out" / "spec" / "report.md").read_text(encoding="utf-8")

    for message in ("At a prevalence of 2%", "Precision at prevalence 12,5%"):
        assert message in text
    assert not [number for number in ("0.02", "0.125", "0.9 ", "92.5") if number in text]
