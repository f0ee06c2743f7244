"""The page without a mouse, without much room, without motion, and printed from the browser."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TypeAlias

from playwright.sync_api import expect
from pypdf import PdfReader

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.opened_pages import OpenPage

    Open: TypeAlias = Callable[..., OpenPage]
    Pages: TypeAlias = Callable[[str], Path]

UNREACHABLE = """() => [...document.querySelectorAll("body *")].filter((each) =>
  /auto|scroll/.test(getComputedStyle(each).overflowX) && each.scrollWidth > each.clientWidth
  && each.tabIndex < 0).map((each) => each.outerHTML.slice(0, 80))"""
STOP = """() => {
  const [stop, last] = [document.activeElement, window.lastStop ?? document.body];
  window.lastStop = stop;
  const { outlineStyle, outlineWidth } = getComputedStyle(stop);
  const follows = last.compareDocumentPosition(stop) & Node.DOCUMENT_POSITION_FOLLOWING;
  return [stop.outerHTML.slice(0, 80), outlineStyle !== "none" && parseFloat(outlineWidth) >= 1,
    Boolean(follows)];
}"""


def test_what_scrolls_is_reached_by_keyboard_and_what_does_not_is_passed(
    open_checked_page: Open, pages: Pages
) -> None:
    """Without a script every table, figure and formula is a stop; with it, those that scroll."""
    bare = open_checked_page(pages("breast_cancer"), width=360, script=False).page
    living = open_checked_page(pages("breast_cancer"), width=360)
    living.unfold()
    page = living.page
    stops = page.locator(":is(.scroll, .formula)[tabindex='0']")
    expect(page.locator(".formula[tabindex='0']")).not_to_have_count(0)
    narrow = stops.count()

    assert bare.locator(":is(.scroll, .formula, .where):not([tabindex='0'])").count() == 0
    assert page.evaluate(UNREACHABLE) == []
    page.set_viewport_size({"width": 1600, "height": 900})
    expect(page.locator(".table .scroll[tabindex='0']")).to_have_count(0)
    assert page.evaluate(UNREACHABLE) == []
    assert stops.count() < narrow


def test_a_formula_one_pixel_too_wide_is_reached_by_keyboard(
    open_checked_page: Open, pages: Pages
) -> None:
    """Whatever fonts are installed: the formula of MCC was that wide with some of them."""
    living = open_checked_page(pages("breast_cancer"))
    living.unfold()
    page = living.page
    formula = page.locator("#definition-mcc .formula").first
    width = formula.evaluate("(frame) => { frame.style.width = '40px'; return frame.scrollWidth; }")

    formula.evaluate("(frame, width) => { frame.style.width = `${width - 1}px`; }", width)
    expect(formula).to_have_attribute("tabindex", "0")
    expect(formula).to_have_role("group")
    formula.evaluate("(frame, width) => { frame.style.width = `${width + 10}px`; }", width)
    expect(formula).not_to_have_attribute("tabindex", "0")
    assert formula.get_attribute("aria-label") is None


def test_a_table_that_goes_on_is_seen_to_until_its_end(
    open_checked_page: Open, pages: Pages
) -> None:
    """The shadow at the right edge goes when the last column is there."""
    page = open_checked_page(pages("breast_cancer"), width=360).page
    frame = page.locator("#table-differences .scroll")

    expect(frame).to_have_class("scroll more")
    assert frame.evaluate("(frame) => getComputedStyle(frame).boxShadow") != "none"
    frame.evaluate("(frame) => frame.scrollTo({ left: frame.scrollWidth, behavior: 'instant' })")
    expect(frame).to_have_class("scroll")


def test_the_tab_key_goes_down_the_page_and_is_always_seen(
    open_checked_page: Open, pages: Pages
) -> None:
    """Every stop has an outline, and none stands above the one before."""
    page = open_checked_page(pages("breast_cancer")).page
    for _ in range(60):
        page.keyboard.press("Tab")
        stop, outlined, follows = page.evaluate(STOP)
        assert (outlined, follows) == (True, True), stop


def test_nothing_moves_for_those_who_asked_for_that(open_checked_page: Open, pages: Pages) -> None:
    """Neither the page to its anchors nor the marks along their curves."""
    page = open_checked_page(pages("breast_cancer")).page
    moving = """() => [getComputedStyle(document.documentElement).scrollBehavior,
      getComputedStyle(document.querySelector(".operating")).transitionDuration]"""

    # Without a desktop some versions of Chromium ask for reduced motion by themselves.
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moving) == ["smooth", "0.12s"]
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(moving) == ["auto", "0s"]


def test_differences_of_other_pairs_step_back_in_the_figure(
    open_checked_page: Open, pages: Pages
) -> None:
    """The rows of the two that were chosen stay as they were, whichever comes first."""
    page = open_checked_page(pages("breast_cancer")).page
    rows = page.locator("#figure-differences-drawn [data-pair]")
    back = page.locator("#figure-differences-drawn [data-pair].aside")

    assert rows.count() > back.count() == 0
    page.get_by_label("First classifier to compare").last.select_option("Decision tree")
    page.get_by_label("Second classifier to compare").last.select_option("SVM")
    subset = page.locator("#figure-differences-drawn [data-pair]:not(.aside)")
    assert {row.get_attribute("data-pair") for row in subset.all()} == {"SVM − Decision tree"}
    # Three pairs in every measure: two of three step back.
    assert 3 * back.count() == 2 * rows.count()
    assert float(back.first.evaluate("(row) => getComputedStyle(row).opacity")) < 0.5
    page.get_by_role("button", name="Show all pairs").last.click()
    expect(back).to_have_count(0)


def test_printed_from_the_browser_the_report_is_whole_and_on_white_paper(
    open_checked_page: Open, pages: Pages
) -> None:
    """What is folded stays so; in the colours of paper, even from the dark."""
    page = open_checked_page(pages("breast_cancer")).page
    heads = page.locator("main > section > h2").all_text_contents()
    page.emulate_media(media="print", color_scheme="dark")
    printed = PdfReader(io.BytesIO(page.pdf(format="A4")))
    words = " ".join("".join(sheet.extract_text() for sheet in printed.pages).split())

    assert 10 < len(printed.pages) < 25
    # The head of page one is for screen readers: its recommendation is in large letters.
    assert [head for head in heads if head not in words] == [
        "Recommendation",
        "Explore costs, thresholds and prevalence",
    ]
    assert " ".join(page.locator(".callout-title").first.inner_text().split()) in words
    assert page.locator(":is(nav, #what-if, .controls)").locator("visible=true").count() == 0
    for name in ("paper", "ink", "bad-paper", "mixed"):
        colour = f"getComputedStyle(document.documentElement).getPropertyValue('--{name}')"
        in_dark = page.evaluate(colour)
        page.emulate_media(media="print", color_scheme="light")
        assert in_dark == page.evaluate(colour)
        page.emulate_media(media="print", color_scheme="dark")
    # Nothing is wider than a sheet of A4 less its margins, 210 - 2 * 18 mm at 96 dots an inch.
    page.set_viewport_size({"width": round((210 - 2 * 18) / 25.4 * 96), "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
