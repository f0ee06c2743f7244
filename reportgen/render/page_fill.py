"""Heights of figures in the PDF, chosen so that no page is left with a large gap.

A figure or a short table that does not fit on a page moves to the next one. After a first layout,
the pages are simulated with lower plots; where that closes gaps, the report is laid out again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Protocol

from reportgen.render.plain_text import block_anchor
from reportgen.render.svg import print_height
from reportgen.report.document import Figure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reportgen.report.document import ReportDocument

# The lowest plots, as a share of their full height, and the shares tried for all figures.
MIN_HEIGHT_SCALE = 0.7
_COMMON_SCALES = (1.0, 0.94, 0.88, 0.82, 0.76, MIN_HEIGHT_SCALE)
# As shares of a page: a gap that is not noticed, and a last page that is nearly empty.
_SMALL_GAP, _LEAST_LAST_PAGE = 0.12, 1 / 3
# A second layout is worth its time for at least this improvement of the cost.
_MIN_IMPROVEMENT = 0.03
# Lower plots cost something too: this share of what they were lowered by.
_SHRINKING_COST = 0.04
# WeasyPrint keeps up to two lines of room below a figure, in CSS pixels.
_SAFETY = 26.0
_TWO_LINES = 34.0
_HEADINGS = ("h2", "h3")
# Contents and colophon, which belong to no section.
_UNSECTIONED = ("nav", "footer")


class LayoutBox(Protocol):
    """A box of WeasyPrint's layout; all lengths are in CSS pixels."""

    element_tag: str
    element: object
    children: Sequence[LayoutBox]
    position_y: float
    height: float

    def margin_height(self) -> float:
        """Return the height with margins."""

    def content_box_y(self) -> float:
        """Return the top of the content."""

    def descendants(self) -> Iterable[LayoutBox]:
        """Return the box and all boxes within it."""


@dataclass(frozen=True, slots=True)
class FlowBlock:
    """A block in the flow of consecutive pages, which is joined without its gaps.

    `least_beginning` is the height of what is on the page where the block begins.
    """

    start: float
    end: float
    least_beginning: float = 0.0
    is_unbreakable: bool = False
    figure: str = ""


@dataclass(frozen=True, slots=True)
class PageFlow:
    """The blocks of consecutive pages of the same width, and the room of the first and the rest."""

    blocks: tuple[FlowBlock, ...]
    capacities: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Pagination:
    """The height scale of each figure, and what the pages made with them cost."""

    scales: Mapping[str, float]
    cost: float


def fit_figures(report: ReportDocument, page_boxes: Sequence[LayoutBox]) -> ReportDocument | None:
    """Return the report with lower figures that close gaps, or nothing if there is no better one.

    Args:
        report: The report as it was laid out, with figures of full height.
        page_boxes: The pages of the layout.
    """
    figures = {
        block_anchor(block): block
        for section in report.sections
        for block in section.blocks
        if isinstance(block, Figure)
    }
    slack = {
        anchor: print_height(figure) - print_height(replace(figure, height_scale=MIN_HEIGHT_SCALE))
        for anchor, figure in figures.items()
    }
    scales: dict[str, float] = {}
    for flow in _page_flows(page_boxes):
        scales |= choose_height_scales(flow, slack)
    if not scales:
        return None
    return replace(
        report,
        sections=tuple(
            replace(
                section,
                blocks=tuple(
                    replace(block, height_scale=scales.get(block_anchor(block), 1.0))
                    if isinstance(block, Figure)
                    else block
                    for block in section.blocks
                ),
            )
            for section in report.sections
        ),
    )


def choose_height_scales(flow: PageFlow, slack: Mapping[str, float]) -> Mapping[str, float]:
    """Return the height scales of figures that make better pages; empty if full heights are best.

    Args:
        flow: The blocks of the pages.
        slack: By how much each figure can become lower, in CSS pixels.
    """
    unchanged = simulate_pages(flow, slack, adapts=False)
    best = min(
        (simulate_pages(flow, slack, common) for common in _COMMON_SCALES),
        key=lambda pagination: pagination.cost,
    )
    return best.scales if best.cost < unchanged.cost - _MIN_IMPROVEMENT else {}


def simulate_pages(
    flow: PageFlow, slack: Mapping[str, float], common: float = 1.0, *, adapts: bool = True
) -> Pagination:
    """Break the blocks into pages as the layout does.

    Args:
        flow: The blocks of the pages.
        slack: By how much each figure can become lower, in CSS pixels.
        common: The height scale of all figures.
        adapts: Whether figures of a page become lower still, if the next block then fits.
    """
    share = (1 - common) / (1 - MIN_HEIGHT_SCALE)
    removed = {block.figure: share * slack.get(block.figure, 0.0) for block in flow.blocks}
    simulation = _PageSimulation(flow.capacities, slack, removed, adapts=adapts)
    for block in flow.blocks:
        simulation.place(block)
    last = (
        (flow.blocks[-1].end - simulation.page_start) / flow.capacities[1] if flow.blocks else 1.0
    )
    scales = {
        figure: 1 - (1 - MIN_HEIGHT_SCALE) * amount / slack[figure]
        for figure, amount in removed.items()
        if slack.get(figure) and amount > 0
    }
    cost = (
        sum(max(0.0, gap - _SMALL_GAP) for gap in simulation.gaps)
        + max(0.0, _LEAST_LAST_PAGE - last)
        + _SHRINKING_COST * sum(1 - scale for scale in scales.values())
    )
    return Pagination(scales, cost)


@dataclass(slots=True)
class _PageSimulation:
    """The pages so far: gaps at their ends, and what each figure was lowered by."""

    capacities: tuple[float, float]
    slack: Mapping[str, float]
    removed: dict[str, float]
    adapts: bool
    gaps: list[float] = field(default_factory=list)
    # The place in the flow at which the page begins, plus what figures on it were lowered by.
    page_start: float = 0.0
    figures: list[str] = field(default_factory=list)

    def place(self, block: FlowBlock) -> None:
        """Put a block on the page, or on the next one."""
        capacity = self.capacities[bool(self.gaps)]
        if self.adapts and block.figure:
            capacity -= _SAFETY
        self.page_start += self.removed[block.figure]
        self.figures += [block.figure] if block.figure else []
        excess = block.end - self.page_start - capacity
        if excess <= 0 or (self.adapts and block.is_unbreakable and self._lower_figures(excess)):
            return
        if block.is_unbreakable:
            before = self.page_start - self.removed[block.figure]
            self._begin_page(
                block.start + self.removed[block.figure],
                (capacity - (block.start - before)) / capacity,
            )
            self.figures += [block.figure] if block.figure else []
            return
        # At least the headings and two lines are on the page before.
        if block.start + block.least_beginning - self.page_start > capacity:
            self._begin_page(block.start)
            excess = block.end - block.start - self.capacities[1]
        while excess > 0:
            self._begin_page(block.end - excess)
            excess -= self.capacities[1]

    def _begin_page(self, start: float, gap: float = 0.0) -> None:
        self.gaps.append(gap)
        self.page_start, self.figures = start, []

    def _lower_figures(self, excess: float) -> bool:
        """Lower the figures of the page by a length, if they can be."""
        rooms = {name: self.slack.get(name, 0.0) - self.removed[name] for name in self.figures}
        room = sum(rooms.values())
        if excess > room:
            return False
        for name, part in rooms.items():
            self.removed[name] += part * excess / room
        self.page_start += excess
        return True


def _page_flows(page_boxes: Sequence[LayoutBox]) -> Iterator[PageFlow]:
    """Yield the blocks of runs of pages with the same height: portrait or landscape."""
    for _, group in groupby(page_boxes, key=lambda page: round(page.margin_height())):
        pages = list(group)
        capacities = [page.height for page in pages]
        yield PageFlow(
            tuple(_join_pages(pages)), (capacities[0], max(capacities[1:], default=capacities[0]))
        )


def _join_pages(pages: Sequence[LayoutBox]) -> Iterator[FlowBlock]:
    joined = 0.0
    for page in pages:
        top = page.content_box_y()
        bottom = top
        for section in page.descendants():
            if section.element_tag in _UNSECTIONED:
                end = section.position_y + section.margin_height()
                yield FlowBlock(joined + section.position_y - top, joined + end - top)
                bottom = max(bottom, end)
            if section.element_tag != "section":
                continue
            # A block keeps the headings before it, and the paragraph after a heading.
            block_top, previous = section.position_y, ""
            for child in section.children:
                end = child.position_y + child.margin_height()
                tag, attributes = child.element_tag, _attributes(child)
                is_label = tag.endswith("::before")
                if is_label or tag in _HEADINGS or (tag == "p" and previous in _HEADINGS):
                    previous, bottom = tag, max(bottom, end)
                    continue
                classes = attributes.get("class", "").split()
                is_figure = tag == "figure"
                if "table" in classes and "short" not in classes:
                    for group in _row_groups(child):
                        group_end = group.position_y + group.margin_height()
                        yield FlowBlock(
                            joined + block_top - top, joined + group_end - top, is_unbreakable=True
                        )
                        block_top = group_end
                yield FlowBlock(
                    joined + block_top - top,
                    joined + end - top,
                    child.position_y - block_top + min(_TWO_LINES, end - child.position_y),
                    is_unbreakable=is_figure or "short" in classes,
                    figure=attributes.get("id", "") if is_figure else "",
                )
                block_top, previous, bottom = end, tag, max(bottom, end)
            if block_top < bottom:
                yield FlowBlock(joined + block_top - top, joined + bottom - top)
        joined += bottom - top


def _row_groups(table: LayoutBox) -> Iterator[LayoutBox]:
    """Yield the groups of rows of a table that are kept on one page."""
    for box in table.descendants():
        if box.element_tag == "tbody" and "together" in _attributes(box).get("class", ""):
            yield box


def _attributes(box: LayoutBox) -> Mapping[str, str]:
    element = box.element
    attributes: Mapping[str, str] = getattr(element, "attrib", {})
    return attributes
