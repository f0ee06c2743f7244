"""Labels are brought together by `map`; labels that cannot match are an error, not 0 % accuracy."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tests.predictions.spec_folder import faults, matrix, read

if TYPE_CHECKING:
    from pathlib import Path

SINGLE = {"A": 'predictions = "a.csv"'}
YES = 'kind = "binary"\npositive = "yes"'
FLOWERS = ("setosa", "versicolor", "virginica")


def write_pairs(folder: Path, pairs: list[tuple[object, object]], name: str = "a") -> None:
    """Write truths and predictions as CSV."""
    frame = pl.DataFrame(pairs, schema=["truth", "prediction"], orient="row", strict=False)
    frame.write_csv(folder / f"{name}.csv")


def test_a_map_brings_numbers_and_names_together(tmp_path: Path) -> None:
    """Truth 0 and 1, predictions no and yes: two hits, one false alarm, one miss."""
    write_pairs(tmp_path, [(1, "yes"), (1, "no"), (0, "yes"), (0, "no"), (1, "yes")])

    aggregates = read(tmp_path, SINGLE, YES, 'map = { 0 = "no", 1 = "yes" }')

    assert matrix(aggregates, "A") == ((2, 1), (1, 1))


def test_a_map_applies_to_floats_and_to_one_classifier(tmp_path: Path) -> None:
    """1.0 is mapped as 1; a classifier with other codes has a map of its own."""
    write_pairs(tmp_path, [(1.0, "yes"), (0.0, "no"), (1.0, "no")], "a")
    write_pairs(tmp_path, [(2, 2), (1, 1), (2, 1)], "b")
    tables = {
        "A": "predictions = 'a.csv'\nmap = { 0 = 'no', 1 = 'yes' }",
        "B": "predictions = 'b.csv'\nmap = { 1 = 'no', 2 = 'yes' }",
    }

    aggregates = read(tmp_path, tables, YES, "")

    assert matrix(aggregates, "A") == matrix(aggregates, "B") == ((1, 1), (0, 1))


@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_labels_without_any_match_are_an_error(tmp_path: Path, kind: str) -> None:
    """The help text has the map, by the meaning of yes and 1."""
    write_pairs(tmp_path, [(1, "yes"), (0, "no"), (1, "no")])
    task = YES if kind == "binary" else f'kind = "{kind}"'

    (fault,) = faults(tmp_path, SINGLE, task, "")

    assert fault.error_code.code == "E243"
    assert 'map = { "0" = "no", "1" = "yes" }' in (fault.help or "")


def test_codes_are_paired_with_names_in_their_order(tmp_path: Path) -> None:
    """As scikit-learn's LabelEncoder numbers classes."""
    write_pairs(tmp_path, [(code, name) for code, name in enumerate(FLOWERS) for _ in range(3)])

    (fault,) = faults(tmp_path, SINGLE, 'kind = "multiclass"', "")
    line = (fault.help or "").split("`")[1]

    assert matrix(read(tmp_path, SINGLE, 'kind = "multiclass"', line), "A") == (
        (3, 0, 0),
        (0, 3, 0),
        (0, 0, 3),
    )


def test_files_with_different_spellings_have_a_map(tmp_path: Path) -> None:
    """Each file by itself is fine."""
    write_pairs(tmp_path, [(1, 1), (0, 0), (1, 0)], "a")
    write_pairs(tmp_path, [("yes", "yes"), ("no", "no"), ("yes", "no")], "b")
    tables = {name: f"predictions = '{name}.csv'" for name in "ab"}

    (fault,) = faults(tmp_path, tables, YES, "")
    line = (fault.help or "").split("`")[1]

    assert line == 'map = { "0" = "no", "1" = "yes" }'
    assert matrix(read(tmp_path, tables, YES, line), "a") == ((1, 1), (0, 1))


@pytest.mark.parametrize("other", ["Yes", "YES", " yes", "yes "])
@pytest.mark.parametrize("kind", ["binary", "multiclass"])
def test_spellings_of_one_label_are_named(tmp_path: Path, other: str, kind: str) -> None:
    """The line of the help text corrects them; the rarer spelling is replaced."""
    write_pairs(tmp_path, [("yes", "yes"), ("yes", other), ("no", "no"), ("no", "yes")])
    task = YES if kind == "binary" else f'kind = "{kind}"\nclasses = ["yes", "no"]'

    (fault,) = faults(tmp_path, SINGLE, task, "")
    line = (fault.help or "").split("`")[1]

    assert fault.error_code.code == "E242"
    assert line == f'map = {{ "{other}" = "yes" }}'
    assert matrix(read(tmp_path, SINGLE, task, line), "A") == ((2, 0), (1, 1))


def test_classes_may_differ_in_case_if_they_are_listed(tmp_path: Path) -> None:
    """Letters, for example."""
    write_pairs(tmp_path, [("a", "a"), ("A", "A"), ("A", "a")])

    task = 'kind = "multiclass"\nclasses = ["a", "A"]'

    assert matrix(read(tmp_path, SINGLE, task, ""), "A") == ((1, 0), (1, 1))


def test_a_single_wrong_answer_is_no_spelling(tmp_path: Path) -> None:
    """Two labels may be one in the truth and one in the predictions."""
    write_pairs(tmp_path, [("no", "yes"), ("no", "yes")])

    assert matrix(read(tmp_path, SINGLE, YES, ""), "A") == ((0, 0), (2, 0))


def nested_rows(folder: Path) -> list[dict[str, object]]:
    """Write JSON Lines and Parquet with an object and a list in each row."""
    rows: list[dict[str, object]] = [
        {"truth": truth, "judge": {"verdict": message, "p": 0.5}, "tags": [truth, message]}
        for truth, message in [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no")]
    ]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "a.jsonl").write_text(text, encoding="utf-8")
    pl.DataFrame(rows).write_parquet(folder / "a.parquet")
    return rows


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_nested_field_is_named_by_its_path(tmp_path: Path, suffix: str) -> None:
    """In JSON Lines and in Parquet."""
    nested_rows(tmp_path)
    single = {"A": f'predictions = "a.{suffix}"'}

    aggregates = read(tmp_path, single, YES, 'prediction = "judge.verdict"')

    assert matrix(aggregates, "A") == ((1, 1), (0, 2))


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_an_object_or_a_list_is_no_label(tmp_path: Path, suffix: str) -> None:
    """The error names the fields of an object, and the task of a list."""
    nested_rows(tmp_path)
    single = {"A": f'predictions = "a.{suffix}"'}

    (of_object,) = faults(tmp_path, single, YES, 'prediction = "judge"')
    (of_list,) = faults(tmp_path, single, YES, 'prediction = "tags"')

    assert "`judge.verdict`" in (of_object.help or "")
    assert "multilabel" in (of_list.help or "")


def test_a_list_as_python_writes_it_is_no_label(tmp_path: Path) -> None:
    """As pandas writes lists to CSV."""
    write_pairs(tmp_path, [("['a', 'b']", "['a']"), ("['a']", "['a']")])

    assert faults(tmp_path, SINGLE, 'kind = "multiclass"', "")[0].error_code.code == "E244"


def test_a_third_label_that_is_never_true_may_be_no_answer(tmp_path: Path) -> None:
    """The error has the line for answers that name no class."""
    write_pairs(tmp_path, [("yes", "yes"), ("no", "no"), ("no", "cannot tell")])

    (fault,) = faults(tmp_path, SINGLE, YES, "")

    assert fault.error_code.code == "E214"
    assert 'abstain = ["cannot tell"]' in (fault.help or "")


def test_a_third_label_of_the_truth_is_a_class(tmp_path: Path) -> None:
    """No answer is never true."""
    write_pairs(tmp_path, [("yes", "yes"), ("no", "no"), ("maybe", "maybe")])

    (fault,) = faults(tmp_path, SINGLE, YES, "")

    assert "abstain" not in (fault.help or "")
    assert 'kind = "multiclass"' in (fault.help or "")


def test_probabilities_in_place_of_predictions_are_named_as_scores(tmp_path: Path) -> None:
    """Not a map from 0.9 to a class."""
    write_pairs(tmp_path, [("1", "0.9"), ("0", "0.2"), ("1", "0.55")])

    (fault,) = faults(tmp_path, SINGLE, 'kind = "binary"\npositive = "1"', "")

    assert fault.error_code.code == "E243"
    assert 'score = "prediction"' in (fault.help or "")
    assert "threshold = 0.5" in (fault.help or "")
    assert "map" not in (fault.help or "")


MULTILABEL = 'kind = "multilabel"'
INDICATORS = [([1, 0, 0], [0, 1, 0]), ([0, 1, 1], None), ([1, 1, 0], [1, 1, 0])]


@pytest.mark.parametrize("as_json", [True, False])
def test_a_missing_list_of_indicators_is_no_empty_set(tmp_path: Path, *, as_json: bool) -> None:
    """Null in JSON and an empty cell of a CSV file; the other lists are no sets of 0 and 1."""
    if as_json:
        lines = [json.dumps({"truth": t, "prediction": p}) for t, p in INDICATORS]
    else:
        lines = ["truth,prediction", *(f'"{t}","{p or ""}"' for t, p in INDICATORS)]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    (fault,) = faults(tmp_path, SINGLE, MULTILABEL, "")

    assert fault.error_code.code == "E208"
    assert fault.location is not None
    assert fault.location.line == (2 if as_json else 3)


@pytest.mark.parametrize(
    ("predictions", "problem"),
    [
        ([[0, 1], [0, 1]], "[0, 1] in all rows"),
        ([[0, 1], [0, 1, 1]], "lists of 0 and 1 of different lengths"),
    ],
)
def test_lists_that_may_be_indicators_or_sets_are_an_error(
    tmp_path: Path, predictions: list[list[int]], problem: str
) -> None:
    """[0, 1] is the second of two labels, or both of the labels 0 and 1."""
    truths = [[1, 0], [1, 1]]
    rows = zip(truths, predictions, strict=True)
    lines = [json.dumps({"truth": t, "prediction": p}) for t, p in rows]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")

    (fault,) = faults(tmp_path, SINGLE, MULTILABEL, "")

    assert fault.error_code.code == "E212"
    assert problem in fault.message
