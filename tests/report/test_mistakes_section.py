"""The error analysis of classifications: counts always, ids on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.build import build_report
from reportgen.report.document import Table
from tests.aggregates.test_mistakes import evaluate
from tests.report.report_text import heads, notes, rows, section, sentences

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.report.document import ReportDocument


def tables(report: ReportDocument) -> dict[str, Table]:
    """Return the tables of the section by name."""
    return {
        block.name: block for block in section(report, "errors").blocks if isinstance(block, Table)
    }


def test_counts_are_reported_without_ids(tmp_path: Path) -> None:
    """By default the section has one table, and no case is named."""
    report = build_report(evaluate(tmp_path))

    assert list(tables(report)) == ["mistakes"]
    assert sentences(report, "errors")[0] == (
        "All 3 classifiers are right on 2 of 7 cases and wrong on 2, which no choice between them"
        " can correct: look there for unusual cases and wrong labels."
    )


def test_the_best_classifier_is_first_and_counts_are_those_of_the_evaluation(
    tmp_path: Path,
) -> None:
    """A and C are wrong on three cases each, B on four."""
    table = tables(build_report(evaluate(tmp_path)))["mistakes"]

    assert heads(table) == [
        "Classifier",
        "Wrong",
        "Wrong, confident (≥\N{NO-BREAK SPACE}90%)",
        "Right where all others are wrong",
        "Wrong where all others are right",
    ]
    assert rows(table) == {
        "A": ["3", "2", "1", "1"],
        "C": ["3", "0", "0", "0"],
        "B": ["4", "1", "0", "1"],
    }


def test_requested_cases_are_listed_by_id(tmp_path: Path) -> None:
    """One case of each list, the most confident mistake."""
    result = tables(build_report(evaluate(tmp_path, "error_examples = 1")))

    assert list(result) == [
        "mistakes",
        "mistakes-confident",
        "mistakes-only-right",
        "mistakes-all-wrong",
    ]
    assert list(rows(result["mistakes-confident"])) == ["A", "B", "C"]
    assert heads(result["mistakes-confident"])[0] == "Classifier"
    assert [group.head for group in result["mistakes-confident"].groups] == [None] * 3
    assert rows(result["mistakes-all-wrong"]) == {"d": ["no", "yes", "83.0%"]}


def test_a_request_without_ids_is_answered(tmp_path: Path) -> None:
    """The note says what is missing, and no table is empty."""
    report = build_report(evaluate(tmp_path, "error_examples = 1", id_=""))

    assert list(tables(report)) == ["mistakes"]
    assert "need ids and scores" in notes(report, "errors")[0]


def test_many_cases_of_a_classifier_stand_below_its_name(tmp_path: Path) -> None:
    """A column would repeat the name in every row."""
    listed = tables(build_report(evaluate(tmp_path, "error_examples = 4")))["mistakes-confident"]

    assert [group.head for group in listed.groups] == ["A", "B", "C"]
    assert heads(listed)[0] == "Id"
