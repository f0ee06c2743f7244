"""The main measure of a report from run to run, and its drawing."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.frozen import frozen
from reportgen.measures import Orientation, find_measure
from reportgen.rendering.figures.svg import Ink, coordinate, element, shape
from reportgen.rendering.numbers import interval_texts, score_text
from reportgen.scores import Score, State

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.over_time.past import Past
    from reportgen.jobs.publishing.index import Main, MainValue, PublishedReport
    from reportgen.measures import Measure
    from reportgen.report.charts.lines import Point

WIDTH, HEIGHT, MARGIN = 150.0, 40.0, 5.0
MOST_OTHERS = 6
FEWEST = 2


@frozen
class Trend:
    """What classifiers reached from run to run, the latest last; None where it is no number."""

    measure: Measure
    lines: dict[str, tuple[float | None, ...]]
    runs: int


@frozen
class Standing:
    """The main measure in words: who leads, and with which value."""

    measure: str
    value: str
    interval: str
    leader: str
    place: str


def trend_of(main: Main, past: Past, published: Sequence[Main | None]) -> Trend | None:
    """Return the trend that the history tells, or else the published runs, the latest last."""
    measure = find_measure(main.measure)
    if measure is None:
        return None
    names = [value.classifier for value in main.values]
    if past.runs:
        rows = [
            {name: run.scores.get((name, None, None, main.measure)) for name in names}
            for run in past.runs
        ]
    else:
        rows = [
            {value.classifier: _score(value) for value in each.values}
            if each and each.measure == main.measure
            else {}
            for each in published
        ]
    lines = {name: tuple(_finite(row.get(name)) for row in rows) for name in names}
    return Trend(measure, lines, len(rows))


def drawing_of(report: PublishedReport, past: Past) -> Markup:
    """Draw the main measure of a report from run to run, if there is something to draw."""
    newest = report.newest
    main = newest.main if newest else None
    trend = trend_of(main, past, [run.main for run in reversed(report.runs)]) if main else None
    if main is None or trend is None or not main.values:
        return Markup()
    return sparkline(trend, _leader(main, trend.measure).classifier)


def standing_of(main: Main | None) -> Standing | None:
    """Say who leads in the main measure; None where there is none."""
    measure = find_measure(main.measure) if main else None
    if main is None or measure is None or not main.values:
        return None
    leader = _leader(main, measure)
    score = _score(leader)
    place = ""
    if len(main.values) > 1 and score.number is not None:
        word = "lowest" if measure.orientation is Orientation.LOWER else "highest"
        place = f"{word} of {len(main.values)}"
    ends = interval_texts(score, measure) if score.interval else ()
    return Standing(
        measure=measure.title,
        value=score_text(score, measure),
        interval=" to ".join(ends),
        leader=leader.classifier,
        place=place,
    )


def sparkline(trend: Trend, leader: str) -> Markup:
    """Draw a trend as a line without axes; nothing where fewer than two runs have a number."""
    numbers = [number for number in trend.lines[leader] if number is not None]
    if len(numbers) < FEWEST:
        return Markup()
    names = list(trend.lines)
    others = [name for name in names if name != leader][:MOST_OTHERS]
    places = {name: _points(trend, [leader, *others], name) for name in [leader, *others]}
    ink = Ink()
    quiet = {**ink.of("open"), "stroke-width": "1", "stroke-opacity": "0.45"}
    parts = [_path(places[name], quiet) for name in others]
    order = names.index(leader)
    parts.append(_path(places[leader], ink.solid(order)))
    end = next(point for point in reversed(places[leader]) if point is not None)
    parts.append(shape(end, 0, ink.area(order), 2.8))
    told = [score_text(Score(number, State.DEFINED), trend.measure) for number in numbers]
    lowest, highest = told[numbers.index(min(numbers))], told[numbers.index(max(numbers))]
    label = (
        f"{trend.measure.title} of {leader} over {len(numbers)} runs: first {told[0]},"
        f" last {told[-1]}, between {lowest} and {highest}"
    )
    box = f"0 0 {coordinate(WIDTH)} {coordinate(HEIGHT)}"
    return element(
        "svg", {"class": "sparkline", "viewBox": box, "role": "img", "aria-label": label}, *parts
    )


def _leader(main: Main, measure: Measure) -> MainValue:
    """Return who has the best number, the first of those that share it."""
    known = [value for value in main.values if _score(value).number is not None]
    if not known:
        return main.values[0]
    best = min if measure.orientation is Orientation.LOWER else max
    return best(known, key=lambda value: _score(value).number or 0.0)


def _score(value: MainValue) -> Score:
    return Score(
        value.value, State(value.state), value.reason, value.low, value.high, value.interval
    )


def _finite(score: Score | None) -> float | None:
    number = score.number if score else None
    return number if number is not None and math.isfinite(number) else None


def _points(trend: Trend, shown: Sequence[str], name: str) -> list[Point | None]:
    """Return the places of a line: from left to right by run, from low to high by number."""
    numbers = [number for each in shown for number in trend.lines[each] if number is not None]
    low, high = min(numbers), max(numbers)
    step = (WIDTH - 2 * MARGIN) / max(1, trend.runs - 1)
    return [
        None
        if number is None
        else (MARGIN + at * step, HEIGHT - MARGIN - _share(number, low, high) * _ROOM)
        for at, number in enumerate(trend.lines[name])
    ]


_ROOM = HEIGHT - 2 * MARGIN


def _share(number: float, low: float, high: float) -> float:
    return 0.5 if low == high else (number - low) / (high - low)


def _path(points: Sequence[Point | None], attributes: dict[str, str]) -> Markup:
    return element("path", {"d": " ".join(_steps(points)), **attributes})


def _steps(points: Sequence[Point | None]) -> Iterator[str]:
    """Yield the steps of a path, which begins anew after every gap."""
    pen = "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        yield f"{pen}{coordinate(point[0])} {coordinate(point[1])}"
        pen = "L"
