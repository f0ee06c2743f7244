"""Every method and test that results.json names is in the table of docs/statistical-methods.md."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
GOLDENS = sorted((ROOT / "tests" / "end_to_end" / "goldens").glob("*.json"))
# What the names of methods may end with; the table has a row for each kind.
SUFFIXES = (
    "cluster-robust",
    "weighted",
    "t",
    "½ added",
    "2 pseudo-cases",
    "a case per class added",
)


def documented_names() -> set[str]:
    """Return the names in the first column of the table."""
    text = (ROOT / "docs" / "statistical-methods.md").read_text(encoding="utf-8")
    table = text.partition("## Names and references")[2].partition("Notation:")[0]
    cells = [line.split("|")[1] for line in table.splitlines() if line.startswith("|")]
    names = {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}
    # "`paired permutation (exact)`, `(Monte Carlo)`": the second is short for the same with it.
    names |= {name.replace("(exact)", "(Monte Carlo)") for name in names}
    return names | {name.replace("… from", "wilson, transformed from") for name in names}


def method_names(cell: object) -> Iterator[str]:
    """Yield all methods and tests that results name."""
    if isinstance(cell, dict):
        yield from (cell[key] for key in ("method", "test") if isinstance(cell.get(key), str))
    for part in cell.values() if isinstance(cell, dict) else cell if isinstance(cell, list) else ():
        yield from method_names(part)


def base_name(name: str) -> str:
    """Return the name without what may follow it; of the delta method without its scale."""
    *before, last = name.split(", ")
    if before and last in SUFFIXES:
        return base_name(", ".join(before))
    return "delta" if name.startswith("delta") else name


@pytest.mark.parametrize("golden", GOLDENS, ids=lambda path: path.stem)
def test_methods_and_tests_are_in_the_table(golden: Path) -> None:
    """A reader finds the textbook name and the reference of each."""
    results = json.loads(golden.read_text(encoding="utf-8"))

    missing = {name for name in method_names(results) if base_name(name) not in documented_names()}

    assert not missing
