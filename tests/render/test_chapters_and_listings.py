"""Contents follow the answer on paper and name its chapters; listings keep their lines."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reportgen.render.html import count_summary_sections, render_html, render_page
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.latex import render_latex
from reportgen.render.markdown import render_markdown
from reportgen.report.document import Chapter, Listing, Paragraph, ReportSection

if TYPE_CHECKING:
    from reportgen.report.document import ReportDocument

SPEC = '[task]\nkind = "binary" # <two>\n\n  positive = "a & b"'


def sections(*chapters: Chapter) -> tuple[ReportSection, ...]:
    """Return a section for each chapter, named after it."""
    return tuple(
        ReportSection(f"kind{at}", f"Title {at}", (Paragraph(("Words.",)),), chapter)
        for at, chapter in enumerate(chapters)
    )


SUMMARY, RESULTS, METHODS = Chapter.SUMMARY, Chapter.RESULTS, Chapter.METHODS


def on_paper(report: ReportDocument) -> str:
    """Return the page the PDF is made of."""
    return render_page(report, InlineRenderer(for_pdf=True), "")


def test_the_contents_come_after_the_answer(report: ReportDocument) -> None:
    """Between the second and the third section, on paper and on a phone."""
    text = replace(report, sections=sections(SUMMARY, SUMMARY, RESULTS, RESULTS, METHODS))
    paper, screen = on_paper(text), render_html(text)

    assert count_summary_sections(text) == 2
    assert paper.index('id="kind1"') < paper.index("<nav") < paper.index('id="kind2"')
    assert screen.index('id="kind1"') < screen.index("<nav") < screen.index('id="kind2"')


def test_a_report_that_does_not_begin_with_the_answer_begins_with_its_contents(
    report: ReportDocument,
) -> None:
    """Who chooses sections chooses their order."""
    text = replace(report, sections=sections(RESULTS, SUMMARY, METHODS, METHODS))

    assert on_paper(text).index("<nav") < on_paper(text).index('id="kind0"')


def test_a_page_or_two_need_no_contents_on_paper(report: ReportDocument) -> None:
    """A summary has three sections."""
    text = replace(report, sections=sections(SUMMARY, SUMMARY, Chapter.REPRODUCIBILITY))

    assert "<nav" not in on_paper(text)
    assert "<nav" in render_html(text)


def test_contents_have_a_head_for_each_chapter(report: ReportDocument) -> None:
    """Once, before its first section."""
    text = replace(report, sections=sections(SUMMARY, RESULTS, RESULTS, METHODS))
    heads = re.findall(r'<li class="chapter">([^<]+)</li>', render_html(text))

    assert heads == [SUMMARY.value, RESULTS.value, METHODS.value]


@pytest.mark.parametrize("for_pdf", [True, False])
def test_a_listing_keeps_its_lines_and_is_escaped(report: ReportDocument, *, for_pdf: bool) -> None:
    """Spaces at the beginning of a line count; the text is no HTML."""
    text = replace(report, sections=(ReportSection("x", "X", (Listing(SPEC, "toml"),)),))
    html = on_paper(text) if for_pdf else render_html(text)

    assert (
        "<pre><code>[task]\nkind = &#34;binary&#34; # &lt;two&gt;\n\n"
        "  positive = &#34;a &amp; b&#34;\n</code></pre>"
    ) in html


def test_a_listing_is_fenced_in_markdown_whatever_it_holds(report: ReportDocument) -> None:
    """The fence is longer than any run of backticks inside."""
    text = replace(report, sections=(ReportSection("x", "X", (Listing("a\n```\nb", "toml"),)),))

    assert "````toml\na\n```\nb\n````" in render_markdown(text)


def test_a_listing_keeps_its_lines_in_latex(report: ReportDocument) -> None:
    """Each line ends, and what LaTeX would read is escaped."""
    text = replace(report, sections=(ReportSection("x", "X", (Listing(SPEC, "toml"),)),))
    latex = render_latex(text)

    assert r"\mbox{}{[}task{]}\\" in latex
    assert r"\# \textless{}two\textgreater{}" in latex
    assert r"a \& b" in latex
