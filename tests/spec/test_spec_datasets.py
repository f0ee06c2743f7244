"""What a user may get wrong about several data sets, each told at its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.spec import load_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic

TASK = '[task]\nkind = "multiclass"\n'
TWO = '[[datasets]]\nname = "wine"\n[[datasets]]\nname = "iris"\n'
FILES = '[[classifiers]]\nname = "SVM"\npredictions = "{dataset}/svm.csv"\n'
FIRST = (
    '[[classifiers]]\nname = "A"\n[classifiers.dataset_scores.accuracy]\nwine = 0.9\niris = 0.8\n'
)
B = '[[classifiers]]\nname = "B"\n'
SECOND = B + "[classifiers.dataset_scores."

MISTAKES = {
    "no placeholder": (
        "E125",
        TASK + TWO + '[[classifiers]]\nname = "A"\npredictions = «"svm.csv"»',
        "{dataset}",
    ),
    "one of the paths without a placeholder": (
        "E125",
        TASK + TWO + '[[classifiers]]\nname = "A"\npredictions = ["{dataset}.csv", «"svm.csv"»]',
        "{dataset}",
    ),
    "no data sets": (
        "E125",
        TASK + '[[classifiers]]\nname = "A"\npredictions = «"{dataset}/svm.csv"»',
        "[[datasets]]",
    ),
    "labels of no data set": (
        "E125",
        TASK
        + '[data]\nid = "case"\nlabels = «"{dataset}.csv"»\n'
        + '[[classifiers]]\nname = "A"\npredictions = "a.csv"',
        "[[datasets]]",
    ),
    "misspelt data set": (
        "E126",
        TASK + FIRST + SECOND + "accuracy]\n«wien» = 0.9\niris = 0.8",
        "did you mean `wine`?",
    ),
    "missing data set": (
        "E126",
        TASK + FIRST + B + "dataset_scores = { accuracy = «{ wine = 0.9 }» }",
        "same data sets",
    ),
    "a data set that the others lack": (
        "E126",
        TASK + FIRST + SECOND + "accuracy]\nwine = 0.9\niris = 0.8\n«mushrooms» = 1.0",
        "`wine`, `iris`",
    ),
    "another measure": (
        "E126",
        TASK + FIRST + B + "dataset_scores = «{ kappa = { wine = 0.9, iris = 0.8 } }»",
        "the same measures",
    ),
    "scores unlike the data sets listed": (
        "E126",
        TASK + TWO + FILES + SECOND + "accuracy]\nwine = 0.9\n«irsi» = 0.8",
        "did you mean `iris`?",
    ),
    "counts beside several data sets": (
        "E127",
        '[task]\nkind = "multiclass"\nclasses = ["a", "b"]\n'
        + FIRST
        + '[[classifiers]]\nname = "B"\n«confusion» = [[1, 2], [3, 4]]',
        "a separate spec",
    ),
    "fold scores beside several data sets": (
        "E127",
        TASK
        + TWO
        + FILES
        + '[[classifiers]]\nname = "B"\n«fold_scores» = { accuracy = [0.8, 0.9] }',
        "a separate spec",
    ),
    "predictions of one beside scores of several": (
        "E127",
        TASK + FIRST + '[[classifiers]]\nname = "B"\n«predictions» = "b.csv"',
        "{dataset}",
    ),
    "prevalence of one data set": (
        "E127",
        TASK + FIRST + "[«prevalence»]\ntargets = [0.1]",
        "remove",
    ),
    "score in percent": (
        "E104",
        TASK + SECOND + "accuracy]\nwine = «97»\niris = 0.8",
        "0.97",
    ),
    "data set listed twice": (
        "E119",
        TASK + TWO + '[[datasets]]\nname = «"wine"»\n' + FILES,
        "keep one",
    ),
    "two names of one measure": (
        "E119",
        TASK
        + '[[classifiers]]\nname = "A"\n[classifiers.dataset_scores]\n'
        + "recall = { wine = 0.9, iris = 0.8 }\n«sensitivity» = { wine = 0.9, iris = 0.8 }",
        "keep one",
    ),
    "unknown measure": (
        "E108",
        TASK + B + "dataset_scores = { «acuracy» = { wine = 0.9, iris = 0.8 } }",
        "accuracy",
    ),
    "a number among classes": (
        "E116",
        TASK + TWO + '[[datasets]]\nname = "c"\nkind = «"regression"»\n' + FILES,
        "no measure",
    ),
    "binary without a positive class": (
        "E103",
        TASK + TWO + '«[[datasets]]»\nname = "c"\nkind = "binary"\n' + FILES,
        "positive",
    ),
    "positive class of several classes": (
        "E116",
        TASK + TWO + '[[datasets]]\nname = "c"\n«positive» = "a"\n' + FILES,
        "remove `positive`",
    ),
    "positive class that is none": (
        "E115",
        TASK
        + TWO
        + '[[datasets]]\nname = "c"\nkind = "binary"\npositive = «"x"»\nclasses = ["ham", "egg"]\n'
        + FILES,
        "`ham`",
    ),
    "two sources": (
        "E113",
        TASK
        + '[[classifiers]]\nname = "A"\nfold_scores = { accuracy = [0.8, 0.9] }\n'
        + "«dataset_scores» = { accuracy = { wine = 0.9, iris = 0.8 } }",
        "keep one of them",
    ),
}


@pytest.mark.parametrize(("code", "marked", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_about_data_sets_is_reported_at_its_place(
    check_mistake: Callable[[str, str, str | None], None],
    code: str,
    marked: str,
    hint: str | None,
) -> None:
    """The fault has the right code, line, column and width, and its help shows the way out."""
    check_mistake(code, marked, hint)


def test_a_single_data_set_is_no_comparison(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]],
) -> None:
    """Nothing can be ranked over one data set."""
    (fault,) = faults_of(TASK + '[[datasets]]\nname = "wine"\n' + FILES)

    assert fault.error_code.code == "E104"
    assert "two or more" in fault.message


def test_data_sets_may_name_their_own_positive_classes(tmp_path: Path) -> None:
    """Then [task] needs none; scores alone need none either."""
    own = '[[datasets]]\nname = "{}"\npositive = "{}"\n'
    path = tmp_path / "spec.toml"
    path.write_text(
        '[task]\nkind = "binary"\n' + own.format("a", "x") + own.format("b", "y") + FILES
    )
    assert [dataset.positive for dataset in load_spec(path).spec.datasets] == ["x", "y"]

    path.write_text('[task]\nkind = "binary"\n' + FIRST)
    assert load_spec(path).spec.dataset_names == ("wine", "iris")
