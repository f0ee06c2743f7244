"""Scales with few round ticks, and the grid they stand on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.rendering.figures.svg import FONT_SIZE, line, text
from reportgen.rendering.numbers import plain_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from markupsafe import Markup

    from reportgen.rendering.figures.svg import Ink
    from reportgen.report.charts import Point, Span

ROUND_STEPS = (1, 2, 5, 10)
ROUNDING = 1e-9
TICK = 4.0


@dataclass(frozen=True, slots=True)
class Scale:
    """Turns numbers into places between two ends of the drawing."""

    numbers: Span
    places: Span

    def at(self, number: float) -> float:
        """Return the place of a number; what lies beyond an end is put there."""
        low, high = self.numbers
        share = min(max((number - low) / (high - low), 0.0), 1.0)
        return self.places[0] + share * (self.places[1] - self.places[0])

    def ticks(self, about: int = 5) -> list[tuple[float, str]]:
        """Return round numbers on the scale, with how they are written."""
        low, high = self.numbers
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


def x_axis(scale: Scale, over: Span, label: str, ink: Ink, about: int = 5) -> Iterator[Markup]:
    """Draw an axis at the foot (the second of `over`), its grid up to the top, and its label."""
    top, foot = over
    for number, written in scale.ticks(about):
        x = scale.at(number)
        yield line((x, top), (x, foot), ink.of("grid"))
        yield line((x, foot), (x, foot + TICK), ink.of("axis"))
        yield text((x, foot + TICK + FONT_SIZE), written, ink.of("quiet"), "middle")
    yield line((scale.places[0], foot), (scale.places[1], foot), ink.of("axis"))
    middle = sum(scale.places) / 2
    yield text((middle, foot + TICK + 2.6 * FONT_SIZE), label, ink.of("text"), "middle")


def y_axis(scale: Scale, over: Span, label: str, ink: Ink) -> Iterator[Markup]:
    """Draw an axis at the left (the first of `over`), its grid to the right, its label on top."""
    left, right = over
    for number, written in scale.ticks():
        y = scale.at(number)
        yield line((left, y), (right, y), ink.of("grid"))
        place: Point = (left - TICK - 3, y + FONT_SIZE * 0.35)
        yield text(place, written, ink.of("quiet"), "end")
    yield line((left, scale.places[0]), (left, scale.places[1]), ink.of("axis"))
    yield text((0.0, min(scale.places) - FONT_SIZE), label, ink.of("text"))
