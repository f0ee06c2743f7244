"""The page: whole, safe, and readable by machines and people."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest

from reportgen.measures import get_measure
from reportgen.render.html import render_html
from reportgen.render.resources import read_resources
from reportgen.report.document import (
    Column,
    Definition,
    Formulas,
    Matrices,
    ReportSection,
    RowGroup,
    Table,
)
from reportgen.report.inline import Count
from tests.render.sample_tables import (
    CLASSIFIERS,
    FORMULA_INJECTION,
    LATEX_SPECIALS,
    REASON,
    SCRIPT,
    matrix,
)

if TYPE_CHECKING:
    from reportgen.report.document import ReportDocument

VOID = {"meta", "br", "wbr", "hr", "img", "link", "input"}


class Outline(HTMLParser):
    """Notes elements, text and whatever is out of balance."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text: list[str] = []
        self.faults: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element."""
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """Check that the element that ends is the one that began last."""
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        """Note text, except that of the stylesheet and the script."""
        if self.open[-1:] not in (["style"], ["script"]):
            self.text.append(data)


@pytest.fixture(scope="module")
def outline(page: str) -> Outline:
    """Return the page as a parser sees it."""
    result = Outline()
    result.feed(page)
    result.close()
    return result


def test_every_element_is_closed(outline: Outline) -> None:
    """A page out of balance looks different in each browser."""
    assert outline.faults == []
    assert outline.open == []


def test_the_page_needs_nothing_but_itself(page: str, outline: Outline) -> None:
    """It is read offline, from mail, from an archive: no link out, no inline style."""
    tags = {tag for tag, _ in outline.elements}
    attributes = {name for _, result in outline.elements for name in result}
    links = [result["href"] for _, result in outline.elements if "href" in result]

    assert tags.isdisjoint({"link", "iframe", "object", "base", "form"})
    assert "src" not in attributes
    assert "style" not in attributes
    assert not any(name.startswith("on") for name in attributes)
    assert all(link.startswith("#") for link in links)
    assert page.count("url(") == page.count('url("data:font/woff2;base64,') == 2
    assert "@import" not in page


def test_every_link_has_its_target_and_every_id_is_unique(outline: Outline) -> None:
    """The contents and the names of measures lead somewhere."""
    ids = [result["id"] for _, result in outline.elements if "id" in result]
    links = [result["href"][1:] for _, result in outline.elements if "href" in result]

    assert len(ids) == len(set(ids))
    assert set(links) <= set(ids)


def test_hostile_text_is_shown_as_text(page: str, outline: Outline) -> None:
    """A classifier may be called anything."""
    text = "".join(outline.text)

    assert SCRIPT not in page
    assert escape(SCRIPT) in page
    assert SCRIPT in text
    assert FORMULA_INJECTION in text
    assert LATEX_SPECIALS in text
    assert "\u202e" not in page
    assert "evil[U+202E]txt.exe" in text


def test_the_policy_allows_the_page_s_own_style_alone(page: str) -> None:
    """The hash in the policy is that of the style as a browser sees it."""
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()

    assert f"style-src &#39;sha256-{digest}&#39;" in page
    assert "default-src &#39;none&#39;" in page


def test_no_number_is_not_a_number(outline: Outline) -> None:
    """Undefined and infinite are said as such, with the reason on the page."""
    words = set(re.findall(r"[A-Za-z]+", "".join(outline.text).lower()))

    assert words.isdisjoint({"nan", "inf", "none", "null"})
    assert f"undefined: {REASON}" in outline.text


def test_tables_can_be_read_aloud(outline: Outline) -> None:
    """Each table has a caption, and each head says what it heads."""
    tags = [tag for tag, _ in outline.elements]
    heads = [result for tag, result in outline.elements if tag == "th"]

    assert tags.count("caption") == tags.count("table")
    assert {head["scope"] for head in heads} == {"col", "row", "rowgroup"}
    assert "best" in "".join(outline.text)
    assert outline.elements[0] == ("html", {"lang": "en"})
    assert {"main", "nav", "header", "footer", "section", "math"} <= set(tags)


def test_every_classifier_and_section_is_on_the_page(
    report: ReportDocument, outline: Outline
) -> None:
    """Nothing is cut from the page."""
    text = "".join(outline.text)

    assert all(name.replace("\u202e", "[U+202E]") in text for name in CLASSIFIERS)
    assert all(section.title in text for section in report.sections)


def test_the_same_report_gives_the_same_page(report: ReportDocument, page: str) -> None:
    """Pages are compared and published by hash."""
    assert render_html(report) == page


def test_stylesheets_stay_small() -> None:
    """They are written by hand and travel in every report."""
    assert len(read_resources("style.css", "screen.css", "print.css")) < 36_000


def test_long_names_of_classes_stand_beside_the_rows_with_numbers_over_the_columns(
    report: ReportDocument,
) -> None:
    """Each number tells its name when pointed at or read aloud."""
    names = tuple(f"a class with a rather long name {at}" for at in range(6))
    block = Matrices((matrix("m", names),))

    html = render_html(replace(report, sections=(ReportSection("x", "X", (block,)),)))

    assert (
        f'<th scope="col" title="{names[1]}">2 <span class="visually-hidden">{names[1]}</span>'
        in html
    )
    assert f'<th scope="row">2. {names[1]}</th>' in html


def test_a_page_has_two_thousand_rows_of_a_table_at_most(report: ReportDocument) -> None:
    """More would only make browsers slow."""
    rows = tuple((f"case {at}", Count(at)) for at in range(2001))
    table = Table("t", "T", (Column("Case"), Column("N", numeric=True)), (RowGroup(rows),))

    html = render_html(replace(report, sections=(ReportSection("x", "X", (table,)),)))

    assert "The first 2\u202f000 of 2\u202f001 rows; results.json has them all." in html
    assert "case 1999<" in html
    assert "case 2000<" not in html


def test_a_reference_ends_with_one_full_stop(report: ReportDocument) -> None:
    """Also when its own text ends with one."""
    measure = get_measure("rmse")
    source = replace(measure.source.reference, publication="Publisher, 3rd ed.")
    cited = replace(measure, source=replace(measure.source, reference=source))
    block = Formulas((Definition(cited),))

    html = render_html(replace(report, sections=(ReportSection("x", "X", (block,)),)))

    assert "<i>Publisher, 3rd ed.</i></li>" in html
