"""Errors in grouped rows name the number of rows; what Spark cannot read fails before any work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import narwhals
import polars as pl
import pytest

from reportgen.errors import DataError, SpecError
from tests.aggregates.backends.counted_samples import (
    COLUMNS,
    binary_frame,
    read_counted,
    read_here,
    spec_text,
    write,
)
from tests.aggregates.backends.local_backend import LocalBackend

if TYPE_CHECKING:
    from pathlib import Path

SCORED = COLUMNS + 'score = "score"\n'


def _error_text(tmp_path: Path, frames: dict[str, pl.DataFrame], data: str) -> str:
    text = spec_text(
        {name: write(tmp_path / f"{name}.parquet", frame) for name, frame in frames.items()},
        data=data,
    )
    with pytest.raises(DataError) as error_info:
        read_counted(tmp_path, text, LocalBackend(narwhals))
    return str(error_info.value)


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [
        ("truth", None, "column `truth`: the value is missing (3 of 600 rows)"),
        ("truth", "NA", "'NA' is a missing-value marker (3 of 600 rows)"),
        ("prediction", "", "column `prediction`: the value is missing (3 of 600 rows)"),
        ("fold", None, "column `fold`: the value is missing (3 of 600 rows)"),
        ("score", None, "column `score`: the value is missing (3 of 600 rows)"),
        ("score", float("nan"), "'NaN' is not a finite number (3 of 600 rows)"),
        ("score", 1.5, "1.5"),
        ("case", None, "column `case`: 3 rows of 600 without an id"),
        ("case", 5, "column `case`: 1 id occurs in more than one row"),
    ],
)
def test_what_is_missing_or_odd_is_counted(
    tmp_path: Path, column: str, value: object, expected: str
) -> None:
    """There are no lines to name, but the file, the column and how many rows."""
    frame = binary_frame(1).with_columns(
        pl.when(pl.col("case") < 3).then(pl.lit(value)).otherwise(pl.col(column)).alias(column)
    )
    data = SCORED if column != "case" else SCORED.replace('fold = "fold"\n', "")
    message = _error_text(tmp_path, {"A": frame}, data + 'score_kind = "probability"\n')
    assert expected in message
    assert "A.parquet" in message


def test_another_truth_for_the_same_id_is_rejected(tmp_path: Path) -> None:
    """Ids 0 to 9 have the other truth for B."""
    other = pl.when(pl.col("truth") == "yes").then(pl.lit("no")).otherwise(pl.lit("yes"))
    frame = binary_frame(2).with_columns(
        truth=pl.when(pl.col("case") < 10).then(other).otherwise("truth")
    )
    message = _error_text(tmp_path, {"A": binary_frame(1), "B": frame}, COLUMNS)
    assert "case `0` has conflicting truths: truth" in message
    assert "and 5 more cases" in message


def test_identical_cases_may_be_demanded(tmp_path: Path) -> None:
    """B lacks the cases from 500 on."""
    frames = {"A": binary_frame(1), "B": binary_frame(2).filter(pl.col("case") < 500)}
    message = _error_text(tmp_path, frames, COLUMNS + 'cases = "identical"\n')
    assert "`B` lacks 100 cases" in message


def test_ids_of_nobody_else_are_rejected(tmp_path: Path) -> None:
    """Where no id is in both files there is nothing to measure."""
    moved = binary_frame(2).with_columns(pl.col("case") + 10_000)
    message = _error_text(tmp_path, {"A": binary_frame(1), "B": moved}, COLUMNS)
    assert "no case is shared by all classifiers" in message


def test_an_unknown_label_is_rejected(tmp_path: Path) -> None:
    """A third label of a binary task is reported as it is without an engine."""
    odd = binary_frame(1).with_columns(
        prediction=pl.when(pl.col("case") == 3).then(pl.lit("perhaps")).otherwise("prediction")
    )
    assert "'perhaps' (1)" in _error_text(tmp_path, {"A": odd}, COLUMNS)


def test_a_column_of_numbers_is_no_column_of_classes(tmp_path: Path) -> None:
    """More different rows than the limit are not brought to one machine."""
    numbers = pl.int_range(201, eager=True)
    frame = pl.DataFrame({"case": numbers, "fold": numbers, "truth": "yes", "prediction": numbers})
    text = spec_text({"A": write(tmp_path / "A.parquet", frame)})
    with pytest.raises(DataError, match="`fold`, `truth`, `prediction` have more than 200 differ"):
        read_counted(tmp_path, text, LocalBackend(narwhals), "most_rows = 200\n")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ('[data]\nformat = "weka"\nid = "case"\n', "a reader of their own that needs their rows"),
        (COLUMNS + 'sheet = "1"\n', "`sheet` is not supported on Spark: workbooks"),
        (COLUMNS + 'table = "t"\n', "`table` is not supported on Spark: databases"),
        (f'{COLUMNS}[sha256]\n"a.parquet" = "{"0" * 64}"\n', "hashes of files cannot be verified"),
        ('[data]\nfold = "fold"\n', "has no ids, and on Spark the order of rows"),
    ],
)
def test_what_does_not_work_is_stated_before_any_file_is_opened(
    tmp_path: Path, data: str, expected: str
) -> None:
    """The spec alone tells; the files do not even exist."""
    with pytest.raises(SpecError) as error_info:
        read_counted(tmp_path, spec_text({"A": "a.parquet", "B": "b.parquet"}, data=data), None)
    assert expected in str(error_info.value)


def test_settings_of_spark_need_spark(tmp_path: Path) -> None:
    """A number of bins that has no effect would be misleading."""
    with pytest.raises(SpecError, match='no effect unless the engine is "spark"'):
        read_here(tmp_path, "[engine]\nbins = 100\n" + spec_text({"A": "a.parquet"}))


def test_a_url_has_no_secret(tmp_path: Path) -> None:
    """A token in the spec would be printed with the spec."""
    with pytest.raises(SpecError, match="without a user, a token or other settings"):
        read_counted(
            tmp_path, spec_text({"A": "a.parquet"}), None, 'url = "sc://host:1/;token=x"\n'
        )
