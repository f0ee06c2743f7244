"""Thresholds, labels in a file of their own, joins, and inputs that are not files."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import DataError
from reportgen.predictions.join import join_cases
from tests.predictions.spec_folder import BINARY, COLUMNS, COUNTS, ROWS, faults, matrix, read, write

if TYPE_CHECKING:
    from pathlib import Path

SCORES = "case,truth,score\n1,yes,0.9\n2,no,0.2\n3,no,0.5\n4,yes,0.4\n5,yes,0.8\n"


def test_a_threshold_derives_the_prediction(tmp_path: Path) -> None:
    """A score of exactly the threshold is positive: case 3 with 0.5 is."""
    counted = read(tmp_path, write(tmp_path, A=SCORES), data=f"{COLUMNS}\nthreshold = 0.5")

    assert matrix(counted, "A") == ((2, 1), (1, 1))


def test_a_threshold_overrides_written_predictions_and_says_so(tmp_path: Path) -> None:
    """At 0.95 nothing is positive, though three rows are written as positive."""
    counted = read(tmp_path, write(tmp_path, A=ROWS), data=f"{COLUMNS}\nthreshold = 0.95")

    assert matrix(counted, "A") == ((0, 3), (0, 2))
    assert (
        "differs from the predictions at threshold 0.95 in 3 of 5 rows; the threshold is used"
        in counted.warnings[0]
    )


def test_without_prediction_and_threshold_both_ways_are_reported(tmp_path: Path) -> None:
    """The help names the column to give and the threshold to set."""
    (fault,) = faults(tmp_path, write(tmp_path, A=SCORES))

    assert fault.error_code.code == "E217"
    assert "`data.prediction`" in (fault.help or "")
    assert "`data.threshold` to derive them from `score`" in (fault.help or "")


def test_a_threshold_needs_the_name_of_the_other_class(tmp_path: Path) -> None:
    """With positive truths alone, what a low score predicts has no name."""
    files = write(tmp_path, A="case,truth,score\n1,yes,0.9\n2,yes,0.1\n")
    data = f"{COLUMNS}\nthreshold = 0.5"

    (fault,) = faults(tmp_path, files, data=data)
    named = read(tmp_path, files, f'{BINARY}\nclasses = ["yes", "no"]', data)

    assert fault.error_code.code == "E216"
    assert matrix(named, "A") == ((1, 1), (0, 0))


def test_labels_may_live_in_their_own_file(tmp_path: Path) -> None:
    """The truth is joined by id, and what the labels ask for but nobody has is missing."""
    write(tmp_path, labels="case,truth\n1,yes\n2,no\n3,no\n4,yes\n5,yes\n6,no\n")
    files = write(tmp_path, A="case,prediction\n5,yes\n4,no\n3,yes\n2,no\n1,yes\n7,no\n")

    counted = read(tmp_path, files, data='id = "case"\nlabels = "labels.csv"')

    (audit,) = counted.audits
    assert matrix(counted, "A") == COUNTS
    assert (audit.missing_examples, audit.extra_examples) == (("6",), ("7",))
    assert [item.path for item in counted.inputs] == ["A.csv", "labels.csv"]


def test_two_truths_in_the_labels_are_rejected(tmp_path: Path) -> None:
    """The second of two different labels of one id is told with its line."""
    write(tmp_path, labels="case,truth\n1,yes\n2,no\n1,no\n")
    files = write(tmp_path, A="case,prediction\n1,yes\n2,no\n")

    (fault,) = faults(tmp_path, files, data='id = "case"\nlabels = "labels.csv"')

    assert (fault.error_code.code, fault.message) == ("E219", "id `1` has the truths yes, no")
    assert fault.location is not None
    assert fault.location.line == 4


def test_a_classifier_may_name_its_own_columns(tmp_path: Path) -> None:
    """Overrides of one classifier leave the others alone."""
    other = ROWS.replace("prediction", "guess").replace("case", "number")
    files = write(tmp_path, A=ROWS, B=other)
    files["B"] += '\nid = "number"\nprediction = "guess"'

    counted = read(tmp_path, files)

    assert matrix(counted, "A") == matrix(counted, "B") == COUNTS


def test_ids_for_some_classifiers_only_are_rejected(tmp_path: Path) -> None:
    """One row order and one id cannot be matched."""
    files = write(tmp_path, A=ROWS, B=ROWS)
    files["A"] += '\nid = "case"'

    (fault,) = faults(tmp_path, files, data="")

    assert (fault.error_code.code, fault.message) == ("E223", "`A` has ids, but `B` has none")


def test_row_order_joins_files_without_ids(tmp_path: Path) -> None:
    """With equal truths in all rows the n-th rows are the same case."""
    counted = read(tmp_path, write(tmp_path, A=ROWS, B=ROWS), data="")

    assert (counted.joined_by, counted.case_count) == ("row order", 5)


def test_counts_and_fold_scores_need_no_file(tmp_path: Path) -> None:
    """Given counts become rows without fold; scores per fold become none."""
    task = f'{BINARY}\nclasses = ["yes", "no"]'
    classifiers = {
        "counts": "confusion = [[7, 3], [2, 8]]",
        "scores": "fold_scores = { accuracy = [0.8, 0.9] }",
    }

    counted = read(tmp_path, classifiers, task, "")

    assert matrix(counted, "counts") == ((7, 3), (2, 8))
    assert matrix(counted, "scores") == ((0, 0), (0, 0))
    assert (counted.joined_by, counted.case_count, counted.audits) == (None, None, ())


def test_classes_are_ordered_naturally(tmp_path: Path) -> None:
    """Class 10 comes after class 9, and 2.0 is class 2."""
    rows = "truth,prediction\n10,10\n9,9\n2.0,2\n"

    counted = read(tmp_path, write(tmp_path, A=rows), 'kind = "multiclass"', "")

    assert counted.classes == ("2", "9", "10")


def test_decimal_classes_are_ordered_by_value(tmp_path: Path) -> None:
    """1.25 is less than 1.5."""
    rows = "truth,prediction\n1.5,1.25\n1.25,1.25\n-1,-1\n"

    counted = read(tmp_path, write(tmp_path, A=rows), 'kind = "multiclass"', "")

    assert counted.classes == ("-1", "1.25", "1.5")


def test_labels_that_look_like_versions_stay_as_they_are(tmp_path: Path) -> None:
    """Beside 1.1 the label 1.0 is no integer, also in a column that lacks 1.1."""
    rows = "truth,prediction\n1.0,1.0\n1.1,1.0\n"

    counted = read(tmp_path, write(tmp_path, A=rows), 'kind = "multiclass"', "")

    assert counted.classes == ("1.0", "1.1")


def test_regression_sums_errors(tmp_path: Path) -> None:
    """Errors of 1 and -2 give 5 squared and 3 absolute."""
    rows = "truth,prediction\n3,2\n1,3\n"

    counted = read(tmp_path, write(tmp_path, A=rows), 'kind = "regression"', "")

    assert counted.regression is not None
    assert counted.regression.frame.select("squared_errors", "absolute_errors").row(0) == (5, 3)


def test_regression_rejects_text(tmp_path: Path) -> None:
    """A value that is no number has its line."""
    files = write(tmp_path, A="truth,prediction\n3,2\n1,many\n")

    (fault,) = faults(tmp_path, files, 'kind = "regression"', "")

    assert (fault.error_code.code, fault.message) == (
        "E209",
        "column `prediction`: 'many' is not a number",
    )


def test_inputs_carry_their_hash(tmp_path: Path) -> None:
    """The hash is that of the bytes in the file."""
    counted = read(tmp_path, write(tmp_path, A=ROWS))

    assert counted.inputs[0].sha256 == hashlib.sha256(ROWS.encode()).hexdigest()


def test_an_input_that_changes_while_it_is_read_is_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of a file that grows belong to neither of its versions."""
    files = write(tmp_path, A=ROWS)

    def append_and_join(*arguments: object, **options: object) -> object:
        with (tmp_path / "A.csv").open("a", encoding="utf-8") as stream:
            stream.write("6,yes,yes,0.5\n")
        return join_cases(*arguments, **options)  # type: ignore[arg-type]  # handed on as they came

    monkeypatch.setattr("reportgen.predictions.load.join_cases", append_and_join)

    with pytest.raises(DataError) as error_info:
        read(tmp_path, files)
    assert error_info.value.diagnostics[0].error_code.code == "E224"


def test_many_contradictions_are_reported_by_the_first_five(tmp_path: Path) -> None:
    """Seven contradicting cases give five faults, the last of which counts the other two."""
    rows = "".join(f"{number},yes,yes\n{number},yes,no\n" for number in range(1, 8))

    diagnostics = faults(
        tmp_path, write(tmp_path, A=f"case,truth,prediction\n{rows}8,no,no\n"), data='id = "case"'
    )

    assert len(diagnostics) == 5
    assert diagnostics[-1].message.endswith("; and 2 more cases")
