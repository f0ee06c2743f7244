"""What the history knows of the reports of a site."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.past import NO_PAST
from reportgen.frozen import frozen
from reportgen.jobs.history.record import RunState

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.over_time.past import Past
    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import History
    from reportgen.jobs.publishing.built import Built

VARIABLE, FILE = "REPORTGEN_HISTORY", "history.sqlite"
MOST_SHOWN = 30


@frozen
class Remembered:
    """What is known of one report: the run that made it, the last one, and those before."""

    made_by: RunRecord | None = None
    last: RunRecord | None = None
    past: Past = NO_PAST


NOTHING = Remembered()


@contextmanager
def history_of(runs: Path, named: str | None) -> Iterator[History | None]:
    """Open the history of an output folder: the one that is named, else its own if there is one."""
    where = named or os.environ.get(VARIABLE) or ""
    if not where:
        own = runs / FILE
        if not own.is_file():
            yield None
            return
        where = str(own)
    from reportgen.jobs.history.opening import open_history

    with open_history(where, must_exist=True) as history:
        yield history


def remembered(
    history: History, ended: Sequence[RunRecord], reports: Sequence[Built]
) -> dict[str, Remembered]:
    """Return what is known of each report, by the name of its folder; the latest runs first."""
    made_by: dict[str, RunRecord] = {}
    last: dict[str, RunRecord] = {}
    for run in ended:
        last.setdefault(folder_name(run), run)
        if run.state is RunState.WRITTEN:
            made_by.setdefault(run.manifest, run)
    return {
        report.name: _known(history, made_by.get(report.manifest), last.get(report.name))
        for report in reports
    }


def never_written(ended: Sequence[RunRecord]) -> dict[str, RunRecord]:
    """Return the last run of every spec that never came to a report, by the name of its folder."""
    written = {folder_name(run) for run in ended if run.state is RunState.WRITTEN}
    found: dict[str, RunRecord] = {}
    for run in ended:
        if folder_name(run) not in written:
            found.setdefault(folder_name(run), run)
    return found


def ended_runs(history: History) -> tuple[RunRecord, ...]:
    """Return all runs that have ended, the latest first."""
    return tuple(run for run in history.runs() if run.state is not RunState.BEGUN)


def folder_name(run: RunRecord) -> str:
    """Return the name of a run's output folder, wherever that was when it ran."""
    return Path(run.output).name or run.name


def _known(history: History, made_by: RunRecord | None, last: RunRecord | None) -> Remembered:
    known = made_by or last
    past = history.past(known.name, MOST_SHOWN) if known else NO_PAST
    return Remembered(made_by, last or made_by, past)
