"""Packed, binary and damaged files, made here because they are not text."""

from __future__ import annotations

import contextlib
import gzip
from decimal import Decimal
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.errors import DataError
from tests.predictions.spec_folder import COUNTS, ROWS, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path


def test_gzip_named_csv_is_read(tmp_path: Path) -> None:
    """The first bytes say gzip, so the meaning is certain."""
    (tmp_path / "packed.csv").write_bytes(gzip.compress(ROWS.encode()))

    assert matrix(read(tmp_path, {"A": 'predictions = "packed.csv"'}), "A") == COUNTS


def test_truncated_gzip_is_rejected(tmp_path: Path) -> None:
    """A part of the cases is not the cases."""
    numbered = "".join(f"{number},yes,no,0.{number}\n" for number in range(9999))
    packed = gzip.compress(ROWS.encode() + numbered.encode())
    (tmp_path / "cut.csv.gz").write_bytes(packed[:-200])

    (fault,) = faults(tmp_path, {"A": 'predictions = "cut.csv.gz"'})

    assert fault.error_code.code == "E202"
    assert "end too early" in fault.message


def test_a_picture_named_csv_is_called_a_picture(tmp_path: Path) -> None:
    """The message says what the file really is."""
    (tmp_path / "plot.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))

    (fault,) = faults(tmp_path, {"A": 'predictions = "plot.csv"'})

    assert (fault.error_code.code, fault.message) == ("E201", "the file is a PNG picture")


def test_parquet_named_csv_is_read(tmp_path: Path) -> None:
    """The first bytes say Parquet, so the meaning is certain."""
    pl.read_csv(ROWS.encode()).write_parquet(tmp_path / "table.csv")

    assert matrix(read(tmp_path, {"A": 'predictions = "table.csv"'}), "A") == COUNTS


@pytest.mark.parametrize("size", [4, 40, -1, -60])
def test_truncated_parquet_is_rejected(tmp_path: Path, size: int) -> None:
    """A Parquet file that ends too early is damaged, wherever it ends."""
    pl.read_csv(ROWS.encode()).write_parquet(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(content[:size])

    (fault,) = faults(tmp_path, {"A": 'predictions = "cut.parquet"'})

    assert fault.error_code.code == "E202"


@pytest.mark.slow
def test_a_flipped_byte_in_parquet_is_rejected_or_seen_in_the_hash(tmp_path: Path) -> None:
    """Wherever the byte is, the file is refused, or its hash tells that it is another file."""
    pl.read_csv(ROWS.encode()).write_parquet(tmp_path / "whole.parquet")
    content = (tmp_path / "whole.parquet").read_bytes()
    original = read(tmp_path, {"A": 'predictions = "whole.parquet"'}).inputs[0].sha256
    hashes = set()

    for position in range(4, len(content), 17):
        flipped = bytearray(content)
        flipped[position] ^= 0xFF
        (tmp_path / "flipped.parquet").write_bytes(flipped)
        with contextlib.suppress(DataError):
            hashes.add(read(tmp_path, {"A": 'predictions = "flipped.parquet"'}).inputs[0].sha256)

    assert original not in hashes


def test_a_nested_list_as_score_is_rejected(tmp_path: Path) -> None:
    """A list is not a number, whatever is in it."""
    table = pl.read_csv(ROWS.encode()).with_columns(score=pl.concat_list("score"))
    table.write_parquet(tmp_path / "nested.parquet")

    (fault,) = faults(tmp_path, {"A": 'predictions = "nested.parquet"'})

    assert (fault.error_code.code, fault.message) == (
        "E212",
        "column `score` holds lists, not a number",
    )


def test_other_types_in_parquet_mean_the_same(tmp_path: Path) -> None:
    """Categories, Decimal and Float32 are only other ways to store labels and scores."""
    table = pl.read_csv(ROWS.encode())
    table = table.with_columns(
        pl.col("truth").cast(pl.Categorical),
        pl.col("prediction").cast(pl.Enum(["yes", "no"])),
        pl.Series("score", [Decimal("0.90"), Decimal("0.20"), *[Decimal("0.50")] * 3]),
    )
    table.write_parquet(tmp_path / "decimal.parquet")
    table.with_columns(pl.col("score").cast(pl.Float32)).write_parquet(tmp_path / "single.parquet")

    for name in ("decimal", "single"):
        counted = read(tmp_path, {"A": f'predictions = "{name}.parquet"'})
        assert matrix(counted, "A") == COUNTS
