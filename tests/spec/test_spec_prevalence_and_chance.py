"""What is wrong with prevalences and tables of guessing is told with code, place and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.spec import parse_spec

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from reportgen.errors import Diagnostic

BINARY = """\
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[[classifiers]]
name = "SVM"
confusion = [[9, 1], [2, 8]]
"""
FOLDS = """\
[[classifiers]]
name = "A"
fold_scores = { accuracy = [0.8, 0.9] }
"""
MULTICLASS = """\
[task]
kind = "multiclass"
[[classifiers]]
name = "SVM"
predictions = "svm.csv"
"""
REGRESSION = MULTICLASS.replace("multiclass", "regression")
PUBLISHED = '[[published]]\nclassifier = "SVM"\nvalue = 0.5\n'
CHANCE = "[chance]\nsizes = [10, 20]\nshares = [0.1, 0.5]\nalphas = [0.1]\n"
TABLE = "[[chance.tables]]\nalpha = 0.1\n"
MISTAKES = {
    "prevalence of several classes": (
        "E116",
        MULTICLASS + "[«prevalence»]\ntargets = [0.1]",
        "binary",
    ),
    "prevalence of numbers": ("E116", REGRESSION + "[«prevalence»]\ntargets = [0.1]", "remove"),
    "a target twice": ("E119", BINARY + "[prevalence]\ntargets = [0.1, «0.10»]", "one of the two"),
    "a target of 0": ("E104", BINARY + "[prevalence]\ntargets = [0.1, «0.0»]", "0.05"),
    "no targets": ("E104", BINARY + "[prevalence]\ntargets = «[]»", "0.05"),
    "published elsewhere, several classes": (
        "E116",
        MULTICLASS + PUBLISHED + 'measure = "accuracy"\n«prevalence» = 0.2',
        "remove `prevalence`",
    ),
    "published elsewhere, capability": (
        "E122",
        BINARY
        + PUBLISHED.replace("0.5", '"superior"')
        + 'measure = "predictive_power"\n«prevalence» = 0.2',
        "remove `prevalence`",
    ),
    "published elsewhere, chi-square": (
        "E109",
        BINARY + PUBLISHED + 'measure = «"chi_square"»\nprevalence = 0.2',
        "remove `prevalence`",
    ),
    "published elsewhere, class": (
        "E122",
        BINARY + PUBLISHED + 'measure = "f1"\nprevalence = 0.2\n«class» = "no"',
        "remove `class`",
    ),
    "published elsewhere, fold scores": (
        "E122",
        BINARY + FOLDS + PUBLISHED.replace("SVM", "A") + 'measure = "accuracy"\n«prevalence» = 0.2',
        "remove `prevalence`",
    ),
    "guessing several classes": (
        "E116",
        MULTICLASS + CHANCE.replace("chance", "«chance»"),
        "remove [chance]",
    ),
    "a case cut in two": (
        "E104",
        BINARY + CHANCE.replace("0.1, 0.5", "«0.15», 0.5"),
        "integers",
    ),
    "a size twice": ("E119", BINARY + CHANCE.replace("20", "«10»"), "one of the two"),
    "a size of 1": ("E104", BINARY + CHANCE.replace("20", "«1»").replace("0.1,", ""), "sizes"),
    "a table for another level": (
        "E122",
        BINARY + CHANCE + "[[chance.tables]]\nvalues = [[0.1, 0.1], [0.1, 0.1]]\nalpha = «0.2»",
        "add it",
    ),
    "a table of another shape": (
        "E104",
        BINARY + CHANCE + TABLE + "values = «[[0.1, 0.1]]»",
        None,
    ),
    "a ragged table": (
        "E104",
        BINARY + CHANCE + TABLE + "values = «[[0.1, 0.1], [0.1]]»",
        None,
    ),
    "a chance above 1": (
        "E104",
        BINARY + CHANCE + TABLE + "values = [[0.1, 0.1], [0.1, «1.5»]]",
        "values",
    ),
    "a chance of nobody": (
        "E110",
        BINARY + CHANCE + '[[chance.published]]\nvalue = 0.1\nclassifier = «"SVN"»',
        "`SVM`",
    ),
    "a chance of fold scores": (
        "E122",
        BINARY + FOLDS + CHANCE + '[[chance.published]]\nvalue = 0.1\nclassifier = «"A"»',
        None,
    ),
    "an unknown guess": (
        "E107",
        BINARY
        + CHANCE
        + '[[chance.published]]\nvalue = 0.1\nclassifier = "SVM"\nguess = «"unifrm"»',
        "uniform",
    ),
}


@pytest.mark.parametrize(("code", "marked", "hint"), MISTAKES.values(), ids=MISTAKES.keys())
def test_a_mistake_is_reported_where_it_is(
    check_mistake: Callable[[str, str, str | None], None], code: str, marked: str, hint: str | None
) -> None:
    """One fault, at the marked place, with a way out."""
    check_mistake(code, marked, hint)


def test_more_cells_than_make_a_table_are_rejected(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]],
) -> None:
    """A spec cannot keep the machine busy for hours."""
    sizes = ", ".join(str(10 * number) for number in range(1, 5002))
    text = f"{BINARY}[chance]\nsizes = [{sizes}]\nshares = [0.5]\nalphas = [0.1]\n"

    (fault,) = faults_of(text)

    assert (fault.error_code.code, "5001" in fault.message) == ("E104", True)


@pytest.mark.parametrize(
    "written",
    [
        "[chance]\nsizes = 5\nshares = [nan, true]\nalphas = [0.1]",
        "[chance]\nsizes = [inf, 9007199254740993]\nshares = [0.5]\nalphas = [-0.1]",
        "[chance]\nsizes = [10]\nshares = [0.5]\nalphas = [0.1]\ntables = [3]",
        '[chance]\nsizes = [10]\nshares = [0.5]\nalphas = [0.1]\ntables = [{ values = "x" }]',
        (
            "[chance]\nsizes = [10]\nshares = [0.5]\nalphas = [0.1]\n"
            "tables = [{ alpha = 0.1, values = [3] }]"
        ),
        "chance = 1",
        "prevalence = [1]",
        "[prevalence]\ntargets = [nan, inf, -1.0, true]",
        '[prevalence]\ntargets = "0.1"',
        '[[published]]\nclassifier = "SVM"\nmeasure = 3\nvalue = 1\nprevalence = "x"',
    ],
)
def test_hostile_values_are_rejected_as_faults_of_the_spec(
    faults_of: Callable[[str | bytes], tuple[Diagnostic, ...]], written: str
) -> None:
    """Whatever is written, the answer is a list of faults and never a crash."""
    text = f"{written}\n{BINARY}" if written.startswith(("g", "p")) else f"{BINARY}{written}\n"
    assert faults_of(text)


def test_printed_decimals_are_remembered(tmp_path: Path) -> None:
    """0.010 was printed with three digits, 0.1 with one."""
    text = f"{BINARY}{CHANCE}{TABLE}values = [[0.010, 0.1], [0.05, 0]]\n"

    chance = parse_spec(tmp_path / "spec.toml", text.encode()).spec.chance

    assert chance is not None
    assert chance.tables[0].decimals == ((3, 1), (2, 0))
