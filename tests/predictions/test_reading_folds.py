"""Folds by column, by file and repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.predictions.folds import fold_names
from tests.predictions.spec_folder import faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path

HEADER = "case,truth,prediction\n"
IDS = 'id = "case"'


@pytest.mark.parametrize(
    ("paths", "names"),
    [
        (["nb_fold1.csv", "nb_fold2.csv", "nb_fold10.csv"], ("1", "2", "10")),
        (["fold10.csv", "fold11.csv"], ("10", "11")),
        (["a/preds.csv.gz", "b/preds.csv.gz"], ("a", "b")),
        (["x_1_test.csv", "x_2_test.csv"], ("1", "2")),
        (["base.csv", "base_2.csv"], ("base.csv", "base_2.csv")),
        (["north.csv", "south.csv"], ("north", "south")),
    ],
)
def test_a_fold_is_named_by_what_differs(paths: list[str], names: tuple[str, ...]) -> None:
    """Whole numbers and words are kept whole; where nothing is left the path is the name."""
    assert fold_names(paths) == names


def test_a_pattern_gives_one_fold_per_file_in_natural_order(tmp_path: Path) -> None:
    """Ten files are ten folds, and fold 2 comes before fold 10."""
    for number in range(1, 11):
        rows = f"{number}a,yes,yes\n{number}b,no,{'yes' if number == 10 else 'no'}\n"
        write(tmp_path, **{f"fold{number}": HEADER + rows})

    counted = read(tmp_path, {"A": 'predictions = "fold*.csv"'}, data=IDS)

    assert [each.path for each in counted.inputs[:3]] == ["fold1.csv", "fold2.csv", "fold3.csv"]
    assert counted.inputs[-1].path == "fold10.csv"
    assert matrix(counted, "A", "10") == ((1, 0), (1, 0))
    assert matrix(counted, "A") == ((10, 0), (1, 9))


def test_a_list_of_files_keeps_its_order(tmp_path: Path) -> None:
    """A list says which file comes first."""
    write(tmp_path, b=f"{HEADER}1,yes,yes\n", a=f"{HEADER}2,no,no\n")

    counted = read(tmp_path, {"A": 'predictions = ["b.csv", "a.csv"]'}, data=IDS)

    assert [each.path for each in counted.inputs] == ["b.csv", "a.csv"]
    assert matrix(counted, "A", "b") == ((1, 0), (0, 0))


def test_a_pattern_without_files_names_the_neighbours(tmp_path: Path) -> None:
    """The files that are there show what the pattern should have been."""
    write(tmp_path, svm_1=HEADER)

    (fault,) = faults(tmp_path, {"A": 'predictions = "nb_*.csv"'}, data=IDS)

    assert (fault.kind.code, fault.message) == ("E218", "`nb_*.csv` matches no file")
    assert "`svm_1.csv`" in (fault.help or "")


def test_ids_that_repeat_over_folds_are_cases_of_their_own(tmp_path: Path) -> None:
    """Two repetitions over the same two ids are four cases."""
    rows = "case,fold,truth,prediction\n1,r1,yes,yes\n2,r1,no,no\n1,r2,yes,no\n2,r2,no,no\n"
    data = 'id = "case"\nfold = "fold"'

    counted = read(tmp_path, write(tmp_path, A=rows, B=rows), data=data)

    assert counted.case_count == 4
    assert matrix(counted, "A") == ((1, 1), (0, 2))
    assert matrix(counted, "B", "r2") == ((0, 1), (0, 1))
    assert counted.warnings == ()


def test_a_few_ids_in_two_folds_are_told(tmp_path: Path) -> None:
    """If only some ids repeat, that is more likely a slip than a repetition."""
    rows = "case,fold,truth,prediction\n1,1,yes,yes\n2,1,no,no\n1,2,yes,yes\n"

    counted = read(tmp_path, write(tmp_path, A=rows), data='id = "case"\nfold = "fold"')

    assert "1 of 2 ids occur in more than one fold" in counted.warnings[0]


def test_different_folds_for_one_case_are_told(tmp_path: Path) -> None:
    """Scores per fold are then not of the same cases."""
    first = "case,fold,truth,prediction\n1,1,yes,yes\n2,2,no,no\n"
    second = "case,fold,truth,prediction\n1,1,yes,yes\n2,1,no,no\n"

    counted = read(tmp_path, write(tmp_path, A=first, B=second), data='id = "case"\nfold = "fold"')

    assert counted.warnings == ("1 case in different folds for different classifiers",)
