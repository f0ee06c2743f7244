"""A damaged database is reported as such, whatever part of it is damaged."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import HistoryError
from reportgen.jobs.history import schema
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import sample

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.jobs.history.record import RunRecord

FLIPS = 400
CODES = {"E511", "E512", "E514", "E515"}


@pytest.fixture
def closed_history(tmp_path: Path) -> tuple[Path, list[RunRecord]]:
    """Return a history of some runs that nobody has open."""
    path = tmp_path / "history.sqlite"
    runs = [sample(day, name=f"spec {day % 2}") for day in range(4)]
    with open_history(str(path)) as history:
        for run in runs:
            history.begin(run)
    return path, runs


def overwrite(path: Path, statement: str) -> None:
    """Change a file as nobody should."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


@pytest.mark.slow
def test_flipped_bits_are_survived(
    tmp_path: Path, closed_history: tuple[Path, list[RunRecord]]
) -> None:
    """Whatever single bit of the file is wrong: the history is read, or there is a diagnostic."""
    path, runs = closed_history
    content = path.read_bytes()
    copy = tmp_path / "copy.sqlite"
    draws = random.Random(20260301)  # noqa: S311  # places, not secrets
    error_count = 0
    for _ in range(FLIPS):
        damaged = bytearray(content)
        damaged[draws.randrange(len(content))] ^= 1 << draws.randrange(8)
        copy.write_bytes(damaged)
        try:
            with open_history(str(copy)) as history:
                history.runs()
                for run in runs:
                    history.get_run(run.id)
                history.load_previous_runs("spec 0", 10)
        except HistoryError as error:
            error_count += 1
            (diagnostic,) = error.diagnostics
            assert diagnostic.error_code.code in CODES
            assert str(copy) in diagnostic.message
            assert "mv " in (diagnostic.help or "") or diagnostic.error_code.code in {
                "E512",
                "E514",
            }
    # Much of a file is empty space or text, where a flip breaks nothing.
    assert error_count > FLIPS / 40


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE runs SET started = 'yesterday'",
        "UPDATE runs SET classes = '{}'",
        "UPDATE runs SET findings = '[1, 2]'",
        "UPDATE runs SET errors = '[\"not closed'",
        "UPDATE runs SET part_counts = '[1]'",
        "UPDATE confusions SET counts = '[[50, 0], null]'",
        "UPDATE confusions SET counts = '[[50, \"0\"], [0, 50]]'",
        "DELETE FROM measure_values WHERE position = 0",
        "DELETE FROM inputs WHERE position = 1",
        "DELETE FROM gates",
    ],
)
def test_rows_that_reportgen_did_not_write_are_damage(
    closed_history: tuple[Path, list[RunRecord]], statement: str
) -> None:
    """A column has a value that it cannot have, or a run lacks rows."""
    path, runs = closed_history
    overwrite(path, statement)

    with open_history(str(path)) as history, pytest.raises(HistoryError) as refused:
        history.get_run(runs[0].id)
    assert refused.value.diagnostics[0].error_code.code == "E511"
    assert refused.value.exit_code == 5


def test_a_value_of_another_type_is_damage() -> None:
    """A flipped bit can turn text into bytes, which SQLite returns as they are."""
    (run_row,) = next(iter(schema.run_rows(sample(), 1)))[1]
    damaged = (run_row[0], b"churn", *run_row[2:])

    with pytest.raises(schema.CorruptHistoryError, match="column name of a row of the table runs"):
        schema.row_to_run(damaged)  # type: ignore[arg-type]


@pytest.mark.parametrize("table", ["runs", "measure_values"])
def test_a_missing_table_is_damage(
    closed_history: tuple[Path, list[RunRecord]], table: str
) -> None:
    """The version says that it is there."""
    path, _ = closed_history
    overwrite(path, f"DROP TABLE {table}")

    with (
        pytest.raises(HistoryError, match=f"definition of .*{table}.* missing") as refused,
        open_history(str(path)),
    ):
        pass
    assert refused.value.diagnostics[0].error_code.code == "E511"


def test_the_second_half_of_a_file_is_missed(closed_history: tuple[Path, list[RunRecord]]) -> None:
    """The way out names the file and moves it away; then the next run begins a new history."""
    path, _ = closed_history
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    with pytest.raises(HistoryError) as refused, open_history(str(path)) as history:
        history.begin(sample(9))
    (fault,) = refused.value.diagnostics
    assert fault.error_code.code == "E511"
    assert f"mv {path} {path}.corrupt" in (fault.help or "")

    path.rename(f"{path}.corrupt")
    begun = sample(9)
    with open_history(str(path)) as history:
        history.begin(begun)
        assert history.get_run(begun.id) == begun


@pytest.mark.parametrize("content", [b"PNG", b"id,truth\n1,yes\n" * 100, b"\0" * 5000])
def test_another_kind_of_file_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    """Nobody's table of results is overwritten by a history."""
    path = tmp_path / "results.csv"
    path.write_bytes(content)

    with pytest.raises(HistoryError) as refused, open_history(str(path)):
        pass
    assert refused.value.diagnostics[0].error_code.code == "E515"
    assert path.read_bytes() == content


def test_a_damaged_log_loses_no_earlier_run(closed_history: tuple[Path, list[RunRecord]]) -> None:
    """What was in the file before is as it was; what is in the log is whole or not there."""
    path, runs = closed_history
    later = replace(sample(8), title="later")
    log = path.with_name(path.name + "-wal")
    with open_history(str(path)) as history:
        history.begin(later)
        content = bytearray(log.read_bytes())
        image = path.read_bytes()
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(image)
    log.write_bytes(content)

    with open_history(str(path)) as history:
        assert all(history.get_run(run.id) == run for run in runs)
        assert history.get_run(later.id) in (None, later)
