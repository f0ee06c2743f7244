"""Histories of other versions, and files that are none."""

from __future__ import annotations

import os
import pwd
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from reportgen.errors import HistoryError
from reportgen.jobs.history import schema
from reportgen.jobs.history.store import SqlHistoryStore, open_history
from tests.jobs.history.samples import sample

ROOT = Path(__file__).parents[3]


def pragma(path: Path, name: str) -> object:
    """Return a setting of a file."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]


def test_a_new_history_is_made_with_its_folder(tmp_path: Path) -> None:
    """With the log that lets readers and a writer work at once, and the mark of reportgen."""
    path = tmp_path / "a" / "b c?#%" / "history.sqlite"
    record = sample()
    with open_history(str(path)) as history:
        history.begin(record)
        assert isinstance(history, SqlHistoryStore)
        assert history.database.query("PRAGMA synchronous") == [(2,)]
        assert history.database.query("PRAGMA foreign_keys") == [(1,)]

    assert pragma(path, "user_version") == schema.SCHEMA_VERSION
    assert pragma(path, "journal_mode") == "wal"
    assert pragma(path, "application_id") == int.from_bytes(b"rptg")
    # Nothing is left beside it.
    assert [file.name for file in path.parent.iterdir()] == ["history.sqlite"]


def test_an_empty_file_becomes_a_history(tmp_path: Path) -> None:
    """As left by a program that was killed before it wrote."""
    path = tmp_path / "history.sqlite"
    path.touch()
    record = sample()
    with open_history(str(path)) as history:
        history.begin(record)
        assert history.get_run(record.id) == record


def test_a_history_that_cannot_be_created_leaves_nothing(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first statements are taken back, and the next run creates the tables."""
    with monkeypatch.context() as broken:
        broken.setattr(schema, "INDEXES", (*schema.INDEXES, "NONSENSE"))
        with pytest.raises(HistoryError), open_history(where):
            pass

    record = sample()
    with open_history(where) as history:
        history.begin(record)
        assert history.get_run(record.id) == record


@pytest.mark.parametrize("version", [schema.SCHEMA_VERSION + 1, -1])
def test_a_history_of_another_version_is_rejected_and_not_changed(
    tmp_path: Path, version: int
) -> None:
    """Its tables are not known: no byte of the file changes, and nothing appears beside it."""
    path = tmp_path / "history.sqlite"
    with open_history(str(path)) as history:
        history.begin(sample())
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()

    with pytest.raises(HistoryError) as refused, open_history(str(path)):
        pass
    (fault,) = refused.value.diagnostics
    assert (fault.error_code.code, refused.value.exit_code) == ("E512", 5)
    assert f"version {version}" in fault.message
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["history.sqlite"]


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
    record = sample()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "history.sqlite"
        path.parent.chmod(0o755)
        with open_history(str(path)) as history:
            history.begin(record)
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
        assert [file.name for file in path.parent.iterdir()] == ["history.sqlite"]
    assert run.stdout.split() == [record.id]
