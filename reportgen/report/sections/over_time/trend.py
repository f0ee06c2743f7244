"""The main measures from run to run, with their intervals."""

from __future__ import annotations

import math
from enum import Enum
from itertools import groupby
from typing import TYPE_CHECKING

from reportgen.measures import Orientation
from reportgen.report.charts.lines import Band, LineChart, Marker, Panels, Series
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import MOST_CURVES, drawn_of, how_many_left_out
from reportgen.report.findings.main import main_measure
from reportgen.report.parts import Strong
from reportgen.report.sections.scores.curve_values import MOST_BANDS
from reportgen.report.words.level import level_of
from reportgen.report.words.over_time import run_names
from reportgen.report.words.spoken import spoken_values
from reportgen.report.words.wording import note_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.over_time.changes import Changes, Trend
    from reportgen.measures import Measure
    from reportgen.report.charts.lines import Span
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part
    from reportgen.scores import Score

NOW = "now"
MOST_DRAWN, MOST_READ = 4, 4
# Of more values than this in a panel bars and marks would hide each other.
MOST_BARS = 45
# Bars of classifiers stand side by side in at most this share of the room of a run.
APART, TOGETHER = 0.1, 0.5
PADDING = 0.06


class Drawn(Enum):
    """How it is drawn how sure values are: by bars or bands, or not at all."""

    BARS = "Bars"
    BANDS = "Bands"
    LINES = "Lines"


def drawn_measures(evaluation: Evaluation) -> tuple[Measure, ...]:
    """Return the first few measures that earlier runs have finite values of, the main one first."""
    changes = evaluation.changes
    known = {
        trend.measure
        for trend in (changes.trends if changes else ())
        if any(score is not None and score.value is not None for score in trend.scores[:-1])
    }
    main = main_measure(evaluation)
    ordered = dict.fromkeys([*([main] if main else []), *evaluation.main_measures])
    directed = [each for each in ordered if each.orientation is not Orientation.NEITHER]
    return tuple(each for each in directed if each.name in known)[:MOST_DRAWN]


def drawn_classifiers(evaluation: Evaluation, changes: Changes) -> tuple[str, ...]:
    """Return the classifiers that earlier runs have values of: all, or the best of many."""
    names = tuple(
        dict.fromkeys(trend.classifier for trend in changes.trends if any(trend.scores[:-1]))
    )
    return names if len(names) <= MOST_CURVES else drawn_of(evaluation, names)


def trend_figure(evaluation: Evaluation, changes: Changes) -> Figure | None:
    """Draw the main measures over the runs, one panel each."""
    measures, names = drawn_measures(evaluation), drawn_classifiers(evaluation, changes)
    if not measures or not names:
        return None
    panels = tuple(_panel(evaluation, changes, measure, names) for measure in measures)
    several = len(measures) > 1
    title = "run by run" if several else f"{measures[0].title}, run by run"
    return Figure(
        "history",
        f"The main measures, {title}" if several else title,
        Panels(panels, columns=2) if several else panels[0],
        Paragraph(tuple(_reading(changes, measures[0], names))),
        note_of(
            _intervals_in_words(evaluation, _how_drawn(changes, names)),
            ("Runs stand at equal distances, whatever the time between them; days are in UTC.",),
            _left_out(evaluation, changes, names),
        ),
    )


def _how_drawn(changes: Changes, names: Sequence[str]) -> Drawn:
    if (len(changes.runs) + 1) * len(names) <= MOST_BARS:
        return Drawn.BARS
    return Drawn.BANDS if len(names) <= MOST_BANDS else Drawn.LINES


def _intervals_in_words(evaluation: Evaluation, drawn: Drawn) -> tuple[Part, ...]:
    if drawn is Drawn.LINES:
        return ("Intervals are not drawn, as those of so many would hide each other.",)
    return f"{drawn.value} are ", level_of(evaluation), " intervals."


def _left_out(evaluation: Evaluation, changes: Changes, names: Sequence[str]) -> tuple[Part, ...]:
    known = {trend.classifier for trend in changes.trends if any(trend.scores[:-1])}
    said = how_many_left_out(evaluation, len(names), len(known))
    return (*said, ".") if said else ()


def _reading(changes: Changes, measure: Measure, names: Sequence[str]) -> Iterator[Part]:
    """Say of the first measure where it began and where it is now."""
    days = (*run_names(changes), NOW)
    yield f"{measure.title}: "
    told = [trend for trend in _trends(changes, measure, names) if _finite(trend)][:MOST_READ]
    for number, trend in enumerate(told):
        at, scores = zip(*_finite(trend), strict=True)
        yield "; " if number else ""
        yield Strong(trend.classifier)
        first, last = spoken_values(measure, scores[0], scores[-1])
        yield from (" ", first, f" {_when(days[at[0]])}, ", last, f" {_when(days[at[-1]])}")
    yield "."


def _when(day: str) -> str:
    return day if day == NOW else f"on {day}"


def _trends(changes: Changes, measure: Measure, names: Sequence[str]) -> list[Trend]:
    found = {each.classifier: each for each in changes.trends if each.measure == measure.name}
    return [found[name] for name in names if name in found]


def _finite(trend: Trend) -> list[tuple[int, Score]]:
    return [
        (at, score)
        for at, score in enumerate(trend.scores)
        if score is not None and score.value is not None
    ]


def _panel(
    evaluation: Evaluation, changes: Changes, measure: Measure, names: Sequence[str]
) -> LineChart:
    trends = _trends(changes, measure, names)
    days = (*run_names(changes), NOW)
    drawn = _how_drawn(changes, names)
    step = min(APART, TOGETHER / len(names)) if drawn is Drawn.BARS else 0.0
    return LineChart(
        "",
        measure.title,
        tuple(
            series
            for number, trend in enumerate(trends)
            for series in _series(
                trend,
                evaluation.order(trend.classifier),
                step * (number - (len(trends) - 1) / 2),
                drawn,
            )
        ),
        x_range=(-0.5, len(days) - 0.5),
        y_range=_span(trends, measure),
        x_names=tuple(enumerate(map(str, days))),
    )


def _series(trend: Trend, order: int, aside: float, drawn: Drawn) -> Iterator[Series]:
    """Yield one line for each row of runs that all have a value."""
    finite = _finite(trend)
    for _, group in groupby(enumerate(finite), key=lambda item: item[1][0] - item[0]):
        piece = [found for _, found in group]
        points = tuple((at + aside, score.value or 0.0) for at, score in piece)
        yield Series(
            trend.classifier,
            points,
            order,
            band=_band(piece) if drawn is Drawn.BANDS else None,
            # A single point is no line.
            markers=tuple(_marker(at + aside, score) for at, score in piece)
            if drawn is Drawn.BARS or len(piece) == 1
            else (),
        )


def _marker(at: float, score: Score) -> Marker:
    whole = score.low is not None and score.high is not None
    ends = (score.low, score.high) if whole else (None, None)
    return Marker((at, score.value or 0.0), low=ends[0], high=ends[1])


def _band(piece: Sequence[tuple[int, Score]]) -> Band | None:
    ends = [(at, score.low, score.high) for at, score in piece]
    if any(low is None or high is None for _, low, high in ends):
        return None
    return Band(
        tuple((float(at), low or 0.0) for at, low, _ in ends),
        tuple((float(at), high or 0.0) for at, _, high in ends),
    )


def _span(trends: Sequence[Trend], measure: Measure) -> Span:
    """Return a range that holds all values and ends, a little wider, within that of the measure."""
    numbers = [
        number
        for trend in trends
        for _, score in _finite(trend)
        for number in (score.value, score.low, score.high)
        if number is not None and math.isfinite(number)
    ]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    room = (high - low) * PADDING or abs(high) * PADDING or 1.0
    least, most = measure.range.low, measure.range.high
    return (
        low - room if least is None else max(least, low - room),
        high + room if most is None else min(most, high + room),
    )
