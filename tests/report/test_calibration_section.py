"""The section on calibration: what is drawn, and what its tables say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from reportgen.render.plain_text import cell_text
from reportgen.report.build import build_report
from reportgen.report.charts import LineChart, LinePanels
from reportgen.report.document import Figure
from reportgen.report.inline import PlainNumber
from tests.report.report_text import BINARY, evaluated, heads, note_of, section, table

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.document import ReportDocument

DATA = '[data]\nid = "case"\nscore = "score"\n'


def report(folder: Path, scores: dict[str, np.ndarray], truth: np.ndarray) -> ReportDocument:
    """Build the report of classifiers with scores on the same cases."""
    for name, score in scores.items():
        pl.DataFrame(
            {
                "case": np.arange(len(truth)),
                "truth": np.where(truth, "yes", "no"),
                "prediction": np.where(score >= 0.5, "yes", "no"),
                "score": score,
            }
        ).write_csv(folder / f"{name}.csv")
    classifiers = {name: f'predictions = "{name}.csv"' for name in scores}
    return build_report(evaluated(folder, classifiers, BINARY, DATA))


def figure(built: ReportDocument) -> Figure:
    """Return the reliability diagram."""
    blocks = section(built, "calibration").blocks
    (drawn,) = (block for block in blocks if isinstance(block, Figure))
    return drawn


def two_scores(folder: Path) -> ReportDocument:
    """Ten cases at 0.2 of which one is yes, ten at 0.8 of which nine are."""
    score = np.repeat([0.2, 0.8], 10)
    truth = np.array([True, *[False] * 9, *[True] * 9, False])
    return report(folder, {"A": score}, truth)


def test_two_scores_are_two_points_without_a_line(tmp_path: Path) -> None:
    """Observed 0.1 and 0.9; no case has a probability in between."""
    drawn = figure(two_scores(tmp_path))

    assert isinstance(drawn.chart, LineChart)
    assert [series.points for series in drawn.chart.series] == [((0.2, 0.1),), ((0.8, 0.9),)]
    assert [marker.point for series in drawn.chart.series for marker in series.markers] == [
        (0.2, 0.1),
        (0.8, 0.9),
    ]
    (bars,) = drawn.chart.histograms
    assert [bar[2] for bar in bars.bars] == [10.0, 10.0]
    # Gaps of 0.1 in both bins; less the noise √(0.1² − 0.1 · 0.9 / 9) nothing is left of them.
    shown = [part.number for part in drawn.description.parts if isinstance(part, PlainNumber)]
    assert shown == pytest.approx([0.0, 0.1], abs=1e-7)


def test_the_band_of_calibrated_probabilities_is_about_the_diagonal(tmp_path: Path) -> None:
    """Where ten cases have 0.2, the 95 % band of their binomial proportion is 0 to 0.5."""
    first = figure(two_scores(tmp_path)).chart
    assert isinstance(first, LineChart)
    band = first.series[0].band

    assert band is not None
    assert [point[1] for point in band.lower] == [0.0]
    assert [point[1] for point in band.upper] == pytest.approx([0.5], abs=0.1)


def test_several_classifiers_have_a_panel_each(tmp_path: Path) -> None:
    """Three in a row; the name stands above the panel."""
    random = np.random.default_rng(1)
    truth = random.uniform(size=120) < 0.4
    scores = {name: random.uniform(0.05, 0.95, 120).round(3) for name in "ABCD"}
    drawn = figure(report(tmp_path, scores, truth))

    assert isinstance(drawn.chart, LinePanels)
    assert drawn.chart.columns == 3
    assert sorted(panel.y_label for panel in drawn.chart.panels) == ["A", "B", "C", "D"]
    for panel in drawn.chart.panels:
        assert {series.name for series in panel.series} == {panel.y_label}
        assert len(panel.histograms) == 1


def test_the_table_decomposes_the_brier_score(tmp_path: Path) -> None:
    """Brier 0.1 · 0.64 + 0.9 · 0.04 = 0.1 for both scores; UNC 1/4, isotonic score 0.09."""
    built = two_scores(tmp_path)
    decomposed = table(built, "calibration")
    (row,) = decomposed.groups[0].rows

    assert heads(decomposed) == [
        "Classifier",
        "Brier score",
        "MCB",
        "DSC",
        "UNC",
        "Slope",
        "In the large",
        "p",
    ]
    assert [cell_text(cell) for cell in row[:5]] == ["A", "0.1000", "0.0100", "0.1600", "0.2500"]
    assert "unadjusted" in note_of(decomposed)


def test_an_undefined_slope_has_its_reason(tmp_path: Path) -> None:
    """A probability of 0 has no logit."""
    score = np.repeat([0.0, 0.4, 0.8], 10)
    truth = np.arange(30) % 3 == 0
    decomposed = table(report(tmp_path, {"A": score}, truth), "calibration")

    assert cell_text(decomposed.groups[0].rows[0][5]) == "undefined"
    assert "Slope undefined, as a probability of exactly 0 or 1 has an infinite logit: A." in (
        note_of(decomposed)
    )


def test_pairs_are_compared_outside_the_families(tmp_path: Path) -> None:
    """A table with a row for the pair, and a note on the adjustment."""
    random = np.random.default_rng(2)
    truth = random.uniform(size=200) < 0.4
    scores = {name: random.uniform(0.05, 0.95, 200).round(3) for name in "AB"}
    compared = table(report(tmp_path, scores, truth), "miscalibration")

    assert [cell_text(row[0]) for row in compared.groups[0].rows] == ["A − B"]
    assert "no verdict rests on them" in note_of(compared)
