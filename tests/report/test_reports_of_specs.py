"""Every spec gives a report whose sections have something to say."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.measures import CAPABILITIES, MEASURE_REGISTRY
from reportgen.pipeline import load_and_evaluate
from reportgen.render.markdown import render_markdown
from reportgen.report.build import build_report
from reportgen.report.document import Formulas, Matrices, ReportSection, Table, iter_blocks
from reportgen.report.inline import MeasureDifference, MeasureEstimate, MeasureName, VerdictBadge
from reportgen.report.sections import SECTIONS
from tests.report.report_text import (
    BINARY,
    MULTICLASS,
    confusion,
    evaluated,
    notes,
    section,
    sentences,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import ReportDocument
    from reportgen.report.inline import TableCell

pytestmark = pytest.mark.slow

SPECS = sorted((Path(__file__).parents[2] / "specs").glob("*.toml"), key=lambda path: path.stem)
every_spec = pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.stem)


@cache
def evaluation(spec: Path) -> Evaluation:
    """Evaluate a spec once for all tests."""
    return load_and_evaluate(spec)


@cache
def report(spec: Path) -> ReportDocument:
    """Build the report of a spec once for all tests."""
    return build_report(evaluation(spec))


def tables(document: ReportDocument) -> list[Table]:
    """Return all tables of a report."""
    blocks = [block for item in document.sections for block in iter_blocks(item.blocks)]
    return [block for block in blocks if isinstance(block, Table)]


def cells(document: ReportDocument) -> Iterator[TableCell]:
    """Return all cells of all tables."""
    for table in tables(document):
        for group in table.groups:
            for row in group.rows:
                yield from row


def test_there_are_specs() -> None:
    """So that the tests below do not pass for want of specs."""
    assert {"breast_cancer", "digits", "enegotiation", "many_datasets", "tenfold"} <= {
        path.stem for path in SPECS
    }


@every_spec
def test_every_section_of_a_spec_has_content(spec: Path) -> None:
    """A title, blocks, rows in every table, items in every list."""
    built = report(spec)

    assert built.title == evaluation(spec).spec.title
    assert built.subtitle.parts
    assert built.sections
    for item in built.sections:
        assert item.title
        assert item.blocks, item.kind
        assert has_content(item), item.kind


def has_content(section: ReportSection) -> bool:
    """Tell whether no block of a section is empty."""
    for block in iter_blocks(section.blocks):
        if isinstance(block, Table) and not any(group.rows for group in block.groups):
            return False
        if isinstance(block, Matrices | Formulas) and not block.items:
            return False
    return True


@every_spec
def test_rows_are_as_long_as_the_head_and_names_are_unique(spec: Path) -> None:
    """A table's name becomes a file's name."""
    names = [table.name for table in tables(report(spec))]

    assert len(names) == len(set(names))
    for table in tables(report(spec)):
        lengths = {len(row) for group in table.groups for row in group.rows}
        assert lengths == {len(table.columns)}, table.name


@every_spec
def test_values_that_are_not_finite_have_their_reason(spec: Path) -> None:
    """Whatever is shown can be explained."""
    values = [cell.value for cell in cells(report(spec)) if isinstance(cell, MeasureEstimate)]

    assert all(score.reason for score in values if score.value is None)


@every_spec
def test_a_verdict_is_significant_only_with_a_significant_test(spec: Path) -> None:
    """And the section on the method says what that means, or the tables' own section."""
    alpha = evaluation(spec).spec.comparison.alpha
    for row in evaluation(spec).capabilities:
        for name, cell in row.cells.items():
            if cell.significant and name != "discrimination_of_classes":
                assert cell.p_adjusted is not None
                assert cell.p_adjusted <= alpha
    kinds = [item.kind for item in report(spec).sections]
    if "capabilities" in kinds:
        message = sentences(report(spec), "method") if "method" in kinds else []
        assert any(
            "“Confirmed”" in item for item in (*message, *notes(report(spec), "capabilities"))
        )


@every_spec
def test_definitions_are_exactly_those_of_the_measures_used(spec: Path) -> None:
    """Every measure of a table, a verdict or a published value, and none that is not shown."""
    blocks = list(iter_blocks(section(report(spec), "definitions").blocks))
    defined = [
        item.measure.name for block in blocks if isinstance(block, Formulas) for item in block.items
    ]
    result = evaluation(spec)
    used = {
        cell.measure.name
        for cell in cells(report(spec))
        if isinstance(cell, MeasureEstimate | MeasureDifference | MeasureName)
    }
    used |= {
        value.measure.name
        for cell in cells(report(spec))
        if isinstance(cell, VerdictBadge)
        for _, value in cell.estimates
    }
    kinds = {item.kind for item in report(spec).sections}
    if result.capabilities and "capabilities" in kinds:
        used |= {name for value in CAPABILITIES.values() for name in value.measures}
    if result.task_kind == "multilabel":
        # The section by label refers to results.json for all measures of every label.
        used |= {measure.name for measure in result.reported_measures}
    used |= {check.measure for check in result.published if check.measure in MEASURE_REGISTRY}

    assert len(defined) == len(set(defined))
    assert used <= set(defined)
    if not result.spec.sections:
        assert set(defined) == used


def test_a_binary_report_has_its_sections_in_order() -> None:
    """What was found first, where it comes from last."""
    (spec,) = (path for path in SPECS if path.stem == "breast_cancer")

    assert [item.kind for item in report(spec).sections] == [
        "summary",
        "capabilities",
        "limits",
        "findings",
        "comparisons",
        "measures",
        "curves",
        "calibration",
        "decision",
        "likelihood_relations",
        "confusion",
        "errors",
        "folds",
        "chance",
        "method",
        "definitions",
        "inputs",
        "reproduction",
    ]


EVERY_SECTION = "".join(
    f'[[sections]]\nkind = "{kind}"\n' + ('standard = "stard2015"\n' if kind == "checklist" else "")
    for kind in SECTIONS
)
KINDS = {
    "binary counts": (BINARY, confusion((8, 2), (3, 7))),
    "multiclass counts": (MULTICLASS, confusion((8, 2, 1), (3, 7, 0), (1, 1, 5))),
    "fold scores": (BINARY, "fold_scores = { accuracy = [0.8, 0.9] }"),
    "no positive case": (BINARY, confusion((0, 0), (3, 7))),
    "only one case": (BINARY, confusion((1, 0), (0, 0))),
    "class without cases": (MULTICLASS, confusion((8, 2, 0), (3, 7, 0), (0, 0, 0))),
}


@pytest.mark.parametrize(("task", "keys"), KINDS.values(), ids=KINDS)
def test_every_section_may_be_asked_for_whatever_the_data(
    tmp_path: Path, task: str, keys: str
) -> None:
    """One that has nothing to say says that, and all are there in the order asked."""
    built = build_report(evaluated(tmp_path, {"A": keys}, task, EVERY_SECTION))

    assert [item.kind for item in built.sections] == list(SECTIONS)
    assert all(item.blocks for item in built.sections)


def test_every_section_may_be_asked_for_of_a_regression(tmp_path: Path) -> None:
    """There are no classes to confuse."""
    (tmp_path / "a.csv").write_text("truth,prediction\n1,2\n3,3\n", encoding="utf-8")
    result = evaluated(
        tmp_path, {"A": 'predictions = "a.csv"'}, 'kind = "regression"', EVERY_SECTION
    )

    built = build_report(result)

    assert [item.kind for item in built.sections] == list(SECTIONS)
    assert notes(built, "confusion") == ["No data for this section."]


def test_a_section_may_have_a_title_of_its_own(tmp_path: Path) -> None:
    """Instead of the usual one, and only what was asked for is there."""
    more = '[[sections]]\nkind = "confusion"\ntitle = "Mistakes"\n'

    built = build_report(evaluated(tmp_path, {"A": confusion((8, 2), (3, 7))}, more=more))

    assert [(item.kind, item.title) for item in built.sections] == [("confusion", "Mistakes")]


def test_many_classifiers_and_many_classes_still_fit(tmp_path: Path) -> None:
    """Seven classifiers go down the page; 25 classes are drawn, and the worst confusions listed."""
    size = 25
    labels = [f"k{number}" for number in range(size)]
    task = f'kind = "multiclass"\nclasses = {labels}'
    matrix = confusion(
        *(tuple(9 if row == column else 1 for column in range(size)) for row in range(size))
    )
    built = build_report(evaluated(tmp_path, {f"C{n}": matrix for n in range(7)}, task))

    assert "Shading" in sentences(built, "confusion")[0]
    names = [table.name for table in tables(built)]
    assert len(names) == len(set(names))


@every_spec
def test_bold_text_begins_and_ends_with_a_word(spec: Path) -> None:
    """CommonMark shows the asterisks of `**Caution: **` as they are."""
    lines = render_markdown(report(spec)).splitlines()
    bold = [text for line in lines for text in line.split("**")[1::2]]

    assert bold
    assert [text for text in bold if text != text.strip()] == []
