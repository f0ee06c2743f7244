"""The section on calibration: what is drawn, and what its tables say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from reportgen.render.plain_text import cell_text, sentence_text
from reportgen.report.build import build_report
from reportgen.report.charts import ReliabilityDiagram, ReliabilityPanel
from reportgen.report.document import Bullets, Figure
from reportgen.report.inline import Estimate
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


def figure(document: ReportDocument) -> Figure:
    """Return the reliability diagram."""
    blocks = section(document, "calibration").blocks
    (calibration_figure,) = (block for block in blocks if isinstance(block, Figure))
    return calibration_figure


def two_scores(folder: Path) -> ReportDocument:
    """Ten cases at 0.2 of which one is yes, ten at 0.8 of which nine are."""
    score = np.repeat([0.2, 0.8], 10)
    truth = np.array([True, *[False] * 9, *[True] * 9, False])
    return report(folder, {"A": score}, truth)


def panels(document: ReportDocument) -> tuple[ReliabilityPanel, ...]:
    """Return the panels of the reliability diagram."""
    chart = figure(document).chart
    assert isinstance(chart, ReliabilityDiagram)
    return chart.panels


def test_two_scores_are_two_points_without_a_line(tmp_path: Path) -> None:
    """Observed 0.1 and 0.9; no case has a probability in between."""
    (panel,) = panels(two_scores(tmp_path))

    assert [line.points for line in panel.lines] == [((0.2, 0.1),), ((0.8, 0.9),)]
    assert [bar[2] for bar in panel.histogram.bars] == [10.0, 10.0]
    assert panel.miscalibration == pytest.approx(0.01)


def test_the_band_of_calibrated_probabilities_is_about_the_diagonal(tmp_path: Path) -> None:
    """Where ten cases have 0.2, the 95 % band of their binomial proportion is 0 to 0.5."""
    (panel,) = panels(two_scores(tmp_path))
    line = panel.lines[0]

    assert line.band is not None
    assert [point[1] for point in line.band.lower] == [0.0]
    assert [point[1] for point in line.band.upper] == pytest.approx([0.5], abs=0.1)
    assert line.deviations == ()


def test_several_classifiers_have_a_panel_each_the_best_calibrated_first(tmp_path: Path) -> None:
    """Random scores are miscalibrated, the more the further they are from 0.4."""
    random = np.random.default_rng(1)
    truth = random.uniform(size=400) < 0.4
    scores = {
        "far": random.uniform(0.7, 0.95, 400).round(2),
        "near": random.uniform(0.35, 0.45, 400).round(2),
        "off": random.uniform(0.5, 0.8, 400).round(2),
    }
    reliability_panels = panels(report(tmp_path, scores, truth))

    assert [panel.name for panel in reliability_panels] == ["near", "off", "far"]
    assert [panel.color_index for panel in reliability_panels] == [1, 2, 0]
    assert reliability_panels[2].lines[0].deviations


def test_a_finding_names_the_direction_and_the_largest_gap(tmp_path: Path) -> None:
    """One sentence for all that are not shown to be miscalibrated, and one for each other."""
    random = np.random.default_rng(1)
    truth = random.uniform(size=400) < 0.4
    scores = {
        "far": np.repeat([0.9, 0.95], 200),
        "near": random.uniform(0.35, 0.45, 400).round(2),
    }
    blocks = section(report(tmp_path, scores, truth), "calibration").blocks
    (bullets,) = (block for block in blocks if isinstance(block, Bullets))
    calm, biased = (sentence_text(item.parts) for item in bullets.items)

    assert calm == "near: no significant miscalibration (not evidence of calibration)."
    assert biased.startswith("far: ")
    assert "too high on average" in biased
    assert "200 cases with a probability of 0.87–0.93, mean 90.0%, observed 40.0%." in biased


def test_the_table_decomposes_the_brier_score(tmp_path: Path) -> None:
    """Brier 0.1 · 0.64 + 0.9 · 0.04 = 0.1 for both scores; UNC 1/4, isotonic score 0.09."""
    document = two_scores(tmp_path)
    decomposed = table(document, "calibration")
    (row,) = decomposed.groups[0].rows

    assert heads(decomposed) == [
        "Classifier",
        "Brier score",
        "MCB",
        "DSC",
        "Slope",
        "Intercept",
        "Adj. p, calibrated",
    ]
    assert [cell_text(cell) for cell in row[:4]] == ["A", "0.1000", "0.0100", "0.1600"]
    assert "UNC 0.2500 for all" in note_of(decomposed)


def test_a_slope_leaves_out_probabilities_of_0_and_1(tmp_path: Path) -> None:
    """They have no logit; where nothing else is left the slope is undefined."""
    truth = np.arange(30) % 3 == 0
    scores = {"A": np.repeat([0.0, 0.4, 0.8], 10), "B": np.repeat([0.0, 0.4, 1.0], 10)}
    decomposed = table(report(tmp_path, scores, truth), "calibration")
    slopes = {cell_text(row[0]): cell_text(row[4]) for row in decomposed.groups[0].rows}

    assert slopes["A"] != "undefined"
    assert slopes["B"] == "undefined"
    assert "probability exactly 0 or 1: A 10 cases." in note_of(decomposed)
    assert "Slope undefined, as all probabilities but one are exactly 0 or 1: B." in (
        note_of(decomposed)
    )


def test_classifiers_are_compared_with_the_best_calibrated(tmp_path: Path) -> None:
    """Only the other has a difference; the note says what the p-values are adjusted for."""
    random = np.random.default_rng(2)
    truth = random.uniform(size=200) < 0.4
    scores = {"far": random.uniform(0.7, 0.9, 200), "near": random.uniform(0.3, 0.5, 200)}
    decomposed = table(report(tmp_path, scores, truth), "calibration")

    assert heads(decomposed)[-2:] == ["MCB above near", "Adj. p, difference"]
    best, worst = decomposed.groups[0].rows
    assert best[-2:] == (None, None)
    assert isinstance(worst[-2], Estimate)
    assert worst[-2].low is not None
    assert 0 < worst[-2].low < (worst[-2].number or 0)
    assert "outside the families of the report" in note_of(decomposed)


def test_of_many_classifiers_the_findings_are_on_the_best(tmp_path: Path) -> None:
    """Seven classifiers, too low by half: the worst by accuracy has no sentence."""
    rng = np.random.default_rng(7)
    truth = rng.random(600) < 0.5
    scores = {
        f"m{skill}": np.clip(np.where(truth, 0.5 + 0.07 * skill, 0.4), 0, 1)
        * rng.uniform(0.5, 1.0, 600)
        for skill in range(7)
    }
    built = report(tmp_path, scores, truth)
    bullets = next(
        block for block in section(built, "calibration").blocks if isinstance(block, Bullets)
    )
    named = " ".join(sentence_text(item.parts) for item in bullets.items)

    assert "m6" in named
    assert "m0" not in named
