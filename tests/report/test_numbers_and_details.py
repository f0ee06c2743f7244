"""Numbers of tables and figures, and blocks that only the page and full detail have."""

from __future__ import annotations

from reportgen.render.html import render_html
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.report.build import number_blocks, unfold_details
from reportgen.report.document import (
    Column,
    Details,
    Paragraph,
    ReportDocument,
    ReportSection,
    RowGroup,
    Table,
    iter_blocks,
    omit_details,
)


def small_table(name: str, caption: str) -> Table:
    """Return a table of one cell."""
    return Table(name, caption, (Column("Head"),), (RowGroup((("cell",),)),))


FINDING = Paragraph(("Both agree.",))
FOLDED = Details(FINDING, (small_table("second", "Folded table"),))
SECTIONS = number_blocks(
    [
        ReportSection("one", "One", (small_table("first", "First table"), FOLDED)),
        ReportSection("two", "Two", (Details(FINDING, (small_table("x", "Only"),)),)),
        ReportSection("three", "Three", (small_table("bare", ""), small_table("last", "Last"))),
    ]
)
REPORT = ReportDocument("A report", Paragraph(("About.",)), SECTIONS, Paragraph(("End.",)))


def numbers(report: ReportDocument) -> list[str]:
    """Return the labels of all tables."""
    blocks = (block for section in report.sections for block in iter_blocks(section.blocks))
    return [block.label for block in blocks if isinstance(block, Table)]


def test_folded_tables_do_not_shift_the_numbers_of_others() -> None:
    """Table 2 of the page is Table 2 of the PDF, which has no folded tables."""
    assert numbers(REPORT) == ["Table 1", "Table S1", "Table S2", "", "Table 2"]
    assert numbers(omit_details(REPORT)) == ["Table 1", "", "Table 2"]


def test_a_section_of_details_only_is_omitted_with_them() -> None:
    """Nothing would be left under its heading."""
    assert [section.kind for section in omit_details(REPORT).sections] == ["one", "three"]


def test_unfolded_details_keep_their_sentence() -> None:
    """In full detail the sentence is a paragraph before the blocks."""
    _, sentence, table = unfold_details(SECTIONS[0]).blocks

    assert sentence == FINDING
    assert isinstance(table, Table)


def test_the_page_folds_details_and_links_numbers() -> None:
    """The number is a link to the table itself, the sentence the summary of the details."""
    page = render_html(REPORT)

    assert "<summary>Both agree.</summary>" in page
    assert '<a class="label" href="#table-second">Table S1</a>. Folded table' in page


def test_other_formats_number_tables_and_omit_details() -> None:
    """LaTeX can refer to the label."""
    markdown, latex = render_markdown(REPORT), render_latex(REPORT)

    assert '<a id="table-first"></a>**Table 1. First table**' in markdown
    assert r"\renewcommand{\thetable}{2}" in latex
    assert r"\caption{Last}\label{table-last}" in latex
    assert "Folded" not in markdown + latex
