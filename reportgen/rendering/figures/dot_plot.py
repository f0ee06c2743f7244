"""Values with their intervals below each other on one axis."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.rendering.figures.axes import Scale, span_of, x_axis
from reportgen.rendering.figures.names import name_text, widest
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    element,
    layered,
    line,
    shape,
    text,
)
from reportgen.rendering.numbers import UNDEFINED, count_text
from reportgen.rendering.texts import value_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import Dot, DotPlot, Span

TOP, ALONE, FOOT = 22.0, 5.0, 42.0
ROW, LOWER_ROW, LEAST_ROW = 22.0, 19.0, 13.0
# As many as a page of paper holds.
MOST_ROWS, ROOM = 60, 780.0
LONGEST_LABEL, RIGHT, CAP, HEAD = 200.0, 14.0, 4.0, 6.0


def draw_dots(plot: DotPlot, ink: Ink) -> Drawn:
    """Draw the plot; of very many rows the first, and how many are left out."""
    dots = plot.dots[:MOST_ROWS]
    most = LOWER_ROW if any(dot.written for dot in dots) else ROW
    row = max(LEAST_ROW, min(most, ROOM / max(len(dots), 1)))
    left = min(LONGEST_LABEL, widest(dot.label for dot in dots)) + 14
    numbers = widest(map(_in_figures, dots))
    top = TOP if plot.reference_label else ALONE
    foot = top + row * len(dots)
    scale = Scale(_span(plot), (left, WIDTH - RIGHT - (numbers + RIGHT if numbers else 0.0)))
    left_out = len(plot.dots) - len(dots)
    more = f"and {count_text(left_out)} more, in results.json" if left_out else ""
    rows = (_row(dot, top + row * (at + 0.5), scale, ink) for at, dot in enumerate(dots))
    return Drawn(
        (
            *x_axis(scale, (top, foot), plot.x_label, ink, about=7 if not numbers else 5),
            *_reference(plot, scale, (top, foot), ink),
            *(part for parts in rows for part in parts),
            *((text((0.0, foot + FONT_SIZE + 4), more, ink.of("quiet")),) if more else ()),
        ),
        foot + FOOT,
    )


def _in_figures(dot: Dot) -> str:
    return "" if dot.written is None else value_text(dot.written)


def _span(plot: DotPlot) -> Span:
    numbers = (number for dot in plot.dots for number in (dot.value, dot.low, dot.high))
    return span_of((*numbers, plot.reference))


def _reference(plot: DotPlot, scale: Scale, over: Span, ink: Ink) -> Iterator[Markup]:
    if plot.reference is None:
        return
    x = scale.at(plot.reference)
    yield line((x, over[0]), (x, over[1]), ink.of("reference"))
    if plot.reference_label:
        anchor = "end" if x > WIDTH / 2 else "start"
        yield text((x, over[0] - 7), plot.reference_label, ink.of("quiet"), anchor)


def _row(dot: Dot, y: float, scale: Scale, ink: Ink) -> Iterator[Markup]:
    left = scale.places[0]
    middle = y + FONT_SIZE * 0.35
    yield name_text((left - 12, middle), dot.label, LONGEST_LABEL, ink.of("text"), "end")
    if dot.written is not None:
        yield text((WIDTH, middle), _in_figures(dot), ink.of("text"), "end")
    if dot.value is None:
        yield text((left + 6, middle), UNDEFINED, {**ink.of("quiet"), "font-style": "italic"})
        return
    order = dot.order or 0
    yield from _whiskers(dot, y, scale, ink)
    if math.isfinite(dot.value):
        yield shape((scale.at(dot.value), y), order, _mark(dot, ink), 4.4 if dot.hollow else 4.0)
    else:
        yield _arrow(y, scale, ink, dot)


def _mark(dot: Dot, ink: Ink) -> dict[str, str]:
    """Fill a mark with its colour or, if it is hollow, with paper."""
    order = dot.order or 0
    return layered(ink.solid(order), ink.of("paper")) if dot.hollow else ink.area(order)


def _whiskers(dot: Dot, y: float, scale: Scale, ink: Ink) -> Iterator[Markup]:
    if dot.low is None and dot.high is None:
        return
    low = -math.inf if dot.low is None else dot.low
    high = math.inf if dot.high is None else dot.high
    attributes = ink.solid(dot.order or 0)
    yield line((scale.at(low), y), (scale.at(high), y), attributes)
    for end in (low, high):
        x = scale.at(end)
        if math.isfinite(end):
            yield line((x, y - CAP), (x, y + CAP), attributes)


def _arrow(y: float, scale: Scale, ink: Ink, dot: Dot) -> Markup:
    """Point to an infinite value beyond the edge."""
    right = dot.value is not None and dot.value > 0
    x = scale.places[1] if right else scale.places[0]
    back = -HEAD if right else HEAD
    points = f"{x:.1f},{y:.1f} {x + back:.1f},{y - CAP:.1f} {x + back:.1f},{y + CAP:.1f}"
    return element("polygon", {"points": points, **ink.area(dot.order or 0)})
