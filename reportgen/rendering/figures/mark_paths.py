"""Many marks and lines as one path each, so that a drawing stays small, and keys beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    SHAPES,
    WIDTH,
    coordinate,
    name_text,
    shape,
    width_of,
)
from reportgen.rendering.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import Point, Span

CORNERS = {
    1: ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    2: ((0.0, -1.15), (1.1, 0.85), (-1.1, 0.85)),
    3: ((0.0, -1.25), (1.25, 0.0), (0.0, 1.25), (-1.25, 0.0)),
}
LINE, MARK_ROOM, BETWEEN, LONGEST = 17.0, 13.0, 20.0, 190.0


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


def classifier_key(
    classifiers: Sequence[tuple[str, int]], ink: Ink
) -> tuple[tuple[Markup, ...], float]:
    """Draw at the top who has which mark, and return how tall that is too."""
    rows = _lines([name for name, _ in classifiers])
    return tuple(_key(rows, dict(classifiers), ink)), LINE * len(rows)


def _lines(names: Sequence[str]) -> list[list[tuple[float, str]]]:
    """Spread names over as few lines as hold them: where each begins, line by line."""
    rows: list[list[tuple[float, str]]] = [[]]
    x = 0.0
    for name in names:
        width = MARK_ROOM + min(LONGEST, width_of(visible(name)) * FONT_SIZE)
        if rows[-1] and x + width > WIDTH:
            rows.append([])
            x = 0.0
        rows[-1].append((x, name))
        x += width + BETWEEN
    return rows


def _key(
    rows: Sequence[Sequence[tuple[float, str]]], orders: dict[str, int], ink: Ink
) -> Iterator[Markup]:
    for at, row in enumerate(rows):
        y = LINE * (at + 0.5)
        for x, name in row:
            yield shape((x + 5, y), orders[name], ink.area(orders[name]))
            place = (x + MARK_ROOM, y + FONT_SIZE * 0.35)
            yield name_text(place, name, LONGEST, ink.of("text"))


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
