"""What the history knows of the reports of a site."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.past import NO_PAST
from reportgen.frozen import frozen
from reportgen.jobs.history.record import RunState
from reportgen.places import HISTORY_FILE, HISTORY_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.over_time.past import Past
    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import History
    from reportgen.jobs.publishing.built import Built
    from reportgen.jobs.publishing.index import Index, PublishedReport

MOST_SHOWN = 30


@frozen
class Remembered:
    """What is known of one report: the run that made it, the last one, and those before."""

    made_by: RunRecord | None = None
    last: RunRecord | None = None
    past: Past = NO_PAST


NOTHING = Remembered()


@contextmanager
def opened_history(runs: Path, named: str | None) -> Iterator[History | None]:
    """Open the history of an output folder: the one that is named, else its own if there is one."""
    where = named or os.environ.get(HISTORY_VARIABLE) or ""
    if not where:
        own = runs / HISTORY_FILE
        if not own.is_file():
            yield None
            return
        where = str(own)
    from reportgen.jobs.history.opening import open_history

    with open_history(where, must_exist=True) as history:
        yield history


def runs_here(
    ended: Sequence[RunRecord], runs: Path, reports: Sequence[Built]
) -> tuple[RunRecord, ...]:
    """Return the runs that were written to a folder, the latest first: a history has others too.

    A folder that was moved, or is mounted elsewhere, has none. Then those count that were written
    to where its reports were made.
    """
    folders = {output: Path(output).parent.resolve() for output in {run.output for run in ended}}
    here = runs.resolve()
    own = tuple(run for run in ended if folders[run.output] == here)
    if own:
        return own
    made = {report.manifest for report in reports}
    origins = {
        folders[run.output]
        for run in ended
        if run.state is RunState.WRITTEN and run.manifest in made
    }
    return tuple(run for run in ended if folders[run.output] in origins)


def remembered(
    history: History,
    ended: Sequence[RunRecord],
    here: Sequence[RunRecord],
    reports: Sequence[Built],
    earlier: Index | None,
) -> dict[str, Remembered]:
    """Return what is known of each report, by the name of its folder.

    That is what was run `here`, the run that made the report wherever that was, and runs that the
    site has already.
    """
    made_by: dict[str, RunRecord] = {}
    # Of two runs with the same report that of this folder counts, and then the latest.
    for run in (*here, *ended):
        if run.state is RunState.WRITTEN:
            made_by.setdefault(run.manifest, run)
    return {
        report.name: _known(
            history,
            made_by.get(report.manifest),
            [run for run in here if folder_name(run) == report.name],
            earlier.report(report.name) if earlier else None,
        )
        for report in reports
    }


def never_written(here: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Return the last run of every spec that never came to a report, by the name of its folder.

    A spec that is gone, from a folder that is there, is not missed.
    """
    written = {folder_name(run) for run in here if run.state is RunState.WRITTEN}
    found: dict[str, RunRecord] = {}
    for run in here:
        if folder_name(run) not in written and not _is_gone(Path(run.spec)):
            found.setdefault(folder_name(run), run)
    return found


def _is_gone(spec: Path) -> bool:
    return spec.parent.is_dir() and not spec.exists()


def shared_names(
    known: Mapping[str, Remembered], ended: Sequence[RunRecord], here: Sequence[RunRecord]
) -> Iterator[str]:
    """Yield which reports are compared with runs of another folder, because these share a name."""
    newest: dict[str, RunRecord] = {}
    for run in ended:
        if run.state is RunState.WRITTEN:
            newest.setdefault(run.name, run)
    own = {run.id for run in here}
    for name, each in known.items():
        other = newest.get(each.last.name) if each.last else None
        if other and other.id not in own and other is not each.made_by:
            yield (
                f"{name}: the newest run that the history keeps as {other.name} is another's,"
                f" {other.spec} to {other.output}, and gates and trends compare with it;"
                " give one of the two another name in [history]"
            )


def ended_runs(history: History) -> tuple[RunRecord, ...]:
    """Return all runs that have ended, the latest first."""
    return tuple(run for run in history.runs() if run.state is not RunState.BEGUN)


def folder_name(run: RunRecord) -> str:
    """Return the name of a run's output folder, wherever that was when it ran."""
    return Path(run.output).name or run.name


def _known(
    history: History,
    made_by: RunRecord | None,
    here: Sequence[RunRecord],
    before: PublishedReport | None,
) -> Remembered:
    known = [*here[:1], *([made_by] if made_by else [])]
    if not known:
        return NOTHING
    last = max(known, key=lambda run: (run.started, run.id))
    published = {run.id for run in before.runs} if before else set()
    own = published.union(run.id for run in (*here, *known))
    past = history.past(last.name, MOST_SHOWN)
    return Remembered(
        made_by, last, replace(past, runs=tuple(run for run in past.runs if run.id in own))
    )
