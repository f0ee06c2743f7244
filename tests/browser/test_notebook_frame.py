"""The page works in the frame by which a notebook shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import reportgen as rg

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.opened_pages import OpenPage


def test_links_and_sliders_stay_in_the_frame(
    open_checked_page: Callable[..., OpenPage], tmp_path: Path
) -> None:
    """A link scrolls the page instead of loading the notebook into it; a slider moves."""
    truth = ["yes", "no"] * 20
    scores = [0.01 * number for number in range(40)]
    predicted = ["yes" if score >= 0.2 else "no" for score in scores]
    report = rg.evaluate(truth, {"A": predicted}, scores={"A": scores}, positive="yes")
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<h1>Notebook</h1>{report._repr_html_()}", encoding="utf-8")
    page = open_checked_page(notebook)
    frame = page.page.frames[1]
    frame.locator("input[type=range]").first.press("ArrowRight")
    frame.locator("nav a[href='#inputs']").first.click()
    frame.wait_for_function("document.scrollingElement.scrollTop > 0")

    assert frame.url.startswith("about:srcdoc")
    assert frame.locator("h1").first.inner_text() == "Evaluation report"
    assert page.page.url == notebook.as_uri()
    assert page.errors == []
