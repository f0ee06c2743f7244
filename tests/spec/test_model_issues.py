"""A key that is unknown, missing or of a wrong value is told with code, place and a way out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.small_specs import SVM_COUNTS as COUNTS
from tests.small_specs import SVM_FILE as FILES
from tests.small_specs import YES_OR_NO as BINARY

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.errors import Diagnostic

SEVEN = """\
title = "Seven"
[task]
kind = "binary"
positive = "Success"
classes = ["success", "failure"]
[data]
threshhhold = 0.5
[[classifiers]]
name = "SVM"
confusion = [[1242, 189], [390]]
[[classifiers]]
name = "SVM"
predictions = "http://example.org/svm.csv"
[measures]
show = ["accuracy", "prcision"]
[intervals]
level = 95
"""
MISTAKES = {
    "unknown table": ("E102", BINARY + FILES + "[«intervls»]\nlevel = 0.9", "`intervals`"),
    "unknown key": ("E102", BINARY + FILES + "[intervals]\n«lvel» = 0.9", "`level`"),
    "synonym of a key": ("E102", BINARY + FILES + '[data]\n«actual» = "y"', "`truth`"),
    "key below the wrong table": (
        "E102",
        BINARY + FILES + "[measures]\n«level» = 0.9",
        "belongs in [intervals]",
    ),
    "quoted unknown key": ("E102", BINARY + FILES + '[data]\n«"a b"» = "y"', "expected one of"),
    "dotted unknown key": ("E102", "intervals.«lvel» = 0.9\n" + BINARY + FILES, "`level`"),
    "misspelt needed key": ("E102", '[task]\n«knd» = "regression"\n' + FILES, "`kind`"),
    "misspelt source": (
        "E102",
        BINARY + '[[classifiers]]\nname = "A"\n«predictons» = "a.csv"',
        "`predictions`",
    ),
    "missing kind": ("E103", "«[task]»\n" + FILES, 'kind = "binary"'),
    "missing positive": ("E103", '«[task]»\nkind = "binary"\n' + FILES, "positive"),
    "missing name": (
        "E103",
        BINARY + FILES + '«[[classifiers]]»\npredictions = "b.csv"',
        'name = "SVM"',
    ),
    "missing task": ("E103", '«t»itle = "T"\n' + FILES, "[task]"),
    "missing classifiers": ("E103", "«[»task]\nkind = 'regression'", "[[classifiers]]"),
    "level too high": (
        "E104",
        BINARY + FILES + "[intervals]\nlevel = «1.5»",
        "for a 95 % interval write 0.95",
    ),
    "prevalence in percent": (
        "E104",
        BINARY + FILES + "[prevalence]\ntargets = [0.1, «5»]",
        "0.05",
    ),
    "threshold nan": ("E104", BINARY + '[data]\nscore = "p"\nthreshold = «nan»\n' + FILES, "0.5"),
    "threshold infinite": ("E104", BINARY + '[data]\nscore = "p"\nthreshold = «inf»\n' + FILES, ""),
    "integer beyond 64 bit": (
        "E104",
        '[task]\nkind = "multiclass"\nclasses = [1, «9223372036854775808»]\n' + FILES,
        "quotes",
    ),
    "integer of thousands of digits": ("E104", "x = «" + "9" * 5000 + "»", None),
    "negative count": (
        "E104",
        BINARY + '[[classifiers]]\nname = "A"\nconfusion = [[9, 1], [«-2», 8]]',
        "counts",
    ),
    "no formats": ("E104", BINARY + FILES + "[output]\nformats = «[]»", "html"),
    "three classes of a binary task": (
        "E104",
        '[task]\nkind = "binary"\npositive = 1\nclasses = «[1, 2, 3]»\n' + FILES,
        "multiclass",
    ),
    "fold scores in percent": (
        "E104",
        BINARY + '[[classifiers]]\nname = "A"\nfold_scores = { accuracy = [«81», 82] }',
        "0.81",
    ),
    "text for a number": ("E105", BINARY + FILES + '[intervals]\nlevel = «"0.9"»', "0.95"),
    "number for text": ("E105", "title = «3»\n" + BINARY + FILES, "title"),
    "fraction for a count": (
        "E105",
        BINARY + '[[classifiers]]\nname = "A"\nconfusion = [[9, «1.5»], [2, 8]]',
        "counts",
    ),
    "single brackets": (
        "E105",
        BINARY + '«[classifiers]»\nname = "A"\npredictions = "a.csv"',
        "[[classifiers]]",
    ),
    "fraction for a class": (
        "E105",
        '[task]\nkind = "multiclass"\nclasses = ["a", «1.0»]\n' + FILES,
        "as text",
    ),
    "unknown kind of task": ("E107", '[task]\nkind = «"binry"»\n' + FILES, "`binary`"),
    "unknown section": (
        "E107",
        BINARY + FILES + '[[sections]]\nkind = «"capability"»',
        "`capabilities`",
    ),
    "unknown format": ("E107", BINARY + FILES + '[output]\nformats = ["html", «"pfd"»]', "`pdf`"),
    "unknown unit": (
        "E107",
        BINARY
        + COUNTS
        + '[[published]]\nclassifier = "SVM"\nmeasure = "accuracy"\nvalue = 1\nunit = «"pc"»',
        "%",
    ),
}


@pytest.mark.parametrize(("code", "marked", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_in_one_key_gives_one_fault_at_its_place(
    check_mistake: Callable[[str, str, str | None], None], code: str, marked: str, hint: str | None
) -> None:
    """The fault has the right code, line, column and width, and its help shows the way out."""
    check_mistake(code, marked, hint)


def test_the_contract_s_example_reads_as_promised(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """Message, help and source line are those of the documented error."""
    (fault,) = faults_of(BINARY + FILES + "[intervals]\nlevel = 1.5\n")

    assert fault.error_code.code == "E104"
    assert fault.message == "`level` must be less than 1"
    assert fault.help == "for a 95 % interval write 0.95"
    assert fault.location is not None
    assert fault.location.source_line == "level = 1.5"


def test_seven_mistakes_give_seven_faults(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """All faults of a file are told at once, in its order, whatever else is wrong."""
    faults = faults_of(SEVEN)

    places = [fault.location for fault in faults]
    messages = [
        (fault.error_code.code, place.line, place.column)
        for fault, place in zip(faults, places, strict=True)
        if place is not None
    ]
    assert messages == [
        ("E115", 4, 12),
        ("E102", 7, 1),
        ("E112", 10, 13),
        ("E111", 12, 8),
        ("E118", 13, 15),
        ("E108", 15, 21),
        ("E104", 17, 9),
    ]


def test_columns_count_characters(faults_of: Callable[[str], tuple[Diagnostic, ...]]) -> None:
    """Letters of several bytes before a value do not move its column."""
    text = BINARY + '[[classifiers]]\nname = "A"\nfold_scores = { "größe" = [0.8], f1 = [true] }\n'

    first, second = faults_of(text)

    assert first.location is not None
    assert second.location is not None
    assert (first.error_code.code, first.location.column, first.location.width) == ("E108", 17, 7)
    assert (second.error_code.code, second.location.column, second.location.width) == (
        "E105",
        40,
        4,
    )


def test_a_shown_line_cannot_change_the_terminal(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """A character that overrides the direction is replaced, one for one, in the source line."""
    (fault,) = faults_of('title = "a\u202eb"\n' + BINARY + FILES)

    assert fault.location is not None
    assert fault.location.source_line == 'title = "a\ufffdb"'
    assert "\u202e" not in fault.message


def test_a_misspelt_kind_does_not_hide_a_measure_that_does_not_fit(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """`binery` is certainly not a regression, so that `rmse` is told in the same run."""
    text = BINARY.replace('"binary"', '"binery"') + FILES + '[measures]\nshow = ["rmse"]\n'

    assert [fault.error_code.code for fault in faults_of(text)] == ["E107", "E109"]


INVALID_PARTS = """\
[task]
kind = "binary"
positive = "yes"
[data]
labels = "labels.csv"
id = 3
[[classifiers]]
predictions = "a.csv"
[[classifiers]]
name = "B"
predictions = "b.csv"
[[gates]]
classifier = "A"
at_least = 0.5
[[gates]]
classifier = "A"
measure = "accurcy"
at_least = 0.5
[[notify]]
webhook = "https://example.org"
"""


def test_the_valid_part_of_an_invalid_spec_is_cross_checked(
    faults_of: Callable[[str], tuple[Diagnostic, ...]],
) -> None:
    """The misspelt measure is reported at the second gate although the first one is dropped.

    Not reported is what may follow from an invalid value: `labels` needs the invalid `id`, the
    notification has an invalid channel, and "A" may be the classifier without a name.
    """
    locations = [(fault.error_code.code, fault.location) for fault in faults_of(INVALID_PARTS)]

    assert [(code, place.line if place else None) for code, place in locations] == [
        ("E105", 6),
        ("E103", 7),
        ("E103", 12),
        ("E108", 17),
        ("E123", 20),
    ]
