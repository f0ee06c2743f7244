"""ROC space divided by lines of equal likelihood ratios through one point (Biggerstaff 2000)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.rendering.figures.axes import Scale, x_axis, y_axis
from reportgen.rendering.figures.clipping import clipped_area
from reportgen.rendering.figures.legend import ENTRY, SAMPLE
from reportgen.rendering.figures.marks import mark
from reportgen.rendering.figures.names import name_text
from reportgen.rendering.figures.paths import area_path, line_path
from reportgen.rendering.figures.region_words import LINE, Box, placed_words
from reportgen.rendering.figures.svg import FONT_SIZE, WIDTH, Drawn, element, line, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import LikelihoodGraph, Point, RatePoint

LEFT, TOP, FOOT, SIDE, BESIDE = 38.0, 30.0, 42.0, 330.0, 22.0
CORNERS: tuple[Point, Point] = ((0.0, 0.0), (1.0, 1.0))
TINTS = ("region", "half-region", "half-region", None)
WHERE = (
    "above both lines",
    "between the lines, left of the point",
    "between the lines, right of the point",
    "below both lines",
)
DASHED = {"stroke-dasharray": "6 3"}
MARK, THIN = 8.0, 1.5
# Smaller than this, in units of the drawing, nobody misses its name.
SPECK = 12.0


def draw_likelihoods(graph: LikelihoodGraph, ink: Ink) -> Drawn:
    """Draw the regions with their names, the lines, and every classifier with its cross."""
    across = Scale(graph.x_range, (LEFT, LEFT + SIDE))
    down = Scale(graph.y_range, (TOP + SIDE, TOP))
    regions = regions_around(graph.reference.at)
    points = (graph.reference, *graph.others)
    words, unnamed = _words(graph, regions, across, down, ink)
    legend = tuple(_legend(graph, unnamed, LEFT + SIDE + BESIDE, ink))
    rows = 3 + len(points) + 2 * len(unnamed)
    return Drawn(
        (
            *_tints(regions, across, down, ink),
            *x_axis(across, (TOP, TOP + SIDE), graph.x_label, ink),
            *y_axis(down, across.places, graph.y_label, ink),
            *_lines(regions[0], across, down, ink),
            *words,
            *(part for point in points for part in _cross(point, across, down, ink)),
            *(_point(point, graph, across, down, ink) for point in reversed(points)),
            *legend,
        ),
        max(TOP + SIDE + FOOT, TOP + rows * ENTRY + FONT_SIZE),
    )


def regions_around(at: Point) -> tuple[tuple[Point, ...], ...]:
    """Return the corners of the regions above both lines, left, right, and below both.

    A line of equal positive ratios comes from (0, 0), one of equal negative ratios goes to (1, 1).
    """
    x, y = at
    on_the_left = (0.0, 1 - (1 - y) / (1 - x))
    on_top = (x / y, 1.0)
    return (
        (on_the_left, at, on_top, (0.0, 1.0)),
        (CORNERS[0], at, on_the_left),
        (at, CORNERS[1], on_top),
        (CORNERS[0], CORNERS[1], at),
    )


def _tints(
    regions: Sequence[Sequence[Point]], across: Scale, down: Scale, ink: Ink
) -> Iterator[Markup]:
    for region, tint in zip(regions, TINTS, strict=True):
        path = area_path(region, across, down) if tint else ""
        if tint and path:
            yield element("path", {"d": path, **ink.of(tint)})


def _lines(superior: Sequence[Point], across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    """Draw chance and the lines of equal ratios, which bound the region above both of them."""
    on_the_left, _, on_top, _ = superior
    for ends, look in (
        (CORNERS, ink.of("reference")),
        ((CORNERS[0], on_top), ink.of("equal-ratio")),
        ((on_the_left, CORNERS[1]), {**ink.of("equal-ratio"), **DASHED}),
    ):
        path = line_path(ends, across, down)
        if path:
            yield element("path", {"d": path, **look})


def _words(
    graph: LikelihoodGraph,
    regions: Sequence[Sequence[Point]],
    across: Scale,
    down: Scale,
    ink: Ink,
) -> tuple[list[Markup], list[int]]:
    """Write the names into the regions; also return which of them have no room for theirs."""
    avoided = [
        box for point in (graph.reference, *graph.others) for box in _boxes(point, across, down)
    ]
    drawn: list[Markup] = []
    unnamed = []
    for at, region in enumerate(regions):
        seen = [
            (across.at(x), down.at(y))
            for x, y in clipped_area(region, across.numbers, down.numbers)
        ]
        found = placed_words(graph.words[at], seen, avoided)
        if found is None:
            unnamed += [at] if _extent(seen) > SPECK else []
            continue
        x, y = found.middle
        first = y - LINE * len(found.lines) / 2 + 0.75 * LINE
        drawn += [
            text((x, first + LINE * row), words, ink.of("text"), "middle")
            for row, words in enumerate(found.lines)
        ]
    return drawn, unnamed


def _extent(corners: Sequence[Point]) -> float:
    """Return the lesser of width and height."""
    if not corners:
        return 0.0
    spans = ([corner[axis] for corner in corners] for axis in (0, 1))
    return min(max(span) - min(span) for span in spans)


def _boxes(point: RatePoint, across: Scale, down: Scale) -> tuple[Box, Box, Box]:
    """Return what words must not hide: a mark and the two bars of its cross."""
    x, y = across.at(point.at[0]), down.at(point.at[1])
    left, right = (across.at(end) for end in point.across)
    low, high = (down.at(end) for end in point.up)
    return (
        Box(x - MARK, y - MARK, x + MARK, y + MARK),
        Box(left, y - THIN, right, y + THIN),
        Box(x - THIN, high, x + THIN, low),
    )


def _cross(point: RatePoint, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    x, y = across.at(point.at[0]), down.at(point.at[1])
    thin = {**ink.solid(point.order), "stroke-width": "1.1"}
    yield line((across.at(point.across[0]), y), (across.at(point.across[1]), y), thin)
    yield line((x, down.at(point.up[0])), (x, down.at(point.up[1])), thin)


def _point(
    point: RatePoint, graph: LikelihoodGraph, across: Scale, down: Scale, ink: Ink
) -> Markup:
    at = across.at(point.at[0]), down.at(point.at[1])
    return mark(at, "operating" if point is graph.reference else "plain", point.order, ink)


def _legend(
    graph: LikelihoodGraph, unnamed: Sequence[int], left: float, ink: Ink
) -> Iterator[Markup]:
    middle, words, y = left + SAMPLE / 2, left + SAMPLE + 8, TOP + FONT_SIZE / 2
    room, lowered = WIDTH - words, FONT_SIZE * 0.35
    for point in sorted((graph.reference, *graph.others), key=lambda point: point.order):
        chosen = point is graph.reference
        yield mark((middle, y), "operating" if chosen else "plain", point.order, ink)
        yield name_text((words, y + lowered), point.name, room, ink.of("text"))
        y += ENTRY
    thin = [
        ("the same ρ+ as the outlined mark", ink.of("equal-ratio")),
        ("the same ρ− as the outlined mark", {**ink.of("equal-ratio"), **DASHED}),
    ]
    # The diagonal comes into the picture only where the axes overlap.
    thin += [("chance", ink.of("reference"))] if graph.x_range[1] > graph.y_range[0] else []
    for ends, look in thin:
        yield line((left, y), (left + SAMPLE, y), look)
        yield name_text((words, y + lowered), ends, room, ink.of("quiet"))
        y += ENTRY
    for at in unnamed:
        yield text((left, y + lowered), f"{WHERE[at]}:", ink.of("quiet"))
        yield text((left, y + lowered + LINE), graph.words[at], ink.of("text"))
        y += 2 * ENTRY
