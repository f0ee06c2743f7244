"""Axes: linear and logarithmic scales, round ticks, tick labels and grid lines."""

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
from reportgen.render.svg.labels import max_text_width, svg_label, text_width, truncate_label
from reportgen.report.formatting import TO_PERCENT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markupsafe import Markup

    from reportgen.render.svg.elements import SvgStyle
    from reportgen.report.charts import AxisRange, Point

TICK_STEPS = (1, 2, 5, 10)
_TOLERANCE = 1e-9
# Multiples of the powers of ten, as many as give at least so many ticks.
_LOG_FACTORS = ((1,), (1, 2, 5), (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8))
_MIN_LOG_TICKS = 3
# Smaller numbers are drawn at the lower end of a logarithmic scale.
MIN_LOG_NUMBER = 1e-300
TICK_LENGTH, TICK_LABEL_GAP = 4.0, 9.0
AXIS_LABEL_GAP = TICK_LENGTH + 3.0


@dataclass(frozen=True, slots=True)
class AxisScale:
    """A linear or logarithmic scale from numbers to coordinates.

    With a unit, % or pp, the labels of the ticks are in percent.
    """

    domain: AxisRange
    range: AxisRange
    log: bool = False
    unit: str = ""

    def position(self, number: float) -> float:
        """Return the coordinate of a number, clamped to the ends of the scale."""
        low, high = self.domain
        if self.log:
            low, high, number = (
                math.log10(max(value, MIN_LOG_NUMBER)) for value in (low, high, number)
            )
        share = min(max((number - low) / (high - low), 0.0), 1.0)
        return self.range[0] + share * (self.range[1] - self.range[0])

    def contains(self, number: float) -> bool:
        """Return whether a number lies on the scale."""
        return self.domain[0] <= number <= self.domain[1]

    def ticks(self, target_count: int = 5) -> list[tuple[float, str]]:
        """Return round numbers on the scale with their labels."""
        low, high = self.domain
        if self.log:
            return _log_ticks(low, high)
        step = round_tick_step((high - low) / target_count)
        factor = TO_PERCENT if self.unit else 1
        decimals = max(0, -math.floor(math.log10(factor * step) + _TOLERANCE))
        first, last = math.ceil(low / step - _TOLERANCE), math.floor(high / step + _TOLERANCE)
        return [
            (count * step, format_number(factor * count * step, decimals, self.unit))
            for count in range(first, last + 1)
        ]


def _log_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Return the powers of ten; where they are few, also their multiples."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for factors in _LOG_FACTORS:
        ticks = [
            (factor * 10.0**power, max(0, (0 if factor % 1 == 0 else 1) - power))
            for power in powers
            for factor in factors
        ]
        inside = [
            (number, format_number(number, decimals))
            for number, decimals in ticks
            if low * (1 - _TOLERANCE) <= number <= high * (1 + _TOLERANCE)
        ]
        if len(inside) >= _MIN_LOG_TICKS:
            break
    return inside


def round_tick_step(raw_step: float) -> float:
    """Return the next larger round number: 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(raw_step))
    return next(step * power for step in TICK_STEPS if step * power >= raw_step * (1 - _TOLERANCE))


def pad_range(low: float, high: float, padding: float) -> AxisRange:
    """Return a range slightly wider than two numbers, also if they are equal."""
    margin = (high - low) * padding or abs(high) * padding or 1.0
    return low - margin, high + margin


def finite_numbers(numbers: Iterable[float | None]) -> list[float]:
    """Return the finite numbers."""
    return [number for number in numbers if number is not None and math.isfinite(number)]


def axis_range(numbers: Iterable[float | None], padding: float = 0.06) -> AxisRange:
    """Return a range slightly wider than the finite numbers; 0 to 1 if there are none."""
    finite = finite_numbers(numbers)
    return pad_range(min(finite), max(finite), padding) if finite else (0.0, 1.0)


def draw_x_axis(  # noqa: PLR0913, PLR0917  # where it is, what it says, how it looks
    scale: AxisScale,
    extent: AxisRange,
    label: str,
    style: SvgStyle,
    tick_count: int = 5,
    tick_labels: Sequence[tuple[float, str]] = (),
) -> Iterator[Markup]:
    """Draw the x-axis at the bottom of `extent` (top, bottom), with its grid and its label.

    `tick_labels` replace the round numbers; labels that would overlap are dropped.
    """
    top, bottom = extent
    ticks_in_range = [
        (scale.position(number), label) for number, label in tick_labels or scale.ticks(tick_count)
    ]
    ticks = drop_overlapping_labels(ticks_in_range) if tick_labels else ticks_in_range
    yield _draw_grid(
        [
            f"M{format_coordinate(x)} {format_coordinate(top)}V{format_coordinate(bottom)}"
            for x, _ in ticks
        ],
        style,
    )
    lower = format_coordinate(bottom + TICK_LENGTH)
    small = "".join(
        f"M{format_coordinate(x)} {format_coordinate(bottom)}V{lower}" for x, _ in ticks_in_range
    )
    left, right = map(format_coordinate, scale.range)
    line = f"M{left} {format_coordinate(bottom)}H{right}"
    yield svg_element("path", {"d": line + small, **style.attributes("axis")})
    labels = [
        ((_keep_on_drawing(x, label, style), bottom + TICK_LENGTH + SVG_FONT_SIZE), label)
        for x, label in ticks
    ]
    yield _draw_tick_labels(labels, "middle", style)
    middle = _keep_on_drawing(
        sum(scale.range) / 2, truncate_label(label, style.width / SVG_FONT_SIZE), style
    )
    yield svg_label(
        (middle, bottom + TICK_LENGTH + 2.6 * SVG_FONT_SIZE),
        label,
        style.width,
        style.attributes("text"),
        "middle",
    )


def draw_y_axis(
    scale: AxisScale,
    extent: AxisRange,
    label: str,
    style: SvgStyle,
    label_position: Point | None = None,
) -> Iterator[Markup]:
    """Draw the y-axis at the left of `extent` (left, right), its grid, and its label on top."""
    left, right = extent
    ticks = [(scale.position(number), label) for number, label in scale.ticks()]
    yield _draw_grid(
        [
            f"M{format_coordinate(left)} {format_coordinate(y)}H{format_coordinate(right)}"
            for y, _ in ticks
        ],
        style,
    )
    labels = [((left - AXIS_LABEL_GAP, y + SVG_FONT_SIZE * 0.35), label) for y, label in ticks]
    yield _draw_tick_labels(labels, "end", style)
    yield svg_line((left, scale.range[0]), (left, scale.range[1]), style.attributes("axis"))
    yield svg_text(
        label_position or (0.0, min(scale.range) - SVG_FONT_SIZE), label, style.attributes("text")
    )


def draw_bare_axes(  # noqa: PLR0913  # where they are, and what is written at them
    x_scale: AxisScale,
    y_scale: AxisScale,
    style: SvgStyle,
    names: tuple[str, str],
    *,
    tick_count: int = 2,
    x_numbers: bool = True,
    y_numbers: bool = True,
) -> Iterator[Markup]:
    """Draw the axes of a small panel: grid, frame and numbers, without visible axis labels.

    The names of the axes are part of the page, because its script reads them.
    """
    (left, right), (bottom, top) = x_scale.range, y_scale.range
    x_ticks = [(x_scale.position(number), label) for number, label in x_scale.ticks(tick_count)]
    y_ticks = [(y_scale.position(number), label) for number, label in y_scale.ticks(tick_count)]
    yield _draw_grid(
        [
            f"M{format_coordinate(x)} {format_coordinate(top)}V{format_coordinate(bottom)}"
            for x, _ in x_ticks
        ]
        + [
            f"M{format_coordinate(left)} {format_coordinate(y)}H{format_coordinate(right)}"
            for y, _ in y_ticks
        ],
        style,
    )
    frame = (
        f"M{format_coordinate(left)} {format_coordinate(top)}V{format_coordinate(bottom)}"
        f"H{format_coordinate(right)}"
    )
    yield svg_element("path", {"d": frame, **style.attributes("axis")})
    if x_numbers:
        # Labels at the ends stay within the panel, clear of those of the next one.
        anchors = {left: "start", right: "end"}
        texts = (
            svg_text((x, bottom + 3 + SVG_FONT_SIZE), label, {}, anchors.get(x, "middle"))
            for x, label in x_ticks
        )
        yield svg_element("g", style.attributes("muted"), *texts)
    if y_numbers:
        labels = [((left - 4, y + SVG_FONT_SIZE * 0.35), label) for y, label in y_ticks]
        yield _draw_tick_labels(labels, "end", style)
    if not style.for_pdf:
        for name in names:
            yield svg_text((left, top), name, {**style.attributes("text"), "display": "none"})


def y_axis_width(scale: AxisScale) -> float:
    """Return the width of the tick labels of a y-axis."""
    return AXIS_LABEL_GAP + max_text_width(label for _, label in scale.ticks()) + 1.0


def _keep_on_drawing(x: float, label: str, style: SvgStyle) -> float:
    """Return the centre of a label, moved where it would be cut off at the edge of the drawing."""
    half = text_width(label) * SVG_FONT_SIZE / 2
    return min(max(x, half), style.width - half)


def drop_overlapping_labels(ticks: Sequence[tuple[float, str]]) -> list[tuple[float, str]]:
    """Return the last label, and those before it that do not overlap."""
    visible: list[tuple[float, str]] = []
    for x, label in reversed(ticks):
        half_width = text_width(label) * SVG_FONT_SIZE / 2 + TICK_LABEL_GAP
        if (
            not visible
            or visible[-1][0] - text_width(visible[-1][1]) * SVG_FONT_SIZE / 2 >= x + half_width
        ):
            visible.append((x, label))
    return visible[::-1]


def _draw_grid(path_data: Sequence[str], style: SvgStyle) -> Markup:
    """Draw the lines of a grid as one element."""
    return svg_element("path", {"d": "".join(path_data), **style.attributes("grid")})


def _draw_tick_labels(labels: Sequence[tuple[Point, str]], anchor: str, style: SvgStyle) -> Markup:
    """Draw the tick labels of an axis in one group."""
    texts = (svg_text(position, label, {}) for position, label in labels)
    return svg_element("g", {**style.attributes("muted"), "text-anchor": anchor}, *texts)
