"""Scales with few round ticks, and the grid they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.render.number_format import format_number
from reportgen.render.svg.elements import (
    SVG_FONT_SIZE,
    format_coordinate,
    svg_element,
    svg_line,
    svg_text,
)
from reportgen.render.svg.labels import max_text_width, text_width

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import AxisRange, Point

TICK_STEPS = (1, 2, 5, 10)
_TOLERANCE = 1e-9
# Numbers as small as this stand at the lower end of a logarithmic scale.
MIN_LOG_NUMBER = 1e-300
TICK_LENGTH, TICK_LABEL_GAP = 4.0, 9.0
AXIS_LABEL_GAP = TICK_LENGTH + 3.0


@dataclass(frozen=True, slots=True)
class AxisScale:
    """Turns numbers into places between two ends of the drawing, evenly or by their logarithms."""

    numbers: AxisRange
    places: AxisRange
    log: bool = False

    def at(self, number: float) -> float:
        """Return the place of a number; what lies beyond an end is put there."""
        low, high = self.numbers
        if self.log:
            low, high, number = (
                math.log10(max(each, MIN_LOG_NUMBER)) for each in (low, high, number)
            )
        share = min(max((number - low) / (high - low), 0.0), 1.0)
        return self.places[0] + share * (self.places[1] - self.places[0])

    def ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Return round numbers on the scale, with how they are written."""
        low, high = self.numbers
        if self.log:
            powers = range(
                math.ceil(math.log10(low) - _TOLERANCE),
                math.floor(math.log10(high) + _TOLERANCE) + 1,
            )
            return [(10.0**power, format_number(10.0**power, max(0, -power))) for power in powers]
        step = round_tick_step((high - low) / about)
        decimals = max(0, -math.floor(math.log10(step) + _TOLERANCE))
        first, last = math.ceil(low / step - _TOLERANCE), math.floor(high / step + _TOLERANCE)
        return [
            (count * step, format_number(count * step, decimals))
            for count in range(first, last + 1)
        ]


def round_tick_step(rough: float) -> float:
    """Return the round number next above: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in TICK_STEPS if step * power >= rough * (1 - _TOLERANCE))


def pad_range(low: float, high: float, share: float = 0.06) -> AxisRange:
    """Return a span a little wider than two numbers, also where they are equal."""
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def finite_numbers(numbers: Iterable[float | None]) -> list[float]:
    """Return the numbers that have a place on an axis."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


def axis_range(numbers: Iterable[float | None], share: float = 0.06) -> AxisRange:
    """Return a span a little wider than the finite of the numbers; without any, from 0 to 1."""
    found = finite_numbers(numbers)
    return pad_range(min(found), max(found), share) if found else (0.0, 1.0)


def draw_x_axis(  # noqa: PLR0913, PLR0917  # where it is, what it says, how it looks
    scale: AxisScale,
    over: AxisRange,
    label: str,
    ink: SvgStyle,
    about: int = 5,
    names: Sequence[tuple[float, str]] = (),
) -> Iterator[Markup]:
    """Draw an axis at the foot (the second of `over`), its grid up to the top, and its label.

    Names are written at their places instead of round numbers, as far as there is room.
    """
    top, foot = over
    marked = [(scale.at(number), written) for number, written in names or scale.ticks(about)]
    ticks = _drop_overlapping_labels(marked) if names else marked
    yield _draw_grid(
        [
            f"M{format_coordinate(x)} {format_coordinate(top)}V{format_coordinate(foot)}"
            for x, _ in ticks
        ],
        ink,
    )
    lower = format_coordinate(foot + TICK_LENGTH)
    small = "".join(f"M{format_coordinate(x)} {format_coordinate(foot)}V{lower}" for x, _ in marked)
    whole = f"M{format_coordinate(scale.places[0])} {format_coordinate(foot)}H{format_coordinate(scale.places[1])}"
    yield svg_element("path", {"d": whole + small, **ink.of("axis")})
    places = [((x, foot + TICK_LENGTH + SVG_FONT_SIZE), written) for x, written in ticks]
    yield _draw_tick_labels(places, "middle", ink)
    middle = sum(scale.places) / 2
    yield svg_text(
        (middle, foot + TICK_LENGTH + 2.6 * SVG_FONT_SIZE), label, ink.of("text"), "middle"
    )


def draw_y_axis(
    scale: AxisScale, over: AxisRange, label: str, ink: SvgStyle, label_at: Point | None = None
) -> Iterator[Markup]:
    """Draw an axis at the left (the first of `over`), its grid to the right, its label on top."""
    left, right = over
    ticks = [(scale.at(number), written) for number, written in scale.ticks()]
    yield _draw_grid(
        [
            f"M{format_coordinate(left)} {format_coordinate(y)}H{format_coordinate(right)}"
            for y, _ in ticks
        ],
        ink,
    )
    places = [((left - AXIS_LABEL_GAP, y + SVG_FONT_SIZE * 0.35), written) for y, written in ticks]
    yield _draw_tick_labels(places, "end", ink)
    yield svg_line((left, scale.places[0]), (left, scale.places[1]), ink.of("axis"))
    yield svg_text(label_at or (0.0, min(scale.places) - SVG_FONT_SIZE), label, ink.of("text"))


def y_axis_width(scale: AxisScale) -> float:
    """Return how much room the numbers of an upright axis take to its left."""
    return AXIS_LABEL_GAP + max_text_width(written for _, written in scale.ticks()) + 1.0


def _drop_overlapping_labels(ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the last name, and those before it that do not touch the next one kept."""
    kept: list[tuple[float, str]] = []
    for x, written in reversed(ticks):
        half = text_width(written) * SVG_FONT_SIZE / 2 + TICK_LABEL_GAP
        if not kept or kept[-1][0] - text_width(kept[-1][1]) * SVG_FONT_SIZE / 2 >= x + half:
            kept.append((x, written))
    return kept[::-1]


def _draw_grid(strokes: Sequence[str], ink: SvgStyle) -> Markup:
    """Draw the lines of a grid as one element."""
    return svg_element("path", {"d": "".join(strokes), **ink.of("grid")})


def _draw_tick_labels(places: Sequence[tuple[Point, str]], anchor: str, ink: SvgStyle) -> Markup:
    """Write the numbers of an axis, which look alike."""
    written = (svg_text(place, words, {}) for place, words in places)
    return svg_element("g", {**ink.of("quiet"), "text-anchor": anchor}, *written)
