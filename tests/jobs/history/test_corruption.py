"""A damaged history is told as such: no number is taken from it that was not written to it."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import HistoryError
from reportgen.jobs.history.store import open_history
from tests.jobs.history.samples import WORSE, head, sample

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.values import MeasureValue
    from reportgen.jobs.history.record import RunRecord

FLIPS = 400
CODES = {"E511", "E512", "E514", "E515"}


@pytest.fixture
def kept(tmp_path: Path) -> tuple[Path, list[RunRecord]]:
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


def overall(run: RunRecord) -> dict[tuple[str, str | None, str | None, str], MeasureValue]:
    """Return the scores of a run that a later one compares with."""
    return {
        (each.classifier, each.class_, each.average, each.measure): each.value
        for each in run.values
        if each.fold is None
    }


@pytest.mark.parametrize("change", ["passed = 1", "kind = 'at_least'", "tested = 0"])
def test_a_rejection_cannot_be_wiped_out(tmp_path: Path, change: str) -> None:
    """What a gate refused does not become a standard by a changed row."""
    path = tmp_path / "history.sqlite"
    with open_history(str(path)) as history:
        history.begin(replace(sample(), gates=(WORSE,)))
    overwrite(path, f"UPDATE gates SET {change}")  # noqa: S608

    with pytest.raises(HistoryError) as damaged, open_history(str(path)) as history:
        history.load_previous_runs("churn", 1)
    assert damaged.value.diagnostics[0].error_code.code == "E511"


@pytest.mark.slow
def test_flipped_bytes_never_become_numbers(
    tmp_path: Path, kept: tuple[Path, list[RunRecord]]
) -> None:
    """Whatever single byte of the file is wrong: a run is as it was kept, or there is a fault."""
    path, runs = kept
    whole = path.read_bytes()
    written = {run.id: run for run in runs}
    copy = tmp_path / "copy.sqlite"
    draws = random.Random(20260301)  # noqa: S311  # places, not secrets
    faults = 0
    for _ in range(FLIPS):
        damaged = bytearray(whole)
        damaged[draws.randrange(len(whole))] ^= 1 << draws.randrange(8)
        copy.write_bytes(damaged)
        try:
            with open_history(str(copy)) as history:
                found = [*history.runs(), *history.runs("spec 0"), *history.runs("spec 1")]
                assert all(run == head(written[run.id]) for run in found)
                assert all(history.get_run(run) in (None, written[run]) for run in written)
                past = history.load_previous_runs("spec 0", 10).runs
                assert all(run.values == overall(written[run.id]) for run in past)
        except HistoryError as error:
            faults += 1
            (fault,) = error.diagnostics
            assert fault.error_code.code in CODES
            assert str(copy) in fault.message
            assert "mv " in (fault.help or "") or fault.error_code.code in {"E512", "E514"}
    # Much of a file is empty space, where a flip means nothing.
    assert faults > FLIPS / 10


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE scores SET value = 0.99 WHERE place = 0",
        "UPDATE scores SET state = 'undefined' WHERE place = 0",
        "UPDATE gates SET passed = 1",
        "UPDATE confusions SET counts = '[[50, 0], [0, 50]]'",
        "UPDATE runs SET manifest = 'another'",
        "DELETE FROM scores WHERE place = 0",
        "DELETE FROM inputs WHERE place = 1",
    ],
)
def test_what_others_have_changed_is_not_believed(
    kept: tuple[Path, list[RunRecord]], statement: str
) -> None:
    """Each row carries a checksum, and a run knows how many rows it has."""
    path, runs = kept
    overwrite(path, statement)

    with open_history(str(path)) as history, pytest.raises(HistoryError) as refused:
        history.get_run(runs[0].id)
    assert refused.value.diagnostics[0].error_code.code == "E511"
    assert refused.value.exit_code == 5


@pytest.mark.parametrize("table", ["runs", "scores"])
def test_a_missing_table_is_damage(kept: tuple[Path, list[RunRecord]], table: str) -> None:
    """The version says that it is there."""
    path, _ = kept
    overwrite(path, f"DROP TABLE {table}")

    with open_history(str(path)) as history, pytest.raises(HistoryError) as refused:
        history.begin(sample(9))
    assert refused.value.diagnostics[0].error_code.code == "E511"


def test_the_second_half_of_a_file_is_missed(kept: tuple[Path, list[RunRecord]]) -> None:
    """The way out names the file and moves it away; then the next run begins a new history."""
    path, _ = kept
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])

    with pytest.raises(HistoryError) as refused, open_history(str(path)) as history:
        history.begin(sample(9))
    (fault,) = refused.value.diagnostics
    assert fault.error_code.code == "E511"
    assert f"mv {path} {path}.damaged" in (fault.help or "")

    path.rename(f"{path}.damaged")
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


def test_a_damaged_log_loses_no_earlier_run(kept: tuple[Path, list[RunRecord]]) -> None:
    """What was in the file before is as it was; what is in the log is whole or not there."""
    path, runs = kept
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
