"""ROC space divided by lines of equal likelihood ratios through one point (Biggerstaff 2000)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from reportgen.render.svg.axes import AxisScale, draw_x_axis, draw_y_axis
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    SVG_WIDTH,
    SvgDrawing,
    svg_element,
    svg_line,
    svg_text,
)
from reportgen.render.svg.labels import max_text_width, svg_label, text_width
from reportgen.render.svg.markers import LEGEND_ROW_HEIGHT, LEGEND_SAMPLE_WIDTH, draw_marker
from reportgen.render.svg.paths import area_path, clip_polygon, line_path

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt
    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import LikelihoodRatioGraph, Point, RocPoint


# Placement of labels inside regions, without overlapping points.

_TEXT_LINE_HEIGHT, _MIN_LABEL_CLEARANCE, _LABEL_GRID_STEPS, _MAX_LABEL_LINES = (
    1.25 * SVG_FONT_SIZE,
    4.0,
    40,
    4,
)


@dataclass(frozen=True, slots=True)
class BoundingBox:
    """A rectangle of the drawing."""

    left: float
    top: float
    right: float
    bottom: float


@dataclass(frozen=True, slots=True)
class RegionLabel:
    """The lines of a label, and its centre."""

    lines: tuple[str, ...]
    center: Point


def place_region_label(
    text: str, region: Sequence[Point], obstacles: Sequence[BoundingBox]
) -> RegionLabel | None:
    """Return the label of a convex region on the fewest lines that fit; None if it does not fit."""
    for count in range(1, _MAX_LABEL_LINES + 1):
        lines = _break_lines(text, count)
        if lines is None:
            return None
        half_size = max_text_width(lines) / 2, count * _TEXT_LINE_HEIGHT / 2
        middle = _best_label_center(half_size, region, obstacles)
        if middle is not None:
            return RegionLabel(lines, middle)
    return None


def _break_lines(text: str, count: int) -> tuple[str, ...] | None:
    """Break a text into a number of lines, the longest as short as possible."""
    words = text.split()
    partitions = [
        tuple(
            " ".join(words[a:b]) for a, b in zip((0, *breaks), (*breaks, len(words)), strict=True)
        )
        for breaks in combinations(range(1, len(words)), count - 1)
    ]
    return min(partitions, key=lambda lines: max(map(text_width, lines)), default=None)


def _best_label_center(
    half_size: Point, region: Sequence[Point], obstacles: Sequence[BoundingBox]
) -> Point | None:
    """Return the centre farthest from the edges of the region and from the boxes to avoid."""
    corners = np.array(region, dtype=np.float64)
    if len(corners) < 3:  # noqa: PLR2004  # a line has no room
        return None
    axes = [
        np.linspace(
            corners[:, axis].min() + half_size[axis],
            corners[:, axis].max() - half_size[axis],
            _LABEL_GRID_STEPS,
        )
        for axis in (0, 1)
    ]
    middles = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    clearance = np.min(
        [
            *_edge_clearances(middles, half_size, corners),
            *_box_clearances(middles, half_size, obstacles),
        ],
        0,
    )
    best = int(np.argmax(clearance))
    return (
        (float(middles[best, 0]), float(middles[best, 1]))
        if clearance[best] >= _MIN_LABEL_CLEARANCE
        else None
    )


def _edge_clearances(
    centers: npt.NDArray[np.float64], half_size: Point, corners: npt.NDArray[np.float64]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the distances of boxes from each edge; negative outside of it."""
    inside = corners.mean(axis=0)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = end - start
        length = float(np.hypot(*edge))
        if length == 0:
            continue
        normal = np.array([-edge[1], edge[0]]) / length
        normal *= 1.0 if (inside - start) @ normal >= 0 else -1.0
        yield (centers - start) @ normal - np.abs(normal) @ np.array(half_size)


def _box_clearances(
    centers: npt.NDArray[np.float64], half_size: Point, obstacles: Sequence[BoundingBox]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the distances of boxes from others; negative where they overlap."""
    for box in obstacles:
        dx = np.maximum(box.left - centers[:, 0], centers[:, 0] - box.right) - half_size[0]
        dy = np.maximum(box.top - centers[:, 1], centers[:, 1] - box.bottom) - half_size[1]
        yield np.maximum(dx, dy)


_LEFT, _TOP, _BOTTOM, _PLOT_SIZE, _LEGEND_GAP = 38.0, 30.0, 42.0, 330.0, 22.0
_CHANCE_LINE: tuple[Point, Point] = ((0.0, 0.0), (1.0, 1.0))
_REGION_STYLES = ("region", "half-region", "half-region", None)
_REGION_POSITIONS = (
    "above both lines",
    "between the lines, lower FPR",
    "between the lines, higher FPR",
    "below both lines",
)
_DASHED = {"stroke-dasharray": "6 3"}
_MARKER_SIZE, _HALF_LINE_WIDTH = 8.0, 1.5
# Regions smaller than this (SVG units) have no label.
_MIN_LABELLED_EXTENT = 12.0


def draw_likelihood_graph(graph: LikelihoodRatioGraph, style: SvgStyle) -> SvgDrawing:
    """Draw the labelled regions, the lines of equal ratios, and all classifiers."""
    x_scale = AxisScale(graph.x_range, (_LEFT, _LEFT + _PLOT_SIZE))
    y_scale = AxisScale(graph.y_range, (_TOP + _PLOT_SIZE, _TOP))
    regions = likelihood_regions(graph.reference.point)
    points = (graph.reference, *graph.others)
    labels, unnamed = _draw_region_labels(graph, regions, x_scale, y_scale, style)
    legend = tuple(_draw_legend(graph, unnamed, _LEFT + _PLOT_SIZE + _LEGEND_GAP, style))
    rows = 3 + len(points) + 2 * len(unnamed)
    return SvgDrawing(
        (
            *_draw_regions(regions, x_scale, y_scale, style),
            *draw_x_axis(x_scale, (_TOP, _TOP + _PLOT_SIZE), graph.x_label, style),
            *draw_y_axis(y_scale, x_scale.range, graph.y_label, style),
            *_draw_equal_ratio_lines(regions[0], x_scale, y_scale, style),
            *labels,
            *(
                part
                for point in points
                for part in _draw_interval_cross(point, x_scale, y_scale, style)
            ),
            *(_draw_point(point, graph, x_scale, y_scale, style) for point in reversed(points)),
            *legend,
        ),
        max(_TOP + _PLOT_SIZE + _BOTTOM, _TOP + rows * LEGEND_ROW_HEIGHT + SVG_FONT_SIZE),
    )


def likelihood_regions(point: Point) -> tuple[tuple[Point, ...], ...]:
    """Return the corners of the regions above both lines, left, right, and below both.

    The line of equal positive ratios starts at (0, 0), that of equal negative ratios ends at (1,
    1).
    """
    x, y = point
    left_end = (0.0, 1 - (1 - y) / (1 - x))
    top_end = (x / y, 1.0)
    return (
        (left_end, point, top_end, (0.0, 1.0)),
        (_CHANCE_LINE[0], point, left_end),
        (point, _CHANCE_LINE[1], top_end),
        (_CHANCE_LINE[0], _CHANCE_LINE[1], point),
    )


def _draw_regions(
    regions: Sequence[Sequence[Point]], x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    for region, tint in zip(regions, _REGION_STYLES, strict=True):
        path = area_path(region, x_scale, y_scale) if tint else ""
        if tint and path:
            yield svg_element("path", {"d": path, **style.attributes(tint)})


def _draw_equal_ratio_lines(
    superior_region: Sequence[Point], x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    """Draw the chance line and the lines of equal ratios, which bound the region above both."""
    left_end, _, top_end, _ = superior_region
    for points, attributes in (
        (_CHANCE_LINE, style.attributes("reference")),
        ((_CHANCE_LINE[0], top_end), style.attributes("equal-ratio")),
        ((left_end, _CHANCE_LINE[1]), {**style.attributes("equal-ratio"), **_DASHED}),
    ):
        path = line_path(points, x_scale, y_scale)
        if path:
            yield svg_element("path", {"d": path, **attributes})


def _draw_region_labels(
    graph: LikelihoodRatioGraph,
    regions: Sequence[Sequence[Point]],
    x_scale: AxisScale,
    y_scale: AxisScale,
    style: SvgStyle,
) -> tuple[list[Markup], list[int]]:
    """Draw the labels of regions; also return the regions that are too small for theirs."""
    avoided = [
        box
        for point in (graph.reference, *graph.others)
        for box in _point_boxes(point, x_scale, y_scale)
    ]
    elements: list[Markup] = []
    unnamed = []
    for index, region in enumerate(regions):
        visible = [
            (x_scale.position(x), y_scale.position(y))
            for x, y in clip_polygon(region, x_scale.domain, y_scale.domain)
        ]
        placement = place_region_label(graph.region_labels[index], visible, avoided)
        if placement is None:
            unnamed += [index] if _smaller_extent(visible) > _MIN_LABELLED_EXTENT else []
            continue
        x, y = placement.center
        first = y - _TEXT_LINE_HEIGHT * len(placement.lines) / 2 + 0.75 * _TEXT_LINE_HEIGHT
        elements += [
            svg_text((x, first + _TEXT_LINE_HEIGHT * row), text, style.attributes("text"), "middle")
            for row, text in enumerate(placement.lines)
        ]
    return elements, unnamed


def _smaller_extent(corners: Sequence[Point]) -> float:
    """Return the smaller of width and height."""
    if not corners:
        return 0.0
    spans = ([corner[axis] for corner in corners] for axis in (0, 1))
    return min(max(span) - min(span) for span in spans)


def _point_boxes(
    point: RocPoint, x_scale: AxisScale, y_scale: AxisScale
) -> tuple[BoundingBox, BoundingBox, BoundingBox]:
    """Return the boxes that labels must not overlap: a marker and its two intervals."""
    x, y = x_scale.position(point.point[0]), y_scale.position(point.point[1])
    left, right = (x_scale.position(end) for end in point.fpr_interval)
    low, high = (y_scale.position(end) for end in point.tpr_interval)
    return (
        BoundingBox(x - _MARKER_SIZE, y - _MARKER_SIZE, x + _MARKER_SIZE, y + _MARKER_SIZE),
        BoundingBox(left, y - _HALF_LINE_WIDTH, right, y + _HALF_LINE_WIDTH),
        BoundingBox(x - _HALF_LINE_WIDTH, high, x + _HALF_LINE_WIDTH, low),
    )


def _draw_interval_cross(
    point: RocPoint, x_scale: AxisScale, y_scale: AxisScale, style: SvgStyle
) -> Iterator[Markup]:
    x, y = x_scale.position(point.point[0]), y_scale.position(point.point[1])
    line_style = {**style.solid_line(point.color_index), "stroke-width": "1.1"}
    yield svg_line(
        (x_scale.position(point.fpr_interval[0]), y),
        (x_scale.position(point.fpr_interval[1]), y),
        line_style,
    )
    yield svg_line(
        (x, y_scale.position(point.tpr_interval[0])),
        (x, y_scale.position(point.tpr_interval[1])),
        line_style,
    )


def _draw_point(
    point: RocPoint,
    graph: LikelihoodRatioGraph,
    x_scale: AxisScale,
    y_scale: AxisScale,
    style: SvgStyle,
) -> Markup:
    position = x_scale.position(point.point[0]), y_scale.position(point.point[1])
    return draw_marker(
        position, "operating" if point is graph.reference else "plain", point.color_index, style
    )


def _draw_legend(
    graph: LikelihoodRatioGraph, unlabelled_regions: Sequence[int], left: float, style: SvgStyle
) -> Iterator[Markup]:
    middle, text_x, y = (
        left + LEGEND_SAMPLE_WIDTH / 2,
        left + LEGEND_SAMPLE_WIDTH + 8,
        _TOP + SVG_FONT_SIZE / 2,
    )
    max_width, baseline_offset = SVG_WIDTH - text_x, SVG_FONT_SIZE * 0.35
    for point in sorted((graph.reference, *graph.others), key=lambda point: point.color_index):
        is_reference = point is graph.reference
        yield draw_marker(
            (middle, y), "operating" if is_reference else "plain", point.color_index, style
        )
        yield svg_label(
            (text_x, y + baseline_offset), point.name, max_width, style.attributes("text")
        )
        y += LEGEND_ROW_HEIGHT
    lines = [
        (f"LR+ equal to {graph.reference.name}", style.attributes("equal-ratio")),
        (f"LR− equal to {graph.reference.name}", {**style.attributes("equal-ratio"), **_DASHED}),
    ]
    # The diagonal is visible only where the axis ranges overlap.
    lines += (
        [("chance", style.attributes("reference"))] if graph.x_range[1] > graph.y_range[0] else []
    )
    for points, attributes in lines:
        yield svg_line((left, y), (left + LEGEND_SAMPLE_WIDTH, y), attributes)
        yield svg_label((text_x, y + baseline_offset), points, max_width, style.attributes("muted"))
        y += LEGEND_ROW_HEIGHT
    for index in unlabelled_regions:
        yield svg_text(
            (left, y + baseline_offset), f"{_REGION_POSITIONS[index]}:", style.attributes("muted")
        )
        yield svg_text(
            (left, y + baseline_offset + _TEXT_LINE_HEIGHT),
            graph.region_labels[index],
            style.attributes("text"),
        )
        y += 2 * LEGEND_ROW_HEIGHT
