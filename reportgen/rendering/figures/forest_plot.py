"""Differences with their intervals below each other, marked by what the tests make of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.frozen import frozen
from reportgen.rendering.figures.axes import Scale, finite, padded
from reportgen.rendering.figures.mark_paths import arrow_path
from reportgen.rendering.figures.names import (
    cut_text,
    name_text,
    shortened,
    told_apart,
    widest,
    width_of,
)
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    box,
    coordinate,
    element,
    layered,
    line,
    shape,
    text,
)
from reportgen.rendering.texts import cell_text, visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.evidence import ForestGroup, ForestPlot, ForestRow
    from reportgen.report.charts.lines import Span

TOP, ROW, HEAD, FOOT, KEY = 24.0, 19.0, 27.0, 38.0, 20.0
LONGEST_LABEL, LEAST_PLOT, CAP, ARROW, GAP = 290.0, 140.0, 4.0, 7.0, 12.0
HALF_NOTE, BETTER, LONGEST_SIDE, NEARLY_ZERO = 40.0, 6.0, 16.0, 1e-12
# Figures, spaces and brackets are narrower than letters.
FIGURES = 0.9
# How the rows look: the ink of the line, that of the mark, and the shape of the mark.
SHOWN, OPEN, EQUAL, UNTESTED = "a difference", "open", "equivalent", "not tested"
MINUS_SIGN = " − "
LOOKS = {
    SHOWN: ("shown", "crown", 0),
    OPEN: ("open", "paper", 0),
    EQUAL: ("equal", "equal-mark", 1),
    UNTESTED: ("open", "paper", 3),
}


@frozen
class _Frame:
    """Where rows are drawn, where their numbers end, and all names, which are to be told apart."""

    scale: Scale
    columns: Span
    names: tuple[str, ...]


def draw_forest(plot: ForestPlot, ink: Ink) -> Drawn:
    """Draw the plot: names at the left, lines in the middle, numbers at the right."""
    rows = [row for group in plot.groups for row in group.rows]
    numbers = [_in_figures(row) for row in rows]
    number_room = _room([_difference_head(plot), *(written for written, _ in numbers)])
    p_room = _room([plot.p_head, *(written for _, written in numbers)])
    right = WIDTH - number_room - p_room - 2 * GAP
    left = max(60.0, min(LONGEST_LABEL, widest(map(_whole_label, rows)) + 12, right - LEAST_PLOT))
    scale = Scale(_span(rows), (left, right))
    columns = (WIDTH - p_room - GAP, WIDTH)
    names = tuple(dict.fromkeys(visible(each) for row in rows for each in _names(row)))
    frame = _Frame(scale, columns, names)
    parts: list[Markup] = []
    y = TOP
    for group in plot.groups:
        parts += _group(group, y, frame, ink)
        y += _height(group)
    return Drawn(
        (
            *_axis(plot, scale, y, ink),
            *_zones(plot, scale, ink),
            *_heads(plot, columns, ink),
            *parts,
            *_key(rows, y + FOOT + KEY / 2, ink),
        ),
        y + FOOT + KEY,
    )


def _height(group: ForestGroup) -> float:
    return (HEAD if group.head else 0.0) + ROW * len(group.rows)


def _room(words: list[str]) -> float:
    return widest(words) * FIGURES


def _span(rows: list[ForestRow]) -> Span:
    """Return a span that holds 0 and everything finite."""
    found = finite(number for row in rows for number in (row.difference, row.low, row.high))
    low, high = min([0.0, *found]), max([0.0, *found])
    # Both sides of 0 are seen, or it could not be told on which one a row lies.
    room = (high - low) * 0.15 or 1.0
    return padded(min(low, -room), max(high, room), 0.04)


def _axis(plot: ForestPlot, scale: Scale, foot: float, ink: Ink) -> Iterator[Markup]:
    left, right = scale.places
    for number, written in scale.ticks():
        x = scale.at(number)
        kind = "axis" if abs(number) < NEARLY_ZERO else "grid"
        yield element("path", {"d": _beside_rows(plot, x), **ink.of(kind)})
        yield text((x, foot + FONT_SIZE + 4), written, ink.of("quiet"), "middle")
    yield line((left, foot), (right, foot), ink.of("axis"))
    zero = scale.at(0.0)
    anchor, at = ("end", right) if zero > right - HALF_NOTE else ("middle", zero)
    yield text((at, TOP - 8), "no difference", ink.of("quiet"), anchor)
    yield from _sides(plot, scale.at(0.0), foot + 2.6 * FONT_SIZE + 2, ink)


def _beside_rows(plot: ForestPlot, x: float) -> str:
    """Write a line down that leaves out the heads of groups, which need the room."""
    path, y = "", TOP
    for group in plot.groups:
        start = y + (HEAD if group.head else 0.0)
        y += _height(group)
        path += f"M{coordinate(x)} {coordinate(start)}V{coordinate(y)}"
    return path


def _sides(plot: ForestPlot, zero: float, y: float, ink: Ink) -> Iterator[Markup]:
    """Say on either side of 0 who is better there; where 0 is near an edge, as near as fits."""
    left = f"← {shortened(visible(plot.left), LONGEST_SIDE)} better"
    end = max(zero - 10, width_of(left) * FONT_SIZE)
    start = max(zero + 10, end + 14)
    room = (WIDTH - start) / FONT_SIZE - BETTER
    yield text((end, y), left, ink.of("text"), "end")
    yield text((start, y), f"{shortened(visible(plot.right), room)} better →", ink.of("text"))


def _zones(plot: ForestPlot, scale: Scale, ink: Ink) -> Iterator[Markup]:
    """Shade the differences that are too small to matter, where that was declared."""
    y = TOP
    for group in plot.groups:
        y += HEAD if group.head else 0.0
        for row in group.rows:
            if row.margin is not None:
                left, right = scale.at(-row.margin), scale.at(row.margin)
                zone = {**ink.of("equal-mark"), "fill-opacity": "0.14"}
                yield box((left, y), (right - left, ROW), zone)
            y += ROW


def _heads(plot: ForestPlot, columns: Span, ink: Ink) -> Iterator[Markup]:
    y = TOP - 8
    yield text((columns[0], y), _difference_head(plot), ink.of("quiet"), "end")
    yield text((columns[1], y), plot.p_head, ink.of("quiet"), "end")


def _group(group: ForestGroup, top: float, frame: _Frame, ink: Ink) -> Iterator[Markup]:
    y = top
    if group.head:
        head = {**ink.of("text"), "font-weight": "600"}
        yield name_text((0.0, y + HEAD - 7), group.head, frame.scale.places[1], head)
        y += HEAD
    for at, row in enumerate(group.rows):
        drawn = _row(row, y + ROW * (at + 0.5), frame, ink)
        if row.pair and not ink.for_pdf:
            # By this the page's script knows whose row it is.
            yield element("g", {"data-pair": MINUS_SIGN.join(map(visible, row.pair))}, *drawn)
        else:
            yield from drawn


def _row(row: ForestRow, y: float, frame: _Frame, ink: Ink) -> Iterator[Markup]:
    foot = y + FONT_SIZE * 0.35
    scale, left = frame.scale, frame.scale.places[0]
    label = _label(row, (left - 12) / FONT_SIZE, frame.names)
    yield cut_text((left - 10, foot), _whole_label(row), label, ink.of("text"), "end")
    line_ink, mark_ink, kind = LOOKS[_look(row)]
    if row.low is not None or row.high is not None or row.difference is not None:
        yield from _whiskers(row, y, scale, ink.of(line_ink))
    if row.difference is not None and math.isfinite(row.difference):
        yield shape((scale.at(row.difference), y), kind, _mark_look(mark_ink, ink), 4.2)
    strong = {"font-weight": "600"} if _look(row) == SHOWN else {}
    for x, written in zip(frame.columns, _in_figures(row), strict=True):
        yield text((x, foot), written, {**ink.of("text"), **strong}, "end")


def _names(row: ForestRow) -> tuple[str, ...]:
    return (row.label, row.against) if row.against else (row.label,)


def _whole_label(row: ForestRow) -> str:
    return MINUS_SIGN.join(map(visible, _names(row)))


def _label(row: ForestRow, ems: float, names: tuple[str, ...]) -> str:
    """Write a label in so many ems; of two names both are cut, the longer one first."""
    found = tuple(map(visible, _names(row)))
    room = ems - width_of(MINUS_SIGN) * (len(found) - 1)
    shorter = min(*map(width_of, found), room / len(found))
    each = max(room - shorter, shorter) if row.against else room
    shown = told_apart(names, each)
    return MINUS_SIGN.join(shown[name] for name in found)


def _mark_look(mark_ink: str, ink: Ink) -> dict[str, str]:
    """Return the look of a mark; one of paper is seen by its outline."""
    return layered(ink.of("open"), ink.of("paper")) if mark_ink == "paper" else ink.of(mark_ink)


def _whiskers(
    row: ForestRow, y: float, scale: Scale, attributes: dict[str, str]
) -> Iterator[Markup]:
    """Draw the interval as one path; what lies beyond an edge has an arrow there."""
    value = row.difference
    low, high = row.low, row.high
    if low is None and high is None:
        if value is None or math.isfinite(value):
            return
        low = high = value
    left = -math.inf if low is None else low
    right = math.inf if high is None else high
    ends = (scale.at(left), scale.at(right))
    path = f"M{coordinate(ends[0])} {coordinate(y)}H{coordinate(ends[1])}"
    for end, x in zip((left, right), ends, strict=True):
        if math.isfinite(end):
            path += f"M{coordinate(x)} {coordinate(y - CAP)}V{coordinate(y + CAP)}"
        else:
            path += arrow_path((x, y), ARROW, right=end > 0)
    yield element("path", {"d": path, **attributes})


def _look(row: ForestRow) -> str:
    match row.finding:
        case None:
            return UNTESTED
        case Finding.SUPERIOR | Finding.INFERIOR:
            return SHOWN
        case Finding.EQUIVALENT:
            return EQUAL
        case _:
            return OPEN


def _difference_head(plot: ForestPlot) -> str:
    return "".join(map(cell_text, plot.difference_head))


def _in_figures(row: ForestRow) -> tuple[str, str]:
    return "".join(map(cell_text, row.written)), cell_text(row.p)


def _key(rows: list[ForestRow], y: float, ink: Ink) -> Iterator[Markup]:
    """Say what the marks mean that occur."""
    found = {_look(row) for row in rows}
    entries = {
        SHOWN: "the tests show a difference",
        OPEN: "open: not told apart",
        EQUAL: "equivalent: within the margin",
        UNTESTED: "not tested",
    }
    x = 0.0
    foot = y + FONT_SIZE * 0.35
    for look, words in entries.items():
        if look not in found:
            continue
        line_ink, mark_ink, kind = LOOKS[look]
        yield line((x, y), (x + 22, y), ink.of(line_ink))
        yield shape((x + 11, y), kind, _mark_look(mark_ink, ink), 4.2)
        yield text((x + 29, foot), words, ink.of("quiet"))
        x += 29 + width_of(words) * FONT_SIZE + 16
    if any(row.margin is not None for row in rows):
        zone = {**ink.of("equal-mark"), "fill-opacity": "0.2"}
        yield box((x, y - 6), (20.0, 12.0), zone)
        yield text((x + 27, foot), "margin: too small to matter", ink.of("quiet"))
