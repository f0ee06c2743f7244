"""Gates that could not be judged, or that would mean something else than they say, are refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.spec import parse_spec
from tests.small_specs import YES_OR_NO as BINARY

if TYPE_CHECKING:
    from collections.abc import Callable

MULTICLASS = """\
[task]
kind = "multiclass"
classes = ["a", "b", "c"]
"""
REGRESSION = '[task]\nkind = "regression"\n'
TWO = """\
[[classifiers]]
name = "NB"
predictions = "nb.csv"
[[classifiers]]
name = "SVM"
predictions = "svm.csv"
"""
COUNTED = '[[classifiers]]\nname = "Counted"\nconfusion = [[9, 1], [2, 8]]\n'
FOLDED = """\
[[classifiers]]
name = "NB"
fold_scores = { accuracy = [0.8, 0.9], f1 = [0.7, 0.9] }
[[classifiers]]
name = "SVM"
fold_scores = { accuracy = [0.8, 0.9, 0.7] }
"""
GATE = '[[gates]]\nclassifier = "NB"\n'
MISTAKES = {
    "no condition": ("E134", BINARY + TWO + f'«{GATE[:9]}»{GATE[9:]}measure = "f1"', "at_least"),
    "two conditions": (
        "E134",
        BINARY + TWO + GATE + 'measure = "f1"\nat_least = 0.5\n«at_most» = 0.9',
        "a separate [[gates]]",
    ),
    "margin without use": (
        "E135",
        BINARY + TWO + GATE + 'measure = "f1"\nat_least = 0.5\n«margin» = 0.1',
        "the number of `at_least`",
    ),
    "bound without use": (
        "E135",
        BINARY
        + TWO
        + GATE
        + 'measure = "f1"\nnot_worse_than = "SVM"\nmargin = 0.1\n«bound» = "low"',
        "remove `bound`",
    ),
    "class and average": (
        "E135",
        MULTICLASS
        + TWO
        + GATE
        + 'measure = "f1"\nclass = "a"\n«average» = "macro"\nat_least = 0.5',
        "remove `class` or `average`",
    ),
    "worse than itself": (
        "E135",
        BINARY + TWO + GATE + 'measure = "f1"\nnot_worse_than = «"NB"»\nmargin = 0.1',
        "another classifier",
    ),
    "unknown classifier": (
        "E110",
        BINARY + TWO + GATE + 'measure = "f1"\nnot_worse_than = «"SMV"»\nmargin = 0.1',
        "SVM",
    ),
    "unknown measure": (
        "E108",
        BINARY + TWO + GATE + 'measure = «"accurcy"»\nat_least = 0.5',
        "`accuracy`",
    ),
    "measure of another task": (
        "E109",
        BINARY + TWO + GATE + 'measure = «"rmse"»\nat_most = 0.5',
        "explain rmse",
    ),
    "measure of scores without any": (
        "E122",
        BINARY + TWO + GATE + 'measure = «"roc_auc"»\nat_least = 0.5',
        "`score =",
    ),
    "percentage for a share": (
        "E104",
        BINARY + TWO + GATE + 'measure = "accuracy"\nat_least = «95»',
        "a score of 95 % is written 0.95",
    ),
    "percentage for a margin": (
        "E104",
        BINARY + TWO + GATE + 'measure = "accuracy"\nnot_worse_than = "SVM"\nmargin = «2»',
        "a score of 2 % is written 0.02",
    ),
    "no margin": (
        "E122",
        BINARY + TWO + GATE + 'measure = "accuracy"\nnot_worse_than = «"SVM"»',
        "`margin = 0.01`",
    ),
    "first of a gate that needs no past": (
        "E135",
        BINARY + TWO + GATE + 'measure = "f1"\nat_least = 0.5\n«first» = "fail"',
        "remove `first`",
    ),
    "no margin against the last run": (
        "E122",
        BINARY + TWO + GATE + 'measure = "accuracy"\nnot_worse_than_last = «"run"»',
        "`margin = 0.01`",
    ),
    "margin of another measure": (
        "E122",
        BINARY
        + TWO
        + GATE
        + 'measure = "accuracy"\nnot_worse_than = «"SVM"»\n[comparison]\nmargin = { f1 = 0.1 }',
        "`margin = 0.01`",
    ),
    "unknown class": (
        "E115",
        BINARY + TWO + GATE + 'measure = "f1"\nclass = «"yess"»\nat_least = 0.5',
        "`yes`",
    ),
    "class of a regression": (
        "E116",
        REGRESSION + TWO + GATE + 'measure = "rmse"\n«class» = "a"\nat_most = 0.5',
        "remove `class`",
    ),
    "no class where each has its own value": (
        "E122",
        MULTICLASS + TWO + GATE + 'measure = «"sensitivity"»\nat_least = 0.5',
        '`average = "macro"`',
    ),
    "average that nobody computes": (
        "E109",
        MULTICLASS + TWO + GATE + 'measure = "prevalence"\n«average» = "macro"\nat_least = 0.5',
        "remove `average`",
    ),
    "interval that does not exist": (
        "E109",
        BINARY + TWO + GATE + 'measure = "chi_square"\nat_least = 3.84\n«bound» = "low"',
        "remove `bound`",
    ),
    "worse in what is neither good nor bad": (
        "E109",
        BINARY + TWO + GATE + 'measure = «"prevalence"»\nnot_worse_than = "SVM"\nmargin = 0.1',
        "`at_least` or `at_most`",
    ),
    "difference of micro averages": (
        "E136",
        MULTICLASS
        + TWO
        + GATE
        + 'measure = "f1"\n«average» = "micro"\nnot_worse_than = "SVM"\nmargin = 0.1',
        '`measure = "accuracy"`',
    ),
    "difference in the other of two classes": (
        "E136",
        BINARY
        + TWO
        + GATE
        + 'measure = "f1"\n«class» = "no"\nnot_worse_than = "SVM"\nmargin = 0.1',
        "remove `class`",
    ),
    "folds against counts": (
        "E136",
        BINARY
        + FOLDED
        + COUNTED
        + GATE
        + 'measure = "accuracy"\nnot_worse_than = «"Counted"»\nmargin = 0.1',
        "predictions of both",
    ),
    "other numbers of folds": (
        "E136",
        BINARY + FOLDED + GATE + 'measure = "accuracy"\nnot_worse_than = «"SVM"»\nmargin = 0.1',
        None,
    ),
    "fold scores of one of them": (
        "E136",
        BINARY + FOLDED + GATE + 'measure = "f1"\nnot_worse_than = «"SVM"»\nmargin = 0.1',
        None,
    ),
    "measure the folds do not have": (
        "E109",
        BINARY + FOLDED + GATE + 'measure = «"kappa"»\nat_least = 0.1',
        None,
    ),
    "class of fold scores": (
        "E122",
        BINARY + FOLDED + GATE + 'measure = "f1"\n«class» = "yes"\nat_least = 0.1',
        "remove `class`",
    ),
    "folds against the last run": (
        "E136",
        BINARY + FOLDED + GATE + 'measure = "f1"\n«not_worse_than_last» = "run"\nmargin = 0.1',
        "`at_least`",
    ),
    "several data sets": (
        "E127",
        BINARY
        + '[[classifiers]]\nname = "NB"\ndataset_scores = { accuracy = { x = 0.5, y = 0.6 } }\n'
        + '[[«gates»]]\nclassifier = "NB"\nmeasure = "accuracy"\nat_least = 0.5',
        "single data set",
    ),
    "unknown key": (
        "E102",
        BINARY + TWO + GATE + 'measure = "f1"\nat_least = 0.5\n«bounds» = "low"',
        "`bound`",
    ),
}


@pytest.mark.parametrize(("code", "marked", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_gate_that_cannot_be_judged_is_rejected(
    code: str,
    marked: str,
    hint: str | None,
    check_mistake: Callable[[str, str, str | None], None],
) -> None:
    """One fault with its code, at the place, with the way out."""
    check_mistake(code, marked, hint)


RIGHT = {
    "value": 'measure = "accuracy"\nat_least = 0.9',
    "end of the range": 'measure = "accuracy"\nat_least = 1',
    "low end": 'measure = "youden"\nat_least = 0.5\nbound = "low"',
    "without a range": 'measure = "lr_positive"\nat_least = 95',
    "class": 'measure = "f1"\nclass = "no"\nat_most = 0.5\nlevel = "warning"',
    "positive class, compared": (
        'measure = "f1"\nclass = "yes"\nnot_worse_than = "SVM"\nmargin = 0.1'
    ),
    "average": 'measure = "f1"\naverage = "macro"\nat_least = 0.5',
    "not worse": 'measure = "accuracy"\nnot_worse_than = "SVM"\nmargin = 0.01',
    "margin of the comparison, by another name": (
        'measure = "recall"\nnot_worse_than_last = "published"\n'
        "[comparison]\nmargin = { sensitivity = 0.01 }"
    ),
}


@pytest.mark.parametrize("gate", RIGHT.values(), ids=RIGHT)
def test_gates_that_can_be_judged_are_read(gate: str) -> None:
    """The spec has them, in its order."""
    read = parse_spec(Path("spec.toml"), (BINARY + TWO + GATE + gate).encode())

    assert [gate.classifier for gate in read.spec.gates] == ["NB"]


def test_folds_that_can_be_compared_are_let_through() -> None:
    """Scores of as many folds of the same measure: the corrected t-test decides."""
    text = FOLDED.replace("[0.8, 0.9, 0.7]", "[0.8, 0.8]")
    gate = 'measure = "accuracy"\nnot_worse_than = "SVM"\nmargin = 0.1'

    assert parse_spec(Path("spec.toml"), (BINARY + text + GATE + gate).encode()).spec.gates
