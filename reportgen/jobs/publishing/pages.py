"""The pages and badges of a site, rendered from templates; all links are relative."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from markupsafe import Markup

from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.evaluation.previous_runs import EMPTY_HISTORY
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.formats import FORMATS, HTML_FILE
from reportgen.jobs.publishing.reports import redact_paths
from reportgen.jobs.publishing.upload import PublishStage, generated_file
from reportgen.measures import Orientation, find_measure
from reportgen.render.html import content_security_policy
from reportgen.render.number_format import (
    format_measure_value,
    format_value_interval,
    join_limits,
)
from reportgen.render.plain_text import escape_invisible
from reportgen.render.resources import read_resources
from reportgen.render.svg.elements import (
    SvgStyle,
    format_coordinate,
    svg_element,
    svg_line,
    svg_marker,
    svg_rect,
    svg_text,
)
from reportgen.render.svg.labels import text_width, truncate_label
from reportgen.render.templates import default_environment
from reportgen.report.formatting import averaged_title

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.jobs.publishing.index import (
        GatedValue,
        MainMeasure,
        MainMeasureValue,
        PublishedReport,
        PublishedRun,
        ReportStatus,
    )
    from reportgen.jobs.publishing.upload import SiteFile
    from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleFile
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


@dataclass(frozen=True, slots=True)
class StatusStyle:
    """The display of a status: its words, symbol and colour."""

    label: str
    symbol: str
    tone: str

    @property
    def slug(self) -> str:
        """The status in the address of a filtered list, such as `pass-with-warning`."""
        return self.label.lower().replace(" ", "-")


_STATUS_LOOKS: dict[ReportStatus, tuple[str, str]] = {
    "ERROR": ("!", "bad"),
    "FAIL": ("✗", "bad"),
    "stale": ("◔", "mixed"),
    "never built": ("–", "neutral"),
    "PASS with warning": ("▲", "mixed"),
    "no gates": ("○", "neutral"),
    "PASS": ("✓", "good"),
    "archived": ("–", "neutral"),
}
STATUS_STYLES: dict[ReportStatus, StatusStyle] = {
    status: StatusStyle(status, *look) for status, look in _STATUS_LOOKS.items()
}
FILE_LABELS = {
    **{format_.files: format_.label for format_ in FORMATS.values()},
    "index.html": "HTML",
    "manifest.json": "manifest",
}


@dataclass(frozen=True, slots=True)
class SiteLink:
    """A link, relative to the site."""

    label: str
    path: str


@dataclass(frozen=True, slots=True)
class ReportView:
    """The template context of a report."""

    report: PublishedReport
    style: StatusStyle
    unique_title: str
    """The title, with the name of the report if another one has the same title."""
    gates: str
    sentences: tuple[str, ...]
    links: tuple[SiteLink, ...]
    search_text: str
    headline: HeadlineValue | None
    sparkline: Markup
    schedule_entry: ScheduleEntry | None

    @property
    def alarms(self) -> tuple[str, ...]:
        """The alarms of the monitoring in the latest run."""
        newest = self.report.latest_run
        return newest.alarms if newest else ()

    @property
    def filter_values(self) -> str:
        """Owners and tags as JSON, for the filters of the list."""
        about = self.report.about
        return json.dumps({"owner": about.owners, "tag": about.tags}, ensure_ascii=False)

    @property
    def stale_reason(self) -> str:
        """Why the report is stale; empty if it is not."""
        return STALE_REASON if self.report.status == "stale" else ""

    @property
    def suspension_reason(self) -> str:
        """The reason why the spec is suspended, without private paths; empty if it is not."""
        entry = self.schedule_entry
        return redact_paths(entry.reason, entry.spec) if entry and entry.reason else ""

    @property
    def page_path(self) -> str:
        """The path of the latest report, else of the archive; empty if there is neither."""
        if self.report.latest:
            return self.report.latest[0]
        return self.report.archive or ""


@dataclass(frozen=True, slots=True)
class RunView:
    """The template context of a published run in the archive."""

    run: PublishedRun
    style: StatusStyle
    gates: str
    headline: HeadlineValue | None
    links: tuple[SiteLink, ...]
    other_links: tuple[SiteLink, ...]
    """Links to files in folders: tables and figures."""
    is_latest: bool


@dataclass(frozen=True, slots=True)
class SiteView:
    """The template context of all pages."""

    title: str
    base_url: str | None
    views: tuple[ReportView, ...]
    schedule: ScheduleFile | None = None
    updated: datetime | None = None
    has_feed: bool = False
    status_counts: tuple[tuple[int, StatusStyle], ...] = field(default=())

    @property
    def alarm_count(self) -> int:
        """The number of reports with an alarm of the monitoring."""
        return sum(bool(view.alarms) for view in self.views)

    @property
    def owners(self) -> tuple[str, ...]:
        """The owners of all reports, sorted."""
        return _sorted_names(view.report.about.owners for view in self.views)

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags of all reports, sorted."""
        return _sorted_names(view.report.about.tags for view in self.views)


def _sorted_names(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(sorted({name for group in groups for name in group}, key=str.casefold))


def build_report_view(
    report: PublishedReport,
    history: RunHistory,
    schedule_entry: ScheduleEntry | None,
    *,
    has_unique_title: bool,
) -> ReportView:
    """Return the template context of a report."""
    newest = report.latest_run
    headline = build_headline(newest) if newest else None
    return ReportView(
        report=report,
        style=STATUS_STYLES[report.status],
        unique_title=report.title if has_unique_title else f"{report.title} ({report.name})",
        # A failed run has no evaluated gates; those of the page belong to an earlier run.
        gates=newest.gates.summary if newest and report.status != "ERROR" else "",
        sentences=tuple(_report_sentences(report, newest)),
        links=tuple(_latest_links(report, newest)),
        search_text=_fold_accents(" ".join(_search_terms(report, headline))),
        headline=headline,
        sparkline=render_report_sparkline(report, history),
        schedule_entry=schedule_entry,
    )


def build_report_views(
    reports: Iterable[PublishedReport],
    histories: Mapping[str, RunHistory],
    schedule: ScheduleFile | None,
) -> tuple[ReportView, ...]:
    """Return the template contexts of all reports."""
    all_reports = tuple(reports)
    titles = Counter(report.title for report in all_reports)
    return tuple(
        build_report_view(
            report,
            histories.get(report.name, EMPTY_HISTORY),
            schedule.find_entry(report.name) if schedule else None,
            has_unique_title=titles[report.title] == 1,
        )
        for report in all_reports
    )


def build_run_views(report: PublishedReport) -> tuple[RunView, ...]:
    """Return the template contexts of the published runs of a report, the latest first."""
    return tuple(
        RunView(
            run=run,
            style=STATUS_STYLES[run.status],
            gates=run.gates.summary,
            headline=build_headline(run),
            links=_file_links(run, (name for name in run.files if "/" not in name)),
            other_links=_file_links(run, (name for name in run.files if "/" in name)),
            is_latest=run.id == report.run,
        )
        for run in report.runs
    )


def _file_links(run: PublishedRun, names: Iterable[str]) -> tuple[SiteLink, ...]:
    return tuple(
        SiteLink(FILE_LABELS.get(name, name), f"{run.address}/{name}")
        for name in sorted(names, key=_file_order)
    )


def count_statuses(reports: Sequence[PublishedReport]) -> tuple[tuple[int, StatusStyle], ...]:
    """Return the number of reports per status, the most severe first."""
    counts = Counter(report.status for report in reports)
    return tuple(
        (counts[status], style) for status, style in STATUS_STYLES.items() if counts[status]
    )


def format_site_time(time: datetime) -> str:
    """Return a time as text that sorts by time."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def format_rfc3339(time: datetime) -> str:
    """Return a time in the format of RFC 3339."""
    return f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _latest_links(report: PublishedReport, latest_run: PublishedRun | None) -> Iterator[SiteLink]:
    """Yield links to the files of the latest run; a placeholder page is not linked as a report."""
    for path in report.latest:
        name = path.rpartition("/")[2]
        is_placeholder = name == "index.html" and latest_run and HTML_FILE not in latest_run.files
        yield SiteLink("Files" if is_placeholder else FILE_LABELS[name], path)


def _file_order(name: str) -> tuple[int, str]:
    names = list(FILE_LABELS)
    return (names.index(name) if name in names else len(names), name)


STALE_REASON = "No new run, although one was due."


def _report_sentences(report: PublishedReport, latest_run: PublishedRun | None) -> Iterator[str]:
    """Yield the summary sentences of a report: errors and failed gates, then findings."""
    if report.status == "ERROR":
        yield _first_reason(report.errors) or "The last run failed."
        return
    if latest_run is None:
        return
    if report.status == "stale":
        yield STALE_REASON
    if latest_run.gates.failed:
        yield _first_reason(latest_run.gates.failed)
    elif latest_run.gates.warned:
        yield _first_reason(latest_run.gates.warned)
    yield from latest_run.findings[:1]


def _first_reason(reasons: Sequence[str]) -> str:
    """Return the first reason and the number of further ones; empty without reasons."""
    more = len(reasons) - 1
    return f"{reasons[0]}; and {more} more" if more > 0 else "".join(reasons)


def _fold_accents(text: str) -> str:
    """Return text without accents and in lower case, as the search compares it."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(
        character for character in parts if not unicodedata.combining(character)
    ).casefold()


def _search_terms(report: PublishedReport, headline: HeadlineValue | None) -> Iterator[str]:
    """Yield the search terms of a report."""
    yield from (report.title, report.name, report.status, *report.classifiers)
    about = report.about
    yield from (*about.owners, *about.tags)
    yield from filter(None, (about.description, about.version, about.data, about.date))
    if report.latest_run and report.latest_run.alarms:
        yield "alarm"
    for name in report.measures:
        measure = find_measure(name)
        yield from (name, measure.title) if measure else (name,)
    if headline:
        yield headline.measure


FRONT_PAGE, STATUS_PAGE, NOT_FOUND_PAGE = "index.html", "status.html", "404.html"
FEED_FILE, SITEMAP_FILE, SITE_BADGE_FILE = "feed.xml", "sitemap.xml", "badge.svg"
MAX_FEED_ENTRIES = 50


def render_site_files(site: SiteView) -> Iterator[SiteFile]:
    """Yield all generated files of the site: pages, feed and sitemap."""
    for view in site.views:
        report = view.report
        style = view.style
        badge = render_badge(report.title, style.label, style.tone)
        yield generated_file(report.badge, badge, PublishStage.PAGE)
        if report.archive:
            content = _render_page(site, "archive", "../", view=view, runs=build_run_views(report))
            yield generated_file(report.archive, content, PublishStage.PAGE)
            if report.status == "archived":
                # Links to the latest run lead to the list of all runs.
                path = f"{report.address}/{FRONT_PAGE}"
                yield generated_file(path, content, PublishStage.PAGE)
        newest = report.latest_run
        if newest and "report.html" not in newest.files:
            yield generated_file(
                report.latest[0], _render_files_page(site, view), PublishStage.LATEST
            )
    yield generated_file(SITE_BADGE_FILE, _render_site_badge(site), PublishStage.PAGE)
    yield generated_file(STATUS_PAGE, _render_page(site, "status", ""), PublishStage.PAGE)
    yield generated_file(NOT_FOUND_PAGE, _render_page(site, "missing", None), PublishStage.PAGE)
    if site.has_feed:
        yield generated_file(FEED_FILE, _render_feed(site), PublishStage.PAGE)
    if site.base_url:
        yield generated_file(SITEMAP_FILE, _render_sitemap(site), PublishStage.PAGE)
    yield generated_file(FRONT_PAGE, _render_page(site, "front", ""), PublishStage.FRONT)


def _render_site_badge(site: SiteView) -> bytes:
    """Return the badge of all reports: the number of reports by status, the most severe first."""
    counts = [(count, style) for count, style in site.status_counts if style.label != "archived"]
    message = ", ".join(f"{count} {style.label}" for count, style in counts) or "no reports"
    return render_badge(site.title, message, counts[0][1].tone if counts else "neutral")


BADGE_HEIGHT, BADGE_FONT_SIZE, BADGE_PADDING, MAX_LABEL_WIDTH = 20.0, 11.0, 7.0, 24.0
LABEL_COLOUR, TEXT_COLOUR = "#44515c", "#ffffff"
_BADGE_BASELINE = BADGE_HEIGHT / 2 + BADGE_FONT_SIZE * 0.36
# Behind white text with a contrast of at least 4.5; a badge has no stylesheet and no dark mode.
TONE_COLOURS = {"good": "#0a5a94", "mixed": "#7a5a00", "bad": "#a8480a", "neutral": "#586672"}


def render_badge(label: str, message: str, tone: str) -> bytes:
    """Return a badge: a label (what), and a message (its status) on the colour of its tone."""
    label = truncate_label(escape_invisible(label), MAX_LABEL_WIDTH)
    widths = [_badge_field_width(label), _badge_field_width(message)]
    total = format_coordinate(sum(widths))
    height = format_coordinate(BADGE_HEIGHT)
    starts = (0.0, widths[0])
    colours = (LABEL_COLOUR, TONE_COLOURS[tone])
    fields = [
        svg_rect((start, 0.0), (width, BADGE_HEIGHT), {"fill": colour})
        for start, width, colour in zip(starts, widths, colours, strict=True)
    ]
    texts = [
        svg_text((start + width / 2, _BADGE_BASELINE), text, {}, "middle")
        for start, width, text in zip(starts, widths, (label, message), strict=True)
    ]
    clip = svg_element("rect", {"width": total, "height": height, "rx": "3"})
    text_style = {
        "fill": TEXT_COLOUR,
        "font-family": "Verdana, DejaVu Sans, Inter, sans-serif",
        "font-size": format_coordinate(BADGE_FONT_SIZE),
    }
    name = f"{label}: {message}"
    image = svg_element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": total,
            "height": height,
            "viewBox": f"0 0 {total} {height}",
            "role": "img",
            "aria-label": name,
        },
        svg_element("title", {}, name),
        svg_element("clipPath", {"id": "shape"}, clip),
        svg_element("g", {"clip-path": "url(#shape)"}, *fields),
        svg_element("g", text_style, *texts),
    )
    return f"{image}\n".encode()


def _badge_field_width(text: str) -> float:
    """Return the width of a field; badges are drawn in wider fonts than the report."""
    return round(text_width(text) * BADGE_FONT_SIZE * 1.12 + 2 * BADGE_PADDING)


# The comment in the page of a report that is replaced by links to the site.
SITE_LINKS_MARKER = b"<!--site-links-->"
_TITLE_ELEMENT = re.compile(rb"<title>(.*?)</title>", re.DOTALL)


def add_site_links(page: bytes, links: Sequence[SiteLink], name: str, suffix: str) -> bytes:
    """Return the page of a report with links to the site and a title of its own.

    Args:
        page: The page as it was built. Without the marker it is returned as it is.
        links: Links, relative to the page.
        name: The name of the page for screen readers and readers, such as "Latest run".
        suffix: Text after the title of the page.
    """
    if SITE_LINKS_MARKER not in page:
        return page
    anchors = Markup("\n").join(
        Markup('<a href="{}">{}</a>').format(link.path, link.label) for link in links
    )
    navigation = Markup('<nav class="files" aria-label="Site"><span>{}</span>\n{}\n</nav>')
    page_with_title = _TITLE_ELEMENT.sub(
        lambda match: b"<title>" + match[1] + Markup(" – {}").format(suffix).encode() + b"</title>",
        page,
        count=1,
    )
    return page_with_title.replace(SITE_LINKS_MARKER, navigation.format(name, anchors).encode(), 1)


def add_latest_page_links(page: bytes, view: ReportView, site_title: str) -> bytes:
    """Return the page of the latest run with links to all reports and all runs."""
    links = (SiteLink("All reports", "../index.html"), SiteLink("All runs", "archive.html"))
    report = view.report
    duplicate = "" if view.unique_title == report.title else f"{report.name}, "
    return add_site_links(page, links, "Latest run", f"{duplicate}{site_title}")


def add_run_page_links(page: bytes, report: PublishedReport, run: PublishedRun) -> bytes:
    """Return the permanent page of a run with links to the latest run, which never change."""
    links = (
        SiteLink("Latest run", "../index.html"),
        SiteLink("All runs", "../archive.html"),
        SiteLink("All reports", "../../index.html"),
    )
    name = f"Run of {format_site_time(run.ended)}" if run.ended else f"Run {run.id}"
    return add_site_links(page, links, name, f"{report.name}, {name}")


def dated_runs(reports: tuple[PublishedReport, ...]) -> list[tuple[PublishedReport, PublishedRun]]:
    """Return the runs with a known end time, the latest first."""
    dated = [
        (run.ended, report.name, run.id, report, run)
        for report in reports
        for run in report.runs
        if run.ended
    ]
    ordered = sorted(dated, key=lambda row: row[:3], reverse=True)
    return [(report, run) for *_, report, run in ordered]


def feed_entry_id(report: PublishedReport, run: PublishedRun) -> str:
    """Return a feed entry id that does not depend on the address of the site."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'reportgen:{report.name}/{run.id}')}"


def _render_files_page(site: SiteView, view: ReportView) -> bytes:
    """Return the placeholder page of a report without an HTML page."""
    (newest,) = (run for run in build_run_views(view.report) if run.is_latest)
    return _render_page(site, "files", "../", view=view, latest=newest)


def _render_page(site: SiteView, name: str, root: str | None, **variables: object) -> bytes:
    """Render a template; `root` is the relative path to the front page, None if unknown."""
    style = read_resources("style.css", "screen.css", "site/site.css")
    script = _bundle_scripts("times", *(["search"] if name == "front" else []))
    template = default_environment().get_template(f"site/{name}.html.j2")
    root_path = (site.base_url or "") if root is None else root
    return template.render(
        site=site,
        root=root_path,
        has_way=root is not None or bool(site.base_url),
        style=Markup(style),  # noqa: S704  # the shipped stylesheets
        script=Markup(script),  # noqa: S704  # the shipped scripts
        policy=content_security_policy(style, script),
        **_TEMPLATE_FORMATTERS,
        **variables,
    ).encode()


def _bundle_scripts(*names: str) -> str:
    """Return scripts bundled into one function, without comments and indentation."""
    source = read_resources(*(f"site/{name}.js" for name in names))
    lines = (line.strip() for line in source.splitlines())
    body = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f'(() => {{\n"use strict";\n{body}\n}})();'


def _render_feed(site: SiteView) -> bytes:
    runs = dated_runs(tuple(view.report for view in site.views))[:MAX_FEED_ENTRIES]
    feed_id = f"urn:uuid:{uuid5(NAMESPACE_URL, f'reportgen:{site.base_url or site.title}')}"
    return _render_xml("feed", site, runs=runs, feed_id=feed_id, entry_id=feed_entry_id)


def _render_sitemap(site: SiteView) -> bytes:
    """Return the sitemap, without permanent pages, which duplicate the latest ones."""
    pages: list[tuple[str, datetime | None]] = [("", site.updated)]
    for view in site.views:
        report, newest = view.report, view.report.latest_run
        if newest:
            pages.append((f"{report.address}/", newest.ended))
        if report.archive:
            pages.append((report.archive, report.runs[0].ended if report.runs else None))
    return _render_xml("sitemap", site, pages=pages)


def _render_xml(name: str, site: SiteView, **variables: object) -> bytes:
    template = default_environment().get_template(f"site/{name}.xml.j2")
    return template.render(
        site=site, root=site.base_url or "", **_TEMPLATE_FORMATTERS, **variables
    ).encode()


_TEMPLATE_FORMATTERS = {
    "time_text": format_site_time,
    "machine_time": format_rfc3339,
    "quoted": quote,
}
