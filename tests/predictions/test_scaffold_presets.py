"""The spec that is written for a tool's file names the tool, and builds at once."""

from __future__ import annotations

import json
from shutil import copy
from typing import TYPE_CHECKING

import pytest

from reportgen.predictions.load import load_predictions
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.spec import load_spec
from tests.cli.command import reportgen
from tests.predictions.presets.tool_samples import TOOLS

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = {
    "weka_bayes.csv": "weka",
    "weka_tree.txt": "weka",
    "caret_forest.csv": "caret",
    "sklearn_logistic.csv": "sklearn",
    "eval_results_table.json": "mlflow",
    "huggingface_all.jsonl": "huggingface",
    "huggingface_top.jsonl": "huggingface",
}


@pytest.mark.slow
@pytest.mark.parametrize(("name", "tool"), SAMPLES.items())
def test_init_recognises_the_tool_and_the_spec_builds(tmp_path: Path, name: str, tool: str) -> None:
    """Nothing but the tool is named: its columns need not be."""
    copy(TOOLS / name, tmp_path)
    assert reportgen("init", name, cwd=tmp_path).returncode == 0

    run = reportgen("build", "reportgen.toml", "--format", "json", cwd=tmp_path)

    assert run.returncode == 0, run.stderr
    text = (tmp_path / "reportgen.toml").read_text(encoding="utf-8")
    assert f'format = "{tool}"' in text
    assert "truth =" not in text
    results = json.loads((tmp_path / "reports/reportgen/results.json").read_text(encoding="utf-8"))
    measured = {row["measure"] for row in results["values"] if row["state"] == "defined"}
    # Probabilities were found as well, whatever the tool calls them.
    assert {"accuracy", "roc_auc", "log_loss"} <= measured


def test_two_files_of_one_tool_share_its_format(tmp_path: Path) -> None:
    """Both are classifiers of [data]; what the format means is said once, in comments."""
    for name in ("weka_bayes.csv", "weka_tree.csv"):
        copy(TOOLS / name, tmp_path)

    text = scaffold_spec([tmp_path / "weka_bayes.csv", tmp_path / "weka_tree.csv"], tmp_path).text

    assert text.count('format = "weka"') == 1
    assert "# Weka's predictions:\n# truth `actual`, prediction `predicted`" in text
    # Numbers that start again in each fold name no case.
    assert "inst#`" not in text
    assert 'id = "' not in text


def test_a_tool_is_called_by_its_own_name(tmp_path: Path) -> None:
    """The name of caret starts with a small letter, also at the start of a comment."""
    copy(TOOLS / "caret_forest.csv", tmp_path)

    text = scaffold_spec([tmp_path / "caret_forest.csv"], tmp_path).text

    assert "# caret's model$pred:\n# truth `obs`" in text


def test_an_attribute_that_names_the_cases_becomes_the_id(tmp_path: Path) -> None:
    """Weka's `-p` appends attributes of the data; `case` is one that is different in each row."""
    copy(TOOLS / "weka_tree.txt", tmp_path)

    text = scaffold_spec([tmp_path / "weka_tree.txt"], tmp_path).text

    assert 'id = "case"' in text


def test_tuning_values_that_were_left_in_are_reported_in_the_spec(tmp_path: Path) -> None:
    """The spec cannot be built as it is, and says what would help."""
    copy(TOOLS / "caret_tuned.csv", tmp_path)

    text = scaffold_spec([tmp_path / "caret_tuned.csv"], tmp_path).text

    assert "# It cannot be built unchanged" in text
    assert "`where = {mtry = 2}`" in text
    path = tmp_path / "reportgen.toml"
    path.write_text(text.replace("[data]\n", "[data]\nwhere = {mtry = 2}\n"), encoding="utf-8")
    joined = load_predictions(load_spec(path)).joined
    assert joined is not None
    assert joined.case_count == 24


def test_an_mlflow_table_with_a_target_of_its_own_name_gets_it_in_the_spec(tmp_path: Path) -> None:
    """MLflow calls the truth as the data do; `outcome` is known as a name of truths."""
    rows = [["yes", "yes"], ["no", "yes"], ["no", "no"]]
    content = json.dumps({"columns": ["outcome", "outputs"], "data": rows})
    (tmp_path / "t.json").write_text(content, encoding="utf-8")

    text = scaffold_spec([tmp_path / "t.json"], tmp_path).text

    assert 'format = "mlflow"\ntruth = "outcome"' in text


def test_a_score_of_the_positive_class_is_not_taken_for_a_pipeline_s(tmp_path: Path) -> None:
    """With 0.2 for a predicted `no` the score is that of `yes`, so no format is written."""
    rows = [("a", "yes", "yes", 0.9), ("b", "no", "no", 0.2), ("c", "no", "yes", 0.7)]
    keys = ("text", "label", "prediction", "score")
    lines = "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")

    text = scaffold_spec([tmp_path / "p.jsonl"], tmp_path).text

    assert "format" not in text
    assert 'score = "score"' in text


def test_init_reports_what_must_be_chosen_before_the_spec_builds(tmp_path: Path) -> None:
    """Several tuning values: which one is meant is not guessed, and not left to a later error."""
    copy(TOOLS / "caret_tuned.csv", tmp_path)

    run = reportgen("init", "caret_tuned.csv", cwd=tmp_path)

    assert run.returncode == 0
    assert "must be completed before it can be built: E228" in run.stderr
    assert "`where = {mtry = 2}`" in run.stderr
    assert "edit reportgen.toml, then reportgen build reportgen.toml" in run.stderr
