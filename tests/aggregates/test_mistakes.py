"""Mistakes alone, in common and confident, against a count case by case."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from reportgen.export.results import results_json
from reportgen.pipeline import load_and_evaluate

if TYPE_CHECKING:
    from pathlib import Path

    from reportgen.evaluation.evaluation import Evaluation

# id, truth, scores of A, B and C; predicted yes from 0.5 on.
CASES = (
    ("a", "yes", 0.9, 0.8, 0.6),  # all right
    ("b", "yes", 0.6, 0.3, 0.2),  # only A right
    ("c", "no", 0.95, 0.2, 0.1),  # only A wrong, confident
    ("d", "no", 0.7, 0.99, 0.8),  # all wrong; mean confidence 0.83
    ("e", "yes", 0.04, 0.3, 0.4),  # all wrong; mean confidence (0.96 + 0.7 + 0.6) / 3 = 0.753
    ("f", "no", 0.2, 0.6, 0.3),  # only B wrong
    ("g", "no", 0.3, 0.1, 0.2),  # all right
)
SPEC = """\
title = "Mistakes"
[task]
kind = "binary"
positive = "yes"
[data]
truth = "truth"
threshold = 0.5
{id}
[[classifiers]]
name = "A"
predictions = "cases.csv"
score = "A"
{kind}
[[classifiers]]
name = "B"
predictions = "cases.csv"
score = "B"
[[classifiers]]
name = "C"
predictions = "cases.csv"
score = "C"
[output]
{output}
"""


def evaluate(
    folder: Path, output: str = "", *, id_: str = 'id = "id"', kind: str = ""
) -> Evaluation:
    """Evaluate the three classifiers."""
    rows = ["id,truth,A,B,C", *(",".join(map(str, row)) for row in CASES)]
    (folder / "cases.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    spec = folder / "spec.toml"
    spec.write_text(SPEC.format(id=id_, kind=kind, output=output), encoding="utf-8")
    return load_and_evaluate(spec)


def block(evaluation: Evaluation, name: str) -> list[dict[str, Any]]:
    """Return the rows of a block of results.json."""
    rows: list[dict[str, Any]] = json.loads(results_json(evaluation))[name]
    return rows


def test_counts_are_those_of_the_cases(tmp_path: Path) -> None:
    """A is wrong on c, d, e; B on b, d, e, f; C on b, d, e."""
    rows = {row["classifier"]: row for row in block(evaluate(tmp_path), "mistakes")}

    assert {name: row["wrong"] for name, row in rows.items()} == {"A": 3, "B": 4, "C": 3}
    assert {name: row["only_right"] for name, row in rows.items()} == {"A": 1, "B": 0, "C": 0}
    assert {name: row["only_wrong"] for name, row in rows.items()} == {"A": 1, "B": 1, "C": 0}
    # 0.95 for c and 1 - 0.04 for e; 0.99 for d.
    assert {name: row["confident"] for name, row in rows.items()} == {"A": 2, "B": 1, "C": 0}
    assert {(row["cases"], row["all_right"], row["all_wrong"]) for row in rows.values()} == {
        (7, 2, 2)
    }


def test_ids_are_exported_on_request_only(tmp_path: Path) -> None:
    """Without error_examples there is no id in results.json."""
    assert block(evaluate(tmp_path), "mistake_examples") == []


def test_examples_begin_with_the_most_confident_mistake(tmp_path: Path) -> None:
    """Of A: e with 0.96, then c with 0.95; the third, d with 0.7, is beyond the limit of two."""
    rows = block(evaluate(tmp_path, "error_examples = 2"), "mistake_examples")
    listed = {
        (kind, name): [
            row["id"] for row in rows if (row["kind"], row["classifier"]) == (kind, name)
        ]
        for kind, name in (("confident", "A"), ("only_right", "A"), ("all_wrong", None))
    }
    (alone,) = (row for row in rows if row["kind"] == "only_right")
    wrong = [row["confidence"] for row in rows if row["kind"] == "all_wrong"]

    assert listed == {
        ("confident", "A"): ["e", "c"],
        ("only_right", "A"): ["b"],
        ("all_wrong", None): ["d", "e"],
    }
    assert (alone["truth"], alone["predicted"]) == ("yes", "no")
    assert alone["confidence"] == pytest.approx((0.7 + 0.8) / 2)
    assert wrong == pytest.approx([(0.7 + 0.99 + 0.8) / 3, (0.96 + 0.7 + 0.6) / 3])


def test_a_ranking_score_is_as_confident_as_its_rank(tmp_path: Path) -> None:
    """Of seven scores c has the highest and e the lowest: 6.5/7 for both, in their order."""
    evaluation = evaluate(tmp_path, "error_examples = 9", kind='score_kind = "ranking"')
    rows = [row for row in block(evaluation, "mistake_examples") if row["classifier"] == "A"]
    ranked = [(row["id"], row["confidence"]) for row in rows if row["kind"] == "confident"]

    assert ranked == [
        ("c", pytest.approx(6.5 / 7)),
        ("e", pytest.approx(6.5 / 7)),
        ("d", pytest.approx(4.5 / 7)),
    ]
    assert block(evaluation, "mistakes")[0]["confident"] is None


def test_there_are_no_examples_without_ids(tmp_path: Path) -> None:
    """Counts need no ids."""
    evaluation = evaluate(tmp_path, "error_examples = 2", id_="")

    assert block(evaluation, "mistake_examples") == []
    assert block(evaluation, "mistakes")[0]["wrong"] == 3


def test_labels_that_were_counted_together_give_the_same_counts(tmp_path: Path) -> None:
    """Cases without scores are aggregated when they are read."""
    rows = ["id,truth,A,B", "1,x,x,x", "2,x,y,y", "3,x,y,y", "4,y,y,x", "5,z,x,y", "6,z,z,z"]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    spec = tmp_path / "spec.toml"
    classifiers = "".join(
        f'[[classifiers]]\nname = "{name}"\npredictions = "labels.csv"\nprediction = "{name}"\n'
        for name in "AB"
    )
    spec.write_text(
        f'title = "t"\n[task]\nkind = "multiclass"\n[data]\nid = "id"\n{classifiers}',
        encoding="utf-8",
    )
    mistakes = load_and_evaluate(spec).aggregates.mistakes

    assert mistakes is not None
    assert (mistakes.cases, mistakes.all_right, mistakes.all_wrong) == (6, 2, 3)
    assert [(row.wrong, row.only_right, row.only_wrong) for row in mistakes.classifiers] == [
        (3, 1, 0),
        (4, 0, 1),
    ]
