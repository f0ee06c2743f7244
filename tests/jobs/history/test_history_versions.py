"""Histories of earlier and of later versions, and files that are none."""

from __future__ import annotations

import os
import pwd
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from reportgen.errors import HistoryError
from reportgen.jobs.history import schema
from reportgen.jobs.history.record import RunState
from reportgen.jobs.history.schema import gates_to_rows, row_to_gate
from reportgen.jobs.history.store import SqlHistoryStore, open_history
from tests.jobs.history.first_version import FIRST_VERSION, KEPT, ROWS, write_first_version
from tests.jobs.history.samples import WORSE, sample

ROOT = Path(__file__).parents[3]
LATER = ("ALTER TABLE runs ADD COLUMN mood TEXT NOT NULL DEFAULT 'good'",)


def pragma(path: Path, name: str) -> object:
    """Return a setting of a file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_new_history_is_made_with_its_folder(tmp_path: Path) -> None:
    """With the log that lets readers and a writer work at once, and the mark of reportgen."""
    path = tmp_path / "a" / "b c?#%" / "history.sqlite"
    kept = sample()
    with open_history(str(path)) as history:
        history.begin(kept)
        assert isinstance(history, SqlHistoryStore)
        assert history.database.query("PRAGMA synchronous") == [(2,)]
        assert history.database.query("PRAGMA foreign_keys") == [(1,)]

    assert pragma(path, "user_version") == schema.SCHEMA_VERSION
    assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "application_id") == int.from_bytes(b"rptg")
    # Nothing is left beside it.
    assert [each.name for each in path.parent.iterdir()] == ["history.sqlite"]


def test_an_empty_file_becomes_a_history(tmp_path: Path) -> None:
    """As left by a program that was killed before it wrote."""
    path = tmp_path / "history.sqlite"
    path.touch()
    kept = sample()
    with open_history(str(path)) as history:
        history.begin(kept)
        assert history.get_run(kept.id) == kept


def test_the_columns_are_those_of_the_tables(where: str) -> None:
    """What is read and written names every column that the migrations have made."""
    with open_history(where) as history:
        assert isinstance(history, SqlHistoryStore)
        query = (
            "SELECT name FROM pragma_table_info(?)"
            if history.database.dialect is schema.SQLITE_DIALECT
            else "SELECT column_name FROM information_schema.columns WHERE table_name = ?"
            " AND table_schema = 'reportgen'"
        )
        names = {
            table: {name for (name,) in history.database.query(query, [table.name])}
            for table in (
                *(schema.RUNS_TABLE, schema.INPUTS_TABLE, schema.GATES_TABLE),
                *(schema.CONFUSIONS_TABLE, schema.VALUES_TABLE),
            )
        }
    assert names == {table: {*table.columns, "crc"} for table in names}


def test_a_history_of_the_first_version_is_read(tmp_path: Path) -> None:
    """A file as version 1 wrote it, byte for byte of its statements, is read and written today."""
    path = tmp_path / "history.sqlite"
    write_first_version(path)

    with open_history(str(path)) as history:
        assert history.get_run(KEPT.id) == KEPT
        history.finish(KEPT.id, RunState.FAILED, exit_code=1, ended=KEPT.ended)
        later = sample(3)
        history.begin(later)
        assert history.get_run(later.id) == later
    assert pragma(path, "user_version") == schema.SCHEMA_VERSION


def test_the_rows_of_the_first_version_are_brought_along(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In both databases: with the checksums of then, and they can be changed afterwards."""
    with monkeypatch.context() as then:
        then.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        then.setattr(schema, "SCHEMA_VERSION", 1)
        with open_history(where) as history:
            assert isinstance(history, SqlHistoryStore)
            with history.database.write_transaction():
                for table, row in ROWS.items():
                    marks = ", ".join("?" * len(row))
                    history.database.execute_many(f"INSERT INTO {table} VALUES ({marks})", [row])  # noqa: S608

    with open_history(where) as history:
        assert history.get_run(KEPT.id) == KEPT
        history.mark_final(KEPT.id, is_final=False)
        assert history.get_run(KEPT.id) == replace(KEPT, is_final=False)


def test_what_the_first_version_did_not_know_is_not_made_up(tmp_path: Path) -> None:
    """Neither the weight of counts, nor the positive class, nor who was told."""
    path = tmp_path / "history.sqlite"
    write_first_version(path)

    with open_history(str(path)) as history:
        (run,) = history.load_previous_runs(KEPT.name, 1).runs
        told = history.last_notified_run(KEPT.name, "")
    assert (run.weights, run.positive) == ({}, None)
    assert run.confusion == KEPT.confusion
    assert told is not None
    assert told.is_final is None


def test_a_gate_of_the_first_version_without_an_earlier_run_was_not_tested() -> None:
    """It passed and names no run: that there was none is what it passed by."""
    row = gates_to_rows(replace(KEPT, gates=(replace(WORSE, passed=True, against=None),)))[0]
    compared = gates_to_rows(replace(KEPT, gates=(replace(WORSE, passed=True),)))[0]

    # Without the checksum, and without what it did not know.
    assert row_to_gate((*row[:-2], None)).tested is False
    assert row_to_gate((*compared[:-2], None)).tested is True


def test_the_first_version_is_what_was_published() -> None:
    """Whoever changes it instead of adding a second one breaks the histories of everybody."""
    assert [schema.SQLITE_DIALECT.render(each) for each in schema.MIGRATIONS[0]] == list(
        FIRST_VERSION
    )


def test_an_older_history_is_brought_up_to_date(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A made-up next version adds a column; the runs of before are still there."""
    kept = sample()
    with open_history(where) as history:
        history.begin(kept)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, LATER))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)

    for _ in range(2):
        with open_history(where) as history:
            assert history.get_run(kept.id) == kept
            assert isinstance(history, SqlHistoryStore)
            assert history.database.query("SELECT mood FROM runs") == [("good",)]


def test_a_migration_that_fails_changes_nothing(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its first statement is taken back, and the earlier version goes on."""
    kept = sample()
    with open_history(where) as history:
        history.begin(kept)
    with monkeypatch.context() as broken:
        broken.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, (*LATER, "NONSENSE")))
        broken.setattr(schema, "SCHEMA_VERSION", schema.SCHEMA_VERSION + 1)
        with pytest.raises(HistoryError), open_history(where):
            pass

    with open_history(where) as history:
        assert history.get_run(kept.id) == kept


def test_a_newer_history_is_rejected_and_not_changed(tmp_path: Path) -> None:
    """Its tables are not known: no byte of the file changes, and nothing appears beside it."""
    path = tmp_path / "history.sqlite"
    with open_history(str(path)) as history:
        history.begin(sample())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION + 1}")
    before = path.read_bytes()

    with pytest.raises(HistoryError) as refused, open_history(str(path)):
        pass
    (fault,) = refused.value.diagnostics
    assert (fault.error_code.code, refused.value.exit_code) == ("E512", 5)
    assert f"version {schema.SCHEMA_VERSION + 1}" in fault.message
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["history.sqlite"]


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE notes (text)", "PRAGMA application_id = 1196444487"]
)
def test_a_database_of_another_program_is_not_changed(tmp_path: Path, statement: str) -> None:
    """It has tables without our version, or the mark of another program (here GeoPackage)."""
    path = tmp_path / "notes.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(statement)
        connection.commit()
    before = path.read_bytes()

    with pytest.raises(HistoryError) as refused, open_history(str(path)):
        pass
    assert refused.value.diagnostics[0].error_code.code == "E515"
    assert path.read_bytes() == before


def test_who_only_reads_makes_no_file(tmp_path: Path) -> None:
    """A mistyped name is told, instead of an empty history being shown."""
    path = tmp_path / "none" / "history.sqlite"

    with pytest.raises(HistoryError) as refused, open_history(str(path), must_exist=True):
        pass
    assert refused.value.diagnostics[0].error_code.code == "E517"
    assert not path.parent.exists()


@pytest.mark.parametrize("where", ["", "  ", "mysql://root:hunter2@host/db", "s3://bucket/h"])
def test_an_address_of_another_kind_is_rejected(where: str) -> None:
    """And not repeated, as there may be a password in it."""
    with pytest.raises(HistoryError) as refused, open_history(where):
        pass
    (fault,) = refused.value.diagnostics
    assert fault.error_code.code == "E510"
    assert "hunter2" not in str(refused.value)


def test_a_folder_is_no_history(tmp_path: Path) -> None:
    """The message names it."""
    with pytest.raises(HistoryError, match=str(tmp_path)) as refused, open_history(str(tmp_path)):
        pass
    assert refused.value.diagnostics[0].error_code.code == "E510"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_those_who_may_not_write_can_read() -> None:
    """The file and its folder belong to another user, and nothing is written beside it."""
    kept = sample()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.sqlite"
        path.parent.chmod(0o755)
        with open_history(str(path)) as history:
            history.begin(kept)
        code = (
            "import os\n"
            # Python itself may be where only root can read.
            "import reportgen.jobs.history.sqlite\n"
            "from reportgen.jobs.history.store import open_history\n"
            f"os.setuid({pwd.getpwnam('nobody').pw_uid})\n"
            f"with open_history({str(path)!r}, must_exist=True) as history:\n"
            "    print(*[run.id for run in history.runs()])\n"
        )
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert [each.name for each in path.parent.iterdir()] == ["history.sqlite"]
    assert run.stdout.split() == [kept.id]
