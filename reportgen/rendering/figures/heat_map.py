"""Confusion matrices as tints: blue where right, orange where wrong, deeper for larger shares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.rendering.figures.names import name_text, widest, width_of
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    box,
    coordinate,
    element,
    line,
    text,
)
from reportgen.rendering.numbers import count_text, percent_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy.typing as npt
    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.cases import HeatMap, HeatPanel

# Uneven: of rare confusions some are rarer, and of classes mostly found some are found less.
STEPS = {
    "right": (0.25, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0),
    "wrong": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0),
}
# Under figures the tints stay light enough to read them.
FAINT = ("0.08", "0.13", "0.19", "0.25", "0.32", "0.4", "0.48")
DEEP = ("0.14", "0.24", "0.36", "0.5", "0.64", "0.8", "1")
ROUNDING = 1e-12
SMALL, MOST_COUNTED, EVERY = 10.0, 15, 5
COUNT_WIDTH, COUNT_GAP, WIDEST_CELL, LOWEST_CELL = 6.2, 2.0, 44.0, 11.0
LOWEST_COUNTED, HIGHEST_CELL = 17.0, 22.0
LEAST_LEFT, LEFT_OF_TWO, LEFT_OF_ONE, OVER = 42.0, 116.0, 190.0, 84.0
GAP, BETWEEN, TITLE, AXIS = 22.0, 24.0, 16.0, 15.0
SWATCH, SWATCH_HEIGHT, LEGEND, LEGEND_ROW, LEGEND_WORDS = 44.0, 11.0, 60.0, 28.0, 146.0


@frozen
class _Layout:
    """Where things stand: room at the left and over the columns, the size of a cell."""

    left: float
    over: float
    width: float
    height: float
    across: int
    counted: bool
    numbered: bool
    upright: bool

    @property
    def head(self) -> float:
        """Return the room over a matrix."""
        return TITLE + AXIS + self.over + 4

    @property
    def tints(self) -> tuple[str, ...]:
        """Return how strong the tint of each step is."""
        return FAINT if self.counted else DEEP


def draw_heat_map(chart: HeatMap, ink: Ink) -> Drawn:
    """Draw the matrices side by side if there is room, else below each other."""
    layout = _layout(chart)
    number = len(chart.classes)
    across, down = number * layout.width + GAP, layout.head + number * layout.height + BETWEEN
    rows = math.ceil(len(chart.panels) / layout.across)
    parts: list[Markup] = []
    for at, panel in enumerate(chart.panels):
        row, column = divmod(at, layout.across)
        x, y = layout.left + column * across, row * down + layout.head
        parts += _names_beside(chart, layout, y, ink) if column == 0 else ()
        parts += _panel(chart, panel, layout, (x, y), ink)
    foot = rows * down
    return Drawn((*parts, *_legend(layout, foot, ink)), foot + LEGEND)


def _layout(chart: HeatMap) -> _Layout:
    number = len(chart.classes)
    longest = widest(chart.classes, SMALL)
    numbered = longest > OVER
    beside = longest + (width_of(f"{number}. ") * SMALL if numbered else 0.0) + 10
    figures = max(len(count_text(max(map(max, panel.counts)))) for panel in chart.panels)
    needed = max(figures * COUNT_WIDTH + COUNT_GAP, LOWEST_COUNTED)
    counted = number <= MOST_COUNTED
    least = needed if counted else SMALL
    across, left = 2, max(LEAST_LEFT, min(beside, LEFT_OF_TWO))
    if left + 2 * number * least + GAP > WIDTH:
        across, left = 1, max(LEAST_LEFT, min(beside, LEFT_OF_ONE, WIDTH - number * SMALL))
    room = (WIDTH - left - GAP * (across - 1)) / (number * across)
    counted = counted and room >= needed
    width = min(WIDEST_CELL, max(math.floor(2 * room) / 2, needed if counted else 0.0))
    lowest = LOWEST_COUNTED if counted else LOWEST_CELL
    over = width_of(str(number)) * SMALL if numbered else longest
    upright = over > width - 3
    return _Layout(
        left=left,
        over=over if upright else SMALL,
        width=width,
        height=max(lowest, min(width, HIGHEST_CELL)),
        across=across,
        counted=counted,
        numbered=numbered,
        upright=upright,
    )


def _names_beside(chart: HeatMap, layout: _Layout, top: float, ink: Ink) -> Iterator[Markup]:
    edge, quiet = layout.left - 6, _small(ink.of("quiet"))
    yield text((edge, top - 5), "true ↓", quiet, "end")
    for at, name in enumerate(chart.classes):
        shown = f"{at + 1}. {name}" if layout.numbered else name
        middle = top + (at + 0.5) * layout.height + SMALL * 0.35
        # The room is counted in letters of the usual size.
        room = edge * FONT_SIZE / SMALL
        yield name_text((edge, middle), shown, room, _small(ink.of("text")), "end")


def _panel(
    chart: HeatMap, panel: HeatPanel, layout: _Layout, at: tuple[float, float], ink: Ink
) -> Iterator[Markup]:
    (x, y), number = at, len(chart.classes)
    wide, high = number * layout.width, number * layout.height
    bold = {**ink.of("text"), "font-weight": "600"}
    yield name_text((x, y - layout.head + FONT_SIZE), panel.name, wide, bold)
    yield text((x, y - layout.over - 9), "predicted →", _small(ink.of("quiet")))
    names = [str(at + 1) for at in range(number)] if layout.numbered else chart.classes
    shared = {**_small(ink.of("text")), **({} if layout.upright else {"text-anchor": "middle"})}
    over = (_name_over(name, column, layout, at) for column, name in enumerate(names))
    yield element("g", shared, *over)
    yield box((x, y), (wide, high), ink.of("ground"))
    counts = np.array(panel.counts, dtype=np.int64)
    yield from _tints(counts, layout, at, ink)
    if layout.counted:
        yield _counts(counts, layout, at, ink)
    else:
        for step in range(EVERY, number, EVERY):
            right, down = x + step * layout.width, y + step * layout.height
            yield line((right, y), (right, y + high), ink.of("grid"))
            yield line((x, down), (x + wide, down), ink.of("grid"))


def _name_over(name: str, column: int, layout: _Layout, at: tuple[float, float]) -> Markup:
    x, y = at[0] + (column + 0.5) * layout.width, at[1] - 5
    if not layout.upright:
        return text((x, y), name, {})
    x += SMALL * 0.35
    return text((x, y), name, {"transform": f"rotate(-90 {coordinate(x)} {coordinate(y)})"})


def _tints(
    counts: npt.NDArray[np.int64], layout: _Layout, at: tuple[float, float], ink: Ink
) -> Iterator[Markup]:
    """Draw all cells of a tint as one path: a stroke as wide as a cell is high."""
    sizes = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    diagonal = np.eye(len(counts), dtype=np.bool_)
    gap = 1.0 if layout.counted else 0.0
    for kind, largest in STEPS.items():
        chosen = (diagonal if kind == "right" else ~diagonal) & (counts > 0)
        steps = np.searchsorted(np.array(largest) + ROUNDING, counts / sizes)
        for step, strength in enumerate(layout.tints):
            cells = np.argwhere(chosen & (steps == step))
            if not cells.size:
                continue
            moves = (
                f"M{coordinate(at[0] + column * layout.width + gap / 2)}"
                f" {coordinate(at[1] + (row + 0.5) * layout.height)}"
                f"h{coordinate(layout.width - gap)}"
                for row, column in cells
            )
            width = coordinate(layout.height - gap)
            yield element(
                "path", {"d": "".join(moves), **ink.tint(kind, strength), "stroke-width": width}
            )


def _counts(
    counts: npt.NDArray[np.int64], layout: _Layout, at: tuple[float, float], ink: Ink
) -> Markup:
    """Write the counts, which share what is said of them once."""
    shared = {**_small(ink.of("text")), "text-anchor": "middle"}
    x, y = at[0] + 0.5 * layout.width, at[1] + 0.5 * layout.height + SMALL * 0.36
    return element(
        "g",
        shared,
        *(
            text(
                (x + column * layout.width, y + row * layout.height),
                count_text(int(counts[row, column])),
                {},
            )
            for row, column in np.argwhere(counts > 0)
        ),
    )


def _legend(layout: _Layout, top: float, ink: Ink) -> Iterator[Markup]:
    """Show the tints with the largest share each stands for."""
    quiet = _small(ink.of("quiet"))
    start, width = LEGEND_WORDS, coordinate(SWATCH_HEIGHT)
    for row, kind in enumerate(STEPS):
        y = top + SWATCH_HEIGHT / 2 + row * LEGEND_ROW
        yield text((0.0, y + SMALL * 0.35), f"{kind}, share of the row up to", quiet)
        for at, strength in enumerate(layout.tints):
            x = start + at * SWATCH
            move = f"M{coordinate(x)} {coordinate(y)}h{coordinate(SWATCH - 1)}"
            yield element("path", {"d": move, **ink.tint(kind, strength), "stroke-width": width})
            place = (x + SWATCH / 2, y + SWATCH_HEIGHT / 2 + SMALL)
            yield text(place, percent_text(STEPS[kind][at]), quiet, "middle")


def _small(attributes: Mapping[str, str]) -> dict[str, str]:
    return {**attributes, "font-size": coordinate(SMALL)}
