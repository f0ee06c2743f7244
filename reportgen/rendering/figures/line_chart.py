"""Lines over an axis, with bands, marks and a legend beside them."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from reportgen.rendering.figures.axes import Scale, x_axis, y_axis
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    coordinate,
    element,
    line,
    name_text,
    shape,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts import LineChart, Point, Series

LEFT, TOP, FOOT = 38.0, 30.0, 42.0
PLOT_WIDTH, PLOT_HEIGHT, SQUARE = 400.0, 220.0, 290.0
SAMPLE, ENTRY = 28.0, 19.0


def draw_lines(chart: LineChart, ink: Ink) -> Drawn:
    """Draw the chart."""
    width, height = (SQUARE, SQUARE) if chart.square else (PLOT_WIDTH, PLOT_HEIGHT)
    across = Scale(chart.x_range, (LEFT, LEFT + width))
    down = Scale(chart.y_range, (TOP + height, TOP))
    entries = len(chart.series) + len(chart.references)
    return Drawn(
        (
            *x_axis(across, (TOP, TOP + height), chart.x_label, ink),
            *y_axis(down, (LEFT, LEFT + width), chart.y_label, ink),
            *_references(chart, across, down, ink),
            *(part for series in chart.series for part in _series(series, across, down, ink)),
            *_legend(chart, LEFT + width + 22, ink),
        ),
        max(TOP + height + FOOT, TOP + entries * ENTRY + FONT_SIZE),
    )


def _references(chart: LineChart, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    for found in chart.references:
        start, end = (
            (across.at(point[0]), down.at(point[1])) for point in (found.start, found.end)
        )
        yield line(start, end, ink.of("reference"))


def _series(series: Series, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    if series.band is not None:
        upper = [(across.at(x), down.at(high)) for x, _, high in series.band.points]
        lower = [(across.at(x), down.at(low)) for x, low, _ in reversed(series.band.points)]
        outline = _path([*upper, *lower], step=False) + "Z"
        yield element("path", {"d": outline, **ink.area(series.order, "0.15")})
    places = [(across.at(x), down.at(y)) for x, y in series.points]
    if places:
        path = {"d": _path(places, step=series.step), **ink.line(series.order)}
        yield element("path", path, element("title", {}, series.name))
    for marker in series.markers:
        x, y = across.at(marker.point[0]), down.at(marker.point[1])
        yield shape((x, y), series.order, {**ink.area(series.order), "stroke": "#fff"}, 4.6)
        if marker.label:
            yield text((x + 8, y + FONT_SIZE), marker.label, ink.of("quiet"))


def _path(places: list[Point], *, step: bool) -> str:
    """Write a path, without the points that would not be seen."""
    written = [(coordinate(x), coordinate(y)) for x, y in places]
    seen = [place for at, place in enumerate(written) if at == 0 or place != written[at - 1]]
    parts = [f"M{seen[0][0]} {seen[0][1]}"]
    for (_, before), (x, y) in pairwise(seen):
        parts.append((f"H{x}" + (f"V{y}" if y != before else "")) if step else f"L{x} {y}")
    return "".join(parts)


def _legend(chart: LineChart, left: float, ink: Ink) -> Iterator[Markup]:
    """Name every line beside the plot, with its pattern, for those who see no colours."""
    y, words = TOP + FONT_SIZE / 2, left + SAMPLE + 8
    room = WIDTH - words
    for series in chart.series:
        yield line((left, y), (left + SAMPLE, y), ink.line(series.order))
        if series.markers:
            yield shape((left + SAMPLE / 2, y), series.order, ink.area(series.order))
        yield name_text((words, y + FONT_SIZE * 0.35), series.name, room, ink.of("text"))
        y += ENTRY
    for found in chart.references:
        yield line((left, y), (left + SAMPLE, y), ink.of("reference"))
        yield name_text((words, y + FONT_SIZE * 0.35), found.label, room, ink.of("quiet"))
        y += ENTRY
