"""How often the same answers were given."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from reportgen.predictions.duplicates import count_label_combinations

FEW = pl.Enum(["no", "yes"])
MANY = pl.Enum([f"class {number}" for number in range(20)])


def answers(classes: pl.Enum, *, folds: bool, size: int = 1_000) -> pl.DataFrame:
    """Draw answers, of which those of the last class are never predicted."""
    random = np.random.default_rng(3)
    labels = classes.categories
    fold = [str(number) for number in random.integers(1, 4, size)] if folds else [None] * size
    return pl.DataFrame(
        {
            "fold": pl.Series(fold),
            "truth": labels.gather(random.integers(0, len(labels), size)).cast(classes),
            "prediction": labels.gather(random.integers(0, len(labels) - 1, size)).cast(classes),
        }
    )


@pytest.mark.parametrize("classes", [FEW, MANY, pl.Categorical()])
@pytest.mark.parametrize("folds", [False, True])
def test_every_answer_is_counted_once_whatever_labels_are_held_as(
    classes: pl.Enum | pl.Categorical, *, folds: bool
) -> None:
    """Compared with few classes or looked up, the counts are those of counting the texts."""
    cases = answers(MANY if classes == MANY else FEW, folds=folds)
    cases = cases.with_columns(pl.col("truth", "prediction").cast(classes))
    texts = zip(*(cases[name].cast(pl.String).to_list() for name in cases.columns), strict=True)
    expected: dict[tuple[str | None, ...], int] = {}
    for text in texts:
        expected[text] = expected.get(text, 0) + 1

    counted = count_label_combinations(cases).collect()

    frame = counted.select(pl.col("fold", "truth", "prediction").cast(pl.String), "count")
    assert {tuple(row[:-1]): row[-1] for row in frame.rows()} == expected
    assert counted.schema["truth"] == classes


def test_rows_may_stand_for_several_cases() -> None:
    """Two rows of 3 and 4 cases with the same answers are 7 cases; another one is 5."""
    cases = pl.DataFrame(
        {"fold": [None] * 3, "truth": ["yes", "no", "yes"], "prediction": ["yes"] * 3},
        {"fold": pl.Null, "truth": FEW, "prediction": FEW},
    )

    counted = count_label_combinations(cases, pl.Series([3, 5, 4])).collect()

    assert sorted(counted.select("truth", "prediction", "count").rows()) == [
        ("no", "yes", 5),
        ("yes", "yes", 7),
    ]


def test_cases_without_an_answer_are_counted_too() -> None:
    """Null is an answer of its own, though no class equals it."""
    cases = pl.DataFrame(
        {"fold": [None] * 3, "truth": ["yes", None, "yes"], "prediction": ["yes"] * 3},
        {"fold": pl.Null, "truth": FEW, "prediction": FEW},
    )

    counted = count_label_combinations(cases).collect()

    assert set(counted.select("truth", "count").rows()) == {("yes", 2), (None, 1)}
