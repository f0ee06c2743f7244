"""Scales with few round ticks, and the grid they stand on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.rendering.figures.names import widest, width_of
from reportgen.rendering.figures.svg import FONT_SIZE, coordinate, element, line, text
from reportgen.rendering.numbers import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts.lines import Point, Span

ROUND_STEPS = (1, 2, 5, 10)
ROUNDING = 1e-9
# Numbers as small as this stand at the lower end of a logarithmic scale.
TINY = 1e-300
TICK, BETWEEN_NAMES = 4.0, 9.0
BESIDE_AXIS = TICK + 3.0


@frozen
class Scale:
    """Turns numbers into places between two ends of the drawing, evenly or by their logarithms."""

    numbers: Span
    places: Span
    log: bool = False

    def at(self, number: float) -> float:
        """Return the place of a number; what lies beyond an end is put there."""
        low, high = self.numbers
        if self.log:
            low, high, number = (math.log10(max(each, TINY)) for each in (low, high, number))
        share = min(max((number - low) / (high - low), 0.0), 1.0)
        return self.places[0] + share * (self.places[1] - self.places[0])

    def ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Return round numbers on the scale, with how they are written."""
        low, high = self.numbers
        if self.log:
            powers = range(
                math.ceil(math.log10(low) - ROUNDING), math.floor(math.log10(high) + ROUNDING) + 1
            )
            return [(10.0**power, plain_text(10.0**power, max(0, -power))) for power in powers]
        step = round_step((high - low) / about)
        decimals = max(0, -math.floor(math.log10(step) + ROUNDING))
        first, last = math.ceil(low / step - ROUNDING), math.floor(high / step + ROUNDING)
        return [
            (count * step, plain_text(count * step, decimals)) for count in range(first, last + 1)
        ]


def round_step(rough: float) -> float:
    """Return the round number next above: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(step * power for step in ROUND_STEPS if step * power >= rough * (1 - ROUNDING))


def padded(low: float, high: float, share: float = 0.06) -> Span:
    """Return a span a little wider than two numbers, also where they are equal."""
    room = (high - low) * share or abs(high) * share or 1.0
    return low - room, high + room


def finite(numbers: Iterable[float | None]) -> list[float]:
    """Return the numbers that have a place on an axis."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


def span_of(numbers: Iterable[float | None], share: float = 0.06) -> Span:
    """Return a span a little wider than the finite of the numbers; without any, from 0 to 1."""
    found = finite(numbers)
    return padded(min(found), max(found), share) if found else (0.0, 1.0)


def x_axis(  # noqa: PLR0913, PLR0917  # where it is, what it says, how it looks
    scale: Scale,
    over: Span,
    label: str,
    ink: Ink,
    about: int = 5,
    names: Sequence[tuple[float, str]] = (),
) -> Iterator[Markup]:
    """Draw an axis at the foot (the second of `over`), its grid up to the top, and its label.

    Names are written at their places instead of round numbers, as far as there is room.
    """
    top, foot = over
    marked = [(scale.at(number), written) for number, written in names or scale.ticks(about)]
    ticks = _with_room(marked) if names else marked
    yield _strokes(
        [f"M{coordinate(x)} {coordinate(top)}V{coordinate(foot)}" for x, _ in ticks], ink
    )
    lower = coordinate(foot + TICK)
    small = "".join(f"M{coordinate(x)} {coordinate(foot)}V{lower}" for x, _ in marked)
    whole = f"M{coordinate(scale.places[0])} {coordinate(foot)}H{coordinate(scale.places[1])}"
    yield element("path", {"d": whole + small, **ink.of("axis")})
    places = [((x, foot + TICK + FONT_SIZE), written) for x, written in ticks]
    yield _numbers(places, "middle", ink)
    middle = sum(scale.places) / 2
    yield text((middle, foot + TICK + 2.6 * FONT_SIZE), label, ink.of("text"), "middle")


def y_axis(
    scale: Scale, over: Span, label: str, ink: Ink, label_at: Point | None = None
) -> Iterator[Markup]:
    """Draw an axis at the left (the first of `over`), its grid to the right, its label on top."""
    left, right = over
    ticks = [(scale.at(number), written) for number, written in scale.ticks()]
    yield _strokes(
        [f"M{coordinate(left)} {coordinate(y)}H{coordinate(right)}" for y, _ in ticks], ink
    )
    places = [((left - BESIDE_AXIS, y + FONT_SIZE * 0.35), written) for y, written in ticks]
    yield _numbers(places, "end", ink)
    yield line((left, scale.places[0]), (left, scale.places[1]), ink.of("axis"))
    yield text(label_at or (0.0, min(scale.places) - FONT_SIZE), label, ink.of("text"))


def y_room(scale: Scale) -> float:
    """Return how much room the numbers of an upright axis take to its left."""
    return BESIDE_AXIS + widest(written for _, written in scale.ticks()) + 1.0


def _with_room(ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the last name, and those before it that do not touch the next one kept."""
    kept: list[tuple[float, str]] = []
    for x, written in reversed(ticks):
        half = width_of(written) * FONT_SIZE / 2 + BETWEEN_NAMES
        if not kept or kept[-1][0] - width_of(kept[-1][1]) * FONT_SIZE / 2 >= x + half:
            kept.append((x, written))
    return kept[::-1]


def _strokes(strokes: Sequence[str], ink: Ink) -> Markup:
    """Draw the lines of a grid as one element."""
    return element("path", {"d": "".join(strokes), **ink.of("grid")})


def _numbers(places: Sequence[tuple[Point, str]], anchor: str, ink: Ink) -> Markup:
    """Write the numbers of an axis, which look alike."""
    written = (text(place, words, {}) for place, words in places)
    return element("g", {**ink.of("quiet"), "text-anchor": anchor}, *written)
