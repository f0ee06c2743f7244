"""A published number agrees if the computed one rounds to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from reportgen.evaluation.capabilities import capability_rows
from reportgen.evaluation.prevalence import PositiveClassCounts, values_at_published_prevalences
from reportgen.evaluation.published import PublishedCheck, check_published
from reportgen.spec import PublishedEntry, load_spec
from tests.tables import Counts, binary_scores

if TYPE_CHECKING:
    from pathlib import Path

SPEC = """
title = "Published"
[task]
kind = "binary"
positive = "yes"
classes = ["yes", "no"]
[[classifiers]]
name = "A"
confusion = [[1, 1], [1, 1]]
[[published]]
classifier = "A"
"""


def published_value(folder: Path, keys: str) -> PublishedEntry:
    """Read one published value as a spec has it."""
    path = folder / "spec.toml"
    path.write_text(f"{SPEC}{keys}\n", encoding="utf-8")
    (entry,) = load_spec(path).spec.published
    return entry


def check(folder: Path, keys: str, **tables: Counts) -> PublishedCheck:
    """Check one published value against tables."""
    scores = binary_scores(tables)
    rows = capability_rows(scores, list(tables), [None])
    (result,) = check_published([published_value(folder, keys)], scores, rows, ())
    return result


@pytest.mark.parametrize(
    ("value", "agrees"),
    [
        ("0.202", True),
        ("0.20", True),
        ("0.2", True),
        ("0.200", False),
        ("0.21", False),
        ("0", True),
        ("1", False),
    ],
)
def test_as_many_decimals_count_as_are_written(tmp_path: Path, value: str, *, agrees: bool) -> None:
    """0.2016 is 0.202, 0.20 and 0.2, but not 0.200."""
    result = check(tmp_path, f'measure = "accuracy"\nvalue = {value}', A=(126, 374, 125, 0))

    assert result.computed == pytest.approx(126 / 625, rel=1e-14)
    assert result.agrees == agrees


@pytest.mark.parametrize("value", ["0.12", "0.13"])
def test_half_a_unit_may_round_either_way(tmp_path: Path, value: str) -> None:
    """0.125 was printed as 0.12 by some and as 0.13 by others."""
    result = check(tmp_path, f'measure = "accuracy"\nvalue = {value}', A=(1, 7, 0, 0))

    assert result.agrees


@pytest.mark.parametrize(("value", "agrees"), [("77.4", True), ("77.39", True), ("77.3", False)])
def test_a_percentage_is_compared_as_one(tmp_path: Path, value: str, *, agrees: bool) -> None:
    """77.3917 %."""
    keys = f'measure = "accuracy"\nvalue = {value}\nunit = "%"'
    result = check(tmp_path, keys, A=(1242, 189, 390, 740))

    assert result.computed == pytest.approx(77.3916438891, rel=1e-10)
    assert (result.unit, result.agrees) == ("%", agrees)


def test_an_alias_is_the_measure_it_stands_for(tmp_path: Path) -> None:
    """Recall is sensitivity."""
    result = check(tmp_path, 'measure = "recall"\nvalue = 0.8', A=(8, 2, 5, 5))

    assert result.agrees


def test_nothing_agrees_with_what_is_undefined(tmp_path: Path) -> None:
    """A precision of 0 printed for a classifier that never says positive is not computed."""
    result = check(tmp_path, 'measure = "precision"\nvalue = 0.0', A=(0, 5, 0, 5))

    assert (result.computed, result.agrees) == (None, False)


def test_a_number_does_not_agree_with_infinity(tmp_path: Path) -> None:
    """ρ+ of a classifier without false positives."""
    result = check(tmp_path, 'measure = "lr_positive"\nvalue = 99.9', A=(5, 5, 0, 5))

    assert not result.agrees


@pytest.mark.parametrize(
    ("word", "agrees"),
    [("superior", True), ("Superior ", True), ("inferior", False)],
)
def test_words_are_compared_without_regard_to_case(
    tmp_path: Path, word: str, *, agrees: bool
) -> None:
    """A paper may begin a cell with a capital."""
    keys = f'measure = "overall_effectiveness"\nvalue = "{word}"'
    result = check(tmp_path, keys, A=(9, 1, 1, 9), B=(8, 2, 2, 8))

    assert (result.computed, result.agrees) == ("superior", agrees)


def test_source_and_note_are_kept(tmp_path: Path) -> None:
    """They stand beside the disagreement."""
    keys = 'measure = "accuracy"\nvalue = 0.9\nsource = "Table 1"\nnote = "a misprint"'
    result = check(tmp_path, keys, A=(5, 5, 5, 5))

    assert (result.source, result.note, result.agrees) == ("Table 1", "a misprint", False)
    assert result.decimals == 1


def test_a_value_at_another_prevalence_is_set_against_the_one_there(tmp_path: Path) -> None:
    """Precision of s 0.1 and f 0.95 at 0.05 is 0.0952, whatever it is in the data."""
    keys = 'measure = "ppv"\nvalue = 9.5\nunit = "%"\nprevalence = 0.05'
    entry = published_value(tmp_path, keys)
    scores = binary_scores({"A": (50, 450, 25, 475)})
    at_prevalences = values_at_published_prevalences(
        [entry], [PositiveClassCounts("A", 50, 450, 25, 475)]
    )

    (result,) = check_published([entry], scores, (), (), at_prevalences)

    assert result.computed == pytest.approx(9.5238095, rel=1e-7)
    assert (result.prevalence, result.agrees) == (0.05, True)
