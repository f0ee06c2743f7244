"""The state of the reports of a site: built, published earlier, failed or removed."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from reportgen.errors import Diagnostic, ExitCode, OutputError
from reportgen.errors.jobs import INVALID_TARGET
from reportgen.evaluation.previous_runs import EMPTY_HISTORY
from reportgen.export.manifest import source_date
from reportgen.formats import FORMATS, HTML_FILE, RESULTS_FILE
from reportgen.jobs.history.record import CLOCK_TOLERANCE, RunState
from reportgen.jobs.publishing.index import (
    REPORT_STATUSES,
    GateCounts,
    PublishedReport,
    PublishedRun,
    slugify,
)
from reportgen.jobs.publishing.report_dir import gated_values
from reportgen.jobs.schedule_state import ScheduleState
from reportgen.paths import HISTORY_ENV_VAR, HISTORY_FILE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from reportgen.evaluation.previous_runs import RunHistory
    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import HistoryStore
    from reportgen.jobs.publishing.index import SiteIndex
    from reportgen.jobs.publishing.report_dir import ReportDir
    from reportgen.jobs.schedule_state import ScheduleFile


MAX_TREND_RUNS = 30


@dataclass(frozen=True, slots=True)
class ReportHistory:
    """The history of a report: the run that produced it, the last run, and previous runs."""

    producing_run: RunRecord | None = None
    last_run: RunRecord | None = None
    previous_runs: RunHistory = EMPTY_HISTORY


NO_REPORT_HISTORY = ReportHistory()


@contextmanager
def open_site_history(runs_folder: Path, location: str | None) -> Iterator[HistoryStore | None]:
    """Open the history at a location, else the history in the output folder if there is one."""
    history_location = location or os.environ.get(HISTORY_ENV_VAR) or ""
    if not history_location:
        default_history = runs_folder / HISTORY_FILE
        if not default_history.is_file():
            yield None
            return
        history_location = str(default_history)
    from reportgen.jobs.history.store import open_history

    with open_history(history_location, must_exist=True) as history:
        yield history


def runs_in_folder(
    ended_runs: Sequence[RunRecord], runs_folder: Path, reports: Sequence[ReportDir]
) -> tuple[RunRecord, ...]:
    """Return the runs that were written to an output folder, the latest first.

    A folder that was moved, or is mounted elsewhere, has none. In that case the runs are returned
    that were written to the folders in which its reports were produced.
    """
    folders = {
        output: Path(output).parent.resolve() for output in {run.output for run in ended_runs}
    }
    folder = runs_folder.resolve()
    folder_runs = tuple(run for run in ended_runs if folders[run.output] == folder)
    if folder_runs:
        return folder_runs
    manifest_hashes = {report.manifest_sha256 for report in reports}
    origins = {
        folders[run.output]
        for run in ended_runs
        if run.state is RunState.COMPLETED and run.manifest_sha256 in manifest_hashes
    }
    return tuple(run for run in ended_runs if folders[run.output] in origins)


def load_report_histories(
    history: HistoryStore,
    ended_runs: Sequence[RunRecord],
    folder_runs: Sequence[RunRecord],
    reports: Sequence[ReportDir],
    previous_index: SiteIndex | None,
) -> dict[str, ReportHistory]:
    """Return the history of each report, by folder name.

    It consists of `folder_runs`, of the run that produced the report in any folder, and of the
    published runs.
    """
    producing_runs: dict[str, RunRecord] = {}
    # Of several runs with the same report, those of this folder take precedence, then the latest.
    for run in (*folder_runs, *ended_runs):
        if run.state is RunState.COMPLETED:
            producing_runs.setdefault(run.manifest_sha256, run)
    return {
        report.name: _load_report_history(
            history,
            producing_runs.get(report.manifest_sha256),
            [run for run in folder_runs if run_folder_name(run) == report.name],
            previous_index.report(report.name) if previous_index else None,
        )
        for report in reports
    }


def runs_without_report(folder_runs: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Return the last run of every spec that never produced a report, by folder name.

    A spec that was deleted from an existing folder is excluded.
    """
    completed = {run_folder_name(run) for run in folder_runs if run.state is RunState.COMPLETED}
    last_runs: dict[str, RunRecord] = {}
    for run in folder_runs:
        if run_folder_name(run) not in completed and not _is_deleted(Path(run.spec)):
            last_runs.setdefault(run_folder_name(run), run)
    return last_runs


def _is_deleted(spec: Path) -> bool:
    return spec.parent.is_dir() and not spec.exists()


def shared_name_warnings(
    histories: Mapping[str, ReportHistory],
    ended_runs: Sequence[RunRecord],
    folder_runs: Sequence[RunRecord],
) -> Iterator[str]:
    """Yield warnings about reports that share a name in the history with another folder."""
    newest: dict[str, RunRecord] = {}
    for run in ended_runs:
        if run.state is RunState.COMPLETED:
            newest.setdefault(run.name, run)
    folder_run_ids = {run.id for run in folder_runs}
    for name, report_history in histories.items():
        other = newest.get(report_history.last_run.name) if report_history.last_run else None
        if other and other.id not in folder_run_ids and other is not report_history.producing_run:
            yield (
                f"{name}: the newest run that the history keeps as {other.name} is another's,"
                f" {other.spec} to {other.output}, and gates and trends compare with it;"
                " give one of the two another name in [history]"
            )


def load_ended_runs(history: HistoryStore) -> tuple[RunRecord, ...]:
    """Return all runs that have ended, the latest first."""
    return tuple(run for run in history.runs() if run.state is not RunState.RUNNING)


def run_folder_name(run: RunRecord) -> str:
    """Return the name of a run's output folder, independent of its parent folders."""
    return Path(run.output).name or run.name


def _load_report_history(
    history: HistoryStore,
    producing_run: RunRecord | None,
    folder_runs: Sequence[RunRecord],
    published_report: PublishedReport | None,
) -> ReportHistory:
    candidates = [*folder_runs[:1], *([producing_run] if producing_run else [])]
    if not candidates:
        return NO_REPORT_HISTORY
    # In a folder of runs the first one is the latest; else the run that produced the report.
    last = candidates[0]
    published = {run.id for run in published_report.runs} if published_report else set()
    run_ids = published.union(run.id for run in (*folder_runs, *candidates))
    previous = history.load_previous_runs(last.name, MAX_TREND_RUNS)
    return ReportHistory(
        producing_run,
        last,
        replace(previous, runs=tuple(run for run in previous.runs if run.id in run_ids)),
    )


# At least one folder and a name in it. A space is part of a name if a slash follows later: the
# pattern removes too much text rather than leave a private folder name.
_PATH_SEGMENT = r"[^\s/`'\"<>:;,]+(?: [^\s/`'\"<>:;,]+)*/"
_ABSOLUTE_PATH = re.compile(
    rf"(?<![\w.:/~-])(?:file://)?/(?:{_PATH_SEGMENT})+[^\s/`'\"<>:;,)]*"
    r"|(?<=[`'\"])(?:file://)?/[^`'\"\n/]+/[^`'\"\n]*(?=[`'\"])"
)


def redacted_errors(run: RunRecord) -> tuple[str, ...]:
    """Return the errors of a run with relative paths or bare file names."""
    return tuple(redact_paths(error, run.spec, run.output) for error in run.errors)


def redact_paths(text: str, *base_paths: str) -> str:
    """Return text with paths relative to the folders of `base_paths`, others as bare file names."""
    for folder in sorted(_base_folders(base_paths), key=len, reverse=True):
        text = text.replace(f"{folder}/", "")
    return _ABSOLUTE_PATH.sub(lambda match: PurePosixPath(match[0]).name, text)


def _base_folders(base_paths: Iterable[str]) -> Iterator[str]:
    """Yield the absolute parent folders of paths."""
    for path in base_paths:
        folder = PurePosixPath(path).parent
        if folder.is_absolute() and folder.name:
            yield str(folder)


ARCHIVE_PAGE, REPORT_FRONT_PAGE, BADGE_FILE = "archive.html", "index.html", "badge.svg"
# Files of the latest run, and their names at the permanent address.
LATEST_FILES = {
    format_.files: REPORT_FRONT_PAGE if format_.files == HTML_FILE else format_.files
    for format_ in FORMATS.values()
    if format_.is_single_file
}
SHORT_HASH_LENGTH = 12


@dataclass(frozen=True, slots=True)
class SiteInputs:
    """The inputs of a site plan."""

    report_dirs: Sequence[ReportDir]
    histories: Mapping[str, ReportHistory] = field(default_factory=dict)
    failed_runs: Mapping[str, RunRecord] = field(default_factory=dict)
    """The last runs of specs without a report, by name."""
    corrupt: Mapping[str, str] = field(default_factory=dict)
    """The reasons of corrupt reports, by name."""
    schedule: ScheduleFile | None = None
    """The state of the scheduler."""
    stale_after: timedelta | None = None
    """The age from which a report without a new run is stale."""
    latest_ended: datetime | None = None
    """The end time of the latest run in the order of the history, which is not that of dates."""

    @property
    def scheduled_names(self) -> tuple[str, ...]:
        """The names of specs that are scheduled."""
        return tuple(entry.name for entry in self.schedule.specs) if self.schedule else ()


def build_published_reports(
    inputs: SiteInputs, previous_index: SiteIndex | None
) -> tuple[PublishedReport, ...]:
    """Return all reports of the site, sorted by severity of the state, then by title."""
    published = {report.name: report for report in previous_index.reports} if previous_index else {}
    reports = {
        report_dir.name: _published_report(
            report_dir,
            inputs.histories.get(report_dir.name, NO_REPORT_HISTORY),
            published.get(report_dir.name),
        )
        for report_dir in inputs.report_dirs
    }
    for name in (*inputs.corrupt, *inputs.failed_runs, *inputs.scheduled_names):
        if name not in reports:
            reports[name] = _unbuilt_report(name, inputs, published.get(name))
    for name, report in published.items():
        if name not in reports and report.runs:
            changes = {"status": "archived", "run": None, "latest": (), "errors": ()}
            reports[name] = report.model_copy(update=changes)
    _check_addresses(reports.values())
    return tuple(
        sorted(
            _with_stale_reports(tuple(reports.values()), inputs),
            key=lambda report: (
                REPORT_STATUSES.index(report.status),
                report.title.casefold(),
                report.name,
            ),
        )
    )


def latest_end_time(
    reports: Iterable[PublishedReport], latest_ended: datetime | None
) -> datetime | None:
    """Return the end time of the latest run of all reports; None if none is known.

    Dates after that of the latest run in the history are of runs whose clock was wrong.
    """
    times = [report.ended for report in reports if report.ended]
    if latest_ended is None:
        return max(times, default=None)
    limit = latest_ended + CLOCK_TOLERANCE
    return max((time for time in times if time <= limit), default=None)


# Statuses that say nothing about today if no new run has come.
_AGING_STATUSES = frozenset({"PASS", "PASS with warning", "no gates"})
# A run that is due may take a while.
OVERDUE_AFTER = timedelta(hours=1)


def _with_stale_reports(
    reports: tuple[PublishedReport, ...], inputs: SiteInputs
) -> Iterator[PublishedReport]:
    """Yield the reports, with the status of those without a run when one was due.

    The age is that at the latest sign of life, a run of any report or a heartbeat of the scheduler:
    the clock is not used, so that the same inputs give the same site.
    """
    schedule = inputs.schedule
    signs = [
        latest_end_time(reports, inputs.latest_ended),
        schedule.heartbeat if schedule else None,
    ]
    now = max(filter(None, signs), default=None)
    for report in reports:
        entry = schedule.find_entry(report.name) if schedule else None
        is_overdue = bool(
            now
            and entry
            and entry.next
            and entry.state is not ScheduleState.RUNNING
            and now - entry.next > OVERDUE_AFTER
        )
        is_old = bool(
            now and inputs.stale_after and report.ended and now - report.ended > inputs.stale_after
        )
        yield (
            report.model_copy(update={"status": "stale"})
            if report.status in _AGING_STATUSES and (is_overdue or is_old)
            else report
        )


def _check_addresses(reports: Iterable[PublishedReport]) -> None:
    """Raise if two reports have the same address: one would replace the other."""
    names: dict[str, str] = {}
    for report in reports:
        # Without case, because file systems may ignore it.
        other = names.setdefault(report.address.casefold(), report.name)
        if other != report.name:
            message = f"{other} and {report.name} have the same address, {report.address}"
            help_line = "rename one of the specs"
            raise OutputError(Diagnostic(INVALID_TARGET, message, help=help_line))


def _published_report(
    report_dir: ReportDir, history: ReportHistory, published_report: PublishedReport | None
) -> PublishedReport:
    runs = published_report.runs if published_report else ()
    run = next((run for run in runs if run.manifest == report_dir.manifest_sha256), None)
    if run is None:
        run = _published_run(report_dir, history)
        runs = (run, *runs)
    last = history.last_run
    # Includes a run that wrote only some of its formats.
    failed = last is not None and (
        last.state is not RunState.COMPLETED or last.exit_code > ExitCode.GATE_FAILED
    )
    address = slugify(report_dir.name)
    return PublishedReport(
        name=report_dir.name,
        address=address,
        title=report_dir.title,
        status="ERROR" if failed else run.status,
        ended=_truncate_to_second(last.ended) if last else run.ended,
        run=run.id,
        latest=tuple(
            f"{address}/{latest}"
            for name, latest in LATEST_FILES.items()
            # A report without an HTML page gets a placeholder page with links to its files.
            if name in report_dir.files or latest == REPORT_FRONT_PAGE
        ),
        archive=f"{address}/{ARCHIVE_PAGE}",
        classifiers=report_dir.classifiers,
        measures=report_dir.measures,
        about=report_dir.about,
        badge=f"{address}/{BADGE_FILE}",
        errors=redacted_errors(last) if last and failed else (),
        runs=runs,
    )


def _published_run(report_dir: ReportDir, history: ReportHistory) -> PublishedRun:
    record = history.producing_run
    run = record.id if record else report_dir.manifest_sha256[:SHORT_HASH_LENGTH]
    gates, gated = report_dir.gates, report_dir.gated
    if record and RESULTS_FILE not in report_dir.files:
        gates = GateCounts.from_gates(record.gates)
        gated = gated_values(record.gates, {})
    return PublishedRun(
        id=run,
        address=f"{slugify(report_dir.name)}/{slugify(run)}",
        title=report_dir.title,
        ended=_truncate_to_second(record.ended) if record else source_date(),
        status=gates.status,
        gates=gates,
        gated=gated,
        alarms=report_dir.alarms,
        main=report_dir.main_measure,
        findings=record.findings if record else (),
        manifest=report_dir.manifest_sha256,
        files=tuple(sorted(report_dir.files)),
    )


def _unbuilt_report(
    name: str, inputs: SiteInputs, published_report: PublishedReport | None
) -> PublishedReport:
    """Return a report without a new run: the published version, or an empty one."""
    record = inputs.failed_runs.get(name)
    reasons: tuple[str, ...] = ()
    if name in inputs.corrupt:
        reasons = (inputs.corrupt[name],)
    elif record:
        reasons = redacted_errors(record)
    failed = record is not None or name in inputs.corrupt
    if published_report is not None and published_report.latest_run is not None:
        status = "ERROR" if failed else published_report.latest_run.status
        return published_report.model_copy(update={"status": status, "errors": reasons})
    address = slugify(name)
    return PublishedReport(
        name=name,
        address=address,
        title=(record.title if record else "")
        or (published_report.title if published_report else name),
        status="ERROR" if failed else "never built",
        ended=_truncate_to_second(record.ended) if record else None,
        archive=published_report.archive if published_report else None,
        badge=f"{address}/{BADGE_FILE}",
        errors=reasons,
        runs=published_report.runs if published_report else (),
    )


def _truncate_to_second(time: datetime) -> datetime:
    return time.replace(microsecond=0)
