"""Dot plots: values with their confidence intervals in rows on one axis."""

from __future__ import annotations

import math
from collections import deque
from heapq import heappop, heappush
from typing import TYPE_CHECKING

from reportgen.render.number_format import UNDEFINED_TEXT, format_frequency
from reportgen.render.plain_text import estimate_text
from reportgen.render.svg.axes import AxisScale, axis_range, draw_x_axis
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SvgDrawing,
    format_coordinate,
    merge_styles,
    svg_element,
    svg_line,
    svg_marker,
    svg_text,
)
from reportgen.render.svg.labels import max_text_width, svg_label
from reportgen.render.svg.markers import (
    arrow_path,
    draw_classifier_key,
    intervals_path,
    markers_path,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import (
        AxisRange,
        Dot,
        DotPanel,
        DotPlot,
        FoldPlot,
        FoldRow,
        GroupedDotPlot,
        Point,
    )


_DOT_PLOT_TOP, _TOP_WITHOUT_LABEL, _DOT_PLOT_BOTTOM = 22.0, 5.0, 42.0
_DOT_PLOT_ROW, _LABELLED_ROW, _MIN_DOT_PLOT_ROW = 22.0, 19.0, 13.0
# As many as fit on a PDF page.
_MAX_DOT_PLOT_ROWS, _MAX_DOT_PLOT_HEIGHT = 60, 780.0
_MAX_DOT_PLOT_LABEL, _DOT_PLOT_RIGHT, _DOT_PLOT_CAP, _ARROW_HEAD = 200.0, 14.0, 4.0, 6.0


def draw_dot_plot(plot: DotPlot, style: SvgStyle) -> SvgDrawing:
    """Draw the plot; of very many rows the first ones, and the number of rows omitted."""
    dots = plot.dots[:_MAX_DOT_PLOT_ROWS]
    max_row_height = _LABELLED_ROW if any(dot.estimate for dot in dots) else _DOT_PLOT_ROW
    row = max(
        _MIN_DOT_PLOT_ROW,
        min(max_row_height * style.height_scale, _MAX_DOT_PLOT_HEIGHT / max(len(dots), 1)),
    )
    left = (
        min(style.label_width(_MAX_DOT_PLOT_LABEL), max_text_width(dot.label for dot in dots)) + 14
    )
    # Beside a narrow plot there is no room for values; the tables have them.
    numbers = 0.0 if style.is_narrow else max_text_width(map(_value_label, dots))
    top = _DOT_PLOT_TOP if plot.reference_label else _TOP_WITHOUT_LABEL
    bottom = top + row * len(dots)
    scale = AxisScale(
        _dot_plot_range(plot),
        (left, style.width - _DOT_PLOT_RIGHT - (numbers + _DOT_PLOT_RIGHT if numbers else 0.0)),
        unit=plot.unit,
    )
    n_omitted = len(plot.dots) - len(dots)
    note = f"and {format_frequency(n_omitted)} more, in results.json" if n_omitted else ""
    rows = (
        _draw_dot(dot, top + row * (index + 0.5), scale, style) for index, dot in enumerate(dots)
    )
    return SvgDrawing(
        (
            *draw_x_axis(
                scale, (top, bottom), plot.x_label, style, tick_count=7 if not numbers else 5
            ),
            *_draw_reference(plot, scale, (top, bottom), style),
            *(part for parts in rows for part in parts),
            *(
                (svg_text((0.0, bottom + SVG_FONT_SIZE + 4), note, style.attributes("muted")),)
                if note
                else ()
            ),
        ),
        bottom + _DOT_PLOT_BOTTOM,
    )


def _value_label(dot: Dot) -> str:
    return "" if dot.estimate is None else estimate_text(dot.estimate)


def _dot_plot_range(plot: DotPlot) -> AxisRange:
    numbers = (number for dot in plot.dots for number in (dot.value, dot.low, dot.high))
    return axis_range((*numbers, plot.reference))


def _draw_reference(
    plot: DotPlot, scale: AxisScale, extent: AxisRange, style: SvgStyle
) -> Iterator[Markup]:
    if plot.reference is None:
        return
    x = scale.position(plot.reference)
    yield svg_line((x, extent[0]), (x, extent[1]), style.attributes("reference"))
    if plot.reference_label:
        anchor = "end" if x > style.width / 2 else "start"
        yield svg_text((x, extent[0] - 7), plot.reference_label, style.attributes("muted"), anchor)


def _draw_dot(dot: Dot, y: float, scale: AxisScale, style: SvgStyle) -> Iterator[Markup]:
    left = scale.range[0]
    middle = y + SVG_FONT_SIZE * 0.35
    yield svg_label(
        (left - 12, middle),
        dot.label,
        style.label_width(_MAX_DOT_PLOT_LABEL),
        style.attributes("text"),
        "end",
    )
    if dot.estimate is not None and not style.is_narrow:
        yield svg_text((style.width, middle), _value_label(dot), style.attributes("text"), "end")
    if dot.value is None:
        yield svg_text(
            (left + 6, middle),
            UNDEFINED_TEXT,
            {**style.attributes("muted"), "font-style": "italic"},
        )
        return
    order = dot.color_index or 0
    yield from _draw_whiskers(dot, y, scale, style)
    if math.isfinite(dot.value):
        yield svg_marker(
            (scale.position(dot.value), y),
            order,
            _dot_style(dot, style),
            4.4 if dot.hollow else 4.0,
        )
    else:
        yield _draw_infinity_arrow(y, scale, style, dot)


def _dot_style(dot: Dot, style: SvgStyle) -> dict[str, str]:
    """Return the style of a dot: filled with its colour or, if hollow, with the background."""
    order = dot.color_index or 0
    return (
        merge_styles(style.solid_line(order), style.attributes("background"))
        if dot.hollow
        else style.area(order)
    )


def _draw_whiskers(dot: Dot, y: float, scale: AxisScale, style: SvgStyle) -> Iterator[Markup]:
    if dot.low is None and dot.high is None:
        return
    low = -math.inf if dot.low is None else dot.low
    high = math.inf if dot.high is None else dot.high
    attributes = style.solid_line(dot.color_index or 0)
    yield svg_line((scale.position(low), y), (scale.position(high), y), attributes)
    for end in (low, high):
        x = scale.position(end)
        if math.isfinite(end):
            yield svg_line((x, y - _DOT_PLOT_CAP), (x, y + _DOT_PLOT_CAP), attributes)


def _draw_infinity_arrow(y: float, scale: AxisScale, style: SvgStyle, dot: Dot) -> Markup:
    """Draw an arrow at the edge for an infinite value."""
    right = dot.value is not None and dot.value > 0
    x = scale.range[1] if right else scale.range[0]
    offset = -_ARROW_HEAD if right else _ARROW_HEAD
    corners = ((x, y), (x + offset, y - _DOT_PLOT_CAP), (x + offset, y + _DOT_PLOT_CAP))
    points = " ".join(f"{corner_x:.1f},{corner_y:.1f}" for corner_x, corner_y in corners)
    return svg_element("polygon", {"points": points, **style.area(dot.color_index or 0)})


# Grouped dot plots: a dot and an interval for each classifier, in panels.

_DOT_ROWS_BOTTOM, _DOT_ROWS_PANEL_GAP, _KEY_BOTTOM_GAP = 42.0, 26.0, 8.0
# A row has a lane for each dot; the rows share the height of a PDF page.
_LANE_HEIGHT, _LANE_PADDING, _MIN_DOT_ROWS_ROW, _MAX_DOT_ROWS_HEIGHT = 7.0, 7.0, 15.0, 800.0
_MAX_DOT_ROWS_LABEL, _DOT_ROWS_MARKER, _MIN_DOT_ROWS_MARKER, _DOT_ROWS_ARROW = 150.0, 3.4, 1.9, 6.0


def draw_dot_rows(chart: GroupedDotPlot, style: SvgStyle) -> SvgDrawing:
    """Draw the panels, all with the same rows."""
    key, key_height = draw_classifier_key(chart.classifiers, style)
    top = key_height + _KEY_BOTTOM_GAP
    n_lanes, rows = max(len(chart.classifiers), 1), max(len(chart.labels), 1)
    row = max(
        _MIN_DOT_ROWS_ROW,
        min(
            (_LANE_HEIGHT * n_lanes + _LANE_PADDING) * style.height_scale,
            _MAX_DOT_ROWS_HEIGHT / rows,
        ),
    )
    bottom = top + row * len(chart.labels)
    left = min(style.label_width(_MAX_DOT_ROWS_LABEL), max_text_width(chart.labels)) + 12
    width = (style.width - left - 8 - _DOT_ROWS_PANEL_GAP * (len(chart.panels) - 1)) / max(
        len(chart.panels), 1
    )
    parts: list[Markup] = [*key, *_draw_row_labels(chart, (top, left), row, style)]
    span = _dot_rows_range(chart)
    for index, panel in enumerate(chart.panels):
        start = left + (width + _DOT_ROWS_PANEL_GAP) * index
        scale = AxisScale(span, (start, start + width), unit=panel.unit)
        parts += draw_x_axis(scale, (top, bottom), panel.x_label, style, 4)
        parts += _draw_row_rules(scale, top, row, len(chart.labels), style)
        parts += _draw_dot_panel(panel, chart, scale, (top, row), style)
    return SvgDrawing(tuple(parts), bottom + _DOT_ROWS_BOTTOM)


def _draw_row_labels(
    chart: GroupedDotPlot, origin: tuple[float, float], row_height: float, style: SvgStyle
) -> Iterator[Markup]:
    top, left = origin
    for number, label in enumerate(chart.labels):
        y = top + row_height * (number + 0.5) + SVG_FONT_SIZE * 0.35
        yield svg_label(
            (left - 10, y),
            label,
            style.label_width(_MAX_DOT_ROWS_LABEL),
            style.attributes("text"),
            "end",
        )


def _draw_row_rules(
    scale: AxisScale, top: float, row_height: float, count: int, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the lines between rows as one path."""
    heights = (top + row_height * index for index in range(count))
    yield svg_element(
        "path", {"d": intervals_path((scale.range, y) for y in heights), **style.attributes("grid")}
    )


def _draw_dot_panel(
    panel: DotPanel,
    chart: GroupedDotPlot,
    scale: AxisScale,
    rows_layout: tuple[float, float],
    style: SvgStyle,
) -> Iterator[Markup]:
    """Draw all intervals of a classifier as one path, and all its marks as another."""
    top, row = rows_layout
    n_lanes = len(chart.classifiers)
    lane_height = (row - 4) / max(n_lanes, 1)
    size = max(_MIN_DOT_ROWS_MARKER, min(_DOT_ROWS_MARKER, lane_height * 0.5))
    for number, (_, order) in enumerate(chart.classifiers):
        dots = [
            (dots[number], top + row * index + 2 + lane_height * (number + 0.5))
            for index, dots in enumerate(panel.rows)
        ]
        yield from _draw_classifier_dots(dots, order, scale, size, style)
    for index, row_dots in enumerate(panel.rows):
        if row_dots and all(dot.value is None for dot in row_dots):
            y = top + row * (index + 0.5) + SVG_FONT_SIZE * 0.35
            attributes = {**style.attributes("muted"), "font-style": "italic"}
            yield svg_text((scale.range[0] + 5, y), UNDEFINED_TEXT, attributes)


def _draw_classifier_dots(
    dots: list[tuple[Dot, float]], order: int, scale: AxisScale, size: float, style: SvgStyle
) -> Iterator[Markup]:
    defined = [(dot, dot.value, y) for dot, y in dots if dot.value is not None]
    spans = [(_interval_coordinates(dot, scale), y) for dot, _, y in defined if _has_interval(dot)]
    if spans:
        yield svg_element(
            "path", {"d": intervals_path(spans), **style.solid_line(order), "stroke-width": "1.2"}
        )
    finite = [(scale.position(value), y) for _, value, y in defined if math.isfinite(value)]
    arrows = "".join(
        arrow_path((scale.range[int(value > 0)], y), _DOT_ROWS_ARROW, right=value > 0)
        for _, value, y in defined
        if math.isinf(value)
    )
    marks = markers_path(finite, order, size) + arrows
    if marks:
        yield svg_element("path", {"d": marks, **style.area(order)})


def _has_interval(dot: Dot) -> bool:
    return dot.low is not None or dot.high is not None


def _interval_coordinates(dot: Dot, scale: AxisScale) -> AxisRange:
    low = -math.inf if dot.low is None else dot.low
    high = math.inf if dot.high is None else dot.high
    return scale.position(low), scale.position(high)


def _dot_rows_range(chart: GroupedDotPlot) -> AxisRange:
    dots = (dot for panel in chart.panels for row in panel.rows for dot in row)
    return axis_range((number for dot in dots for number in (dot.value, dot.low, dot.high)), 0.03)


# Fold plots: values of folds as faint dots, with mean and confidence interval.

_FOLD_DOTS_TOP, _FOLD_DOTS_BOTTOM, _MAX_FOLD_DOTS_HEIGHT = 6.0, 42.0, 800.0
_FOLD_ROW, _MIN_FOLD_ROW = 40.0, 26.0
_MAX_FOLD_LABEL, _FOLD_DOT_RADIUS, _FOLD_MEAN_MARKER, _FOLD_MEAN_CAP = 190.0, 2.7, 4.4, 3.5


def draw_fold_dots(chart: FoldPlot, style: SvgStyle) -> SvgDrawing:
    """Draw a row for each classifier."""
    count = max(len(chart.rows), 1)
    row = max(_MIN_FOLD_ROW, min(_FOLD_ROW * style.height_scale, _MAX_FOLD_DOTS_HEIGHT / count))
    labels = (row.label for row in chart.rows)
    left = (
        min(style.label_width(_MAX_FOLD_LABEL), max_text_width((*labels, "10 of 10 undefined")))
        + 16
    )
    bottom = _FOLD_DOTS_TOP + row * len(chart.rows)
    scale = AxisScale(_fold_dots_range(chart), (left, style.width - 12), unit=chart.unit)
    heights = [_FOLD_DOTS_TOP + row * index for index in range(len(chart.rows))]
    elements = (
        _draw_fold_row(fold_row, y, row, scale, style)
        for fold_row, y in zip(chart.rows, heights, strict=True)
    )
    return SvgDrawing(
        (
            *draw_x_axis(scale, (_FOLD_DOTS_TOP, bottom), chart.x_label, style, 6),
            *_draw_fold_reference(chart, scale, bottom, style),
            *(
                _connect_folds(chart.rows, heights, row, scale, style)
                if chart.connect_folds
                else ()
            ),
            *(part for parts in elements for part in parts),
        ),
        bottom + _FOLD_DOTS_BOTTOM + (0.0 if chart.reference is None else 16.0),
    )


def _fold_dots_range(chart: FoldPlot) -> AxisRange:
    numbers = (
        number for row in chart.rows for number in (*row.values, row.mean, row.low, row.high)
    )
    return axis_range((*numbers, chart.reference), 0.04)


def _draw_fold_reference(
    chart: FoldPlot, scale: AxisScale, bottom: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the line of no difference, and who is better on each side of it."""
    if chart.reference is None:
        return
    x = scale.position(chart.reference)
    y = bottom + _FOLD_DOTS_BOTTOM + 8
    yield svg_line((x, _FOLD_DOTS_TOP), (x, bottom), style.attributes("axis"))
    muted = style.attributes("muted")
    left, right = (0.0, style.width) if style.is_narrow else scale.range
    yield svg_text((left, y), chart.favours_left, muted)
    yield svg_text((right, y), chart.favours_right, muted, "end")


def _connect_folds(
    rows: Sequence[FoldRow],
    row_tops: Sequence[float],
    row_height: float,
    scale: AxisScale,
    style: SvgStyle,
) -> Iterator[Markup]:
    """Connect the dots of each fold by one faint path, interrupted at missing values."""
    path = ""
    for values in zip(*(row.values for row in rows), strict=True):
        has_start = False
        for value, y in zip(values, row_tops, strict=True):
            if value is None:
                has_start = False
                continue
            path += f"{'L' if has_start else 'M'}{format_coordinate(scale.position(value))} "
            path += format_coordinate(y + _fold_dots_offset(row_height))
            has_start = True
    yield svg_element(
        "path",
        {
            "d": path,
            **style.attributes("not-significant"),
            "stroke-width": "0.7",
            "opacity": "0.45",
        },
    )


def _fold_dots_offset(row_height: float) -> float:
    return row_height * 0.36


def _draw_fold_row(
    row: FoldRow, y: float, row_height: float, scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    left = scale.range[0]
    missing = sum(value is None for value in row.values)
    middle = y + row_height / 2 + SVG_FONT_SIZE * 0.35
    offset = SVG_FONT_SIZE * 0.6 if missing else 0.0
    yield svg_label(
        (left - 12, middle - offset),
        row.label,
        style.label_width(_MAX_FOLD_LABEL),
        style.attributes("text"),
        "end",
    )
    if missing:
        text = f"{format_frequency(missing)} of {format_frequency(len(row.values))} undefined"
        yield svg_text((left - 12, middle + offset), text, style.attributes("muted"), "end")
    values = [value for value in row.values if value is not None]
    for layer in _non_overlapping_layers([scale.position(value) for value in values]):
        path = markers_path(
            [(x, y + _fold_dots_offset(row_height)) for x in layer], 0, _FOLD_DOT_RADIUS
        )
        yield svg_element("path", {"d": path, **style.area(row.color_index, "0.4")})
    yield from _draw_fold_mean(row, y + row_height * 0.74, scale, style)


def _non_overlapping_layers(positions: list[float]) -> list[list[float]]:
    """Return layers of dots without overlaps: within one path, overlaps would not be darker."""
    layers: list[list[float]] = []
    # The numbers of the layers by their last dot, and of those with room for the next one.
    occupied: deque[int] = deque()
    available: list[int] = []
    for position in sorted(positions):
        while occupied and position - layers[occupied[0]][-1] >= 2 * _FOLD_DOT_RADIUS:
            heappush(available, occupied.popleft())
        number = heappop(available) if available else len(layers)
        if number == len(layers):
            layers.append([])
        layers[number].append(position)
        occupied.append(number)
    return layers


def _draw_fold_mean(row: FoldRow, y: float, scale: AxisScale, style: SvgStyle) -> Iterator[Markup]:
    if row.mean is None:
        return
    if row.low is not None and row.high is not None:
        limits: Point = (scale.position(row.low), scale.position(row.high))
        path = (
            f"M{format_coordinate(limits[0])} {format_coordinate(y)}H{format_coordinate(limits[1])}"
            + "".join(
                f"M{format_coordinate(x)} {format_coordinate(y - _FOLD_MEAN_CAP)}"
                f"v{format_coordinate(2 * _FOLD_MEAN_CAP)}"
                for x in limits
            )
        )
        yield svg_element("path", {"d": path, **style.solid_line(row.color_index)})
    yield svg_marker(
        (scale.position(row.mean), y),
        row.color_index,
        style.area(row.color_index),
        _FOLD_MEAN_MARKER,
    )
