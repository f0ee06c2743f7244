"""The same predictions in every format give the same tally."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.predictions.profiling import profile_columns, read_text_columns
from reportgen.predictions.table import open_table
from tests.predictions.spec_folder import COUNTS, ROWS, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [
    "plain.csv",
    "packed.csv.gz",
    "tabs.tsv",
    "table.parquet",
    "table.arrow",
    "table.feather",
    "stream.arrow",
    "lines.jsonl",
    "lines.ndjson",
    "lines.jsonl.gz",
    "lines.json",
]


def write_as(folder: Path, name: str) -> None:
    """Write the five cases in the format that the name stands for."""
    table, path = pl.read_csv(ROWS.encode()), folder / name
    lines = table.write_ndjson()
    if name == "stream.arrow":
        table.write_ipc_stream(path)
    elif name.endswith((".arrow", ".feather")):
        table.write_ipc(path)
    elif name.endswith(".parquet"):
        table.write_parquet(path)
    elif name.startswith("lines"):
        path.write_bytes(gzip.compress(lines.encode()) if name.endswith("gz") else lines.encode())
    elif name.endswith("gz"):
        path.write_bytes(gzip.compress(ROWS.encode()))
    else:
        path.write_text(ROWS.replace(",", "\t") if name == "tabs.tsv" else ROWS, encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_the_same_counts(tmp_path: Path, name: str) -> None:
    """The format is how the cases are kept, not what they are."""
    write_as(tmp_path, name)

    counted = read(tmp_path, {"A": f'predictions = "{name}"'})

    assert matrix(counted, "A") == COUNTS
    assert [item.rows for item in counted.inputs] == [5]


def test_formats_are_joined_by_the_text_of_their_ids(tmp_path: Path) -> None:
    """The integer 1 of Parquet is the text 1 of CSV and the number 1 of JSON."""
    for name in NAMES:
        write_as(tmp_path, name)

    counted = read(tmp_path, {name: f'predictions = "{name}"' for name in NAMES})

    assert counted.case_count == 5
    assert counted.warnings == ()


def test_a_bad_value_in_parquet_is_reported_with_its_row(tmp_path: Path) -> None:
    """A binary file has rows but no lines."""
    table = pl.read_csv(ROWS.encode()).with_columns(
        score=pl.when(pl.col("case") == 3).then(float("nan")).otherwise(pl.col("score"))
    )
    table.write_parquet(tmp_path / "a.parquet")

    (fault,) = faults(tmp_path, {"A": 'predictions = "a.parquet"'})

    assert fault.message == "column `score`: 'NaN' is not a finite number (row 3)"


def test_a_file_that_does_not_exist_is_reported_with_the_nearest(tmp_path: Path) -> None:
    """A slip in a name is the usual reason."""
    write_as(tmp_path, "plain.csv")

    (fault,) = faults(tmp_path, {"A": 'predictions = "plane.csv"'})

    assert (fault.error_code.code, fault.help) == ("E200", "did you mean `plain.csv`?")
    assert fault.message == "there is no file `plane.csv`"
    assert fault.location is not None
    assert (fault.location.path.name, fault.location.source_line) == (
        "spec.toml",
        'predictions = "plane.csv"',
    )


def test_a_file_is_described_by_its_columns(tmp_path: Path) -> None:
    """Kind, range and examples of a column let its role be guessed."""
    write_as(tmp_path, "plain.csv")
    write_as(tmp_path, "table.parquet")

    described, of_parquet = (
        profile_columns(read_text_columns([open_table(tmp_path / name)]))
        for name in ("plain.csv", "table.parquet")
    )

    case, truth, _, score = described.columns
    assert described.rows == 5
    assert (case.kind, case.is_unique, case.distinct_count) == ("integer", True, 5)
    assert (truth.kind, truth.examples) == ("text", ("yes", "no"))
    assert (score.kind, score.minimum, score.maximum) == ("number", 0.2, 0.9)
    assert of_parquet == described
