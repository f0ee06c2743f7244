"""From the output folder of `reportgen build` to a site."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from reportgen.errors import (
    ExitCode,
    Fault,
    HistoryError,
    LockedError,
    OutputError,
    SpecError,
)
from reportgen.errors.job_faults import (
    LOCKED,
    NOT_MARKED,
    NOTHING_TO_PUBLISH,
    TARGET_FOREIGN,
    TARGET_UNUSABLE,
)
from reportgen.frozen import frozen
from reportgen.jobs.publishing.addresses import checked_base_url
from reportgen.jobs.publishing.built import content_of, find_built, read_built
from reportgen.jobs.publishing.index import INDEX, Index
from reportgen.jobs.publishing.planning import plan_site
from reportgen.jobs.publishing.remembered import (
    ended_runs,
    never_written,
    opened_history,
    remembered,
    runs_here,
    shared_names,
)
from reportgen.jobs.publishing.reports import Found
from reportgen.jobs.publishing.schedule_file import read_schedule
from reportgen.jobs.publishing.target import OvertakenError, open_target
from reportgen.jobs.publishing.uploading import (
    changed,
    clean_up,
    read_claims,
    refuse_foreign,
    upload,
)
from reportgen.places import HISTORY_FILE, SCHEDULE_FILE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from reportgen.jobs.history.store import History
    from reportgen.jobs.publishing.built import Built
    from reportgen.jobs.publishing.index import PublishedReport
    from reportgen.jobs.publishing.target import Seen, Target
    from reportgen.jobs.publishing.uploading import SiteFile

DEFAULT_TITLE = "Evaluation reports"
# Whoever is overtaken begins anew; each time somebody else has come to an end.
MOST_ATTEMPTS = 20


@frozen(kw_only=True)
class Wishes:
    """How a site is to be published."""

    base_url: str | None = None
    title: str | None = None
    history: str | None = None
    dry_run: bool = False


@frozen(kw_only=True)
class Publication:
    """What was published, or would have been."""

    target: str
    reports: tuple[PublishedReport, ...]
    written: tuple[str, ...]
    unchanged: int
    removed: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()

    @property
    def exit_code(self) -> ExitCode:
        """How the program ends: a site that is up may still have a fault."""
        return ExitCode.OUTPUT if self.faults else ExitCode.DONE


def publish(
    runs: Path,
    target: str,
    wishes: Wishes = Wishes(),  # noqa: B008  # frozen
    tell: Callable[[str], None] = lambda _step: None,
) -> Publication:
    """Publish the reports of an output folder; on a fault the site is whole as it was."""
    base_url = checked_base_url(wishes.base_url) if wishes.base_url else None
    place = open_target(target)
    _refuse_runs(runs, target)
    held = nullcontext() if wishes.dry_run else place.alone()
    touched: set[str] = set()
    with opened_history(runs, wishes.history) as history, held:
        for _ in range(MOST_ATTEMPTS):
            attempt = _Attempt(runs, target, place, replace(wishes, base_url=base_url), history)
            try:
                return attempt.publish(touched, tell)
            except OvertakenError:
                tell("another process has published there; beginning anew")
    message = f"other processes published there {MOST_ATTEMPTS} times meanwhile"
    raise LockedError(Fault(LOCKED, message, help="publish a site from one place"))


@frozen
class _Attempt:
    """One try to publish, from reading the reports to the index."""

    runs: Path
    target: str
    place: Target
    wishes: Wishes
    history: History | None

    def publish(self, touched: set[str], tell: Callable[[str], None]) -> Publication:
        """Publish what there is now; `touched` are names that were written to by earlier tries."""
        tell("reading the reports")
        seen, claims = self.place.look(INDEX), read_claims(self.place)
        earlier = _earlier(seen, self.target)
        found, faults, warnings = _found(self.runs, self.history, earlier)
        schedule, unread = read_schedule(self.runs)
        names = tuple(spec.name for spec in schedule.specs) if schedule else ()
        found = replace(found, scheduled=names)
        title = self.wishes.title or (earlier.title if earlier else DEFAULT_TITLE)
        base_url = self.wishes.base_url or (earlier.base_url if earlier else None)
        plan = plan_site(found, earlier, schedule, title, base_url)
        uncertain = claims.union(touched)
        todo = changed(plan.files, earlier, uncertain, self.place)
        self._refuse_foreign(todo, earlier, seen, claims, uncertain)
        if self.wishes.dry_run:
            removed = sorted(path for path in plan.index.removed if self.place.has(path))
        else:
            touched.update(file.path for file in todo)
            upload(todo, seen, self.place, tell)
            removed = []
            if todo or uncertain or plan.index.removed:
                removed, left = clean_up(plan.index, frozenset(touched), self.place)
                faults += left
            faults += _mark(self.history, found)
        return Publication(
            target=self.target,
            reports=plan.index.reports,
            written=tuple(file.path for file in todo),
            unchanged=len(plan.files) - len(todo),
            removed=tuple(removed),
            # What is known since the first time is not said again.
            warnings=(*unread, *warnings, *(() if earlier else _missing_parts(plan.index))),
            faults=tuple(faults),
        )

    def _refuse_foreign(
        self,
        todo: list[SiteFile],
        earlier: Index | None,
        seen: Seen,
        claims: frozenset[str],
        uncertain: frozenset[str],
    ) -> None:
        """Raise if files of others are in the way, and these are not of a publication just now."""
        try:
            refuse_foreign(todo, earlier, uncertain, self.place)
        except OutputError as error:
            if (self.place.look(INDEX), read_claims(self.place)) != (seen, claims):
                raise OvertakenError from error
            raise


def _refuse_runs(runs: Path, target: str) -> None:
    """Refuse a folder without reports, and one that pages would be written into."""
    folders = list(find_built(runs)) if runs.is_dir() else []
    has_others = runs.is_dir() and any((runs / name).is_file() for name in OTHER_SIGNS)
    if not folders and not has_others:
        message = f"{runs} has no reports" if runs.is_dir() else f"there is no folder {runs}"
        fault = Fault(
            NOTHING_TO_PUBLISH, message, help="give the folder that `reportgen build -o` wrote to"
        )
        raise SpecError(fault)
    if "://" not in target and Path(target).resolve() in {
        place.resolve() for place in (runs, *folders)
    }:
        message = "the target is the folder that the reports are read from"
        raise SpecError(Fault(TARGET_UNUSABLE, message, help="choose another folder"))


# What says that a folder belongs to reportgen, even if every run in it has failed.
OTHER_SIGNS = (HISTORY_FILE, SCHEDULE_FILE)


def _earlier(seen: Seen, address: str) -> Index | None:
    """Return the index of the site as it is; None where there is no site yet."""
    if seen.content is None:
        return None
    try:
        return Index.model_validate_json(seen.content)
    except ValidationError as error:
        fault = Fault(
            TARGET_FOREIGN,
            f"{INDEX} in {address} is not the index of a site that this version published",
            help="publish to another place; nothing was changed",
        )
        raise OutputError(fault) from error


def _found(
    runs: Path, history: History | None, earlier: Index | None
) -> tuple[Found, list[Fault], tuple[str, ...]]:
    """Read all reports; one that is not whole is left as it was published."""
    built: list[Built] = []
    broken: dict[str, str] = {}
    faults: list[Fault] = []
    for folder in find_built(runs):
        try:
            built.append(_whole(read_built(folder), earlier))
        except OutputError as error:
            broken[folder.name] = "The report that was built last is not whole."
            faults += error.faults
    if history is None:
        return Found(built, broken=broken), faults, ()
    ended = ended_runs(history)
    here = runs_here(ended, runs, built)
    known = remembered(history, ended, here, built, earlier)
    found = Found(built, known, never_written(here), broken)
    return found, faults, tuple(shared_names(known, ended, here))


def _whole(built: Built, earlier: Index | None) -> Built:
    """Return a report all of whose files are as they were built; published ones were checked."""
    before = earlier.report(built.name) if earlier else None
    if not any(run.manifest == built.manifest for run in (before.runs if before else ())):
        for name, digest in built.files.items():
            content_of(built.folder / name, digest)
    return built


def _mark(history: History | None, found: Found) -> list[Fault]:
    """Tell the history which runs are published now."""
    if history is None:
        return []
    made_by = [known.made_by for known in found.known.values() if known.made_by]
    fresh = [run.id for run in made_by if not run.published]
    try:
        if fresh:
            history.mark_published(fresh)
    except HistoryError as error:
        message = f"the site is up, but its runs are not marked: {error.faults[0].message}"
        return [Fault(NOT_MARKED, message, error.faults[0].place, error.faults[0].help)]
    return []


def _missing_parts(index: Index) -> Iterator[str]:
    """Yield what the site does without, and why."""
    if index.base_url is None:
        yield "no sitemap.xml, because only --base-url tells where the site is"
    if not any(run.ended for report in index.reports for run in report.runs):
        yield "no feed.xml and no times, because no history tells when the runs were"
