"""The contents on paper: even columns, and no chapter's head alone at the foot of one."""

from __future__ import annotations

import re

import pytest

from reportgen.render.html import (
    MAX_RUN_IN_SECTIONS,
    build_contents,
    render_html,
    render_page,
)
from reportgen.render.inline_html import InlineRenderer
from reportgen.report.document import Chapter, Paragraph, ReportDocument, ReportSection

SUMMARY, RESULTS, METHODS = Chapter.SUMMARY, Chapter.RESULTS, Chapter.METHODS


def report_of(*chapters: Chapter) -> ReportDocument:
    """Return a report with a section of each of the chapters."""
    words = Paragraph(("Words.",))
    sections = (
        ReportSection(f"k{at}", f"S{at}", (words,), item) for at, item in enumerate(chapters)
    )
    return ReportDocument("A title", words, tuple(sections), words)


def columns(report: ReportDocument, count: int) -> list[list[str]]:
    """Return the texts of the contents by column."""
    anchors = [section.kind for section in report.sections]
    return [[entry.text for entry in column] for column in build_contents(report, anchors, count)]


def test_columns_are_as_even_as_they_can_be() -> None:
    """Two heads and seven sections are nine lines: three in each column."""
    report = report_of(SUMMARY, SUMMARY, *[RESULTS] * 5)

    assert columns(report, 3) == [
        [SUMMARY.value, "S0", "S1"],
        [RESULTS.value, "S2", "S3"],
        ["S4", "S5", "S6"],
    ]


def test_no_head_of_a_chapter_ends_a_column() -> None:
    """Six lines would be two in each column, but then a head would stand alone: three it is."""
    report = report_of(SUMMARY, RESULTS, METHODS)
    single = report_of(SUMMARY, SUMMARY, RESULTS, RESULTS)

    assert columns(report, 3) == [
        [SUMMARY.value, "S0"],
        [RESULTS.value, "S1"],
        [METHODS.value, "S2"],
    ]
    assert columns(single, 3) == [[SUMMARY.value, "S0", "S1"], [RESULTS.value, "S2", "S3"]]


@pytest.mark.parametrize("sections", range(1, 30))
def test_every_section_is_listed_once_and_in_order(sections: int) -> None:
    """However many there are, in at most three columns."""
    report = report_of(SUMMARY, *[RESULTS] * sections)
    result = columns(report, 3)

    assert len(result) <= 3
    assert all(result)
    assert [text for column in result for text in column if re.fullmatch(r"S\d+", text)] == [
        f"S{at}" for at in range(sections + 1)
    ]


def test_a_page_in_a_browser_has_one_list() -> None:
    """On paper many sections stand in three columns, and few in a line without the summary."""
    long, short = (report_of(SUMMARY, *[RESULTS] * count) for count in (MAX_RUN_IN_SECTIONS, 5))
    pages = (
        render_html(long),
        render_page(long, InlineRenderer(for_pdf=True), ""),
        render_page(short, InlineRenderer(for_pdf=True), ""),
    )
    contents = [page[page.index("<nav") : page.index("</nav")] for page in pages]

    assert [text.count("<ol>") for text in contents] == [1, 3, 1]
    assert contents[2].count("<li>") == 5
