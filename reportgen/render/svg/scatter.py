"""Scatter plots in panels on the same axes; cases close together are one dot."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.render.number_format import format_frequency
from reportgen.render.svg.axes import TICK_LENGTH, AxisScale, drop_overlapping_labels
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    format_coordinate,
    svg_element,
    svg_line,
    svg_text,
)
from reportgen.render.svg.labels import max_text_width, svg_label, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import ScatterPanel, ScatterPlot

_SMALL_FONT, _TOP, _PANEL_HEAD, _PANEL_BOTTOM, _PANEL_GAP, _LEGEND_HEIGHT, _RIGHT = (
    10.4,
    20.0,
    20.0,
    24.0,
    18.0,
    26.0,
    12.0,
)
_FEW_PANELS, _MAX_COLUMNS, _MAX_PANEL_WIDTH, _WIDE_ASPECT = 2, 3, 270.0, 0.66
# The radius of a single case, and the largest radius of several cases at one point.
_CASE_RADIUS, _MAX_RADIUS, _MIN_RADIUS, _RADIUS_STEPS = 2.0, 5.0, 0.9, 8
_DOT_OPACITY, _LEGEND_SAMPLE = "0.6", 28.0


@dataclass(frozen=True, slots=True)
class _ScatterLayout:
    """The layout: positions and size of the panels, and the radius of a single case."""

    left: float
    panel_width: float
    panel_height: float
    panel_columns: int
    case_radius: float


def draw_scatter_plot(chart: ScatterPlot, style: SvgStyle) -> SvgDrawing:
    """Draw the panels in rows of up to three."""
    layout = _scatter_layout(chart, style.height_scale)
    parts: list[Markup] = [svg_text((0.0, SVG_FONT_SIZE), chart.y_label, style.attributes("text"))]
    panel_height = _PANEL_HEAD + layout.panel_height + _PANEL_BOTTOM
    for index, panel in enumerate(chart.panels):
        row, column = divmod(index, layout.panel_columns)
        x = layout.left + column * (layout.panel_width + _PANEL_GAP)
        y = _TOP + row * panel_height + _PANEL_HEAD
        x_scale = AxisScale(chart.x_range, (x, x + layout.panel_width))
        y_scale = AxisScale(chart.y_range, (y + layout.panel_height, y))
        parts += _draw_axes(x_scale, y_scale, style, with_y_labels=column == 0)
        parts += _draw_panel(chart, panel, (x_scale, y_scale), layout, style)
    bottom = _TOP + math.ceil(len(chart.panels) / layout.panel_columns) * panel_height
    middle = (
        layout.left + (layout.panel_columns * (layout.panel_width + _PANEL_GAP) - _PANEL_GAP) / 2
    )
    parts.append(
        svg_text((middle, bottom + _SMALL_FONT), chart.x_label, style.attributes("text"), "middle")
    )
    return SvgDrawing(
        (*parts, *_draw_legend(chart, layout, bottom + _LEGEND_HEIGHT, style)),
        bottom + _LEGEND_HEIGHT + 20,
    )


def _scatter_layout(chart: ScatterPlot, height_scale: float) -> _ScatterLayout:
    number = len(chart.panels)
    n_columns = (
        number
        if number <= _FEW_PANELS
        else _FEW_PANELS
        if number == _FEW_PANELS * _FEW_PANELS
        else _MAX_COLUMNS
    )
    ticks = AxisScale(chart.y_range, (0.0, 1.0)).ticks()
    left = max_text_width((label for _, label in ticks), _SMALL_FONT) + TICK_LENGTH + 8
    width = min(
        _MAX_PANEL_WIDTH, (SVG_WIDTH - left - _PANEL_GAP * (n_columns - 1) - _RIGHT) / n_columns
    )
    height = height_scale * (width if chart.square else width * _WIDE_ASPECT)
    largest = max((dots.cases for panel in chart.panels for dots in panel.bins), default=1)
    return _ScatterLayout(
        left, width, height, n_columns, min(_CASE_RADIUS, _MAX_RADIUS / math.sqrt(largest))
    )


def _draw_axes(
    x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle, *, with_y_labels: bool
) -> Iterator[Markup]:
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    muted = {**style.attributes("muted"), "font-size": format_coordinate(_SMALL_FONT)}
    ticks = [(x_scale.position(number), label) for number, label in x_scale.ticks(4)]
    for x, _ in ticks:
        yield svg_line((x, top), (x, bottom), style.attributes("grid"))
    for x, label in drop_overlapping_labels(ticks):
        # Long numbers at the ends of the axis stay on the drawing, clear of the next panel.
        half = text_width(label) * _SMALL_FONT / 2
        middle = min(max(x, left + half - _PANEL_GAP), right - half + _PANEL_GAP)
        yield svg_text((middle, bottom + TICK_LENGTH + _SMALL_FONT), label, muted, "middle")
    for number, label in y_scale.ticks():
        y = y_scale.position(number)
        yield svg_line((left, y), (right, y), style.attributes("grid"))
        if with_y_labels:
            yield svg_text((left - TICK_LENGTH - 2, y + _SMALL_FONT * 0.35), label, muted, "end")
    start = f"M{format_coordinate(left)} {format_coordinate(top)}"
    corner = f"{start}V{format_coordinate(bottom)}H{format_coordinate(right)}"
    yield svg_element("path", {"d": corner, **style.attributes("axis")})


def _draw_panel(
    chart: ScatterPlot,
    panel: ScatterPanel,
    scales: tuple[AxisScale, AxisScale],
    layout: _ScatterLayout,
    style: SvgStyle,
) -> Iterator[Markup]:
    x_scale, y_scale = scales
    bold = {**style.attributes("text"), "font-weight": "600"}
    position = (x_scale.range[0], y_scale.range[1] - 7)
    yield svg_label(position, panel.name, layout.panel_width, bold)
    start, end = ((x_scale.position(x), y_scale.position(y)) for x, y in chart.reference)
    yield svg_line(start, end, style.attributes("reference"))
    yield from _draw_dots(panel, scales, layout, style)
    if panel.trend:
        path = "L".join(
            f"{format_coordinate(x_scale.position(x))} {format_coordinate(y_scale.position(y))}"
            for x, y in panel.trend
        )
        yield svg_element("path", {"d": f"M{path}", **style.attributes("trend")})


def _draw_dots(
    panel: ScatterPanel,
    scales: tuple[AxisScale, AxisScale],
    layout: _ScatterLayout,
    style: SvgStyle,
) -> Iterator[Markup]:
    """Draw all dots of a similar size as one path: zero-length lines with round caps."""
    x_scale, y_scale = scales
    sizes: dict[float, list[str]] = {}
    for dots in panel.bins:
        x, y = x_scale.position(dots.point[0]), y_scale.position(dots.point[1])
        move = f"M{format_coordinate(x)} {format_coordinate(y)}h0"
        sizes.setdefault(_dot_radius(dots.cases, layout), []).append(move)
    for radius, subpaths in sorted(sizes.items()):
        yield svg_element(
            "path", {"d": "".join(subpaths), **_dot_style(panel.color_index, radius, style)}
        )


def _dot_radius(cases: int, layout: _ScatterLayout) -> float:
    """Return one of a few radii, so that the area of a dot is about proportional to its cases."""
    radius = max(layout.case_radius * math.sqrt(cases), _MIN_RADIUS)
    step = _MAX_RADIUS / _RADIUS_STEPS / 2
    return max(round(radius / step), 1) * step


def _dot_style(order: int, radius: float, style: SvgStyle) -> dict[str, str]:
    attributes = style.solid_line(order)
    attributes.update(
        {
            "stroke-width": format_coordinate(2 * radius),
            "stroke-linecap": "round",
            "stroke-opacity": _DOT_OPACITY,
        }
    )
    return attributes


def _draw_legend(
    chart: ScatterPlot, layout: _ScatterLayout, y: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the legend of the lines and of the dot sizes."""
    muted = {**style.attributes("muted"), "font-size": format_coordinate(_SMALL_FONT)}
    x, middle = layout.left, y + _SMALL_FONT * 0.35
    entries = [("reference", chart.reference_label)]
    if chart.trend_label:
        entries.append(("trend", chart.trend_label))
    for kind, label in entries:
        yield svg_line((x, y), (x + _LEGEND_SAMPLE, y), style.attributes(kind))
        yield svg_text((x + _LEGEND_SAMPLE + 6, middle), label, muted)
        x += _LEGEND_SAMPLE + text_width(label) * _SMALL_FONT + 16
    for cases in _legend_counts(chart):
        radius = _dot_radius(cases, layout)
        dot = f"M{format_coordinate(x + radius)} {format_coordinate(y)}h0"
        order = chart.panels[0].color_index
        yield svg_element("path", {"d": dot, **_dot_style(order, radius, style)})
        label = f"{format_frequency(cases)} case" + ("" if cases == 1 else "s")
        yield svg_text((x + 2 * radius + 5, middle), label, muted)
        x += 2 * radius + text_width(label) * _SMALL_FONT + 14


def _legend_counts(chart: ScatterPlot) -> list[int]:
    largest = max((dots.cases for panel in chart.panels for dots in panel.bins), default=0)
    if largest <= 1:
        return [1] if largest else []
    power = 10 ** math.floor(math.log10(largest))
    round_number = max(step * power for step in (1, 2, 5) if step * power <= largest)
    return [1, int(round_number)] if round_number > 1 else [1]
