"""Places of classifiers by measure: a first place is filled where tests show it, else outlined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.rendering.figures.names import cut_text, name_text, told_apart, widest, width_of
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    box,
    coordinate,
    element,
    layered,
    shape,
    text,
)
from reportgen.rendering.texts import value_text, visible
from reportgen.report.charts.evidence import Place
from reportgen.report.parts import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.evidence import PlaceGroup, PlaceRow, RankGrid

ROW, HEAD_ROW, GAP, KEY = 18.0, 25.0, 2.0, 30.0
LABEL, WIDE_LABEL, FEW = 200.0, 225.0, 8
WIDEST, NARROWEST, NAME, MARK = 136.0, 30.0, 130.0, 14.0
# Names that do not fit over their columns lean by so many degrees.
LEAN, SINE, COSINE = 50, 0.766, 0.643
FAINTEST, STRONGEST = 0.04, 0.3
DASHES = {True: "", False: "3.5 2.5", None: "1 2.5"}
MEANINGS = {
    True: "first, shown by the tests",
    False: "first, not shown by the tests",
    None: "first, not tested",
}


@frozen
class _Frame:
    """Where the cells begin and how wide a column is; `name` is the room of a leaning name."""

    left: float
    column: float
    name: float | None


def draw_rank_grid(grid: RankGrid, ink: Ink) -> Drawn:
    """Draw the grid: classifiers across, measures down, in groups."""
    frame = _frame(grid)
    top = MARK + FONT_SIZE + 6 + (0.0 if frame.name is None else frame.name * SINE)
    parts = list(_heads(grid, frame, top, ink))
    y = top
    for group in grid.groups:
        parts.extend(_group(grid, group, y, frame, ink))
        y += HEAD_ROW + ROW * len(group.rows)
    parts.extend(_key(grid, y + KEY / 2 + 4, ink))
    return Drawn(tuple(parts), y + KEY)


def _frame(grid: RankGrid) -> _Frame:
    """Write names level where they fit over their columns, else leaning."""
    count = max(len(grid.classifiers), 1)
    left = LABEL if count > FEW else WIDE_LABEL
    longest = widest(name for name, _ in grid.classifiers)
    column = min(WIDEST, (WIDTH - left) / count)
    if longest + 6 <= column:
        return _Frame(left, column, None)
    room = min(longest, NAME)
    column = max(NARROWEST, min(WIDEST / 2, (WIDTH - left - room * COSINE) / count))
    free = WIDTH - left - column * (count - 0.5) - 4
    return _Frame(left, column, min(room, free / COSINE))


def _heads(grid: RankGrid, frame: _Frame, top: float, ink: Ink) -> Iterator[Markup]:
    """Write the classifiers, each with its mark, level or leaning."""
    room = frame.column if frame.name is None else frame.name
    shown = told_apart((visible(name) for name, _ in grid.classifiers), room / FONT_SIZE)
    for at, (name, order) in enumerate(grid.classifiers):
        x = frame.left + frame.column * (at + 0.5)
        whole = visible(name)
        yield shape((x, top), order, ink.area(order))
        start = (x if frame.name is None else x + 3, top - MARK + 4)
        if frame.name is None:
            yield cut_text(start, whole, shown[whole], ink.of("text"), "middle")
            continue
        turn = f"rotate(-{LEAN} {coordinate(start[0])} {coordinate(start[1])})"
        yield cut_text(start, whole, shown[whole], {**ink.of("text"), "transform": turn})


def _group(
    grid: RankGrid, group: PlaceGroup, top: float, frame: _Frame, ink: Ink
) -> Iterator[Markup]:
    head = {**ink.of("quiet"), "font-weight": "600"}
    ranked = _ranked(grid)
    yield text((0.0, top + HEAD_ROW - 7), group.head, head)
    for at, row in enumerate(group.rows):
        y = top + HEAD_ROW + ROW * at
        foot = y + ROW / 2 + FONT_SIZE * 0.35
        yield name_text((8.0, foot), row.measure.title, frame.left - 14, ink.of("text"))
        for number, place in enumerate(row.places):
            x = frame.left + frame.column * number
            said = _said(grid.classifiers[number][0], row, place, ink)
            yield from _cell((x, y, frame.column), place, said, ranked, ink)


def _ranked(grid: RankGrid) -> int:
    """Return how many were ranked, as far as can be seen: more than are drawn, if not all are."""
    places = (place for group in grid.groups for row in group.rows for place in row.places)
    return max([len(grid.classifiers), *(place.rank or 0 for place in places)])


def _cell(
    at: tuple[float, float, float], place: Place, said: tuple[Markup, ...], of: int, ink: Ink
) -> Iterator[Markup]:
    x, y, column = at
    corner, size = (x + GAP / 2, y + GAP / 2), (column - GAP, ROW - GAP)
    yield box(corner, size, _look(place, of, ink), *said)
    written = "–" if place.rank is None else f"{place.rank}{'=' if place.tied else ''}"
    middle = (x + column / 2, y + ROW / 2 + FONT_SIZE * 0.35)
    first = {"font-weight": "700"} if place.rank == 1 else {}
    kind = "on-crown" if place.rank == 1 and place.backed else "text"
    yield text(middle, written, {**ink.of(kind), **first, "pointer-events": "none"}, "middle")


def _look(place: Place, of: int, ink: Ink) -> dict[str, str]:
    """Tint a cell by its place; a first place is full or has an outline."""
    if place.rank is None:
        return {**ink.of("tint"), "fill-opacity": "0"}
    if place.rank == 1 and place.backed:
        return {**ink.of("crown"), "rx": "2"}
    share = (of - place.rank) / max(of - 1, 1)
    opacity = FAINTEST + (STRONGEST - FAINTEST) * share**2
    tint = {"fill-opacity": f"{opacity:.2f}"}
    if place.rank > 1:
        return {**ink.of("tint"), **tint}
    outline = {"rx": "2", "stroke-width": "1.5", "stroke-dasharray": DASHES[place.backed]}
    return layered(ink.of("shown"), ink.of("tint"), tint, outline)


def _said(name: str, row: PlaceRow, place: Place, ink: Ink) -> tuple[Markup, ...]:
    """Say a cell in words to those who point at it; on paper nobody does."""
    if ink.for_pdf:
        return ()
    what = f"{name}, {row.measure.title}"
    if place.score is None:
        return (element("title", {}, f"{what}: no value"),)
    value = value_text(Value(place.score, row.measure, with_interval=True))
    if place.rank is None:
        return (element("title", {}, f"{what}: {value}, {place.score.reason or 'no value'}"),)
    rank = f"place {place.rank}{' (shared)' if place.tied else ''}"
    tested = f"; {MEANINGS[place.backed]}" if place.rank == 1 else ""
    return (element("title", {}, f"{what}: {value}, {rank}{tested}"),)


def _key(grid: RankGrid, y: float, ink: Ink) -> Iterator[Markup]:
    """Say what a full and an outlined first place mean, as far as there are any."""
    found = {
        place.backed
        for group in grid.groups
        for row in group.rows
        for place in row.places
        if place.rank == 1
    }
    x = 8.0
    for backed in (backed for backed in MEANINGS if backed in found):
        look = _look(Place(None, rank=1, backed=backed), 2, ink)
        yield box((x, y - 6), (20.0, 13.0), look)
        yield text((x + 27, y + FONT_SIZE * 0.35), MEANINGS[backed], ink.of("quiet"))
        x += 27 + width_of(MEANINGS[backed]) * FONT_SIZE + 22
