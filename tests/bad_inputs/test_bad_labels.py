"""Labels that are missing, spelt in two ways, or in a file that lacks cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.bad_inputs.test_bad_files import copy_files
from tests.predictions.spec_folder import COLUMNS, faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path

TWO = 'kind = "binary"\npositive = "yes"\nclasses = ["yes", "no"]'
LABELS = 'id = "case"\nlabels = "labels.csv"'


@pytest.mark.parametrize("sign", ["NA", "N/A", "nan", "NaN", "None", "null"])
@pytest.mark.parametrize("column", ["truth", "prediction"])
def test_what_programs_write_for_nothing_is_no_class(
    tmp_path: Path, sign: str, column: str
) -> None:
    """Not even with several classes, where any other word would be one."""
    row = {"truth": f"{sign},b", "prediction": f"b,{sign}"}[column]
    files = write(tmp_path, A=f"truth,prediction\na,a\n{row}\nc,c\n")

    (fault,) = faults(tmp_path, files, 'kind = "multiclass"', "")

    assert fault.error_code.code == "E208"
    assert fault.location is not None
    assert (fault.location.path.name, fault.location.line) == ("A.csv", 3)
    assert f'`classes`: ["{sign}", …]' in (fault.help or "")


def test_a_class_of_that_name_is_one_if_it_is_listed(tmp_path: Path) -> None:
    """Who lists `None` among the classes means it; `none` is a word like any other."""
    files = write(tmp_path, A="truth,prediction\na,a\nNone,a\nnone,none\n")

    counted = read(tmp_path, files, 'kind = "multiclass"\nclasses = ["a", "None", "none"]', "")

    assert matrix(counted, "A") == ((1, 0, 0), (1, 0, 0), (0, 0, 1))


def test_a_missing_sign_in_the_labels_file_is_reported_there(tmp_path: Path) -> None:
    """The file that holds the truth is the one to mend."""
    write(tmp_path, labels="case,truth\n1,NA\n2,no\n")
    files = write(tmp_path, A="case,prediction\n1,yes\n2,no\n")

    (fault,) = faults(tmp_path, files, data=LABELS)

    assert fault.location is not None
    assert (fault.location.path.name, fault.location.line) == ("labels.csv", 2)


def test_labels_that_lack_cases_are_named(tmp_path: Path) -> None:
    """The labels file lacks two cases, in natural order; the predictions lack one of its cases."""
    write(tmp_path, labels="case,truth\n1,yes\n2,no\n3,no\n")
    files = write(tmp_path, A="case,prediction\n10,yes\n9,no\n1,yes\n2,no\n")

    counted = read(tmp_path, files, data=LABELS)
    error_info = faults(tmp_path, files, data=f'{LABELS}\ncases = "identical"')

    messages = (
        "`A` lacks 1 case of `labels.csv` (3)",
        "`labels.csv` has no truth for 2 cases that `A` predicts (9, 10)",
    )
    assert counted.warnings == (*messages, "`A` is evaluated on 2 cases")
    assert tuple(fault.message for fault in error_info) == messages


def test_a_labels_file_that_does_not_exist_is_reported_in_the_spec(tmp_path: Path) -> None:
    """Together with predictions that do not exist either."""
    diagnostics = faults(tmp_path, {"A": 'predictions = "gone.csv"'}, data=LABELS)

    assert [fault.message for fault in diagnostics] == [
        "there is no file `gone.csv`",
        "there is no file `labels.csv`",
    ]
    assert [fault.location.source_line for fault in diagnostics if fault.location] == [
        'predictions = "gone.csv"',
        'labels = "labels.csv"',
    ]


def test_two_spellings_are_reported_by_file(tmp_path: Path) -> None:
    """Who reads the message knows which file to mend."""
    task = 'kind = "binary"\npositive = true'

    (fault,) = faults(tmp_path, copy_files(tmp_path, "true_false.csv", "zero_one.csv"), task)

    assert "true_false.csv: 'false', 'true'; zero_one.csv: '0', '1'" in fault.message


def test_the_cases_of_the_audit_are_those_measured(tmp_path: Path) -> None:
    """Of five and four rows, four cases are shared."""
    counted = read(tmp_path, copy_files(tmp_path, "good.csv", "fewer_ids.csv"))

    assert [(audit.rows, audit.cases) for audit in counted.audits] == [(5, 4), (4, 4)]


def test_missing_ids_are_listed_in_natural_order(tmp_path: Path) -> None:
    """P9 comes before P10, whatever the order of the rows."""
    rows = "case,truth,prediction\nP10,yes,yes\nP9,no,no\nP1,yes,no\n"
    fewer = "case,truth,prediction\nP1,yes,yes\n"

    counted = read(tmp_path, write(tmp_path, A=rows, B=fewer), TWO, 'id = "case"')

    assert counted.audits[1].missing_examples == ("P9", "P10")


def test_rows_that_do_not_pair_up_are_reported_with_the_id_that_would(tmp_path: Path) -> None:
    """`case` is in both files, with the same truth for each value."""
    diagnostics = faults(tmp_path, copy_files(tmp_path, "good.csv", "fewer_ids.csv"), data="")
    other = faults(tmp_path, copy_files(tmp_path, "good.csv", "other_order.csv"), data="")

    assert diagnostics[0].help == '`case` looks like an id: write `id = "case"` under `[data]`'
    assert '`id = "case"`' in (other[0].help or "")


def test_a_declared_separator_keeps_the_lines_right(tmp_path: Path) -> None:
    """The header is line 2 of a sheet that begins with `sep=;`."""
    write(tmp_path, A="sep=;\ncase;truth;prediction;score\n1;yes;yes;0,5\n")

    (fault,) = faults(tmp_path, {"A": 'predictions = "A.csv"'}, data=COLUMNS)

    assert fault.location is not None
    assert (fault.error_code.code, fault.location.line) == ("E209", 3)
