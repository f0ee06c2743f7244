"""A history that somebody changed does not cost the report."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.small_specs import counted_spec

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE confusions SET counts = '[[1]]'",
        "UPDATE confusions SET counts = '[[-5, 1], [1, 1]]'",
        "UPDATE confusions SET counts = '[[1, 1], [1, 99999999999999999999]]'",
        "UPDATE runs SET ended = '2026-11-01T06:00:00'",
        "UPDATE runs SET level = 7.5",
        "UPDATE measure_values SET value = NULL, state = 'defined'",
    ],
)
def test_impossible_content_of_a_history_does_not_cost_the_report(
    tmp_path: Path, statement: str
) -> None:
    """The report is written, and the history is called corrupt."""
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    history = tmp_path / "runs.sqlite"
    job = Job(spec, tmp_path / "out", ("json",), history=str(history))
    first = run_job(job)
    with closing(sqlite3.connect(history)) as connection, connection:
        connection.execute(statement)
    (tmp_path / "out/spec/results.json").unlink()
    second = run_job(Job(spec, tmp_path / "out", ("json",), history=str(history)))

    assert (first.exit_code, second.exit_code) == (ExitCode.SUCCESS, ExitCode.OUTPUT)
    assert [fault.error_code.code for fault in second.diagnostics] == ["E511"]
    assert (tmp_path / "out/spec/results.json").is_file()


ENDLESS = """ALTER TABLE runs RENAME TO other; CREATE VIEW runs AS WITH RECURSIVE numbers(n) AS
(SELECT 1 UNION ALL SELECT n + 1 FROM numbers) SELECT other.* FROM other, numbers"""


@pytest.mark.parametrize(
    "statements",
    [
        ENDLESS,
        "CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM runs; END",
        "DROP TABLE gates; CREATE TABLE gates (run TEXT)",
    ],
    ids=["view without end", "trigger", "another table"],
)
def test_changed_tables_of_a_history_are_not_queried(tmp_path: Path, statements: str) -> None:
    """A view in place of a table computes for ever, and a trigger removes what was acknowledged."""
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    history = tmp_path / "runs.sqlite"
    run_job(Job(spec, tmp_path / "out", ("json",), history=str(history)))
    with closing(sqlite3.connect(history)) as connection:
        connection.executescript(statements)
    (tmp_path / "out/spec/results.json").unlink()
    outcome = run_job(Job(spec, tmp_path / "out", ("json",), history=str(history)))

    assert outcome.exit_code is ExitCode.OUTPUT
    assert {fault.error_code.code for fault in outcome.diagnostics} == {"E511"}
    assert (tmp_path / "out/spec/results.json").is_file()


def test_views_and_indexes_of_others_are_no_change(tmp_path: Path) -> None:
    """A dashboard may have added them."""
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    history = tmp_path / "runs.sqlite"
    for _ in range(2):
        job = Job(spec, tmp_path / "out", ("json",), history=str(history))
        assert run_job(job).exit_code is ExitCode.SUCCESS
        with closing(sqlite3.connect(history)) as connection:
            connection.execute("CREATE VIEW IF NOT EXISTS mine AS SELECT id FROM runs")


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_history_that_is_no_file_does_not_cost_the_report(tmp_path: Path, kind: str) -> None:
    """A pipe is not waited for."""
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    path = Path("/dev/null") if kind == "device" else tmp_path / "runs.sqlite"
    if kind == "pipe":
        os.mkfifo(path)
    outcome = run_job(Job(spec, tmp_path / "out", ("json",), history=str(path)))

    assert outcome.exit_code is ExitCode.OUTPUT
    assert {fault.error_code.code for fault in outcome.diagnostics} == {"E510"}
    assert (tmp_path / "out/spec/results.json").is_file()
