"""Samples of what other tools write, and the same predictions as plain tables."""

from __future__ import annotations

import csv
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING

from polars.testing import assert_frame_equal

from tests.predictions.spec_folder import read

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from reportgen.aggregates.model import Aggregates

TOOLS = Path(__file__).parent / "tools"
YES = 'kind = "binary"\npositive = "yes"'
ILL = 'kind = "binary"\npositive = "ill"'
ONE = 'kind = "binary"\npositive = 1'


def of_tool(folder: Path, name: str, task: str, data: str) -> Aggregates:
    """Read a sample as a classifier called `it`."""
    copy(TOOLS / name, folder / name)
    return read(folder, {"it": f'predictions = "{name}"'}, task, data)


def plain(folder: Path, task: str, data: str, rows: Iterable[Mapping[str, object]]) -> Aggregates:
    """Read rows from a plain CSV file, with its columns named by hand."""
    listed = list(rows)
    with (folder / "plain.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)
    return read(folder, {"it": 'predictions = "plain.csv"'}, task, data)


def assert_same(aggregates: Aggregates, expected: Aggregates) -> None:
    """Compare counts, curves, rankings and probabilities."""
    assert aggregates.classes == expected.classes
    assert aggregates.case_count == expected.case_count
    for kind in ("confusion", "curves", "ranking", "probability_losses", "calibration"):
        ours, theirs = getattr(aggregates, kind), getattr(expected, kind)
        assert (ours is None) == (theirs is None), kind
        if ours is not None:
            assert_frame_equal(ours.frame, theirs.frame)
