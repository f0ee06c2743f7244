"""Whole runs one after the other, held against each other by a gate: nothing wears it down."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.gate_outcome import GateVerdict
from reportgen.jobs.history.store import open_history
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.history.record import GateRecord
    from reportgen.jobs.job import JobOutcome

SPEC = f"""\
title = "Night by night"
{YES_OR_NO}
[[classifiers]]
name = "A"
confusion = [[{{right}}, {{wrong}}], [100, 900]]
"""
GATE = """
[[gates]]
classifier = "A"
measure = "sensitivity"
not_worse_than_last = "{which}"
margin = 0.05
"""
KINDS = pytest.mark.parametrize("which", ["run", "published"])
GOOD, BAD = 900, 700


def run(folder: Path, right: int, which: str | None, more: str = "") -> JobOutcome:
    """Build on so many of 1000 positives that were found, with the gate or without, and publish."""
    spec = SPEC.format(right=right, wrong=1000 - right)
    gate = "" if which is None else GATE.format(which=which)
    (folder / "night.toml").write_text(spec + gate + more, encoding="utf-8")
    where = str(folder / "history.sqlite")
    outcome = run_job(Job(folder / "night.toml", folder / "out", ("json",), history=where))
    assert outcome.diagnostics == ()
    assert outcome.run_id is not None
    with open_history(where) as history:
        history.mark_published([outcome.run_id])
    return outcome


def gate_of(outcome: JobOutcome) -> GateRecord:
    """Return its gate."""
    (gate,) = outcome.gates
    return gate


@KINDS
def test_what_failed_fails_again_on_the_same_data(tmp_path: Path, which: str) -> None:
    """0.9, then 0.7 twice, all published: the second 0.7 is as bad as the first."""
    outcomes = [run(tmp_path, right, which) for right in (GOOD, BAD, BAD, BAD)]

    assert [outcome.exit_code for outcome in outcomes] == [0, 1, 1, 1]
    assert {gate_of(outcome).against for outcome in outcomes[1:]} == {outcomes[0].run_id}


@KINDS
def test_what_failed_is_no_standard_for_the_next_night(tmp_path: Path, which: str) -> None:
    """0.9, 0.7, and 0.701 with one case changed: it is held against the 0.9 as well."""
    first, *others = [run(tmp_path, right, which) for right in (GOOD, BAD, BAD + 1, BAD + 2)]

    assert first.exit_code == 0
    assert [outcome.exit_code for outcome in others] == [1, 1, 1]
    assert {gate_of(outcome).against for outcome in others} == {first.run_id}


@KINDS
def test_what_passed_passes_again_with_the_same_numbers(tmp_path: Path, which: str) -> None:
    """0.9, then 0.905 three times: always held against the 0.9."""
    _, second, third, fourth = [run(tmp_path, right, which) for right in (GOOD, 905, 905, 905)]

    assert gate_of(second).verdict is GateVerdict.PASSED
    assert gate_of(second) == gate_of(third) == gate_of(fourth)


@KINDS
def test_after_a_recovery_the_good_run_is_the_standard(tmp_path: Path, which: str) -> None:
    """0.9, 0.7, 0.91, and 0.905 is held against the 0.91."""
    *_, third, fourth = [run(tmp_path, right, which) for right in (GOOD, BAD, 910, 905)]

    assert (third.exit_code, fourth.exit_code) == (0, 0)
    assert gate_of(fourth).against == third.run_id


@KINDS
def test_a_fall_is_accepted_by_building_once_without_the_gate(tmp_path: Path, which: str) -> None:
    """0.9, 0.7 fails; built without the gate, 0.7 is the standard from the next data on."""
    run(tmp_path, GOOD, which)
    run(tmp_path, BAD, which)
    accepted = run(tmp_path, BAD, None)
    again = run(tmp_path, BAD, which)
    after = run(tmp_path, BAD + 1, which)

    # The same data are still what failed.
    assert (again.exit_code, after.exit_code) == (1, 0)
    assert gate_of(after).against == accepted.run_id


def test_a_long_row_of_failures_is_held_against_what_came_before_it(tmp_path: Path) -> None:
    """However few runs the report shows, and though all but the last two were pruned."""
    few = "[history]\nshow = 1\n"
    first = run(tmp_path, GOOD, "run", few)
    for right in range(BAD, BAD + 6):
        run(tmp_path, right, "run", few)
    with open_history(str(tmp_path / "history.sqlite")) as history:
        announced = history.prunable_runs(keep=2, before=None, name=None)
        assert history.prune(keep=2, before=None, name=None) == len(announced) == 4
    last = run(tmp_path, BAD - 1, "run", few)

    assert last.exit_code == 1
    assert gate_of(last).against == first.run_id


def test_a_run_that_could_not_be_compared_is_a_standard_for_the_next(tmp_path: Path) -> None:
    """Of another level of intervals nothing can be said: that fails once, and does not stay so."""
    level = "[intervals]\nlevel = 0.9\n"
    run(tmp_path, GOOD, "run")
    other = run(tmp_path, GOOD + 1, "run", level)
    after = run(tmp_path, 905, "run", level)

    assert (other.exit_code, gate_of(other).tested) == (1, False)
    assert (after.exit_code, gate_of(after).against) == (0, other.run_id)


def test_a_strict_gate_fails_until_there_is_something_to_compare_with(tmp_path: Path) -> None:
    """`first = "fail"`: red the first time and on the same data, then compared as any other."""
    strict = GATE.format(which="run").replace("margin", 'first = "fail"\nmargin')
    outcomes = [run(tmp_path, right, None, strict) for right in (GOOD, GOOD, 905)]

    assert [outcome.exit_code for outcome in outcomes] == [1, 1, 0]
    assert [gate_of(outcome).tested for outcome in outcomes] == [False, False, True]


@KINDS
def test_going_back_to_what_was_good_is_no_failure(tmp_path: Path, which: str) -> None:
    """Good, bad, good as before, bad as before: what passed passes again, what failed fails."""
    verdicts = [
        gate_of(run(tmp_path, right, which)).verdict for right in (GOOD, BAD, GOOD, BAD, GOOD)
    ]

    assert verdicts == [
        GateVerdict.UNTESTED,
        GateVerdict.FAILED,
        GateVerdict.UNTESTED,
        GateVerdict.FAILED,
        GateVerdict.UNTESTED,
    ]
