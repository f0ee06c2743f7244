"""Average ranks on a line, with bars under those that cannot be told apart (Demsar 2006)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.rendering.figures.axes import Scale
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    coordinate,
    element,
    line,
    name_text,
    text,
)
from reportgen.rendering.numbers import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts import RankDiagram

MARGIN, AXIS, BAR, LEVEL, TICK = 190.0, 66.0, 9.0, 21.0, 5.0
CRITICAL, GAP, NUMBER, FEW = 18.0, 6.0, 31.0, 12


def draw_ranks(diagram: RankDiagram, ink: Ink) -> Drawn:
    """Draw the diagram, the best at the left."""
    places = max(math.ceil(rank) for _, rank in diagram.ranks)
    scale = Scale((1.0, float(max(places, 2))), (MARGIN, WIDTH - MARGIN))
    ordered = sorted(diagram.ranks, key=lambda found: found[1])
    half = (len(ordered) + 1) // 2
    first = AXIS + BAR * (len(diagram.groups) + 1) + LEVEL / 2
    return Drawn(
        (
            *_axis(scale, ink),
            *_critical_difference(diagram, scale, ink),
            *_names(ordered[:half], scale, first, ink, left=True),
            *_names(ordered[half:][::-1], scale, first, ink, left=False),
            *_groups(diagram, scale, ink),
        ),
        first + LEVEL * half,
    )


def _axis(scale: Scale, ink: Ink) -> Iterator[Markup]:
    yield line((scale.places[0], AXIS), (scale.places[1], AXIS), ink.of("axis"))
    last = int(scale.numbers[1])
    step = 1 if last <= FEW else math.ceil(last / FEW)
    for rank in range(1, last + 1, step):
        x = scale.at(rank)
        yield line((x, AXIS - TICK), (x, AXIS), ink.of("axis"))
        yield text((x, AXIS - TICK - 4), str(rank), ink.of("quiet"), "middle")
    label = "average rank, 1 is best"
    yield text((scale.places[1] + 12, AXIS + FONT_SIZE * 0.35), label, ink.of("quiet"))


def _critical_difference(diagram: RankDiagram, scale: Scale, ink: Ink) -> Iterator[Markup]:
    """Draw how far apart ranks must be, as a bar that has that length on the axis."""
    start = scale.places[0]
    end = start + diagram.critical_difference * (scale.at(2.0) - scale.at(1.0))
    label = f"critical difference {plain_text(diagram.critical_difference, 2)}"
    if end > scale.places[1]:
        yield text((start, CRITICAL + 4), f"{label}: longer than the axis", ink.of("text"))
        return
    yield line((start, CRITICAL), (end, CRITICAL), ink.of("axis"))
    for x in (start, end):
        yield line((x, CRITICAL - TICK), (x, CRITICAL + TICK), ink.of("axis"))
    yield text((end + 8, CRITICAL + 4), label, ink.of("text"))


def _names(
    ranks: list[tuple[str, float]], scale: Scale, first: float, ink: Ink, *, left: bool
) -> Iterator[Markup]:
    edge = MARGIN - 16 if left else WIDTH - MARGIN + 16
    side, anchor = (-1, "end") if left else (1, "start")
    for at, (name, rank) in enumerate(ranks):
        x, y = scale.at(rank), first + LEVEL * at
        path = f"M{coordinate(x)} {coordinate(AXIS)}V{coordinate(y)}H{coordinate(edge)}"
        yield element("path", {"d": path, **ink.of("axis")})
        number, foot = edge + side * GAP, y + FONT_SIZE * 0.35
        words = number + side * NUMBER
        yield text((number, foot), plain_text(rank, 2), ink.of("quiet"), anchor)
        room = words if left else WIDTH - words
        yield name_text((words, foot), name, room, ink.of("text"), anchor)


def _groups(diagram: RankDiagram, scale: Scale, ink: Ink) -> Iterator[Markup]:
    ranks = dict(diagram.ranks)
    for at, group in enumerate(diagram.groups):
        found = [scale.at(ranks[name]) for name in group]
        y = AXIS + BAR * (at + 1)
        yield line((min(found) - 3, y), (max(found) + 3, y), ink.of("thick"))
