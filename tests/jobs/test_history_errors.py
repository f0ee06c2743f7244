"""A history that cannot be used never costs a report, and is never made worse."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.history import schema
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.jobs.runs import assert_new_report_stands, build
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_a_broken_history_does_not_cost_the_report(reported: Path) -> None:
    """The report is written, the fault of the history is told, and the exit code is 5."""
    (reported / "reports/history.sqlite").write_bytes(b"no history" * 1000)

    run = build(reported, "small.toml")

    assert run.returncode == 5
    assert "error[E51" in run.stderr
    assert_new_report_stands(reported)


@pytest.mark.parametrize("place", ["the first page", "every page"])
def test_flipped_bytes_in_the_history_do_not_cost_the_report(reported: Path, place: str) -> None:
    """Exit 5, what is damaged and the way out; what is left of the history stays as it is."""
    path = reported / "reports/history.sqlite"
    damaged = bytearray(path.read_bytes())
    pages = [0] if place == "the first page" else range(0, len(damaged), 4096)
    for page in pages:
        # After the header, which says whose file it is, where pages say what is in them.
        for at in range(page + 100, page + 140):
            damaged[at] ^= 0xFF
    path.write_bytes(damaged)

    run = build(reported, "small.toml")

    assert run.returncode == 5, run.stderr
    assert "error[E511]: the history reports/history.sqlite is corrupt" in run.stderr
    assert "mv reports/history.sqlite reports/history.sqlite.corrupt" in run.stderr
    assert path.read_bytes() == bytes(damaged)
    assert_new_report_stands(reported)


def test_a_history_of_another_version_is_rejected_and_not_changed(reported: Path) -> None:
    """Exit 5, and the report is written."""
    path = reported / "reports/history.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
        connection.execute("PRAGMA journal_mode = delete")
    before = path.read_bytes()

    run = build(reported, "small.toml")

    assert run.returncode == 5, run.stderr
    assert schema.describe_version(schema.SCHEMA_VERSION + 1) in run.stderr
    assert path.read_bytes() == before
    assert_new_report_stands(reported)


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
