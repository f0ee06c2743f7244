"""The pages of a site, rendered from templates; all links are relative."""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from markupsafe import Markup

from reportgen.evaluation.previous_runs import EMPTY_HISTORY
from reportgen.formats import FORMATS, HTML_FILE
from reportgen.jobs.publishing.badge import render_badge
from reportgen.jobs.publishing.reports import redact_paths
from reportgen.jobs.publishing.trends import build_headline, render_report_sparkline
from reportgen.jobs.publishing.upload import PublishStage, generated_file
from reportgen.measures import find_measure
from reportgen.render.html import content_security_policy
from reportgen.render.resources import read_resources
from reportgen.render.templates import default_environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.jobs.publishing.index import (
        PublishedReport,
        PublishedRun,
        ReportStatus,
    )
    from reportgen.jobs.publishing.trends import HeadlineValue
    from reportgen.jobs.publishing.upload import SiteFile
    from reportgen.jobs.schedule_state import ScheduleEntry, ScheduleFile


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
