"""Forest plots: differences with confidence intervals, marked by the result of their tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.evaluation.comparison import Decision
from reportgen.render.plain_text import cell_text, escape_invisible
from reportgen.render.svg.axes import AxisScale, finite_numbers, pad_range
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    format_coordinate,
    merge_styles,
    svg_box,
    svg_element,
    svg_line,
    svg_marker,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import (
    max_text_width,
    svg_label,
    svg_truncated_label,
    text_width,
    truncate_label,
    truncate_labels_distinctly,
)
from reportgen.render.svg.markers import arrow_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import AxisRange, ForestGroup, ForestPlot, ForestRow

_TOP, _ROW_HEIGHT, _GROUP_HEAD_HEIGHT, _BOTTOM, _KEY_HEIGHT = 24.0, 17.5, 24.0, 38.0, 20.0
_MIN_ROW_HEIGHT = 14.5
_MAX_LABEL_WIDTH, _MIN_PLOT_WIDTH, _WHISKER_CAP, _ARROW_SIZE, _COLUMN_GAP = (
    290.0,
    140.0,
    4.0,
    7.0,
    12.0,
)
_HALF_ZERO_LABEL, _FAVOURS_EMS, _MAX_SIDE_EMS, _TOLERANCE = 40.0, 6.0, 16.0, 1e-12
# Digits, spaces and brackets are narrower than letters.
_DIGIT_FACTOR = 0.9
# Style of the line, style of the marker and shape of the marker, by result.
_SIGNIFICANT, _NOT_SIGNIFICANT, _EQUIVALENT, _UNTESTED = (
    "significant",
    "not-significant",
    "equivalent",
    "not tested",
)
PAIR_SEPARATOR = " − "
_ROW_STYLES = {
    _SIGNIFICANT: ("significant-line", "significant", 0),
    _NOT_SIGNIFICANT: ("not-significant", "background", 0),
    _EQUIVALENT: ("equivalent", "equivalent-marker", 1),
    _UNTESTED: ("not-significant", "background", 3),
}


@dataclass(frozen=True, slots=True)
class _ForestFrame:
    """The layout of the rows: scale, number columns, and all labels, which must stay distinct."""

    scale: AxisScale
    columns: AxisRange
    names: tuple[str, ...]


def draw_forest_plot(plot: ForestPlot, style: SvgStyle) -> SvgDrawing:
    """Draw a forest plot: labels at the left, intervals in the middle, numbers at the right."""
    rows = [row for group in plot.groups for row in group.rows]
    numbers = [_number_texts(row) for row in rows]
    number_room = _number_column_width(
        [_difference_head_text(plot), *(text for text, _ in numbers)]
    )
    p_width = _number_column_width([plot.p_head, *(text for _, text in numbers)])
    right = SVG_WIDTH - number_room - p_width - 2 * _COLUMN_GAP
    left = max(
        60.0,
        min(_MAX_LABEL_WIDTH, max_text_width(map(_full_label, rows)) + 12, right - _MIN_PLOT_WIDTH),
    )
    scale = AxisScale(_difference_range(rows), (left, right), unit=plot.unit)
    columns = (SVG_WIDTH - p_width - _COLUMN_GAP, SVG_WIDTH)
    names = tuple(dict.fromkeys(escape_invisible(name) for row in rows for name in _row_names(row)))
    frame = _ForestFrame(scale, columns, names)
    parts: list[Markup] = []
    y = _TOP
    for group in plot.groups:
        parts += _draw_group(group, y, frame, style)
        y += _group_height(group, style)
    return SvgDrawing(
        (
            *_draw_column_heads(plot, frame, style),
            *parts,
            *_draw_axis(plot, scale, y, style),
            *_draw_key(rows, y + _BOTTOM + _KEY_HEIGHT / 2, style),
        ),
        y + _BOTTOM + _KEY_HEIGHT,
    )


def _row_height(style: SvgStyle) -> float:
    return max(_MIN_ROW_HEIGHT, _ROW_HEIGHT * style.height_scale)


def _group_height(group: ForestGroup, style: SvgStyle) -> float:
    return (_GROUP_HEAD_HEIGHT if group.head else 0.0) + _row_height(style) * len(group.rows)


def _number_column_width(texts: list[str]) -> float:
    return max_text_width(texts) * _DIGIT_FACTOR


def _difference_range(rows: list[ForestRow]) -> AxisRange:
    """Return the range of the axis, which includes 0 and all finite limits."""
    finite = finite_numbers(
        number for row in rows for number in (row.difference, row.low, row.high)
    )
    low, high = min([0.0, *finite]), max([0.0, *finite])
    # Both sides of 0 are visible, so that the sign of every row is.
    margin = (high - low) * 0.15 or 1.0
    return pad_range(min(low, -margin), max(high, margin), 0.04)


def _draw_axis(
    plot: ForestPlot, scale: AxisScale, bottom: float, style: SvgStyle
) -> Iterator[Markup]:
    left, right = scale.range
    yield svg_box(
        (left, bottom),
        (right - left, SVG_FONT_SIZE + 8),
        style,
        svg_line((left, bottom), (right, bottom), style.attributes("axis")),
        *(
            svg_text(
                (scale.position(number), bottom + SVG_FONT_SIZE + 4),
                label,
                style.attributes("muted"),
                "middle",
            )
            for number, label in scale.ticks()
        ),
    )
    yield _draw_side_labels(plot, scale.position(0.0), bottom + 2.6 * SVG_FONT_SIZE + 2, style)


def _draw_row_grid(scale: AxisScale, y: float, style: SvgStyle) -> Iterator[Markup]:
    """Draw the part of the vertical lines that belongs to a row."""
    zero, grid, height = "", "", format_coordinate(_row_height(style))
    for number, _ in scale.ticks():
        line = f"M{format_coordinate(scale.position(number))} {format_coordinate(y)}v{height}"
        if abs(number) < _TOLERANCE:
            zero += line
        else:
            grid += line
    for path, kind in ((grid, "grid"), (zero, "axis")):
        if path:
            yield svg_element("path", {"d": path, **style.attributes(kind)})


def _draw_side_labels(plot: ForestPlot, zero_x: float, y: float, style: SvgStyle) -> Markup:
    """Draw the classifier that each side of zero favours."""
    names = [escape_invisible(name) for name in (plot.favours_left, plot.favours_right)]
    distinct = truncate_labels_distinctly(names, _MAX_SIDE_EMS)
    left = f"← favours {distinct[names[0]]}"
    end = max(zero_x - 10, text_width(left) * SVG_FONT_SIZE)
    start = max(zero_x + 10, end + 14)
    max_width = (SVG_WIDTH - start) / SVG_FONT_SIZE - _FAVOURS_EMS
    # The right side has the room that the left one leaves.
    fits = truncate_label(names[1], max_width) == names[1]
    right = f"favours {names[1] if fits else truncate_label(distinct[names[1]], max_width)} →"
    corner = end - text_width(left) * SVG_FONT_SIZE
    return svg_box(
        (corner, y - SVG_FONT_SIZE),
        (start + text_width(right) * SVG_FONT_SIZE - corner, SVG_FONT_SIZE + 8),
        style,
        svg_text((end, y), left, style.attributes("text"), "end"),
        svg_text((start, y), right, style.attributes("text")),
    )


def _draw_margin(row: ForestRow, top: float, scale: AxisScale, style: SvgStyle) -> Iterator[Markup]:
    """Shade the equivalence margin of a row that has one."""
    if row.margin is not None:
        left, right = scale.position(-row.margin), scale.position(row.margin)
        zone = {**style.attributes("equivalent-marker"), "fill-opacity": "0.14"}
        yield svg_rect((left, top), (right - left, _row_height(style)), zone)


def _draw_column_heads(plot: ForestPlot, frame: _ForestFrame, style: SvgStyle) -> Iterator[Markup]:
    y, muted = _TOP - 8, style.attributes("muted")
    (left, right), columns = frame.scale.range, frame.columns
    # An empty box, so that the heads stay above their columns where boxes are moved.
    yield svg_box((0.0, 0.0), (left, _TOP), style)
    yield svg_box(
        (right, 0.0),
        (SVG_WIDTH - right, _TOP),
        style,
        svg_text((columns[0], y), _difference_head_text(plot), muted, "end"),
        svg_text((columns[1], y), plot.p_head, muted, "end"),
    )
    zero = frame.scale.position(0.0)
    anchor, x = ("end", right) if zero > right - _HALF_ZERO_LABEL else ("middle", zero)
    text = svg_text((x, y), "no difference", muted, anchor)
    yield svg_box((left, 0.0), (right - left, _TOP), style, text)


def _draw_group(
    group: ForestGroup, top: float, frame: _ForestFrame, style: SvgStyle
) -> Iterator[Markup]:
    y = top
    if group.head:
        head = {**style.attributes("text"), "font-weight": "600"}
        width = min(frame.scale.range[1], max_text_width([group.head]))
        label = svg_label((0.0, y + _GROUP_HEAD_HEIGHT - 7), group.head, frame.scale.range[1], head)
        yield svg_box((0.0, y), (width, _GROUP_HEAD_HEIGHT), style, label)
        y += _GROUP_HEAD_HEIGHT
    for index, row in enumerate(group.rows):
        yield from _draw_row(row, y + _row_height(style) * index, frame, style)


def _draw_row(row: ForestRow, top: float, frame: _ForestFrame, style: SvgStyle) -> Iterator[Markup]:
    """Draw the label, the numbers, and the interval on the lines of the axis."""
    y = top + _row_height(style) / 2
    baseline = y + SVG_FONT_SIZE * 0.35
    scale, (left, right) = frame.scale, frame.scale.range
    label = _fit_label(row, (left - 12) / SVG_FONT_SIZE, frame.names)
    strong = {"font-weight": "600"} if _row_style_key(row) == _SIGNIFICANT else {}
    line_style, marker_style, kind = _ROW_STYLES[_row_style_key(row)]
    elements: list[Markup] = [
        *_draw_row_grid(scale, top, style),
        *_draw_margin(row, top, scale, style),
    ]
    interval: list[Markup] = []
    if row.low is not None or row.high is not None or row.difference is not None:
        interval += _draw_whiskers(row, y, scale, style.attributes(line_style))
    if row.difference is not None and math.isfinite(row.difference):
        interval.append(
            svg_marker(
                (scale.position(row.difference), y), kind, _marker_style(marker_style, style), 4.2
            )
        )
    yield svg_box(
        (0.0, top),
        (left, _row_height(style)),
        style,
        _of_pair(
            row,
            style,
            svg_truncated_label(
                (left - 10, baseline), _full_label(row), label, style.attributes("text"), "end"
            ),
        ),
    )
    yield svg_box(
        (right, top),
        (SVG_WIDTH - right, _row_height(style)),
        style,
        _of_pair(
            row,
            style,
            *(
                svg_text((x, baseline), text, {**style.attributes("text"), **strong}, "end")
                for x, text in zip(frame.columns, _number_texts(row), strict=True)
            ),
        ),
    )
    size = (right - left, _row_height(style))
    yield svg_box((left, top), size, style, *elements, _of_pair(row, style, *interval))


def _of_pair(row: ForestRow, style: SvgStyle, *elements: Markup) -> Markup:
    """Return elements in a group by which the page's script finds the rows of a pair."""
    if not row.pair or style.for_pdf or not elements:
        return Markup("").join(elements)
    pair = PAIR_SEPARATOR.join(map(escape_invisible, row.pair))
    return svg_element("g", {"data-pair": pair}, *elements)


def _row_names(row: ForestRow) -> tuple[str, ...]:
    return (row.label, row.second_label) if row.second_label else (row.label,)


def _full_label(row: ForestRow) -> str:
    return PAIR_SEPARATOR.join(map(escape_invisible, _row_names(row)))


def _fit_label(row: ForestRow, max_width: float, names: tuple[str, ...]) -> str:
    """Return a label truncated to a width in ems; of two names, the longer is truncated first."""
    labels = tuple(map(escape_invisible, _row_names(row)))
    available = max_width - text_width(PAIR_SEPARATOR) * (len(labels) - 1)
    shorter = min(*map(text_width, labels), available / len(labels))
    label_width = max(available - shorter, shorter) if row.second_label else available
    short_labels = truncate_labels_distinctly(names, label_width)
    return PAIR_SEPARATOR.join(short_labels[name] for name in labels)


def _marker_style(style_name: str, style: SvgStyle) -> dict[str, str]:
    """Return the style of a marker; a hollow one has an outline."""
    return (
        merge_styles(style.attributes("not-significant"), style.attributes("background"))
        if style_name == "background"
        else style.attributes(style_name)
    )


def _draw_whiskers(
    row: ForestRow, y: float, scale: AxisScale, attributes: dict[str, str]
) -> Iterator[Markup]:
    """Draw an interval as one path, with an arrow where it continues beyond the axis."""
    value = row.difference
    low, high = row.low, row.high
    if low is None and high is None:
        if value is None or math.isfinite(value):
            return
        low = high = value
    left = -math.inf if low is None else low
    right = math.inf if high is None else high
    limits = (scale.position(left), scale.position(right))
    path = f"M{format_coordinate(limits[0])} {format_coordinate(y)}H{format_coordinate(limits[1])}"
    for end, x in zip((left, right), limits, strict=True):
        if math.isfinite(end):
            top, bottom = format_coordinate(y - _WHISKER_CAP), format_coordinate(y + _WHISKER_CAP)
            path += f"M{format_coordinate(x)} {top}V{bottom}"
        else:
            path += arrow_path((x, y), _ARROW_SIZE, right=end > 0)
    yield svg_element("path", {"d": path, **attributes})


def _row_style_key(row: ForestRow) -> str:
    match row.decision:
        case None:
            return _UNTESTED
        case Decision.SUPERIOR | Decision.INFERIOR:
            return _SIGNIFICANT
        case Decision.EQUIVALENT:
            return _EQUIVALENT
        case _:
            return _NOT_SIGNIFICANT


def _difference_head_text(plot: ForestPlot) -> str:
    return "".join(map(cell_text, plot.difference_head))


def _number_texts(row: ForestRow) -> tuple[str, str]:
    return "".join(map(cell_text, row.estimate)), cell_text(row.p)


def _draw_key(rows: list[ForestRow], y: float, style: SvgStyle) -> Iterator[Markup]:
    """Draw the legend of the row styles that occur."""
    keys = {_row_style_key(row) for row in rows}
    entries = {
        _SIGNIFICANT: "significant",
        _NOT_SIGNIFICANT: "not significant",
        _EQUIVALENT: "equivalent (CI within the margin)",
        _UNTESTED: "not tested",
    }
    x = 0.0
    baseline = y + SVG_FONT_SIZE * 0.35
    for key, label in entries.items():
        if key not in keys:
            continue
        line_style, marker_style, shape = _ROW_STYLES[key]
        width = 29 + text_width(label) * SVG_FONT_SIZE + 16
        yield svg_box(
            (x, y - _KEY_HEIGHT / 2),
            (width, _KEY_HEIGHT),
            style,
            svg_line((x, y), (x + 22, y), style.attributes(line_style)),
            svg_marker((x + 11, y), shape, _marker_style(marker_style, style), 4.2),
            svg_text((x + 29, baseline), label, style.attributes("muted")),
        )
        x += width
    if any(row.margin is not None for row in rows):
        zone = {**style.attributes("equivalent-marker"), "fill-opacity": "0.2"}
        label = "equivalence margin"
        yield svg_box(
            (x, y - _KEY_HEIGHT / 2),
            (27 + text_width(label) * SVG_FONT_SIZE, _KEY_HEIGHT),
            style,
            svg_rect((x, y - 6), (20.0, 12.0), zone),
            svg_text((x + 27, baseline), label, style.attributes("muted")),
        )
