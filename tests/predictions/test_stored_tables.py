"""Sheets of workbooks and tables of databases are read with the values that they have."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from contextlib import closing
from datetime import date, datetime
from typing import TYPE_CHECKING

import duckdb
import polars as pl
import pytest
import xlsxwriter

from reportgen.aggregates.aggregation import aggregate
from reportgen.errors import DataError, RemoteUri, SpecError
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.load import load_predictions
from reportgen.predictions.roles import ColumnOptions, InitOption, Question
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.predictions.stored_tables import list_parts, read_stored_table
from reportgen.predictions.table import open_table
from reportgen.spec import load_spec
from tests.cli.command import reportgen
from tests.postgres import PASSWORD
from tests.predictions.layouts.corpus import write_sqlite, write_workbook
from tests.predictions.spec_folder import BINARY, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

    from tests.postgres import Postgres

ROWS = [("yes", "yes"), ("no", "no"), ("yes", "no")]
FRAME = pl.DataFrame(ROWS, ["truth", "prediction"], orient="row")
CELLS = pl.DataFrame([("truth", "prediction"), *ROWS], orient="row").to_numpy().tolist()


def sheet(path: Path, name: str | None = None) -> pl.DataFrame:
    """Return a sheet of a workbook."""
    return read_stored_table(path, FileFormat.WORKBOOK, name).frame


def test_numbers_keep_all_their_digits_and_texts_their_zeros(tmp_path: Path) -> None:
    """Numbers among texts too: a reader that gives text rounds them to nine digits."""
    third = 1 / 3
    write_workbook(
        tmp_path / "a.xlsx",
        S=[
            ["number", "mixed", "id", "whole"],
            [third, third, "007", 1],
            [2 / 3, "failed", "0.333333333", 2],
        ],
    )

    frame = sheet(tmp_path / "a.xlsx")

    assert frame["number"].to_list() == [third, 2 / 3]
    assert [float(frame["mixed"][0]), frame["mixed"][1]] == [third, "failed"]
    assert frame["id"].to_list() == ["007", "0.333333333"]
    assert frame["whole"].to_list() == [1, 2]
    assert frame["whole"].dtype == pl.Int64


def test_dates_and_booleans_are_what_the_cells_show(tmp_path: Path) -> None:
    """A date has no time; a boolean is no number."""
    with xlsxwriter.Workbook(tmp_path / "a.xlsx", {"default_date_format": "yyyy-mm-dd"}) as book:
        cells = book.add_worksheet("S")
        cells.write_row(0, 0, ["day", "moment", "right"])
        cells.write_datetime(1, 0, date(2026, 11, 18))
        cells.write_datetime(1, 1, datetime(2026, 11, 18, 12, 30))  # noqa: DTZ001  # as cells are
        cells.write_boolean(1, 2, True)  # noqa: FBT003

    assert sheet(tmp_path / "a.xlsx").rows() == [("2026-11-18", "2026-11-18 12:30:00", True)]


def test_titles_above_the_header_and_blank_rows_are_skipped(tmp_path: Path) -> None:
    """Messages have the row of the spreadsheet."""
    rows: list[list[object]] = [["Results"], [], *CELLS, [], ["yes", None]]
    write_workbook(tmp_path / "A.xlsx", S=rows)

    stored = read_stored_table(tmp_path / "A.xlsx", FileFormat.WORKBOOK, None)
    (fault,) = faults(tmp_path, {"A": 'predictions = "A.xlsx"'}, data="")

    assert stored.first_row == 4
    assert stored.frame.height == 4
    assert fault.error_code.code == "E208"
    assert "(row 7)" in fault.message
    assert fault.help is not None
    assert 'missing = "wrong"' in fault.help


def test_a_first_data_row_is_no_header(tmp_path: Path) -> None:
    """The index that pandas writes has no name, but the labels below recur."""
    cases: list[list[object]] = [
        [f"case {number}", "yes" if number % 2 else "no", "yes"] for number in range(6)
    ]
    write_workbook(tmp_path / "A.xlsx", S=[[None, "truth", "prediction"], *cases])

    stored = read_stored_table(tmp_path / "A.xlsx", FileFormat.WORKBOOK, None)

    assert stored.names == ("truth", "prediction")
    assert stored.frame.height == 6


def test_titles_of_several_columns_are_above_the_header(tmp_path: Path) -> None:
    """Names that repeat have the title of their columns; others stay as they are."""
    heads: list[list[object]] = [
        [None, "Model A", None, "Model B"],
        ["truth", "prediction", "score", "prediction"],
    ]
    cases: list[list[object]] = [
        ["yes" if number % 2 else "no", "yes", 0.5, "no"] for number in range(6)
    ]
    write_workbook(tmp_path / "A.xlsx", S=[*heads, *cases])

    stored = read_stored_table(tmp_path / "A.xlsx", FileFormat.WORKBOOK, None)

    assert stored.names == ("truth", "Model A prediction", "score", "Model B prediction")
    assert stored.first_row == 3
    assert stored.frame.height == 6


def test_a_sheet_is_named_where_several_have_rows(tmp_path: Path) -> None:
    """The error lists them; a wrong name has a suggestion."""
    write_workbook(tmp_path / "A.xlsx", About=[["a", "b"], [1, 2]], Results=CELLS, Empty=[])
    classifier = {"A": 'predictions = "A.xlsx"'}

    (several,) = faults(tmp_path, classifier, data="")
    (unknown,) = faults(tmp_path, classifier, data='sheet = "Result"')
    counted = read(tmp_path, classifier, data='sheet = "Results"')

    assert several.error_code.code == unknown.error_code.code == "E245"
    assert "2 sheets: `About`, `Results`" in several.message
    assert unknown.help == "did you mean `Results`?"
    assert matrix(counted, "A") == ((1, 1), (0, 1))


@pytest.mark.parametrize(
    ("module", "file", "extra"), [("fastexcel", "A.xlsx", "excel"), ("duckdb", "A.db", "duckdb")]
)
def test_a_missing_package_is_named_with_its_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, file: str, extra: str
) -> None:
    """The error has the line to type."""
    if file.endswith("x"):
        write_workbook(tmp_path / file, S=CELLS)
    else:
        duckdb.connect(str(tmp_path / file)).close()
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(DataError) as error_info:
        open_table(tmp_path / file)

    (fault,) = error_info.value.diagnostics
    assert fault.error_code.code == "E246"
    assert fault.help == f"pip install 'reportgen-eval[{extra}]'"


def test_a_damaged_workbook_is_an_error(tmp_path: Path) -> None:
    """Its archive has the name of a workbook, and nothing that can be read."""
    write_workbook(tmp_path / "A.xlsx", S=CELLS)
    content = (tmp_path / "A.xlsx").read_bytes()
    broken = content.replace(b"xl/worksheets/sheet1.xml", b"xl/worksheets/sheet9.xml")
    (tmp_path / "A.xlsx").write_bytes(broken)

    with pytest.raises(DataError):
        open_table(tmp_path / "A.xlsx")


def test_the_values_of_sqlite_decide_on_the_types(tmp_path: Path) -> None:
    """SQLite has no column types: a column of integers and texts is text."""
    frame = pl.DataFrame({"id": ["01", "02"], "n": [1, 2], "x": [0.5, None]})
    write_sqlite(tmp_path / "a.db", t=frame)

    assert detect_format(tmp_path / "a.db") is FileFormat.SQLITE
    assert read_stored_table(tmp_path / "a.db", FileFormat.SQLITE, "t").frame.equals(frame)


def test_a_table_of_sqlite_is_named_where_there_are_several(tmp_path: Path) -> None:
    """A view is a table as well."""
    write_sqlite(tmp_path / "A.db", one=FRAME, two=FRAME.head(1))
    with sqlite3.connect(tmp_path / "A.db") as connection:
        connection.execute("CREATE VIEW both AS SELECT * FROM one UNION ALL SELECT * FROM two")
    connection.close()

    (fault,) = faults(tmp_path, {"A": 'predictions = "A.db"'}, data="")
    counted = read(tmp_path, {"A": 'predictions = "A.db"'}, data='table = "both"')

    assert "3 tables: `one`, `two`, `both`" in fault.message
    assert counted.case_count == 4


def test_a_database_is_read_without_a_trace(tmp_path: Path) -> None:
    """SQLite would make two files next to one in the mode of a write-ahead log, and leave them."""
    write_sqlite(tmp_path / "a.db", t=FRAME)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("PRAGMA journal_mode = wal")

    assert read_stored_table(tmp_path / "a.db", FileFormat.SQLITE, "t").frame.equals(FRAME)
    assert [path.name for path in tmp_path.iterdir()] == ["a.db"]


def test_rows_that_are_in_the_log_of_sqlite_only_are_an_error(tmp_path: Path) -> None:
    """They would change the numbers, and not the hash of the file in the manifest."""
    write_sqlite(tmp_path / "a.db", t=FRAME)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("PRAGMA journal_mode = wal")
        with connection:
            connection.execute("INSERT INTO t VALUES ('yes', 'no')")
        with pytest.raises(DataError, match=r"are in `a\.db-wal` and not in the file yet"):
            read_stored_table(tmp_path / "a.db", FileFormat.SQLITE, "t")
    frame = read_stored_table(tmp_path / "a.db", FileFormat.SQLITE, "t").frame

    assert frame.height == FRAME.height + 1


def test_rows_that_are_in_the_log_of_duckdb_only_are_an_error(tmp_path: Path) -> None:
    """As those of SQLite."""
    path, copy = tmp_path / "a.duckdb", tmp_path / "copy.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE t AS SELECT 'yes' AS truth, 'no' AS prediction")
        connection.execute("CHECKPOINT")
        connection.execute("INSERT INTO t VALUES ('no', 'no')")
        for suffix in ("", ".wal"):
            shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")

    with pytest.raises(DataError, match=r"are in `copy\.duckdb\.wal` and not in the file yet"):
        read_stored_table(copy, FileFormat.DUCKDB, "t")


def test_tables_of_duckdb_may_be_in_a_schema(tmp_path: Path) -> None:
    """Its name is written before a dot."""
    with duckdb.connect(str(tmp_path / "A.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT 1 AS x")
        connection.execute("CREATE TABLE empty (x INTEGER)")
        connection.execute("CREATE SCHEMA s")
        connection.execute("CREATE TABLE s.p (truth VARCHAR, prediction VARCHAR)")
        connection.executemany("INSERT INTO s.p VALUES (?, ?)", ROWS)

    assert list_parts(tmp_path / "A.duckdb", FileFormat.DUCKDB) == ("t", "s.p")
    counted = read(tmp_path, {"A": 'predictions = "A.duckdb"'}, data='table = "s.p"')
    assert matrix(counted, "A") == ((1, 1), (0, 1))


@pytest.fixture
def server(postgres: Postgres, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the URI of a database with a table, whose credentials are in the environment."""
    import psycopg

    address = postgres.new_database()
    with psycopg.connect(address) as connection:
        connection.execute(
            "CREATE TABLE p (id INTEGER, truth TEXT, prediction TEXT, score NUMERIC)"
        )
        with connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO p VALUES (%s, %s, %s, %s)",
                [(number, *row, number / 4) for number, row in enumerate(ROWS)],
            )
    monkeypatch.setenv("PGHOST", str(postgres.folder))
    monkeypatch.setenv("PGUSER", "postgres")
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    return f"postgresql:///{address.partition('@/')[2].partition('?')[0]}"


def test_a_table_of_a_server_is_read_by_its_uri(tmp_path: Path, server: str) -> None:
    """User and password come from the environment."""
    classifiers = {"A": f'predictions = "{server}"', "B": f'predictions = "{server}"'}
    data = 'remote = true\ntable = "p"\nid = "id"\nscore = "score"'

    counted = read(tmp_path, classifiers, data=data)

    assert matrix(counted, "A") == ((1, 1), (0, 1))
    with pytest.raises(SpecError, match="needs `id`"):
        read(tmp_path, classifiers, data='remote = true\ntable = "p"')


def test_init_takes_the_uri_of_a_server(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only table is used, several are a question; the spec builds."""
    monkeypatch.chdir(tmp_path)
    scaffolded = scaffold_spec([RemoteUri(server)], tmp_path)

    assert scaffolded.problems == ()
    for line in (f'predictions = "{server}"', "remote = true", 'table = "p"', 'id = "id"'):
        assert line in scaffolded.text
    (tmp_path / "reportgen.toml").write_text(scaffolded.text, encoding="utf-8")
    spec_file = load_spec(tmp_path / "reportgen.toml")
    counted = aggregate(spec_file, load_predictions(spec_file))
    assert counted.classes == ("no", "yes")
    assert matrix(counted, "p") == ((1, 0), (1, 1))

    import psycopg

    with psycopg.connect(server) as connection:
        connection.execute("CREATE TABLE empty (truth TEXT)")
        connection.execute("CREATE TABLE users AS SELECT 'a' AS name")
    question = scaffold_spec([RemoteUri(server)], tmp_path).question
    assert question is not None
    assert (question.option, question.choices) == ("table", ("p", "users"))
    chosen = scaffold_spec([RemoteUri(server)], tmp_path, ColumnOptions(table="p"))
    assert chosen.text == scaffolded.text


@pytest.mark.parametrize("uri", ["sqlite:///A.db", "sqlite:////{folder}/A.db"])
def test_init_takes_the_uri_of_a_database_in_a_file(tmp_path: Path, uri: str) -> None:
    """The spec has its path; other schemes are refused."""
    write_sqlite(tmp_path / "A.db", p=FRAME)

    run = reportgen("init", uri.format(folder=str(tmp_path).lstrip("/")), cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    text = (tmp_path / "reportgen.toml").read_text(encoding="utf-8")
    assert 'predictions = "A.db"' in text
    error_info = reportgen("init", "mysql://host/db", "--force", cwd=tmp_path)
    assert error_info.returncode == 2
    assert "URIs of mysql are not supported" in error_info.stderr


@pytest.mark.parametrize("key", ["sheet", "table"])
def test_a_part_of_a_file_without_parts_is_an_error(tmp_path: Path, key: InitOption) -> None:
    """It was a mistake, or meant for another file; also with a preset, and for `init`."""
    (tmp_path / "A.csv").write_text("y_true,y_pred\n1,1\n0,0\n", encoding="utf-8")
    names = 'truth = "y_true"\nprediction = "y_pred"'
    for columns in (names, 'format = "sklearn"'):
        (fault,) = faults(
            tmp_path,
            {"A": 'predictions = "A.csv"'},
            'kind = "binary"\npositive = "1"',
            f'{columns}\n{key} = "x"',
        )
        assert fault.error_code.code == "E245"
        assert f"a CSV file has no {key}s" in fault.message
        assert f"remove `{key}`" in (fault.help or "")
    options = ColumnOptions().with_answer(Question(key, "", ()), "x")
    with pytest.raises(DataError, match=f"has no {key}s"):
        scaffold_spec([tmp_path / "A.csv"], tmp_path, options)


def test_errors_of_a_server_have_no_password(
    tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unknown table, and a password that is wrong."""
    classifier = {"A": f'predictions = "{server}"'}
    (unknown,) = faults(tmp_path, classifier, data='remote = true\ntable = "q"')
    monkeypatch.setenv("PGPASSWORD", "another secret")
    (denied,) = faults(tmp_path, classifier, data='remote = true\ntable = "p"')

    assert unknown.error_code.code == "E245"
    assert denied.error_code.code == "E229"
    assert "secret" not in f"{denied.message} {denied.help}"


@pytest.mark.parametrize(
    "uri", ["postgresql://me:pass@host/db", "postgresql://host/db?password=x", "postgresql://host"]
)
def test_a_uri_with_credentials_or_without_a_database_is_refused(tmp_path: Path, uri: str) -> None:
    """Specs and manifests are published."""
    with pytest.raises(SpecError):
        read(tmp_path, {"A": f'predictions = "{uri}"'}, BINARY, 'remote = true\ntable = "p"')


def test_a_server_that_cannot_be_reached_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing listens there."""
    monkeypatch.setenv("PGHOST", "/nowhere")
    with pytest.raises(DataError) as error_info:
        open_table(RemoteUri("postgresql:///db"), (), None, "p")
    assert error_info.value.diagnostics[0].error_code.code == "E229"
