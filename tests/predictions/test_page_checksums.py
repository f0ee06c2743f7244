"""Parquet files with page checksums: damaged pages are errors, also without a pinned hash.

The files in page_checksums/ were written by Arrow 25 with `write_page_checksum=True`: pages of
version 1 with snappy, and of version 2 without compression, in two row groups.
"""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest

from reportgen.errors import DataError
from reportgen.predictions.parquet_structure import (
    _column_chunks,
    _read_struct,
    verify_page_checksums,
)
from reportgen.predictions.table import open_table

FILES = sorted((Path(__file__).parent / "page_checksums").glob("*.parquet"))
PAGE_SIZE = 3


def page_positions(path: Path) -> list[int]:
    """Return the positions of all bytes of pages, without their headers."""
    positions: list[int] = []
    with path.open("rb") as stream:
        for start, size in _column_chunks(stream):
            stream.seek(start)
            while stream.tell() < start + size:
                header = _read_struct(stream)
                positions += range(stream.tell(), stream.tell() + header[PAGE_SIZE])
                stream.seek(header[PAGE_SIZE], 1)
    return positions


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_intact_files_are_read(path: Path) -> None:
    """All their columns, which are those that the writer was given."""
    labels = ["yes", "no", "no", "yes"] * 50

    assert open_table(path).names == ("truth", "prediction", "score")
    assert pl.read_parquet(path)["truth"].to_list() == labels


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_flipped_bit_of_a_page_is_an_error(path: Path, tmp_path: Path) -> None:
    """Polars reads most of them as other numbers."""
    content, copy = path.read_bytes(), tmp_path / "copy.parquet"
    generator = random.Random(2)  # noqa: S311  # positions of bits
    unnoticed = 0
    for position in generator.choices(page_positions(path), k=225):
        flipped = bytearray(content)
        flipped[position] ^= 1 << generator.randrange(8)
        copy.write_bytes(flipped)
        with pytest.raises(DataError, match="differs from its checksum") as raised:
            open_table(copy)
        assert raised.value.diagnostics[0].error_code.code == "E202"
        try:
            unnoticed += not pl.read_parquet(copy).equals(pl.read_parquet(path))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            continue
    assert unnoticed > 0


def test_damage_of_the_structure_is_left_to_the_reader(tmp_path: Path) -> None:
    """Whatever bytes are there, it ends; pages larger than the file are not read."""
    content, copy = FILES[0].read_bytes(), tmp_path / "copy.parquet"
    generator = random.Random(3)  # noqa: S311  # positions of bytes
    for _ in range(500):
        changed = bytearray(content)
        for _ in range(generator.choice([1, 2, 8])):
            changed[generator.randrange(len(content))] = generator.randrange(256)
        copy.write_bytes(
            changed[: generator.choice([len(content), generator.randrange(len(content))])]
        )
        try:
            verify_page_checksums(copy)
        except DataError as error:
            assert "differs from its checksum" in str(error)  # noqa: PT017  # or no error


def test_files_without_checksums_are_read(tmp_path: Path) -> None:
    """As polars writes them."""
    pl.DataFrame({"truth": ["yes", "no"]}).write_parquet(tmp_path / "a.parquet")
    assert open_table(tmp_path / "a.parquet").names == ("truth",)
