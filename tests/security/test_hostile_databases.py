"""A database file is data: its views read no other file, and cannot take the machine."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import duckdb
import pytest

from reportgen.errors import DataError, RenderingError
from reportgen.predictions import memory
from reportgen.predictions.formats import FileFormat
from reportgen.predictions.stored_tables import list_parts, read_stored_table

if TYPE_CHECKING:
    from pathlib import Path

ENDLESS = """CREATE VIEW rows AS WITH RECURSIVE numbers(n) AS
(SELECT 1 UNION ALL SELECT n + 1 FROM numbers)
SELECT 'yes' AS truth, 'no' AS prediction FROM numbers
"""


@pytest.mark.parametrize(
    "source",
    [
        "read_text('{path}')",
        "read_text('/proc/self/environ')",
        "read_csv('{path}')",
        "glob('{path}')",
        "sniff_csv('{path}')",
    ],
)
def test_a_view_of_duckdb_reads_no_other_file(tmp_path: Path, source: str) -> None:
    """The report would show its content: the environment has passwords."""
    secret = tmp_path / "secret.csv"
    secret.write_text("truth,prediction\nyes,password\n", encoding="utf-8")
    path = tmp_path / "evil.duckdb"
    with duckdb.connect(str(path)) as connection:
        query = f"SELECT * FROM {source.format(path=secret)}"  # noqa: S608  # of this test
        connection.execute(f"CREATE VIEW evil AS {query}")

    with pytest.raises(DataError, match="reads another file or an address"):
        read_stored_table(path, FileFormat.DUCKDB, "evil")
    with pytest.raises(DataError, match="reads another file or an address"):
        list_parts(path, FileFormat.DUCKDB)


def test_a_view_without_end_stops_before_the_memory_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kilobyte of SQLite has any number of rows; each query takes a gigabyte here."""
    path = tmp_path / "endless.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(ENDLESS)
    free = iter((3 << 30, 2 << 30, 1 << 30, 0))
    monkeypatch.setattr(memory, "available_memory", lambda: next(free))

    with pytest.raises(RenderingError, match="free memory does not suffice"):
        read_stored_table(path, FileFormat.SQLITE, "rows")


def test_a_value_of_gigabytes_is_not_made(tmp_path: Path) -> None:
    """A view of a few bytes makes a text of any length."""
    path = tmp_path / "long.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE VIEW rows AS SELECT zeroblob(500000000) AS truth")

    with pytest.raises(DataError, match="too big"):
        read_stored_table(path, FileFormat.SQLITE, "rows")
