"""The pages of a site, made from templates; every link in them is relative."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote
from uuid import NAMESPACE_URL, uuid5

from markupsafe import Markup

from reportgen.jobs.publishing.uploading import Stage, made
from reportgen.jobs.publishing.views import machine_time, run_views, time_text
from reportgen.rendering.page.html import content_policy
from reportgen.rendering.page.templates import shipped_environment
from reportgen.rendering.shipped import shipped_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from reportgen.jobs.publishing.index import PublishedReport, PublishedRun
    from reportgen.jobs.publishing.uploading import SiteFile
    from reportgen.jobs.publishing.views import ReportView, Site

FRONT, STATUS, MISSING = "index.html", "status.html", "404.html"
FEED, SITEMAP = "feed.xml", "sitemap.xml"
MOST_ENTRIES = 50


def page_files(site: Site) -> Iterator[SiteFile]:
    """Yield every page that is made for the site, with its feed and its map."""
    for view in site.views:
        report = view.report
        if report.archive:
            content = _page(site, "archive", "../", view=view, runs=run_views(report))
            yield made(report.archive, content, Stage.PAGE)
        newest = report.newest
        if newest and "report.html" not in newest.files:
            yield made(report.latest[0], _files_page(site, view), Stage.LATEST)
    yield made(STATUS, _page(site, "status", ""), Stage.PAGE)
    yield made(MISSING, _page(site, "missing", None), Stage.PAGE)
    if site.has_feed:
        yield made(FEED, _feed(site), Stage.PAGE)
    if site.base_url:
        yield made(SITEMAP, _sitemap(site), Stage.PAGE)
    yield made(FRONT, _page(site, "front", ""), Stage.FRONT)


def dated_runs(reports: tuple[PublishedReport, ...]) -> list[tuple[PublishedReport, PublishedRun]]:
    """Return the runs of which it is known when they ended, the latest first."""
    dated = [
        (run.ended, report.name, run.id, report, run)
        for report in reports
        for run in report.runs
        if run.ended
    ]
    ordered = sorted(dated, key=lambda each: each[:3], reverse=True)
    return [(report, run) for *_, report, run in ordered]


def entry_id(report: PublishedReport, run: PublishedRun) -> str:
    """Return an id that a run keeps wherever the site is."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'reportgen:{report.name}/{run.id}')}"


def _files_page(site: Site, view: ReportView) -> bytes:
    """Return the page of a report that has no page of its own."""
    (newest,) = (each for each in run_views(view.report) if each.is_latest)
    return _page(site, "files", "../", view=view, latest=newest)


def _page(site: Site, name: str, root: str | None, **more: object) -> bytes:
    """Fill a template; `root` leads to the front page, and is None where nobody knows the way."""
    style = shipped_text("style.css", "screen.css", "site/site.css")
    script = _script("times", *(["search"] if name == "front" else []))
    template = shipped_environment().get_template(f"site/{name}.html.j2")
    way = (site.base_url or "") if root is None else root
    return template.render(
        site=site,
        root=way,
        has_way=root is not None or bool(site.base_url),
        style=Markup(style),  # noqa: S704  # the shipped stylesheets
        script=Markup(script),  # noqa: S704  # the shipped scripts
        policy=content_policy(style, script),
        **_WRITING,
        **more,
    ).encode()


def _script(*names: str) -> str:
    """Return scripts as one function, without comments and indents."""
    written = shipped_text(*(f"site/{name}.js" for name in names))
    lines = (line.strip() for line in written.splitlines())
    kept = "\n".join(line for line in lines if line and not line.startswith("//"))
    return f'(() => {{\n"use strict";\n{kept}\n}})();'


def _feed(site: Site) -> bytes:
    runs = dated_runs(tuple(view.report for view in site.views))[:MOST_ENTRIES]
    feed_id = f"urn:uuid:{uuid5(NAMESPACE_URL, f'reportgen:{site.base_url or site.title}')}"
    return _xml("feed", site, runs=runs, feed_id=feed_id, entry_id=entry_id)


def _sitemap(site: Site) -> bytes:
    """Return the map: not of permanent pages, which are the same as others."""
    shown: list[tuple[str, datetime | None]] = [("", site.updated)]
    for view in site.views:
        report, newest = view.report, view.report.newest
        if newest:
            shown.append((f"{report.address}/", newest.ended))
        if report.archive:
            shown.append((report.archive, report.runs[0].ended if report.runs else None))
    return _xml("sitemap", site, shown=shown)


def _xml(name: str, site: Site, **more: object) -> bytes:
    template = shipped_environment().get_template(f"site/{name}.xml.j2")
    return template.render(site=site, root=site.base_url or "", **_WRITING, **more).encode()


_WRITING = {"time_text": time_text, "machine_time": machine_time, "quoted": quote}
