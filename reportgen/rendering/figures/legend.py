"""What lines, marks and thin lines mean, named beside the plot, below several or at the top."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from reportgen.frozen import frozen
from reportgen.rendering.figures.marks import mark, neutral_mark
from reportgen.rendering.figures.names import name_text, width_of
from reportgen.rendering.figures.svg import FONT_SIZE, WIDTH, line, shape
from reportgen.rendering.texts import visible

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import LineChart, MarkKind

SAMPLE, ENTRY, BETWEEN, LONGEST = 28.0, 19.0, 14.0, 230.0
KEY_LINE, KEY_MARK, KEY_GAP, KEY_NAME = 17.0, 13.0, 20.0, 190.0


@frozen
class Entry:
    """A line of the legend: a series (with its order and mark), a thin line or a kind of mark."""

    words: str
    order: int | None = None
    mark: MarkKind | None = None
    look: Literal["reference", "present"] | None = None

    @property
    def width(self) -> float:
        """How much room it takes."""
        return SAMPLE + 8 + min(LONGEST, width_of(visible(self.words)) * FONT_SIZE) + BETWEEN


def entries_of(charts: Sequence[LineChart]) -> list[Entry]:
    """Return what the charts show, each thing once."""
    found: dict[Entry, None] = {}
    for chart in charts:
        for series in chart.series:
            kinds = {each.kind for each in series.markers}
            kind: MarkKind | None = "plain" if kinds else None
            found[Entry(series.name, series.order, kind)] = None
    named = {(entry.words, entry.order) for entry in found if entry.mark}
    # A series that has marks in one panel only is named once, with them.
    kept = [each for each in found if each.mark or (each.words, each.order) not in named]
    marks = dict.fromkeys(
        Entry(words, mark=kind) for chart in charts for kind, words in chart.marks
    )
    thin = dict.fromkeys(
        Entry(each.label, look=each.look) for chart in charts for each in chart.references
    )
    return [*kept, *marks, *(entry for entry in thin if entry.words)]


def legend_beside(entries: Sequence[Entry], left: float, top: float, ink: Ink) -> Iterator[Markup]:
    """Name everything in a column."""
    for at, entry in enumerate(entries):
        y = top + FONT_SIZE / 2 + at * ENTRY
        yield from _entry(entry, left, y, WIDTH - left - SAMPLE - 8, ink)


def rows_below(entries: Sequence[Entry], left: float) -> list[list[Entry]]:
    """Return the entries in as many rows as they need."""
    rows: list[list[Entry]] = [[]]
    for entry in entries:
        used = sum(each.width for each in rows[-1])
        if rows[-1] and left + used + entry.width - BETWEEN > WIDTH:
            rows.append([])
        rows[-1].append(entry)
    return rows


def legend_below(
    rows: Sequence[Sequence[Entry]], left: float, top: float, ink: Ink
) -> Iterator[Markup]:
    """Name everything in rows."""
    for at, row in enumerate(rows):
        x = left
        for entry in row:
            yield from _entry(entry, x, top + at * ENTRY, LONGEST, ink)
            x += entry.width


def classifier_key(
    classifiers: Sequence[tuple[str, int]], ink: Ink
) -> tuple[tuple[Markup, ...], float]:
    """Draw at the top who has which mark, and return how tall that is too."""
    rows = _key_lines([name for name, _ in classifiers])
    return tuple(_key(rows, dict(classifiers), ink)), KEY_LINE * len(rows)


def _entry(entry: Entry, left: float, y: float, room: float, ink: Ink) -> Iterator[Markup]:
    middle = (left + SAMPLE / 2, y)
    if entry.order is not None:
        yield line((left, y), (left + SAMPLE, y), ink.line(entry.order))
        if entry.mark:
            yield mark(middle, entry.mark, entry.order, ink)
    elif entry.look is not None:
        yield line((left, y), (left + SAMPLE, y), ink.of(entry.look))
    elif entry.mark is not None:
        yield neutral_mark(middle, entry.mark, ink)
    tone = ink.of("text" if entry.order is not None else "quiet")
    yield name_text((left + SAMPLE + 8, y + FONT_SIZE * 0.35), entry.words, room, tone)


def _key_lines(names: Sequence[str]) -> list[list[tuple[float, str]]]:
    """Spread names over as few lines as hold them: where each begins, line by line."""
    rows: list[list[tuple[float, str]]] = [[]]
    x = 0.0
    for name in names:
        width = KEY_MARK + min(KEY_NAME, width_of(visible(name)) * FONT_SIZE)
        if rows[-1] and x + width > WIDTH:
            rows.append([])
            x = 0.0
        rows[-1].append((x, name))
        x += width + KEY_GAP
    return rows


def _key(
    rows: Sequence[Sequence[tuple[float, str]]], orders: dict[str, int], ink: Ink
) -> Iterator[Markup]:
    for at, row in enumerate(rows):
        y = KEY_LINE * (at + 0.5)
        for x, name in row:
            yield shape((x + 5, y), orders[name], ink.area(orders[name]))
            place = (x + KEY_MARK, y + FONT_SIZE * 0.35)
            yield name_text(place, name, KEY_NAME, ink.of("text"))
