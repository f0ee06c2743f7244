"""Sorting, filtering, comparing, sharing a view: what a reader does with the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, TypeAlias

import pytest
from playwright.sync_api import expect

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.browser.opened_pages import OpenPage

    Open: TypeAlias = Callable[..., OpenPage]
    Pages: TypeAlias = Callable[[str], Path]


def _column(living: OpenPage, table: str, column: int) -> list[str]:
    """Return the machine values of a column, in the order shown."""
    texts: list[str] = living.page.evaluate(
        """([table, column]) => [...document.querySelectorAll(
             `#${table} tbody tr:not(.group):not([hidden])`)].map(
             (row) => row.cells[column].dataset.v ?? row.cells[column].textContent.trim())""",
        [table, column],
    )
    return texts


def test_a_long_table_is_sorted_up_down_and_back(open_checked_page: Open, pages: Pages) -> None:
    """The numbers rule, not how they are written; what has none stays at the end."""
    living = open_checked_page(pages("classifier_zoo"))
    living.unfold()
    table = living.page.locator(".table[data-sortable]:has(th.numeric .sort)").first
    name = table.get_attribute("id") or ""
    head = table.locator("th.numeric:has(.sort)").first
    column = head.evaluate("(cell) => cell.cellIndex")
    first = _column(living, name, column)

    head.locator(".sort").click()
    up = [float(value) for value in _column(living, name, column) if value]
    assert head.get_attribute("aria-sort") == "ascending"
    assert up == sorted(up)
    assert len(up) > 7
    head.locator(".sort").click()
    down = [float(value) for value in _column(living, name, column) if value]
    assert head.get_attribute("aria-sort") == "descending"
    assert down == sorted(up, reverse=True)
    head.locator(".sort").click()
    assert head.get_attribute("aria-sort") is None
    assert _column(living, name, column) == first


def test_rows_stay_in_their_group_and_keep_their_footnotes(
    open_checked_page: Open, pages: Pages
) -> None:
    """A row is moved as it is: sorting changes the order and nothing else."""
    living = open_checked_page(pages("breast_cancer"))
    groups = """() => [...document.querySelectorAll("#table-differences-other tbody")].map((body) =>
        [body.rows[0].className, [...body.rows].map((row) => row.innerHTML).sort().join("\\n")])"""
    living.unfold()
    before = living.page.evaluate(groups)

    assert len(before) == 3
    living.page.locator("#table-differences-other th .sort").nth(1).click()
    assert living.page.evaluate(groups) == before
    assert all(first == "group" for first, _ in before)


def test_a_filter_leaves_the_rows_with_the_words(open_checked_page: Open, pages: Pages) -> None:
    """How many are left is said aloud."""
    living = open_checked_page(pages("breast_cancer"))
    living.unfold()
    table = living.page.locator("#table-differences-other")
    rows = table.locator("tbody tr:not(.group)")

    expected = [text for text in rows.all_text_contents() if "likelihood" in text.lower()]
    assert 0 < len(expected) < rows.count()

    table.locator("input[type=search]").fill("Likelihood")
    expect(rows.locator("visible=true")).to_have_count(len(expected))
    assert rows.locator("visible=true").all_text_contents() == expected
    expect(table.get_by_role("status")).to_have_text(f"{len(expected)} of {rows.count()} rows")
    table.locator("input[type=search]").fill("")
    expect(rows.locator("visible=true")).to_have_count(rows.count())


def test_two_classifiers_are_chosen_everywhere(open_checked_page: Open, pages: Pages) -> None:
    """Their differences alone are left, and they alone have columns."""
    living = open_checked_page(pages("breast_cancer"))
    living.unfold()
    living.page.get_by_label("First classifier to compare").first.select_option("SVM")
    living.page.get_by_label("Second classifier to compare").last.select_option("Decision tree")

    heads = living.page.locator("#table-differences .group:visible").all_text_contents()
    assert [head.strip() for head in heads] == ["SVM − Decision tree"]
    visible_heads = living.page.locator("[data-part=measures] thead th:visible").all_text_contents()
    assert visible_heads == ["Measure", "SVM", "Decision tree", "SVM − Decision tree"]
    living.page.get_by_role("button", name="Show all pairs").first.click()
    assert living.page.locator("#table-differences .group:visible").count() == 3


def test_pairs_are_chosen_where_nothing_else_can_be_moved(
    open_checked_page: Open, pages: Pages
) -> None:
    """Ten classes have no threshold, but their comparisons can be narrowed down."""
    living = open_checked_page(pages("digits"))
    living.unfold()
    assert living.page.locator("#what-if").count() == 0
    chooser = living.page.locator("#comparisons .controls select")
    names = chooser.first.locator("option").all_text_contents()[1:]

    chooser.first.select_option(names[0])
    chooser.last.select_option(names[1])
    rows = living.page.locator("#comparisons tbody :is(.group, tr:not(.group) > th):visible")
    others = [text for text in rows.all_text_contents() if names[2] in text]
    assert rows.count() > 1
    assert others == []


def test_a_view_is_shared_by_its_address(open_checked_page: Open, pages: Pages) -> None:
    """Whoever opens the address sees the same, and the back button takes a choice back."""
    one = open_checked_page(pages("breast_cancer"))
    one.choose("threshold", "0.3")
    one.choose("prevalence", "0.05")
    one.page.get_by_label("First classifier to compare").first.select_option("SVM")
    one.page.get_by_label("Second classifier to compare").first.select_option("Naive Bayes")
    address = one.page.url
    assert address.endswith("#?threshold=0.3&prevalence=0.05&a=SVM&b=Naive+Bayes")

    other = open_checked_page(pages("breast_cancer"), "#" + address.split("#")[1])
    assert other.matrices() == one.matrices()
    assert other.values("prevalence-measures") == one.values("prevalence-measures")
    one.page.go_back()
    one.page.go_back()
    expect(one.page.locator("[data-part=measures] thead th:visible")).to_have_count(4)
    one.page.go_back()
    expect(one.page.locator("#what-if-prevalence")).to_have_attribute(
        "aria-valuetext", "study prevalence"
    )


def test_plain_anchors_still_lead_to_sections_and_keep_the_view(
    open_checked_page: Open, pages: Pages
) -> None:
    """A click in the contents is no reset, and a plain address leads where it says."""
    expect(
        open_checked_page(pages("breast_cancer"), "#folds").page.locator("#folds > h2")
    ).to_be_in_viewport()
    living = open_checked_page(pages("breast_cancer"), "#confusion?threshold=0.3")
    expect(living.page.locator("#confusion")).to_be_in_viewport()
    living.page.locator("nav a[href='#definitions']").click()

    expect(living.page.locator("#definitions > h2")).to_be_in_viewport()
    assert living.page.url.endswith("#definitions?threshold=0.3")
    living.page.go_back()
    expect(living.page.locator("#confusion > h2")).to_be_in_viewport()
    assert living.page.url.endswith("#confusion?threshold=0.3")


def test_what_an_address_cannot_mean_is_left_out_quietly(
    open_checked_page: Open, pages: Pages
) -> None:
    """Addresses are cut, mistyped and made up."""
    plain = open_checked_page(pages("breast_cancer"))
    odd = open_checked_page(
        pages("breast_cancer"),
        "#nowhere?threshold=high&prevalence=7&a=Nobody&b=%E0%A4%A&sort.x=1-up&sort.differences=99-up",
    )

    assert odd.errors == []
    assert odd.matrices() == plain.matrices()
    assert odd.values("prevalence-measures") == plain.values("prevalence-measures")


def test_the_contents_follow_and_lead_to_the_sliders(open_checked_page: Open, pages: Pages) -> None:
    """The entry of the section that is read is marked."""
    living = open_checked_page(pages("breast_cancer"))
    link = living.page.locator("nav a[href='#what-if']")
    assert link.text_content() == "Explore costs, thresholds and prevalence"

    link.click()
    expect(link).to_have_attribute("aria-current", "true")
    living.page.locator("nav a[href='#definitions']").click()
    expect(living.page.locator("nav [aria-current]")).to_have_count(1)
    expect(living.page.locator("nav [aria-current]")).to_have_attribute("href", "#definitions")


def test_curves_are_read_by_pointer_and_by_keyboard(open_checked_page: Open, pages: Pages) -> None:
    """The nearest point says whose it is and where; the arrow keys go from point to point."""
    living = open_checked_page(pages("breast_cancer"))
    figure = living.page.locator("figure:has(path[data-series])").first
    curve = figure.locator("path[data-series='SVM']").first
    figure.scroll_into_view_if_needed()
    # The scroll event, which hides the tooltip, is dispatched with the next frame.
    living.page.evaluate(
        "() => new Promise((resume) => requestAnimationFrame(() => requestAnimationFrame(resume)))"
    )
    box = curve.bounding_box()
    assert box is not None
    living.page.mouse.move(box["x"] + 3, box["y"] + 3)
    tooltip = living.page.locator(".reading")

    expect(tooltip).to_be_visible()
    assert re.search(r": \d", tooltip.text_content() or "")
    figure.locator(".scroll").focus()
    living.page.keyboard.press("ArrowRight")
    first = living.page.locator("body > [role=status]").text_content()
    living.page.keyboard.press("End")
    assert first != living.page.locator("body > [role=status]").text_content()
    living.page.keyboard.press("Escape")
    expect(tooltip).to_be_hidden()


def test_figures_fit_a_phone_and_are_whole_again_on_a_wide_screen(
    open_checked_page: Open, pages: Pages
) -> None:
    """Panels and rows go on below one another, or a narrow drawing stands in their place."""
    page = open_checked_page(pages("breast_cancer"), width=360).page
    page.evaluate(
        '() => document.querySelectorAll("details").forEach((part) => { part.open = true; })'
    )
    measured = """() => [...document.querySelectorAll(".figure .scroll")].map((frame) => [
        frame.scrollWidth <= frame.clientWidth,
        [...frame.querySelectorAll("svg")].filter((svg) => svg.checkVisibility())
            .map((svg) => svg.viewBox.baseVal.width),
    ])"""

    narrow = page.evaluate(measured)
    assert len(narrow) >= 6
    assert all(fits and len(widths) == 1 and widths[0] < 400 for fits, widths in narrow)
    page.set_viewport_size({"width": 1280, "height": 900})
    assert all(widths == [640] for _, widths in page.evaluate(measured))


def test_boxes_of_a_figure_do_not_overlap_on_a_phone(open_checked_page: Open, pages: Pages) -> None:
    """Each has its place in the drawing, which is as high as all of them need."""
    page = open_checked_page(pages("breast_cancer"), width=360).page
    drawings = page.evaluate(
        """() => [...document.querySelectorAll(".figure svg.arranged")].map((svg) => [
            svg.viewBox.baseVal.height,
            [...svg.querySelectorAll(":scope > [data-box]")].map((part) => {
                const [left, top, width, height] = part.dataset.box.split(" ").map(Number);
                const { e, f } = part.transform.baseVal[0].matrix;
                return [left + e, top + f, left + e + width, top + f + height];
            }),
        ])"""
    )

    assert drawings
    for height, boxes in drawings:
        for index, (left, top, right, bottom) in enumerate(boxes):
            assert left >= -0.1
            assert bottom <= height + 0.1
            assert not any(
                left < other[2] - 0.1
                and other[0] < right - 0.1
                and top < other[3] - 0.1
                and other[1] < bottom - 0.1
                for other in boxes[index + 1 :]
            )


@pytest.mark.parametrize("name", ["breast_cancer", "fraud", "gates"])
def test_the_answer_is_on_the_first_screen_of_a_phone(
    open_checked_page: Open, pages: Pages, name: str
) -> None:
    """Of 740 pixels: the imprint above the title, then the recommendation or the gates."""
    page = open_checked_page(pages(name), width=360).page
    heads = [page.locator(selector).first for selector in (".kind", "h1", ".callout")]
    boxes = [head.bounding_box() for head in heads]
    assert all(boxes)
    (kind, title, answer) = (box for box in boxes if box)

    assert kind["y"] + kind["height"] <= title["y"]
    assert answer["y"] < 400
    below = page.locator("nav.contents").bounding_box()
    assert below is not None
    assert below["y"] > answer["y"] + answer["height"]


def test_capabilities_and_gates_are_lists_on_a_phone(open_checked_page: Open, pages: Pages) -> None:
    """Each cell with the head of its column, so that nothing is out of view to the side."""
    living = open_checked_page(pages("gates"), width=360)
    layout_script = """(table) => [table.querySelector(".scroll").scrollWidth <= 360,
      [...table.querySelectorAll("tbody tr:first-child td")].map(
        (cell) => [getComputedStyle(cell, "::before").content, cell.offsetWidth > 300])]"""

    for table, heads in (
        ("gates", ["Outcome", "Criterion", "Observed", "Reason"]),
        ("capabilities", ["Overall effectiveness", "Predictive power", "Class effectiveness"]),
    ):
        fits, cells = living.page.locator(f"#table-{table}").evaluate(layout_script)
        assert fits
        assert cells[: len(heads)] == [[f'"{head}" / ""', True] for head in heads]
    living.page.set_viewport_size({"width": 1280, "height": 900})
    row = living.page.locator("#table-gates tbody tr").first
    assert row.evaluate("(row) => getComputedStyle(row).display") == "table-row"
