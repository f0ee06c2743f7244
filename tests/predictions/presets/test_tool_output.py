"""Files written by the tools themselves: `init` and the presets give the tools' own values.

`tool_output/README.md` says how the files were made; `*_values.csv` has what each tool computed.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from shutil import copy

import pytest

from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.presets.registry import detect_preset
from reportgen.predictions.roles import ColumnOptions
from reportgen.predictions.scaffold import scaffold_spec
from tests.predictions.layouts.test_layouts import value_of

FOLDER = Path(__file__).parent / "tool_output"
# Weka prints four decimals, and percentages with four; scores of transformers have 32 bits.
TOLERANCE = {"weka": 6e-5, "huggingface": 1e-7}
# Answers to what `init` asks.
OPTIONS = {"mlflow_evaluate.json": ColumnOptions(truth="species")}
WARNINGS = {"caret_bootstrap.csv": "28 of 66 ids occur in more than one fold"}


def reference_values() -> dict[str, dict[str, float]]:
    """Return the values of measures by file."""
    values: dict[str, dict[str, float]] = {}
    for path in sorted(FOLDER.glob("*_values.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                numerator, _, denominator = row["value"].partition("/")
                value = Fraction(numerator) / Fraction(denominator or 1)
                values.setdefault(row["file"], {})[row["measure"]] = float(value)
    return values


VALUES = reference_values()


def test_every_file_of_a_tool_has_reference_values() -> None:
    """The folder holds nothing that is not tested."""
    files = {path.name for path in FOLDER.iterdir() if not path.name.endswith("_values.csv")}

    assert {name for name in files if not name.endswith((".md", ".arff", ".R", ".py", ".sh"))} == (
        set(VALUES)
    )


@pytest.mark.parametrize("name", VALUES)
def test_a_file_of_a_tool_gives_the_values_of_the_tool(tmp_path: Path, name: str) -> None:
    """With the spec that `init` writes, unless the file needs a choice."""
    tool = name.partition("_")[0].removesuffix("36")
    copy(FOLDER / name, tmp_path)
    preset = detect_preset(tmp_path / name)
    assert preset is not None
    assert preset.name == tool

    scaffolded = scaffold_spec([tmp_path / name], tmp_path, OPTIONS.get(name, ColumnOptions()))

    assert scaffolded.question is None
    text = scaffolded.text
    if name == "caret_tuned.csv":
        (problem,) = scaffolded.problems
        assert "where = {mtry = 1}" in problem
        text += "where = {mtry = 2}\n"
    else:
        assert scaffolded.problems == ()
    spec = tmp_path / "reportgen.toml"
    spec.write_text(text, encoding="utf-8")
    evaluation = load_and_evaluate(spec)
    assert [text.split(",")[0] for text in evaluation.warnings] == (
        [WARNINGS[name]] if name in WARNINGS else []
    )
    (classifier,) = evaluation.spec.classifiers
    values = {measure: value_of(evaluation, classifier.name, measure) for measure in VALUES[name]}
    assert values == pytest.approx(VALUES[name], rel=1e-9, abs=TOLERANCE.get(tool, 1e-9))


def test_a_table_of_mlflow_without_usual_names_is_a_question(tmp_path: Path) -> None:
    """`mlflow.models.evaluate` keeps the names of columns, of which two may be the truth."""
    question = scaffold_spec([FOLDER / "mlflow_evaluate.json"], tmp_path).question

    assert question is not None
    assert question.option == "truth"
    assert {"species", "answer"} <= set(question.choices)


def test_classifiers_of_weka_and_of_caret_are_paired(tmp_path: Path) -> None:
    """The same seed gives the same folds: by row order in Weka, by `rowIndex` in caret."""
    for first, second, joined_by in (
        ("weka_bayes.csv", "weka_tree.csv", "row order"),
        ("caret_forest.csv", "caret_logistic.csv", "id"),
    ):
        files = [tmp_path / copy(FOLDER / name, tmp_path) for name in (first, second)]
        spec = tmp_path / "reportgen.toml"
        spec.write_text(scaffold_spec(files, tmp_path).text, encoding="utf-8")

        evaluation = load_and_evaluate(spec)

        assert evaluation.aggregates.joined_by == joined_by
        values = [value_of(evaluation, Path(name).stem, "accuracy") for name in (first, second)]
        references = [VALUES[name]["accuracy"] for name in (first, second)]
        assert values == pytest.approx(references, abs=6e-5)
