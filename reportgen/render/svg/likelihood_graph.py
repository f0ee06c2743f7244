"""Likelihood ratios on logarithmic axes, in quadrants around one classifier (Biggerstaff 2000)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.render.plain_text import escape_invisible
from reportgen.render.svg.axes import AxisScale, draw_x_axis, draw_y_axis
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SvgDrawing,
    format_coordinate,
    svg_element,
    svg_line,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import (
    LabelBox,
    break_label,
    max_text_width,
    place_line_labels,
    truncate_labels_distinctly,
)
from reportgen.render.svg.markers import draw_marker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import AxisRange, LikelihoodRatioGraph, Point, RatioPoint

_LEFT, _TOP, _RIGHT, _BOTTOM, _PLOT_HEIGHT = 52.0, 30.0, 14.0, 42.0, 205.0
_MAX_NAME_WIDTH, _NAME_GAP, _LINE_HEIGHT = 150.0, 4.0, 1.2 * SVG_FONT_SIZE
# The axes are a little wider than the points, and intervals reach at most so far beyond them.
_AXIS_MARGIN, _MAX_INTERVAL_FACTOR = 1.25, 10.0
# Where a ratio is 0 or infinite, its point is at the edge, this factor beyond the others.
_EDGE_FACTOR, _MAX_NUMBER = 2.5, 1e300
# Room for the labels of quadrants above and below all points, as a share of the axis.
_LABEL_ROOM = 0.1
# The height of a quadrant's label of two lines.
_LABELS_BELOW = 2 * _LINE_HEIGHT + 12
_DASHED = {"stroke-dasharray": "6 3"}
# Upper left, upper right, lower left, lower right.
_QUADRANT_STYLES = ("region", "half-region", "half-region", None)


def draw_likelihood_graph(graph: LikelihoodRatioGraph, style: SvgStyle) -> SvgDrawing:
    """Draw the labelled quadrants, the lines of equal ratios, and all classifiers."""
    points = (graph.reference, *graph.others)
    x_scale = AxisScale(
        ratio_range([(point.lr_negative, point.lr_negative_interval) for point in points]),
        (_LEFT, style.width - _RIGHT),
        log=True,
    )
    low, high = ratio_range([(point.lr_positive, point.lr_positive_interval) for point in points])
    room = (high / low) ** _LABEL_ROOM
    height = _PLOT_HEIGHT * style.height_scale
    bottom = _TOP + height
    y_scale = AxisScale(
        _with_label_room((low / room, high * room), graph.reference.lr_positive, height),
        (bottom, _TOP),
        log=True,
    )
    # A narrow drawing has the names of the axes without their explanation.
    axis_labels = [
        text.partition(":")[0] if style.is_narrow else text
        for text in (graph.x_label, graph.y_label)
    ]
    labels, boxes = _draw_quadrant_labels(graph, x_scale, y_scale, style)
    return SvgDrawing(
        (
            *_draw_quadrants(graph, x_scale, y_scale, style),
            *draw_x_axis(x_scale, (_TOP, bottom), axis_labels[0], style),
            *draw_y_axis(y_scale, x_scale.range, axis_labels[1], style),
            *_draw_equal_ratios(graph.reference, x_scale, y_scale, style),
            *labels,
            *(_draw_cross(point, x_scale, y_scale, style) for point in points),
            *_draw_names(points, x_scale, y_scale, boxes, style),
            *(
                draw_marker(
                    _place_point(point, x_scale, y_scale),
                    "operating" if point is graph.reference else "plain",
                    point.color_index,
                    style,
                )
                for point in reversed(points)
            ),
        ),
        bottom + _BOTTOM,
    )


def ratio_range(ratios: Sequence[tuple[float, AxisRange | None]]) -> AxisRange:
    """Return the range of a logarithmic axis that contains all ratios and most of their intervals.

    Ratios of 0 and infinity are drawn at its ends.
    """
    finite = [ratio for ratio, _ in ratios if 0 < ratio < math.inf] or [1.0]
    low, high = min(finite), max(finite)
    ends = [end for _, interval in ratios if interval for end in interval if 0 < end < math.inf]
    lowest = max(min([low, *ends]), low / _MAX_INTERVAL_FACTOR)
    highest = min(max([high, *ends]), high * _MAX_INTERVAL_FACTOR)
    return (
        lowest / (_EDGE_FACTOR if any(ratio == 0 for ratio, _ in ratios) else _AXIS_MARGIN),
        highest * (_EDGE_FACTOR if any(math.isinf(ratio) for ratio, _ in ratios) else _AXIS_MARGIN),
    )


def _with_label_room(domain: AxisRange, reference: float, height: float) -> AxisRange:
    """Return a logarithmic range with room for labels of two lines below the reference's line."""
    if not 0 < reference < math.inf:
        return domain
    share, top = _LABELS_BELOW / height, math.log(domain[1])
    lowest = (math.log(reference) - share * top) / (1 - share)
    return min(domain[0], math.exp(lowest)), domain[1]


def _place_point(point: RatioPoint, x_scale: AxisScale, y_scale: AxisScale) -> Point:
    return (
        x_scale.position(max(point.lr_negative, x_scale.domain[0])),
        y_scale.position(min(point.lr_positive, y_scale.domain[1])),
    )


def _draw_quadrants(
    graph: LikelihoodRatioGraph, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    x, y = _place_point(graph.reference, x_scale, y_scale)
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    corners = ((left, top, x, y), (x, top, right, y), (left, y, x, bottom), (x, y, right, bottom))
    for (x0, y0, x1, y1), tint in zip(corners, _QUADRANT_STYLES, strict=True):
        if tint and x1 > x0 and y1 > y0:
            yield svg_rect((x0, y0), (x1 - x0, y1 - y0), style.attributes(tint))


def _draw_equal_ratios(
    reference: RatioPoint, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the lines of the ratios of the reference, and of ratios of 1: no information."""
    x, y = _place_point(reference, x_scale, y_scale)
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    yield svg_line((left, y), (right, y), style.attributes("equal-ratio"))
    yield svg_line((x, top), (x, bottom), {**style.attributes("equal-ratio"), **_DASHED})
    lines = ""
    if x_scale.contains(1.0):
        one = format_coordinate(x_scale.position(1.0))
        lines += f"M{one} {format_coordinate(top)}V{format_coordinate(bottom)}"
    if y_scale.contains(1.0):
        one = format_coordinate(y_scale.position(1.0))
        lines += f"M{format_coordinate(left)} {one}H{format_coordinate(right)}"
    if lines:
        yield svg_element("path", {"d": lines, **style.attributes("reference")})


def _draw_quadrant_labels(
    graph: LikelihoodRatioGraph, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> tuple[list[Markup], list[LabelBox]]:
    """Draw the names of the quadrants in the corners; return the boxes they take too.

    A name that a line would cross is at the other end of its quadrant, if there is room.
    """
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    middle, level = _place_point(graph.reference, x_scale, y_scale)
    lines_to_avoid = [
        line
        for point in (graph.reference, *graph.others)
        for line in _cross_lines(point, x_scale, y_scale)
    ]
    if y_scale.contains(1.0):
        lines_to_avoid.append(((left, y_scale.position(1.0)), (right, y_scale.position(1.0))))
    elements: list[Markup] = []
    boxes: list[LabelBox] = []
    for index, label in enumerate(graph.region_labels):
        is_left, is_upper = index % 2 == 0, index < 2  # noqa: PLR2004  # two in a row
        lines = break_label(label, (middle - left if is_left else right - middle) - 12)
        width, height = max_text_width(lines), len(lines) * _LINE_HEIGHT
        x = left + 6 if is_left else _right_label_end((middle, right), x_scale, width)
        start = x if is_left else x - width
        high, low = (top, level) if is_upper else (level, bottom)
        # The baselines of the first line at the upper and at the lower end of the quadrant.
        ends = [high + SVG_FONT_SIZE + 3, low - 7 - height + _LINE_HEIGHT]
        places = [
            (first, LabelBox(start, first - SVG_FONT_SIZE, start + width, first + height - 8))
            for first in (ends if is_upper else reversed(ends))
        ]
        first, _box = next(
            (
                place
                for place in places
                if low - high > height + SVG_FONT_SIZE
                and not any(_crosses(line, place[1]) for line in lines_to_avoid)
            ),
            places[0],
        )
        elements += [
            svg_text(
                (x, first + row * _LINE_HEIGHT),
                line,
                style.attributes("muted"),
                "start" if is_left else "end",
            )
            for row, line in enumerate(lines)
        ]
        upper = first - SVG_FONT_SIZE
        boxes.append(LabelBox(start, upper, start + width, upper + height + 3))
    return elements, boxes


def _crosses(line: tuple[Point, Point], box: LabelBox) -> bool:
    """Return whether a horizontal or vertical line crosses a box."""
    (x0, y0), (x1, y1) = line
    return (
        min(x0, x1) < box.right
        and max(x0, x1) > box.left
        and min(y0, y1) < box.bottom
        and max(y0, y1) > box.top
    )


def _right_label_end(sides: tuple[float, float], x_scale: AxisScale, width: float) -> float:
    """Return the right end of a label: left of the line at a ratio of 1, if it fits there."""
    left, right = sides
    one = x_scale.position(1.0) if x_scale.contains(1.0) else right
    return one - 6 if one - 6 - width > left + 6 else right - 6


def _draw_cross(
    point: RatioPoint, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Markup:
    """Draw both confidence intervals as one element, clipped at the axes."""
    path = "".join(
        f"M{format_coordinate(x0)} {format_coordinate(y0)}"
        f"L{format_coordinate(x1)} {format_coordinate(y1)}"
        for (x0, y0), (x1, y1) in _cross_lines(point, x_scale, y_scale)
    )
    attributes = {**style.solid_line(point.color_index), "stroke-width": "1.1"}
    return svg_element("path", {"d": path, **attributes}) if path else Markup("")


def _cross_lines(
    point: RatioPoint, x_scale: AxisScale, y_scale: AxisScale
) -> Iterator[tuple[Point, Point]]:
    """Yield the ends of both intervals; an infinite limit is at the end of the axis."""
    x, y = _place_point(point, x_scale, y_scale)
    if point.lr_negative_interval is not None:
        low, high = point.lr_negative_interval
        yield (x_scale.position(low), y), (x_scale.position(min(high, _MAX_NUMBER)), y)
    if point.lr_positive_interval is not None:
        low, high = point.lr_positive_interval
        yield (x, y_scale.position(low)), (x, y_scale.position(min(high, _MAX_NUMBER)))


def _draw_names(
    points: Sequence[RatioPoint],
    x_scale: AxisScale,
    y_scale: AxisScale,
    obstacles: Sequence[LabelBox],
    style: SvgStyle,
) -> Iterator[Markup]:
    """Draw the names of the classifiers in colour next to their points."""
    named = [point for point in points if point.color_index >= 0 or point is points[0]]
    labels = truncate_labels_distinctly(
        (escape_invisible(point.name) for point in named), _MAX_NAME_WIDTH / SVG_FONT_SIZE
    )
    positions_and_names = [
        (_place_point(point, x_scale, y_scale), labels[escape_invisible(point.name)])
        for point in named
    ]
    point_boxes = [LabelBox(x - 6, y - 6, x + 6, y + 6) for (x, y), _ in positions_and_names]
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    reference_x, reference_y = positions_and_names[0][0]
    places = place_line_labels(
        [max_text_width([name]) + _NAME_GAP for _, name in positions_and_names],
        [[position] for position, _ in positions_and_names],
        [
            *(line for point in points for line in _cross_lines(point, x_scale, y_scale)),
            ((left, reference_y), (right, reference_y)),
            ((reference_x, bottom), (reference_x, top)),
        ],
        LabelBox(left, top, right, bottom),
        [*obstacles, *point_boxes],
    )
    for place, (_, name) in zip(places, positions_and_names, strict=True):
        baseline = (place.box.top + place.box.bottom) / 2 + SVG_FONT_SIZE * 0.35
        yield svg_text((place.box.left, baseline), name, style.attributes("text"))
