"""SVG paths of lines and areas: clipped to the axes and simplified."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.render.svg.elements import format_coordinate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.render.svg.axes import AxisScale
    from reportgen.report.charts import AxisRange, Point


# Clipping to the axes.


def clip_polyline(
    points: Sequence[Point], x_range: AxisRange, y_range: AxisRange
) -> list[list[Point]]:
    """Return the segments of a line within the axes."""
    segments: list[list[Point]] = []
    for start, end in pairwise(points):
        segment = _clip_segment(start, end, x_range, y_range)
        if segment is None:
            continue
        if segments and segments[-1][-1] == segment[0]:
            segments[-1].append(segment[1])
        else:
            segments.append([*segment])
    return segments


def clip_polygon(corners: Sequence[Point], x_range: AxisRange, y_range: AxisRange) -> list[Point]:
    """Return the corners of a polygon clipped to the axes (Sutherland and Hodgman 1974)."""
    clipped = list(corners)
    for axis, edge, sign in (
        *((0, x_range[0], 1.0), (0, x_range[1], -1.0)),
        *((1, y_range[0], 1.0), (1, y_range[1], -1.0)),
    ):
        clipped = _clip_to_half_plane(clipped, axis, edge, sign)
    return clipped


def _clip_to_half_plane(
    corners: Sequence[Point], axis: int, edge: float, sign: float
) -> list[Point]:
    clipped: list[Point] = []
    for start, end in zip(corners, (*corners[1:], *corners[:1]), strict=True):
        inside = [sign * (point[axis] - edge) >= 0 for point in (start, end)]
        if inside[0]:
            clipped.append(start)
        if inside[0] != inside[1]:
            clipped.append(
                _interpolate(start, end, (edge - start[axis]) / (end[axis] - start[axis]))
            )
    return clipped


def _clip_segment(
    start: Point, end: Point, x_range: AxisRange, y_range: AxisRange
) -> tuple[Point, Point] | None:
    """Return the part of a segment inside (Liang and Barsky 1984), or None."""
    first, last = 0.0, 1.0
    for axis, (low, high) in enumerate((x_range, y_range)):
        run = end[axis] - start[axis]
        if run == 0:
            if not low <= start[axis] <= high:
                return None
            continue
        shares = sorted(((low - start[axis]) / run, (high - start[axis]) / run))
        first, last = max(first, shares[0]), min(last, shares[1])
    if first > last:
        return None
    return (
        start if first == 0 else _interpolate(start, end, first),
        end if last == 1 else _interpolate(start, end, last),
    )


def _interpolate(start: Point, end: Point, fraction: float) -> Point:
    return (
        start[0] + fraction * (end[0] - start[0]),
        start[1] + fraction * (end[1] - start[1]),
    )


if TYPE_CHECKING:
    _Coordinates: TypeAlias = npt.NDArray[np.float64]

# A twentieth of a millimetre on paper.
SIMPLIFY_TOLERANCE = 0.2


def line_path(
    points: Sequence[Point], x_scale: AxisScale, y_scale: AxisScale, *, step: bool = False
) -> str:
    """Return the path of a line within the axes, empty if there is none."""
    return "".join(map(_path_data, drawn_polylines(points, x_scale, y_scale, step=step)))


def drawn_polylines(
    points: Sequence[Point], x_scale: AxisScale, y_scale: AxisScale, *, step: bool
) -> list[list[Point]]:
    """Return the segments of a line within the axes, in coordinates of the drawing."""
    corners = _add_step_corners(points) if step else list(points)
    return [
        [(x_scale.position(x), y_scale.position(y)) for x, y in polyline]
        for polyline in clip_polyline(corners, x_scale.domain, y_scale.domain)
    ]


def area_path(corners: Sequence[Point], x_scale: AxisScale, y_scale: AxisScale) -> str:
    """Return the path of an area within the axes, empty if there is none."""
    clipped = clip_polygon(corners, x_scale.domain, y_scale.domain)
    return (
        _path_data([(x_scale.position(x), y_scale.position(y)) for x, y in clipped]) + "Z"
        if clipped
        else ""
    )


def _add_step_corners(points: Sequence[Point]) -> list[Point]:
    """Return the points of a step function: horizontal first, then vertical."""
    corners = list(points[:1])
    for (_, previous), (x, y) in pairwise(points):
        corners += [(x, previous), (x, y)] if y != previous else [(x, y)]
    return corners


def _path_data(points: list[Point]) -> str:
    vertices = simplify_polyline(points)
    coordinates = [(format_coordinate(x), format_coordinate(y)) for x, y in vertices]
    parts = [f"M{coordinates[0][0]} {coordinates[0][1]}"]
    for (previous_x, previous_y), (x, y) in pairwise(coordinates):
        if (x, y) == (previous_x, previous_y):
            continue
        parts.append(f"H{x}" if y == previous_y else f"V{y}" if x == previous_x else f"L{x} {y}")
    return "".join(parts)


def simplify_polyline(points: Sequence[Point]) -> list[Point]:
    """Return the points that keep the line within a tolerance (Douglas and Peucker 1973)."""
    if len(points) <= 2:  # noqa: PLR2004  # the two ends of a line
        return list(points)
    coordinates = np.array(points, dtype=np.float64)
    is_kept = np.zeros(len(coordinates), dtype=bool)
    is_kept[[0, -1]] = True
    spans = [(0, len(coordinates) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first <= 1:
            continue
        distances = _segment_distances(
            coordinates[first + 1 : last], coordinates[first], coordinates[last]
        )
        farthest_index = int(np.argmax(distances))
        if distances[farthest_index] > SIMPLIFY_TOLERANCE:
            middle = first + 1 + farthest_index
            is_kept[middle] = True
            spans += [(first, middle), (middle, last)]
    return [point for point, keep in zip(points, is_kept.tolist(), strict=True) if keep]


def _segment_distances(
    points: _Coordinates, start: _Coordinates, end: _Coordinates
) -> _Coordinates:
    """Return the distances of points from a segment."""
    segment = end - start
    length = float(segment @ segment)
    share = (
        np.clip((points - start) @ segment / length, 0.0, 1.0) if length else np.zeros(len(points))
    )
    gap = points - start - share[:, None] * segment
    return np.asarray(np.sqrt((gap**2).sum(axis=1)), dtype=np.float64)
