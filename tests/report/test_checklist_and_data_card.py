"""The reporting checklist, the data card, and the plot of segments."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

import pytest

from reportgen.errors import SpecError
from reportgen.report.build import build_report
from reportgen.report.charts import GroupedDotPlot
from reportgen.report.document import Figure
from reportgen.report.sections import SECTIONS
from reportgen.report.sections.checklist import CHECKLIST_FOLDER, read_checklist
from reportgen.spec.about import About
from reportgen.spec.output import ChecklistName
from tests.evaluation.test_segments import BY_SITE, SITES, evaluate
from tests.report.report_text import confusion, evaluated, rows, section, sentences, table

if TYPE_CHECKING:
    from pathlib import Path

STANDARDS = get_args(ChecklistName)
MATRIX = {"A": confusion((40, 10), (5, 45))}
CHECKLIST = '[[sections]]\nkind = "checklist"\nstandard = "model_card"\n'


def test_every_standard_has_a_data_file_and_the_other_way_round() -> None:
    """A file is a checklist."""
    assert {path.stem for path in CHECKLIST_FOLDER.glob("*.toml")} == set(STANDARDS)


@pytest.mark.parametrize("name", STANDARDS)
def test_items_refer_to_sections_and_keys_that_exist(name: ChecklistName) -> None:
    """A misspelt section would never be found; numbers are distinct; nothing conforms."""
    checklist = read_checklist(name)
    numbers = [item.number for item in checklist.items]

    assert {kind for item in checklist.items for kind in item.sections} <= set(SECTIONS)
    assert {key for item in checklist.items for key in item.about} <= set(About.model_fields)
    assert len(set(numbers)) == len(numbers)
    assert checklist.citation


def test_an_item_is_answered_declared_or_not_provided(tmp_path: Path) -> None:
    """The checklist alone is added to the default sections; a section comes before a key."""
    declared = '[about]\nversion = "rc3"\ndata = "CRM extract"\n'
    report = build_report(evaluated(tmp_path, MATRIX, more=declared + CHECKLIST))
    where = {number: cells[-1] for number, cells in rows(table(report, "checklist")).items()}

    assert where["1"] == "declared: [about] version"
    assert where["5"] == "answered here: “Data sources and integrity checks”"
    assert where["6"] == "not provided"
    assert "conform" not in " ".join(sentences(report, "checklist")).lower()
    assert {"summary", "measures", "checklist"} <= {item.kind for item in report.sections}


def test_a_section_that_the_report_does_not_have_answers_nothing(tmp_path: Path) -> None:
    """Only measures are listed, so limits of the evidence are not in the report."""
    only = f'[[sections]]\nkind = "measures"\n{CHECKLIST}'
    report = build_report(evaluated(tmp_path, MATRIX, more=only))
    where = {number: cells[-1] for number, cells in rows(table(report, "checklist")).items()}

    assert where["7"] == "answered here: “Measures”"
    assert where["9"] == "not provided"


def test_a_checklist_needs_its_standard_and_no_other_section_has_one(tmp_path: Path) -> None:
    """Both are issues of the spec."""
    for keys in ('kind = "checklist"', 'kind = "measures"\nstandard = "stard2015"'):
        with pytest.raises(SpecError, match="standard"):
            evaluated(tmp_path, MATRIX, more=f"[[sections]]\n{keys}\n")


def test_the_data_card_has_what_is_declared_and_what_is_counted(tmp_path: Path) -> None:
    """40 + 10 cases of yes, 5 + 45 of no; the intended use is not declared and has no row."""
    about = '[about]\ndata = "CRM extract"\nlimitations = ["One country", "One year"]\n'
    report = build_report(evaluated(tmp_path, MATRIX, more=about))
    card = {head: cells[0] for head, cells in rows(table(report, "data-card")).items()}

    assert card["Data"] == "CRM extract"
    assert "Intended use" not in card
    assert card["Classes"] == "yes: 50, no: 50"
    assert card["Limitations of the data"] == "One country; One year"


def test_segments_are_drawn_with_their_intervals_hardest_first(tmp_path: Path) -> None:
    """The dots are the values of the evaluation."""
    evaluation = evaluate(tmp_path, BY_SITE, SITES)
    (figure,) = (
        block
        for block in section(build_report(evaluation), "segments").blocks
        if isinstance(block, Figure)
    )
    chart, primary = figure.chart, evaluation.primary_measure
    assert isinstance(chart, GroupedDotPlot)
    assert primary is not None
    order = evaluation.segments_hardest_first("site", primary.measure, primary.average)
    dot = chart.panels[0].rows[0][0]
    value = order[0].by_key["A", None, primary.average, primary.measure.name]

    assert chart.labels == tuple(item.segment for item in order)
    assert (dot.value, dot.low, dot.high) == (value.value, value.low, value.high)
