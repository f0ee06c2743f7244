"""Files that are fine one by one but disagree about labels, folds or cases."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ExitCode
from reportgen.jobs.job import Job
from reportgen.jobs.runner import run_job
from tests.bad_inputs.test_bad_files import copy_files
from tests.predictions.spec_folder import BINARY, COLUMNS, COUNTS, faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

FOLDS = f'{COLUMNS}\nfold = "fold"'


@pytest.mark.parametrize(
    "names",
    [
        ("true_false.csv", "true_false_lower.csv"),
        ("zero_one.csv", "zero_one_floats.csv"),
    ],
)
def test_spellings_of_a_label_mean_the_same(tmp_path: Path, names: tuple[str, str]) -> None:
    """True is true, and 1.0 is 1, over all files."""
    positive = "true" if "true" in names[0] else "1"

    counted = read(
        tmp_path, copy_files(tmp_path, *names), f'kind = "binary"\npositive = {positive}'
    )

    assert counted.classes[0] == positive
    assert [matrix(counted, name) for name in names] == [COUNTS, COUNTS]
    assert counted.case_count == 5


def test_0_and_1_are_not_taken_for_false_and_true(tmp_path: Path) -> None:
    """Which of two spellings is meant by the other is not guessed."""
    task = 'kind = "binary"\npositive = true'

    diagnostics = faults(tmp_path, copy_files(tmp_path, "true_false.csv", "zero_one.csv"), task)

    assert {fault.error_code.code for fault in diagnostics} == {"E214"}


def test_one_class_is_enough_if_the_spec_names_both(tmp_path: Path) -> None:
    """With the classes named, a file without negatives is counted, and that is said."""
    task = f'{BINARY}\nclasses = ["yes", "no"]'

    counted = read(tmp_path, copy_files(tmp_path, "one_class.csv"), task)

    assert matrix(counted, "one_class.csv") == ((2, 0), (0, 0))
    assert counted.warnings == ("no case is or is predicted as `no`",)


def test_a_class_that_is_never_true_is_reported(tmp_path: Path) -> None:
    """A label of predictions that truth never has is counted with a warning."""
    counted = read(tmp_path, copy_files(tmp_path, "never_true.csv"))

    assert matrix(counted, "never_true.csv") == ((1, 1), (0, 0))
    assert counted.warnings == ("`never_true.csv` predicts `no`, which is never true",)


def test_a_class_that_is_never_predicted_is_reported(tmp_path: Path) -> None:
    """A label of the truth that is never predicted is counted with a warning."""
    counted = read(tmp_path, copy_files(tmp_path, "never_predicted.csv"))

    assert matrix(counted, "never_predicted.csv") == ((1, 0), (1, 0))
    assert counted.warnings == ("`never_predicted.csv` never predicts `no`",)


def test_a_label_that_is_no_class_is_reported_with_its_place(tmp_path: Path) -> None:
    """With `task.classes` every other label is an error, with the nearest class."""
    task = f'{BINARY}\nclasses = ["yes", "no"]'
    classifiers = copy_files(tmp_path, "misspelled_label.csv")
    path = tmp_path / "misspelled_label.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("Yes", "yess"), encoding="utf-8")

    (fault,) = faults(tmp_path, classifiers, task)

    assert fault.error_code.code == "E213"
    assert fault.location is not None
    assert fault.location.line == 3
    assert fault.help == "did you mean `yes`?"


def test_equal_and_contradicting_scores_are_reported(tmp_path: Path) -> None:
    """Scores that cannot order the cases, or not as predicted, are counted with a warning."""
    equal = read(tmp_path, copy_files(tmp_path, "equal_scores.csv"))
    against = read(tmp_path, copy_files(tmp_path, "contradicting_scores.csv"))

    assert equal.warnings == ("`equal_scores.csv`: all scores are equal",)
    assert "predictions contradict the scores" in against.warnings[0]


def test_scores_in_a_warning_have_as_few_digits_as_distinguish_them(tmp_path: Path) -> None:
    """1 - 0.98 is 0.020000000000000018 in binary."""
    classifiers = copy_files(tmp_path, "contradicting_scores.csv")
    path = tmp_path / "contradicting_scores.csv"
    text = path.read_text(encoding="utf-8").replace("yes,yes,0.1", f"yes,yes,{1 - 0.98}")
    path.write_text(text, encoding="utf-8")

    (warning,) = read(tmp_path, classifiers).warnings

    assert warning.endswith("score 0.4 is predicted negative, one with 0.02 positive")


def test_a_single_fold_is_a_fold(tmp_path: Path) -> None:
    """With k = 1 there is one fold with all cases."""
    counted = read(tmp_path, copy_files(tmp_path, "one_fold.csv"), data=FOLDS)

    assert matrix(counted, "one_fold.csv", "only") == matrix(counted, "one_fold.csv") == COUNTS


def test_folds_may_have_unequal_sizes_and_lack_a_class(tmp_path: Path) -> None:
    """Fold 2 has one positive case only; its other counts are 0."""
    counted = read(tmp_path, copy_files(tmp_path, "uneven_folds.csv"), data=FOLDS)

    assert matrix(counted, "uneven_folds.csv", "1") == ((1, 1), (1, 1))
    assert matrix(counted, "uneven_folds.csv", "2") == ((1, 0), (0, 0))


def test_measures_of_a_class_that_a_fold_lacks_are_undefined_with_the_reason(
    tmp_path: Path,
) -> None:
    """Fold 2 has no negative case: its specificity is 0 / 0, and that of fold 1 is 1 / 2."""
    (classifier,) = copy_files(tmp_path, "uneven_folds.csv").values()
    spec = tmp_path / "spec.toml"
    spec.write_text(
        f'[task]\n{BINARY}\n[data]\n{FOLDS}\n[[classifiers]]\nname = "A"\n{classifier}\n',
        encoding="utf-8",
    )
    outcome = run_job(Job(spec, tmp_path / "out", ("json",)))
    results = json.loads((tmp_path / "out/spec/results.json").read_text(encoding="utf-8"))
    first, second = (
        next(
            row
            for row in results["values"]
            if (row["measure"], row["fold"], row["average"]) == ("specificity", fold, None)
        )
        for fold in ("1", "2")
    )

    assert outcome.exit_code is ExitCode.SUCCESS
    assert (first["value"], first["state"], first["reason"]) == (0.5, "defined", None)
    assert (second["value"], second["state"]) == (None, "undefined")
    assert second["reason"] == "every case belongs to the class (FP + TN = 0)"


def test_a_case_without_a_fold_is_rejected(tmp_path: Path) -> None:
    """An empty fold cell belongs to no fold."""
    (fault,) = faults(tmp_path, copy_files(tmp_path, "empty_fold.csv"), data=FOLDS)

    assert (fault.error_code.code, fault.message) == ("E208", "column `fold`: the value is missing")


def test_rows_in_another_order_are_joined_by_id(tmp_path: Path) -> None:
    """With ids the order of rows has no meaning."""
    counted = read(tmp_path, copy_files(tmp_path, "good.csv", "other_order.csv"))

    assert matrix(counted, "other_order.csv") == COUNTS
    assert (counted.case_count, counted.warnings) == (5, ())


def test_rows_in_another_order_without_ids_are_rejected(tmp_path: Path) -> None:
    """Without ids, different truths in a row show that the rows are different cases."""
    diagnostics = faults(tmp_path, copy_files(tmp_path, "good.csv", "other_order.csv"), data="")

    assert {fault.error_code.code for fault in diagnostics} == {"E222"}
    assert diagnostics[0].message == (
        "row 2 has different truths: truth no for `good.csv` (good.csv:3);"
        " truth yes for `other_order.csv` (other_order.csv:3)"
    )


def test_fewer_rows_without_ids_are_rejected(tmp_path: Path) -> None:
    """Which case is missing cannot be known without ids."""
    (fault,) = faults(tmp_path, copy_files(tmp_path, "good.csv", "fewer_ids.csv"), data="")

    assert fault.error_code.code == "E222"
    assert "`good.csv` has 5, `fewer_ids.csv` has 4" in fault.message


def test_a_duplicate_id_is_counted_once_and_reported(tmp_path: Path) -> None:
    """A row that only repeats another one is not a second case."""
    counted = read(tmp_path, copy_files(tmp_path, "duplicate_id.csv"))

    (audit,) = counted.audits
    assert (audit.rows, audit.cases, audit.duplicated) == (6, 5, 1)
    assert counted.warnings == ("`duplicate_id.csv`: 1 duplicate row, counted once",)


def test_ids_of_one_classifier_alone_are_left_out_and_reported(tmp_path: Path) -> None:
    """Both are measured on the four cases they share; the audit names the others."""
    counted = read(tmp_path, copy_files(tmp_path, "good.csv", "other_ids.csv"))

    first, second = counted.audits
    assert (first.missing_examples, first.extra_examples) == (("9",), ("5",))
    assert (second.missing_examples, second.extra_examples) == (("5",), ("9",))
    assert counted.case_count == 4
    assert matrix(counted, "good.csv") == ((1, 1), (1, 1))
    assert "all classifiers are evaluated on the 4 cases in common" in counted.warnings


def test_other_ids_are_rejected_where_cases_must_be_identical(tmp_path: Path) -> None:
    """`cases = "identical"` turns every case that a classifier lacks into an error."""
    strict = f'{COLUMNS}\ncases = "identical"'

    diagnostics = faults(tmp_path, copy_files(tmp_path, "good.csv", "fewer_ids.csv"), data=strict)

    assert [fault.message for fault in diagnostics] == ["`fewer_ids.csv` lacks 1 case (5)"]


def test_leading_zeros_make_another_id(tmp_path: Path) -> None:
    """01 is not 1: the files share no case, and the message shows ids of both."""
    (fault,) = faults(tmp_path, copy_files(tmp_path, "good.csv", "no_common_ids.csv"))

    assert fault.error_code.code == "E221"
    assert fault.help == "ids of `good.csv`: 1, 2, 3; ids of `no_common_ids.csv`: 01, 02, 03"


def test_a_truth_that_differs_between_classifiers_is_rejected(tmp_path: Path) -> None:
    """One of the files is wrong about case 4, and which one cannot be known."""
    (fault,) = faults(tmp_path, copy_files(tmp_path, "good.csv", "other_truth.csv"))

    assert fault.error_code.code == "E219"
    assert fault.message == (
        "case `4` has conflicting truths: truth yes for `good.csv` (good.csv:5);"
        " truth no for `other_truth.csv` (other_truth.csv:5)"
    )
