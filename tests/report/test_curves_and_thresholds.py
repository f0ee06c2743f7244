"""Curves and thresholds in the report, and what the ranges beside values are."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from reportgen.evaluation.decision import NaturalFrequencies
from reportgen.evaluation.decision_curves import OperatingFrequencies
from reportgen.export.results import build_results
from reportgen.pipeline import build_and_write, load_and_evaluate
from reportgen.render.plain_text import cell_text, sentence_text
from reportgen.report.build import build_report
from reportgen.report.charts import LinePanels, ReliabilityDiagram
from reportgen.report.document import Figure, Formulas, Paragraph, Table, iter_blocks
from reportgen.report.inline import Estimate, PlainNumber
from reportgen.report.sections.decision import count_decimals

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import OutputFormat
    from reportgen.report.document import Block, ReportDocument

SPEC = """
title = "Scores"
[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
score = "score"
id = "case"
threshold = 0.5
[thresholds]
cost = { false_positive = 1, false_negative = 5 }
at_least = { sensitivity = 1.0e-9, specificity = 0.999999 }
[intervals]
level = 0.9
draws = 200
[[classifiers]]
name = "A"
predictions = "a.csv"
[[classifiers]]
name = "B"
predictions = "b.csv"
"""
TRUTH = ["yes", "yes", "no", "yes", "no", "no", "yes", "no"]
SCORES = {
    "a": [0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1],
    "b": [0.2, 0.3, 0.9, 0.1, 0.8, 0.4, 0.5, 0.6],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a spec and two files of scores."""
    result = tmp_path_factory.mktemp("scores")
    for name, scores in SCORES.items():
        frame = pl.DataFrame({"case": range(8), "truth": TRUTH, "score": scores})
        frame.write_csv(result / f"{name}.csv")
    (result / "s.toml").write_text(SPEC, encoding="utf-8")
    return result


@pytest.fixture(scope="module")
def evaluation(folder: Path) -> Evaluation:
    """Return what was found."""
    return load_and_evaluate(folder / "s.toml")


@pytest.fixture(scope="module")
def report(evaluation: Evaluation) -> ReportDocument:
    """Return the report of it."""
    return build_report(evaluation)


def blocks_of(report: ReportDocument, kind: str) -> tuple[Block, ...]:
    """Return the blocks of a section."""
    blocks = next(section.blocks for section in report.sections if section.kind == kind)
    return tuple(iter_blocks(blocks))


def text_of(paragraph: Paragraph) -> str:
    """Return the words of a sentence, without its numbers."""
    return "".join(part for part in paragraph.parts if isinstance(part, str))


def test_the_report_draws_every_curve_once(report: ReportDocument) -> None:
    """ROC and precision against recall side by side, and the rates by threshold."""
    names = [block.name for block in blocks_of(report, "curves") if isinstance(block, Figure)]

    assert names == ["curves-1", "thresholds-1"]


def test_curves_are_counted_from_the_cases(report: ReportDocument) -> None:
    """A ranks yes, yes, no, yes, no, no, yes, no: the path goes up or right by a quarter."""
    pair = blocks_of(report, "curves")[0]

    assert isinstance(pair, Figure)
    assert isinstance(pair.chart, LinePanels)
    roc, recall = pair.chart.panels
    series = roc.series[0]
    assert series.points == (
        *((0.0, 0.0), (0.0, 0.25), (0.0, 0.5), (0.25, 0.5), (0.25, 0.75)),
        *((0.5, 0.75), (0.75, 0.75), (0.75, 1.0), (1.0, 1.0)),
    )
    # From 0.5 on it says yes to four cases, of which three are.
    assert [marker.point for marker in series.markers] == [(0.25, 0.75)]
    assert recall.series[0].points[-2:] == ((0.25, 1.0), (0.0, 1.0))
    assert recall.series[0].points[0] == (1.0, 0.5)
    assert [line.start[1] for line in recall.references] == [0.5]


def test_rates_reach_from_edge_to_edge(report: ReportDocument) -> None:
    """Above all scores of A nothing is found and nobody else is taken for the class."""
    rates = blocks_of(report, "curves")[1]

    assert isinstance(rates, Figure)
    assert isinstance(rates.chart, LinePanels)
    sensitivity, specificity, precision = (panel.series[0].points for panel in rates.chart.panels)
    assert sensitivity[:2] == ((1.0, 0.0), (0.9, 0.25))
    assert specificity[:2] == ((1.0, 1.0), (0.9, 1.0))
    assert precision[0] == (0.9, 1.0)
    assert [item[-1] for item in (sensitivity, specificity, precision)] == [
        *((0.0, 1.0), (0.0, 0.0), (0.0, 0.5)),
    ]


def test_calibration_of_several_classes_is_by_the_highest_probability(tmp_path: Path) -> None:
    """Forty cases said to be a at 0.8, of which 20 are: a gap of 0.3, less √(0.09 − 0.25 / 39)."""
    truth = ["a"] * 20 + ["b"] * 10 + ["c"] * 10
    shares = {"p_a": [0.8] * 40, "p_b": [0.1] * 40, "p_c": [0.1] * 40}
    frame = pl.DataFrame({"truth": truth, "prediction": ["a"] * 40, **shares})
    frame.with_row_index("case").write_csv(tmp_path / "m.csv")
    spec = tmp_path / "m.toml"
    spec.write_text(
        """
        title = "Three"
        [task]
        kind = "multiclass"
        [data]
        probabilities = "p_{class}"
        id = "case"
        [measures]
        show = ["accuracy", "ece"]
        [[classifiers]]
        name = "A"
        predictions = "m.csv"
        """,
        encoding="utf-8",
    )

    evaluation = load_and_evaluate(spec)
    blocks = blocks_of(build_report(evaluation), "calibration")

    (sample,) = (block.chart for block in blocks if isinstance(block, Figure))
    assert isinstance(sample, ReliabilityDiagram)
    assert [line.points for line in sample.panels[0].lines] == [((0.8, 0.5),)]
    (computed,) = evaluation.calibration
    assert computed.debiased_rms_error == pytest.approx((0.09 - 0.25 / 39) ** 0.5)
    assert computed.rms_error == pytest.approx(0.3)


def test_a_classifier_has_one_colour_in_all_figures(report: ReportDocument) -> None:
    """Its place in the spec decides."""
    for block in blocks_of(report, "curves")[:2]:
        assert isinstance(block, Figure)
        assert isinstance(block.chart, LinePanels)
        for panel in block.chart.panels:
            colors = [(series.name, series.color_index) for series in panel.series]
            assert colors == [("A", 0), ("B", 1)]


def decision_table(report: ReportDocument, name: str) -> Table:
    """Return a table of the section on decisions."""
    tables = [block for block in blocks_of(report, "decision") if isinstance(block, Table)]
    (expected,) = (table for table in tables if table.name == name)
    return expected


def test_thresholds_are_shown_beside_the_predictions_made(report: ReportDocument) -> None:
    """The criteria that the spec declares; of eight cases 3 in 8 cost 1 at a threshold of 0.2."""
    table = decision_table(report, "operating-points")
    rows = table.groups[0].rows
    own = [row for row in rows if cell_text(row[0]) == "A"]

    assert [cell_text(row[1]) for row in own] == [
        "as submitted",
        "min. cost",
        "Sensitivity ≥ 1\u202f×\u202f10⁻⁹ and Specificity ≥ 0.999999",
    ]
    assert [cell_text(row[2]) for row in own[:2]] == ["0.5", "0.20"]
    # 500 of 1,000 cases are positive; all are found, with three of four false alarms.
    assert [cell_text(cell) for cell in own[1][3:10]] == [
        "500",
        "0",
        "375",
        "125",
        "100.0%",
        "25.0%",
        "57.1%",
    ]
    cost = own[1][10]
    assert isinstance(cost, Estimate)
    assert cost.number == 3 / 8
    assert table.note is not None
    assert "tuned on the evaluation data" in text_of(table.note)


def test_expected_counts_of_a_column_share_their_decimals() -> None:
    """Seven beside twelve is whole; 7.4 gives twelve a decimal; large counts have none."""
    first = _operating_frequencies(tp=7.01, fn=7.4, fp=0.0, tn=985.6)
    second = _operating_frequencies(tp=12.4, fn=12.0, fp=11.0, tn=964.6)

    assert count_decimals([first, second]) == (0, 1, 0, 0)


def _operating_frequencies(*, tp: float, fn: float, fp: float, tn: float) -> OperatingFrequencies:
    frequencies = NaturalFrequencies(
        per=1000, prevalence=(tp + fn) / 1000, tp=tp, fn=fn, fp=fp, tn=tn
    )
    return OperatingFrequencies(
        classifier="A",
        rule=None,
        frequencies=frequencies,
        sensitivity=0.5,
        specificity=0.9,
        precision=0.5,
        youden=0.4,
        cost_per_case=None,
    )


def test_what_no_threshold_reaches_is_stated(report: ReportDocument) -> None:
    """B gives its highest score to a no, so it finds nothing without a false alarm."""
    rows = decision_table(report, "operating-points").groups[0].rows
    (unmet,) = (row for row in rows if cell_text(row[0]) == "B" and "≥" in cell_text(row[1]))

    assert unmet[2] == "not reached"
    assert set(unmet[3:]) == {None}


def test_the_section_on_decisions_says_who_costs_least(report: ReportDocument) -> None:
    """A has a case of class yes at the top and finds all with three false alarms; B is worse."""
    first, sample = blocks_of(report, "decision")[:2]

    assert isinstance(first, Paragraph)
    text = sentence_text(first.parts)
    assert text.startswith(
        "Lowest expected cost, each classifier at its best threshold on these data: "
    )
    assert "on these data: A at every cost ratio." in text
    assert text.endswith("Declared: 5, A.")
    assert isinstance(sample, Figure)
    assert isinstance(sample.chart, LinePanels)
    assert [panel.y_label for panel in sample.chart.panels] == [
        "Net benefit",
        "Expected cost",
        "Positives found",
    ]


def test_gains_and_fixed_rates_have_a_row_per_classifier(report: ReportDocument) -> None:
    """Two of A's four positives are before its first false alarm; B's first is one."""
    rows = decision_table(report, "ranking").groups[0].rows

    assert {cell_text(row[0]): cell_text(row[1]) for row in rows} == {"A": "50.0%", "B": "0.0%"}


def test_the_ranges_are_explained_once_with_their_level(report: ReportDocument) -> None:
    """Under the first table that has any."""
    explained = [
        (section.kind, block.name)
        for section in report.sections
        for block in iter_blocks(section.blocks)
        if isinstance(block, Table) and block.note and "Intervals: " in text_of(block.note)
    ]

    assert explained == [("measures", "main-measures")]
    table = blocks_of(report, "measures")[0]
    assert isinstance(table, Table)
    assert table.note is not None
    assert [part.number for part in table.note.parts if isinstance(part, PlainNumber)] == [90.0]


def test_every_measure_at_a_threshold_is_defined(tmp_path: Path, folder: Path) -> None:
    """Also those the spec does not ask for: precision is in the table of operating points."""
    for name in SCORES:
        (tmp_path / f"{name}.csv").write_bytes((folder / f"{name}.csv").read_bytes())
    spec = tmp_path / "few.toml"
    spec.write_text(SPEC + '[measures]\nshow = ["accuracy"]\n', encoding="utf-8")

    blocks = blocks_of(build_report(load_and_evaluate(spec)), "definitions")
    defined = {
        item.measure.name for block in blocks if isinstance(block, Formulas) for item in block.items
    }

    assert {"f1", "youden", "precision"} <= defined


def test_results_hold_thresholds_and_curves(evaluation: Evaluation) -> None:
    """The lowest cost of A: all found from 0.2 on, with three false alarms among eight cases."""
    results = build_results(evaluation)
    rows = {(row.classifier, row.rule): row for row in results.thresholds}

    cost = rows["A", "cost"]
    assert (cost.threshold, cost.tp, cost.fn, cost.fp, cost.tn) == (0.2, 4, 0, 3, 1)
    assert cost.cost_per_case == cost.achieved == 3 / 8
    assert cost.draws == 200
    assert not rows["B", "constraint"].reached
    assert {(row.classifier, row.kind) for row in results.curves} == {
        *((name, kind) for name in "AB" for kind in ("roc", "pr"))
    }
    assert results.curves[0].points[0] == (0.0, 0.0, None)
    assert results.curves[0].points[1] == (0.0, 0.25, 0.9)


@pytest.mark.slow
def test_the_files_of_a_build_hold_them_too(folder: Path, tmp_path: Path) -> None:
    """JSON, CSV with columns for both ends, and the same bytes twice."""
    formats: tuple[OutputFormat, ...] = ("json", "csv", "html", "markdown")
    for run in ("one", "two"):
        build_and_write(folder / "s.toml", tmp_path / run, formats)
    first, second = tmp_path / "one/s", tmp_path / "two/s"

    results = json.loads((first / "results.json").read_text(encoding="utf-8"))
    assert len(results["thresholds"]) == 8
    table = pl.read_csv(first / "tables/thresholds.csv")
    assert {"threshold", "threshold_low", "threshold_high", "achieved_low"} <= set(table.columns)
    scores = pl.read_csv(first / "tables/values.csv")
    assert {"low", "high", "method"} <= set(scores.columns)
    for name in ("results.json", "report.html", "report.md", "tables/thresholds.csv"):
        assert (first / name).read_bytes() == (second / name).read_bytes()
