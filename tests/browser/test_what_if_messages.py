"""What the page says where nothing can be shown, and what goes along with a slider."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import pytest
from playwright.sync_api import expect

from reportgen.pipeline import build_and_write
from tests.browser.opened_pages import page_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.opened_pages import OpenPage

    Open: TypeAlias = Callable[..., OpenPage]

HEAD = """
title = "Told"
[task]
kind = "binary"
positive = "yes"
"""
# Where the marks of the predictions are now, in the numbers of their axes.
PLACES = """() => [...document.querySelectorAll("#figure-thresholds-1 [data-plot]")].map(
(group) => {
  const [x0, x1, left, right, y0, y1, bottom, top] = group.dataset.plot.split(" ").map(Number);
  const mark = group.querySelector(".operating[data-series='A']:not(.ghost)");
  const box = mark.getBBox();
  const [, across, down] = /translate\\((\\S+) (\\S+)\\)/.exec(mark.getAttribute("transform"));
  const [x, y] = [box.x + box.width / 2 + Number(across), box.y + box.height / 2 + Number(down)];
  return [x0 + (x - left) / (right - left) * (x1 - x0),
    y0 + (bottom - y) / (bottom - top) * (y1 - y0)];
})"""


def _write_page(folder: Path) -> Path:
    """Write the page of three classifiers on forty cases, of which the last twenty are yes."""
    text = HEAD + '[data]\nid = "case"\nscore = "score"\nthreshold = 0.5\n'
    for step, name in enumerate(("A", "B", "C"), start=1):
        rows = [
            f"{case},{'yes' if case >= 20 else 'no'},{(case + 13 * step * (case % 3)) % 40 / 40}"
            for case in range(40)
        ]
        (folder / f"{name}.csv").write_text("\n".join(("case,truth,score", *rows)), "utf-8")
        text += f'[[classifiers]]\nname = "{name}"\npredictions = "{name}.csv"\n'
    spec = folder / "told.toml"
    spec.write_text(text + '[comparison]\nbaseline = "A"\n', "utf-8")
    page = folder / "told.html"
    page.write_text(page_of(spec), "utf-8")
    return page


def test_two_that_were_not_compared_are_stated_not_to_be(
    open_checked_page: Open, tmp_path: Path
) -> None:
    """With a baseline only comparisons with it are made; the others leave no empty table unsaid."""
    page = open_checked_page(_write_page(tmp_path)).page
    note = page.locator("#comparisons .pair-note")
    rows = page.locator("#comparisons svg [data-pair]")
    first, second = (page.locator("#comparisons select").nth(at) for at in (0, 1))

    expect(note).to_have_text("")
    first.select_option("B")
    second.select_option("C")
    expect(note).to_have_text("B and C were not compared: the baseline is A.")
    expect(note).to_have_attribute("role", "status")
    assert rows.count() > 0
    assert rows.evaluate_all("(rows) => rows.every((row) => row.classList.contains('aside'))")
    second.select_option("A")
    expect(note).to_have_text("")
    expect(note).to_be_hidden()


def test_marks_over_the_threshold_move_with_it(open_checked_page: Open, tmp_path: Path) -> None:
    """Across to the threshold, and up or down to the rates of the counts there."""
    living = open_checked_page(_write_page(tmp_path))
    for threshold in ("0.3", "0.7"):
        living.choose("threshold", threshold)
        tp, fn, fp, tn = living.matrices()["A"]
        rates = [tp / (tp + fn), tn / (fp + tn), tp / (tp + fp)]

        assert living.page.evaluate(PLACES) == [
            [pytest.approx(float(threshold), abs=0.01), pytest.approx(rate, abs=0.01)]
            for rate in rates
        ]
    assert living.errors == []


def test_a_share_that_cannot_be_is_rejected_in_words(
    open_checked_page: Open, tmp_path: Path
) -> None:
    """Nothing moves, and the reason stands beside the field and is spoken."""
    living = open_checked_page(_write_page(tmp_path))
    field = living.page.locator("#what-if-prevalence ~ input[type=number]")
    message = living.page.locator("#what-if-prevalence ~ [role=status]")
    living.choose("prevalence", "0.3")

    assert (field.get_attribute("min"), field.get_attribute("max")) == ("0", "1")
    for share in ("1.5", "0", "1"):
        living.choose("prevalence", share)
        expect(message).to_have_text(
            f"{share} is not a prevalence: enter a number between 0 and 1."
        )
        assert field.input_value() == "0.3"
    living.choose("prevalence", "0.4")
    expect(message).to_be_hidden()


def test_a_tie_is_rounded_as_in_the_report(open_checked_page: Open, tmp_path: Path) -> None:
    """Five right of sixteen are 31.25% exactly, also as a double; the report prints 31.3%."""
    spec = tmp_path / "tie.toml"
    counts = "[[3, 5], [6, 2]]"
    classes = 'classes = ["yes", "no"]\n[measures]\nshow = ["accuracy", "specificity"]\n'
    spec.write_text(f'{HEAD}{classes}[[classifiers]]\nname = "A"\nconfusion = {counts}\n', "utf-8")
    page = tmp_path / "tie.html"
    page.write_text(page_of(spec), "utf-8")
    cell = (
        open_checked_page(page)
        .page.locator("[data-part=prevalence-measures] [data-measure=accuracy] td")
        .first
    )

    expect(cell.locator("span")).to_have_text("31.3%")


def test_a_cover_may_be_wrapped(open_checked_page: Open, tmp_path: Path) -> None:
    """Title above, contents at the left, the report beside them, whatever the cover is made of."""
    (tmp_path / "mine").mkdir()
    own = '<header class="mine"><p>Us</p>{% include "shipped/cover.html.j2" %}</header><hr>'
    (tmp_path / "mine/cover.html.j2").write_text(own, "utf-8")
    spec = tmp_path / "own.toml"
    table = 'classes = ["yes", "no"]\n[[classifiers]]\nname = "A"\nconfusion = [[9, 1], [2, 8]]\n'
    wishes = '[output]\ntemplates = "mine"\nformats = ["html"]\n'
    spec.write_text(HEAD + table + wishes, "utf-8")
    page = open_checked_page(build_and_write(spec, tmp_path / "out").folder / "report.html").page
    boxes = ("h1", "nav.contents", "main", "main > section >> nth=0")
    title, contents, frame, report = (page.locator(box).bounding_box() for box in boxes)

    assert title is not None
    assert contents is not None
    assert frame is not None
    assert report is not None
    assert title["width"] > 900
    assert title["y"] + title["height"] < report["y"]
    assert contents["y"] == frame["y"] <= report["y"]
    assert contents["x"] + contents["width"] < report["x"]
    assert report["width"] > 800
