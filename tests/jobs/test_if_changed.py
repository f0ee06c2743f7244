"""`--if-changed`: what would come out the same is left alone, and nothing else is."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import Diagnostic, ExitCode, RenderingError
from reportgen.errors.run import PANGO_MISSING
from reportgen.jobs.history.store import open_history
from reportgen.jobs.job import Job, JobOutcome
from reportgen.jobs.runner import finalize_run, run_job
from tests.jobs.runs import write_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SPEC = """\
title = "Churn"
[task]
kind = "binary"
positive = "yes"
[data]
id = "id"
truth = "truth"
labels = "labels.csv"
[[classifiers]]
name = "A"
predictions = "fold*.csv"
[[sections]]
kind = "text"
file = "own.md"
after = "summary"
[[gates]]
classifier = "A"
measure = "accuracy"
at_least = 0.9
"""


@pytest.fixture
def built_report(tmp_path: Path) -> Path:
    """Return a folder with a spec whose report was built: 6 of 8 are right, so its gate failed."""
    (tmp_path / "churn.toml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "own.md").write_text("As *we* see it.", encoding="utf-8")
    truths = ["yes", "yes", "no", "no"]
    for fold in range(2):
        rows = [f"{fold}{at},{truth}" for at, truth in enumerate(["yes", "no", "no", "no"])]
        (tmp_path / f"fold{fold}.csv").write_text("\n".join(["id,prediction", *rows]), "utf-8")
    labels = [f"{fold}{at},{truth}" for fold in range(3) for at, truth in enumerate(truths)]
    (tmp_path / "labels.csv").write_text("\n".join(["id,truth", *labels]), "utf-8")
    assert again(tmp_path).exit_code is ExitCode.GATE_FAILED
    return tmp_path


def again(folder: Path, history: Path | None = None) -> JobOutcome:
    """Build if anything changed."""
    job = Job(
        folder / "churn.toml",
        folder / "out",
        formats=("json", "html"),
        history=None if history is None else str(history),
        if_changed=True,
    )
    return finalize_run(job, run_job(job))


def test_a_gate_that_failed_is_still_failed_when_nothing_changed(built_report: Path) -> None:
    """The report stays to the byte, and its exit code, too: a cron job must not turn green."""
    before = (built_report / "out/churn/manifest.json").read_bytes()

    outcome = again(built_report)

    assert outcome.unchanged
    assert outcome.exit_code is ExitCode.GATE_FAILED
    [gate] = outcome.gates
    assert (gate.classifier, gate.measure, gate.observed, gate.criterion) == (
        "A",
        "accuracy",
        0.75,
        0.9,
    )
    assert (built_report / "out/churn/manifest.json").read_bytes() == before


@pytest.mark.slow
def test_a_report_whose_pdf_could_not_be_made_is_built_again(tmp_path: Path) -> None:
    """Once Pango is there, the next run makes what was wanting."""
    write_spec(tmp_path)
    job = Job(tmp_path / "small.toml", tmp_path / "out", ("json", "pdf"), if_changed=True)
    with pytest.MonkeyPatch.context() as broken:
        broken.setattr("reportgen.render.pdf.render_pdf", _without_pango)
        assert run_job(job).exit_code is ExitCode.ENVIRONMENT
    assert not (tmp_path / "out/small/report.pdf").exists()

    outcome = run_job(job)

    assert not outcome.unchanged
    assert (tmp_path / "out/small/report.pdf").exists()


def _without_pango(*_arguments: object, **_options: object) -> None:
    raise RenderingError(Diagnostic(PANGO_MISSING, "PDF needs Pango"))


def _touch_labels(folder: Path) -> None:
    path = folder / "labels.csv"
    path.write_text(path.read_text("utf-8").replace("00,yes", "00,no"), "utf-8")


def _another_fold(folder: Path) -> None:
    rows = ["id,prediction", *(f"2{at},yes" for at in range(4))]
    (folder / "fold2.csv").write_text("\n".join(rows), "utf-8")


def _other_version(folder: Path) -> None:
    path = folder / "out/churn/manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["versions"]["polars"] = "0.0.1"
    path.write_text(json.dumps(manifest), "utf-8")


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_touch_labels, id="a label"),
        pytest.param(_another_fold, id="one more file that the pattern matches"),
        pytest.param(lambda folder: (folder / "fold1.csv").unlink(), id="one file less"),
        pytest.param(
            lambda folder: (folder / "churn.toml").write_text(SPEC.replace("0.9", "0.5"), "utf-8"),
            id="the spec",
        ),
        pytest.param(lambda folder: (folder / "own.md").write_text("New.", "utf-8"), id="own text"),
        pytest.param(_other_version, id="a version"),
        pytest.param(
            lambda folder: (folder / "out/churn/report.html").unlink(), id="a page that is gone"
        ),
        pytest.param(
            lambda folder: (folder / "out/churn/results.json").write_text("{}", "utf-8"),
            id="results that somebody changed",
        ),
        pytest.param(
            lambda folder: (folder / "out/churn/manifest.json").write_text("[1]", "utf-8"),
            id="a manifest that is none",
        ),
    ],
)
def test_whatever_changed_is_noticed(built_report: Path, change: Callable[[Path], object]) -> None:
    """Then the report is built."""
    change(built_report)

    outcome = again(built_report)

    assert not outcome.unchanged
    assert outcome.files
    assert again(built_report).unchanged


def states(history: Path) -> list[tuple[str, int]]:
    """Return how the runs that are remembered ended, the latest first."""
    with open_history(str(history), must_exist=True) as opened:
        return [(str(run.state), run.exit_code) for run in opened.runs()]


def test_after_a_failure_the_same_inputs_are_built_again(
    built_report: Path, tmp_path: Path
) -> None:
    """Else the failure would be the last that anybody hears, though all is as it was."""
    history = tmp_path / "history.sqlite"
    notice = f"""
[[notify]]
on = ["failure", "recovery"]
command = ['{sys.executable}', "-c", "open('news', 'a').write(__import__('sys').stdin.read())"]
"""
    (built_report / "churn.toml").write_text(SPEC.replace("0.9", "0.5") + notice, "utf-8")
    assert again(built_report, history).exit_code is ExitCode.SUCCESS
    assert again(built_report, history).unchanged
    labels = (built_report / "labels.csv").rename(built_report / "away.csv")
    assert again(built_report, history).exit_code is ExitCode.DATA
    labels.rename(built_report / "labels.csv")

    outcome = again(built_report, history)

    assert not outcome.unchanged
    assert outcome.exit_code is ExitCode.SUCCESS
    assert states(history) == [("completed", 0), ("failed", 3), ("completed", 0)]
    assert "recovered" in (built_report / "news").read_text("utf-8")
    assert again(built_report, history).unchanged


def test_a_gate_that_failed_does_not_make_it_build_again(
    built_report: Path, tmp_path: Path
) -> None:
    """The run came to its report, which says so."""
    history = tmp_path / "history.sqlite"
    assert again(built_report, history).exit_code is ExitCode.GATE_FAILED

    assert again(built_report, history).unchanged
    assert states(history) == [("completed", 1)]


def test_a_run_that_the_history_does_not_know_is_made_up_for(
    built_report: Path, tmp_path: Path
) -> None:
    """The report was written while the history could not be: exit 5, then a run that is known."""
    history = tmp_path / "history.sqlite"
    history.mkdir()
    _touch_labels(built_report)
    failed = again(built_report, history)
    assert (failed.exit_code, bool(failed.files)) == (ExitCode.OUTPUT, True)
    assert again(built_report, history).exit_code is ExitCode.OUTPUT
    history.rmdir()

    outcome = again(built_report, history)

    assert not outcome.unchanged
    assert len(states(history)) == 1
    assert again(built_report, history).unchanged


def test_another_report_in_the_place_of_the_remembered_one_is_built_again(
    built_report: Path, tmp_path: Path
) -> None:
    """It was built without a history: the last run that is known made another."""
    history = tmp_path / "history.sqlite"
    again(built_report, history)
    _touch_labels(built_report)
    again(built_report)

    assert not again(built_report, history).unchanged
    assert len(states(history)) == 2
