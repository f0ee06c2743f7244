"""Pages to be tried in a browser, and what the browser says about them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from reportgen.pipeline import load_and_evaluate
from reportgen.render.html import render_html
from reportgen.report.build import build_report

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page


UNFOLD = "document.querySelectorAll('details').forEach((fold) => { fold.open = true; })"


@dataclass(slots=True)
class OpenPage:
    """A page in the browser, with its errors and with whatever it asked for."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listen from the beginning."""
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on(
            "console",
            lambda message: self.errors.append(message.text) if message.type == "error" else None,
        )
        self.page.on("request", lambda request: self.requests.append(request.url))

    def unfold(self) -> None:
        """Open everything that is folded."""
        self.page.evaluate(UNFOLD)

    def choose(self, key: str, value: str) -> None:
        """Type a number beside the slider of a threshold or of the prevalence."""
        name = "threshold-0" if key == "threshold" else key
        box = self.page.locator(f"#what-if-{name} ~ input[type=number]")
        box.fill(value)
        box.press("Enter")

    def matrices(self) -> dict[str, list[int]]:
        """Return the confusion counts on the page: tp, fn, fp and tn by classifier."""
        result: dict[str, list[int]] = self.page.evaluate(
            """() => Object.fromEntries([...document.querySelectorAll("[data-classifier]")].map(
              (box) => [box.dataset.classifier,
                [...box.querySelectorAll("td")].map((cell) => Number(cell.dataset.v))]))"""
        )
        return result

    def values(self, part: str) -> dict[tuple[str, str], str]:
        """Return the values of a table by measure and classifier; empty where undefined."""
        rows = self.page.evaluate(
            """(part) => {
              const table = document.querySelector(`[data-part="${part}"] table`);
              const heads = [...table.tHead.rows[0].cells].map((cell) => cell.textContent);
              return [...table.tBodies[0].rows].flatMap((row) =>
                [...row.cells].slice(1).map((cell, at) =>
                  [row.dataset.measure, heads[at + 1], cell.dataset.v]));
            }""",
            part,
        )
        return {(measure, name): value for measure, name, value in rows if value is not None}


def page_of(spec: Path) -> str:
    """Return the page of a spec."""
    return render_html(build_report(load_and_evaluate(spec)))
