"""Few labels are told by comparing with those at the ends of a file; no other one is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from reportgen.predictions.columns import read_fast
from reportgen.predictions.table import open_table
from tests.predictions.spec_folder import faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.predictions.columns import ColumnType

SIZE = 180_000


def many_cases(labels: list[str | int], rare: str | int | None = None) -> pl.DataFrame:
    """Return cases whose labels take turns, with a rare one in the middle of the file."""
    truth = [labels[number % len(labels)] for number in range(SIZE)]
    if rare is not None:
        truth[SIZE // 2] = rare
    scores = np.random.default_rng(2).random(SIZE)
    return pl.DataFrame({"truth": truth, "prediction": [labels[0]] * SIZE, "score": scores})


def test_a_label_that_no_end_of_the_file_has_is_found(tmp_path: Path) -> None:
    """One of 180 000 rows has the third label: it is counted where it stands."""
    many_cases(["a", "b"], rare="c").write_parquet(tmp_path / "a.parquet")
    kinds: dict[str, ColumnType] = {"truth": "label", "prediction": "label", "score": "number"}

    frame = read_fast(open_table(tmp_path / "a.parquet"), {name: name for name in kinds}, kinds)

    assert frame is not None
    assert frame["truth"].cast(pl.String).value_counts(sort=True)["count"].to_list() == [
        90_000,
        89_999,
        1,
    ]
    assert frame["truth"][90_000] == "c"


def test_a_missing_label_far_inside_is_reported_with_its_row(tmp_path: Path) -> None:
    """No end of the file shows it, and still it is a fault."""
    frame = many_cases(["yes", "no"])
    gap = pl.when(pl.int_range(pl.len()) == 90_000).then(None).otherwise("truth")
    frame.with_columns(truth=gap).write_parquet(tmp_path / "a.parquet")

    diagnostics = faults(tmp_path, {"A": 'predictions = "a.parquet"'}, data='score = "score"')

    assert len(diagnostics) == 1
    assert "row 90001" in diagnostics[0].message


@pytest.mark.parametrize(
    ("second", "expected"),
    [(["1", "0"], ((180_000, 0), (180_000, 0))), ([0, 1], ((90_000, 90_000), (90_000, 90_000)))],
)
def test_files_that_hold_labels_in_different_ways_are_put_together(
    tmp_path: Path, second: list[str | int], expected: object
) -> None:
    """Texts or whole numbers: of each file every other case is 1, and the first label predicted."""
    many_cases([1, 0]).write_parquet(tmp_path / "1.parquet")
    many_cases(second).write_parquet(tmp_path / "2.parquet")

    result = read(
        tmp_path,
        {"A": 'predictions = ["1.parquet", "2.parquet"]'},
        task='kind = "binary"\npositive = "1"',
        data='score = "score"',
    )

    assert matrix(result, "A") == expected


def test_files_of_other_labels_are_put_together(tmp_path: Path) -> None:
    """One file has no case of b, the others none of c; all are predicted as a."""
    many_cases(["a", "c"]).write_parquet(tmp_path / "1.parquet")
    many_cases(["a", "b"]).write_parquet(tmp_path / "2.parquet")
    many_cases(["a", "b"]).head(10).write_parquet(tmp_path / "3.parquet")
    # Two classifiers, whose rows are matched and so not counted at once.
    files = 'predictions = ["1.parquet", "2.parquet", "3.parquet"]'

    result = read(tmp_path, {"A": files, "B": files}, task='kind = "multiclass"', data="")

    assert matrix(result, "A") == ((180_005, 0, 0), (90_005, 0, 0), (90_000, 0, 0))


def test_rows_keep_their_order(tmp_path: Path) -> None:
    """Classifiers without ids are matched by it, and polars gives it up where it may."""
    truths = pl.Series("truth", np.random.default_rng(0).choice(["u", "v"], 200_000))
    frame = pl.DataFrame({"truth": truths, "prediction": truths.reverse()})
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=20_000)
    kinds: dict[str, ColumnType] = {"truth": "label", "prediction": "label"}

    for _ in range(20):
        table = open_table(tmp_path / "a.parquet")
        result = read_fast(table, {name: name for name in kinds}, kinds)
        assert result is not None
        assert result["truth"].cast(pl.String).equals(truths)
