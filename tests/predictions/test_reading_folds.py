"""Folds by column, by file and repeated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.predictions.cases import fold_names_from_paths
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
    assert fold_names_from_paths(paths) == names


def test_a_pattern_gives_one_fold_per_file_in_natural_order(tmp_path: Path) -> None:
    """Ten files are ten folds, and fold 2 comes before fold 10."""
    for number in range(1, 11):
        rows = f"{number}a,yes,yes\n{number}b,no,{'yes' if number == 10 else 'no'}\n"
        write(tmp_path, **{f"fold{number}": HEADER + rows})

    counted = read(tmp_path, {"A": 'predictions = "fold*.csv"'}, data=IDS)

    assert [item.path for item in counted.inputs[:3]] == ["fold1.csv", "fold2.csv", "fold3.csv"]
    assert counted.inputs[-1].path == "fold10.csv"
    assert matrix(counted, "A", "10") == ((1, 0), (1, 0))
    assert matrix(counted, "A") == ((10, 0), (1, 9))


def test_a_list_of_files_keeps_its_order(tmp_path: Path) -> None:
    """A list says which file comes first."""
    write(tmp_path, b=f"{HEADER}1,yes,yes\n", a=f"{HEADER}2,no,no\n")

    counted = read(tmp_path, {"A": 'predictions = ["b.csv", "a.csv"]'}, data=IDS)

    assert [item.path for item in counted.inputs] == ["b.csv", "a.csv"]
    assert matrix(counted, "A", "b") == ((1, 0), (0, 0))


def test_a_pattern_without_files_names_the_neighbours(tmp_path: Path) -> None:
    """The files that are there show what the pattern should have been."""
    write(tmp_path, svm_1=HEADER)

    (fault,) = faults(tmp_path, {"A": 'predictions = "nb_*.csv"'}, data=IDS)

    assert (fault.error_code.code, fault.message) == ("E218", "`nb_*.csv` matches no file")
    assert "`svm_1.csv`" in (fault.help or "")
    assert fault.location is not None
    assert (fault.location.path.name, fault.location.column) == ("spec.toml", 15)


def test_ids_that_repeat_over_folds_are_cases_of_their_own(tmp_path: Path) -> None:
    """Two repetitions over the same two ids are four cases."""
    rows = "case,fold,truth,prediction\n1,r1,yes,yes\n2,r1,no,no\n1,r2,yes,no\n2,r2,no,no\n"
    data = 'id = "case"\nfold = "fold"'

    counted = read(tmp_path, write(tmp_path, A=rows, B=rows), data=data)

    assert (counted.case_count, counted.distinct_cases) == (4, 2)
    assert matrix(counted, "A") == ((1, 1), (0, 2))
    assert matrix(counted, "B", "r2") == ((0, 1), (0, 1))
    assert len(counted.warnings) == 1
    assert "read as repeated cross-validation" in counted.warnings[0]


def test_a_few_ids_in_two_folds_are_reported(tmp_path: Path) -> None:
    """If only some ids repeat, that is more likely a slip than a repetition."""
    rows = "case,fold,truth,prediction\n1,1,yes,yes\n2,1,no,no\n1,2,yes,yes\n"

    counted = read(tmp_path, write(tmp_path, A=rows), data='id = "case"\nfold = "fold"')

    assert "1 of 2 ids occur in more than one fold" in counted.warnings[0]


def test_different_folds_for_one_case_are_reported(tmp_path: Path) -> None:
    """Scores per fold are then not of the same cases."""
    first = "case,fold,truth,prediction\n1,1,yes,yes\n2,2,no,no\n"
    second = "case,fold,truth,prediction\n1,1,yes,yes\n2,1,no,no\n"

    counted = read(tmp_path, write(tmp_path, A=first, B=second), data='id = "case"\nfold = "fold"')

    assert counted.warnings == ("1 case in different folds for different classifiers",)
    assert counted.fold_mismatches == 1


def test_a_case_in_three_folds_has_moved_once(tmp_path: Path) -> None:
    """Case 2 is in another fold for each of three classifiers; case 1 is always in the first."""
    rows = "case,fold,truth,prediction\n1,1,yes,yes\n2,{},no,no\n"
    files = write(tmp_path, A=rows.format(1), B=rows.format(2), C=rows.format(3))

    assert read(tmp_path, files, data='id = "case"\nfold = "fold"').fold_mismatches == 1


REPEATED = "case,fold,truth,prediction\n1,r1,yes,yes\n2,r1,no,no\n1,r2,yes,no\n2,r2,no,no\n"
BY_FOLD = 'id = "case"\nfold = "fold"'


def test_repeated_cases_in_other_folds_are_rejected(tmp_path: Path) -> None:
    """Matched by id and fold, most predictions would have no partner."""
    other = REPEATED.replace("1,r2", "1,r3")

    (fault,) = faults(tmp_path, write(tmp_path, A=REPEATED, B=other), data=BY_FOLD)

    assert fault.error_code.code == "E225"
    assert fault.message == (
        "the folds differ between classifiers for 1 id of 2: `1` is in r1, r2 for `A`;"
        " r1, r3 for `B`"
    )
    assert "such as the repetition" in (fault.help or "")


def test_a_repetition_that_some_classifiers_lack_is_a_missing_case(tmp_path: Path) -> None:
    """C was not run again on case 1, which is told, but its folds are those of the others."""
    fewer = REPEATED.replace("1,r2,yes,no\n", "")

    counted = read(tmp_path, write(tmp_path, A=REPEATED, B=REPEATED, C=fewer), data=BY_FOLD)

    assert (counted.case_count, counted.distinct_cases) == (3, 2)
    assert "`C` lacks 1 case (1 in fold r2)" in counted.warnings


def test_ids_that_are_unique_are_not_counted_again(tmp_path: Path) -> None:
    """Without repetitions there is only one number of cases to tell."""
    counted = read(tmp_path, write(tmp_path, A=f"{HEADER}1,yes,yes\n2,no,no\n"), data=IDS)

    assert counted.distinct_cases is None


def test_contradicting_rows_without_folds_may_be_repetitions(tmp_path: Path) -> None:
    """The help names the key that repeated cross-validation needs."""
    (fault,) = faults(tmp_path, write(tmp_path, A=REPEATED), data=IDS)

    assert fault.error_code.code == "E219"
    assert "repeated cross-validation" in (fault.help or "")
    assert '`fold = "…"`' in (fault.help or "")


def test_a_file_per_fold_needs_no_fold_column(tmp_path: Path) -> None:
    """A shared `fold` is for those who have the column; for others each file is a fold."""
    write(tmp_path, f1=f"{HEADER}1,yes,yes\n", f2=f"{HEADER}2,no,no\n")
    files = write(tmp_path, A="case,fold,truth,prediction\n1,1,yes,yes\n2,2,no,no\n")

    counted = read(tmp_path, {**files, "B": 'predictions = "f*.csv"'}, data=BY_FOLD)

    assert matrix(counted, "A", "2") == matrix(counted, "B", "2") == ((0, 0), (0, 1))
    assert counted.warnings == ()


def test_a_fold_column_in_some_of_the_files_is_rejected(tmp_path: Path) -> None:
    """Whether the file or the column is the fold cannot be known."""
    write(tmp_path, f1=f"{HEADER}1,yes,yes\n", f2="case,fold,truth,prediction\n2,2,no,no\n")

    (fault,) = faults(tmp_path, {"B": 'predictions = "f*.csv"'}, data=BY_FOLD)

    assert fault.error_code.code == "E206"
    assert fault.location is not None
    assert fault.location.path.name == "f1.csv"
    assert "`f2.csv` has it" in (fault.help or "")


@pytest.mark.parametrize(
    ("task", "data", "warned"),
    [("", "", True), ("", '\nfold = "fold"', False), ('kind = "regression"', "", True)],
)
def test_folds_that_are_spoken_of_but_not_there_are_reported(
    tmp_path: Path, task: str, data: str, *, warned: bool
) -> None:
    """[folds] without a column or files of folds would have no effect without a word."""
    rows = "case,truth,prediction,fold\n1,1,1,a\n2,0,0,a\n3,1,0,b\n4,0,0,b\n"
    classifiers = write(tmp_path, A=rows)
    classifiers["A"] += "\n[folds]\nratio = 0.1"
    warnings = read(
        tmp_path, classifiers, task or 'kind = "binary"\npositive = 1', f"{IDS}{data}"
    ).warnings

    assert any(warning.startswith("[folds] has no effect") for warning in warnings) == warned


def test_folds_have_no_effect_over_data_sets(tmp_path: Path) -> None:
    """Said once, not for each of the data sets."""
    rows = f"{HEADER}1,yes,yes\n2,no,no\n"
    write(tmp_path, a=rows, b=rows)
    classifiers = {"A": 'predictions = "{dataset}.csv"\n[folds]\nratio = 0.1'}
    classifiers["A"] += '\n[[datasets]]\nname = "a"\n[[datasets]]\nname = "b"'

    assert read(tmp_path, classifiers, data=IDS).warnings == (
        "[folds] has no effect where classifiers are compared over data sets",
    )
