"""What [folds] may say of the fold scores of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.spec import read_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCORES = """\
[task]
kind = "binary"
positive = "yes"
[[classifiers]]
name = "A"
fold_scores = { accuracy = [0.8, 0.7, 0.9, 0.8, 0.7, 0.6] }
"""
MISTAKES = {
    "repeats that do not divide the folds": (
        "E128",
        SCORES + "[folds]\nrepeats = «4»\n",
        "1 if it was not",
    ),
    "repeats of one fold without a ratio": (
        "E122",
        SCORES + "[folds]\nrepeats = «6»\n",
        "`ratio` in [folds]",
    ),
}


@pytest.mark.parametrize(("code", "marked", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_repeats_that_do_not_fit_give_one_fault(
    check_mistake: Callable[[str, str, str | None], None], code: str, marked: str, hint: str
) -> None:
    """At the number of repeats, with the way out."""
    check_mistake(code, marked, hint)


@pytest.mark.parametrize("keys", ["repeats = 3", "repeats = 6\nratio = 0.5", "ratio = 0.2", ""])
def test_repeats_that_fit_are_accepted(tmp_path: Path, keys: str) -> None:
    """Three repeats of two folds; six random halves with their ratio."""
    path = tmp_path / "spec.toml"
    path.write_text(SCORES + f"[folds]\n{keys}\n", encoding="utf-8")

    assert read_spec(path).spec.folds.tails == "two"
