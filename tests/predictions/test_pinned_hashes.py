"""Hashes of input files in the spec: damage and changes of a file are errors."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.errors import DataError
from reportgen.pipeline import load_and_evaluate
from tests.cli.command import reportgen
from tests.small_specs import YES_OR_NO

if TYPE_CHECKING:
    from pathlib import Path

SPEC = f"""{YES_OR_NO}
[data]
truth = "truth"
prediction = "prediction"

[[classifiers]]
name = "A"
predictions = "a.parquet"

[intervals]
level = 0.9
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    """Return a spec with one Parquet file."""
    labels = ["yes", "no", "no", "yes"] * 25
    frame = pl.DataFrame({"truth": labels, "prediction": labels[1:] + labels[:1]})
    frame.write_parquet(tmp_path / "a.parquet")
    path = tmp_path / "spec.toml"
    path.write_text(SPEC, encoding="utf-8")
    return path


def pin(spec: Path) -> str:
    """Pin the inputs of a spec and return its text."""
    result = reportgen("check", "--pin", str(spec))
    assert result.returncode == 0, result.stderr
    return spec.read_text(encoding="utf-8")


def test_pinning_adds_the_table_once(spec: Path) -> None:
    """A second time replaces it; the rest of the spec is unchanged."""
    first = pin(spec)
    second = pin(spec)

    assert first.startswith(SPEC.rstrip())
    assert first == second
    assert first.count("[sha256]") == 1
    assert load_and_evaluate(spec).spec.sha256.keys() == {"a.parquet"}


def test_every_flipped_bit_of_a_pinned_file_is_an_error(spec: Path) -> None:
    """Of 450 bits at random; without the hash some of them give other numbers silently."""
    pin(spec)
    path = spec.parent / "a.parquet"
    content = path.read_bytes()
    generator = random.Random(1)  # noqa: S311  # positions of bits
    for _ in range(450):
        position = generator.randrange(8 * len(content))
        flipped = bytearray(content)
        flipped[position // 8] ^= 1 << position % 8
        path.write_bytes(flipped)
        with pytest.raises(DataError) as raised:
            load_and_evaluate(spec)
        assert raised.value.diagnostics[0].error_code.code == "E251"


def test_a_pinned_file_that_is_no_input_is_an_error(spec: Path) -> None:
    """Its name is mistyped, or the classifier was removed: its protection would be an illusion."""
    text = pin(spec).replace('"a.parquet" = ', '"b.parquet" = ')
    spec.write_text(text, encoding="utf-8")

    with pytest.raises(DataError, match="is no input file"):
        load_and_evaluate(spec)
