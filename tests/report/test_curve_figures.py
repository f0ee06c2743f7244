"""Bands, corners, marks and panels of the curves: every place worked out by hand or elsewhere."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
import pytest
from statsmodels.stats.proportion import proportion_confint

from reportgen.pipeline import load_and_evaluate
from reportgen.report.charts import LineChart, LinePanels
from reportgen.report.document import Figure, iter_blocks
from reportgen.report.sections.curves import build_curves_section, roc_confidence_band, zoom_side
from reportgen.report.sections.prevalence import build_prevalence_section
from tests.report.report_text import confusion, evaluated, read

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

HEAD = """
title = "Scores"
[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
score = "score"
id = "case"
threshold = 0.5
[intervals]
draws = 200
"""
# Thirty of each; the scores of yes are 0.35 to 0.93, those of no 0.05 to 0.63 by steps of 0.02.
ROWS = [("yes", 0.35 + 0.02 * at) for at in range(30)] + [
    ("no", 0.05 + 0.02 * at) for at in range(30)
]


def evaluate_scored(folder: Path, scales: dict[str, float], repeats: int = 1) -> Evaluation:
    """Evaluate classifiers whose scores are those above, each times a number of its own."""
    tables = []
    for at, (name, scale) in enumerate(scales.items()):
        frame = pl.DataFrame(ROWS, schema=["truth", "score"], orient="row").with_row_index("case")
        frame = frame.with_columns(pl.col("score") * scale)
        if repeats > 1:
            frame = pl.concat(
                [frame.with_columns(pl.lit(str(fold)).alias("fold")) for fold in range(repeats)]
            )
        frame.write_csv(folder / f"{at}.csv")
        tables.append(f'[[classifiers]]\nname = "{name}"\npredictions = "{at}.csv"\n')
    head = HEAD.replace('id = "case"', 'id = "case"\nfold = "fold"') if repeats > 1 else HEAD
    (folder / "s.toml").write_text(head + "".join(tables), encoding="utf-8")
    return load_and_evaluate(folder / "s.toml")


def ranked(folder: Path, number: int, more: str = "") -> Evaluation:
    """Evaluate classifiers of which each takes a case less of the thirty no for a yes."""
    tables = []
    for at in range(number):
        rows = [("yes", 0.9)] * 30 + [
            ("no", 0.8 if case < number - at else 0.1) for case in range(30)
        ]
        frame = pl.DataFrame(rows, schema=["truth", "score"], orient="row").with_row_index("case")
        frame.write_csv(folder / f"{at}.csv")
        tables.append(f'[[classifiers]]\nname = "M{at}"\npredictions = "{at}.csv"\n')
    (folder / "s.toml").write_text(HEAD + more + "".join(tables), encoding="utf-8")
    return load_and_evaluate(folder / "s.toml")


def figures_of(evaluation: Evaluation) -> dict[str, Figure]:
    """Return the figures of the curves by name."""
    return {
        block.name: block
        for block in iter_blocks(build_curves_section(evaluation))
        if isinstance(block, Figure)
    }


def test_a_band_is_the_two_wilson_intervals_of_each_threshold(tmp_path: Path) -> None:
    """At the root of 0.95 each, so that both hold at 0.95; the limits are statsmodels'."""
    evaluation = evaluate_scored(tmp_path, {"A": 1.0})
    (points,) = evaluation.curves

    band = roc_confidence_band(points)

    alpha = 1 - math.sqrt(0.95)
    for at, (tp, fp) in enumerate(zip(points.tp, points.fp, strict=True), start=1):
        found_low, found_high = proportion_confint(tp, 30, alpha, "wilson")
        alarm_low, alarm_high = proportion_confint(fp, 30, alpha, "wilson")
        assert band.lower[at] == pytest.approx((alarm_high, found_low), abs=1e-12)
        # The upper edge has the corner (0, 0) before it.
        assert band.upper[at + 1] == pytest.approx((alarm_low, found_high), abs=1e-12)


def test_a_band_holds_its_curve_and_never_turns_back(tmp_path: Path) -> None:
    """Along both edges neither share falls from a threshold to the next lower one."""
    evaluation = evaluate_scored(tmp_path, {"A": 1.0})
    (points,) = evaluation.curves

    band = roc_confidence_band(points)

    for edge in (band.lower, band.upper):
        assert list(edge) == sorted(edge)
        assert [y for _, y in edge] == sorted(y for _, y in edge)
    for (x, y), (right, low), (left, high) in zip(
        points.roc(), band.lower, band.upper[1:-1], strict=True
    ):
        assert left <= x <= right
        assert low <= y <= high


def test_predicting_every_case_three_times_narrows_no_band(tmp_path: Path) -> None:
    """Ninety predictions of thirty cases say no more than thirty."""
    (tmp_path / "once").mkdir()
    (tmp_path / "thrice").mkdir()
    bands = []
    for folder, repeats in (("once", 1), ("thrice", 3)):
        evaluation = evaluate_scored(tmp_path / folder, {"A": 1.0}, repeats)
        (points,) = evaluation.curves
        bands.append(roc_confidence_band(points))

    for one, three in zip(bands[0].lower, bands[1].lower, strict=True):
        assert one == pytest.approx(three, abs=1e-12)


@pytest.mark.parametrize(("names", "banded"), [("AB", True), ("ABCD", False)])
def test_bands_of_more_than_three_curves_are_left_out(
    tmp_path: Path, names: str, *, banded: bool
) -> None:
    """They would hide each other."""
    pair = figures_of(evaluate_scored(tmp_path, dict.fromkeys(names, 1.0)))["curves-1"]

    assert isinstance(pair.chart, LinePanels)
    roc = pair.chart.panels[0]
    assert [series.band is not None for series in roc.series] == [banded] * len(names)
    message = "" if pair.note is None else read(pair.note.parts)
    assert ("pointwise 95" in message) == banded


def drawn_in(figure: Figure) -> list[str]:
    """Return the classifiers of a figure, or of its first panel."""
    chart = figure.chart.panels[0] if isinstance(figure.chart, LinePanels) else figure.chart
    assert isinstance(chart, LineChart)
    return [series.name for series in chart.series]


@pytest.mark.slow
@pytest.mark.parametrize("detail", ["standard", "full"])
def test_of_many_curves_those_of_the_best_are_drawn(tmp_path: Path, detail: str) -> None:
    """M0 has the lowest accuracy of thirteen; panels by threshold have room for twelve."""
    figures = figures_of(ranked(tmp_path, 13, f'[output]\ndetail = "{detail}"\n'))

    assert drawn_in(figures["curves-1"]) == [f"M{at}" for at in reversed(range(13))]
    assert drawn_in(figures["thresholds-1"]) == [f"M{at}" for at in reversed(range(1, 13))]
    note = figures["thresholds-1"].note
    assert note is not None
    assert read(note.parts).endswith("Shown: the 12 best by accuracy; 1 more classifier not shown.")


@pytest.mark.slow
def test_of_more_than_six_curves_the_three_best_are_in_colour(tmp_path: Path) -> None:
    """The later, the better: M6, M5 and M4 have the first colours, in this order."""
    chart = figures_of(ranked(tmp_path, 7))["curves-1"].chart

    assert isinstance(chart, LinePanels)
    for panel in chart.panels:
        colors = {series.name: series.color_index for series in panel.series}
        assert {name: color for name, color in colors.items() if color >= 0} == {
            "M6": 0,
            "M5": 1,
            "M4": 2,
        }
        # The zoom contains the operating points of these, not of all.
        assert panel.zoom_window is not None


@pytest.mark.parametrize(("classes", "note"), [(11, "1 more class"), (12, "2 more classes")])
def test_classes_beyond_the_tenth_are_counted(tmp_path: Path, classes: int, note: str) -> None:
    """Each class has two cases with a probability of 0.5 or 0.6, and the others share the rest.

    One case of class c3 has its highest probability elsewhere, so it is the hardest.
    """
    names = [f"c{at}" for at in range(classes)]
    rows = [
        {"truth": name, "prediction": name}
        | {f"p_{other}": (high if other == name else (1 - high) / (classes - 1)) for other in names}
        for name in names
        for high in (0.5, 0.6)
    ]
    rows[6] |= {"p_c3": rows[6]["p_c4"], "p_c4": rows[6]["p_c3"]}
    pl.DataFrame(rows).write_csv(tmp_path / "p.csv")
    spec = tmp_path / "many.toml"
    spec.write_text(
        '[task]\nkind = "multiclass"\n[data]\nprobabilities = "p_{class}"\n'
        '[[classifiers]]\nname = "A"\npredictions = "p.csv"\n',
        encoding="utf-8",
    )
    figures = figures_of(load_and_evaluate(spec))

    assert list(figures) == ["roc-classes", "precision-recall-classes"]
    for figure in figures.values():
        assert isinstance(figure.chart, LinePanels)
        assert figure.chart.titles[:3] == ("class c3", "class c4", "class c0")
        assert figure.note is not None
        assert f"Curves of {note} not shown." in read(figure.note.parts)


def test_scales_beyond_the_fourth_are_counted(tmp_path: Path) -> None:
    """Six scales a hundredfold apart: at 0.5 the first two find least, so they have no figure."""
    scales = {f"S{at}": 100.0**at for at in range(6)}
    figures = figures_of(evaluate_scored(tmp_path, scales))
    names = [name for name in figures if name.startswith("thresholds")]

    assert len(names) == 4
    note = figures[names[-1]].note
    assert note is not None
    assert read(note.parts) == ("2 more classifiers with scores on other scales not shown.")


@pytest.mark.parametrize(
    ("gaps", "side"),
    [
        ([(0.02, 0.04)], 0.05),
        ([(0.02, 0.1), (0.03, 0.01)], 0.2),
        ([(0.2, 0.27)], 0.3),
        ([(0.2, 0.28)], 0.5),
        ([(0.01, 0.01), (0.9, 0.0)], None),
        ([], None),
    ],
)
def test_a_corner_is_enlarged_if_all_predictions_lie_in_it(
    gaps: list[tuple[float, float]], side: float | None
) -> None:
    """The farthest point keeps a tenth of the side away from the inner edges."""
    assert zoom_side(gaps) == side


def test_the_corner_of_the_operating_point_is_enlarged(tmp_path: Path) -> None:
    """Scores told apart but for two cases: 1 of 30 yes and 1 of 30 no are on the wrong side."""
    rows = [("yes", 0.9 + at / 1000) for at in range(29)] + [("yes", 0.2)]
    rows += [("no", 0.1 + at / 1000) for at in range(29)] + [("no", 0.8)]
    frame = pl.DataFrame(rows, schema=["truth", "score"], orient="row").with_row_index("case")
    frame.write_csv(tmp_path / "a.csv")
    (tmp_path / "s.toml").write_text(
        f'{HEAD}[[classifiers]]\nname = "A"\npredictions = "a.csv"\n', encoding="utf-8"
    )

    chart = figures_of(load_and_evaluate(tmp_path / "s.toml"))["curves-1"].chart

    assert isinstance(chart, LinePanels)
    roc, recall = chart.panels
    assert roc.zoom_window == ((0.0, 0.05), (0.95, 1.0))
    assert recall.zoom_window == ((0.95, 1.0), (0.95, 1.0))
    (marker,) = roc.series[0].markers
    assert marker.kind == "operating"
    assert marker.point == pytest.approx((1 / 30, 29 / 30))


def test_rates_have_a_panel_each_and_the_thresholds_marked(tmp_path: Path) -> None:
    """At 0.5 A finds the 22 of 30 from 0.51 on; of the no, 7 are at 0.51 and above."""
    chart = figures_of(evaluate_scored(tmp_path, {"A": 1.0, "B": 1.0}))["thresholds-1"].chart

    assert isinstance(chart, LinePanels)
    assert [panel.y_label for panel in chart.panels] == ["Sensitivity", "Specificity", "Precision"]
    used = [
        number
        for panel in chart.panels
        for marker in panel.series[0].markers
        if marker.kind == "operating"
        for number in marker.point
    ]
    assert used == pytest.approx([0.5, 22 / 30, 0.5, 23 / 30, 0.5, 22 / 29])
    assert [(line.name, line.color_index) for line in chart.panels[0].series] == [
        ("A", 0),
        ("B", 1),
    ]


def test_scores_of_another_scale_have_a_figure_of_their_own(tmp_path: Path) -> None:
    """Up to 0.93 and up to 93 there is no axis on which both could be read."""
    figures = figures_of(evaluate_scored(tmp_path, {"A": 1.0, "B": 100.0, "C": 0.9, "D": 80.0}))

    curves = [
        [series.name for series in figure.chart.panels[0].series]
        for name, figure in figures.items()
        if name.startswith("thresholds") and isinstance(figure.chart, LinePanels)
    ]
    assert curves == [["A", "C"], ["B", "D"]]


def test_crossings_are_marked_once_where_two_change_places(tmp_path: Path) -> None:
    """Accuracies 0.9q + 0.6(1 − q) and 0.5q + 0.8(1 − q) are both 0.7 at q = 1/3."""
    two = {"A": confusion((90, 10), (40, 60)), "B": confusion((50, 50), (20, 80))}
    more = "[prevalence]\ntargets = [0.1]\n"

    blocks = build_prevalence_section(evaluated(tmp_path, {**two, "C": two["B"]}, more=more))

    (chart,) = (block.chart for block in blocks if isinstance(block, Figure))
    assert isinstance(chart, LinePanels)
    (marker,) = next(panel for panel in chart.panels if panel.y_label == "Accuracy").markers
    assert marker.point == pytest.approx((1 / 3, 0.7), abs=1e-9)
    assert marker.label_value == pytest.approx(1 / 3)


@pytest.mark.parametrize(("target", "span"), [(0.02, (0.0, 1.0)), (0.003, (0.001, 1.0))])
def test_rare_targets_stand_on_a_logarithmic_axis(
    tmp_path: Path, target: float, span: tuple[float, float]
) -> None:
    """On an even one 0.003 would be a hair beside 0; precision there is s·q/(s·q + (1−f)(1−q))."""
    one = {"A": confusion((90, 10), (40, 60))}

    blocks = build_prevalence_section(
        evaluated(tmp_path, one, more=f"[prevalence]\ntargets = [{target}]\n")
    )

    (chart,) = (block.chart for block in blocks if isinstance(block, Figure))
    assert isinstance(chart, LinePanels)
    precision = chart.panels[0]
    assert (precision.x_range, precision.x_log) == (span, span[0] > 0)
    for q, value in precision.series[0].points:
        assert value == pytest.approx(0.9 * q / (0.9 * q + 0.4 * (1 - q)), abs=1e-9)
