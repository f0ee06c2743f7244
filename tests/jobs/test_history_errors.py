"""A history that cannot be used never costs a report, and is never made worse."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.history import schema
from reportgen.jobs.job import Job
from reportgen.jobs.recording import manifest_hash
from reportgen.jobs.runner import run_job
from reportgen.output.atomic import read_regular_file
from tests.jobs.runs import assert_new_report_stands, build
from tests.small_specs import counted_spec

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow


def test_a_broken_history_does_not_cost_the_report(changed_report: Path) -> None:
    """The report is written, the fault of the history is told, and the exit code is 5."""
    (changed_report / "reports/history.sqlite").write_bytes(b"no history" * 1000)

    run = build(changed_report, "small.toml")

    assert run.returncode == 5
    assert "error[E51" in run.stderr
    assert_new_report_stands(changed_report)


@pytest.mark.parametrize("place", ["the first page", "every page"])
def test_flipped_bytes_in_the_history_do_not_cost_the_report(
    changed_report: Path, place: str
) -> None:
    """Exit 5, what is damaged and the way out; what is left of the history stays as it is."""
    path = changed_report / "reports/history.sqlite"
    damaged = bytearray(path.read_bytes())
    pages = [0] if place == "the first page" else range(0, len(damaged), 4096)
    for page in pages:
        # After the header, which says whose file it is, where pages say what is in them.
        for at in range(page + 100, page + 140):
            damaged[at] ^= 0xFF
    path.write_bytes(damaged)

    run = build(changed_report, "small.toml")

    assert run.returncode == 5, run.stderr
    assert "error[E511]: the history reports/history.sqlite is corrupt" in run.stderr
    assert "mv reports/history.sqlite reports/history.sqlite.corrupt" in run.stderr
    assert path.read_bytes() == bytes(damaged)
    assert_new_report_stands(changed_report)


def test_a_history_of_another_version_is_rejected_and_not_changed(changed_report: Path) -> None:
    """Exit 5, and the report is written."""
    path = changed_report / "reports/history.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
        connection.execute("PRAGMA journal_mode = delete")
    before = path.read_bytes()

    run = build(changed_report, "small.toml")

    assert run.returncode == 5, run.stderr
    assert schema.describe_version(schema.SCHEMA_VERSION + 1) in run.stderr
    assert path.read_bytes() == before
    assert_new_report_stands(changed_report)


def test_an_earlier_manifest_that_cannot_be_read_is_no_internal_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if there were none; the report is built."""
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    job = Job(spec, tmp_path / "out", ("json",), history=str(tmp_path / "runs.sqlite"))
    run_job(job)

    def denied(path: Path) -> bytes:
        if path.name == "manifest.json":
            raise PermissionError(13, "Permission denied", str(path))
        return read_regular_file(path)

    monkeypatch.setattr("reportgen.jobs.recording.read_regular_file", denied)

    assert manifest_hash(tmp_path / "out/spec") == ""
    assert run_job(job).exit_code in {ExitCode.SUCCESS, ExitCode.OUTPUT}


def test_a_slow_history_is_used_no_longer_than_its_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is written, the time is named, and nothing more is asked of the history."""
    spec = tmp_path / "spec.toml"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    job = Job(spec, tmp_path / "out", ("json",), history=str(tmp_path / "runs.sqlite"))
    assert run_job(job).exit_code is ExitCode.SUCCESS
    (tmp_path / "out/spec/results.json").unlink()
    monkeypatch.setattr("reportgen.jobs.recording.HISTORY_DEADLINE_SECONDS", 0.0)

    outcome = run_job(job)

    assert outcome.exit_code is ExitCode.OUTPUT
    (diagnostic,) = [row for row in outcome.diagnostics if row.error_code.code == "E513"]
    assert "in this run, which waits 0 s at most" in diagnostic.message
    assert (tmp_path / "out/spec/results.json").exists()
