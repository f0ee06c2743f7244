"""What is said of first places: who has them, drawn or not, and what backs them."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from reportgen.report.sections.rank_by_measure import (
    build_rank_by_measure_section,
    rank_figure,
)
from tests.report.report_text import confusion, evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.document import Figure


def figure_of(folder: Path, classifiers: dict[str, str], *measures: str) -> Figure:
    """Return the figure of places in some measures."""
    more = f"[measures]\nshow = {list(measures)}\n"
    figure = rank_figure(evaluated(folder, classifiers, more=more))
    assert figure is not None
    return figure


def below(folder: Path, classifiers: dict[str, str], *measures: str) -> str:
    """Return what stands below the figure."""
    return read(figure_of(folder, classifiers, *measures).description.parts)


def test_a_grid_with_one_winner_is_left_to_full_detail(tmp_path: Path) -> None:
    """A is better on positives and negatives; then B is better on negatives."""
    text = '[measures]\nshow = ["sensitivity", "specificity"]\n'
    full = '[output]\ndetail = "full"\n'
    best, worst = confusion((90, 10), (20, 80)), confusion((80, 20), (30, 70))
    other = confusion((50, 50), (5, 95))

    assert not build_rank_by_measure_section(
        evaluated(tmp_path, {"A": best, "B": worst}, more=text)
    )
    assert build_rank_by_measure_section(
        evaluated(tmp_path, {"A": best, "B": worst}, more=text + full)
    )
    assert build_rank_by_measure_section(evaluated(tmp_path, {"A": best, "B": other}, more=text))


def test_a_grid_of_two_needs_significant_ranks_of_both(tmp_path: Path) -> None:
    """90 against 80 of 100 positives is not enough, 90 against 50 is; negatives the other way."""
    text = '[measures]\nshow = ["sensitivity", "specificity"]\n'
    uncertain = {"A": confusion((82, 18), (20, 80)), "B": confusion((80, 20), (18, 82))}
    certain = {"A": confusion((90, 10), (50, 50)), "B": confusion((50, 50), (10, 90))}

    assert not build_rank_by_measure_section(evaluated(tmp_path, uncertain, more=text))
    assert build_rank_by_measure_section(evaluated(tmp_path, certain, more=text))


@pytest.mark.slow
def test_a_sole_winner_that_is_not_drawn_counts(tmp_path: Path) -> None:
    """Z rejects all negatives and finds nothing: first in specificity, thirteenth in accuracy."""
    classifiers = {f"c{at}": confusion((90 - at, 10 + at), (20, 80)) for at in range(12)}
    classifiers["Z"] = confusion((0, 100), (0, 100))

    assert below(tmp_path, classifiers, "accuracy", "sensitivity", "specificity") == (
        "First ranks on 3 measures: c0 2, one classifier not shown 1 (1 significant)."
    )


def test_one_first_place_is_spoken_of_as_one(tmp_path: Path) -> None:
    """90 against 89 of 100 positives may be chance, and specificity is the same."""
    near = {"A": confusion((90, 10), (20, 80)), "B": confusion((89, 11), (20, 80))}
    far = {"A": confusion((90, 10), (20, 80)), "B": confusion((30, 70), (20, 80))}
    measures = "sensitivity", "specificity"

    assert below(tmp_path, near, *measures) == (
        "First ranks on 2 measures: A 1; tied for first: 1 (n.s.)."
    )
    assert below(tmp_path, far, *measures).endswith("(significant).")


def test_first_places_that_were_not_tested_are_stated_to_be_so(tmp_path: Path) -> None:
    """Of different class sizes accuracy and F1 are not compared."""
    classifiers = {"A": confusion((90, 10), (20, 80)), "B": confusion((300, 200), (20, 80))}

    assert below(tmp_path, classifiers, "accuracy", "f1") == (
        "A ranks first on both measures (not tested)."
    )


@pytest.mark.parametrize(
    ("measures", "text"),
    [
        (("accuracy", "youden", "error_rate"), "error rate (as accuracy)."),
        (("accuracy", "youden", "error_rate", "balanced_accuracy"), "error rate (as accuracy), "),
    ],
)
def test_measures_that_repeat_others_are_one_or_several(
    tmp_path: Path, measures: tuple[str, ...], text: str
) -> None:
    """The error rate follows from accuracy, balanced accuracy from Youden's index."""
    classifiers = {"A": confusion((90, 10), (20, 80)), "B": confusion((80, 20), (15, 85))}
    note = figure_of(tmp_path, classifiers, *measures).note

    assert note is not None
    assert text in read(note.parts)


@pytest.mark.parametrize(("most", "text"), [(2, "1 more measure is"), (1, "2 more measures are")])
def test_measures_without_room_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, text: str
) -> None:
    """Three measures and little room."""
    module = import_module("reportgen.report.sections.rank_by_measure")
    monkeypatch.setattr(module, "MAX_MEASURES", most)
    monkeypatch.setattr(module, "MIN_RANKED", 1)
    classifiers = {"A": confusion((90, 10), (20, 80)), "B": confusion((80, 20), (15, 85))}
    note = figure_of(tmp_path, classifiers, "accuracy", "sensitivity", "specificity").note

    assert note is not None
    assert read(note.parts).startswith(f"{text} not shown.")
