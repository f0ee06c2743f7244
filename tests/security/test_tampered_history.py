"""A history that somebody changed does not cost the report."""

from __future__ import annotations

import os
import sqlite3
import struct
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


def journal_of(history: Path, super_journal: Path) -> bytes:
    """Return a journal of SQLite without pages that names a super-journal (fileformat2, 3)."""
    magic, name = bytes.fromhex("d9d505f920a163d7"), bytes(super_journal)
    pages, page_bytes, sector_bytes = history.stat().st_size // 4096, 4096, 512
    header = magic + struct.pack(">5I", 0, 1, pages, sector_bytes, page_bytes)
    record = struct.pack(">I", 0x40000000 // page_bytes + 1) + name
    return (
        header.ljust(sector_bytes, b"\0")
        + record
        + struct.pack(">2I", len(name), sum(name))
        + magic
    )


def test_a_planted_journal_deletes_no_other_file(tmp_path: Path) -> None:
    """SQLite deletes the super-journal that a journal names, when it rolls that back."""
    spec, precious = tmp_path / "spec.toml", tmp_path / "precious.txt"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    history = tmp_path / "out/history.sqlite"
    run_job(Job(spec, tmp_path / "out", ("json",), history=str(history)))
    with closing(sqlite3.connect(history)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
    precious.write_bytes(b"precious")
    Path(f"{history}-journal").write_bytes(journal_of(history, precious))
    (tmp_path / "out/spec/results.json").unlink()
    outcome = run_job(Job(spec, tmp_path / "out", ("json",), history=str(history)))

    assert precious.read_bytes() == b"precious"
    assert outcome.exit_code is ExitCode.OUTPUT
    assert {fault.error_code.code for fault in outcome.diagnostics} == {"E511"}
    assert (tmp_path / "out/spec/results.json").is_file()


@pytest.mark.parametrize("content", [None, b""], ids=["no file", "empty file"])
def test_a_link_in_place_of_the_history_is_not_followed(
    tmp_path: Path, content: bytes | None
) -> None:
    """It would become a history, wherever it is."""
    spec, target = tmp_path / "spec.toml", tmp_path / "target"
    spec.write_text(counted_spec([[40, 10], [8, 60]]), encoding="utf-8")
    if content is not None:
        target.write_bytes(content)
    history = tmp_path / "out/history.sqlite"
    history.parent.mkdir()
    history.symlink_to(target)
    outcome = run_job(Job(spec, tmp_path / "out", ("json",), history=str(history)))

    assert outcome.exit_code is ExitCode.OUTPUT
    assert {fault.error_code.code for fault in outcome.diagnostics} == {"E510"}
    assert (tmp_path / "out/spec/results.json").is_file()
    assert (target.read_bytes() if target.exists() else None) == content
