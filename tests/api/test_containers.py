"""The same values mean the same, whatever holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import polars as pl
import pytest

import reportgen as rg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

TRUTH = ["yes", "no", "yes", "no", "yes", "no", "yes", "no"]
PREDICTED = ["yes", "no", "no", "no", "yes", "yes", "yes", "no"]
SCORES = [0.9, 0.125, 0.375, 0.25, 0.75, 0.625, 1.0, 0.0]

TEXTS: dict[str, Callable[[list[str]], Iterable[object]]] = {
    "tuple": tuple,
    "iterator": iter,
    "polars": pl.Series,
    "polars categories": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars frame of one column": lambda values: pl.DataFrame({"column": values}),
    "NumPy texts": np.array,
    "NumPy bytes": lambda values: np.array(values, dtype="S"),
    "NumPy objects": lambda values: np.array(values, dtype=object),
    "NumPy table of one column": lambda values: np.array(values)[:, None],
    "NumPy scalars": lambda values: list(np.array(values)),
    "pandas": pd.Series,
    "pandas texts": lambda values: pd.Series(values, dtype="string"),
    "pandas categories": lambda values: pd.Series(values, dtype="category"),
    "pandas index": pd.Index,
    "pandas frame of one column": lambda values: pd.DataFrame({"column": values}),
}
NUMBERS: dict[str, Callable[[list[float]], Iterable[object]]] = {
    "tuple": tuple,
    "polars": pl.Series,
    "NumPy": np.array,
    "NumPy of half the size": lambda values: np.array(values, dtype=np.float32),
    "NumPy objects": lambda values: np.array(values, dtype=object),
    "masked array without gaps": np.ma.array,
    "pandas": pd.Series,
    "pandas nullable": lambda values: pd.Series(values, dtype="Float64"),
}
LABELS: dict[str, Iterable[object]] = {
    "small integers": np.array([1, 0, 1, 0], dtype=np.int8),
    "floats": np.array([1.0, 0.0, 1.0, 0.0]),
    "nullable integers": pd.Series([1, 0, 1, 0], dtype="Int64"),
    "categories": pd.Series([1, 0, 1, 0], dtype="category"),
    "polars": pl.Series([1, 0, 1, 0], dtype=pl.UInt16),
    "texts": ["1", "0", "1", "0"],
    "texts with a point": ["1.0", "0.0", "1.0", "0.0"],
}


def _without_hash(report: rg.Report) -> dict[str, object]:
    return {key: value for key, value in report.results.items() if key != "inputs"}


@pytest.mark.parametrize("kind", TEXTS)
def test_texts_of_any_container(kind: str) -> None:
    """Labels in any container give the report, and the hash, that lists give."""
    plain = rg.evaluate(TRUTH, {"A": PREDICTED}, positive="yes")
    hold = TEXTS[kind]

    assert rg.evaluate(hold(TRUTH), {"A": hold(PREDICTED)}, positive="yes").results == plain.results


@pytest.mark.parametrize("kind", NUMBERS)
def test_scores_of_any_container(kind: str) -> None:
    """Scores in any container give the report that lists give."""
    scores = NUMBERS[kind](SCORES)
    plain = rg.evaluate(TRUTH, {"A": PREDICTED}, scores={"A": SCORES}, positive="yes")
    # 0.9 has another nearest number of half the size; the order of the scores stays.
    tolerance = 1e-6 if "half" in kind else 0
    other = rg.evaluate(TRUTH, {"A": PREDICTED}, scores={"A": scores}, positive="yes")

    assert other.values["value"].to_list() == pytest.approx(
        plain.values["value"].to_list(), rel=tolerance, abs=tolerance
    )
    assert "roc_auc" in other.values["measure"]


@pytest.mark.parametrize("kind", LABELS)
def test_a_number_as_label_is_the_same_in_every_type(kind: str) -> None:
    """1, 1.0 and "1" name one class, as in files; of the whole numbers 1 is written 1."""
    plain = rg.evaluate([1, 0, 1, 0], {"A": [1, 1, 0, 0]}, positive=1)
    swapped = [1, 1, 0, 0]
    other = rg.evaluate(LABELS[kind], {"A": swapped}, positive=np.int64(1))

    assert _without_hash(other) == _without_hash(plain)
    assert other.results["task"] == {"kind": "binary", "classes": ["1", "0"], "positive": "1"}


@pytest.mark.parametrize(
    "truth",
    [
        [True, False, True],
        np.array([True, False, True]),
        pd.Series([True, False, True], dtype="boolean"),
        pl.Series([True, False, True]),
    ],
)
def test_truth_values_are_labels(truth: Iterable[object]) -> None:
    """True is written true, as in files."""
    report = rg.evaluate(truth, {"A": [True, True, True]}, positive=True)

    assert report.results["task"] == {
        "kind": "binary",
        "classes": ["true", "false"],
        "positive": "true",
    }


def test_arrow_columns() -> None:
    """Arrow arrays, chunked arrays, dictionaries and tables of one column are columns."""
    arrow = pytest.importorskip("pyarrow")
    plain = rg.evaluate(TRUTH, {"A": PREDICTED}, positive="yes")
    for hold in (
        arrow.array,
        lambda values: arrow.chunked_array([values[:3], values[3:]]),
        lambda values: arrow.array(values).dictionary_encode(),
        lambda values: arrow.table({"column": values}),
    ):
        report = rg.evaluate(hold(TRUTH), {"A": hold(PREDICTED)}, positive="yes")
        assert report.results == plain.results


class ArrowOnly:
    """A column that can do nothing but hand itself over as Arrow does."""

    def __init__(self, values: list[str]) -> None:
        self.column = pl.Series(values)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.column.__arrow_c_stream__(requested_schema)


def test_whatever_speaks_arrow_is_read() -> None:
    """No library needs to be known by name."""
    plain = rg.evaluate(TRUTH, {"A": PREDICTED}, positive="yes")
    truth: object = ArrowOnly(TRUTH)

    assert rg.evaluate(truth, {"A": PREDICTED}, positive="yes").results == plain.results  # type: ignore[arg-type]  # it has no __iter__


PROBABILITIES = {"yes": SCORES, "no": [1 - score for score in SCORES]}


@pytest.mark.parametrize(
    "container",
    [
        pl.DataFrame(PROBABILITIES),
        pd.DataFrame(PROBABILITIES),
        np.array(list(zip(*PROBABILITIES.values(), strict=True))),
        [list(row) for row in zip(*PROBABILITIES.values(), strict=True)],
    ],
    ids=["polars", "pandas", "NumPy", "lists"],
)
def test_probabilities_of_any_container(container: Iterable[object]) -> None:
    """A frame names its classes; the columns of an array are in the order of `classes`."""
    plain, other = (
        rg.evaluate(
            TRUTH,
            {"A": PREDICTED},
            probabilities={"A": item},
            classes=["yes", "no"],
            positive="yes",
        )
        for item in (PROBABILITIES, container)
    )

    assert other.results == plain.results
    assert "log_loss" in other.values["measure"]
