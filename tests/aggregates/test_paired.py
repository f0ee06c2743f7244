"""Joint counts of two classifiers' predictions."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from reportgen.aggregates import paired
from reportgen.aggregates.paired import PairedPredictionCounts, count_paired_predictions

if TYPE_CHECKING:
    from collections.abc import Mapping

CLASSES = ("rust", "oak", "ash")
MANY = [f"model {number}" for number in range(paired.MAX_SEPARATE_CLASSIFIERS + 1)]


def draw_cases(classifiers: list[str]) -> dict[str, pl.DataFrame]:
    """Return predictions of 200 cases by each classifier."""
    random = np.random.default_rng(7)
    labels = pl.Series(CLASSES, dtype=pl.Enum(CLASSES))
    truth = labels[random.integers(0, 3, 200)].alias("truth")
    return {
        name: pl.DataFrame([truth, labels[random.integers(0, 3, 200)].alias("prediction")])
        for name in classifiers
    }


def count_row_by_row(
    cases: Mapping[str, pl.DataFrame], weights: pl.Series
) -> dict[tuple[str, ...], float]:
    """Count truth and both predictions in a loop over the cases."""
    counts: dict[tuple[str, ...], float] = {}
    for first, second in combinations(cases, 2):
        rows = zip(
            cases[first]["truth"],
            cases[first]["prediction"],
            cases[second]["prediction"],
            weights,
            strict=True,
        )
        for *labels, weight in rows:
            key = (first, second, *map(str, labels))
            counts[key] = counts.get(key, 0) + weight
    return counts


WEIGHTS = {
    "cases": None,
    "counts": pl.Series("count", np.arange(200) % 4 + 1),
    "weights": pl.Series("count", np.linspace(0.1, 3, 200)),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("classifiers", [["A", "B", "C"], MANY], ids=["few", "many"])
def test_counts_of_every_pair(classifiers: list[str], weights: pl.Series | None) -> None:
    """Every pair of classifiers has the counts of a loop over the cases."""
    cases = draw_cases(classifiers)

    counted = count_paired_predictions(cases, weights)

    one_by_one = pl.Series([1] * 200) if weights is None else weights
    expected = count_row_by_row(cases, one_by_one)
    assert {row[:-1]: row[-1] for row in counted.iter_rows()} == pytest.approx(expected)
    assert len(counted) == len(expected)


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_both_ways_of_counting_give_the_same_frame(
    weights: pl.Series | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few and many classifiers are counted in two ways with one result."""
    cases = draw_cases(MANY)
    together = count_paired_predictions(cases, weights)

    monkeypatch.setattr(paired, "MAX_SEPARATE_CLASSIFIERS", len(MANY))

    assert_frame_equal(together, count_paired_predictions(cases, weights))


def test_counts_of_a_pair_in_either_order() -> None:
    """A pair may be named in either order."""
    counts = PairedPredictionCounts(count_paired_predictions(draw_cases(["A", "B"])), CLASSES)

    frame = counts.pair_counts("B", "A")

    assert counts.has_pair("B", "A")
    assert_frame_equal(
        counts.pair_counts("A", "B"),
        frame.select(
            "truth",
            first_prediction="second_prediction",
            second_prediction="first_prediction",
            count="count",
        ),
    )
    assert counts.pair_counts("A", "C").is_empty()


@pytest.mark.parametrize("pair", [("A", "C"), ("C", "A")])
def test_tables_of_all_pairs_are_those_of_a_loop_over_the_cases(pair: tuple[str, str]) -> None:
    """Agreement on the cases of a class, on the others, and in being correct."""
    cases = draw_cases(["A", "B", "C"])
    counts = PairedPredictionCounts(count_paired_predictions(cases), CLASSES)
    rows = list(
        zip(
            cases["A"]["truth"],
            *(cases[name]["prediction"] for name in pair),
            strict=True,
        )
    )

    def agreement(chosen: list[tuple[bool, bool]]) -> tuple[int, ...]:
        return tuple(
            chosen.count(answers)
            for answers in ((True, True), (True, False), (False, True), (False, False))
        )

    for label, table in counts.contingency_tables(*pair).items():
        for side, is_class in ((table.positives, True), (table.negatives, False)):
            answers = [
                (first == label, second == label)
                for truth, first, second in rows
                if (truth == label) == is_class
            ]
            assert (side.both, side.first_only, side.second_only, side.neither) == agreement(
                answers
            )
    correct = counts.correctness_table(*pair)
    assert (
        correct.both,
        correct.first_only,
        correct.second_only,
        correct.neither,
    ) == agreement([(first == truth, second == truth) for truth, first, second in rows])
