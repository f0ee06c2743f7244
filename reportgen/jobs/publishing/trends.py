"""The value that stands for a report, and its trend over the runs as a sparkline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.measures import Orientation, find_measure
from reportgen.render.number_format import (
    format_measure_value,
    format_value_interval,
    join_limits,
)
from reportgen.render.svg.elements import (
    SvgStyle,
    format_coordinate,
    svg_element,
    svg_line,
    svg_marker,
)
from reportgen.report.formatting import averaged_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.jobs.publishing.index import (
        GatedValue,
        MainMeasure,
        MainMeasureValue,
        PublishedReport,
        PublishedRun,
    )
    from reportgen.measures import Measure
    from reportgen.report.charts import Point

SPARKLINE_WIDTH, SPARKLINE_HEIGHT, SPARKLINE_MARGIN = 150.0, 40.0, 5.0
MAX_OTHER_LINES = 6
MIN_TREND_RUNS = 2


@dataclass(frozen=True, slots=True)
class RunTrend:
    """The values of classifiers by run, the latest last; None if there is no finite value.

    `leader` is the classifier that the trend is about. With a gate, `limit` is its limit, and
    `misses` are the runs in which the value, or its confidence limit, did not meet it.
    """

    measure: Measure
    title: str
    leader: str
    series: dict[str, tuple[float | None, ...]]
    n_runs: int
    limit: float | None = None
    misses: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class HeadlineValue:
    """The value that stands for a report as text: of the gated, or else the best classifier."""

    measure: str
    value: str
    interval: str
    classifier: str
    note: str
    tone: str = ""
    """The tone of a gate that is not met."""


def build_trend(
    main: MainMeasure, history: RunHistory, published: Sequence[PublishedRun]
) -> RunTrend | None:
    """Return the trend from the history, or else from the published runs, the latest last."""
    measure = find_measure(main.measure)
    if measure is None or not main.values:
        return None
    names = [value.classifier for value in main.values]
    if history.runs:
        rows = [
            {name: run.values.get((name, None, main.average, main.measure)) for name in names}
            for run in history.runs
        ]
    else:
        key = (main.measure, main.average)
        rows = [
            {value.classifier: _to_measure_value(value) for value in run.main.values}
            if run.main and (run.main.measure, run.main.average) == key
            else {}
            for run in published
        ]
    series = {name: tuple(_finite_number(row.get(name)) for row in rows) for name in names}
    leader = _best_value(main, measure).classifier
    return RunTrend(measure, averaged_title(measure, main.average), leader, series, len(rows))


def build_gated_trend(
    gated: GatedValue, history: RunHistory, published: Sequence[PublishedRun]
) -> RunTrend | None:
    """Return the trend of a gated value with its limit, the latest run last."""
    measure = find_measure(gated.measure)
    if measure is None:
        return None
    if history.runs:
        values = [run.values.get(gated.value_key) for run in history.runs]
    else:
        values = [
            next(
                (_to_measure_value(row) for row in run.gated if row.value_key == gated.value_key),
                None,
            )
            for run in published
        ]
    return RunTrend(
        measure,
        _gated_title(gated, measure),
        gated.classifier,
        {gated.classifier: tuple(map(_finite_number, values))},
        len(values),
        gated.limit,
        frozenset(index for index, value in enumerate(values) if _misses_limit(gated, value)),
    )


def _misses_limit(gated: GatedValue, value: MeasureValue | None) -> bool:
    """Return whether what the gate compares, a value or a confidence limit, misses its limit."""
    if gated.limit is None or value is None:
        return False
    ends = {"low": value.low, "high": value.high}
    end = ends.get(gated.bound or "value")
    number = value.number if end is None else end
    if number is None:
        return False
    return number < gated.limit if gated.kind == "at_least" else number > gated.limit


def render_report_sparkline(report: PublishedReport, history: RunHistory) -> Markup:
    """Return the sparkline of the gated or the main measure; empty if there is no trend."""
    newest = report.latest_run
    if newest is None:
        return Markup()
    published = tuple(reversed(report.runs))
    gated = _headline_gate(newest)
    if gated is not None:
        trend = build_gated_trend(gated, history, published)
    else:
        trend = build_trend(newest.main, history, published) if newest.main else None
    return render_sparkline(trend) if trend else Markup()


def build_headline(run: PublishedRun) -> HeadlineValue | None:
    """Return the value of the most severe gate, without gates that of the best classifier."""
    gated = _headline_gate(run)
    if gated is not None:
        return _gated_headline(gated)
    main = run.main
    measure = find_measure(main.measure) if main else None
    if main is None or measure is None or not main.values:
        return None
    leader = _best_value(main, measure)
    value = _to_measure_value(leader)
    has_rank = len(main.values) > 1 and value.number is not None
    return HeadlineValue(
        measure=averaged_title(measure, main.average),
        value=format_measure_value(value, measure),
        interval=_interval_text(value, measure),
        classifier=leader.classifier,
        note=f"best of {len(main.values)}" if has_rank else "",
    )


def _headline_gate(run: PublishedRun) -> GatedValue | None:
    """Return the first gate that has a value; gates are sorted by severity."""
    return next((row for row in run.gated if _to_measure_value(row).number is not None), None)


def _gated_headline(gated: GatedValue) -> HeadlineValue | None:
    measure = find_measure(gated.measure)
    if measure is None:
        return None
    value = _to_measure_value(gated)
    tones = {GateVerdict.FAILED: "bad", GateVerdict.WARNING: "mixed"}
    return HeadlineValue(
        measure=_gated_title(gated, measure),
        value=format_measure_value(value, measure),
        interval=_interval_text(value, measure),
        classifier=gated.classifier,
        note=_criterion_text(gated, measure),
        tone=tones.get(gated.verdict, ""),
    )


def _criterion_text(gated: GatedValue, measure: Measure) -> str:
    """Return the criterion of a gate, such as "required: lower confidence limit ≥ 0.800"."""
    if gated.limit is None:
        return {
            "not_worse_than": f"must not be worse than {gated.against}",
            "not_worse_than_last": "must not be worse than in an earlier run",
        }.get(gated.kind, "gated")
    subject = {"low": "lower confidence limit ", "high": "upper confidence limit "}
    relation = "≥" if gated.kind == "at_least" else "≤"
    limit = _format_number(gated.limit, measure)
    return f"required: {subject.get(gated.bound or '', '')}{relation}\N{NO-BREAK SPACE}{limit}"


def _gated_title(gated: GatedValue, measure: Measure) -> str:
    title = averaged_title(measure, gated.average)
    return f"{title} of {gated.class_}" if gated.class_ is not None else title


def _interval_text(value: MeasureValue, measure: Measure) -> str:
    return join_limits(format_value_interval(value, measure)) if value.method else ""


def _format_number(number: float, measure: Measure) -> str:
    return format_measure_value(MeasureValue(number, ValueState.DEFINED), measure)


def render_sparkline(trend: RunTrend) -> Markup:
    """Return a trend as an SVG sparkline; empty if fewer than two runs have a value."""
    leader = trend.leader
    numbers = [number for number in trend.series[leader] if number is not None]
    if len(numbers) < MIN_TREND_RUNS:
        return Markup()
    names = list(trend.series)
    others = [name for name in names if name != leader][:MAX_OTHER_LINES]
    points = {name: _line_points(trend, [leader, *others], name) for name in [leader, *others]}
    style = SvgStyle()
    muted = {**style.attributes("not-significant"), "stroke-width": "1", "stroke-opacity": "0.45"}
    parts = [_svg_path(points[name], muted) for name in others]
    if trend.limit is not None:
        height = _height_of(trend.limit, *_value_range(trend, [leader]))
        ends = (0.0, height), (SPARKLINE_WIDTH, height)
        parts.append(svg_line(*ends, style.attributes("limit")))
    colour_index = names.index(leader)
    parts.append(_svg_path(points[leader], style.solid_line(colour_index)))
    miss_points = (points[leader][index] for index in sorted(trend.misses))
    parts += [
        svg_marker(point, 0, style.attributes("failing"), 3.4) for point in miss_points if point
    ]
    end = next(point for point in reversed(points[leader]) if point is not None)
    parts.append(svg_marker(end, 0, style.area(colour_index), 2.8))
    texts = [_format_number(number, trend.measure) for number in numbers]
    lowest, highest = texts[numbers.index(min(numbers))], texts[numbers.index(max(numbers))]
    label = (
        f"{trend.title} of {leader} over {len(numbers)} runs: first {texts[0]},"
        f" last {texts[-1]}, between {lowest} and {highest}"
    )
    if trend.limit is not None:
        limit = _format_number(trend.limit, trend.measure)
        label += f"; limit {limit}, not met in {len(trend.misses)} of {trend.n_runs} runs"
    box = f"0 0 {format_coordinate(SPARKLINE_WIDTH)} {format_coordinate(SPARKLINE_HEIGHT)}"
    return svg_element(
        "svg", {"class": "sparkline", "viewBox": box, "role": "img", "aria-label": label}, *parts
    )


def _best_value(main: MainMeasure, measure: Measure) -> MainMeasureValue:
    """Return the best value; the first of equal ones."""
    defined = [value for value in main.values if _to_measure_value(value).number is not None]
    if not defined:
        return main.values[0]
    best = min if measure.orientation is Orientation.LOWER else max
    return best(defined, key=lambda value: _to_measure_value(value).number or 0.0)


def _to_measure_value(value: MainMeasureValue) -> MeasureValue:
    return MeasureValue(
        value.value, ValueState(value.state), value.reason, value.low, value.high, value.method
    )


def _finite_number(value: MeasureValue | None) -> float | None:
    number = value.number if value else None
    return number if number is not None and math.isfinite(number) else None


def _line_points(trend: RunTrend, line_names: Sequence[str], name: str) -> list[Point | None]:
    """Return the coordinates of a line: x by run, y by value."""
    low, high = _value_range(trend, line_names)
    step = (SPARKLINE_WIDTH - 2 * SPARKLINE_MARGIN) / max(1, trend.n_runs - 1)
    return [
        None if number is None else (SPARKLINE_MARGIN + index * step, _height_of(number, low, high))
        for index, number in enumerate(trend.series[name])
    ]


def _value_range(trend: RunTrend, line_names: Sequence[str]) -> tuple[float, float]:
    """Return the lowest and the highest number that is drawn, with the limit."""
    numbers = [number for line in line_names for number in trend.series[line] if number is not None]
    numbers += [] if trend.limit is None else [trend.limit]
    return min(numbers), max(numbers)


_PLOT_HEIGHT = SPARKLINE_HEIGHT - 2 * SPARKLINE_MARGIN


def _height_of(number: float, low: float, high: float) -> float:
    position = 0.5 if low == high else (number - low) / (high - low)
    return SPARKLINE_HEIGHT - SPARKLINE_MARGIN - position * _PLOT_HEIGHT


def _svg_path(points: Sequence[Point | None], attributes: dict[str, str]) -> Markup:
    return svg_element("path", {"d": " ".join(_path_commands(points)), **attributes})


def _path_commands(points: Sequence[Point | None]) -> Iterator[str]:
    """Yield the commands of an SVG path, with a new subpath after every gap."""
    pen = "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        yield f"{pen}{format_coordinate(point[0])} {format_coordinate(point[1])}"
        pen = "L"
