"""Rows that grow with the classes are written by column, and read as if written one by one."""

from __future__ import annotations

import json
from itertools import cycle
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.evaluation.capabilities import CapabilityRating, CapabilityRow
from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.evaluation.sample_sizes import SAMPLED_VALUE_SCHEMA
from reportgen.export.columnar_json import (
    CapabilityTableRows,
    ColumnarRows,
    ComparisonRows,
    ConfusionMatrixRows,
    MeasureValueRows,
)
from reportgen.export.results import build_results, results_json
from reportgen.export.schema import TraditionalCapabilityResult
from reportgen.pipeline import load_and_evaluate
from tests.tables import fold_tallies, matrix_tallies

ROOT = Path(__file__).parents[2]
# What would end a string, a row or a place in a pattern, if it were not written with care.
ODD_TEXTS = ['"', "\\", "}, {", "{}", "{0}", "%s", "\n", "\t", "ä", "−∞", "\u2028", ""]
ODD_NUMBERS = [0.0, -0.0, 1.0, 0.1, 1e-4, 9.999e-5, 1e-5, -1e-7, 5e-324, 1e15, 1e16, 1e22, 1e308]


def one_by_one(rows: ColumnarRows) -> list[str]:
    """Write rows as Python writes what their models hold."""
    dumped = (row.model_dump(mode="json", by_alias=True) for row in rows.models())
    return [json.dumps(row, ensure_ascii=False) for row in dumped]


def scores(texts: list[str | None], numbers: list[float | None]) -> MeasureValueRows:
    """Return scores of which the class and the value are given."""
    rows = [
        {"classifier": "A", "class": text, "measure": "f1", "value": number, "state": "defined"}
        for text in texts
        for number in numbers
    ]
    return MeasureValueRows(pl.DataFrame(rows, schema=SAMPLED_VALUE_SCHEMA))


def test_scores_with_odd_texts_and_numbers() -> None:
    """Texts are escaped, and numbers have the digits and exponents that Python gives them."""
    rows = scores([None, *ODD_TEXTS], [None, *ODD_NUMBERS])

    assert rows.json_lines() == one_by_one(rows)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.text(), min_size=1, max_size=3),
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30),
)
def test_scores_of_any_text_and_number(texts: list[str], numbers: list[float]) -> None:
    """Whatever the labels are and however large or small a value is."""
    rows = scores([*texts], [*numbers])

    assert rows.json_lines() == one_by_one(rows)


def test_no_scores_are_no_lines() -> None:
    """A comparison of given scores over data sets measures nothing itself."""
    assert MeasureValueRows(pl.DataFrame(schema=SAMPLED_VALUE_SCHEMA)).json_lines() == []


def test_comparisons_with_odd_texts_and_numbers() -> None:
    """Texts are escaped, and whole numbers are floats where the schema says so."""
    numbers = [None, *ODD_NUMBERS, 3]
    rows = ComparisonRows(
        tuple(
            Comparison(
                first=text,
                second="B",
                class_=text or None,
                measure="f1",
                test="test",
                data="paired",
                statistic=number,
                p=number,
                verdict=verdict,
                required_cases=12,
            )
            for text in ODD_TEXTS
            for number, verdict in zip(numbers, cycle(Decision))
        )
    )

    assert rows.json_lines() == one_by_one(rows)


def test_no_comparisons_are_no_lines() -> None:
    """A single classifier is compared with none."""
    assert ComparisonRows(()).json_lines() == []


def test_matrices_with_counts_of_different_length() -> None:
    """A class without cases has zeros, and a count of ten million all its digits."""
    matrix = ((10_000_000, 0, 7), (0, 0, 0), (12, 345, 1))
    rows = ConfusionMatrixRows(matrix_tallies({'"A"': matrix}, ("{}", "b", '"c"')), ('"A"',))

    (line,) = rows.json_lines()

    assert [line] == one_by_one(rows)
    assert json.loads(line)["counts"] == [list(row) for row in matrix]


def test_a_matrix_of_nothing_is_zeros() -> None:
    """Nothing was counted, but the classes are known."""
    tally = matrix_tallies({"A": ((0, 0), (0, 0))}, ("a", "b"))

    assert json.loads(ConfusionMatrixRows(tally, ("A",)).json_lines()[0])["counts"] == [
        [0, 0],
        [0, 0],
    ]


def test_matrices_of_folds_follow_that_of_all() -> None:
    """Fold 1 and fold 2 sum to the first matrix."""
    rows = ConfusionMatrixRows(fold_tallies({"1": (1, 2, 3, 4), "2": (5, 6, 7, 8)}), ("A",))

    assert rows.json_lines() == one_by_one(rows)
    assert [(row["fold"], row["counts"]) for row in map(json.loads, rows.json_lines())] == [
        (None, [[6, 8], [10, 12]]),
        ("1", [[1, 2], [3, 4]]),
        ("2", [[5, 6], [7, 8]]),
    ]


def test_verdicts_that_are_alike_and_that_differ() -> None:
    """The same verdict is written alike wherever it stands; the measures behind it are not told."""
    tied, best = (
        CapabilityRating("tied", 1, 2),
        CapabilityRating("{superior}", 1, 2, ("accuracy",), significant=True),
    )
    unclear = CapabilityRating("inferior", 2, 2, ("accuracy",), significant=False, p_adjusted=1e-05)
    names = ("class_effectiveness", "overall_effectiveness", "predictive_power")
    rows = CapabilityTableRows(
        TraditionalCapabilityResult,
        [
            CapabilityRow("A", None, dict(zip(names, (tied, best, unclear), strict=True))),
            CapabilityRow("B", "{}", dict(zip(names, (unclear, tied, tied), strict=True))),
        ],
    )

    assert rows.json_lines() == one_by_one(rows)


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["digits", "tenfold", "breast_cancer", "demsar", "diabetes"])
def test_what_is_written_is_what_the_models_hold(spec: str) -> None:
    """All parts in the order of the contract, with one row a line."""
    evaluation = load_and_evaluate(ROOT / "specs" / f"{spec}.toml")

    text = results_json(evaluation)

    contents = build_results(evaluation).model_dump(mode="json", by_alias=True)
    assert list(json.loads(text).items()) == list(contents.items())
    assert text.count('\n    {"classifier": ') >= len(contents["values"])
