"""Whole runs one after the other: the report knows what earlier ones found."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.jobs.history.store import open_history
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.formats import OutputFormat

SPEC = f"""\
title = "Week by week"
{YES_OR_NO}
[data]
truth = "truth"
prediction = "predicted"
[[classifiers]]
name = "A"
predictions = "a.csv"
"""
FOLDS = """\
title = "Folds"
[task]
kind = "binary"
positive = "yes"
[[classifiers]]
name = "A"
fold_scores = {{ accuracy = [{values}] }}
"""


def write_cases(folder: Path, hits: int, missed: int, alarms: int, quiet: int) -> None:
    """Write as many cases of each outcome."""
    rows = (
        ("yes,yes\n" * hits) + ("yes,no\n" * missed) + ("no,yes\n" * alarms) + ("no,no\n" * quiet)
    )
    (folder / "a.csv").write_text(f"truth,predicted\n{rows}", encoding="utf-8")


def run(folder: Path, *formats: OutputFormat) -> dict[str, bytes]:
    """Build the report once more and return its files."""
    job = Job(folder / "spec.toml", folder / "out", formats, history=str(folder / "runs.sqlite"))
    outcome = run_job(job)
    assert outcome.diagnostics == ()
    return {path.name: path.read_bytes() for path in job.folder.iterdir() if path.is_file()}


def test_the_third_run_shows_the_first_two_and_what_changed_since(tmp_path: Path) -> None:
    """80, 82 and then 60 of 100 positives are found."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    write_cases(tmp_path, 80, 20, 30, 170)
    first = run(tmp_path, "html", "json")
    write_cases(tmp_path, 82, 18, 30, 170)
    second = run(tmp_path, "html", "json")
    write_cases(tmp_path, 60, 40, 30, 170)
    third = run(tmp_path, "html", "json")

    assert b"Trend and change since the last run" not in first["report.html"]
    assert b"No significant change in any tested quantity for" in second["report.html"]
    assert b"(2 runs shown)" in third["report.html"]
    rows = json.loads(third["results.json"])["changes"]
    by_measure = {row["measure"]: row["verdict"] for row in rows if row["class"] is None}
    assert by_measure["sensitivity"] == "significant change"
    assert by_measure["specificity"] == "no significant change"
    (of_yes,) = (row for row in rows if (row["class"], row["measure"]) == ("yes", "sensitivity"))
    assert (of_yes["then"], of_yes["now"]) == (0.82, 0.6)


def test_a_changed_input_file_is_reported_with_the_cases_that_changed(tmp_path: Path) -> None:
    """A damaged file has as many rows; of 300 cases two are predicted otherwise, one each way."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    write_cases(tmp_path, 80, 20, 30, 170)
    first = run(tmp_path, "markdown", "json")
    write_cases(tmp_path, 79, 21, 31, 169)
    second = run(tmp_path, "markdown", "json")
    write_cases(tmp_path, 79, 21, 31, 170)
    third = run(tmp_path, "markdown", "json")

    assert json.loads(first["results.json"])["input_changes"] == []
    (row,) = json.loads(second["results.json"])["input_changes"]
    assert (row["path"], row["state"]) == ("a.csv", "changed")
    assert (row["rows_then"], row["rows_now"], row["min_changed_cases"]) == (300, 300, 2)
    text = second["report.md"].decode()
    assert "Input files by their hashes: 1 changed. `a.csv`: 300 rows then and now" in text
    assert "at least 2 cases with another true or predicted class." in text
    (row,) = json.loads(third["results.json"])["input_changes"]
    assert (row["rows_then"], row["rows_now"], row["min_changed_cases"]) == (300, 301, None)
    assert "`a.csv`: 300 rows then, 301 now." in third["report.md"].decode()


def test_running_again_on_the_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    """The history has grown by a run meanwhile, but by nothing new."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    write_cases(tmp_path, 80, 20, 30, 170)
    run(tmp_path, "html")
    write_cases(tmp_path, 60, 40, 30, 170)
    files = run(tmp_path, "html", "json")

    assert run(tmp_path, "html", "json") == files
    assert run(tmp_path, "html", "json") == files
    assert b"Trend and change since the last run" in files["report.html"]


@pytest.mark.slow
def test_as_many_runs_are_shown_again_as_at_first(tmp_path: Path) -> None:
    """Five runs, of which three are shown, also when the last of them is repeated."""
    (tmp_path / "spec.toml").write_text(f"{SPEC}[history]\nshow = 3\n", encoding="utf-8")
    for hits in (80, 81, 82, 83):
        write_cases(tmp_path, hits, 100 - hits, 30, 170)
        run(tmp_path, "json")
    write_cases(tmp_path, 84, 16, 30, 170)
    files = run(tmp_path, "html")

    assert b"(3 runs shown)" in files["report.html"]
    assert run(tmp_path, "html") == files


def test_means_over_folds_are_remembered(tmp_path: Path) -> None:
    """A mean of 0.8 then and 0.7 now: shown with their intervals, and not tested."""
    spec = tmp_path / "spec.toml"
    spec.write_text(FOLDS.format(values="0.78, 0.8, 0.82"), encoding="utf-8")
    run(tmp_path, "json")
    spec.write_text(FOLDS.format(values="0.69, 0.7, 0.71"), encoding="utf-8")
    (row,) = json.loads(run(tmp_path, "json")["results.json"])["changes"]

    assert (row["then"], row["now"]) == (pytest.approx(0.8), pytest.approx(0.7))
    assert row["low"] < row["difference"] < row["high"]
    assert row["verdict"] == "not tested"
    with open_history(str(tmp_path / "runs.sqlite")) as history:
        values = [
            record.values["A", None, None, "accuracy"].value
            for record in history.load_previous_runs("spec", 9).runs
        ]
    assert values == [pytest.approx(0.8), pytest.approx(0.7)]


def test_monitoring_counts_all_runs(tmp_path: Path) -> None:
    """The reference and three runs, although the trend shows one."""
    monitored = "[history]\nshow = 1\nerror_rate = 0.05\n[[classifiers]]"
    (tmp_path / "spec.toml").write_text(
        SPEC.replace("[[classifiers]]", monitored), encoding="utf-8"
    )
    for hits in (80, 82, 81, 60):
        write_cases(tmp_path, hits, 100 - hits, 30, 170)
        last = run(tmp_path, "html", "json")

    rows = json.loads(last["results.json"])["monitoring"]
    assert [(row["cases"], row["hits"]) for row in rows] == [(300, 252), (300, 251), (300, 230)]
    assert rows[0]["target"] == 250 / 300
    assert rows[-1]["run"] is None
    assert b"Monitoring over all runs" in last["report.html"]


def test_a_run_dated_in_the_future_is_warned_of_and_is_not_the_latest(tmp_path: Path) -> None:
    """One run under a wrong clock must not be the baseline of every run until that date."""
    (tmp_path / "spec.toml").write_text(SPEC, encoding="utf-8")
    history = tmp_path / "runs.sqlite"
    write_cases(tmp_path, 80, 20, 30, 170)
    run(tmp_path, "json")
    with closing(sqlite3.connect(history)) as connection, connection:
        connection.execute("UPDATE runs SET started = '2030' || substr(started, 5)")
        connection.execute("UPDATE runs SET ended = '2030' || substr(ended, 5)")
    write_cases(tmp_path, 82, 18, 30, 170)
    job = Job(tmp_path / "spec.toml", tmp_path / "out", ("json",), history=str(history))
    second = run_job(job)
    with open_history(str(history)) as store:
        latest = store.runs(limit=1)[0]

    assert any("dated in the future" in warning for warning in second.warnings)
    assert latest.id == second.run_id
