"""What the report says of other prevalences and of guessing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate
from reportgen.render.plain_text import cell_text
from reportgen.report.build import build_report
from reportgen.report.charts import LinePanels
from reportgen.report.document import Bullets, Figure, Note, Paragraph, Table
from reportgen.report.findings.shift import (
    CrossoverFinding,
    PrecisionAtTargetFinding,
    prevalence_findings,
)
from reportgen.report.inline import Strong
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.sections.chance import build_chance_section
from reportgen.report.sections.prevalence import build_prevalence_section
from tests.report.report_text import MULTICLASS, confusion, evaluated, read

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block

SPECS = Path(__file__).parents[2] / "specs"
TARGETS = "[prevalence]\ntargets = [0.1, 0.6]\n"
# s 0.9 and f 0.6 against s 0.5 and f 0.8, half of the cases positive.
CROSSING = {"A": confusion((90, 10), (40, 60)), "B": confusion((50, 50), (20, 80))}


@pytest.fixture(scope="module")
def paper() -> Evaluation:
    """Return the evaluation of the spec that reproduces El Emam's examples."""
    return load_and_evaluate(SPECS / "prevalence.toml")


def strong(blocks: tuple[Block, ...]) -> list[list[str]]:
    """Return the names in every bullet."""
    return [
        [part.text for part in item.parts if isinstance(part, Strong)]
        for block in blocks
        if isinstance(block, Bullets)
        for item in block.items
    ]


def test_every_target_has_its_rows_and_every_classifier_its_line(tmp_path: Path) -> None:
    """Two targets, two classifiers, a panel for each of four measures."""
    blocks = build_prevalence_section(evaluated(tmp_path, CROSSING, more=TARGETS))

    (table,) = (block for block in blocks if isinstance(block, Table))
    assert [cell_text(group.head) for group in table.groups] == [
        "At a prevalence of 10%",
        "At a prevalence of 60%",
    ]
    assert [[row[0] for row in group.rows] for group in table.groups] == [["A", "B"]] * 2
    (sample,) = (block.chart for block in blocks if isinstance(block, Figure))
    assert isinstance(sample, LinePanels)
    assert [panel.y_label for panel in sample.panels] == [
        "Precision",
        "Negative predictive value",
        "Accuracy",
        "Cohen's kappa",
    ]
    first = sample.panels[0]
    assert [series.name for series in first.series] == ["A", "B"]
    assert [(line.label, line.label_value) for line in first.references] == [
        ("target prevalence", 0.1),
        ("target prevalence", 0.6),
        ("study prevalence", 0.5),
    ]


def test_who_leads_below_a_crossing_is_named_first(tmp_path: Path) -> None:
    """Accuracy crosses at 1/3, B ahead below; kappa as well, for J is 0.5 against 0.3."""
    names = strong(build_prevalence_section(evaluated(tmp_path, CROSSING, more=TARGETS)))

    assert names[0] == ["B", "A"]


def test_without_targets_there_is_no_section(tmp_path: Path) -> None:
    """Nobody asked."""
    evaluation = evaluated(tmp_path, CROSSING)

    assert build_prevalence_section(evaluation) == ()
    assert prevalence_findings(evaluation) == ()


def test_the_summary_hears_of_precision_and_of_orders_that_turn_on_the_way(tmp_path: Path) -> None:
    """The data have 0.5, a target is 0.1, and accuracy turns at 1/3; at 0.4 it does not."""
    near = "[prevalence]\ntargets = [0.4]\n"
    far_findings = prevalence_findings(evaluated(tmp_path, CROSSING, more=TARGETS))
    near_findings = prevalence_findings(evaluated(tmp_path, CROSSING, more=near))

    assert (len(far_findings), len(near_findings)) == (2, 1)
    precision, crossover = far_findings
    # B: 0.5·0.1/(0.5·0.1 + 0.2·0.9) = 5/23 at 0.1, 50/70 in the data.
    assert isinstance(precision, PrecisionAtTargetFinding)
    assert (precision.target, precision.best, precision.all_tied) == (0.1, ("B",), False)
    assert precision.expected.value == pytest.approx(5 / 23)
    assert precision.observed is not None
    assert precision.observed.value == pytest.approx(5 / 7)
    assert isinstance(crossover, CrossoverFinding)
    assert crossover.crossover.prevalence == pytest.approx(1 / 3)


@pytest.mark.parametrize("names", ["A", "AB"])
def test_nobody_is_called_most_precise_of_equals(tmp_path: Path, names: str) -> None:
    """One alone, or two with the same counts: 5/23 at a prevalence of 0.1."""
    same = dict.fromkeys(names, CROSSING["B"])
    (result,) = prevalence_findings(evaluated(tmp_path, same, more=TARGETS))

    assert isinstance(result, PrecisionAtTargetFinding)
    assert (result.best, result.all_tied) == (tuple(names), True)
    assert "highest" not in read(describe_finding(result))


def test_the_paper_comes_out_but_for_one_number(paper: Evaluation) -> None:
    """Example 3: 0.09 was printed where 0.0952 rounds to 0.10."""
    (differing,) = (check for check in paper.published if not check.agrees)

    assert (differing.classifier, differing.measure) == ("Example 3", "precision")
    assert (differing.prevalence, differing.published) == (0.05, 0.09)
    assert differing.computed == pytest.approx(0.095238, abs=1e-6)
    assert differing.note


def test_results_have_the_intervals_and_the_crossings(paper: Evaluation) -> None:
    """Flat rows: one per classifier and target; one per pair and measure."""
    results = json.loads(results_json(paper))

    assert len(results["prevalence"]) == 5 * 4
    row = next(
        row
        for row in results["prevalence"]
        if (row["classifier"], row["target"]) == ("Example 3", 0.05)
    )
    assert row["precision_low"] < row["precision"] < row["precision_high"]
    table_12 = next(
        row
        for row in results["prevalence_crossings"]
        if (row["first"], row["second"], row["measure"]) == ("Example 4", "Example 5", "accuracy")
    )
    assert table_12["prevalence"] == pytest.approx(0.2)


def test_chance_warns_of_a_significant_classifier_that_is_the_wrong_way_round(
    tmp_path: Path,
) -> None:
    """Figures 4 and 5 of El Emam: the same chi-square."""
    matrices = {"right": confusion((31, 10), (10, 25)), "wrong": confusion((10, 31), (25, 10))}
    blocks = build_chance_section(evaluated(tmp_path, matrices))

    (note,) = (block for block in blocks if isinstance(block, Note))
    assert note.warning
    assert [part.text for part in note.parts if isinstance(part, Strong)] == ["wrong"]
    (table,) = (block for block in blocks if isinstance(block, Table))
    assert [row[4] for row in table.groups[0].rows] == ["yes", "no"]


def test_chance_says_that_the_printed_tables_were_made_without_the_correction() -> None:
    """All of both tables agree without it."""
    blocks = build_chance_section(load_and_evaluate(SPECS / "chance.toml"))

    texts = [
        "".join(part for part in block.parts if isinstance(part, str))
        for block in blocks
        if isinstance(block, Paragraph)
    ]
    assert sum("computed without the correction" in text for text in texts) == 2


def test_several_classes_are_not_audited(tmp_path: Path) -> None:
    """Guessing one of two classes has no meaning there."""
    matrix = {"A": confusion((5, 1, 0), (1, 5, 0), (0, 1, 5))}
    evaluation = evaluated(tmp_path, matrix, MULTICLASS)

    assert build_chance_section(evaluation) == ()
    assert "chance" not in {section.kind for section in build_report(evaluation).sections}


def test_a_class_without_cases_is_reported_as_undefined(tmp_path: Path) -> None:
    """No case is truly yes: nothing is known of another prevalence, and the report still builds."""
    evaluation = evaluated(tmp_path, {"A": confusion((0, 0), (3, 7))}, more=TARGETS)

    report = build_report(evaluation)

    assert {"prevalence", "chance"} <= {section.kind for section in report.sections}
    assert {row.values["accuracy"].value for row in evaluation.prevalence_values} == {None}
    assert evaluation.prevalence_crossovers == ()
