"""Marks on lines: what any point, the predictions as made, or a crossing looks like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.rendering.figures.names import width_of
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    box,
    coordinate,
    element,
    layered,
    shape,
    text,
)
from reportgen.rendering.numbers import plain_text
from reportgen.rendering.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.axes import Scale
    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import LineChart, MarkKind, Point, Series

SIZES = {"plain": 4.2, "operating": 5.2, "best": 4.6, "crossing": 3.6}
PAPER, DARK = "#fff", "#1b2732"
CAP, BETWEEN = 2.5, 8.0


def mark(at: Point, kind: MarkKind, order: int, ink: Ink, series: str = "") -> Markup:
    """Draw a mark of a series; the predictions as made have an outline and can be moved."""
    attributes = ink.area(order)
    if kind == "operating":
        outline = {"stroke": DARK, "stroke-width": "1.4", **ink.known_as("operating")}
        moved = {"data-series": visible(series)} if series and not ink.for_pdf else {}
        return shape(at, order, layered(attributes, outline, moved), SIZES[kind])
    if kind == "best":
        ring = {"fill": PAPER, "stroke": attributes["fill"], "stroke-width": "1.6"}
        hollow = layered(attributes, ring, ink.known_as("hollow"))
        return shape(at, order, hollow, SIZES[kind])
    return shape(at, order, {**attributes, "stroke": PAPER}, SIZES[kind])


def neutral_mark(at: Point, kind: MarkKind, ink: Ink) -> Markup:
    """Draw a mark that belongs to no classifier: where lines cross, or one of a legend."""
    look = ink.of("mark")
    if kind == "operating":
        look = {**look, **ink.of("quiet")}
    return shape(at, 0, look, SIZES[kind])


def marks_of(series: Series, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    """Draw the marks of a series that lie within the axes, with their intervals below them."""
    inside = [each for each in series.markers if _is_inside(each.point, across, down)]
    whiskers = "".join(
        _whisker(across.at(each.point[0]), down.at(each.low), down.at(each.high))
        for each in inside
        if each.low is not None and each.high is not None
    )
    if whiskers:
        thin = {**ink.solid(series.order), "stroke-width": "1", "stroke-opacity": "0.75"}
        yield element("path", {"d": whiskers, **thin})
    for each in inside:
        at = across.at(each.point[0]), down.at(each.point[1])
        yield mark(at, each.kind, series.order, ink, series.name)


def crossings_of(chart: LineChart, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    """Draw the marks of no series, each with its number where no other number or mark is."""
    places = [(across.at(each.point[0]), down.at(each.point[1])) for each in chart.marked]
    half = SIZES["crossing"] + 2
    taken = [(x - half, y + FONT_SIZE / 2, 2 * half) for x, y in places]
    for each, at in zip(chart.marked, places, strict=True):
        words = "" if each.number is None else short_text(each.number)
        found = _label(words, at, across, down, taken) if words else None
        if found is not None:
            left, y, width = found
            taken.append(found)
            ground = {**ink.of("paper"), "fill-opacity": "0.8"}
            yield box((left - 1, y - FONT_SIZE + 1), (width + 2, FONT_SIZE + 1), ground)
            yield text((left, y), words, ink.of("text"))
    yield from (neutral_mark(at, "crossing", ink) for at in places)


def short_text(number: float) -> str:
    """Write a number with the three digits that count."""
    return plain_text(float(f"{number:.3g}"))


def _label(
    words: str,
    at: Point,
    across: Scale,
    down: Scale,
    taken: Sequence[tuple[float, float, float]],
) -> tuple[float, float, float] | None:
    """Return where a label has room: its left end, its line and its width; None: nowhere."""
    x, y = at
    width = width_of(words) * FONT_SIZE
    bottom, top = down.places
    for left in (x + BETWEEN, x - BETWEEN - width):
        for height in (y + 1.6 * FONT_SIZE, y - 0.8 * FONT_SIZE, y + 2.8 * FONT_SIZE):
            fits = across.places[0] < left and left + width < across.places[1]
            free = all(
                left > other + wide or left + width < other or abs(height - line_) > FONT_SIZE
                for other, line_, wide in taken
            )
            if fits and free and top + FONT_SIZE < height < bottom - 2:
                return left, height, width
    return None


def _whisker(x: float, low: float, high: float) -> str:
    caps = "".join(f"M{coordinate(x - CAP)} {coordinate(end)}h{2 * CAP:g}" for end in (low, high))
    return f"M{coordinate(x)} {coordinate(low)}V{coordinate(high)}{caps}"


def _is_inside(point: Point, across: Scale, down: Scale) -> bool:
    (left, right), (low, high) = across.numbers, down.numbers
    return left <= point[0] <= right and low <= point[1] <= high
