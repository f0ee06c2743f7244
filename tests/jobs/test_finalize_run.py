"""What follows a run: it is remembered, and whoever wants to know is told, once."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.store import open_history
from reportgen.jobs.job import Job, JobOutcome
from reportgen.jobs.runner import finalize_run, run_job
from tests.jobs.history.samples import sample
from tests.jobs.runs import OLD, recorded_runs
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

CODE = "import sys; open('news.jsonl', 'a').write(sys.stdin.read() + '\\\\n')"
NOTICE = f"""
[[notify]]
on = ["failure", "gate_change", "recovery"]
command = ['{sys.executable}', "-c", "{CODE}"]
"""
GATE = '[[gates]]\nclassifier = "A"\nmeasure = "accuracy"\nat_least = {}\n'


def without_data(spec: str) -> str:
    """Return a spec whose prediction file does not exist."""
    text = re.sub(r"confusion = .*", 'predictions = "missing.csv"', spec)
    return f'{text}\n[data]\ntruth = "truth"\nprediction = "prediction"\n'


def run(folder: Path, spec: str, *, is_final: bool = True) -> JobOutcome:
    """Run a spec and conclude it."""
    path = folder / "small.toml"
    path.write_text(spec, encoding="utf-8")
    (folder / "out").mkdir(exist_ok=True)
    job = Job(path, folder / "out", ("json",), history=str(folder / "out/history.sqlite"))
    return finalize_run(job, run_job(job), is_final=is_final)


def headlines(folder: Path) -> list[str]:
    """Return what was told so far."""
    path = folder / "news.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    return [json.loads(line)["headline"] for line in lines]


@pytest.fixture
def good() -> str:
    """Return a spec that passes its gate: 100 of 118 are right."""
    return counted_spec(OLD) + GATE.format(0.8) + NOTICE


def test_people_are_notified_of_changes_and_not_of_every_night(tmp_path: Path, good: str) -> None:
    """Well, well, a closed gate, still closed, broken, well again: three pieces of news of six."""
    bad = good.replace("at_least = 0.8", "at_least = 0.99")
    broken = without_data(good)

    codes = [run(tmp_path, spec).exit_code for spec in (good, good, bad, bad, broken, good)]

    assert codes == [0, 0, 1, 1, 3, 0]
    assert headlines(tmp_path) == [
        "A test: 1 of 1 gates failed",
        "A test: run failed",
        "A test: recovered",
    ]
    assert [record.exit_code for record in recorded_runs(tmp_path / "out")] == [0, 3, 1, 1, 0, 0]


def test_a_spec_that_broke_can_still_say_so(
    tmp_path: Path, good: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The recipients are read although the rest is invalid; its commands are not run."""
    monkeypatch.setenv("HOOK", "ftp://example.org")
    webhook = '[[notify]]\non = ["failure"]\nwebhook = "HOOK"\n'
    outcome = run(tmp_path, good.replace("confusion", "confusions") + webhook)

    assert [warning.partition(" failed")[0] for warning in outcome.warnings] == [
        "notification by the webhook in $HOOK"
    ]
    assert headlines(tmp_path) == []


def test_a_failure_is_remembered_with_its_code(tmp_path: Path, good: str) -> None:
    """And with its title: whoever reads of it later knows it, and can look it up."""
    outcome = run(tmp_path, good.replace("confusion", "confusions"))
    (record,) = recorded_runs(tmp_path / "out")

    first = outcome.diagnostics[0]
    assert record.errors[0] == f"{first.error_code.code}: {first.message}"
    assert record.title == "A test"


def test_ids_in_messages_are_not_kept(tmp_path: Path, good: str) -> None:
    """Of an error in the data the history has the code, the title and how often it occurred."""
    rows = "id,truth,prediction\nPatient 17,yes,yes\nPatient 17,no,no\n"
    (tmp_path / "missing.csv").write_text(rows, encoding="utf-8")
    spec = without_data(good) + 'id = "id"\n'
    outcome = run(tmp_path, spec)
    (record,) = recorded_runs(tmp_path / "out")

    assert "Patient 17" in outcome.diagnostics[0].message
    assert record.errors
    assert not any("Patient" in error for error in record.errors)


def test_a_failed_notification_does_not_fail_the_run(tmp_path: Path, good: str) -> None:
    """It is a warning."""
    outcome = run(tmp_path, good.replace("0.8", "0.99").replace(sys.executable, "no-such-program"))

    assert outcome.exit_code is ExitCode.GATE_FAILED
    assert outcome.warnings[-1].startswith("notification by the command `no-such-program` failed")


def test_what_is_tried_again_is_recorded_but_nobody_is_notified(tmp_path: Path) -> None:
    """Only the last try is news."""
    path = tmp_path / "small.toml"
    path.write_text('[task]\nkind = "binary"\n' + NOTICE, encoding="utf-8")
    (tmp_path / "out").mkdir()
    job = Job(path, tmp_path / "out", history=str(tmp_path / "out/history.sqlite"))

    finalize_run(job, run_job(job), is_final=False)

    assert headlines(tmp_path) == []
    assert len(recorded_runs(tmp_path / "out")) == 1


def test_nobody_hears_of_a_recovery_from_what_nobody_heard_of(tmp_path: Path, good: str) -> None:
    """The first try fails and is not told, since it is tried again; the second is well."""
    run(tmp_path, good)
    broken = run(tmp_path, good.replace("positive", "positives"), is_final=False)
    run(tmp_path, good)

    assert broken.exit_code is ExitCode.SPEC
    assert headlines(tmp_path) == []
    assert [record.is_final for record in recorded_runs(tmp_path / "out")] == [True, False, True]


def test_between_two_tries_a_notified_failure_is_not_forgotten(tmp_path: Path, good: str) -> None:
    """Told last night; tonight the first try fails, the second is well: that is a recovery."""
    broken = without_data(good)
    run(tmp_path, broken)
    run(tmp_path, broken, is_final=False)
    run(tmp_path, good)

    assert headlines(tmp_path) == ["A test: run failed", "A test: recovered"]


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.INTERRUPTED])
def test_a_run_that_nobody_saw_end_is_no_failure_to_recover_from(
    tmp_path: Path, good: str, state: RunState
) -> None:
    """Another machine is at it, or was switched off: nobody was told."""
    run(tmp_path, good)
    other_run = sample(name="small", state=state)
    with open_history(str(tmp_path / "out/history.sqlite")) as history:
        now = datetime.now(UTC)
        history.begin(replace(other_run, started=now, ended=now, exit_code=4, gates=()))
    run(tmp_path, good)

    assert headlines(tmp_path) == []


def test_what_never_was_built_leaves_no_trace(tmp_path: Path) -> None:
    """A misspelt name does not make a folder with a history of failures."""
    job = Job(
        tmp_path / "typo.toml", tmp_path / "out", history=str(tmp_path / "out/history.sqlite")
    )

    outcome = finalize_run(job, run_job(job))

    assert outcome.exit_code is ExitCode.SPEC
    assert not (tmp_path / "out").exists()
