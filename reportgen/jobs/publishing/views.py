"""What the pages of a site say of a report."""

from __future__ import annotations

import unicodedata
from dataclasses import field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.past import NO_PAST
from reportgen.frozen import frozen
from reportgen.jobs.publishing.trends import drawing_of, standing_of
from reportgen.measures import find_measure
from reportgen.rendering.formats import PAGE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from markupsafe import Markup

    from reportgen.comparisons.over_time.past import Past
    from reportgen.jobs.publishing.index import (
        PublishedReport,
        PublishedRun,
        ReportState,
    )
    from reportgen.jobs.publishing.schedule_file import ScheduledSpec, ScheduleFile
    from reportgen.jobs.publishing.trends import Standing


@frozen
class Sign:
    """How a state is shown: in a word, a mark and a colour."""

    word: str
    mark: str
    tone: str
    counted: str = ""
    """What follows a number of reports, where the word does not fit."""


SIGNS: dict[ReportState, Sign] = {
    "ok": Sign("ok", "✓", "good"),
    "gate failed": Sign("gate failed", "✗", "bad", "with a failed gate"),
    "failed": Sign("failed", "!", "bad"),
    "never built": Sign("never built", "–", "neutral"),
    "removed": Sign("no longer built", "–", "neutral"),
}
LABELS = {
    "report.html": "HTML",
    "report.pdf": "PDF",
    "results.json": "JSON",
    "index.html": "HTML",
    "manifest.json": "manifest",
    "report.md": "Markdown",
    "report.tex": "LaTeX",
}


@frozen
class Link:
    """Where something is, relative to the site."""

    label: str
    path: str


@frozen
class ReportView:
    """A report as pages show it."""

    report: PublishedReport
    sign: Sign
    gates: str
    sentences: tuple[str, ...]
    links: tuple[Link, ...]
    words: str
    standing: Standing | None
    drawing: Markup
    planned: ScheduledSpec | None

    @property
    def page(self) -> str:
        """Where the latest report is, or else the archive; empty where there is neither."""
        if self.report.latest:
            return self.report.latest[0]
        return self.report.archive or ""


@frozen
class RunView:
    """A published run as the archive shows it."""

    run: PublishedRun
    sign: Sign
    gates: str
    standing: Standing | None
    links: tuple[Link, ...]
    is_latest: bool


@frozen
class Site:
    """Everything that pages tell."""

    title: str
    base_url: str | None
    views: tuple[ReportView, ...]
    schedule: ScheduleFile | None = None
    updated: datetime | None = None
    has_feed: bool = False
    counted: tuple[tuple[int, Sign], ...] = field(default=())


def view_of(report: PublishedReport, past: Past, planned: ScheduledSpec | None) -> ReportView:
    """Return a report as pages show it."""
    newest = report.newest
    standing = standing_of(newest.main if newest else None)
    return ReportView(
        report=report,
        sign=SIGNS[report.state],
        # Of a run that failed no gate was judged; those of the page are of an earlier one.
        gates=newest.gates.in_words if newest and report.state != "failed" else "",
        sentences=tuple(_sentences(report, newest)),
        links=tuple(_latest_links(report, newest)),
        words=_plain(" ".join(_words(report, standing))),
        standing=standing,
        drawing=drawing_of(report, past),
        planned=planned,
    )


def views_of(
    reports: Iterable[PublishedReport], pasts: Mapping[str, Past], schedule: ScheduleFile | None
) -> tuple[ReportView, ...]:
    """Return all reports as pages show them."""
    return tuple(
        view_of(
            report, pasts.get(report.name, NO_PAST), schedule.of(report.name) if schedule else None
        )
        for report in reports
    )


def run_views(report: PublishedReport) -> tuple[RunView, ...]:
    """Return the published runs of a report, the latest first."""
    return tuple(
        RunView(
            run=run,
            sign=SIGNS[run.state],
            gates=run.gates.in_words,
            standing=standing_of(run.main),
            links=tuple(
                Link(LABELS.get(name, name), f"{run.address}/{name}")
                for name in sorted(run.files, key=_by_use)
            ),
            is_latest=run.id == report.run,
        )
        for run in report.runs
    )


def counted_states(reports: Sequence[PublishedReport]) -> tuple[tuple[int, Sign], ...]:
    """Return how many reports are in each state, in the order in which they are listed."""
    found = dict.fromkeys(report.state for report in reports)
    return tuple(
        (sum(report.state == state for report in reports), SIGNS[state]) for state in found
    )


def time_text(when: datetime) -> str:
    """Write a time in words that sort."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def machine_time(when: datetime) -> str:
    """Write a time for programs (RFC 3339)."""
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _latest_links(report: PublishedReport, newest: PublishedRun | None) -> Iterator[Link]:
    """Yield where the latest run is; what stands in for a page that was not built is no report."""
    for path in report.latest:
        name = path.rpartition("/")[2]
        stands_in = name == "index.html" and newest and PAGE not in newest.files
        yield Link("Files" if stands_in else LABELS[name], path)


def _by_use(name: str) -> tuple[int, str]:
    known = list(LABELS)
    return (known.index(name) if name in known else len(known), name)


def _sentences(report: PublishedReport, newest: PublishedRun | None) -> Iterator[str]:
    """Yield the most important things to say of a report: what is wrong, and what was found."""
    if report.state == "failed":
        yield _first(report.faults) or "The last run did not come to a report."
        return
    if newest is None:
        return
    if newest.gates.failed:
        yield _first(newest.gates.failed)
    yield from newest.findings[:1]


def _first(reasons: Sequence[str]) -> str:
    """Return the first of several reasons, and how many more there are; nothing without any."""
    more = len(reasons) - 1
    return f"{reasons[0]}; and {more} more" if more > 0 else "".join(reasons)


def _plain(text: str) -> str:
    """Return letters without accents and capitals, as the search compares them."""
    parts = unicodedata.normalize("NFD", text)
    return "".join(sign for sign in parts if not unicodedata.combining(sign)).casefold()


def _words(report: PublishedReport, standing: Standing | None) -> Iterator[str]:
    """Yield what a report is found by."""
    yield from (report.title, report.name, SIGNS[report.state].word, *report.classifiers)
    for name in report.measures:
        measure = find_measure(name)
        yield from (name, measure.title) if measure else (name,)
    if standing:
        yield standing.measure
