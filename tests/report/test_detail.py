"""How much a report tells: the answer first, then as much as was asked for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from reportgen.report.document import (
    Chapter,
    Figure,
    Formulas,
    Listing,
    Table,
    iter_blocks,
    omit_details,
)
from tests.report.report_text import confusion, evaluated, rows, section, sentences, table

if TYPE_CHECKING:
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.formats import DetailLevel
    from reportgen.report.document import ReportDocument

SPECS = Path(__file__).parents[2] / "specs"
ORDER = list(Chapter)


@cache
def evaluate_example(name: str) -> Evaluation:
    """Evaluate an example, once."""
    return load_and_evaluate(SPECS / f"{name}.toml")


def with_detail(name: str, detail: DetailLevel) -> ReportDocument:
    """Build the report of an example in a detail."""
    evaluation = evaluate_example(name)
    output_settings = evaluation.spec.output.model_copy(update={"detail": detail})
    spec = evaluation.spec.model_copy(update={"output": output_settings})
    return build_report(replace(evaluation, spec_file=replace(evaluation.spec_file, spec=spec)))


def table_rows(report: ReportDocument) -> int:
    """Count the rows of all tables."""
    return sum(
        len(group.rows)
        for item in omit_details(report).sections
        for block in item.blocks
        if isinstance(block, Table)
        for group in block.groups
    )


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "diabetes", "demsar", "tenfold"])
def test_chapters_follow_each_other_in_the_order_readers_ask(name: str) -> None:
    """Answer, details, method, reproduction; a figure with the answer or the key findings."""
    report = with_detail(name, "standard")
    places = [ORDER.index(item.chapter) for item in report.sections]

    assert places == sorted(places)
    assert places[0] == 0
    answer = [item for item in report.sections if item.kind in {"summary", "findings"}]
    figures = [block for item in answer for block in item.blocks if isinstance(block, Figure)]
    # Sections on data sets and on pairs draw the differences themselves.
    assert [figure.name for figure in figures] in ([], ["answer"])


def test_a_summary_is_the_answer_and_how_to_repeat_it() -> None:
    """Nothing else, and no listing."""
    report = with_detail("breast_cancer", "summary")

    kinds = [item.kind for item in report.sections]
    assert kinds == ["summary", "capabilities", "limits", "reproduction"]
    assert not any(isinstance(block, Listing) for item in report.sections for block in item.blocks)


@pytest.mark.parametrize("name", ["breast_cancer", "digits"])
def test_more_detail_has_more_rows(name: str) -> None:
    """Standard leaves out at least a third of the rows of full."""
    standard = table_rows(with_detail(name, "standard"))

    assert table_rows(with_detail(name, "summary")) < standard
    assert standard < table_rows(with_detail(name, "full")) * 2 / 3


def test_differences_beyond_the_headline_are_folded() -> None:
    """The figure shows the main differences; the page folds the tables, and no row is lost."""
    standard, full = (with_detail("breast_cancer", detail) for detail in ("standard", "full"))
    main_table, folded = (table(standard, name) for name in ("differences", "differences-other"))
    every = table(full, "differences")
    visible = [
        block.name
        for block in section(omit_details(standard), "comparisons").blocks
        if isinstance(block, Table)
    ]

    assert visible == []
    assert {head for group in main_table.groups for head, *_ in group.rows} == {
        "Accuracy",
        "Area under the ROC curve",
    }
    assert count_rows(main_table) + count_rows(folded) == count_rows(every)
    assert table(standard, "named-tests").groups == table(full, "named-tests").groups


def count_rows(counted: Table) -> int:
    """Return the number of rows of a table."""
    return sum(len(group.rows) for group in counted.groups)


def test_definitions_are_brief_unless_all_is_asked_for() -> None:
    """The same measures in both; those of the first page are shown, the others folded."""
    (front, others), (full,) = (
        [
            block
            for block in iter_blocks(section(with_detail("digits", detail), "definitions").blocks)
            if isinstance(block, Formulas)
        ]
        for detail in ("standard", "full")
    )

    assert (front.brief, others.brief, full.brief) == (True, True, False)
    assert {*front.items, *others.items} == {*full.items}
    assert "accuracy" in {item.measure.name for item in front.items}
    assert "brier" in {item.measure.name for item in others.items}


@pytest.mark.slow
def test_of_nine_classifiers_the_first_page_has_ranks_and_the_section_values() -> None:
    """Best first by Matthews correlation, which the spec declares to decide."""
    report = with_detail("classifier_zoo", "standard")
    best = ["Nearest neighbours", "SVM", "Boosting", "Random forest", "Logistic regression"]

    ranks, values = (rows(table(report, name)) for name in ("capabilities", "capability-ranks"))
    assert list(ranks)[:5] == list(values)[:5] == best
    assert len(ranks) == len(values) == 9
    assert section(report, "capabilities").chapter is Chapter.SUMMARY
    assert section(report, "verdicts").chapter is Chapter.RESULTS


def test_of_several_classes_the_first_page_rates_all_classes_together() -> None:
    """Ten digits: a row for each classifier; a row for each class follows."""
    report = with_detail("digits", "standard")

    assert next(iter(rows(table(report, "capabilities")))) == "Logistic regression"
    assert len(rows(table(report, "capabilities"))) == 3
    assert len(rows(table(report, "capabilities-by-class"))) == 1 + 10


def test_sections_that_are_named_are_shown_in_any_detail(tmp_path: Path) -> None:
    """Also in a summary, and with everything the first page would leave to another section."""
    named = '[[sections]]\nkind = "comparisons"\n[[sections]]\nkind = "capabilities"\n'
    report = build_report(
        evaluated(
            tmp_path,
            {"A": confusion((45, 5), (5, 45)), "B": confusion((30, 20), (20, 30))},
            more=f'[output]\ndetail = "summary"\n{named}',
        )
    )

    assert [item.kind for item in report.sections] == ["comparisons", "capabilities"]
    assert sentences(report, "comparisons")[0].startswith("Only confusion matrices")


def test_a_rank_is_printed_with_those_left_open_and_results_have_the_verdict() -> None:
    """Second of three by accuracy, but the tests leave the third rank open."""
    evaluation = evaluate_example("breast_cancer")
    cells = {row.classifier: row.cells["overall_effectiveness"] for row in evaluation.capabilities}
    printed = rows(table(with_detail("breast_cancer", "standard"), "capabilities"))

    assert cells["Naive Bayes"].verdict == "second of three"
    assert printed["Naive Bayes"][0] == "rank 2–3 (observed: 2)"
    assert printed["SVM"][0] == "superior"


def test_how_to_repeat_shows_the_spec_the_settings_and_the_versions() -> None:
    """The text of the spec is there in full detail; else the report says where it is."""
    (listing,) = (
        block
        for block in section(with_detail("breast_cancer", "full"), "reproduction").blocks
        if isinstance(block, Listing)
    )
    text = " ".join(sentences(with_detail("breast_cancer", "standard"), "reproduction"))

    assert listing.text == evaluate_example("breast_cancer").spec_file.text.rstrip()
    assert "breast_cancer.toml and results.json are attached to the PDF" in text
    assert "reportgen build breast_cancer.toml" in text
    assert all(name in text for name in ("Python 3.", "polars ", "NumPy ", "SciPy "))
    settings = rows(table(with_detail("breast_cancer", "standard"), "settings"))
    assert settings["Bootstrap resamples, random seed"][0].endswith("000, 0")
    assert settings["Comparisons in the family"] == ["117"]
