"""Publisher: uploads the reports of an output folder to a site."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import timedelta
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
from reportgen.formats import HTML_FILE
from reportgen.jobs.publishing.index import (
    INDEX_FILE,
    SiteIndex,
    render_index_json,
    validate_base_url,
)
from reportgen.jobs.publishing.pages import (
    SiteView,
    add_latest_page_links,
    add_run_page_links,
    build_report_views,
    count_statuses,
    dated_runs,
    render_site_files,
)
from reportgen.jobs.publishing.report_dir import find_report_dirs, read_report_dir, read_verified
from reportgen.jobs.publishing.reports import (
    LATEST_FILES,
    SiteInputs,
    build_published_reports,
    latest_end_time,
    load_ended_runs,
    load_report_histories,
    open_site_history,
    runs_in_folder,
    runs_without_report,
    shared_name_warnings,
)
from reportgen.jobs.publishing.targets import ConflictError, open_target, url_scheme
from reportgen.jobs.publishing.upload import (
    PublishStage,
    SiteFile,
    changed_files,
    check_foreign_files,
    generated_file,
    read_intents,
    remove_stale_files,
    upload_files,
)
from reportgen.jobs.schedule_state import read_schedule_file
from reportgen.paths import HISTORY_FILE, SCHEDULE_FILE
from reportgen.spec.load import display_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.publishing.index import PublishedReport
    from reportgen.jobs.publishing.report_dir import ReportDir
    from reportgen.jobs.publishing.targets import PublishTarget, Snapshot
    from reportgen.jobs.schedule_state import ScheduleFile


@dataclass(frozen=True, slots=True)
class SitePlan:
    """The planned content of a target: files and index."""

    index: SiteIndex
    files: tuple[SiteFile, ...]


def plan_site(
    inputs: SiteInputs, previous_index: SiteIndex | None, title: str, base_url: str | None
) -> SitePlan:
    """Return the planned content of the site after this publication."""
    schedule = inputs.schedule
    reports = build_published_reports(inputs, previous_index)
    dated = dated_runs(reports)
    previous_runs = {name: history.previous_runs for name, history in inputs.histories.items()}
    site = SiteView(
        title=title,
        base_url=base_url,
        views=build_report_views(reports, previous_runs, schedule),
        schedule=schedule,
        updated=latest_end_time(reports, inputs.latest_ended),
        has_feed=bool(dated),
        status_counts=count_statuses(reports),
    )
    files = (*_report_files(inputs.report_dirs, site), *render_site_files(site))
    current_files = _retained_files(reports, previous_index) | {
        file.path: file.sha256 for file in files
    }
    published_files = {**previous_index.removed, **previous_index.files} if previous_index else {}
    removed = {
        path: digest for path, digest in published_files.items() if path not in current_files
    }
    index = SiteIndex(
        title=title,
        base_url=base_url,
        stale_after=(
            inputs.stale_after / timedelta(days=1) if inputs.stale_after is not None else None
        ),
        updated=site.updated,
        reports=reports,
        files=dict(sorted(current_files.items())),
        removed=dict(sorted(removed.items())),
    )
    return SitePlan(
        index, (*files, generated_file(INDEX_FILE, render_index_json(index), PublishStage.INDEX))
    )


def _report_files(report_dirs: Sequence[ReportDir], site: SiteView) -> Iterator[SiteFile]:
    """Yield the files of all reports: permanent and latest copies."""
    by_name = {view.report.name: view for view in site.views}
    for report_dir in report_dirs:
        view = by_name[report_dir.name]
        report, run = view.report, view.report.latest_run
        for name, digest in sorted(report_dir.files.items()):
            source = report_dir.folder / name
            if name == HTML_FILE and run:
                page = read_verified(source, digest)
                yield generated_file(
                    f"{run.address}/{name}",
                    add_run_page_links(page, report, run),
                    PublishStage.PERMANENT,
                )
                latest = add_latest_page_links(page, view, site.title)
                path = f"{report.address}/{LATEST_FILES[name]}"
                yield generated_file(path, latest, PublishStage.LATEST)
                continue
            if run:
                yield SiteFile(f"{run.address}/{name}", digest, source, PublishStage.PERMANENT)
            if name in LATEST_FILES:
                path = f"{report.address}/{LATEST_FILES[name]}"
                yield SiteFile(path, digest, source, PublishStage.LATEST)


def _retained_files(
    reports: tuple[PublishedReport, ...], previous_index: SiteIndex | None
) -> dict[str, str]:
    """Return the published files that are retained: those of runs and of latest pages."""
    runs = {
        f"{run.address}/{name}" for report in reports for run in report.runs for name in run.files
    }
    latest = {path for report in reports for path in report.latest}
    files = previous_index.files if previous_index else {}
    return {path: digest for path, digest in files.items() if path in runs or path in latest}


DEFAULT_SITE_TITLE = "Evaluation reports"
# A publication restarts after a conflict; with each conflict another publication has finished.
MAX_PUBLISH_ATTEMPTS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishOptions:
    """Options of a publication."""

    base_url: str | None = None
    title: str | None = None
    history: str | None = None
    stale_after: timedelta | None = None
    dry_run: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishResult:
    """The result of a publication or of a dry run."""

    target: str
    reports: tuple[PublishedReport, ...]
    written_files: tuple[str, ...]
    unchanged_count: int
    removed_files: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """The exit code; a published site may still have errors."""
        return ExitCode.OUTPUT if self.diagnostics else ExitCode.SUCCESS


def publish_site(
    runs_folder: Path,
    target: str,
    options: PublishOptions = PublishOptions(),  # noqa: B008  # frozen
    on_progress: Callable[[str], None] = lambda _step: None,
) -> PublishResult:
    """Publish the reports of an output folder; after an error the site is consistent as before."""
    base_url = validate_base_url(options.base_url) if options.base_url else None
    destination = open_target(target)
    _check_runs_folder(runs_folder, target)
    target_lock = nullcontext() if options.dry_run else destination.lock()
    attempted_paths: set[str] = set()
    with open_site_history(runs_folder, options.history) as history, target_lock:
        for _ in range(MAX_PUBLISH_ATTEMPTS):
            attempt = _PublishAttempt(
                runs_folder, target, destination, replace(options, base_url=base_url), history
            )
            try:
                return attempt.publish(attempted_paths, on_progress)
            except ConflictError:
                on_progress("another process has published to this target; starting again")
    message = (
        f"other processes published to this target {MAX_PUBLISH_ATTEMPTS} times at the same time"
    )
    raise LockedError(Diagnostic(LOCKED, message, help="publish a site from one process"))


@dataclass(frozen=True, slots=True)
class _PublishAttempt:
    """One attempt of a publication, from reading the reports to writing the index."""

    runs_folder: Path
    address: str
    target: PublishTarget
    options: PublishOptions
    history: HistoryStore | None

    def publish(
        self, attempted_paths: set[str], on_progress: Callable[[str], None]
    ) -> PublishResult:
        """Publish the current reports; `attempted_paths` are those of earlier attempts."""
        on_progress("reading the reports")
        snapshot, intents = self.target.take_snapshot(INDEX_FILE), read_intents(self.target)
        previous_index = _parse_published_index(snapshot, self.address)
        inputs, diagnostics, warnings = _collect_reports(
            self.runs_folder, self.history, previous_index
        )
        schedule, schedule_warnings = _read_schedule(self.runs_folder)
        stale_after = self.options.stale_after
        if stale_after is None and previous_index and previous_index.stale_after is not None:
            stale_after = timedelta(days=previous_index.stale_after)
        inputs = replace(inputs, schedule=schedule, stale_after=stale_after)
        title = self.options.title or (
            previous_index.title if previous_index else DEFAULT_SITE_TITLE
        )
        base_url = self.options.base_url or (previous_index.base_url if previous_index else None)
        plan = plan_site(inputs, previous_index, title, base_url)
        uncertain_paths = intents.union(attempted_paths)
        pending_files = changed_files(plan.files, previous_index, uncertain_paths, self.target)
        self._check_foreign_files(pending_files, previous_index, snapshot, intents, uncertain_paths)
        if self.options.dry_run:
            removed = sorted(path for path in plan.index.removed if self.target.exists(path))
        else:
            attempted_paths.update(file.path for file in pending_files)
            upload_files(pending_files, snapshot, self.target, on_progress)
            removed = []
            if pending_files or uncertain_paths or plan.index.removed:
                removed, remaining = remove_stale_files(
                    plan.index, frozenset(attempted_paths), self.target
                )
                diagnostics += remaining
            diagnostics += _mark_published(self.history, inputs)
        # Warned of at the first publication only.
        omission_warnings = () if previous_index else _omitted_parts(plan.index)
        return PublishResult(
            target=self.address,
            reports=plan.index.reports,
            written_files=tuple(file.path for file in pending_files),
            unchanged_count=len(plan.files) - len(pending_files),
            removed_files=tuple(removed),
            warnings=(*schedule_warnings, *warnings, *omission_warnings),
            diagnostics=tuple(diagnostics),
        )

    def _check_foreign_files(
        self,
        pending_files: list[SiteFile],
        previous_index: SiteIndex | None,
        snapshot: Snapshot,
        intents: frozenset[str],
        uncertain_paths: frozenset[str],
    ) -> None:
        """Raise if foreign files would be overwritten; ConflictError if the site changed."""
        try:
            check_foreign_files(pending_files, previous_index, uncertain_paths, self.target)
        except OutputError as error:
            if (self.target.take_snapshot(INDEX_FILE), read_intents(self.target)) != (
                snapshot,
                intents,
            ):
                raise ConflictError from error
            raise


def _check_runs_folder(runs_folder: Path, target: str) -> None:
    """Raise if a folder has no reports, or is the target itself."""
    folders = list(find_report_dirs(runs_folder)) if runs_folder.is_dir() else []
    has_marker_file = runs_folder.is_dir() and any(
        (runs_folder / name).is_file() for name in MARKER_FILES
    )
    if not folders and not has_marker_file:
        message = (
            f"{runs_folder} has no reports"
            if runs_folder.is_dir()
            else f"the folder {runs_folder} does not exist"
        )
        diagnostic = Diagnostic(
            NOTHING_TO_PUBLISH, message, help="use the output folder of `reportgen build`"
        )
        raise SpecError(diagnostic)
    if url_scheme(target) is None and Path(target).resolve() in {
        folder.resolve() for folder in (runs_folder, *folders)
    }:
        message = "the target is the folder of the reports"
        raise SpecError(Diagnostic(INVALID_TARGET, message, help="choose another folder"))


# Files that identify an output folder of reportgen, even if every run in it has failed.
MARKER_FILES = (HISTORY_FILE, SCHEDULE_FILE)


def _parse_published_index(snapshot: Snapshot, address: str) -> SiteIndex | None:
    """Return the current index of the site; None if there is no site yet."""
    if snapshot.content is None:
        return None
    try:
        return SiteIndex.model_validate_json(snapshot.content)
    except ValidationError as error:
        diagnostic = Diagnostic(
            TARGET_NOT_OWNED,
            f"{INDEX_FILE} in {address} is not the index of a site published by this version",
            help="choose another target; nothing was changed",
        )
        raise OutputError(diagnostic) from error


def _collect_reports(
    runs_folder: Path, history: HistoryStore | None, previous_index: SiteIndex | None
) -> tuple[SiteInputs, list[Diagnostic], tuple[str, ...]]:
    """Read all reports; for a corrupt one the published version is retained."""
    report_dirs: list[ReportDir] = []
    corrupt: dict[str, str] = {}
    diagnostics: list[Diagnostic] = []
    for folder in find_report_dirs(runs_folder):
        try:
            report_dirs.append(_verify_files(read_report_dir(folder), previous_index))
        except OutputError as error:
            corrupt[display_text(folder.name)] = "The latest report is corrupt or incomplete."
            diagnostics += error.diagnostics
    if history is None:
        return SiteInputs(report_dirs, corrupt=corrupt), diagnostics, ()
    ended_runs = load_ended_runs(history)
    folder_runs = runs_in_folder(ended_runs, runs_folder, report_dirs)
    histories = load_report_histories(history, ended_runs, folder_runs, report_dirs, previous_index)
    inputs = SiteInputs(
        report_dirs,
        histories,
        runs_without_report(folder_runs),
        corrupt,
        latest_ended=folder_runs[0].ended if folder_runs else None,
    )
    return inputs, diagnostics, tuple(shared_name_warnings(histories, ended_runs, folder_runs))


def _read_schedule(runs_folder: Path) -> tuple[ScheduleFile | None, tuple[str, ...]]:
    """Return the state of the scheduler, None if there is none, and warnings."""
    try:
        return read_schedule_file(runs_folder), ()
    except ValueError as error:
        path = runs_folder / SCHEDULE_FILE
        return None, (f"{path} cannot be read ({error}); the status page has no schedule",)


def _verify_files(report_dir: ReportDir, previous_index: SiteIndex | None) -> ReportDir:
    """Return a report after a check of its file hashes.

    Of published reports only the page is checked, to which links are added again.
    """
    published_report = previous_index.report(report_dir.name) if previous_index else None
    is_published = any(
        run.manifest == report_dir.manifest_sha256
        for run in (published_report.runs if published_report else ())
    )
    for name, digest in report_dir.files.items():
        if name == HTML_FILE or not is_published:
            read_verified(report_dir.folder / name, digest)
    return report_dir


def _mark_published(history: HistoryStore | None, inputs: SiteInputs) -> list[Diagnostic]:
    """Mark the runs as published in the history; return the errors of the history."""
    if history is None:
        return []
    producing_runs = [
        report_history.producing_run
        for report_history in inputs.histories.values()
        if report_history.producing_run
    ]
    unpublished = [run.id for run in producing_runs if not run.published]
    try:
        if unpublished:
            history.mark_published(unpublished)
    except HistoryError as error:
        message = (
            f"the site was published, but its runs were not marked: {error.diagnostics[0].message}"
        )
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
    """Yield warnings about parts that the site does not have, with the reasons."""
    if index.base_url is None:
        yield "no sitemap.xml: it needs --base-url"
    if not any(run.ended for report in index.reports for run in report.runs):
        yield "no feed.xml and no run times: there is no history"
