"""What [folds] may say of the fold scores of a spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.spec import load_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic

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
        "1 if it was not repeated",
    ),
    "repeats of one fold without a ratio": (
        "E122",
        SCORES + "[folds]\nrepeats = «6»\n",
        "`ratio`, n_test/n_train, in [folds]",
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

    assert load_spec(path).spec.folds.tails == "two"


def scores_of(name: str, *values: float) -> str:
    """Return the table of a classifier with fold scores of accuracy and F1."""
    return (
        f'[[classifiers]]\nname = "{name}"\n'
        f"fold_scores = {{ accuracy = {list(values)}, f1 = {list(values)} }}\n"
    )


TASK = '[task]\nkind = "binary"\npositive = "yes"\n'


def test_different_numbers_of_fold_scores_are_reported(tmp_path: Path) -> None:
    """A has three folds, B and C have two."""
    path = tmp_path / "spec.toml"
    unequal = scores_of("A", 0.8, 0.7, 0.9) + scores_of("B", 0.7, 0.6) + scores_of("C", 0.5, 0.6)
    path.write_text(TASK + unequal, encoding="utf-8")
    (warning,) = load_spec(path).warnings
    path.write_text(TASK + scores_of("B", 0.7, 0.6) + scores_of("C", 0.5, 0.6), encoding="utf-8")

    assert warning == (
        "classifiers with different numbers of fold scores cannot be compared over folds:"
        " `A` has 3; `B`, `C` have 2"
    )
    assert load_spec(path).warnings == ()


def test_every_list_of_fold_scores_out_of_range_is_a_fault_of_its_own(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """Two lists of each of two classifiers: four faults, of which each counts its own."""
    diagnostics = faults_of(TASK + scores_of("A", 81, 0.7, 79) + scores_of("B", 0.8, 0.7, 200))

    assert [fault.message for fault in diagnostics] == [
        "item 1 of `accuracy` is outside 0 to 1, the range of `accuracy`, and so is 1 more",
        "item 1 of `f1` is outside 0 to 1, the range of `f1`, and so is 1 more",
        "item 3 of `accuracy` is outside 0 to 1, the range of `accuracy`",
        "item 3 of `f1` is outside 0 to 1, the range of `f1`",
    ]
    assert [fault.help for fault in diagnostics] == [
        "a score of 81 % is written 0.81",
        "a score of 81 % is written 0.81",
        "see `reportgen explain accuracy`",
        "see `reportgen explain f1`",
    ]
