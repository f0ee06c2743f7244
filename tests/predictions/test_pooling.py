"""Rows that are the same cases several times are never counted as so many cases in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from tests.predictions.spec_folder import faults, read

if TYPE_CHECKING:
    from pathlib import Path

TASK = 'kind = "binary"\npositive = "1"'
SINGLE = {"A": 'predictions = "a.csv"'}


def predictions(copies: int, seed: int = 0, size: int = 40) -> pl.DataFrame:
    """Return the predictions of several models or repetitions for the same cases."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, size)
    return pl.concat(
        pl.DataFrame(
            {
                "part": [f"m{copy}"] * size,
                "case": range(size),
                "truth": truth,
                "prediction": np.where(rng.random(size) < 0.8, truth, 1 - truth),
                "score": rng.random(size),
            }
        )
        for copy in range(copies)
    )


@pytest.mark.parametrize(
    ("column", "line"),
    [
        ("model", 'model = "model"'),
        ("Classifier", 'model = "Classifier"'),
        ("repeat", 'repeat = "repeat"'),
        ("seed", 'repeat = "seed"'),
    ],
)
@pytest.mark.parametrize("shuffled", [True, False])
def test_a_column_of_models_or_repetitions_is_not_ignored(
    tmp_path: Path, column: str, line: str, *, shuffled: bool
) -> None:
    """The error has the line to add, with ids and without, in any order of rows."""
    frame = predictions(3).rename({"part": column})
    frame = frame.sample(fraction=1, shuffle=True, seed=1) if shuffled else frame
    for columns in (frame.columns, [column, "truth", "prediction"]):
        frame.select(columns).write_csv(tmp_path / "a.csv")

        (fault,) = faults(tmp_path, SINGLE, TASK, 'id = "case"' if "case" in columns else "")

        assert fault.error_code.code == "E241"
        assert line in (fault.help or "")


def test_an_id_that_every_case_repeats_is_not_ignored(tmp_path: Path) -> None:
    """Five times 40 cases are no 200 cases; unequal repetitions are warned of."""
    frame = predictions(5).drop("part")
    frame.sample(fraction=1, shuffle=True, seed=1).write_csv(tmp_path / "a.csv")

    (fault,) = faults(tmp_path, SINGLE, TASK, "")
    frame.head(90).write_csv(tmp_path / "a.csv")
    warnings = read(tmp_path, SINGLE, TASK, "").warnings

    assert "has 40 different values in 200 rows" in fault.message
    assert 'id = "case"' in (fault.help or "")
    assert 'cluster = "case"' in (fault.help or "")
    assert any("has 40 different values in 90 rows" in warning for warning in warnings)


def test_unused_folds_and_subsets_are_warned_of(tmp_path: Path) -> None:
    """Folds do not repeat cases, so that the numbers stand; a training set is no test set."""
    frame = predictions(1).with_columns(fold=pl.int_range(40) % 5)
    frame.select("fold", "truth", "prediction").write_csv(tmp_path / "a.csv")
    assert any(
        'write `fold = "fold"`' in warning for warning in read(tmp_path, SINGLE, TASK, "").warnings
    )

    subsets = frame.with_columns(split=pl.when(pl.col("case") < 25).then(pl.lit("train")))
    subsets = subsets.with_columns(pl.col("split").fill_null("test"))
    subsets.select("split", "truth", "prediction").write_csv(tmp_path / "a.csv")
    warnings = read(tmp_path, SINGLE, TASK, "").warnings
    assert any('where = { split = "test" }' in warning for warning in warnings)


def test_copies_without_any_column_are_warned_of(tmp_path: Path) -> None:
    """Files that were concatenated have the same truths again and again."""
    predictions(5).select("truth", "prediction").write_csv(tmp_path / "a.csv")

    warnings = read(tmp_path, SINGLE, TASK, "").warnings

    assert any("the truths repeat every 40 rows, 5 times" in warning for warning in warnings)


def test_copies_that_follow_each_row_are_warned_of(tmp_path: Path) -> None:
    """Labels alone, three times each: runs of other cases have no common divisor."""
    frame = predictions(1, size=60).select("truth", "prediction")
    frame[[row for row in range(60) for _ in range(3)]].write_csv(tmp_path / "a.csv")
    warnings = read(tmp_path, SINGLE, TASK, "").warnings
    assert any("every row is followed by its copy, 3 times" in warning for warning in warnings)

    frame.write_csv(tmp_path / "a.csv")
    assert not read(tmp_path, SINGLE, TASK, "").warnings


def test_rows_of_different_cases_are_not_warned_of(tmp_path: Path) -> None:
    """Truths in a regular order, a unique id, and a feature named like no model."""
    frame = predictions(1, size=60).with_columns(truth=pl.int_range(60) % 2, region=pl.lit("a"))
    frame.write_csv(tmp_path / "a.csv")

    assert not read(tmp_path, SINGLE, TASK, "").warnings


def test_a_column_with_unequal_truths_is_warned_of(tmp_path: Path) -> None:
    """A model of cars has other truths for each value: a warning does not stop the report."""
    frame = predictions(1, size=60).with_columns(model=pl.int_range(60) % 7)
    frame.select("model", "truth", "prediction").write_csv(tmp_path / "a.csv")

    assert any('model = "model"' in text for text in read(tmp_path, SINGLE, TASK, "").warnings)


def test_the_column_within_which_ids_differ_is_named(tmp_path: Path) -> None:
    """A row for each threshold: `where` keeps one of them."""
    frame = predictions(3).rename({"part": "cutoff", "case": "id"})
    frame.write_csv(tmp_path / "a.csv")

    (fault,) = faults(tmp_path, SINGLE, TASK, "")

    assert 'id = "id"' in (fault.help or "")
    assert 'where = { cutoff = "…" }' in (fault.help or "")


def test_a_column_of_clusters_is_not_taken_for_ids(tmp_path: Path) -> None:
    """Cases of a patient have different truths: one warning says what to do."""
    frame = predictions(1, size=60).with_columns(patient=pl.int_range(60) // 3)
    frame.write_csv(tmp_path / "a.csv")

    (warning,) = read(tmp_path, SINGLE, TASK, "").warnings

    assert 'write `cluster = "patient"`' in warning
