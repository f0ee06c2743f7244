"""What a site is to consist of: its files, its index, and what goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.jobs.publishing.index import INDEX, Index, index_json
from reportgen.jobs.publishing.pages import dated_runs, page_files
from reportgen.jobs.publishing.reports import LATEST, reports_of
from reportgen.jobs.publishing.uploading import SiteFile, Stage, made
from reportgen.jobs.publishing.views import Site, counted_states, views_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.jobs.publishing.built import Built
    from reportgen.jobs.publishing.index import PublishedReport
    from reportgen.jobs.publishing.reports import Found
    from reportgen.jobs.publishing.schedule_file import ScheduleFile


@frozen
class Plan:
    """What a target is to have."""

    index: Index
    files: tuple[SiteFile, ...]


def plan_site(
    found: Found,
    earlier: Index | None,
    schedule: ScheduleFile | None,
    title: str,
    base_url: str | None,
) -> Plan:
    """Return what the site is to consist of after this publication."""
    reports = reports_of(found, earlier)
    dated = dated_runs(reports)
    ended = [report.ended for report in reports if report.ended]
    pasts = {name: known.past for name, known in found.known.items()}
    site = Site(
        title=title,
        base_url=base_url,
        views=views_of(reports, pasts, schedule),
        schedule=schedule,
        updated=max(ended, default=None),
        has_feed=bool(dated),
        counted=counted_states(reports),
    )
    files = (*_report_files(found.built, reports), *page_files(site))
    kept = _kept(reports, earlier) | {file.path: file.sha256 for file in files}
    before = {**earlier.removed, **earlier.files} if earlier else {}
    removed = {path: digest for path, digest in before.items() if path not in kept}
    index = Index(
        title=title,
        base_url=base_url,
        updated=site.updated,
        reports=reports,
        files=dict(sorted(kept.items())),
        removed=dict(sorted(removed.items())),
    )
    return Plan(index, (*files, made(INDEX, index_json(index), Stage.INDEX)))


def _report_files(
    built: Sequence[Built], reports: tuple[PublishedReport, ...]
) -> Iterator[SiteFile]:
    """Yield the files of all reports: for good, and as the latest."""
    by_name = {report.name: report for report in reports}
    for each in built:
        report = by_name[each.name]
        run = report.newest
        for name, digest in sorted(each.files.items()):
            source = each.folder / name
            if run:
                yield SiteFile(f"{run.address}/{name}", digest, source, Stage.PERMANENT)
            if name in LATEST:
                path = f"{report.address}/{LATEST[name]}"
                yield SiteFile(path, digest, source, Stage.LATEST)


def _kept(reports: tuple[PublishedReport, ...], earlier: Index | None) -> dict[str, str]:
    """Return what was published earlier and stays: runs, and latest pages of reports that stay."""
    runs = {
        f"{run.address}/{name}" for report in reports for run in report.runs for name in run.files
    }
    latest = {path for report in reports for path in report.latest}
    files = earlier.files if earlier else {}
    return {path: digest for path, digest in files.items() if path in runs or path in latest}
