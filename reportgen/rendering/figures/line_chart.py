"""Lines over axes, with bands, marks and a legend; one chart or several side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.rendering.figures.axes import Scale, x_axis, y_axis, y_room
from reportgen.rendering.figures.legend import (
    ENTRY,
    entries_of,
    legend_below,
    legend_beside,
    rows_below,
)
from reportgen.rendering.figures.marks import crossings_of, marks_of, short_text
from reportgen.rendering.figures.names import width_of
from reportgen.rendering.figures.paths import area_path, line_path
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    box,
    coordinate,
    element,
    line,
    text,
)
from reportgen.rendering.numbers import count_text
from reportgen.rendering.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import LineChart, Panels, Series

LEFT, TOP, FOOT = 38.0, 30.0, 42.0
PLOT_WIDTH, PLOT_HEIGHT, SQUARE = 400.0, 220.0, 290.0
# Between panels there is this beside the room for the numbers of the next axis.
GAP, RIGHT, BESIDE = 6.0, 16.0, 22.0
STRIP, STRIP_GAP, LOWEST_BAR = 34.0, 12.0, 0.8
MARK_ROW = 13.0
BAND_OPACITY = "0.13"


@frozen
class Frame:
    """Where a panel is: its plot without axes, labels and strip, and the room of its numbers."""

    room: float
    left: float
    top: float
    width: float
    height: float


def draw_lines(chart: LineChart, ink: Ink) -> Drawn:
    """Draw one chart with its legend beside it."""
    width, height = (SQUARE, SQUARE) if chart.square else (PLOT_WIDTH, PLOT_HEIGHT)
    left = _room([chart])
    frame = Frame(left, left, TOP + _marks_height(chart, width), width, height)
    entries = entries_of([chart])
    return Drawn(
        (
            _panel(chart, frame, ink),
            *legend_beside(entries, left + width + BESIDE, frame.top, ink),
        ),
        max(_foot(chart, frame), frame.top + len(entries) * ENTRY + FONT_SIZE),
    )


def draw_panels(panels: Panels, ink: Ink) -> Drawn:
    """Draw charts in rows, with one legend below all of them."""
    columns, left = panels.columns, _room(panels.panels)
    width = (WIDTH - RIGHT - columns * left - (columns - 1) * GAP) / columns
    parts: list[Markup] = []
    top = 0.0
    for first in range(0, len(panels.panels), columns):
        row = panels.panels[first : first + columns]
        marks = max(_marks_height(chart, width) for chart in row)
        frames = [
            Frame(
                left,
                left + at * (width + left + GAP),
                top + TOP + marks,
                width,
                width if chart.square else min(width, PLOT_HEIGHT),
            )
            for at, chart in enumerate(row)
        ]
        parts += [_panel(chart, frame, ink) for chart, frame in zip(row, frames, strict=True)]
        top = max(_foot(chart, frame) for chart, frame in zip(row, frames, strict=True))
    rows = rows_below(entries_of(panels.panels), left)
    return Drawn(
        (*parts, *legend_below(rows, left, top + ENTRY / 2, ink)), top + ENTRY * len(rows) + 4
    )


def _room(charts: Sequence[LineChart]) -> float:
    """Return how much room the numbers of the upright axes take: 38, unless they are long."""
    return max(LEFT, *(y_room(Scale(chart.y_range, (1.0, 0.0))) for chart in charts))


def _panel(chart: LineChart, frame: Frame, ink: Ink) -> Markup:
    """Draw the axes and everything on them; on the page it says which number stands where."""
    across = Scale(chart.x_range, (frame.left, frame.left + frame.width), chart.x_log)
    down = Scale(chart.y_range, (frame.top + frame.height, frame.top))
    foot = frame.top + frame.height + (STRIP_GAP + STRIP if chart.bars else 0.0)
    label_at = (frame.left - frame.room, frame.top - FONT_SIZE - _marks_height(chart, frame.width))
    about = 5 if frame.width > PLOT_HEIGHT else 4
    return element(
        "g",
        {} if ink.for_pdf or chart.x_names else _numbers_and_places(across, down),
        *x_axis(across, (frame.top, foot), chart.x_label, ink, about, chart.x_names),
        *y_axis(down, across.places, chart.y_label, ink, label_at),
        *_strip(chart, across, foot, ink),
        *_window(chart, across, down, ink),
        *(part for series in chart.series for part in _band(series, across, down, ink)),
        *_references(chart, across, down, ink),
        *(part for series in chart.series for part in _line(series, across, down, ink)),
        *(part for series in chart.series for part in marks_of(series, across, down, ink)),
        *crossings_of(chart, across, down, ink),
    )


def _numbers_and_places(across: Scale, down: Scale) -> dict[str, str]:
    numbers = (*across.numbers, *across.places, *down.numbers, *down.places)
    written = " ".join(f"{number:.6g}" for number in numbers)
    return {"data-plot": written, **({"data-log": "x"} if across.log else {})}


def _foot(chart: LineChart, frame: Frame) -> float:
    return frame.top + frame.height + FOOT + (STRIP_GAP + STRIP if chart.bars else 0.0)


def _band(series: Series, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    if series.band is None:
        return
    corners = (*series.band.upper, *reversed(series.band.lower))
    path = area_path(corners, across, down)
    if path:
        yield element("path", {"d": path, **ink.area(series.order, BAND_OPACITY)})


def _line(series: Series, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    path = line_path(series.points, across, down, step=series.step)
    if not path:
        return
    named = {} if ink.for_pdf else {"data-series": visible(series.name)}
    look = {"d": path, **ink.line(series.order), **named}
    yield element("path", look, element("title", {}, series.name))


def _window(chart: LineChart, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    """Frame the part that the next panel enlarges."""
    if chart.window is None:
        return
    (left, right), (low, high) = chart.window
    x, y = across.at(left), down.at(high)
    yield box((x, y), (across.at(right) - x, down.at(low) - y), ink.of("present"))


def _references(chart: LineChart, across: Scale, down: Scale, ink: Ink) -> Iterator[Markup]:
    for found in chart.references:
        path = line_path((found.start, found.end), across, down)
        if path:
            yield element("path", {"d": path, **ink.of(found.look)})
    for row, written, x in _mark_places(chart, across):
        y = down.places[1] - 5 - row * MARK_ROW
        yield text((x, y), written, ink.of("quiet"), "middle")


def _mark_places(chart: LineChart, across: Scale) -> list[tuple[int, str, float]]:
    """Return the row above the plot, the words and the middle of what is written at lines."""
    placed: list[tuple[int, str, float]] = []
    marked = sorted(
        (across.at(each.end[0]), short_text(each.number))
        for each in chart.references
        if each.number is not None
    )
    for middle, words in dict.fromkeys(marked):
        half = width_of(words) * FONT_SIZE / 2 + 3
        x = min(middle, across.places[1] - half + 6)
        row = 0
        while any(
            row == other and abs(x - there) < half + width_of(said) * FONT_SIZE / 2
            for other, said, there in placed
        ):
            row += 1
        placed.append((row, words, x))
    return placed


def _marks_height(chart: LineChart, width: float) -> float:
    across = Scale(chart.x_range, (0.0, width), chart.x_log)
    rows = [row for row, _, _ in _mark_places(chart, across)]
    return (max(rows) + 1) * MARK_ROW if rows else 0.0


def _strip(chart: LineChart, across: Scale, foot: float, ink: Ink) -> Iterator[Markup]:
    """Draw how many there are below the plot, the series side by side."""
    if not chart.bars:
        return
    most = max((bar[2] for bars in chart.bars for bar in bars.bars), default=0.0) or 1.0
    share = 1 / (len(chart.bars) + 0.5)
    left, right = across.places
    for at, bars in enumerate(chart.bars):
        outlines = []
        for low, high, number in bars.bars:
            room = across.at(high) - across.at(low)
            height = max(STRIP * number / most, LOWEST_BAR if number else 0.0)
            x, wide = across.at(low) + room * share * (at + 0.25), coordinate(room * share)
            above = coordinate(height)
            outlines.append(f"M{coordinate(x)} {coordinate(foot)}v-{above}h{wide}v{above}z")
        yield element("path", {"d": "".join(outlines), **ink.area(bars.order)})
    top = foot - STRIP
    yield line((left, top - STRIP_GAP), (right, top - STRIP_GAP), ink.of("axis"))
    yield text((left - 7, top + FONT_SIZE * 0.7), count_text(round(most)), ink.of("quiet"), "end")
    yield text((right + 8, top + FONT_SIZE * 1.6), chart.bars_label, ink.of("quiet"))
