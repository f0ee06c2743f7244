"""`init` writes a right spec for every layout of the corpus, or asks a question with the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from sklearn.metrics import (
    accuracy_score,
    f1_score,
    mean_absolute_error,
    recall_score,
    roc_auc_score,
)

from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.roles import ColumnOptions
from reportgen.predictions.scaffold import scaffold_spec
from tests.predictions.layouts.tool_layouts import LAYOUTS

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.predictions.scaffold import ScaffoldedSpec
    from tests.predictions.layouts.corpus import Layout, Predictions

MAX_QUESTIONS = 3


def scaffolded(folder: Path, layout: Layout) -> ScaffoldedSpec:
    """Return the spec of a layout; each question is answered, and has the right answer."""
    options = ColumnOptions()
    files = [folder / name for name in layout.files]
    for _ in range(MAX_QUESTIONS):
        spec = scaffold_spec(files, folder, options)
        question = spec.question or spec.positive
        if question is None or (spec.question is None and "positive" not in layout.answers):
            return spec
        answer = layout.answers[question.option]
        choice = str(folder / answer) if answer in layout.files else answer
        assert choice in question.choices, question
        options = options.with_answer(question, choice)
    raise AssertionError(f"more than {MAX_QUESTIONS} questions")


def value_of(evaluation: Evaluation, classifier: str, measure: str) -> float:
    """Return the value of a measure over all cases."""
    frame = evaluation.values.frame
    (row,) = (
        row
        for row in frame.filter(classifier=classifier, measure=measure).iter_rows(named=True)
        if row["class"] is None and row["average"] is None and row["fold"] is None
    )
    return float(row["value"])


def check_values(evaluation: Evaluation, layout: Layout, name: str, own: Predictions) -> None:
    """Compare the values of a classifier with those of scikit-learn."""
    if layout.kind == "regression":
        error = mean_absolute_error(own.truth, own.prediction)
        assert value_of(evaluation, name, "mae") == pytest.approx(error)
        return
    if layout.kind == "multilabel":
        exact = accuracy_score(own.truth, own.prediction)
        assert value_of(evaluation, name, "exact_match") == pytest.approx(exact)
        micro = f1_score(own.truth, own.prediction, average="micro")
        assert evaluation.by_key[name, None, "micro", "f1"].value == pytest.approx(micro)
        if own.score is not None:
            auc = evaluation.by_key[name, None, "macro", "roc_auc"].value
            assert auc == pytest.approx(roc_auc_score(own.truth, own.score, average="macro"))
        return
    accuracy = accuracy_score(own.truth, own.prediction)
    assert value_of(evaluation, name, "accuracy") == pytest.approx(accuracy)
    if layout.kind != "binary":
        return
    recall = recall_score(own.truth, own.prediction, pos_label=layout.positive)
    assert value_of(evaluation, name, "sensitivity") == pytest.approx(recall)
    if own.score is not None:
        auc = roc_auc_score(own.truth == layout.positive, own.score)
        assert value_of(evaluation, name, "roc_auc") == pytest.approx(auc)


def test_the_corpus_has_at_least_forty_layouts() -> None:
    """The layouts people come with."""
    assert len(LAYOUTS) >= 40


@pytest.mark.parametrize("name", LAYOUTS)
def test_the_report_of_a_layout_has_the_values_of_scikit_learn(tmp_path: Path, name: str) -> None:
    """Task, classifiers, number of cases and values are right; nothing has to be edited."""
    layout = LAYOUTS[name](tmp_path)

    spec = scaffolded(tmp_path, layout)
    path = tmp_path / "reportgen.toml"
    path.write_text(spec.text, encoding="utf-8")

    assert spec.problems == ()
    assert spec.summary
    evaluation = load_and_evaluate(path)
    assert evaluation.spec.task.kind == layout.kind
    assert evaluation.spec.task.positive == layout.positive
    assert {classifier.name for classifier in evaluation.spec.classifiers} == set(
        layout.classifiers
    )
    assert evaluation.aggregates.case_count == layout.cases
    has_scores = any(own.score is not None for own in layout.classifiers.values())
    measured = set(evaluation.values.frame["measure"])
    assert layout.kind != "binary" or ("roc_auc" in measured) == has_scores
    for classifier, own in layout.classifiers.items():
        assert len(np.unique(own.truth)) > 1
        check_values(evaluation, layout, classifier, own)


def test_a_score_called_prediction_raises_no_warning(tmp_path: Path) -> None:
    """It is compared with no predictions, because it is none."""
    layout = LAYOUTS["score_called_prediction"](tmp_path)
    path = tmp_path / "reportgen.toml"
    path.write_text(scaffolded(tmp_path, layout).text, encoding="utf-8")

    assert not [text for text in load_and_evaluate(path).warnings if "prediction" in text]
