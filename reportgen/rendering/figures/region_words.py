"""Where words fit into a region of a graph without hiding its points."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.rendering.figures.names import widest, width_of
from reportgen.rendering.figures.svg import FONT_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from reportgen.report.charts.lines import Point

LINE, EDGE, STEPS, MOST_LINES = 1.25 * FONT_SIZE, 4.0, 40, 4


@frozen
class Box:
    """A part of the drawing: what words take, or what they must not hide."""

    left: float
    top: float
    right: float
    bottom: float


@frozen
class PlacedWords:
    """Lines of words around a middle."""

    lines: tuple[str, ...]
    middle: Point


def placed_words(words: str, region: Sequence[Point], avoided: Sequence[Box]) -> PlacedWords | None:
    """Return where words fit into a convex region, on as few lines as can be; None: nowhere."""
    for count in range(1, MOST_LINES + 1):
        lines = _lines(words, count)
        if lines is None:
            return None
        half = widest(lines) / 2, count * LINE / 2
        middle = _place(half, region, avoided)
        if middle is not None:
            return PlacedWords(lines, middle)
    return None


def _lines(words: str, count: int) -> tuple[str, ...] | None:
    """Break words into so many lines, the longest as short as can be."""
    parts = words.split()
    ways = [
        tuple(" ".join(parts[a:b]) for a, b in zip((0, *cuts), (*cuts, len(parts)), strict=True))
        for cuts in combinations(range(1, len(parts)), count - 1)
    ]
    return min(ways, key=lambda lines: max(map(width_of, lines)), default=None)


def _place(half: Point, region: Sequence[Point], avoided: Sequence[Box]) -> Point | None:
    """Return the middle of a box that is farthest from the edges of a region and from others."""
    corners = np.array(region, dtype=np.float64)
    if len(corners) < 3:  # noqa: PLR2004  # a line has no room
        return None
    axes = [
        np.linspace(corners[:, axis].min() + half[axis], corners[:, axis].max() - half[axis], STEPS)
        for axis in (0, 1)
    ]
    middles = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    room = np.min([*_from_edges(middles, half, corners), *_from_boxes(middles, half, avoided)], 0)
    best = int(np.argmax(room))
    return (float(middles[best, 0]), float(middles[best, 1])) if room[best] >= EDGE else None


def _from_edges(
    middles: npt.NDArray[np.float64], half: Point, corners: npt.NDArray[np.float64]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield how far boxes are inside each edge; negative where they reach beyond it."""
    inside = corners.mean(axis=0)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        along = end - start
        length = float(np.hypot(*along))
        if length == 0:
            continue
        normal = np.array([-along[1], along[0]]) / length
        normal *= 1.0 if (inside - start) @ normal >= 0 else -1.0
        yield (middles - start) @ normal - np.abs(normal) @ np.array(half)


def _from_boxes(
    middles: npt.NDArray[np.float64], half: Point, avoided: Sequence[Box]
) -> Iterator[npt.NDArray[np.float64]]:
    """Yield how far boxes are from others; negative where they overlap."""
    for box in avoided:
        across = np.maximum(box.left - middles[:, 0], middles[:, 0] - box.right) - half[0]
        up = np.maximum(box.top - middles[:, 1], middles[:, 1] - box.bottom) - half[1]
        yield np.maximum(across, up)
