"""Values of folds as faint dots, with the mean and its interval below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.rendering.figures.axes import Scale, span_of, x_axis
from reportgen.rendering.figures.mark_paths import marks_path
from reportgen.rendering.figures.names import name_text, widest
from reportgen.rendering.figures.svg import (
    FONT_SIZE,
    WIDTH,
    Drawn,
    coordinate,
    element,
    shape,
    text,
)
from reportgen.rendering.numbers import count_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.evidence import FoldDots, FoldRow
    from reportgen.report.charts.lines import Point, Span

TOP, FOOT, ROOM = 6.0, 42.0, 800.0
ROW, LEAST_ROW = 40.0, 26.0
LONGEST_LABEL, DOT, MARK, CAP = 190.0, 2.7, 4.4, 3.5


def draw_fold_dots(chart: FoldDots, ink: Ink) -> Drawn:
    """Draw a row for each classifier."""
    count = max(len(chart.rows), 1)
    row = max(LEAST_ROW, min(ROW, ROOM / count))
    labels = (row.label for row in chart.rows)
    left = min(LONGEST_LABEL, widest((*labels, "10 of 10 undefined"))) + 16
    foot = TOP + row * len(chart.rows)
    scale = Scale(_span(chart.rows), (left, WIDTH - 12))
    heights = [TOP + row * at for at in range(len(chart.rows))]
    drawn = (_row(each, y, row, scale, ink) for each, y in zip(chart.rows, heights, strict=True))
    return Drawn(
        (
            *x_axis(scale, (TOP, foot), chart.x_label, ink, 6),
            *(_joining(chart.rows, heights, row, scale, ink) if chart.joined else ()),
            *(part for parts in drawn for part in parts),
        ),
        foot + FOOT,
    )


def _span(rows: Sequence[FoldRow]) -> Span:
    numbers = (number for row in rows for number in (*row.values, row.mean, row.low, row.high))
    return span_of(numbers, 0.04)


def _joining(
    rows: Sequence[FoldRow], heights: Sequence[float], height: float, scale: Scale, ink: Ink
) -> Iterator[Markup]:
    """Join the dots of a fold from row to row by one faint path; a fold without a value breaks."""
    path = ""
    for values in zip(*(row.values for row in rows), strict=True):
        begun = False
        for value, y in zip(values, heights, strict=True):
            if value is None:
                begun = False
                continue
            path += f"{'L' if begun else 'M'}{coordinate(scale.at(value))} "
            path += coordinate(y + _lane(height))
            begun = True
    yield element("path", {"d": path, **ink.of("open"), "stroke-width": "0.7", "opacity": "0.45"})


def _lane(height: float) -> float:
    return height * 0.36


def _row(row: FoldRow, y: float, height: float, scale: Scale, ink: Ink) -> Iterator[Markup]:
    left = scale.places[0]
    missing = sum(value is None for value in row.values)
    middle = y + height / 2 + FONT_SIZE * 0.35
    up = FONT_SIZE * 0.6 if missing else 0.0
    yield name_text((left - 12, middle - up), row.label, LONGEST_LABEL, ink.of("text"), "end")
    if missing:
        counted = f"{count_text(missing)} of {count_text(len(row.values))} undefined"
        yield text((left - 12, middle + up), counted, ink.of("quiet"), "end")
    values = [value for value in row.values if value is not None]
    for layer in _layers([scale.at(value) for value in values]):
        path = marks_path([(x, y + _lane(height)) for x in layer], 0, DOT)
        yield element("path", {"d": path, **ink.area(row.order, "0.4")})
    yield from _mean(row, y + height * 0.74, scale, ink)


def _layers(places: list[float]) -> list[list[float]]:
    """Spread dots over layers without overlaps: dots of one path would not darken each other."""
    layers: list[list[float]] = []
    for place in sorted(places):
        free = next((layer for layer in layers if place - layer[-1] >= 2 * DOT), None)
        if free is None:
            layers.append([place])
        else:
            free.append(place)
    return layers


def _mean(row: FoldRow, y: float, scale: Scale, ink: Ink) -> Iterator[Markup]:
    if row.mean is None:
        return
    if row.low is not None and row.high is not None:
        ends: Point = (scale.at(row.low), scale.at(row.high))
        path = f"M{coordinate(ends[0])} {coordinate(y)}H{coordinate(ends[1])}" + "".join(
            f"M{coordinate(x)} {coordinate(y - CAP)}v{coordinate(2 * CAP)}" for x in ends
        )
        yield element("path", {"d": path, **ink.solid(row.order)})
    yield shape((scale.at(row.mean), y), row.order, ink.area(row.order), MARK)
