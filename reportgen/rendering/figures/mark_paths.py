"""Many marks and lines as one path each, so that a drawing stays small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.rendering.figures.svg import CORNERS, SHAPES, coordinate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from reportgen.report.charts.lines import Point, Span


def marks_path(points: Iterable[Point], order: int, size: float) -> str:
    """Write the path of marks of one kind: discs, squares, triangles or diamonds, by order."""
    return "".join(_mark(point, order, size) for point in points)


def spans_path(spans: Iterable[tuple[Span, float]]) -> str:
    """Write the path of lines across: where each begins and ends, and at which height."""
    return "".join(
        f"M{coordinate(start)} {coordinate(y)}H{coordinate(end)}" for (start, end), y in spans
    )


def arrow_path(at: Point, size: float, *, right: bool) -> str:
    """Write the path of a head that points across at something beyond the edge."""
    x, y = at
    back = -size if right else size
    return (
        f"M{coordinate(x)} {coordinate(y)}L{coordinate(x + back)} {coordinate(y - size * 0.75)}"
        f"V{coordinate(y + size * 0.75)}Z"
    )


def _mark(point: Point, order: int, size: float) -> str:
    x, y = point
    if order % SHAPES == 0:
        radius, width = coordinate(size), coordinate(2 * size)
        return (
            f"M{coordinate(x - size)} {coordinate(y)}a{radius} {radius} 0 1 0 {width} 0"
            f"a{radius} {radius} 0 1 0 -{width} 0Z"
        )
    places = [
        f"{coordinate(x + size * right)} {coordinate(y + size * down)}"
        for right, down in CORNERS[order % SHAPES]
    ]
    return f"M{'L'.join(places)}Z"
