"""Tools of the page: tables as text, figures as files, hidden classifiers, popovers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.browser.opened_pages import OpenPage

    Open: TypeAlias = Callable[..., OpenPage]
    Pages: TypeAlias = Callable[[str], Path]

PNG_SIGNATURE = b"\x89PNG\r\n"


def test_a_table_is_copied_as_text(open_checked_page: Open, pages: Pages) -> None:
    """By keyboard alone; rows and cells are those of the page."""
    living = open_checked_page(pages("breast_cancer"))
    page = living.page
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) =>"
        " { window.copied = text; } } })"
    )
    copied = {}
    for kind in ("CSV", "Markdown", "LaTeX"):
        page.locator("#table-inputs .tool").focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name=kind, exact=True).press("Enter")
        expect(page.locator(".bubble")).to_be_hidden()
        copied[kind] = page.evaluate("window.copied").splitlines()

    assert copied["CSV"][0] == "Classifier,File,Rows,SHA-256"
    assert copied["CSV"][1].startswith("SVM,data/breast_cancer/svm.parquet,569,")
    assert copied["Markdown"][1] == "| --- | --- | --- | --- |"
    assert copied["LaTeX"][0] == r"\begin{tabular}{lrrr}"
    assert r"breast\_cancer" in copied["LaTeX"][4]
    assert living.errors == []


def test_formulas_in_names_are_copied_as_text(open_checked_page: Open, pages: Pages) -> None:
    """A spreadsheet would run them; numbers with a sign stay numbers."""
    page = open_checked_page(pages("breast_cancer")).page
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) =>"
        " { window.copied = text; } } })"
    )
    names = ["=cmd()", "+1+1", "-2+3", "@SUM(A1)", "-0.5", "+3%", "\uff1d1+1"]
    page.evaluate(
        "(names) => names.forEach((name, place) => {"
        " const cells = document.querySelectorAll('#table-inputs td');"
        " cells[place].textContent = name; })",
        names,
    )
    page.locator("#table-inputs .tool").focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="CSV", exact=True).press("Enter")
    expect(page.locator(".bubble")).to_be_hidden()
    copied = page.evaluate("window.copied")

    for cell in ("'=cmd()", "'+1+1", "'-2+3", "'@SUM(A1)", "'\uff1d1+1"):
        assert f'"{cell}"' in copied
    assert ",-0.5" in copied.replace("\n", ",")
    assert "+3%" in copied.replace("\n", ",").split(",")


def test_a_figure_is_saved_as_svg_and_png(open_checked_page: Open, pages: Pages) -> None:
    """Both by the script alone: nothing is asked of a server."""
    living = open_checked_page(pages("breast_cancer"))
    page = living.page
    figure = page.locator("#figure-differences-drawn")
    content = {}
    for kind in ("SVG", "PNG"):
        figure.locator(".tool").click()
        with page.expect_download() as started:
            page.get_by_role("button", name=kind, exact=True).click()
        assert started.value.suggested_filename == f"figure-differences-drawn.{kind.lower()}"
        content[kind] = Path(started.value.path()).read_bytes()

    assert content["SVG"].startswith(b"<svg")
    assert b"Inter" in content["SVG"]
    assert content["PNG"].startswith(PNG_SIGNATURE)
    assert living.errors == []


def test_a_hidden_classifier_is_hidden_in_all_figures(
    open_checked_page: Open, pages: Pages
) -> None:
    """And in whoever's browser opens the address."""
    living = open_checked_page(pages("breast_cancer"))
    page = living.page
    lines = page.locator("svg .line[data-series='Naive Bayes']")
    visible = lines.locator("visible=true").count()
    page.locator(".figure:has(.line[data-series='Naive Bayes']) .tool").first.click()

    page.locator(".bubble").get_by_label("Naive Bayes", exact=True).uncheck()
    assert visible > 1
    expect(lines.locator("visible=true")).to_have_count(0)
    expect(page.locator("svg .line[data-series='SVM']").first).to_be_visible()
    assert "hide=Naive+Bayes" in page.url


def test_a_term_shows_its_definition_and_a_link_unfolds(
    open_checked_page: Open, pages: Pages
) -> None:
    """Escape closes it and gives the focus back."""
    page = open_checked_page(pages("breast_cancer")).page
    link = page.locator("#table-main-measures a.to-definition").first
    link.focus()
    page.keyboard.press("Enter")
    bubble = page.locator(".bubble")

    expect(bubble).to_contain_text("How often is it right?")
    page.keyboard.press("Escape")
    expect(bubble).to_be_hidden()
    assert page.evaluate("document.activeElement.className") == "to-definition"
    folded = page.locator("#definition-brier")
    assert not folded.is_visible()
    page.evaluate("location.hash = '#definition-brier'")
    expect(folded).to_be_visible()


def test_the_methods_paragraph_is_copied_as_text(open_checked_page: Open, pages: Pages) -> None:
    """It is folded at the end of the section on methods; the citations are part of it."""
    page = open_checked_page(pages("breast_cancer")).page
    page.evaluate(
        "Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (text) =>"
        " { window.copied = text; } } })"
    )
    page.get_by_text("Methods paragraph for a paper").click()
    page.get_by_role("button", name="Copy paragraph").press("Enter")
    page.get_by_role("button", name="Text", exact=True).press("Enter")
    expect(page.locator(".bubble")).to_be_hidden()
    copied = page.evaluate("window.copied")

    assert copied.startswith("Three classifiers were evaluated on the same 569 tumours")
    assert "the Wilson score method (Wilson 1927)" in copied
    assert copied.endswith(").")
