"""Lines and areas as SVG paths, without the points that would not be seen."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.rendering.figures.clipping import clipped_area, clipped_line
from reportgen.rendering.figures.svg import coordinate

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.rendering.figures.axes import Scale
    from reportgen.report.charts.lines import Point

    Places: TypeAlias = npt.NDArray[np.float64]

# A twentieth of a millimetre on paper.
UNSEEN = 0.2


def line_path(points: Sequence[Point], across: Scale, down: Scale, *, step: bool = False) -> str:
    """Write the part of a line within the axes; empty where there is none."""
    corners = _with_corners(points) if step else list(points)
    pieces = clipped_line(corners, across.numbers, down.numbers)
    return "".join(_written([(across.at(x), down.at(y)) for x, y in piece]) for piece in pieces)


def area_path(corners: Sequence[Point], across: Scale, down: Scale) -> str:
    """Write the part of an area within the axes; empty where there is none."""
    kept = clipped_area(corners, across.numbers, down.numbers)
    return _written([(across.at(x), down.at(y)) for x, y in kept]) + "Z" if kept else ""


def _with_corners(points: Sequence[Point]) -> list[Point]:
    """Go across at the old height first, then up or down."""
    corners = list(points[:1])
    for (_, before), (x, y) in pairwise(points):
        corners += [(x, before), (x, y)] if y != before else [(x, y)]
    return corners


def _written(places: list[Point]) -> str:
    kept = thinned(places)
    written = [(coordinate(x), coordinate(y)) for x, y in kept]
    parts = [f"M{written[0][0]} {written[0][1]}"]
    for (left, above), (x, y) in pairwise(written):
        if (x, y) == (left, above):
            continue
        parts.append(f"H{x}" if y == above else f"V{y}" if x == left else f"L{x} {y}")
    return "".join(parts)


def thinned(places: Sequence[Point], unseen: float = UNSEEN) -> list[Point]:
    """Keep the points without which the line would visibly run elsewhere (Douglas, Peucker)."""
    if len(places) <= 2:  # noqa: PLR2004  # the two ends of a line
        return list(places)
    at = np.array(places, dtype=np.float64)
    kept = np.zeros(len(at), dtype=bool)
    kept[[0, -1]] = True
    spans = [(0, len(at) - 1)]
    while spans:
        first, last = spans.pop()
        if last - first <= 1:
            continue
        away = _distances(at[first + 1 : last], at[first], at[last])
        farthest = int(np.argmax(away))
        if away[farthest] > unseen:
            middle = first + 1 + farthest
            kept[middle] = True
            spans += [(first, middle), (middle, last)]
    return [place for place, keep in zip(places, kept.tolist(), strict=True) if keep]


def _distances(points: Places, start: Places, end: Places) -> Places:
    """Return how far points are from a segment."""
    along = end - start
    length = float(along @ along)
    share = (
        np.clip((points - start) @ along / length, 0.0, 1.0) if length else np.zeros(len(points))
    )
    gap = points - start - share[:, None] * along
    return np.asarray(np.sqrt((gap**2).sum(axis=1)), dtype=np.float64)
