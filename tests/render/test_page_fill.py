"""Figures of the PDF become lower where that closes a gap on a page."""

from __future__ import annotations

import pytest

from reportgen.render.page_fill import (
    MIN_HEIGHT_SCALE,
    FlowBlock,
    PageFlow,
    choose_height_scales,
    simulate_pages,
)

PAGE = 1000.0


def flow(*blocks: FlowBlock) -> PageFlow:
    """Return the flow of blocks on pages of 1,000 pixels."""
    return PageFlow(blocks, (PAGE, PAGE))


def figure(name: str, start: float, end: float) -> FlowBlock:
    """Return a figure."""
    return FlowBlock(start, end, is_unbreakable=True, figure=name)


def test_a_figure_that_almost_fits_becomes_lower() -> None:
    """600 pixels of text and a figure of 450, which can lose 100, fill a page of 1,000."""
    pages = flow(FlowBlock(0.0, 600.0), figure("a", 600.0, 1050.0), FlowBlock(1050.0, 1800.0))

    scales = choose_height_scales(pages, {"a": 100.0})

    assert MIN_HEIGHT_SCALE <= scales["a"] <= 1 - (1 - MIN_HEIGHT_SCALE) * 50 / 100


def test_all_figures_of_a_page_contribute() -> None:
    """Two figures that can lose 40 each make room for 70 pixels; one could not."""
    pages = flow(figure("a", 0.0, 600.0), figure("b", 600.0, 1044.0), FlowBlock(1044.0, 1800.0))

    assert set(choose_height_scales(pages, {"a": 40.0, "b": 40.0})) == {"a", "b"}
    assert choose_height_scales(pages, {"a": 40.0, "b": 0.0}) == {}


def test_figures_keep_their_height_where_all_pages_are_full() -> None:
    """No second layout without a gap."""
    pages = flow(figure("a", 0.0, 950.0), FlowBlock(950.0, 1500.0), figure("b", 1500.0, 1900.0))

    assert choose_height_scales(pages, {"a": 200.0, "b": 200.0}) == {}


def test_a_gap_is_the_rest_of_the_page_before_an_unbreakable_block() -> None:
    """A table of 500 after 600 pixels leaves 400 of 1,000 empty, of which 120 do not count."""
    table = FlowBlock(600.0, 1100.0, is_unbreakable=True)
    pages = flow(FlowBlock(0.0, 600.0), table)

    assert simulate_pages(pages, {}, adapts=False).cost == pytest.approx(0.4 - 0.12)


def test_a_last_page_of_a_few_lines_is_saved() -> None:
    """200 of 1,000 are less than a third; the figure above can lose 200 and has room for them."""
    text = FlowBlock(1900.0, 2100.0)
    pages = flow(figure("a", 0.0, 950.0), figure("b", 950.0, 1900.0), text)

    scales = choose_height_scales(pages, {"a": 200.0, "b": 200.0})

    assert scales["b"] < 0.8
