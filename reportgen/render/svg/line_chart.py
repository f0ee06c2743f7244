"""Line charts with bands, markers and a legend; panels with a common legend; small multiples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.render.number_format import format_frequency
from reportgen.render.plain_text import escape_invisible
from reportgen.render.svg.axes import (
    AXIS_LABEL_GAP,
    AxisScale,
    draw_bare_axes,
    draw_x_axis,
    draw_y_axis,
    y_axis_width,
)
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    format_coordinate,
    svg_box,
    svg_element,
    svg_line,
    svg_marker,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import (
    LabelBox,
    max_text_width,
    place_line_labels,
    svg_label,
    text_width,
    truncate_labels_distinctly,
)
from reportgen.render.svg.markers import (
    LEGEND_ROW_HEIGHT,
    MARKER_SIZES,
    draw_bottom_legend,
    draw_crossings,
    draw_markers,
    draw_side_legend,
    format_three_digits,
    legend_entries,
    legend_rows,
    markers_path,
)
from reportgen.render.svg.paths import area_path, drawn_polylines, line_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.render.svg.markers import LegendEntry
    from reportgen.report.charts import LineChart, LinePanels, Point, Series

_LEFT, _TOP, _BOTTOM = 38.0, 30.0, 42.0
_BOLD = {"font-weight": "600"}
_PLOT_WIDTH, _PLOT_HEIGHT, _PLOT_HEIGHT_IN_ROWS, _SQUARE_SIZE = 400.0, 220.0, 165.0, 290.0
# The gap between panels, besides the tick labels of the next one.
_PANEL_GAP, _RIGHT, _LEGEND_GAP = 6.0, 16.0, 22.0
_HISTOGRAM_HEIGHT, _HISTOGRAM_GAP, _MIN_BAR_HEIGHT = 34.0, 12.0, 0.8
_REFERENCE_LABEL_HEIGHT = 13.0
_BAND_OPACITY = "0.13"
# Half the width of the band of a single point, as a proportion of the axis.
_SINGLE_BAND_HALF_WIDTH = 0.006
# The inset that enlarges a region: its side as a share of the panel, and room for its numbers.
_INSET_SHARE, _INSET_MARGIN, _INSET_BOTTOM = 0.44, 8.0, 20.0
# In panels narrower than this, lines have a legend instead of labels.
_MIN_LABELLED_WIDTH, _MAX_LINE_LABEL, _LABEL_MARKER_WIDTH = 220.0, 120.0, 13.0
# Small multiples: height of a title, and gaps between panels.
_TITLE_HEIGHT, _MULTIPLE_GAP, _MULTIPLE_ROW_GAP, _MAX_MULTIPLE_HEIGHT = 19.0, 12.0, 10.0, 150.0


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
    height *= style.height_scale
    left = _y_axes_width([chart])
    frame = PlotFrame(left, left, _TOP + _reference_labels_height(chart, width), width, height)
    entries = legend_entries([chart], labelled=_labels_lines(chart, frame.width))
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
    if panels.titles:
        return _draw_small_multiples(panels, style)
    columns, left = panels.columns, _y_axes_width(panels.panels)
    max_height = _PLOT_HEIGHT if len(panels.panels) <= columns else _PLOT_HEIGHT_IN_ROWS
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
                style.height_scale * (width if chart.square else min(width, max_height)),
            )
            for index, chart in enumerate(row)
        ]
        bottom = max(_panel_bottom(chart, frame) for chart, frame in zip(row, frames, strict=True))
        parts += [
            svg_box(
                (frame.left - left, top),
                (left + width + _PANEL_GAP, bottom - top),
                style,
                _draw_panel(chart, frame, style),
            )
            for chart, frame in zip(row, frames, strict=True)
        ]
        top = bottom
    labelled = all(_labels_lines(chart, width) for chart in panels.panels)
    return _add_bottom_legend(
        parts, legend_entries(panels.panels, labelled=labelled), left, top, style
    )


def _add_bottom_legend(
    parts: Sequence[Markup],
    entries: Sequence[LegendEntry],
    left: float,
    top: float,
    style: SvgStyle,
) -> SvgDrawing:
    rows = legend_rows(entries, left)
    return SvgDrawing(
        (*parts, *draw_bottom_legend(rows, left, top + LEGEND_ROW_HEIGHT / 2, style)),
        top + LEGEND_ROW_HEIGHT * len(rows) + 4,
    )


def _draw_small_multiples(panels: LinePanels, style: SvgStyle) -> SvgDrawing:
    """Draw many small charts on the same axes, with numbers and labels at the outside only."""
    columns, charts = panels.columns, panels.panels
    left = _y_axes_width(charts)
    width = (SVG_WIDTH - _RIGHT - left - (columns - 1) * _MULTIPLE_GAP) / columns
    height = style.height_scale * (width if charts[0].square else min(width, _MAX_MULTIPLE_HEIGHT))
    first_top = SVG_FONT_SIZE + 4
    parts: list[Markup] = [
        svg_text((0.0, SVG_FONT_SIZE), charts[0].y_label, style.attributes("text"))
    ]
    bottom = first_top
    for index, (chart, title) in enumerate(zip(charts, panels.titles, strict=True)):
        row, column = divmod(index, columns)
        x = left + column * (width + _MULTIPLE_GAP)
        top = first_top + row * (height + _TITLE_HEIGHT + _MULTIPLE_ROW_GAP) + _TITLE_HEIGHT
        bottom = top + height
        parts.append(svg_label((x, top - 5), title, width, {**style.attributes("text"), **_BOLD}))
        x_scale = AxisScale(chart.x_range, (x, x + width), chart.x_log)
        y_scale = AxisScale(chart.y_range, (bottom, top), unit=chart.y_unit)
        axes = draw_bare_axes(
            x_scale,
            y_scale,
            style,
            (chart.x_label, chart.y_label),
            # Below a panel without another one under it, the numbers of the x-axis.
            x_numbers=index + columns >= len(charts),
            y_numbers=column == 0,
        )
        parts.append(
            svg_element(
                "g",
                {} if style.for_pdf else _plot_data_attributes(x_scale, y_scale),
                *axes,
                *_draw_content(chart, x_scale, y_scale, style),
            )
        )
    middle = left + (SVG_WIDTH - _RIGHT - left) / 2
    label_y = bottom + 2.6 * SVG_FONT_SIZE + 2
    parts.append(svg_text((middle, label_y), charts[0].x_label, style.attributes("text"), "middle"))
    return _add_bottom_legend(parts, legend_entries(charts), left, label_y + 8, style)


def _y_axes_width(charts: Sequence[LineChart]) -> float:
    """Return the width of the y-axis labels: 38, or more for long labels or large counts."""
    counts = [
        format_frequency(round(max((bar[2] for bar in bars.bars), default=0.0)))
        for chart in charts
        for bars in chart.histograms
    ]
    return max(
        _LEFT,
        AXIS_LABEL_GAP + max_text_width(counts) + 1.0,
        *(
            y_axis_width(AxisScale(chart.y_range, (1.0, 0.0), unit=chart.y_unit))
            for chart in charts
        ),
    )


def _draw_panel(chart: LineChart, frame: PlotFrame, style: SvgStyle) -> Markup:
    """Draw the axes and all series; HTML also has the plot's scale as data attributes."""
    x_scale = AxisScale(chart.x_range, (frame.left, frame.left + frame.width), chart.x_log)
    y_scale = AxisScale(chart.y_range, (frame.top + frame.height, frame.top), unit=chart.y_unit)
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
        *_draw_content(chart, x_scale, y_scale, style),
        *_draw_line_labels(chart, x_scale, y_scale, style),
    ) + _draw_inset(chart, x_scale, y_scale, style)


def _draw_content(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw all bands, references, lines and markers; grey lines are behind the others."""
    muted = [series for series in chart.series if series.color_index < 0]
    # The first series is the most important one and lies on top.
    colored = [series for series in reversed(chart.series) if series.color_index >= 0]
    for series in colored:
        yield from _draw_band(series, x_scale, y_scale, style)
    yield from _draw_references(chart, x_scale, y_scale, style)
    if style.for_pdf:
        yield from _draw_merged(muted, x_scale, y_scale, style)
    else:
        for series in muted:
            yield from _draw_series(series, x_scale, y_scale, style)
            yield from draw_markers(series, x_scale, y_scale, style)
    for series in colored:
        yield from _draw_series(series, x_scale, y_scale, style)
    for series in colored:
        yield from draw_markers(series, x_scale, y_scale, style)
    yield from draw_crossings(chart, x_scale, y_scale, style)


def _draw_merged(
    muted: Sequence[Series], x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw all grey lines as one element and all their markers as another: the PDF is faster."""
    lines = "".join(
        line_path(series.points, x_scale, y_scale, step=series.step) for series in muted
    )
    if lines:
        yield svg_element("path", {"d": lines, **style.line(-1)})
    points = [
        (x_scale.position(x), y_scale.position(y))
        for series in muted
        for marker in series.markers
        for x, y in (marker.point,)
        if x_scale.contains(x) and y_scale.contains(y)
    ]
    if points:
        path = markers_path(points, -1, MARKER_SIZES["plain"])
        yield svg_element("path", {"d": path, **style.area(-1)})


def _labels_lines(chart: LineChart, width: float) -> bool:
    """Return whether the coloured lines have labels instead of legend entries: among grey ones."""
    return width >= _MIN_LABELLED_WIDTH and any(series.color_index < 0 for series in chart.series)


def _draw_line_labels(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the names of the coloured lines next to them."""
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    if not _labels_lines(chart, right - left):
        return
    points_by_colour: dict[int, tuple[str, list[Point]]] = {}
    faint: list[list[Point]] = []
    for series in chart.series:
        polylines = drawn_polylines(series.points, x_scale, y_scale, step=series.step)
        if series.color_index < 0:
            faint += polylines
        elif polylines:
            name, points = points_by_colour.get(series.color_index, (series.name, []))
            points_by_colour[series.color_index] = (
                name,
                points + [point for polyline in polylines for point in polyline],
            )
    names = [escape_invisible(name) for name, _ in points_by_colour.values()]
    truncated = truncate_labels_distinctly(names, _MAX_LINE_LABEL / SVG_FONT_SIZE)
    labels = [truncated[name] for name in names]
    obstacles = [
        LabelBox(x - 7, y - 7, x + 7, y + 7)
        for series in chart.series
        for marker in series.markers
        if series.color_index >= 0
        for x, y in ((x_scale.position(marker.point[0]), y_scale.position(marker.point[1])),)
    ]
    inset = _inset_scales(chart, x_scale, y_scale)
    if inset is not None:
        obstacles.append(_inset_box(*inset))
    places = place_line_labels(
        [_LABEL_MARKER_WIDTH + max_text_width([label]) + 2 for label in labels],
        [points for _, points in points_by_colour.values()],
        faint,
        LabelBox(left, top, right, bottom),
        obstacles,
    )
    for order, label, place in zip(points_by_colour, labels, places, strict=True):
        box = place.box
        end = (
            min(max(place.anchor[0], box.left), box.right),
            min(max(place.anchor[1], box.top), box.bottom),
        )
        yield svg_line(end, place.anchor, {**style.solid_line(order), "stroke-width": "0.8"})
        background = {**style.attributes("background"), "fill-opacity": "0.85"}
        size = (box.right - box.left, box.bottom - box.top)
        yield svg_rect((box.left, box.top), size, background)
        middle = (box.top + box.bottom) / 2
        yield svg_marker((box.left + 6, middle), order, style.area(order))
        yield svg_text(
            (box.left + _LABEL_MARKER_WIDTH, middle + SVG_FONT_SIZE * 0.35),
            label,
            style.attributes("text"),
        )


def _inset_scales(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale
) -> tuple[AxisScale, AxisScale] | None:
    """Return the scales of the inset: in the lower corner opposite to the region it enlarges."""
    if chart.zoom_window is None:
        return None
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    side = _INSET_SHARE * min(right - left, bottom - top)
    window_left, window_right = map(x_scale.position, chart.zoom_window[0])
    numbers = y_axis_width(AxisScale(chart.zoom_window[1], (1.0, 0.0)))
    is_right = window_left + window_right < left + right
    x = right - _INSET_MARGIN - side if is_right else left + _INSET_MARGIN + numbers
    y = bottom - _INSET_BOTTOM
    return (
        AxisScale(chart.zoom_window[0], (x, x + side)),
        AxisScale(chart.zoom_window[1], (y, y - side)),
    )


def _inset_box(x_scale: AxisScale, y_scale: AxisScale) -> LabelBox:
    """Return the space that an inset takes with its numbers."""
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    return LabelBox(left - y_axis_width(y_scale), top - 5, right + 7, bottom + _INSET_BOTTOM - 2)


def _draw_inset(
    chart: LineChart, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Markup:
    """Draw the enlarged region over the lower corner of the plot."""
    scales = _inset_scales(chart, x_scale, y_scale)
    if scales is None:
        return Markup("")
    box = _inset_box(*scales)
    inset_chart = replace(chart, x_range=scales[0].domain, y_range=scales[1].domain, markers=())
    return svg_element(
        "g",
        {} if style.for_pdf else _plot_data_attributes(*scales),
        svg_rect(
            (box.left, box.top),
            (box.right - box.left, box.bottom - box.top),
            style.attributes("background"),
        ),
        *draw_bare_axes(*scales, style, (chart.x_label, chart.y_label)),
        *_draw_content(inset_chart, *scales, style),
        *_draw_zoom_window(chart, *scales, style),
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
    """Draw a frame around the region that the inset enlarges."""
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
        points = (reference.start, *reference.via, reference.end)
        path = line_path(points, x_scale, y_scale)
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
        format_frequency(round(largest)),
        style.attributes("muted"),
        "end",
    )
    if chart.histogram_label:
        yield svg_text(
            (right + 8, top + SVG_FONT_SIZE * 1.6), chart.histogram_label, style.attributes("muted")
        )
