"""Wherever a page ends: definitions are whole, groups keep their heads, nothing is left alone."""

from __future__ import annotations

import io
import re
from html import unescape
from typing import TYPE_CHECKING

import pytest
from pypdf import PdfReader

from reportgen.measures import get_measure
from reportgen.measures.registry import MEASURE_REGISTRY
from reportgen.render.html import render_page
from reportgen.render.inline_html import InlineRenderer
from reportgen.render.pagination import paginate
from reportgen.render.pdf import build_url_fetcher, load_weasyprint, render_pdf
from reportgen.render.resources import font_face_rules, read_resources
from reportgen.render.svg import render_figure
from reportgen.report.document import (
    Chapter,
    Column,
    Definition,
    Formulas,
    Matrices,
    Paragraph,
    ReportDocument,
    ReportSection,
    RowGroup,
    Table,
)
from reportgen.report.inline import Count
from tests.render.sample_figures import figures
from tests.render.sample_report import report_of
from tests.render.sample_tables import NAMES, matrix

if TYPE_CHECKING:
    from reportgen.report.document import Block, Figure

LONG = "a_class_whose_name_has_no_space_and_goes_on_for_eighty_letters_and_then_some_more"


def page_texts(*blocks: Block, before: int = 0) -> list[str]:
    """Return the text of each page of a report; sentences before the blocks move them down."""
    spacer = tuple(Paragraph((f"Sentence {at}.",)) for at in range(before))
    pdf = render_pdf(report_of(*spacer, *blocks), attachment=b"{}").content
    sheets = PdfReader(io.BytesIO(pdf)).pages
    return [re.sub(r"\s+", " ", sheet.extract_text()) for sheet in sheets]


@pytest.mark.slow
@pytest.mark.parametrize("before", range(8))
def test_a_definition_is_never_parted(before: int) -> None:
    """Sentences of 6 mm push the definitions down; each title and its question stay together."""
    measures = [get_measure(name) for name in NAMES]
    pages = page_texts(Formulas(tuple(map(Definition, measures))), before=before)

    for measure in measures:
        words = f"{measure.title} {measure.question}"
        assert [text.count(words) for text in pages if words in text] == [1]
        assert sum(text.count(measure.question) for text in pages) == 1


@pytest.mark.slow
def test_no_definition_leaves_its_column() -> None:
    """Of all measures, the longest formula (chi-square) just fits half the width of the page."""
    items = tuple(Definition(measure) for measure in MEASURE_REGISTRY.values())
    style = "\n".join((font_face_rules(), read_resources("style.css", "print.css")))
    html = render_page(report_of(Formulas(items, brief=True)), InlineRenderer(for_pdf=True), style)

    seen_items = 0
    for sheet in (
        load_weasyprint().HTML(string=html, url_fetcher=build_url_fetcher()).render().pages
    ):
        for article in sheet._page_box.descendants():  # noqa: SLF001  # no public reading
            if article.element_tag != "article" or not hasattr(article, "children"):
                continue
            end = article.position_x + article.border_width()
            for inside in article.descendants():
                if hasattr(inside, "text"):
                    assert inside.position_x + inside.width <= end + 0.5, inside.text
                    seen_items += 1
    assert seen_items > len(items)


def test_every_page_says_where_in_the_report_it_is() -> None:
    """A loose page has the title, and chapter and section that it begins with."""
    sentences = tuple(Paragraph((f"Sentence {at}.",)) for at in range(60))
    sections = (
        ReportSection("x", "First", sentences),
        ReportSection("y", "Second", sentences, Chapter.METHODS),
    )
    report = ReportDocument("A title", Paragraph(("x",)), sections, Paragraph(("Made.",)))
    pdf = render_pdf(report, attachment=b"{}").content
    pages = [" ".join(sheet.extract_text().split()) for sheet in PdfReader(io.BytesIO(pdf)).pages]

    assert f"{Chapter.RESULTS.value} · First" not in pages[0]
    assert all("A title" in text for text in pages)
    assert f"{Chapter.RESULTS.value} · First" in pages[1]
    assert f"{Chapter.METHODS.value} · Second" in pages[-1]
    # In addition to the running heads: over the first section of the chapter.
    heads = sum(text.count("· Second") for text in pages)
    assert sum(text.count(Chapter.METHODS.value) for text in pages) == heads + 1


@pytest.mark.parametrize("drawn", figures(), ids=lambda figure: figure.name)
def test_letters_of_a_figure_are_7_points_or_more(drawn: Figure) -> None:
    """Drawings are 640 units wide: 11.5 units on 14 cm are 11.5 / 640 * 14 / 2.54 * 72 = 7.1 pt."""
    svg = str(render_figure(drawn, for_pdf=True))
    (centimetres,) = re.findall(r'<svg[^>]* width="([\d.]+)cm"', svg)
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', svg)]

    assert sizes
    assert min(sizes) / 640 * float(centimetres) / 2.54 * 72 >= 7


def test_what_a_figure_shows_is_stated_in_words() -> None:
    """WeasyPrint makes the title of a drawing the alternative text of the PDF."""
    for item in figures():
        svg = str(render_figure(item, for_pdf=True))
        words, *_ = re.findall(r"<title[^>]*>(.*?)</title>", svg)
        assert unescape(words).startswith(f"{item.title}. ")
        assert len(words) > len(item.title) + 10


@pytest.mark.slow
@pytest.mark.parametrize("before", [0, 9, 18, 24, 30])
def test_rows_stand_under_their_head_on_every_page(before: int) -> None:
    """A group that fits on a page is not parted, wherever the table begins."""
    groups = tuple(
        RowGroup(tuple((f"model {at}-{row}", Count(row)) for row in range(12)), f"Class {at}")
        for at in range(6)
    )
    table = Table("t", "T", (Column("Classifier"), Column("N", numeric=True)), groups)

    for text in page_texts(table, before=before):
        assert set(re.findall(r"model (\d)-", text)) == set(re.findall(r"Class (\d)", text))
        assert text.count("model") == 12 * text.count("Class ")


def test_a_group_longer_than_a_page_says_that_it_is_continued() -> None:
    """70 rows take three pages: ceil(70 / 28) = 3 parts."""
    rows = tuple((f"model {at}", Count(at)) for at in range(70))
    columns = (Column("Classifier"), Column("N", numeric=True))
    pages = page_texts(Table("t", "T", columns, (RowGroup(rows, "Class A"),)))

    text = " ".join(pages)
    assert text.count("Class A, continued") == 2
    assert text.count("Class A") == 3
    assert all("Class A" in page for page in pages if "model" in page)


@pytest.mark.parametrize("before", range(0, 40, 5))
def test_the_colophon_is_never_alone(before: int) -> None:
    """A last page with nothing but the colophon is a wasted sheet."""
    last = page_texts(*(Paragraph((f"Last {at}.",)) for at in range(3)), before=before)[-1]

    assert "Made by the test." in last
    assert "Last" in last


@pytest.mark.parametrize("classes", [2, 3, 6, 8])
def test_long_names_of_classes_keep_a_matrix_on_the_page(classes: int) -> None:
    """Names are broken, or stand beside the rows with numbers over the columns."""
    item = matrix("m", tuple(f"{LONG}_{at}" for at in range(classes)))
    style = "\n".join((font_face_rules(), read_resources("style.css", "print.css")))
    html = render_page(paginate(report_of(Matrices((item,)))), InlineRenderer(for_pdf=True), style)

    cells = 0
    for sheet in (
        load_weasyprint().HTML(string=html, url_fetcher=build_url_fetcher()).render().pages
    ):
        box = sheet._page_box  # noqa: SLF001  # the layout has no public reading
        margin = box.content_box_x() + box.width
        for cell in box.descendants():
            if cell.element_tag in {"th", "td"}:
                assert cell.position_x + cell.border_width() <= margin + 1
                cells += 1
    assert cells >= (classes + 1) ** 2


def test_a_table_on_paper_has_two_hundred_rows_at_most() -> None:
    """Nobody reads more, and results.json has them all."""
    rows = tuple((f"case {at}", Count(at)) for at in range(640))
    columns = (Column("Case"), Column("N", numeric=True))
    text = " ".join(page_texts(Table("t", "T", columns, (RowGroup(rows),))))

    assert "The first 200 of 640 rows; the attached results.json has them all." in text
    assert "case 199" in text
    assert "case 200" not in text


def test_a_root_is_as_tall_as_the_fraction_under_it() -> None:
    """The sign is drawn by the stylesheet; its text is kept, once, for those who copy."""
    pages = page_texts(Formulas((Definition(get_measure("rmse")),)))

    assert sum(text.count("√") for text in pages) == 1


def test_signs_without_a_font_are_spelled_out() -> None:
    """A class must not become nameless."""
    report = ReportDocument("T", Paragraph(("the class ʘʘ",)), (), Paragraph(("x",)))

    pdf = render_pdf(report, attachment=b"{}", known_missing_glyphs=("ʘ",))

    text = PdfReader(io.BytesIO(pdf.content)).pages[0].extract_text()
    assert "the class [U+0298][U+0298]" in text
