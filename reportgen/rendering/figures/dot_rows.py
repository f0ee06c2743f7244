"""Rows with a dot and an interval for each classifier, in panels side by side."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.rendering.figures.axes import Scale, span_of, x_axis
from reportgen.rendering.figures.legend import classifier_key
from reportgen.rendering.figures.mark_paths import arrow_path, marks_path, spans_path
from reportgen.rendering.figures.names import name_text, widest
from reportgen.rendering.figures.svg import FONT_SIZE, WIDTH, Drawn, element, text
from reportgen.rendering.numbers import UNDEFINED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.evidence import DotRows, Panel
    from reportgen.report.charts.lines import Dot, Span

FOOT, GAP, BELOW_KEY = 42.0, 26.0, 8.0
# A row has a lane for each dot; as many rows as a page of paper holds share its height.
LANE, AROUND, LEAST_ROW, ROOM = 7.0, 7.0, 15.0, 800.0
LONGEST_LABEL, MARK, LEAST_MARK, ARROW = 150.0, 3.4, 1.9, 6.0


def draw_dot_rows(chart: DotRows, ink: Ink) -> Drawn:
    """Draw the panels on one scale, so that they can be set against each other."""
    key, tall = classifier_key(chart.classifiers, ink)
    top = tall + BELOW_KEY
    lanes, rows = max(len(chart.classifiers), 1), max(len(chart.labels), 1)
    row = max(LEAST_ROW, min(LANE * lanes + AROUND, ROOM / rows))
    foot = top + row * len(chart.labels)
    left = min(LONGEST_LABEL, widest(chart.labels)) + 12
    width = (WIDTH - left - 8 - GAP * (len(chart.panels) - 1)) / max(len(chart.panels), 1)
    parts: list[Markup] = [*key, *_labels(chart, (top, left), row, ink)]
    span = _span(chart)
    for at, panel in enumerate(chart.panels):
        start = left + (width + GAP) * at
        scale = Scale(span, (start, start + width))
        parts += x_axis(scale, (top, foot), panel.x_label, ink, 4)
        parts += _rules(scale, top, row, len(chart.labels), ink)
        parts += _panel(panel, chart, scale, (top, row), ink)
    return Drawn(tuple(parts), foot + FOOT)


def _labels(chart: DotRows, at: tuple[float, float], row: float, ink: Ink) -> Iterator[Markup]:
    top, left = at
    for number, label in enumerate(chart.labels):
        y = top + row * (number + 0.5) + FONT_SIZE * 0.35
        yield name_text((left - 10, y), label, LONGEST_LABEL, ink.of("text"), "end")


def _rules(scale: Scale, top: float, row: float, count: int, ink: Ink) -> Iterator[Markup]:
    """Part the rows by one path of fine lines."""
    heights = (top + row * at for at in range(count))
    yield element("path", {"d": spans_path((scale.places, y) for y in heights), **ink.of("grid")})


def _panel(
    panel: Panel, chart: DotRows, scale: Scale, at: tuple[float, float], ink: Ink
) -> Iterator[Markup]:
    """Draw all intervals of a classifier as one path, and all its marks as another."""
    top, row = at
    lanes = len(chart.classifiers)
    lane = (row - 4) / max(lanes, 1)
    size = max(LEAST_MARK, min(MARK, lane * 0.5))
    for number, (_, order) in enumerate(chart.classifiers):
        dots = [
            (dots[number], top + row * place + 2 + lane * (number + 0.5))
            for place, dots in enumerate(panel.rows)
        ]
        yield from _dots(dots, order, scale, size, ink)
    for place, dots_of_row in enumerate(panel.rows):
        if dots_of_row and all(dot.value is None for dot in dots_of_row):
            y = top + row * (place + 0.5) + FONT_SIZE * 0.35
            attributes = {**ink.of("quiet"), "font-style": "italic"}
            yield text((scale.places[0] + 5, y), UNDEFINED, attributes)


def _dots(
    dots: list[tuple[Dot, float]], order: int, scale: Scale, size: float, ink: Ink
) -> Iterator[Markup]:
    known = [(dot, dot.value, y) for dot, y in dots if dot.value is not None]
    spans = [(_ends(dot, scale), y) for dot, _, y in known if _has_interval(dot)]
    if spans:
        yield element("path", {"d": spans_path(spans), **ink.solid(order), "stroke-width": "1.2"})
    finite = [(scale.at(value), y) for _, value, y in known if math.isfinite(value)]
    arrows = "".join(
        arrow_path((scale.places[int(value > 0)], y), ARROW, right=value > 0)
        for _, value, y in known
        if math.isinf(value)
    )
    marks = marks_path(finite, order, size) + arrows
    if marks:
        yield element("path", {"d": marks, **ink.area(order)})


def _has_interval(dot: Dot) -> bool:
    return dot.low is not None or dot.high is not None


def _ends(dot: Dot, scale: Scale) -> Span:
    low = -math.inf if dot.low is None else dot.low
    high = math.inf if dot.high is None else dot.high
    return scale.at(low), scale.at(high)


def _span(chart: DotRows) -> Span:
    dots = (dot for panel in chart.panels for row in panel.rows for dot in row)
    return span_of((number for dot in dots for number in (dot.value, dot.low, dot.high)), 0.03)
