"""The page for everybody: by axe's rules, wide and narrow, in light and dark."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it has none

from tests.browser.figure_text_checks import CONTRAST_OF_WORDS, WORDS_CUT_OR_ON_OTHERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import Literal

    from playwright.sync_api import Browser, Page

    from tests.browser.opened_pages import OpenPage

    Open: TypeAlias = Callable[..., OpenPage]
    Pages: TypeAlias = Callable[[str], Path]
    Scheme: TypeAlias = Literal["light", "dark"]

PAGES = ("breast_cancer", "digits", "enegotiation", "diabetes", "demsar", "hostile")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WIDTHS = (320, 360, 480, 768, 1119, 1120, 1280, 1600)
# The least that WCAG 2.2, criterion 1.4.3, asks of the contrast of small text.
LEAST_CONTRAST = 4.5
# Contrast takes longer than all else; no colour depends on the width, so each scheme has one.
CONTRAST_AT = {"light": 1280, "dark": 360}
NEXT_FRAMES = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
)
AXE = """async ([tags, contrast]) => {
  const options = { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"],
    rules: { "color-contrast": { enabled: contrast } } };
  const { violations } = await axe.run(document, options);
  return violations.flatMap(({ id, help, nodes }) => nodes.map(
    ({ target }) => `${id}: ${target.join(" ")}: ${help}`));
}"""


@pytest.fixture
def open_scripted_page(browser: Browser, pages: Pages) -> Iterator[Callable[[str, Scheme], Page]]:
    """Return how a page is opened in light or dark, where a tester's script may run too."""
    contexts = []

    def open_page(name: str, scheme: Scheme) -> Page:
        context = browser.new_context(color_scheme=scheme, bypass_csp=True)
        contexts.append(context)
        page = context.new_page()
        page.goto(pages(name).as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_wide_or_narrow(
    open_scripted_page: Callable[[str, Scheme], Page], name: str, scheme: Scheme
) -> None:
    """All rules of WCAG 2.2 A and AA that a program can check, and the good habits beyond them."""
    page = open_scripted_page(name, scheme)
    page.add_script_tag(content=AXE_SCRIPT)
    result = []
    for width in (1280, 360, 320):
        page.set_viewport_size({"width": width, "height": 900})
        # Observers of sizes run before the next frame is drawn.
        page.evaluate(NEXT_FRAMES)
        axe_options = [TAGS, width == CONTRAST_AT[scheme]]
        result += [f"{width} px: {value}" for value in page.evaluate(AXE, axe_options)]

    assert not result, "\n".join(result)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_words_in_figures_stand_out_from_what_they_are_written_on(
    open_scripted_page: Callable[[str, Scheme], Page], name: str, scheme: Scheme
) -> None:
    """What axe leaves out: numbers on the tints of heat maps and of places."""
    page = open_scripted_page(name, scheme)
    result = []
    for width in (1280, 360):
        page.set_viewport_size({"width": width, "height": 900})
        result += page.evaluate(CONTRAST_OF_WORDS)
    figure_ids = page.locator("figure:has(svg text)").evaluate_all(
        "(all) => all.map(({ id }) => id)"
    )

    # The smallest page has one figure: ranks of four classifiers.
    assert len(result) > 10
    assert {item["figure"] for item in result} == set(figure_ids)
    assert [item for item in result if item["contrast"] < LEAST_CONTRAST] == []


@pytest.mark.parametrize("name", PAGES)
def test_no_words_in_figures_are_cut_off_or_lie_on_others(
    open_scripted_page: Callable[[str, Scheme], Page], name: str
) -> None:
    """Long names are shortened by the drawing, not by its edge."""
    assert open_scripted_page(name, "light").evaluate(WORDS_CUT_OR_ON_OTHERS) == []


@pytest.mark.parametrize("name", PAGES)
def test_the_page_never_scrolls_sideways(open_checked_page: Open, pages: Pages, name: str) -> None:
    """Wide tables, figures and formulas scroll by themselves; nothing is asked for meanwhile."""
    path = pages(name)
    living = open_checked_page(path)
    for more in living.page.get_by_role("button", name="Show all").all():
        if more.is_visible():
            more.click()
    wide = {}
    for width in WIDTHS:
        living.page.set_viewport_size({"width": width, "height": 900})
        wide[width] = living.page.evaluate("document.documentElement.scrollWidth")

    assert {width: result for width, result in wide.items() if result > width} == {}
    assert living.errors == []
    assert living.requests == [path.as_uri()]
