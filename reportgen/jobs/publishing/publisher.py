"""From the output folder of `reportgen build` to a site."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reportgen.errors import Diagnostic, ExitCode, HistoryError, LockedError, OutputError, SpecError
from reportgen.errors.jobs import (
    INVALID_TARGET,
    LOCKED,
    NOTHING_TO_PUBLISH,
    PUBLICATION_NOT_RECORDED,
    TARGET_NOT_OWNED,
)
from reportgen.jobs.publishing.index import (
    INDEX_FILE,
    SiteIndex,
    render_index_json,
    validate_base_url,
)
from reportgen.jobs.publishing.pages import (
    SiteView,
    build_report_views,
    count_states,
    dated_runs,
    render_site_files,
)
from reportgen.jobs.publishing.report_dir import find_report_dirs, read_report_dir, read_verified
from reportgen.jobs.publishing.reports import (
    LATEST_FILES,
    SiteInputs,
    build_published_reports,
    load_ended_runs,
    load_report_histories,
    open_site_history,
    read_schedule_file,
    runs_in_folder,
    runs_without_report,
    shared_name_warnings,
)
from reportgen.jobs.publishing.upload import (
    ConflictError,
    PublishStage,
    SiteFile,
    changed_files,
    check_foreign_files,
    generated_file,
    open_target,
    read_intents,
    remove_stale_files,
    upload_files,
)
from reportgen.paths import HISTORY_FILE, SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.publishing.index import PublishedReport
    from reportgen.jobs.publishing.report_dir import ReportDir
    from reportgen.jobs.publishing.reports import ScheduleFile
    from reportgen.jobs.publishing.upload import PublishTarget, Snapshot


# What a site is to consist of: its files, its index, and what goes.


@dataclass(frozen=True, slots=True)
class SitePlan:
    """What a target is to have."""

    index: SiteIndex
    files: tuple[SiteFile, ...]


def plan_site(
    found: SiteInputs,
    earlier: SiteIndex | None,
    schedule: ScheduleFile | None,
    title: str,
    base_url: str | None,
) -> SitePlan:
    """Return what the site is to consist of after this publication."""
    reports = build_published_reports(found, earlier)
    dated = dated_runs(reports)
    ended = [report.ended for report in reports if report.ended]
    pasts = {name: known.past for name, known in found.known.items()}
    site = SiteView(
        title=title,
        base_url=base_url,
        views=build_report_views(reports, pasts, schedule),
        schedule=schedule,
        updated=max(ended, default=None),
        has_feed=bool(dated),
        counted=count_states(reports),
    )
    files = (*_report_files(found.built, reports), *render_site_files(site))
    kept = _retained_files(reports, earlier) | {file.path: file.sha256 for file in files}
    before = {**earlier.removed, **earlier.files} if earlier else {}
    removed = {path: digest for path, digest in before.items() if path not in kept}
    index = SiteIndex(
        title=title,
        base_url=base_url,
        updated=site.updated,
        reports=reports,
        files=dict(sorted(kept.items())),
        removed=dict(sorted(removed.items())),
    )
    return SitePlan(
        index, (*files, generated_file(INDEX_FILE, render_index_json(index), PublishStage.INDEX))
    )


def _report_files(
    built: Sequence[ReportDir], reports: tuple[PublishedReport, ...]
) -> Iterator[SiteFile]:
    """Yield the files of all reports: for good, and as the latest."""
    by_name = {report.name: report for report in reports}
    for each in built:
        report = by_name[each.name]
        run = report.newest
        for name, digest in sorted(each.files.items()):
            source = each.folder / name
            if run:
                yield SiteFile(f"{run.address}/{name}", digest, source, PublishStage.PERMANENT)
            if name in LATEST_FILES:
                path = f"{report.address}/{LATEST_FILES[name]}"
                yield SiteFile(path, digest, source, PublishStage.LATEST)


def _retained_files(
    reports: tuple[PublishedReport, ...], earlier: SiteIndex | None
) -> dict[str, str]:
    """Return what was published earlier and stays: runs, and latest pages of reports that stay."""
    runs = {
        f"{run.address}/{name}" for report in reports for run in report.runs for name in run.files
    }
    latest = {path for report in reports for path in report.latest}
    files = earlier.files if earlier else {}
    return {path: digest for path, digest in files.items() if path in runs or path in latest}


DEFAULT_SITE_TITLE = "Evaluation reports"
# Whoever is overtaken begins anew; each time somebody else has come to an end.
MAX_PUBLISH_ATTEMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishOptions:
    """How a site is to be published."""

    base_url: str | None = None
    title: str | None = None
    history: str | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishResult:
    """What was published, or would have been."""

    target: str
    reports: tuple[PublishedReport, ...]
    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    faults: tuple[Diagnostic, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """How the program ends: a site that is up may still have a fault."""
        return ExitCode.OUTPUT if self.faults else ExitCode.SUCCESS


def publish_site(
    runs: Path,
    target: str,
    wishes: PublishOptions = PublishOptions(),  # noqa: B008  # frozen
    tell: Callable[[str], None] = lambda _step: None,
) -> PublishResult:
    """Publish the reports of an output folder; on a fault the site is whole as it was."""
    base_url = validate_base_url(wishes.base_url) if wishes.base_url else None
    place = open_target(target)
    _check_runs_folder(runs, target)
    held = nullcontext() if wishes.dry_run else place.alone()
    touched: set[str] = set()
    with open_site_history(runs, wishes.history) as history, held:
        for _ in range(MAX_PUBLISH_ATTEMPTS):
            attempt = _PublishAttempt(
                runs, target, place, replace(wishes, base_url=base_url), history
            )
            try:
                return attempt.publish(touched, tell)
            except ConflictError:
                tell("another process has published there; beginning anew")
    message = f"other processes published there {MAX_PUBLISH_ATTEMPTS} times meanwhile"
    raise LockedError(Diagnostic(LOCKED, message, help="publish a site from one place"))


@dataclass(frozen=True, slots=True)
class _PublishAttempt:
    """One try to publish, from reading the reports to the index."""

    runs: Path
    target: str
    place: PublishTarget
    wishes: PublishOptions
    history: HistoryStore | None

    def publish(self, touched: set[str], tell: Callable[[str], None]) -> PublishResult:
        """Publish what there is now; `touched` are names that were written to by earlier tries."""
        tell("reading the reports")
        seen, claims = self.place.look(INDEX_FILE), read_intents(self.place)
        earlier = _parse_published_index(seen, self.target)
        found, faults, warnings = _collect_reports(self.runs, self.history, earlier)
        schedule, unread = read_schedule_file(self.runs)
        names = tuple(spec.name for spec in schedule.specs) if schedule else ()
        found = replace(found, scheduled=names)
        title = self.wishes.title or (earlier.title if earlier else DEFAULT_SITE_TITLE)
        base_url = self.wishes.base_url or (earlier.base_url if earlier else None)
        plan = plan_site(found, earlier, schedule, title, base_url)
        uncertain = claims.union(touched)
        todo = changed_files(plan.files, earlier, uncertain, self.place)
        self._refuse_foreign(todo, earlier, seen, claims, uncertain)
        if self.wishes.dry_run:
            removed = sorted(path for path in plan.index.removed if self.place.has(path))
        else:
            touched.update(file.path for file in todo)
            upload_files(todo, seen, self.place, tell)
            removed = []
            if todo or uncertain or plan.index.removed:
                removed, left = remove_stale_files(plan.index, frozenset(touched), self.place)
                faults += left
            faults += _mark_published(self.history, found)
        return PublishResult(
            target=self.target,
            reports=plan.index.reports,
            written=tuple(file.path for file in todo),
            unchanged=len(plan.files) - len(todo),
            removed=tuple(removed),
            # What is known since the first time is not said again.
            warnings=(*unread, *warnings, *(() if earlier else _omitted_parts(plan.index))),
            faults=tuple(faults),
        )

    def _refuse_foreign(
        self,
        todo: list[SiteFile],
        earlier: SiteIndex | None,
        seen: Snapshot,
        claims: frozenset[str],
        uncertain: frozenset[str],
    ) -> None:
        """Raise if files of others are in the way, and these are not of a publication just now."""
        try:
            check_foreign_files(todo, earlier, uncertain, self.place)
        except OutputError as error:
            if (self.place.look(INDEX_FILE), read_intents(self.place)) != (seen, claims):
                raise ConflictError from error
            raise


def _check_runs_folder(runs: Path, target: str) -> None:
    """Refuse a folder without reports, and one that pages would be written into."""
    folders = list(find_report_dirs(runs)) if runs.is_dir() else []
    has_others = runs.is_dir() and any((runs / name).is_file() for name in MARKER_FILES)
    if not folders and not has_others:
        message = f"{runs} has no reports" if runs.is_dir() else f"there is no folder {runs}"
        fault = Diagnostic(
            NOTHING_TO_PUBLISH, message, help="give the folder that `reportgen build -o` wrote to"
        )
        raise SpecError(fault)
    if "://" not in target and Path(target).resolve() in {
        place.resolve() for place in (runs, *folders)
    }:
        message = "the target is the folder that the reports are read from"
        raise SpecError(Diagnostic(INVALID_TARGET, message, help="choose another folder"))


# What says that a folder belongs to reportgen, even if every run in it has failed.
MARKER_FILES = (HISTORY_FILE, SCHEDULE_FILE)


def _parse_published_index(seen: Snapshot, address: str) -> SiteIndex | None:
    """Return the index of the site as it is; None where there is no site yet."""
    if seen.content is None:
        return None
    try:
        return SiteIndex.model_validate_json(seen.content)
    except ValidationError as error:
        fault = Diagnostic(
            TARGET_NOT_OWNED,
            f"{INDEX_FILE} in {address} is not the index of a site that this version published",
            help="publish to another place; nothing was changed",
        )
        raise OutputError(fault) from error


def _collect_reports(
    runs: Path, history: HistoryStore | None, earlier: SiteIndex | None
) -> tuple[SiteInputs, list[Diagnostic], tuple[str, ...]]:
    """Read all reports; one that is not whole is left as it was published."""
    built: list[ReportDir] = []
    broken: dict[str, str] = {}
    faults: list[Diagnostic] = []
    for folder in find_report_dirs(runs):
        try:
            built.append(_verify_files(read_report_dir(folder), earlier))
        except OutputError as error:
            broken[folder.name] = "The report that was built last is not whole."
            faults += error.diagnostics
    if history is None:
        return SiteInputs(built, broken=broken), faults, ()
    ended = load_ended_runs(history)
    here = runs_in_folder(ended, runs, built)
    known = load_report_histories(history, ended, here, built, earlier)
    found = SiteInputs(built, known, runs_without_report(here), broken)
    return found, faults, tuple(shared_name_warnings(known, ended, here))


def _verify_files(built: ReportDir, earlier: SiteIndex | None) -> ReportDir:
    """Return a report all of whose files are as they were built; published ones were checked."""
    before = earlier.report(built.name) if earlier else None
    if not any(run.manifest == built.manifest for run in (before.runs if before else ())):
        for name, digest in built.files.items():
            read_verified(built.folder / name, digest)
    return built


def _mark_published(history: HistoryStore | None, found: SiteInputs) -> list[Diagnostic]:
    """Tell the history which runs are published now."""
    if history is None:
        return []
    made_by = [known.made_by for known in found.known.values() if known.made_by]
    fresh = [run.id for run in made_by if not run.published]
    try:
        if fresh:
            history.mark_published(fresh)
    except HistoryError as error:
        message = f"the site is up, but its runs are not marked: {error.diagnostics[0].message}"
        return [
            Diagnostic(
                PUBLICATION_NOT_RECORDED,
                message,
                error.diagnostics[0].location,
                error.diagnostics[0].help,
            )
        ]
    return []


def _omitted_parts(index: SiteIndex) -> Iterator[str]:
    """Yield what the site does without, and why."""
    if index.base_url is None:
        yield "no sitemap.xml, because only --base-url tells where the site is"
    if not any(run.ended for report in index.reports for run in report.runs):
        yield "no feed.xml and no times, because no history tells when the runs were"
