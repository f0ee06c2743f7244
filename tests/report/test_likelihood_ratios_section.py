"""The likelihood-ratio graph says what the relations say, and no more than the tests."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.report.charts import LikelihoodRatioGraph
from reportgen.report.document import Figure
from reportgen.report.sections.likelihood_ratios import build_likelihood_ratios_section
from tests.report.report_text import MULTICLASS, confusion, evaluated, read

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation

SPECS = Path(__file__).parents[2] / "specs"
# Rates (s, f): A 0.8, 0.8; B 0.9, 0.9; C 0.82, 0.79; each of 1000 and 1000.
THREE = {
    "A": confusion((800, 200), (200, 800)),
    "B": confusion((900, 100), (100, 900)),
    "C": confusion((805, 195), (200, 800)),
}


def graph_of(evaluation: Evaluation) -> tuple[Figure, LikelihoodRatioGraph]:
    """Return the one graph of the section."""
    (result,) = (
        block for block in build_likelihood_ratios_section(evaluation) if isinstance(block, Figure)
    )
    assert isinstance(result.chart, LikelihoodRatioGraph)
    return result, result.chart


def test_the_papers_example_needs_no_scores() -> None:
    """SVM finds 1242 of 1431 with 390 of 1130 false alarms; NB has the higher Youden's index."""
    figure, graph = graph_of(load_and_evaluate(SPECS / "enegotiation.toml"))

    assert "NB (highest Youden's J)" in figure.title
    assert graph.reference.lr_positive == pytest.approx((1108 / 1431) / (272 / 1130))
    (svm,) = graph.others
    assert svm.lr_positive == pytest.approx((1242 / 1431) / (390 / 1130))
    assert svm.lr_negative == pytest.approx((189 / 1431) / (740 / 1130))
    assert svm.lr_positive_interval is not None
    assert svm.lr_positive_interval[0] < svm.lr_positive < svm.lr_positive_interval[1]
    assert "Compared with NB, SVM is superior for confirmation of negatives." in read(
        figure.description.parts
    )


def test_only_what_tests_show_is_stated(tmp_path: Path) -> None:
    """Against A, B is better by 0.1 on 2000 cases; C's half a point may be chance."""
    more = '[comparison]\nbaseline = "A"\n'
    figure, graph = graph_of(evaluated(tmp_path, THREE, more=more))

    assert graph.reference.name == "A"
    assert "A (baseline)" in figure.title
    message = read(figure.description.parts)
    assert message == (
        "Compared with A, B is superior overall; position not statistically confirmed: C."
    )


def test_of_many_classifiers_few_are_named(tmp_path: Path) -> None:
    """Nine worse ones: three names and their number fill a line, nine a paragraph."""
    many = {"A": confusion((950, 50), (50, 950))}
    many |= {f"B{number}": confusion((600, 400), (400, 600)) for number in range(9)}

    figure, _ = graph_of(evaluated(tmp_path, many))

    message = read(figure.description.parts)
    assert "B8" not in message
    assert " others are inferior overall" in message


def test_where_nothing_is_shown_nothing_is_claimed(tmp_path: Path) -> None:
    """Twenty cases each."""
    small_sample = {"A": confusion((8, 2), (3, 7)), "B": confusion((7, 3), (2, 8))}

    figure, _ = graph_of(evaluated(tmp_path, small_sample))

    message = read(figure.description.parts)
    assert message.endswith("is statistically confirmed.")
    assert "superior" not in message


def test_ratios_of_0_and_infinity_are_at_the_edge(tmp_path: Path) -> None:
    """B has no false alarm, so its LR+ is infinite."""
    close = {"A": confusion((950, 50), (50, 950)), "B": confusion((700, 300), (0, 1000))}

    figure, graph = graph_of(evaluated(tmp_path, close))

    points = {point.name: point for point in (graph.reference, *graph.others)}
    assert points["B"].lr_positive == math.inf
    assert figure.note is not None
    assert "At the edge (LR+ infinite or LR− 0): B." in read(figure.note.parts)


def test_a_classifier_below_chance_stands_where_exchanged_answers_would_be(tmp_path: Path) -> None:
    """W finds 0.3 with 0.8 false alarms; exchanged it finds 0.7 with 0.2."""
    mixed = {"A": confusion((80, 20), (30, 70)), "W": confusion((30, 70), (80, 20))}

    figure, graph = graph_of(evaluated(tmp_path, mixed))

    points = {point.name: point for point in (graph.reference, *graph.others)}
    assert points["W"].lr_positive == pytest.approx(0.7 / 0.2)
    assert points["W"].lr_negative == pytest.approx(0.3 / 0.8)
    assert figure.note is not None
    assert "W shown with inverted predictions." in read(figure.note.parts)


def test_nothing_is_held_against_exchanged_answers(tmp_path: Path) -> None:
    """W's index is 0.1 − 0.9 = −0.8, A's 0.75 − 0.25; exchanged answers of W would have 0.8."""
    mixed = {"W": confusion((10, 90), (90, 10)), "A": confusion((75, 25), (25, 75))}

    figure, graph = graph_of(evaluated(tmp_path, mixed))

    assert figure.title == "Likelihood ratios vs A (highest Youden's J)"
    assert graph.reference.name == "A"


def test_equal_indices_are_not_called_the_highest(tmp_path: Path) -> None:
    """0.8 − 0.3, 0.7 − 0.2 and 0.9 − 0.4 are all 0.5 but for rounding."""
    tied = {
        "A": confusion((80, 20), (30, 70)),
        "B": confusion((70, 30), (20, 80)),
        "C": confusion((90, 10), (40, 60)),
        "D": confusion((60, 40), (40, 60)),
    }

    figure, _ = graph_of(evaluated(tmp_path, tied))

    assert figure.title == "Likelihood ratios vs A (one of 3 with highest Youden's J)"


@pytest.mark.slow
def test_of_many_the_best_are_held_against_the_chosen_one(tmp_path: Path) -> None:
    """M0 to M13 find 60 to 73 of 100, all with 20 false alarms: M13 leads, and M0, M1 are last."""
    many = {f"M{at}": confusion((60 + at, 40 - at), (20, 80)) for at in range(14)}

    figure, graph = graph_of(evaluated(tmp_path, many))

    assert graph.reference.name == "M13"
    assert [point.name for point in graph.others] == [f"M{at}" for at in reversed(range(2, 13))]
    assert figure.note is not None
    assert read(figure.note.parts).endswith(
        "Shown with M13: the 11 best by accuracy; 2 more classifiers not shown."
    )


def test_a_classifier_without_likelihood_ratios_is_named(tmp_path: Path) -> None:
    """One that never says yes has 0/0 for its positive likelihood ratio."""
    silent = {**THREE, "N": confusion((0, 1000), (0, 1000))}

    figure, graph = graph_of(evaluated(tmp_path, silent))

    assert {point.name for point in (graph.reference, *graph.others)} == {"A", "B", "C"}
    assert figure.note is not None
    assert "Not shown (undefined likelihood ratio): N." in read(figure.note.parts)


@pytest.mark.parametrize(("detail", "graphs"), [("standard", 0), ("full", 3)])
def test_several_classes_have_graphs_if_everything_is_asked_for(
    tmp_path: Path, detail: str, graphs: int
) -> None:
    """Three classes, a graph each."""
    matrix = confusion((8, 1, 1), (1, 8, 1), (1, 1, 8))
    more = f'[output]\ndetail = "{detail}"\n'

    blocks = build_likelihood_ratios_section(
        evaluated(tmp_path, {"A": matrix, "B": matrix}, MULTICLASS, more)
    )

    assert len([block for block in blocks if isinstance(block, Figure)]) == graphs
