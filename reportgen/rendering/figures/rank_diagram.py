"""Average ranks on a line, with bars under those that cannot be told apart (Demsar 2006)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.rendering.figures.axes import Scale, x_axis
from reportgen.rendering.figures.names import name_text, widest
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    coordinate,
    element,
    line,
    shape,
    text,
)
from reportgen.rendering.numbers import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import RankDiagram

AXIS, BAR, LEVEL, TICK = 66.0, 9.0, 21.0, 5.0
CRITICAL, GAP, MARKED, FEW = 18.0, 6.0, 9.0, 12
# A margin holds a mark, a rank and a name; beyond so many names each has a row of its own.
LEAST_MARGIN, MOST_MARGIN, BESIDE_NAME, MOST_NAMES = 110.0, 222.0, 70.0, 16
ROW, FOOT, LONGEST, NUMBER = 17.5, 42.0, 190.0, 36.0
RANK_AXIS = (
    "average rank; those whose lines do not overlap differ (half a critical difference each)"
)


def draw_ranks(diagram: RankDiagram, ink: Ink) -> Drawn:
    """Draw the diagram, the best at the left, or a list of very many, the best on top."""
    ordered = sorted(
        zip(diagram.ranks, diagram.orders or [None] * len(diagram.ranks), strict=True),
        key=lambda found: found[0][1],
    )
    entries = [Entry(name, rank, order) for (name, rank), order in ordered]
    if len(entries) > MOST_NAMES:
        return _list(diagram, entries, ink)
    beside = widest(entry.name for entry in entries) + BESIDE_NAME
    margin = max(LEAST_MARGIN, min(MOST_MARGIN, beside))
    places = max(math.ceil(entry.rank) for entry in entries)
    scale = Scale((1.0, float(max(places, 2))), (margin, WIDTH - margin))
    half = (len(entries) + 1) // 2
    first = AXIS + BAR * (len(diagram.groups) + 1) + LEVEL / 2
    return Drawn(
        (
            *_axis(scale, ink),
            *_critical_difference(diagram, scale, ink),
            *_names(entries[:half], scale, first, ink, left=True),
            *_names(entries[half:][::-1], scale, first, ink, left=False),
            *_groups(diagram, scale, ink),
        ),
        first + LEVEL * half,
    )


@frozen
class Entry:
    """A classifier with its average rank and the order that decides its mark (None: no mark)."""

    name: str
    rank: float
    order: int | None


def _list(diagram: RankDiagram, entries: list[Entry], ink: Ink) -> Drawn:
    """Draw a row for each, with half the critical difference to either side of its rank.

    Lines that do not overlap are then those of ranks that are a critical difference apart.
    """
    left = min(LONGEST, widest(entry.name for entry in entries)) + 14
    half = diagram.critical_difference / 2
    ranks = [entry.rank for entry in entries]
    span = (min(1.0, min(ranks) - half), max(max(ranks) + half, float(len(entries))))
    scale = Scale(span, (left, WIDTH - NUMBER - 12))
    foot = ROW * len(entries) + 6
    parts = list(x_axis(scale, (4.0, foot), RANK_AXIS, ink, 8))
    for at, entry in enumerate(entries):
        y, order = 4.0 + ROW * (at + 0.5), entry.order or 0
        place = (left - 12, y + FONT_SIZE * 0.35)
        drawn = (
            name_text(place, entry.name, LONGEST, ink.of("text"), "end"),
            line(
                (scale.at(entry.rank - half), y), (scale.at(entry.rank + half), y), ink.solid(order)
            ),
            shape((scale.at(entry.rank), y), order, ink.area(order)),
            text((WIDTH, place[1]), plain_text(entry.rank, 2), ink.of("quiet"), "end"),
        )
        parts.extend(drawn)
    return Drawn(tuple(parts), foot + FOOT)


def _axis(scale: Scale, ink: Ink) -> Iterator[Markup]:
    yield line((scale.places[0], AXIS), (scale.places[1], AXIS), ink.of("axis"))
    last = int(scale.numbers[1])
    step = 1 if last <= FEW else math.ceil(last / FEW)
    for rank in range(1, last + 1, step):
        x = scale.at(rank)
        yield line((x, AXIS - TICK), (x, AXIS), ink.of("axis"))
        yield text((x, AXIS - TICK - 4), str(rank), ink.of("quiet"), "middle")
    place = (scale.places[0] - 12, AXIS + FONT_SIZE * 0.35)
    yield text(place, "average rank", ink.of("quiet"), "end")


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
    entries: list[Entry], scale: Scale, first: float, ink: Ink, *, left: bool
) -> Iterator[Markup]:
    side, anchor = (-1, "end") if left else (1, "start")
    edge = scale.places[0] - 16 if left else scale.places[1] + 16
    for at, entry in enumerate(entries):
        x, y = scale.at(entry.rank), first + LEVEL * at
        path = f"M{coordinate(x)} {coordinate(AXIS)}V{coordinate(y)}H{coordinate(edge)}"
        yield element("path", {"d": path, **ink.of("axis")})
        number, foot = edge + side * GAP, y + FONT_SIZE * 0.35
        if entry.order is not None:
            yield shape((edge + side * MARKED / 2, y), entry.order, ink.area(entry.order))
            number += side * MARKED
        words = number + side * NUMBER
        yield text((number, foot), plain_text(entry.rank, 2), ink.of("quiet"), anchor)
        room = words if left else WIDTH - words
        yield name_text((words, foot), entry.name, room, ink.of("text"), anchor)


def _groups(diagram: RankDiagram, scale: Scale, ink: Ink) -> Iterator[Markup]:
    ranks = dict(diagram.ranks)
    for at, group in enumerate(diagram.groups):
        found = [scale.at(ranks[name]) for name in group]
        y = AXIS + BAR * (at + 1)
        yield line((min(found) - 3, y), (max(found) + 3, y), ink.of("thick"))
