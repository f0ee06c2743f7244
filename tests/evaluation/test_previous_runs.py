"""What counts as the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.previous_runs import data_fingerprint
from reportgen.predictions.load import Input
from reportgen.spec import parse_spec

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """\
title = "Churn"
[task]
kind = "binary"
positive = "yes"
[data]
prediction = "first"
[[classifiers]]
name = "A"
predictions = "a.csv"
"""


def fingerprint(folder: Path, spec: str = SPEC, sha256: str | None = "abc") -> str:
    """Return the fingerprint of a spec with one file."""
    return data_fingerprint(
        parse_spec(folder / "churn.toml", spec.encode()), [Input("A", "a.csv", sha256, 3)]
    )


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ('title = "Churn"', 'title = "Who leaves"', True),
        ('"a.csv"', '"tonight.csv"', True),
        ('"first"', '"second"', False),
        ('"yes"', '"no"', False),
        ("[[classifiers]]", 'where = { year = "2026" }\n[[classifiers]]', False),
        ('name = "A"', 'name = "B"', False),
    ],
    ids=["title", "name of the file", "column", "positive class", "rows kept", "classifier"],
)
def test_what_is_read_counts_and_what_it_is_called_does_not(
    tmp_path: Path, old: str, new: str, *, same: bool
) -> None:
    """Another column of the same file is other data: a gate must not take it for a repetition."""
    assert (fingerprint(tmp_path) == fingerprint(tmp_path, SPEC.replace(old, new))) is same


def test_other_content_is_other_data(tmp_path: Path) -> None:
    """And content that cannot be known is never the same."""
    assert fingerprint(tmp_path) != fingerprint(tmp_path, sha256="def")
    assert not fingerprint(tmp_path, sha256=None)
