"""The pages of a site, rendered from templates; all links are relative."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from markupsafe import Markup

from reportgen.evaluation.previous_runs import EMPTY_HISTORY
from reportgen.evaluation.values import MeasureValue, ValueState
from reportgen.formats import FORMATS, HTML_FILE
from reportgen.jobs.publishing.reports import redact_paths
from reportgen.jobs.publishing.upload import PublishStage, generated_file
from reportgen.measures import Orientation, find_measure
from reportgen.render.html import content_security_policy
from reportgen.render.number_format import format_measure_value, format_value_interval
from reportgen.render.resources import read_resources
from reportgen.render.svg.elements import SvgStyle, format_coordinate, svg_element, svg_marker
from reportgen.render.templates import default_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.jobs.publishing.index import (
        MainMeasure,
        MainMeasureValue,
        PublishedReport,
        PublishedRun,
        ReportState,
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
    """The values of classifiers by run, the latest last; None if there is no finite value."""

    measure: Measure
    series: dict[str, tuple[float | None, ...]]
    n_runs: int


@dataclass(frozen=True, slots=True)
class Status:
    """The main measure as text: the leading classifier and its value."""

    measure: str
    value: str
    interval: str
    leader: str
    rank_text: str


def build_trend(
    main: MainMeasure, history: RunHistory, published: Sequence[MainMeasure | None]
) -> RunTrend | None:
    """Return the trend from the history, or else from the published runs, the latest last."""
    measure = find_measure(main.measure)
    if measure is None:
        return None
    names = [value.classifier for value in main.values]
    if history.runs:
        rows = [
            {name: run.values.get((name, None, None, main.measure)) for name in names}
            for run in history.runs
        ]
    else:
        rows = [
            {value.classifier: _to_measure_value(value) for value in main_measure.values}
            if main_measure and main_measure.measure == main.measure
            else {}
            for main_measure in published
        ]
    series = {name: tuple(_finite_number(row.get(name)) for row in rows) for name in names}
    return RunTrend(measure, series, len(rows))


def render_report_sparkline(report: PublishedReport, history: RunHistory) -> Markup:
    """Return the sparkline of the main measure of a report; empty if there is no trend."""
    newest = report.latest_run
    main = newest.main if newest else None
    trend = (
        build_trend(main, history, [run.main for run in reversed(report.runs)]) if main else None
    )
    if main is None or trend is None or not main.values:
        return Markup()
    return render_sparkline(trend, _best_value(main, trend.measure).classifier)


def build_status(main: MainMeasure | None) -> Status | None:
    """Return the leading classifier in the main measure; None if there is none."""
    measure = find_measure(main.measure) if main else None
    if main is None or measure is None or not main.values:
        return None
    leader = _best_value(main, measure)
    value = _to_measure_value(leader)
    rank_text = ""
    if len(main.values) > 1 and value.number is not None:
        rank_text = f"best of {len(main.values)}"
    ends = format_value_interval(value, measure) if value.method else ()
    return Status(
        measure=measure.title,
        value=format_measure_value(value, measure),
        interval=" to ".join(ends),
        leader=leader.classifier,
        rank_text=rank_text,
    )


def render_sparkline(trend: RunTrend, leader: str) -> Markup:
    """Return a trend as an SVG sparkline; empty if fewer than two runs have a value."""
    numbers = [number for number in trend.series[leader] if number is not None]
    if len(numbers) < MIN_TREND_RUNS:
        return Markup()
    names = list(trend.series)
    others = [name for name in names if name != leader][:MAX_OTHER_LINES]
    points = {name: _line_points(trend, [leader, *others], name) for name in [leader, *others]}
    style = SvgStyle()
    muted = {**style.attributes("not-significant"), "stroke-width": "1", "stroke-opacity": "0.45"}
    parts = [_svg_path(points[name], muted) for name in others]
    colour_index = names.index(leader)
    parts.append(_svg_path(points[leader], style.solid_line(colour_index)))
    end = next(point for point in reversed(points[leader]) if point is not None)
    parts.append(svg_marker(end, 0, style.area(colour_index), 2.8))
    texts = [
        format_measure_value(MeasureValue(number, ValueState.DEFINED), trend.measure)
        for number in numbers
    ]
    lowest, highest = texts[numbers.index(min(numbers))], texts[numbers.index(max(numbers))]
    label = (
        f"{trend.measure.title} of {leader} over {len(numbers)} runs: first {texts[0]},"
        f" last {texts[-1]}, between {lowest} and {highest}"
    )
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
    numbers = [number for line in line_names for number in trend.series[line] if number is not None]
    low, high = min(numbers), max(numbers)
    step = (SPARKLINE_WIDTH - 2 * SPARKLINE_MARGIN) / max(1, trend.n_runs - 1)
    return [
        None
        if number is None
        else (
            SPARKLINE_MARGIN + index * step,
            SPARKLINE_HEIGHT
            - SPARKLINE_MARGIN
            - _relative_position(number, low, high) * _PLOT_HEIGHT,
        )
        for index, number in enumerate(trend.series[name])
    ]


_PLOT_HEIGHT = SPARKLINE_HEIGHT - 2 * SPARKLINE_MARGIN


def _relative_position(number: float, low: float, high: float) -> float:
    return 0.5 if low == high else (number - low) / (high - low)


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
class Badge:
    """The display of a state: label, symbol and colour."""

    label: str
    symbol: str
    tone: str
    count_label: str = ""
    """The label after a number of reports, if it differs from the label of the state."""


STATE_BADGES: dict[ReportState, Badge] = {
    "ok": Badge("ok", "✓", "good"),
    "gate failed": Badge("gate failed", "✗", "bad", "with a failed gate"),
    "failed": Badge("failed", "!", "bad"),
    "never built": Badge("never built", "–", "neutral"),
    "removed": Badge("archived", "–", "neutral"),
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
    badge: Badge
    gates: str
    sentences: tuple[str, ...]
    links: tuple[SiteLink, ...]
    search_text: str
    status: Status | None
    sparkline: Markup
    schedule_entry: ScheduleEntry | None

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
    badge: Badge
    gates: str
    status: Status | None
    links: tuple[SiteLink, ...]
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
    state_counts: tuple[tuple[int, Badge], ...] = field(default=())


def build_report_view(
    report: PublishedReport, history: RunHistory, schedule_entry: ScheduleEntry | None
) -> ReportView:
    """Return the template context of a report."""
    newest = report.latest_run
    status = build_status(newest.main if newest else None)
    return ReportView(
        report=report,
        badge=STATE_BADGES[report.state],
        # A failed run has no evaluated gates; those of the page belong to an earlier run.
        gates=newest.gates.summary if newest and report.state != "failed" else "",
        sentences=tuple(_report_sentences(report, newest)),
        links=tuple(_latest_links(report, newest)),
        search_text=_fold_accents(" ".join(_search_terms(report, status))),
        status=status,
        sparkline=render_report_sparkline(report, history),
        schedule_entry=schedule_entry,
    )


def build_report_views(
    reports: Iterable[PublishedReport],
    histories: Mapping[str, RunHistory],
    schedule: ScheduleFile | None,
) -> tuple[ReportView, ...]:
    """Return the template contexts of all reports."""
    return tuple(
        build_report_view(
            report,
            histories.get(report.name, EMPTY_HISTORY),
            schedule.find_entry(report.name) if schedule else None,
        )
        for report in reports
    )


def build_run_views(report: PublishedReport) -> tuple[RunView, ...]:
    """Return the template contexts of the published runs of a report, the latest first."""
    return tuple(
        RunView(
            run=run,
            badge=STATE_BADGES[run.state],
            gates=run.gates.summary,
            status=build_status(run.main),
            links=tuple(
                SiteLink(FILE_LABELS.get(name, name), f"{run.address}/{name}")
                for name in sorted(run.files, key=_file_order)
            ),
            is_latest=run.id == report.run,
        )
        for run in report.runs
    )


def count_states(reports: Sequence[PublishedReport]) -> tuple[tuple[int, Badge], ...]:
    """Return the number of reports per state, in display order."""
    states = dict.fromkeys(report.state for report in reports)
    return tuple(
        (sum(report.state == state for report in reports), STATE_BADGES[state]) for state in states
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


def _report_sentences(report: PublishedReport, latest_run: PublishedRun | None) -> Iterator[str]:
    """Yield the summary sentences of a report: errors and failed gates, then findings."""
    if report.state == "failed":
        yield _first_reason(report.errors) or "The last run failed."
        return
    if latest_run is None:
        return
    if latest_run.gates.failed:
        yield _first_reason(latest_run.gates.failed)
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


def _search_terms(report: PublishedReport, status: Status | None) -> Iterator[str]:
    """Yield the search terms of a report."""
    yield from (report.title, report.name, STATE_BADGES[report.state].label, *report.classifiers)
    for name in report.measures:
        measure = find_measure(name)
        yield from (name, measure.title) if measure else (name,)
    if status:
        yield status.measure


FRONT_PAGE, STATUS_PAGE, NOT_FOUND_PAGE = "index.html", "status.html", "404.html"
FEED_FILE, SITEMAP_FILE = "feed.xml", "sitemap.xml"
MAX_FEED_ENTRIES = 50


def render_site_files(site: SiteView) -> Iterator[SiteFile]:
    """Yield all generated files of the site: pages, feed and sitemap."""
    for view in site.views:
        report = view.report
        if report.archive:
            content = _render_page(site, "archive", "../", view=view, runs=build_run_views(report))
            yield generated_file(report.archive, content, PublishStage.PAGE)
        newest = report.latest_run
        if newest and "report.html" not in newest.files:
            yield generated_file(
                report.latest[0], _render_files_page(site, view), PublishStage.LATEST
            )
    yield generated_file(STATUS_PAGE, _render_page(site, "status", ""), PublishStage.PAGE)
    yield generated_file(NOT_FOUND_PAGE, _render_page(site, "missing", None), PublishStage.PAGE)
    if site.has_feed:
        yield generated_file(FEED_FILE, _render_feed(site), PublishStage.PAGE)
    if site.base_url:
        yield generated_file(SITEMAP_FILE, _render_sitemap(site), PublishStage.PAGE)
    yield generated_file(FRONT_PAGE, _render_page(site, "front", ""), PublishStage.FRONT)


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
