"""What is forgotten and what never is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.schema import (
    CONFUSIONS_TABLE,
    GATES_TABLE,
    INPUTS_TABLE,
    RUNS_TABLE,
    VALUES_TABLE,
)
from reportgen.jobs.history.store import SqlHistoryStore, open_history
from tests.jobs.history.samples import FIRST, WORSE, sample


def kept_days(where: str, *, keep: int | None = None, days: int | None = None) -> list[int]:
    """Prune and return the days of the runs that are left; what is announced is what is done."""
    before = None if days is None else FIRST + timedelta(days=days)
    with open_history(where) as history:
        announced = history.prunable_runs(keep=keep, before=before, name="churn")
        number = history.prune(keep=keep, before=before, name="churn")

        assert number == len(announced)
        left = history.runs("churn")
        assert not {run.id for run in announced} & {run.id for run in left}
    return [(run.started - FIRST).days for run in left]


def fill(where: str, **days: RunState) -> None:
    """Keep runs of some days, given as `day_1=…`."""
    with open_history(where) as history:
        for day, state in days.items():
            history.begin(sample(int(day.removeprefix("day_")), state=state))
        history.begin(sample(0, name="other"))


def test_the_latest_runs_are_kept(where: str) -> None:
    """Of five runs the latest two; runs of another name are not touched."""
    fill(where, **{f"day_{day}": RunState.COMPLETED for day in range(5)})

    assert kept_days(where, keep=2) == [4, 3]
    with open_history(where) as history:
        assert len(history.runs("other")) == 1


def test_runs_since_a_day_are_kept(where: str) -> None:
    """Day 3 is not before day 3."""
    fill(where, **{f"day_{day}": RunState.COMPLETED for day in range(5)})

    assert kept_days(where, days=3) == [4, 3]


def test_what_either_rule_keeps_is_kept(where: str) -> None:
    """The last two, or since day 1: days 1 to 4."""
    fill(where, **{f"day_{day}": RunState.COMPLETED for day in range(5)})

    assert kept_days(where, keep=2, days=1) == [4, 3, 2, 1]


def test_the_last_written_run_is_never_forgotten(where: str) -> None:
    """Three failures after it do not take away what the next run is compared with."""
    states = (RunState.COMPLETED, RunState.COMPLETED, *[RunState.FAILED] * 3)
    fill(where, **{f"day_{day}": state for day, state in enumerate(states)})

    assert kept_days(where, keep=1) == [4, 1]


def test_the_last_published_run_is_never_forgotten(where: str) -> None:
    """A gate may ask that no later one is worse than it."""
    runs = [sample(day, published=day in {0, 1}) for day in range(4)]
    with open_history(where) as history:
        for run in runs:
            history.begin(run)

    assert kept_days(where, keep=1) == [3, 1]


def test_the_last_run_on_other_data_is_never_forgotten(where: str) -> None:
    """A gate compares with it; without it, bad data twice in a row would have nothing to fear."""
    runs = [sample(day, data=data) for day, data in enumerate(["old", "good", "bad", "bad"])]
    with open_history(where) as history:
        for run in runs:
            history.begin(run)

    assert kept_days(where, keep=1) == [3, 1]


def test_the_last_run_that_did_not_fail_a_gate_is_never_forgotten(where: str) -> None:
    """All that came after it are still held against it, and against the last published such run."""
    runs = [sample(day, data=f"data-{day}", published=day in {0, 4}) for day in range(7)]
    with open_history(where) as history:
        for day, run in enumerate(runs):
            history.begin(run if day in {0, 1, 2} else replace(run, gates=(WORSE,)))

    # Days 2 and 1 are on two data, of which one may be that of now; day 0 is published and good,
    # day 4 published, and days 6 and 5 are the last of all.
    assert kept_days(where, keep=1) == [6, 5, 4, 2, 1, 0]


def test_a_run_under_way_is_not_forgotten(where: str) -> None:
    """It is still to be ended; one that began before it never will be."""
    states = (RunState.RUNNING, RunState.RUNNING, RunState.COMPLETED, RunState.COMPLETED)
    fill(where, **{f"day_{day}": state for day, state in enumerate(states)})

    assert kept_days(where, keep=1) == [3, 1]


def test_everything_of_a_forgotten_run_is_gone(where: str) -> None:
    """Of three runs with 2 inputs, 2 gates, 2 matrices and 6 scores each, two are left."""
    fill(where, day_1=RunState.COMPLETED, day_2=RunState.COMPLETED)
    assert kept_days(where, keep=1) == [2]

    with open_history(where) as history:
        assert isinstance(history, SqlHistoryStore)
        counts = {
            table.name: history.database.query(f"SELECT count(*) FROM {table.name}")  # noqa: S608
            for table in (RUNS_TABLE, INPUTS_TABLE, GATES_TABLE, CONFUSIONS_TABLE, VALUES_TABLE)
        }
    assert counts == {
        "runs": [(2,)],
        "inputs": [(4,)],
        "gates": [(4,)],
        "confusions": [(4,)],
        "measure_values": [(12,)],
    }


def test_nothing_is_forgotten_without_a_rule(where: str) -> None:
    """A call that names none is a mistake of the caller."""
    with open_history(where) as history, pytest.raises(ValueError, match="is required"):
        history.prune(keep=None, before=None, name=None)
