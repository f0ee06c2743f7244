"""Figures of evidence in reports: who is first, what differs, the answer, classes and folds."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest

from reportgen.evaluation.comparison import Decision
from reportgen.export.results import build_results
from reportgen.report.charts import (
    CriticalDifferenceDiagram,
    DotPlot,
    FoldPlot,
    ForestPlot,
    GroupedDotPlot,
    RankHeatMap,
)
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.sections.cross_validation import fold_difference_figure, fold_figure
from reportgen.report.sections.forest_plot import build_forest_plot
from reportgen.report.sections.per_class import per_class_figures
from reportgen.report.sections.rank_by_measure import build_rank_by_measure_section, rank_figure
from reportgen.report.sections.summary import build_summary_figure
from tests.report.report_text import MULTICLASS, confusion, evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.measures import Measure
    from reportgen.report.document import Figure

# Table 2 of Sokolova, Japkowicz and Szpakowicz (2006).
SJS = {"SVM": confusion((1242, 189), (390, 740)), "NB": confusion((1108, 323), (272, 858))}


def many(count: int) -> dict[str, str]:
    """Return classifiers of which each finds two cases fewer than the one before."""
    return {f"c{at}": confusion((190 - 2 * at, 10 + 2 * at), (20, 180)) for at in range(count)}


def grid_of(evaluation: Evaluation) -> tuple[Figure, RankHeatMap]:
    """Return the figure of places, and what it draws."""
    figure = rank_figure(evaluation)
    assert figure is not None
    assert isinstance(figure.chart, RankHeatMap)
    return figure, figure.chart


def forest_of(evaluation: Evaluation) -> tuple[Figure, ForestPlot]:
    """Return the figure of differences, and what it draws."""
    figure = build_forest_plot(evaluation)
    assert figure is not None
    assert isinstance(figure.chart, ForestPlot)
    return figure, figure.chart


def test_the_published_comparison_has_both_as_best(tmp_path: Path) -> None:
    """By Table 5 of the paper SVM leads in sensitivity and accuracy, NB in gamma and rho+."""
    figure, grid = grid_of(evaluated(tmp_path, SJS))
    first = {
        row.measure.name: grid.classifiers[at][0]
        for group in grid.groups
        for row in group.rows
        for at, place in enumerate(row.cells)
        if place.rank == 1
    }
    significant = {
        row.measure.name
        for group in grid.groups
        for row in group.rows
        if any(place.rank == 1 and place.significant for place in row.cells)
    }

    assert {
        name: first[name] for name in ("accuracy", "f1", "sensitivity", "npv")
    } == dict.fromkeys(("accuracy", "f1", "sensitivity", "npv"), "SVM")
    assert {first[name] for name in ("youden", "specificity", "precision", "lr_positive")} == {"NB"}
    # 77.4 against 76.8 % of 2561 cases is no more than chance; 86.8 against 77.4 % of 1431 is.
    assert "accuracy" not in significant
    assert {"sensitivity", "specificity"} <= significant
    assert f"({len(significant)} significant)" in read(figure.description.parts)
    assert read(figure.description.parts).startswith(f"First ranks on {len(first)} measures: ")


def test_measures_that_must_agree_are_counted_once(tmp_path: Path) -> None:
    """The error rate is 1 minus the accuracy: it would be a second vote of the same kind."""
    more = '[measures]\nshow = ["accuracy", "error_rate", "sensitivity"]\n'
    figure, grid = grid_of(evaluated(tmp_path, SJS, more=more))

    assert [row.measure.name for group in grid.groups for row in group.rows] == [
        "accuracy",
        "sensitivity",
    ]
    assert figure.note is not None
    assert "error rate (as accuracy)" in read(figure.note.parts)


def test_equal_values_share_a_place_and_have_no_best(tmp_path: Path) -> None:
    """Twins are both first in everything, which no test can show."""
    twins = {"A": confusion((40, 10), (5, 45)), "B": confusion((40, 10), (5, 45))}
    figure, grid = grid_of(evaluated(tmp_path, twins))
    places = [place for group in grid.groups for row in group.rows for place in row.cells]

    assert {(place.rank, place.tied, place.significant) for place in places} == {(1, True, False)}
    assert "tied for first" in read(figure.description.parts)


def test_of_many_classifiers_the_best_twelve_have_columns(tmp_path: Path) -> None:
    """The thirteenth is named in the note, and places count it."""
    more = '[measures]\nshow = ["accuracy", "specificity"]\n'
    figure, grid = grid_of(evaluated(tmp_path, many(14), more=more))

    assert sorted(name for name, _ in grid.classifiers) == sorted(f"c{at}" for at in range(12))
    assert figure.note is not None
    assert "Best 12 of 14 classifiers by accuracy" in read(figure.note.parts)


def test_one_classifier_has_no_places(tmp_path: Path) -> None:
    """There is nobody to be better than."""
    evaluation = evaluated(tmp_path, {"A": SJS["SVM"]})

    assert build_rank_by_measure_section(evaluation) == ()
    assert build_forest_plot(evaluation) is None


def test_one_pair_is_drawn_measure_by_measure(tmp_path: Path) -> None:
    """To the right of 0 the first is better; verdicts are those of the tests."""
    figure, plot = forest_of(evaluated(tmp_path, SJS))
    rows = {row.label: row for group in plot.groups for row in group.rows}

    assert (plot.favours_left, plot.favours_right) == ("NB", "SVM")
    assert next(iter(rows)) == "Accuracy"
    assert rows["Accuracy"].difference == pytest.approx((1982 - 1966) / 2561)
    assert rows["Accuracy"].decision is Decision.UNDECIDED
    assert rows["Sensitivity"].decision is Decision.SUPERIOR
    assert rows["Specificity"].decision is Decision.INFERIOR
    assert "NB in specificity" in read(figure.description.parts).replace("  ", " ")


def test_where_lower_is_better_the_sides_change(tmp_path: Path) -> None:
    """A higher error rate is that of the worse one."""
    more = '[measures]\nshow = ["error_rate"]\n[comparison]\nprimary = "error_rate"\n'
    _, plot = forest_of(evaluated(tmp_path, SJS, more=more))

    assert (plot.favours_left, plot.favours_right) == ("SVM", "NB")


def test_very_many_pairs_are_drawn_against_the_best(tmp_path: Path) -> None:
    """12 classifiers are 66 pairs; 11 rows against the best are enough, and the note says so."""
    figure, plot = forest_of(evaluated(tmp_path, many(12)))

    assert all(len(group.rows) == 11 for group in plot.groups)
    assert plot.groups[0].head == "Accuracy: c0 − …"
    assert [row.label for row in plot.groups[0].rows] == [f"c{at}" for at in range(1, 12)]
    assert plot.favours_right == "c0"
    assert figure.note is not None
    assert "Shown against c0, the best classifier in accuracy" in read(figure.note.parts)


def test_a_baseline_is_what_everybody_is_set_against(tmp_path: Path) -> None:
    """Whoever is better than the baseline lies to the right."""
    more = '[comparison]\nbaseline = "c1"\nmargin = { accuracy = 0.02 }\n'
    _, plot = forest_of(evaluated(tmp_path, many(3), more=more))

    assert (plot.favours_left, plot.favours_right) == ("c1", "the other")
    assert [row.label for row in plot.groups[0].rows] == ["c0", "c2"]
    # c0 finds 2 of 400 cases more than c1.
    assert plot.groups[0].rows[0].difference == pytest.approx(2 / 400)
    assert {row.margin for row in plot.groups[0].rows} == {0.02}


def test_the_class_found_least_often_is_drawn_first(tmp_path: Path) -> None:
    """Class b is found in 6 of 10 cases, c in 8, a in 9."""
    rows = confusion((9, 1, 0), (2, 6, 2), (1, 1, 8))
    (figure,) = per_class_figures(evaluated(tmp_path, {"A": rows, "B": rows}, MULTICLASS))

    assert isinstance(figure.chart, GroupedDotPlot)
    assert figure.chart.labels == ("b", "c", "a")
    assert [dot.value for dot in figure.chart.panels[0].rows[0]] == [0.6, 0.6]
    # 6 of the 8 that are called b are b.
    assert [dot.value for dot in figure.chart.panels[1].rows[0]] == [0.75, 0.75]
    assert read(figure.description.parts).replace("\u202f", " ") == (
        "Lowest recall: class b, 60.0%; highest: class a, 90.0% (mean over the classifiers)."
    )


def test_differences_by_fold_are_those_of_the_best_classifier(tmp_path: Path) -> None:
    """Ten folds of Passerini's notes: the mean difference is 0.824 − 0.778, higher in nine."""
    better = [0.81, 0.82, 0.84, 0.78, 0.85, 0.86, 0.82, 0.83, 0.82, 0.81]
    worse = [0.80, 0.77, 0.70, 0.83, 0.80, 0.78, 0.75, 0.80, 0.78, 0.77]
    evaluation = evaluated(
        tmp_path,
        {
            "B": f"fold_scores = {{ accuracy = {worse} }}",
            "A": f"fold_scores = {{ accuracy = {better} }}",
        },
    )

    figure = fold_difference_figure(evaluation, primary_measure_of(evaluation))

    assert figure is not None
    assert figure.title == "Accuracy per fold: A − B"
    chart = figure.chart
    assert isinstance(chart, FoldPlot)
    assert (chart.favours_left, chart.favours_right) == ("← B better", "A better →")
    (row,) = chart.rows
    expected = [first - second for first, second in zip(better, worse, strict=True)]
    assert row.values == pytest.approx(expected)
    assert row.mean == pytest.approx(0.046)
    # The corrected t-test of ten folds, with a test set of a ninth of the training set.
    variance = float(np.var(expected, ddof=1))
    half = 2.2621571628 * math.sqrt((1 / 10 + 1 / 9) * variance)
    assert (row.low, row.high) == pytest.approx((0.046 - half, 0.046 + half), abs=1e-9)
    exported = build_results(evaluation).fold_differences
    assert [item.difference for item in exported if item.measure == "accuracy"] == pytest.approx(
        expected
    )


def test_differences_of_errors_favour_the_lower_side(tmp_path: Path) -> None:
    """With a baseline, all others are compared with it; a lower RMSE is better."""
    more = '[comparison]\nbaseline = "base"\n'
    evaluation = evaluated(
        tmp_path,
        {
            "base": "fold_scores = { rmse = [3.0, 3.5, 3.2] }",
            "A": "fold_scores = { rmse = [2.0, 2.5, 2.1] }",
        },
        'kind = "regression"',
        more=more,
    )

    figure = fold_difference_figure(evaluation, primary_measure_of(evaluation))

    assert figure is not None
    assert isinstance(figure.chart, FoldPlot)
    assert figure.title.endswith("A − base")
    assert (figure.chart.favours_left, figure.chart.favours_right) == (
        "← A better",
        "base better →",
    )
    assert figure.chart.rows[0].values == pytest.approx((-1.0, -1.0, -1.1))


def primary_measure_of(evaluation: Evaluation) -> Measure:
    """Return the primary measure, which exists."""
    measure = primary_measure(evaluation)
    assert measure is not None
    return measure


def test_folds_are_drawn_with_their_mean(tmp_path: Path) -> None:
    """The example of Passerini's notes: the means are 0.824 and 0.778."""
    first = "fold_scores = { accuracy = [.81,.82,.84,.78,.85,.86,.82,.83,.82,.81] }"
    second = "fold_scores = { accuracy = [.80,.77,.70,.83,.80,.78,.75,.80,.78,.77] }"
    scores = {
        "A": first.replace("[.", "[0.").replace(",.", ",0."),
        "B": second.replace("[.", "[0.").replace(",.", ",0."),
    }
    evaluation = evaluated(tmp_path, scores)
    figure = build_summary_figure(evaluation)

    assert figure is not None
    assert isinstance(figure.chart, FoldPlot)
    assert [row.mean for row in figure.chart.rows] == [pytest.approx(0.824), pytest.approx(0.778)]
    assert fold_figure(evaluation, evaluation.reported_measures[1]) is None
    # A is better in all folds but the fourth.
    assert "best in 9 of 10 folds" in read(figure.description.parts)


@pytest.mark.parametrize(
    ("count", "kind"), [(1, DotPlot), (2, ForestPlot), (3, ForestPlot), (9, DotPlot)]
)
def test_the_answer_is_drawn_for_any_number_of_classifiers(
    tmp_path: Path, count: int, kind: type
) -> None:
    """Differences of few, values of many."""
    figure = build_summary_figure(evaluated(tmp_path, many(count)))

    assert figure is not None
    assert isinstance(figure.chart, kind)
    assert read(figure.description.parts).endswith(".")


def test_who_is_not_shown_to_be_worse_than_the_best_is_hollow(tmp_path: Path) -> None:
    """Two cases of 400 apart is open; the last, 100 of 200 found, is not."""
    classifiers = {**many(6), "bad": confusion((100, 100), (20, 180))}
    figure = build_summary_figure(evaluated(tmp_path, classifiers))

    assert figure is not None
    assert isinstance(figure.chart, DotPlot)
    hollow = {dot.label: dot.hollow for dot in figure.chart.dots}
    assert next(iter(hollow)) == "c0"
    assert not hollow["c0"]
    assert hollow["c1"]
    assert not hollow["bad"]
    assert "no significant difference (hollow): c1" in read(figure.description.parts)


def test_several_data_sets_are_answered_by_ranks(tmp_path: Path) -> None:
    """On every data set c0 is first, c1 second and c2 third."""
    sets = ", ".join(f"d{at} = 0.{{}}{at}" for at in range(8))
    classifiers = {
        f"c{at}": f"dataset_scores.accuracy = {{ {sets.format(*[9 - at] * 8)} }}" for at in range(3)
    }
    figure = build_summary_figure(evaluated(tmp_path, classifiers, 'kind = "multiclass"'))

    assert figure is not None
    assert isinstance(figure.chart, CriticalDifferenceDiagram)
    assert figure.chart.ranks == (("c0", 1.0), ("c1", 2.0), ("c2", 3.0))
    assert figure.chart.color_indices == (0, 1, 2)
    # Eight wins of eight have p = 2/2⁸, three times as large after Holm.
    assert read(figure.description.parts) == (
        "c0 has the best mean rank, 1.00, significantly different from all others (Wilcoxon–Holm)."
    )
