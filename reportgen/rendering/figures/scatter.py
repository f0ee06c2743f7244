"""Clouds of predictions side by side on the same axes, many cases close together as one dot."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.rendering.figures.axes import TICK, Scale
from reportgen.rendering.figures.names import name_text, widest, width_of
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    coordinate,
    element,
    line,
    text,
)
from reportgen.rendering.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.cases import Scatter, ScatterPanel

SMALL, TOP, HEAD, FOOT, GAP, LEGEND, RIGHT = 10.0, 20.0, 20.0, 24.0, 18.0, 26.0, 12.0
FEW, MANY, WIDEST, LOWER = 2, 3, 270.0, 0.66
# A single case is a dot of this radius; the most cases in one place are drawn no larger than that.
ONE, LARGEST, SMALLEST, SIZES = 2.0, 5.0, 0.9, 8
OPACITY, SAMPLE = "0.6", 28.0


@frozen
class _Layout:
    """Where the panels stand, how large they are, and how large a dot is for a single case."""

    left: float
    width: float
    height: float
    across: int
    radius: float


def draw_scatter(chart: Scatter, ink: Ink) -> Drawn:
    """Draw the panels in rows of up to three."""
    layout = _layout(chart)
    parts: list[Markup] = [text((0.0, FONT_SIZE), chart.y_label, ink.of("text"))]
    down = HEAD + layout.height + FOOT
    for at, panel in enumerate(chart.panels):
        row, column = divmod(at, layout.across)
        x = layout.left + column * (layout.width + GAP)
        y = TOP + row * down + HEAD
        across = Scale(chart.x_range, (x, x + layout.width))
        upwards = Scale(chart.y_range, (y + layout.height, y))
        parts += _axes(across, upwards, ink, named=column == 0)
        parts += _panel(chart, panel, (across, upwards), layout, ink)
    foot = TOP + math.ceil(len(chart.panels) / layout.across) * down
    middle = layout.left + (layout.across * (layout.width + GAP) - GAP) / 2
    parts.append(text((middle, foot + SMALL), chart.x_label, ink.of("text"), "middle"))
    return Drawn((*parts, *_legend(chart, layout, foot + LEGEND, ink)), foot + LEGEND + 20)


def _layout(chart: Scatter) -> _Layout:
    number = len(chart.panels)
    across = number if number <= FEW else FEW if number == FEW * FEW else MANY
    ticks = Scale(chart.y_range, (0.0, 1.0)).ticks()
    left = widest((written for _, written in ticks), SMALL) + TICK + 8
    width = min(WIDEST, (WIDTH - left - GAP * (across - 1) - RIGHT) / across)
    height = width if chart.square else width * LOWER
    most = max((dots.cases for panel in chart.panels for dots in panel.dots), default=1)
    return _Layout(left, width, height, across, min(ONE, LARGEST / math.sqrt(most)))


def _axes(across: Scale, upwards: Scale, ink: Ink, *, named: bool) -> Iterator[Markup]:
    (left, right), (foot, top) = across.places, upwards.places
    quiet = {**ink.of("quiet"), "font-size": coordinate(SMALL)}
    for number, written in across.ticks(4):
        x = across.at(number)
        yield line((x, top), (x, foot), ink.of("grid"))
        yield text((x, foot + TICK + SMALL), written, quiet, "middle")
    for number, written in upwards.ticks():
        y = upwards.at(number)
        yield line((left, y), (right, y), ink.of("grid"))
        if named:
            yield text((left - TICK - 2, y + SMALL * 0.35), written, quiet, "end")
    corner = f"M{coordinate(left)} {coordinate(top)}V{coordinate(foot)}H{coordinate(right)}"
    yield element("path", {"d": corner, **ink.of("axis")})


def _panel(
    chart: Scatter, panel: ScatterPanel, scales: tuple[Scale, Scale], layout: _Layout, ink: Ink
) -> Iterator[Markup]:
    across, upwards = scales
    bold = {**ink.of("text"), "font-weight": "600"}
    place = (across.places[0], upwards.places[1] - 7)
    yield name_text(place, panel.name, layout.width, bold)
    start, end = ((across.at(x), upwards.at(y)) for x, y in chart.reference)
    yield line(start, end, ink.of("reference"))
    yield from _dots(panel, scales, layout, ink)
    if panel.trend:
        path = "L".join(
            f"{coordinate(across.at(x))} {coordinate(upwards.at(y))}" for x, y in panel.trend
        )
        yield element("path", {"d": f"M{path}", **ink.of("trend")})


def _dots(
    panel: ScatterPanel, scales: tuple[Scale, Scale], layout: _Layout, ink: Ink
) -> Iterator[Markup]:
    """Draw all dots of about one size as one path: round ends of lines without length."""
    across, upwards = scales
    sizes: dict[float, list[str]] = {}
    for dots in panel.dots:
        x, y = across.at(dots.point[0]), upwards.at(dots.point[1])
        move = f"M{coordinate(x)} {coordinate(y)}h0"
        sizes.setdefault(_radius(dots.cases, layout), []).append(move)
    for radius, moves in sorted(sizes.items()):
        yield element("path", {"d": "".join(moves), **_round(panel.order, radius, ink)})


def _radius(cases: int, layout: _Layout) -> float:
    """Return one of few radii, so that the area of a dot is about as the cases are."""
    radius = max(layout.radius * math.sqrt(cases), SMALLEST)
    step = LARGEST / SIZES / 2
    return max(round(radius / step), 1) * step


def _round(order: int, radius: float, ink: Ink) -> dict[str, str]:
    attributes = ink.solid(order)
    attributes.update(
        {
            "stroke-width": coordinate(2 * radius),
            "stroke-linecap": "round",
            "stroke-opacity": OPACITY,
        }
    )
    return attributes


def _legend(chart: Scatter, layout: _Layout, y: float, ink: Ink) -> Iterator[Markup]:
    """Say what the lines are, and how many cases a dot is."""
    quiet = {**ink.of("quiet"), "font-size": coordinate(SMALL)}
    x, middle = layout.left, y + SMALL * 0.35
    entries = [("reference", chart.reference_label)]
    if chart.trend_label:
        entries.append(("trend", chart.trend_label))
    for kind, label in entries:
        yield line((x, y), (x + SAMPLE, y), ink.of(kind))
        yield text((x + SAMPLE + 6, middle), label, quiet)
        x += SAMPLE + width_of(label) * SMALL + 16
    for cases in _samples(chart):
        radius = _radius(cases, layout)
        dot = f"M{coordinate(x + radius)} {coordinate(y)}h0"
        order = chart.panels[0].order
        yield element("path", {"d": dot, **_round(order, radius, ink)})
        label = f"{count_text(cases)} case" + ("" if cases == 1 else "s")
        yield text((x + 2 * radius + 5, middle), label, quiet)
        x += 2 * radius + width_of(label) * SMALL + 14


def _samples(chart: Scatter) -> list[int]:
    most = max((dots.cases for panel in chart.panels for dots in panel.dots), default=0)
    if most <= 1:
        return [1] if most else []
    power = 10 ** math.floor(math.log10(most))
    round_number = max(step * power for step in (1, 2, 5) if step * power <= most)
    return [1, int(round_number)] if round_number > 1 else [1]
