"""Reliability diagrams: a panel per classifier, with consistency band and histogram."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.render.number_format import format_frequency, format_number
from reportgen.render.plain_text import ELLIPSIS, escape_invisible
from reportgen.render.svg.axes import AxisScale, draw_x_axis, draw_y_axis
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    format_coordinate,
    svg_box,
    svg_element,
    svg_line,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import (
    BOLD_FACTOR,
    break_label,
    max_text_width,
    svg_truncated_label,
    text_width,
    truncate_labels_distinctly,
)
from reportgen.render.svg.paths import area_path, line_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import (
        ConfidenceBand,
        Point,
        ReliabilityDiagram,
        ReliabilityLine,
        ReliabilityPanel,
    )

_MIN_COLUMNS, _COLUMNS, _MAX_COLUMNS, _LEFT, _GAP, _RIGHT = 3, 4, 5, 32.0, 10.0, 6.0
_TITLE_LINE = 1.15 * SVG_FONT_SIZE
_TITLE_HEIGHT, _HISTOGRAM_HEIGHT, _HISTOGRAM_GAP, _COUNT_GAP = 36.0, 22.0, 8.0, 4.0
_TICKS_HEIGHT, _LABEL_HEIGHT, _LEGEND_HEIGHT = 22.0, 16.0, 24.0
_BAND_OPACITY, _MIN_BAR_HEIGHT = "0.16", 0.8
# Half the width of the band of a single probability, as a proportion of the axis.
_SINGLE_BAND_HALF_WIDTH = 0.012
_LINE_WIDTH, _DEVIATION_WIDTH = "1.3", "3.6"
_MARKER_RADIUS, _DEVIATION_RADIUS, _SHORT = 2.0, 3.0, 3.0
_MISCALIBRATION_DECIMALS = 4
_WORD_GAP = 4.0
_PERCENT_TICKS = ((0.0, "0"), (0.5, "0.5"), (1.0, "1"))


def draw_reliability_diagram(diagram: ReliabilityDiagram, style: SvgStyle) -> SvgDrawing:
    """Draw the panels in rows of four, or of five if that saves a row, and one legend below."""
    columns = _column_count(len(diagram.panels))
    pitch = (SVG_WIDTH - _RIGHT + _GAP) / columns
    margin = max(_LEFT, max_text_width(map(_largest_count, diagram.panels)) + _COUNT_GAP + 2)
    width = pitch - margin - _GAP
    height = style.height_scale * width
    titles = _break_titles([panel.name for panel in diagram.panels], width + margin)
    lines = max(map(len, titles.values()), default=1)
    title_height = _TITLE_HEIGHT + _TITLE_LINE * (lines - 1)
    row_height = title_height + height + _HISTOGRAM_GAP + _HISTOGRAM_HEIGHT + _TICKS_HEIGHT
    labels = diagram.x_label, diagram.y_label
    corners = [
        (index % columns * pitch, index // columns * row_height)
        for index in range(len(diagram.panels))
    ]
    parts = [
        svg_box(
            corner,
            (pitch, row_height),
            style,
            _draw_panel(
                panel,
                titles[panel.name],
                labels,
                corner,
                (margin, width, height, title_height),
                style,
            ),
        )
        for panel, corner in zip(diagram.panels, corners, strict=True)
    ]
    rows = -(-len(diagram.panels) // columns)
    top = rows * row_height + SVG_FONT_SIZE
    axes = (
        f"Horizontal axis: {diagram.x_label};",
        f"vertical axis: {diagram.y_label}; bars: cases",
    )
    parts += [*_draw_axis_names(axes, top, style), *_draw_legend(top + _LABEL_HEIGHT, style)]
    return SvgDrawing(tuple(parts), top + _LABEL_HEIGHT + _LEGEND_HEIGHT - SVG_FONT_SIZE)


def _column_count(panels: int) -> int:
    """Return the number of columns: as many as save a row, from three to five."""
    columns = _MAX_COLUMNS if -(-panels // _MAX_COLUMNS) < -(-panels // _COLUMNS) else _COLUMNS
    return min(columns, max(_MIN_COLUMNS, panels))


def _draw_panel(  # noqa: PLR0913, PLR0917  # a panel, and where it is
    panel: ReliabilityPanel,
    title: tuple[str, ...],
    labels: tuple[str, str],
    corner: Point,
    sizes: tuple[float, float, float, float],
    style: SvgStyle,
) -> Markup:
    """Draw a panel at its upper left corner, below the lines of its title.

    `sizes` are the width of the numbers beside the plot, width and height of the plot, and the
    height of the title above it.
    """
    margin, width, height, title_height = sizes
    left, top = corner[0] + margin, corner[1] + title_height
    x_scale = AxisScale((0.0, 1.0), (left, left + width))
    y_scale = AxisScale((0.0, 1.0), (top + height, top))
    bottom = top + height + _HISTOGRAM_GAP + _HISTOGRAM_HEIGHT
    numbers = (*x_scale.domain, *x_scale.range, *y_scale.domain, *y_scale.range)
    data = (
        {}
        if style.for_pdf
        else {
            "data-plot": " ".join(f"{number:.6g}" for number in numbers),
            "data-labels": "|".join(labels),
        }
    )
    # The last line of the name and the number are just above the plot.
    title_y = top - _TITLE_HEIGHT + SVG_FONT_SIZE
    bold = {**style.attributes("text"), "font-weight": "600"}
    miscalibration = format_number(panel.miscalibration, _MISCALIBRATION_DECIMALS)
    return svg_element(
        "g",
        data,
        *(
            svg_truncated_label(
                (corner[0] + 2, title_y - _TITLE_LINE * (len(title) - 1 - row)),
                panel.name if title[-1].endswith(ELLIPSIS) else line,
                line,
                bold,
            )
            for row, line in enumerate(title)
        ),
        svg_text(
            (corner[0] + 2, title_y + SVG_FONT_SIZE + 3),
            f"MCB {miscalibration}",
            style.attributes("muted"),
        ),
        *draw_x_axis(x_scale, (top, bottom), "", style, tick_labels=_PERCENT_TICKS),
        *draw_y_axis(y_scale, x_scale.range, "", style),
        *_draw_bars(panel, x_scale, bottom, style),
        *(
            svg_element("path", {"d": path, **style.area(panel.color_index, _BAND_OPACITY)})
            for line in panel.lines
            if line.band is not None and (path := _band_path(line.band, x_scale, y_scale))
        ),
        svg_element(
            "path",
            {
                "d": line_path(((0.0, 0.0), (1.0, 1.0)), x_scale, y_scale),
                **style.attributes("reference"),
            },
        ),
        *(
            part
            for line in panel.lines
            for part in _draw_line(panel, line, (x_scale, y_scale), style)
        ),
    )


def _break_titles(names: Sequence[str], width: float) -> dict[str, tuple[str, ...]]:
    """Return the names in at most two lines; truncated ones stay different from each other."""
    available = width / BOLD_FACTOR
    titles = {name: break_label(escape_invisible(name), available) for name in names}
    truncated = truncate_labels_distinctly(map(escape_invisible, names), available / SVG_FONT_SIZE)
    return {
        name: lines if max_text_width(lines) <= available else (truncated[escape_invisible(name)],)
        for name, lines in titles.items()
    }


def _draw_line(
    panel: ReliabilityPanel,
    line: ReliabilityLine,
    scales: tuple[AxisScale, AxisScale],
    style: SvgStyle,
) -> Iterator[Markup]:
    """Draw a part of the curve, thicker outside the band; single points are discs."""
    x_scale, y_scale = scales
    stroke = style.solid_line(panel.color_index)
    data = {} if style.for_pdf else {"data-series": escape_invisible(panel.name)}
    path = line_path(line.points, x_scale, y_scale, step=True)
    if path:
        yield svg_element("path", {"d": path, **stroke, "stroke-width": _LINE_WIDTH, **data})
    thick = "".join(
        line_path(points, x_scale, y_scale, step=True)
        for points in line.deviations
        if len(points) > 1
    )
    if thick:
        wide = {"stroke-width": _DEVIATION_WIDTH, "stroke-linecap": "round"}
        yield svg_element("path", {"d": thick, **stroke, **wide})
    discs = [(points[0], _DEVIATION_RADIUS) for points in line.deviations if len(points) == 1]
    # A line too short to be visible.
    is_point = x_scale.position(line.points[-1][0]) - x_scale.position(line.points[0][0]) < _SHORT
    if is_point and not discs:
        radius = _DEVIATION_RADIUS if line.deviations else _MARKER_RADIUS
        discs.append((line.points[0], radius))
    for (x, y), radius in discs:
        yield svg_element(
            "circle",
            {
                "cx": format_coordinate(x_scale.position(x)),
                "cy": format_coordinate(y_scale.position(y)),
                "r": format_coordinate(radius),
                **style.area(panel.color_index),
            },
        )


def _band_path(band: ConfidenceBand, x_scale: AxisScale, y_scale: AxisScale) -> str:
    lower, upper = band.lower, band.upper
    if len(lower) == 1:
        x = lower[0][0]
        ends = x - _SINGLE_BAND_HALF_WIDTH, x + _SINGLE_BAND_HALF_WIDTH
        lower, upper = (tuple((end, side[0][1]) for end in ends) for side in (lower, upper))
    return area_path((*upper, *reversed(lower)), x_scale, y_scale)


def _largest_count(panel: ReliabilityPanel) -> str:
    """Return the number of cases of the longest bar, as it is printed."""
    return format_frequency(round(max((count for _, _, count in panel.histogram.bars), default=1)))


def _draw_bars(
    panel: ReliabilityPanel, x_scale: AxisScale, bottom: float, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the number of cases by probability, and the largest number."""
    bars = panel.histogram.bars
    largest = max((count for _, _, count in bars), default=0.0) or 1.0
    outlines = []
    for low, high, count in bars:
        height = max(_HISTOGRAM_HEIGHT * count / largest, _MIN_BAR_HEIGHT if count else 0.0)
        width = (x_scale.position(high) - x_scale.position(low)) * 0.8
        x = x_scale.position(low) + width * 0.125
        length = format_coordinate(height)
        outlines.append(
            f"M{format_coordinate(x)} {format_coordinate(bottom)}v-{length}"
            f"h{format_coordinate(width)}v{length}z"
        )
    if outlines:
        yield svg_element("path", {"d": "".join(outlines), **style.area(panel.color_index, "0.75")})
    top = bottom - _HISTOGRAM_HEIGHT
    yield svg_text(
        (x_scale.range[0] - _COUNT_GAP, top + SVG_FONT_SIZE * 0.8),
        _largest_count(panel),
        style.attributes("muted"),
        "end",
    )


def _draw_axis_names(texts: Sequence[str], y: float, style: SvgStyle) -> Iterator[Markup]:
    x = 0.0
    for text in texts:
        width = text_width(text) * SVG_FONT_SIZE + _WORD_GAP
        corner, size = (x, y - SVG_FONT_SIZE), (width, _LABEL_HEIGHT)
        yield svg_box(corner, size, style, svg_text((x, y), text, style.attributes("text")))
        x += width


def _draw_legend(top: float, style: SvgStyle) -> Iterator[Markup]:
    """Draw what line, thick line, band and diagonal mean, in the neutral colour."""
    ink, y = style.attributes("trend"), top - SVG_FONT_SIZE * 0.35
    x = 0.0
    entries = (
        ("isotonic curve", {**ink, "stroke-width": _LINE_WIDTH}, 110.0),
        ("outside the consistency band", {**ink, "stroke-width": _DEVIATION_WIDTH}, 204.0),
        ("consistency band", None, 136.0),
        ("perfect calibration", style.attributes("reference"), 130.0),
    )
    for text, line, width in entries:
        sample = (
            svg_rect((x, y - 4), (20.0, 8.0), {**style.attributes("region"), "fill-opacity": "0.9"})
            if line is None
            else svg_line((x, y), (x + 20.0, y), line)
        )
        label = svg_text((x + 25.0, top), text, style.attributes("muted"))
        yield svg_box((x, top - SVG_FONT_SIZE), (width, _LABEL_HEIGHT), style, sample, label)
        x += width
