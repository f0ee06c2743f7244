"""What pipelines and trainers of Hugging Face say is read in every shape they say it in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.predictions.presets.tool_samples import ONE, TOOLS, assert_same, of_tool, plain
from tests.predictions.spec_folder import faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path


def test_hugging_face_lists_of_labels_and_scores_become_probabilities(tmp_path: Path) -> None:
    """LABEL_1 is class 1 of the data; the label with the highest score is predicted."""
    lines = (TOOLS / "huggingface_all.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    shares = [{item["label"]: item["score"] for item in row["prediction"]} for row in rows]
    expected = plain(
        tmp_path,
        ONE,
        'probabilities = "p_{class}"',
        (
            {
                "truth": row["label"],
                "prediction": int(share["LABEL_1"] > share["LABEL_0"]),
                "p_0": share["LABEL_0"],
                "p_1": share["LABEL_1"],
            }
            for row, share in zip(rows, shares, strict=True)
        ),
    )

    aggregates = of_tool(tmp_path, "huggingface_all.jsonl", ONE, 'format = "huggingface"')

    assert_same(aggregates, expected)


def test_a_hugging_face_score_is_that_of_the_predicted_label(tmp_path: Path) -> None:
    """A pipeline says {label, score} of its best label: 0.9 for NEGATIVE is 0.1 for POSITIVE."""
    task = 'kind = "binary"\npositive = "POSITIVE"'
    lines = (TOOLS / "huggingface_top.jsonl").read_text(encoding="utf-8").splitlines()
    expected = plain(
        tmp_path,
        task,
        'score = "p"\nscore_kind = "probability"',
        (
            {
                "truth": row["label"],
                "prediction": row["prediction"],
                "p": row["score"] if row["prediction"] == "POSITIVE" else 1 - row["score"],
            }
            for row in map(json.loads, lines)
        ),
    )

    aggregates = of_tool(tmp_path, "huggingface_top.jsonl", task, 'format = "huggingface"')

    assert_same(aggregates, expected)


@pytest.mark.parametrize(
    "lines",
    [
        (
            '{"label": "yes", "prediction": {"label": "yes", "score": 0.9}}\n'
            '{"label": "no", "prediction": {"label": "yes", "score": 0.6}}'
        ),
        (
            '{"label":"yes","output":[[{"label":"yes","score":0.9},{"label":"no","score":0.1}]]}\n'
            '{"label":"no","output":[[{"label":"no","score":0.4},{"label":"yes","score":0.6}]]}'
        ),
        '{"references": ["yes", "no"], "predictions": ["yes", "yes"]}',
        '{"references": "yes", "predictions": "yes"}\n\n{"references": "no", "predictions": "yes"}',
    ],
)
def test_hugging_face_shapes_all_say_the_same(tmp_path: Path, lines: str) -> None:
    """A best label, all labels in a list of lists, and the two lists that `evaluate` takes."""
    (tmp_path / "p.jsonl").write_text(f"{lines}\n", encoding="utf-8")

    result = read(tmp_path, {"it": 'predictions = "p.jsonl"'}, data='format = "huggingface"')

    assert matrix(result, "it") == ((1, 0), (1, 0))


def test_probabilities_of_a_trainer_are_a_list_by_class_number(tmp_path: Path) -> None:
    """The softmax of `Trainer.predict(...).predictions` has a place for each class."""
    rows = [(0, 0, [0.7, 0.2, 0.1]), (1, 2, [0.1, 0.3, 0.6]), (2, 2, [0.0, 0.1, 0.9])]
    keys = ("label", "prediction", "probabilities")
    lines = "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")

    result = read(
        tmp_path, {"it": 'predictions = "p.jsonl"'}, 'kind = "multiclass"', 'format = "huggingface"'
    )

    assert result.probability_losses is not None
    assert matrix(result, "it") == ((1, 0, 0), (0, 0, 1), (0, 0, 1))


def test_lists_of_other_lengths_are_reported_with_their_line(tmp_path: Path) -> None:
    """Which prediction belongs to which reference cannot be known then."""
    lines = (
        '{"references": ["yes", "no"], "predictions": ["yes", "yes"]}\n\n'
        '{"references": ["yes", "no", "no"], "predictions": ["yes", "yes"]}\n'
        '{"references": ["yes"], "predictions": null}\n'
        '{"references": [], "predictions": []}\n'
    )
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")

    diagnostics = faults(tmp_path, {"it": 'predictions = "p.jsonl"'}, data='format = "huggingface"')

    assert [
        (fault.error_code.code, fault.message, fault.location.line if fault.location else None)
        for fault in diagnostics
    ] == [
        ("E205", "`references` is of length 3, `predictions` of length 2", 3),
        ("E205", "`references` is of length 1, `predictions` of length 0", 4),
    ]


def test_empty_lists_are_no_case(tmp_path: Path) -> None:
    """A last batch may hold nothing."""
    lines = (
        '{"references": ["yes", "no"], "predictions": ["yes", "yes"]}\n'
        '{"references": [], "predictions": []}\n'
    )
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")

    result = read(tmp_path, {"it": 'predictions = "p.jsonl"'}, data='format = "huggingface"')

    assert matrix(result, "it") == ((1, 0), (1, 0))


def test_scores_without_labels_are_no_predictions(tmp_path: Path) -> None:
    """[0.3, 0.7] are the scores of two classes, not the name of one."""
    lines = '{"label": 1, "scores": [0.3, 0.7]}\n{"label": 0, "scores": [0.6, 0.4]}\n'
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")
    it = {"it": 'predictions = "p.jsonl"'}

    (fault,) = faults(tmp_path, it, ONE, 'format = "huggingface"')
    predicted = lines.replace('"scores"', '"prediction": 1, "scores"')
    (tmp_path / "p.jsonl").write_text(predicted, encoding="utf-8")
    result = read(tmp_path, it, ONE, 'format = "huggingface"')

    assert fault.error_code.code == "E227"
    assert fault.message.startswith("no prediction column of output of a Hugging Face model")
    assert result.probability_losses is not None
    assert matrix(result, "it") == ((1, 0), (1, 0))


@pytest.mark.parametrize("held", ["[0.3, 0.7]", "[3, 7]", '{"a": 0.3, "b": 0.7}'])
def test_a_prediction_that_holds_no_label_is_an_error(tmp_path: Path, held: str) -> None:
    """Read as a text it would be a class of its own."""
    lines = f'{{"label": "a", "prediction": {held}}}\n{{"label": "b", "prediction": {held}}}\n'
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")

    (fault,) = faults(
        tmp_path, {"it": 'predictions = "p.jsonl"'}, 'kind = "multiclass"', 'format = "huggingface"'
    )

    assert fault.error_code.code == "E227"
    assert fault.message == "`prediction` holds lists or objects, not labels"


def test_scores_that_only_rank_count_against_the_other_label(tmp_path: Path) -> None:
    """Logits 3 and 1 of yes and 2 of no order the cases as 3, 1, -2: no pair is out of order."""
    rows = [("yes", "yes", 3.0), ("yes", "yes", 1.0), ("no", "no", 2.0)]
    keys = ("label", "prediction", "score")
    lines = "".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in rows)
    (tmp_path / "p.jsonl").write_text(lines, encoding="utf-8")
    it = {"it": 'predictions = "p.jsonl"'}

    (above, below) = faults(tmp_path, it, data='format = "huggingface"')
    result = read(tmp_path, it, data='format = "huggingface"\nscore_kind = "ranking"')

    assert {above.error_code.code, below.error_code.code} == {"E211"}
    assert result.curves is not None
    assert sorted(result.curves.frame["threshold"].explode().to_list()) == [-2, 1, 3]
