"""Parts of a spec that do not fit together are told with code, place and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.small_specs import SVM_COUNTS as COUNTS
from tests.small_specs import SVM_FILE as FILES
from tests.small_specs import YES_OR_NO as BINARY

if TYPE_CHECKING:
    from collections.abc import Callable

REGRESSION = """\
[task]
kind = "regression"
"""
MULTICLASS = """\
[task]
kind = "multiclass"
"""
MISTAKES = {
    "notice to nobody": (
        "E122",
        BINARY + COUNTS + '«[[notify]]»\non = ["failure"]',
        "add one of `email`, `webhook`",
    ),
    "webhook's address instead of a variable": (
        "E123",
        BINARY + COUNTS + '[[notify]]\nwebhook = «"https://hooks.example.org/secret"»',
        '"SLACK_WEBHOOK"',
    ),
    "unknown measure": (
        "E108",
        BINARY + FILES + '[measures]\nshow = ["f2", «"accurcy"»]',
        "`accuracy`",
    ),
    "abbreviated measure": (
        "E108",
        BINARY + FILES + '[measures]\nshow = [«"accur"»]',
        "`accuracy`",
    ),
    "measure of scores without any": (
        "E122",
        BINARY + FILES + '[measures]\nshow = ["accuracy", «"auc"»]',
        '`score = "…"` in [data]',
    ),
    "measure of probabilities without any": (
        "E122",
        MULTICLASS + FILES + '[measures]\nshow = [«"brier"»]',
        '`probabilities = "p_{class}"` in [data]',
    ),
    "group of measures of probabilities with scores that only rank": (
        "E122",
        BINARY
        + '[data]\nscore = "s"\nscore_kind = "ranking"\n'
        + FILES
        + '[measures]\nshow = [«"probability"»]',
        "`score = ",
    ),
    "measure of scores of a table of counts": (
        "E122",
        BINARY + COUNTS + '[measures]\nshow = [«"roc_auc"»]',
        "remove",
    ),
    "kind of score without a score": (
        "E122",
        BINARY + '[data]\nscore_kind = «"ranking"»\n' + FILES,
        "add `score`",
    ),
    "unknown alias": (
        "E108",
        BINARY + FILES + '[measures]\nshow = [«"recll"»]',
        "`sensitivity`, also called `recall`",
    ),
    "unknown group": (
        "E108",
        BINARY + FILES + '[measures]\nshow = [«"traditonal"»]',
        "traditional",
    ),
    "unknown capability": (
        "E108",
        BINARY
        + COUNTS
        + '[[published]]\nclassifier = "SVM"\nmeasure = «"predictive_powr"»\nvalue = "superior"',
        "`predictive_power`",
    ),
    "unknown measure of fold scores": (
        "E108",
        BINARY + '[[classifiers]]\nname = "A"\nfold_scores = { «accurcy» = [0.8] }',
        "`accuracy`",
    ),
    "measure of another task": ("E109", BINARY + FILES + '[measures]\nshow = [«"rmse"»]', "rmse"),
    "group of another task": (
        "E109",
        REGRESSION + FILES + '[measures]\nshow = [«"traditional"»]',
        "accuracy",
    ),
    "unknown baseline": (
        "E110",
        BINARY + FILES + '[comparison]\nbaseline = «"SVN"»',
        "`SVM`",
    ),
    "unknown published classifier": (
        "E110",
        BINARY + COUNTS + '[[published]]\nclassifier = «"svm"»\nmeasure = "f1"\nvalue = 0.5',
        "`SVM`",
    ),
    "one name twice": (
        "E111",
        BINARY + FILES + '[[classifiers]]\nname = «"SVM"»\npredictions = "b.csv"',
        "unique name",
    ),
    "confusion not square": (
        "E112",
        BINARY + '[[classifiers]]\nname = "A"\nconfusion = «[[9, 1], [2, 8, 3]]»',
        "one row per true class",
    ),
    "confusion of other classes": (
        "E112",
        BINARY + '[[classifiers]]\nname = "A"\nconfusion = «[[9, 1, 0], [2, 8, 0], [0, 0, 1]]»',
        "one row per true class",
    ),
    "confusion without cases": (
        "E112",
        BINARY + '[[classifiers]]\nname = "A"\nconfusion = «[[0, 0], [0, 0]]»',
        "",
    ),
    "no source": ("E113", BINARY + '«[[classifiers]]»\nname = "A"', "predictions"),
    "two sources": ("E113", BINARY + FILES + "«confusion» = [[9, 1], [2, 8]]", "keep one"),
    "fold scores of different lengths": (
        "E114",
        BINARY + '[[classifiers]]\nname = "A"\nfold_scores = { f1 = [0.8, 0.7], mcc = «[0.6]» }',
        "per fold",
    ),
    "positive not among classes": (
        "E115",
        '[task]\nkind = "binary"\npositive = «"Yes"»\nclasses = ["yes", "no"]\n' + FILES,
        "`yes`",
    ),
    "published class not among classes": (
        "E115",
        BINARY
        + COUNTS
        + '[[published]]\nclassifier = "SVM"\nmeasure = "f1"\nvalue = 0.5\nclass = «"nay"»',
        "no",
    ),
    "threshold of several classes": (
        "E116",
        MULTICLASS + '[data]\nscore = "p"\n«threshold» = 0.5\n' + FILES,
        "remove",
    ),
    "positive of several classes": ("E116", MULTICLASS + '«positive» = "a"\n' + FILES, "remove"),
    "classes of a regression": ("E116", REGRESSION + '«classes» = ["a", "b"]\n' + FILES, "remove"),
    "counts of a regression": (
        "E116",
        REGRESSION + '[[classifiers]]\nname = "A"\n«confusion» = [[9, 1], [2, 8]]',
        "predictions",
    ),
    "empty name": ("E117", BINARY + '[[classifiers]]\nname = «" "»\npredictions = "a.csv"', None),
    "control character": ("E117", 'title = «"a\\u001b[31m"»\n' + BINARY + FILES, "retype"),
    "overridden direction": ("E117", 'title = «"a\\u202Eb"»\n' + BINARY + FILES, "retype"),
    "remote predictions": (
        "E118",
        BINARY + '[[classifiers]]\nname = "A"\npredictions = «"https://example.org/a.csv"»',
        "download",
    ),
    "remote labels": (
        "E118",
        BINARY + '[data]\nid = "i"\nlabels = «"s3://bucket/a.csv"»\n' + FILES,
        "download",
    ),
    "class twice": (
        "E119",
        '[task]\nkind = "multiclass"\nclasses = [1, 2, «"1"»]\n' + FILES,
        "keep one",
    ),
    "section twice": (
        "E119",
        BINARY + FILES + '[[sections]]\nkind = "inputs"\n[[sections]]\nkind = «"inputs"»',
        "keep one",
    ),
    "format twice": ("E119", BINARY + FILES + '[output]\nformats = ["pdf", «"pdf"»]', "keep one"),
    "fold scores under two names": (
        "E119",
        BINARY
        + '[[classifiers]]\nname = "A"\nfold_scores = { recall = [0.8], «sensitivity» = [0.8] }',
        "keep one",
    ),
    "word for a measure": (
        "E120",
        BINARY + COUNTS + '[[published]]\nclassifier = "SVM"\nmeasure = "f1"\nvalue = «"superior"»',
        "77.4",
    ),
    "number for a capability": (
        "E120",
        BINARY
        + COUNTS
        + '[[published]]\nclassifier = "SVM"\nmeasure = "predictive_power"\nvalue = «0.5»',
        "superior",
    ),
    "labels without id": ("E122", BINARY + '[data]\nlabels = «"l.csv"»\n' + FILES, "`id`"),
    "threshold without score": ("E122", BINARY + FILES + "threshold = «0.5»", "`score`"),
    "confusion without classes": (
        "E122",
        BINARY.replace('classes = ["yes", "no"]\n', "")
        + '[[classifiers]]\nname = "A"\nconfusion = «[[9, 1], [2, 8]]»',
        "classes",
    ),
    "unit of a word": (
        "E122",
        BINARY
        + COUNTS
        + '[[published]]\nclassifier = "SVM"\nmeasure = "predictive_power"\nvalue = "superior"\n'
        '«unit» = "%"',
        "remove `unit`",
    ),
    "probabilities without class": (
        "E123",
        MULTICLASS + '[data]\nprobabilities = «"p_"»\n' + FILES,
        "p_{class}",
    ),
    "cron of two fields": (
        "E123",
        BINARY + FILES + '[schedule]\ncron = «"0 6"»\ntimezone = "UTC"',
        "0 6 * * MON",
    ),
}


@pytest.mark.parametrize(("code", "marked", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_parts_that_do_not_fit_give_one_fault_at_its_place(
    check_mistake: Callable[[str, str, str | None], None], code: str, marked: str, hint: str | None
) -> None:
    """The fault has the right code, line, column and width, and its help shows the way out."""
    check_mistake(code, marked, hint)
