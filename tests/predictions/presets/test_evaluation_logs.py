"""Logs that Inspect, lm-evaluation-harness, promptfoo and DeepEval wrote (tools/README.md)."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from shutil import copy
from typing import TYPE_CHECKING

import polars as pl
import pytest
from sklearn.metrics import confusion_matrix

from reportgen.aggregates.aggregation import aggregate
from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate
from reportgen.predictions.load import load_predictions
from reportgen.predictions.long_format import expand_models
from reportgen.predictions.presets.evaluation_logs import parse_outcome
from reportgen.predictions.presets.inspect import open_inspect
from reportgen.predictions.presets.lm_eval import open_lm_eval
from reportgen.predictions.scaffold import scaffold_spec
from reportgen.spec import parse_spec
from tests.predictions.presets.tool_samples import TOOLS, of_tool
from tests.predictions.spec_folder import faults, matrix, read

if TYPE_CHECKING:
    from reportgen.aggregates.model import Aggregates
    from reportgen.predictions.table import PredictionTable

LETTERS_SAMPLES = "samples_letters_2026-11-18T06-01-57.163757.jsonl"
NUMBERS = "samples_numbers_2026-11-18T06-01-57.163757.jsonl"
MULTICLASS = 'kind = "multiclass"'
CORRECT = 'kind = "binary"\npositive = "correct"\nclasses = ["correct", "incorrect"]'
OUTCOME = 'truth = "expected"\nprediction = "outcome"'


def document(name: str) -> dict[str, object]:
    """Return a JSON log, read without the code that is tested."""
    content: dict[str, object] = json.loads((TOOLS / name).read_text(encoding="utf-8"))
    return content


def cells(table: PredictionTable, *names: str) -> list[tuple[str, ...]]:
    """Return the values of columns."""
    return table.read({name: name for name in names}).select(pl.col(names).cast(pl.String)).rows()


def scaffolded(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> str:
    """Return the spec that `init` writes for samples, checked to have no problems."""
    for name in names:
        copy(TOOLS / name, folder)
    monkeypatch.chdir(folder)
    result = scaffold_spec([Path(name) for name in names], Path())
    assert not result.problems
    assert result.question is None
    return result.text


def test_inspect_options_equal_the_scores_of_the_log(tmp_path: Path) -> None:
    """The letters of a multiple-choice task are classes; the diagonal is the log's accuracy."""
    log = document("inspect_options_large.json")
    samples = log["samples"]
    assert isinstance(samples, list)
    truth = [sample["target"] for sample in samples]
    answer = [sample["scores"]["choice"]["answer"] for sample in samples]
    expected = confusion_matrix(truth, answer, labels=["A", "B", "C", "D"])

    aggregates = of_tool(
        tmp_path,
        "inspect_options_large.json",
        f'{MULTICLASS}\nclasses = ["A", "B", "C", "D"]',
        'format = "inspect"\nrepeat = "epoch"\ncluster = "case"',
    )

    assert total_matrix(aggregates, "it") == expected.tolist()
    results = log["results"]
    assert isinstance(results, dict)
    accuracy = results["scores"][0]["metrics"]["accuracy"]["value"]
    assert expected.trace() / len(samples) == pytest.approx(accuracy)


def total_matrix(aggregates: Aggregates, name: str) -> list[list[int]]:
    """Return the confusion matrix of all epochs."""
    assert aggregates.confusion is not None
    return [list(row) for row in aggregates.confusion.matrix(name, None)]


def test_an_inspect_archive_has_the_samples_of_the_json_log(tmp_path: Path) -> None:
    """Inspect packs members with zstd; an archive of another method has the same content."""
    archive = open_inspect(TOOLS / "inspect_sums_small.eval")
    log = document("inspect_sums_large.json")
    with zipfile.ZipFile(tmp_path / "other.eval", "w", zipfile.ZIP_DEFLATED) as stream:
        stream.writestr("header.json", json.dumps({"eval": log["eval"]}))
        stream.writestr("summaries.json", json.dumps(log["samples"]))

    deflated = open_inspect(tmp_path / "other.eval")
    text = open_inspect(TOOLS / "inspect_sums_large.json")

    columns = ("model", "case", "epoch", "target", "answer", "outcome")
    assert cells(deflated, *columns) == cells(text, *columns)
    assert sorted(cells(archive, "case", "target")) == sorted(cells(text, "case", "target"))
    assert {model for (model,) in cells(archive, "model")} == {"mockllm/small"}


def test_free_answers_are_read_as_outcomes(tmp_path: Path) -> None:
    """Sums have a target of their own each: only correct and incorrect can be counted."""
    log = document("inspect_sums_large.json")
    samples = log["samples"]
    assert isinstance(samples, list)
    correct = sum(sample["scores"]["match"]["value"] == "C" for sample in samples)

    aggregates = of_tool(
        tmp_path, "inspect_sums_large.json", CORRECT, f'format = "inspect"\n{OUTCOME}'
    )

    assert matrix(aggregates, "it") == ((correct, len(samples) - correct), (0, 0))


def test_lm_eval_choices_are_the_most_likely(tmp_path: Path) -> None:
    """The prediction has the highest log-likelihood, and equals the harness's `acc`."""
    lines = (TOOLS / LETTERS_SAMPLES).read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    likelihoods = [[float(response[0]) for response in row["filtered_resps"]] for row in rows]
    answer = [str(values.index(max(values))) for values in likelihoods]
    expected = confusion_matrix([row["target"] for row in rows], answer)

    aggregates = of_tool(tmp_path, LETTERS_SAMPLES, MULTICLASS, 'format = "lm_eval"')

    assert total_matrix(aggregates, "it") == expected.tolist()
    assert expected.trace() == sum(row["acc"] for row in rows)


def test_lm_eval_generated_text_is_compared_by_its_metric(tmp_path: Path) -> None:
    """`exact_match` is the outcome; the folder is the model, the file name has the task."""
    rows = [json.loads(line) for line in (TOOLS / NUMBERS).read_text("utf-8").splitlines()]
    correct = int(sum(row["exact_match"] for row in rows))

    aggregates = of_tool(tmp_path, NUMBERS, CORRECT, f'format = "lm_eval"\n{OUTCOME}')

    assert matrix(aggregates, "it") == ((correct, len(rows) - correct), (0, 0))
    assert cells(open_lm_eval(TOOLS / NUMBERS), "model", "task")[0] == ("tools", "numbers")


def test_promptfoo_providers_are_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The counts of each provider equal those of its results."""
    results = document("promptfoo_results.json")["results"]
    assert isinstance(results, dict)
    text = scaffolded(tmp_path, monkeypatch, "promptfoo_results.json")

    aggregates = load(text)

    assert 'format = "promptfoo"' in text
    for model in ("small", "large"):
        rows = [row for row in results["results"] if row["provider"]["label"] == model]
        expected = confusion_matrix(
            [row["vars"]["label"] for row in rows], [row["response"]["output"] for row in rows]
        )
        assert total_matrix(aggregates, model) == expected.tolist()
        assert expected.trace() == sum(row["success"] for row in rows)


def load(text: str) -> Aggregates:
    """Return the aggregates of a spec in the working directory."""
    spec_file = expand_models(parse_spec(Path("reportgen.toml"), text.encode()))
    return aggregate(spec_file, load_predictions(spec_file))


def test_deepeval_runs_are_models_of_one_spec(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each file is the run of another model, named by its hyperparameters; no fold arises."""
    text = scaffolded(tmp_path, monkeypatch, "deepeval_small.json", "deepeval_large.json")

    aggregates = load(text)

    for model in ("small", "large"):
        cases = document(f"deepeval_{model}.json")["testCases"]
        assert isinstance(cases, list)
        expected = confusion_matrix(
            [case["expectedOutput"] for case in cases], [case["actualOutput"] for case in cases]
        )
        assert total_matrix(aggregates, model) == expected.tolist()
        assert expected.trace() == sum(case["success"] for case in cases)


def test_init_reads_epochs_as_repetitions_and_questions_as_clusters(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An archive and a JSON log of two models: 8 questions in 2 epochs each."""
    text = scaffolded(
        tmp_path, monkeypatch, "inspect_options_small.eval", "inspect_options_large.json"
    )

    aggregates = load(text)

    assert 'repeat = "epoch"' in text
    assert 'cluster = "case"' in text
    for model in ("mockllm/small", "mockllm/large"):
        assert sum(map(sum, total_matrix(aggregates, model))) == 16


@pytest.mark.parametrize(
    "names",
    [
        ("inspect_sums_small.eval", "inspect_sums_large.json"),
        ("inspect_options_small.eval", "inspect_sums_small.eval"),
        (NUMBERS,),
    ],
)
def test_init_evaluates_outcomes_where_answers_are_no_classes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    """Accuracy is then the only measure, and the spec shows no other."""
    text = scaffolded(tmp_path, monkeypatch, *names)

    assert OUTCOME in text
    assert 'positive = "correct"\n' in text
    assert 'show = ["accuracy"]' in text
    assert load(text).classes == ("correct", "incorrect")


def test_an_answer_that_equals_the_target_but_is_scored_incorrect_is_an_error(
    tmp_path: Path,
) -> None:
    """The scorer has another criterion than equality, so that its outcomes must be used."""
    log = json.loads((TOOLS / "deepeval_small.json").read_text(encoding="utf-8"))
    log["testCases"][0]["metricsData"][0]["success"] = False
    (tmp_path / "run.json").write_text(json.dumps(log), encoding="utf-8")

    (fault,) = faults(
        tmp_path, {"it": 'predictions = "run.json"'}, MULTICLASS, 'format = "deepeval"'
    )

    assert fault.error_code.code == "E227"
    assert 'truth = "expected"' in (fault.help or "")


def test_a_partial_score_is_neither_correct_nor_incorrect(tmp_path: Path) -> None:
    """It is a label of its own, which a binary task refuses."""
    log = document("inspect_sums_large.json")
    samples = log["samples"]
    assert isinstance(samples, list)
    samples[0]["scores"]["match"]["value"] = 0.5
    (tmp_path / "log.json").write_text(json.dumps(log), encoding="utf-8")

    diagnostics = faults(
        tmp_path, {"it": 'predictions = "log.json"'}, CORRECT, f'format = "inspect"\n{OUTCOME}'
    )

    assert any("partial" in fault.message for fault in diagnostics)


def changed_log(folder: Path, value: object) -> tuple[int, int]:
    """Write a log whose first sample has another score; return the correct and all others."""
    log = document("inspect_sums_large.json")
    samples = log["samples"]
    assert isinstance(samples, list)
    if value is None:
        samples[0]["scores"] = {}
    else:
        samples[0]["scores"]["match"]["value"] = value
    (folder / "log.json").write_text(json.dumps(log), encoding="utf-8")
    correct = sum(sample["scores"]["match"]["value"] == "C" for sample in samples[1:])
    return correct, len(samples) - 1


@pytest.mark.parametrize(("counts_as", "is_correct"), [("incorrect", 0), ("correct", 1)])
def test_a_map_decides_what_a_partial_score_counts_as(
    tmp_path: Path, counts_as: str, is_correct: int
) -> None:
    """All samples are counted; without the map the log is refused."""
    correct, others = changed_log(tmp_path, 0.5)
    data = f'format = "inspect"\n{OUTCOME}\nmap = {{ partial = "{counts_as}" }}'

    counted = read(tmp_path, {"it": 'predictions = "log.json"'}, CORRECT, data)

    right = correct + is_correct
    assert matrix(counted, "it") == ((right, others + 1 - right), (0, 0))


def test_missing_decides_what_a_sample_that_ended_in_an_error_counts_as(tmp_path: Path) -> None:
    """It has no score: an error of the model, or no case."""
    correct, others = changed_log(tmp_path, None)
    it = {"it": 'predictions = "log.json"'}
    data = f'format = "inspect"\n{OUTCOME}'

    (fault, *_) = faults(tmp_path, it, CORRECT, data)
    wrong = read(tmp_path, it, CORRECT, f'{data}\nmissing = "wrong"')
    dropped = read(tmp_path, it, CORRECT, f'{data}\nmissing = "drop"')

    assert fault.error_code.code == "E208"
    assert matrix(wrong, "it") == ((correct, others + 1 - correct), (0, 0))
    assert matrix(dropped, "it") == ((correct, others - correct), (0, 0))


def test_tasks_of_several_logs_are_data_sets(tmp_path: Path) -> None:
    """A file per task and model: each data set has the accuracy of its own logs."""
    (tmp_path / "spec.toml").write_text(
        f"""
[task]
{CORRECT}

[data]
format = "inspect"
{OUTCOME}
repeat = "epoch"
cluster = "case"

[measures]
show = ["accuracy"]

[[classifiers]]
name = "Small"
predictions = "inspect_{{dataset}}_small.eval"

[[classifiers]]
name = "Large"
predictions = "inspect_{{dataset}}_large.json"

[[datasets]]
name = "options"

[[datasets]]
name = "sums"
""",
        encoding="utf-8",
    )
    shares = {}
    for task, scorer in (("options", "choice"), ("sums", "match")):
        copy(TOOLS / f"inspect_{task}_small.eval", tmp_path)
        copy(TOOLS / f"inspect_{task}_large.json", tmp_path)
        samples = document(f"inspect_{task}_large.json")["samples"]
        assert isinstance(samples, list)
        scores = [sample["scores"][scorer]["value"] == "C" for sample in samples]
        shares[task] = sum(scores) / len(scores)

    evaluation = load_and_evaluate(tmp_path / "spec.toml")

    rows = json.loads(results_json(evaluation))["dataset_values"]
    result = {
        row["dataset"]: row["value"]
        for row in rows
        if row["classifier"] == "Large" and row["measure"] == "accuracy"
    }
    assert result == pytest.approx(shares)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("C", "correct"),
        (1.0, "correct"),
        (True, "correct"),
        ("I", "incorrect"),
        ("N", "incorrect"),
        (0, "incorrect"),
        (False, "incorrect"),
        ("P", "partial"),
        (0.7, "partial"),
        (None, None),
    ],
)
def test_scores_are_outcomes(value: object, outcome: str | None) -> None:
    """The values of Inspect's scorers, of metrics that are 0 or 1, and of assertions."""
    assert parse_outcome(value) == outcome


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("inspect", '{"version": 2, "status": "success", "eval": {"model": "m"}, "samples": [{}]}'),
        ("promptfoo", '{"evalId": "e", "results": {"version": 3}}'),
        ("deepeval", '{"testCases": [{"metricsData": [{}]}]}'),
        ("lm_eval", '{"doc_id": 0}'),
    ],
)
def test_a_log_of_another_structure_is_damaged(tmp_path: Path, name: str, content: str) -> None:
    """It is an error with the name of the tool, never an empty table."""
    (tmp_path / "log.json").write_text(content, encoding="utf-8")

    (fault,) = faults(
        tmp_path, {"it": 'predictions = "log.json"'}, MULTICLASS, f'format = "{name}"'
    )

    assert "another structure" in fault.message


def test_an_inspect_archive_without_format_names_the_format(tmp_path: Path) -> None:
    """The error says what the file is and which line reads it."""
    copy(TOOLS / "inspect_sums_small.eval", tmp_path / "log.eval")

    (fault,) = faults(tmp_path, {"it": 'predictions = "log.eval"'}, MULTICLASS, "")

    assert 'format = "inspect"' in (fault.help or "")
