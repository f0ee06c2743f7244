"""Time and memory against the number of rows, as an SVG that light and dark readers can read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.speed.cases import ONE_BASELINE, PDF, POLARS
from benchmarks.speed.growth import growing_series
from benchmarks.speed.measured import OWN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.speed.measured import Outcome

    Value = Callable[[Outcome, str], float | None]
    Curve = list[tuple[float, float]]

WIDTH, HEIGHT = 780, 620
PANEL_WIDTH, PANEL_HEIGHT = 290, 205
LEFT, TOP, ACROSS, DOWN = 70, 86, 370, 268
DRAWN = (("a", "confusion matrix"), ("b", "all scores distinct"))
# What is not in colour is still told apart by dashes and by the shape of the marks.
DASHES = ("", "7 3", "2 3", "9 3 2 3", "4 4", "1 4", "12 3")
MARKS = (
    "M-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
    "M-3.2-3.2h6.4v6.4h-6.4z",
    "M0-4.2l4 7h-8z",
    "M0-4.5l4.5 4.5l-4.5 4.5l-4.5-4.5z",
    "M-3.4-3.4l6.8 6.8m0-6.8l-6.8 6.8",
    "M0-4v8m-4-4h8",
    "M0 4.2l4-7h-8z",
)
LIGHT = ("#0072b2", "#586672", "#d55e00", "#b37400", "#a8518a", "#00795c", "#1b2732")
DARK = ("#5cb0ea", "#9fb0bc", "#f58a4b", "#e6b04a", "#d98cbd", "#3fc9a0", "#e3eaef")


@dataclass(frozen=True, slots=True)
class Axis:
    """Powers of ten from the least to the most, over a length that starts somewhere."""

    low: int
    high: int
    start: float
    length: float

    @classmethod
    def around(cls, values: Sequence[float], start: float, length: float) -> Axis:
        """Reach from the power of ten below all values to that above."""
        low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
        return cls(low, max(high, low + 1), start, length)

    def place(self, value: float) -> float:
        """Return where a value is."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + share * self.length

    def ticks(self) -> Iterator[float]:
        """Yield the powers of ten."""
        yield from (10.0**power for power in range(self.low, self.high + 1))


@dataclass(frozen=True, slots=True)
class Panel:
    """One chart: its place, its title, and the points of every tool."""

    x: float
    y: float
    title: str
    curves: dict[str, Curve]


def plot(outcomes: Sequence[Outcome]) -> str:
    """Draw time above and memory below, counts to the left and scores to the right."""
    rows: tuple[tuple[str, Value, Callable[[float], str]], ...] = (
        ("seconds", lambda outcome, tool: outcome.seconds(tool), _seconds),
        ("peak memory", lambda outcome, tool: outcome.peak(tool), _bytes),
    )
    tools: dict[str, int] = {}
    shapes: list[str] = []
    for down, (title, value, written) in enumerate(rows):
        panels = [
            Panel(
                LEFT + across * ACROSS,
                TOP + down * DOWN,
                f"({letter}) {name}: {title}",
                _curves(outcomes, letter, name, value),
            )
            for across, (letter, name) in enumerate(DRAWN)
        ]
        for panel in panels:
            for tool in panel.curves:
                tools.setdefault(tool, len(tools))
        shapes += _row(panels, tools, written)
    return _svg([*_legend(tools), *shapes])


def plot_growth(outcomes: Sequence[Outcome]) -> str:
    """Draw the time of JSON and PDF by the number of classifiers (left) and classes (right)."""
    labels = {OWN: "JSON", PDF: "PDF", POLARS: "bare polars"}
    tools: dict[str, int] = {}
    panels = []
    series = growing_series(outcomes)
    for across, words in enumerate(("classifiers", "classes")):
        chosen = [one for one in series if one.name.startswith(words)]
        curves: dict[str, Curve] = {}
        for one in chosen:
            suffix = ", baseline" if one.name == ONE_BASELINE else ""
            for tool, label in labels.items():
                # Bare polars does the same with a baseline.
                name = label if tool == POLARS else label + suffix
                if (times := one.times(tool)) and name not in curves:
                    curves[name] = [(float(number), time) for number, time in times.items()]
        title = f"{words}: seconds"
        panels.append(Panel(LEFT + across * ACROSS, TOP, title, curves))
        for tool in curves:
            tools.setdefault(tool, len(tools))
    shapes = [*_legend(tools), *_row(panels, tools, _seconds)]
    return _svg(shapes, HEIGHT - DOWN, "Time by number of classifiers and classes", "number")


def _curves(outcomes: Sequence[Outcome], letter: str, name: str, value: Value) -> dict[str, Curve]:
    curves: dict[str, Curve] = {}
    for outcome in outcomes:
        if (outcome.letter, outcome.name, outcome.file) == (letter, name, "parquet"):
            for tool in outcome.tools:
                measured = value(outcome, tool)
                if measured is not None:
                    curves.setdefault(tool, []).append((outcome.rows, measured))
    return curves


def _row(
    panels: Sequence[Panel], tools: dict[str, int], written: Callable[[float], str]
) -> Iterator[str]:
    """Draw panels side by side with the same y-axis."""
    points = [point for panel in panels for curve in panel.curves.values() for point in curve]
    if not points:
        return
    for panel in panels:
        bottom = panel.y + PANEL_HEIGHT
        upright = Axis.around([point[1] for point in points], bottom, -PANEL_HEIGHT)
        level = Axis.around([point[0] for point in points], panel.x, PANEL_WIDTH)
        yield _text(panel.x, panel.y - 12, panel.title, "title")
        for tick in upright.ticks():
            y = upright.place(tick)
            yield f'<path class="grid" d="M{panel.x} {y:.1f}h{PANEL_WIDTH}"/>'
            yield _text(panel.x - 8, y + 4, written(tick), "quiet end")
        for tick in level.ticks():
            yield _text(level.place(tick), bottom + 18, f"{tick:,.0f}", "quiet middle")
        # The own curve last, so that it lies above the others.
        for tool in sorted(panel.curves, key=lambda tool: tool == OWN):
            places = [(level.place(x), upright.place(y)) for x, y in sorted(panel.curves[tool])]
            yield _curve(places, tools[tool])


def _curve(places: Curve, series: int) -> str:
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    marks = "".join(
        f'<path class="mark" transform="translate({x:.1f} {y:.1f})" d="{MARKS[series]}"/>'
        for x, y in places
    )
    dash = f' stroke-dasharray="{DASHES[series]}"' if DASHES[series] else ""
    return f'<g class="s{series}"><path class="line" d="M{line}"{dash}/>{marks}</g>'


def _legend(tools: dict[str, int]) -> Iterator[str]:
    x = 24.0
    for tool, series in tools.items():
        yield _curve([(x, 30), (x + 32, 30)], series)
        yield _text(x + 42, 34, tool, "text")
        x += 62 + 6.6 * len(tool)


def _text(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{text}</text>'


def _seconds(value: float) -> str:
    return f"{value:g} s"


def _bytes(value: float) -> str:
    gigabyte, megabyte = 1e9, 1e6
    return f"{value / gigabyte:g} GB" if value >= gigabyte else f"{value / megabyte:g} MB"


def _svg(
    shapes: Sequence[str],
    height: float = HEIGHT,
    words: str = "Time and peak memory by number of rows",
    axis: str = "rows",
) -> str:
    style = (
        "text{font:12px system-ui,sans-serif;fill:#1b2732}.title{font-weight:600}"
        ".quiet{fill:#586672;font-size:11px}.end{text-anchor:end}.middle{text-anchor:middle}"
        ".paper{fill:#fff}.grid{stroke:#d9e1e6}.line{fill:none;stroke-width:1.8}"
        ".s0 .line{stroke-width:2.8}"
        f"{_inks(LIGHT)}"
        "@media(prefers-color-scheme:dark){text{fill:#e3eaef}.quiet{fill:#9fb0bc}"
        f".paper{{fill:#10171c}}.grid{{stroke:#2e3b45}}{_inks(DARK)}}}"
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">'
    title = f"<title>{words}, both in powers of ten</title>"
    paper = f'<rect class="paper" width="{WIDTH}" height="{height}" rx="8"/>'
    below = _text(LEFT, height - 22, f"{axis}; both axes in powers of ten", "quiet")
    return (
        "\n".join((head, title, f"<style>{style}</style>", paper, *shapes, below, "</svg>")) + "\n"
    )


def _inks(colours: Sequence[str]) -> str:
    return "".join(
        f".s{series} .line{{stroke:{ink}}}.s{series} .mark{{fill:{ink};stroke:{ink}}}"
        for series, ink in enumerate(colours)
    )
