"""A history that somebody changed does not cost the report."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

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
