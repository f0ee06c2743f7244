"""Line charts with bands, markers and a legend; one chart, or panels with a common legend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.render.number_format import format_integer
from reportgen.render.plain_text import escape_invisible
from reportgen.render.svg.axes import AxisScale, draw_x_axis, draw_y_axis, y_axis_width
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    format_coordinate,
    svg_element,
    svg_line,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import text_width
from reportgen.render.svg.markers import (
    LEGEND_ROW_HEIGHT,
    draw_bottom_legend,
    draw_crossings,
    draw_markers,
    draw_side_legend,
    format_three_digits,
    legend_entries,
    legend_rows,
)
from reportgen.render.svg.paths import area_path, line_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import LineChart, LinePanels, Point, Series

_LEFT, _TOP, _BOTTOM = 38.0, 30.0, 42.0
_PLOT_WIDTH, _PLOT_HEIGHT, _SQUARE_SIZE = 400.0, 220.0, 290.0
# The gap between panels, besides the tick labels of the next one.
_PANEL_GAP, _RIGHT, _LEGEND_GAP = 6.0, 16.0, 22.0
_HISTOGRAM_HEIGHT, _HISTOGRAM_GAP, _MIN_BAR_HEIGHT = 34.0, 12.0, 0.8
_REFERENCE_LABEL_HEIGHT = 13.0
_BAND_OPACITY = "0.13"
# Half the width of the band of a single point, as a proportion of the axis.
_SINGLE_BAND_HALF_WIDTH = 0.006


@dataclass(frozen=True, slots=True)
class PlotFrame:
    """The layout of a panel: its plot area, and the width of its tick labels."""

    axis_label_width: float
    left: float
    top: float
    width: float
    height: float


def draw_line_chart(chart: LineChart, style: SvgStyle) -> SvgDrawing:
    """Draw one chart with its legend at the side."""
    width, height = (_SQUARE_SIZE, _SQUARE_SIZE) if chart.square else (_PLOT_WIDTH, _PLOT_HEIGHT)
    left = _y_axes_width([chart])
    frame = PlotFrame(left, left, _TOP + _reference_labels_height(chart, width), width, height)
    entries = legend_entries([chart])
    return SvgDrawing(
        (
            _draw_panel(chart, frame, style),
            *draw_side_legend(entries, left + width + _LEGEND_GAP, frame.top, style),
        ),
        max(
            _panel_bottom(chart, frame),
            frame.top + len(entries) * LEGEND_ROW_HEIGHT + SVG_FONT_SIZE,
        ),
    )


def draw_line_panels(panels: LinePanels, style: SvgStyle) -> SvgDrawing:
    """Draw charts in rows, with one legend below all of them."""
    columns, left = panels.columns, _y_axes_width(panels.panels)
    width = (SVG_WIDTH - _RIGHT - columns * left - (columns - 1) * _PANEL_GAP) / columns
    parts: list[Markup] = []
    top = 0.0
    for first in range(0, len(panels.panels), columns):
        row = panels.panels[first : first + columns]
        marks = max(_reference_labels_height(chart, width) for chart in row)
        frames = [
            PlotFrame(
                left,
                left + index * (width + left + _PANEL_GAP),
                top + _TOP + marks,
                width,
                width if chart.square else min(width, _PLOT_HEIGHT),
            )
            for index, chart in enumerate(row)
        ]
        parts += [
            _draw_panel(chart, frame, style) for chart, frame in zip(row, frames, strict=True)
        ]
        top = max(_panel_bottom(chart, frame) for chart, frame in zip(row, frames, strict=True))
    rows = legend_rows(legend_entries(panels.panels), left)
    return SvgDrawing(
        (*parts, *draw_bottom_legend(rows, left, top + LEGEND_ROW_HEIGHT / 2, style)),
        top + LEGEND_ROW_HEIGHT * len(rows) + 4,
    )


def _y_axes_width(charts: Sequence[LineChart]) -> float:
    """Return the width of the y-axis labels: 38, or more for long labels."""
    return max(_LEFT, *(y_axis_width(AxisScale(chart.y_range, (1.0, 0.0))) for chart in charts))


def _draw_panel(chart: LineChart, frame: PlotFrame, style: SvgStyle) -> Markup:
    """Draw the axes and all series; HTML also has the plot's scale as data attributes."""
    x_scale = AxisScale(chart.x_range, (frame.left, frame.left + frame.width), chart.x_log)
    y_scale = AxisScale(chart.y_range, (frame.top + frame.height, frame.top))
    bottom = (
        frame.top + frame.height + (_HISTOGRAM_GAP + _HISTOGRAM_HEIGHT if chart.histograms else 0.0)
    )
    label_at = (
        frame.left - frame.axis_label_width,
        frame.top - SVG_FONT_SIZE - _reference_labels_height(chart, frame.width),
    )
    about = 5 if frame.width > _PLOT_HEIGHT else 4
    return svg_element(
        "g",
        {} if style.for_pdf or chart.x_tick_labels else _plot_data_attributes(x_scale, y_scale),
        *draw_x_axis(
            x_scale, (frame.top, bottom), chart.x_label, style, about, chart.x_tick_labels
        ),
        *draw_y_axis(y_scale, x_scale.range, chart.y_label, style, label_at),
        *_draw_histogram(chart, x_scale, bottom, style),
        *_draw_zoom_window(chart, x_scale, y_scale, style),
        *(part for series in chart.series for part in _draw_band(series, x_scale, y_scale, style)),
        *_draw_references(chart, x_scale, y_scale, style),
        *(
            part
            for series in chart.series
            for part in _draw_series(series, x_scale, y_scale, style)
        ),
        *(
            part
            for series in chart.series
            for part in draw_markers(series, x_scale, y_scale, style)
        ),
        *draw_crossings(chart, x_scale, y_scale, style),
    )


def _plot_data_attributes(x_scale: AxisScale, y_scale: AxisScale) -> dict[str, str]:
    numbers = (*x_scale.domain, *x_scale.range, *y_scale.domain, *y_scale.range)
    text = " ".join(f"{number:.6g}" for number in numbers)
    return {"data-plot": text, **({"data-log": "x"} if x_scale.log else {})}


def _panel_bottom(chart: LineChart, frame: PlotFrame) -> float:
    return (
        frame.top
        + frame.height
        + _BOTTOM
        + (_HISTOGRAM_GAP + _HISTOGRAM_HEIGHT if chart.histograms else 0.0)
    )


def _draw_band(
    series: Series, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    if series.band is None:
        return
    lower, upper = series.band.lower, series.band.upper
    if len(lower) == len(upper) == 1:
        lower, upper = (_widen_point(side[0], x_scale) for side in (lower, upper))
    corners = (*upper, *reversed(lower))
    path = area_path(corners, x_scale, y_scale)
    if path:
        yield svg_element("path", {"d": path, **style.area(series.color_index, _BAND_OPACITY)})


def _widen_point(point: Point, x_scale: AxisScale) -> tuple[Point, Point]:
    """Return the ends at which the band of a single point is drawn."""
    half_width = _SINGLE_BAND_HALF_WIDTH * (x_scale.domain[1] - x_scale.domain[0])
    return (point[0] - half_width, point[1]), (point[0] + half_width, point[1])


def _draw_series(
    series: Series, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    path = line_path(series.points, x_scale, y_scale, step=series.step)
    if not path:
        return
    data_attributes = {} if style.for_pdf else {"data-series": escape_invisible(series.name)}
    attributes = {"d": path, **style.line(series.color_index), **data_attributes}
    yield svg_element("path", attributes, svg_element("title", {}, series.name))


def _draw_zoom_window(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw a frame around the region that the next panel enlarges."""
    if chart.zoom_window is None:
        return
    (left, right), (low, high) = chart.zoom_window
    x, y = x_scale.position(left), y_scale.position(high)
    yield svg_rect(
        (x, y),
        (x_scale.position(right) - x, y_scale.position(low) - y),
        style.attributes("study-value"),
    )


def _draw_references(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    for reference in chart.references:
        path = line_path((reference.start, reference.end), x_scale, y_scale)
        if path:
            yield svg_element("path", {"d": path, **style.attributes(reference.style)})
    for row, label, x in _place_reference_labels(chart, x_scale):
        y = y_scale.range[1] - 5 - row * _REFERENCE_LABEL_HEIGHT
        yield svg_text((x, y), label, style.attributes("muted"), "middle")


def _place_reference_labels(chart: LineChart, x_scale: AxisScale) -> list[tuple[int, str, float]]:
    """Return row, text and centre of the labels above reference lines, in rows without overlaps."""
    placements: list[tuple[int, str, float]] = []
    labelled = sorted(
        (x_scale.position(reference.end[0]), format_three_digits(reference.label_value))
        for reference in chart.references
        if reference.label_value is not None
    )
    for middle, label in dict.fromkeys(labelled):
        half_width = text_width(label) * SVG_FONT_SIZE / 2 + 3
        x = min(middle, x_scale.range[1] - half_width + 6)
        row = 0
        while any(
            row == other_row
            and abs(x - other_x) < half_width + text_width(other_label) * SVG_FONT_SIZE / 2
            for other_row, other_label, other_x in placements
        ):
            row += 1
        placements.append((row, label, x))
    return placements


def _reference_labels_height(chart: LineChart, width: float) -> float:
    x_scale = AxisScale(chart.x_range, (0.0, width), chart.x_log)
    rows = [row for row, _, _ in _place_reference_labels(chart, x_scale)]
    return (max(rows) + 1) * _REFERENCE_LABEL_HEIGHT if rows else 0.0


def _draw_histogram(
    chart: LineChart, x_scale: AxisScale, bottom: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the histograms below the plot, the bars of the series side by side."""
    if not chart.histograms:
        return
    largest = max((bar[2] for bars in chart.histograms for bar in bars.bars), default=0.0) or 1.0
    share = 1 / (len(chart.histograms) + 0.5)
    left, right = x_scale.range
    for index, bars in enumerate(chart.histograms):
        outlines = []
        for low, high, number in bars.bars:
            bin_width = x_scale.position(high) - x_scale.position(low)
            height = max(_HISTOGRAM_HEIGHT * number / largest, _MIN_BAR_HEIGHT if number else 0.0)
            x, width = (
                x_scale.position(low) + bin_width * share * (index + 0.25),
                format_coordinate(bin_width * share),
            )
            length = format_coordinate(height)
            outlines.append(
                f"M{format_coordinate(x)} {format_coordinate(bottom)}v-{length}h{width}v{length}z"
            )
        yield svg_element("path", {"d": "".join(outlines), **style.area(bars.color_index)})
    top = bottom - _HISTOGRAM_HEIGHT
    yield svg_line(
        (left, top - _HISTOGRAM_GAP), (right, top - _HISTOGRAM_GAP), style.attributes("axis")
    )
    yield svg_text(
        (left - 7, top + SVG_FONT_SIZE * 0.7),
        format_integer(round(largest)),
        style.attributes("muted"),
        "end",
    )
    if chart.histogram_label:
        yield svg_text(
            (right + 8, top + SVG_FONT_SIZE * 1.6), chart.histogram_label, style.attributes("muted")
        )
