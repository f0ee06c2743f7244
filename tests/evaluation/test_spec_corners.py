"""Specs that are allowed but unusual: each is evaluated or refused, never a crash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from reportgen.errors import ReportgenError
from reportgen.export.results import build_results, results_json
from reportgen.pipeline import load_and_evaluate
from reportgen.report.build import build_report
from tests.report.report_text import BINARY, MULTICLASS, confusion, evaluated

if TYPE_CHECKING:
    from pathlib import Path

TABLE = confusion((8, 2), (3, 7))
THREE = confusion((8, 2, 1), (3, 7, 0), (1, 1, 5))
FOLDS = "fold_scores = { accuracy = [0.5, 0.6] }"


def published_value(measure: str, value: str, class_: str | None = None) -> str:
    """Return a published value of classifier A."""
    keys = f'[[published]]\nclassifier = "A"\nmeasure = "{measure}"\nvalue = {value}\n'
    return keys if class_ is None else f'{keys}class = "{class_}"\n'


CORNERS = {
    "capability of the positive class": (
        BINARY,
        TABLE,
        published_value("overall_effectiveness", '"superior"', "yes"),
    ),
    "multiclass measure without a class": (MULTICLASS, THREE, published_value("precision", "0.5")),
    "multiclass capability without a class": (
        MULTICLASS,
        THREE,
        published_value("overall_effectiveness", '"superior"'),
    ),
    "measure of fold scores": (BINARY, FOLDS, published_value("accuracy", "0.55")),
    "capability of fold scores": (
        BINARY,
        FOLDS,
        published_value("overall_effectiveness", '"superior"'),
    ),
    "two betas that are almost equal": (
        BINARY,
        TABLE,
        '[measures]\nshow = ["f2", "f2.0000001"]\n',
    ),
}


@pytest.mark.parametrize(("task", "keys", "more"), CORNERS.values(), ids=CORNERS)
def test_an_unusual_spec_is_evaluated_or_rejected_with_a_fault(
    tmp_path: Path, task: str, keys: str, more: str
) -> None:
    """Any other exception would be an internal error of the program."""
    try:
        evaluation = evaluated(tmp_path, {"A": keys}, task, more)
    except ReportgenError as error:
        assert error.diagnostics  # noqa: PT017  # either outcome is right, silence is not
    else:
        assert build_report(evaluation).sections


def test_an_infinite_value_beside_a_published_one_keeps_the_results_valid_json(
    tmp_path: Path,
) -> None:
    """JSON has no infinity."""
    evaluation = evaluated(
        tmp_path, {"A": confusion((5, 5), (0, 5))}, more=published_value("lr_positive", "99.9")
    )

    text = results_json(evaluation)

    def fail_on_constant(name: str) -> None:
        pytest.fail(f"{name} is not JSON")

    json.loads(text, parse_constant=fail_on_constant)


def test_fold_scores_under_an_alias_are_those_of_the_measure(tmp_path: Path) -> None:
    """Recall and sensitivity are one measure, so two classifiers can be compared by it."""
    evaluation = evaluated(
        tmp_path,
        {
            "A": "fold_scores = { recall = [0.5, 0.6] }",
            "B": "fold_scores = { sensitivity = [0.7, 0.6] }",
        },
    )

    assert {fold.measure for fold in evaluation.fold_summaries} == {"sensitivity"}
    assert any(section.kind == "summary" for section in build_report(evaluation).sections)


def test_an_f_measure_with_a_large_beta_is_defined_in_the_report(tmp_path: Path) -> None:
    """What is shown is explained."""
    evaluation = evaluated(tmp_path, {"A": TABLE}, more='[measures]\nshow = ["f1234567"]\n')
    (measure,) = evaluation.reported_measures

    definitions = next(
        section for section in build_report(evaluation).sections if section.kind == "definitions"
    )
    assert measure.title in repr(definitions.blocks)


def test_counts_and_fold_scores_may_stand_side_by_side(tmp_path: Path) -> None:
    """Capabilities are of the counted one alone."""
    evaluation = evaluated(tmp_path, {"A": FOLDS, "B": TABLE})

    assert [row.classifier for row in evaluation.capabilities] == ["B"]
    assert evaluation.measured_classifiers == ("B",)
    assert {fold.classifier for fold in evaluation.fold_summaries} == {"A"}


@pytest.mark.slow
def test_the_same_spec_gives_the_same_results_in_the_order_of_the_spec(tmp_path: Path) -> None:
    """Twelve classifiers, whose rows would show any order that is left to chance."""
    names = [f"C{number}" for number in range(12, 0, -1)]
    evaluation = evaluated(tmp_path, dict.fromkeys(names, TABLE))
    again = load_and_evaluate(tmp_path / "spec.toml")

    rows = [row for row in build_results(evaluation).values if row.measure == "accuracy"]
    assert [row.classifier for row in rows if row.class_ is row.average is None] == names
    assert results_json(evaluation) == results_json(again)
