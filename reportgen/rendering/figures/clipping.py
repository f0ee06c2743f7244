"""What of a line or an area lies within the axes."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.report.charts.lines import Point, Span


def clipped_line(points: Sequence[Point], across: Span, up: Span) -> list[list[Point]]:
    """Return the pieces of a line within the axes, each from its first point on."""
    pieces: list[list[Point]] = []
    for start, end in pairwise(points):
        kept = _clipped_segment(start, end, across, up)
        if kept is None:
            continue
        if pieces and pieces[-1][-1] == kept[0]:
            pieces[-1].append(kept[1])
        else:
            pieces.append([*kept])
    return pieces


def clipped_area(corners: Sequence[Point], across: Span, up: Span) -> list[Point]:
    """Return the corners of what an area has within the axes (Sutherland and Hodgman 1974)."""
    kept = list(corners)
    for axis, edge, sign in (
        *((0, across[0], 1.0), (0, across[1], -1.0)),
        *((1, up[0], 1.0), (1, up[1], -1.0)),
    ):
        kept = _one_side(kept, axis, edge, sign)
    return kept


def _one_side(corners: Sequence[Point], axis: int, edge: float, sign: float) -> list[Point]:
    kept: list[Point] = []
    for start, end in zip(corners, (*corners[1:], *corners[:1]), strict=True):
        inside = [sign * (point[axis] - edge) >= 0 for point in (start, end)]
        if inside[0]:
            kept.append(start)
        if inside[0] != inside[1]:
            kept.append(_between(start, end, (edge - start[axis]) / (end[axis] - start[axis])))
    return kept


def _clipped_segment(
    start: Point, end: Point, across: Span, up: Span
) -> tuple[Point, Point] | None:
    """Return what of a segment is inside (Liang and Barsky 1984); None: nothing."""
    first, last = 0.0, 1.0
    for axis, (low, high) in enumerate((across, up)):
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
        start if first == 0 else _between(start, end, first),
        end if last == 1 else _between(start, end, last),
    )


def _between(start: Point, end: Point, share: float) -> Point:
    return (
        start[0] + share * (end[0] - start[0]),
        start[1] + share * (end[1] - start[1]),
    )
