"""What was missed while nobody was there to do it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.errors import ExitCode
from reportgen.frozen import frozen
from reportgen.jobs.history.record import RunState
from reportgen.jobs.schedules.state import Entry, SpecState

if TYPE_CHECKING:
    from datetime import datetime

    from reportgen.jobs.history.store import History
    from reportgen.jobs.schedules.planning import Planned

# A run that ended in none of these was broken off, and has to be done again.
ENDED = {RunState.WRITTEN, RunState.FAILED}
BROKEN_OFF = {SpecState.RUNNING, SpecState.INTERRUPTED, SpecState.RETRYING}
RECENT = 20


@frozen
class LastRun:
    """When a spec was last built, and how that ended."""

    started: datetime
    exit_code: int


def last_run(planned: Planned, history: History) -> LastRun | None:
    """Return the last run of a spec that came to an end, as the history knows it."""
    runs = history.runs(planned.kept_as, most=RECENT)
    ended = [LastRun(run.started, run.exit_code) for run in runs if run.state in ENDED]
    return max(ended, key=lambda run: run.started, default=None)


def taken_up(name: str, earlier: Entry | None, remembered: LastRun | None) -> Entry:
    """Return what is known of a spec: what the scheduler before has left, and what ran since."""
    entry = Entry(name, "") if earlier is None else replace(earlier, next=None)
    is_broken_off = entry.state in BROKEN_OFF
    if remembered is not None and (entry.last is None or remembered.started > entry.last):
        entry.last, entry.exit_code = remembered.started, remembered.exit_code
        is_broken_off = is_broken_off and remembered.exit_code > ExitCode.GATE_FAILED
    entry.state = SpecState.INTERRUPTED if is_broken_off else state_by(entry.exit_code)
    return entry


def state_by(exit_code: int | None) -> SpecState:
    """Return how a spec is by how its last run ended."""
    if exit_code is None:
        return SpecState.WAITING
    return SpecState.DONE if exit_code <= ExitCode.GATE_FAILED else SpecState.FAILED


def is_missed(planned: Planned, entry: Entry, now: datetime) -> bool:
    """Tell whether a spec was due since it last ran, or was broken off.

    What never ran has missed nothing, and times that a new schedule names have no past.
    """
    if entry.state is SpecState.INTERRUPTED:
        return True
    schedule = planned.schedule
    is_other = entry.cron is not None and (entry.cron, entry.timezone) != (
        schedule.cron,
        schedule.timezone,
    )
    if is_other or entry.last is None:
        return False
    return planned.timetable.latest(entry.last, now) is not None
