"""The exchange of two classifiers over several classes: whole answers change sides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons.pairwise.block import Block, Hypothesis, Outcomes
from reportgen.comparisons.pairwise.exchange import SAMPLED
from reportgen.comparisons.pairwise.studentised import (
    Splits,
    found_splits,
    studentised,
    studentised_draws,
)
from reportgen.comparisons.pairwise.tables import paired_table
from reportgen.intervals.matrix import Matrix
from reportgen.intervals.slopes import slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

FEWEST_DRAWS, MOST_DRAWS = 2_000, 20_000
# Draws times kinds of disagreement that are held in memory at once.
MOST_NUMBERS = 20_000_000


@dataclass(frozen=True, slots=True)
class Disagreements:
    """Kinds of cases on which two classifiers differ: true class, and the two answers.

    `straight` counts the cases where the first gave the one answer, `turned` where the second did.
    """

    truth: npt.NDArray[np.int64]
    one: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    straight: Numbers
    turned: Numbers

    @property
    def all(self) -> Numbers:
        """How many cases there are of each kind."""
        return self.straight + self.turned

    def draw(self, seed: int) -> Numbers:
        """Draw how many cases of each kind are straight if either way is equally likely."""
        kinds = max(1, len(self.truth))
        many = int(np.clip(MOST_NUMBERS // kinds, FEWEST_DRAWS, MOST_DRAWS))
        random = np.random.default_rng(seed)
        return random.binomial(self.all.astype(np.int64), 0.5, (many, len(self.truth))).astype(
            np.float64
        )


def disagreements(frame: pl.DataFrame, classes: Sequence[str]) -> Disagreements:
    """Gather the cases on which two classifiers gave different answers."""
    number = {label: place for place, label in enumerate(classes)}
    numbered = frame.select(
        *(
            pl.col(name).replace_strict(number, return_dtype=pl.Int64)
            for name in ("truth", "first_prediction", "second_prediction")
        ),
        "count",
    ).rename({"first_prediction": "first", "second_prediction": "second"})
    first, second, count = pl.col("first"), pl.col("second"), pl.col("count")
    kinds = (
        numbered.filter(first != second)
        .group_by(
            "truth", one=pl.min_horizontal(first, second), other=pl.max_horizontal(first, second)
        )
        .agg(straight=count.filter(first < second).sum(), turned=count.filter(first > second).sum())
        .sort("truth", "one", "other")
    )
    truth, one, other, straight, turned = (kinds[name].to_numpy() for name in kinds.columns)
    return Disagreements(truth, one, other, straight.astype(np.float64), turned.astype(np.float64))


def flip_block(
    pair: tuple[str, str],
    frame: pl.DataFrame,
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    seed: int,
) -> Block:
    """Test measures of every class against the rest and of the whole matrix at once."""
    kinds = disagreements(frame, classes)
    drawn = kinds.draw(seed)
    statistics: list[tuple[float, Numbers]] = []
    ordered = sorted(hypotheses, key=lambda one: _place(one.label, classes))
    for label, asked in groupby(ordered, key=lambda one: one.label):
        if label is None:
            statistics += [_whole(one.measure, frame, classes, kinds, drawn) for one in asked]
            continue
        table = paired_table(frame, label)
        measures = [one.measure for one in asked]
        drawn_splits = _splits(kinds, drawn, classes.index(label))
        nulls = studentised_draws(measures, table, drawn_splits)
        found = (studentised(measure, table, found_splits(table)) for measure in measures)
        statistics += [(float(one[0]), null) for one, null in zip(found, nulls, strict=True)]
    return Block(
        pair=pair,
        data="paired",
        test=SAMPLED,
        cases=int(frame["count"].sum()),
        hypotheses=tuple(ordered),
        found=np.array([found for found, _ in statistics]),
        null=np.array([null for _, null in statistics]),
        outcomes=Outcomes.drawn(len(drawn)),
    )


def _place(label: str | None, classes: Sequence[str]) -> int:
    return -1 if label is None else classes.index(label)


def _splits(kinds: Disagreements, drawn: Numbers, label: int) -> Splits:
    """Return, for each draw, how often the first alone said the class, on its cases and others."""
    says_one, says_other = kinds.one == label, kinds.other == label
    is_class = kinds.truth == label

    def said(chosen: npt.NDArray[np.bool_]) -> Numbers:
        straight, turned = chosen & says_one, chosen & says_other
        return np.asarray(
            drawn[:, straight].sum(axis=1) + (kinds.all[turned] - drawn[:, turned]).sum(axis=1)
        )

    return Splits(said(is_class), said(~is_class))


def _whole(
    measure: Measure,
    frame: pl.DataFrame,
    classes: Sequence[str],
    kinds: Disagreements,
    drawn: Numbers,
) -> tuple[float, Numbers]:
    """Return the statistic of a measure of the whole matrix, and its draws, to first order."""
    first, second = (
        slopes_of_whole(measure, matrix_of(frame, classes, name))
        for name in ("first_prediction", "second_prediction")
    )
    moved = np.zeros(len(kinds.truth))
    for slopes in (first, second):
        at_one = slopes.column[kinds.one] + np.where(
            kinds.one == kinds.truth, slopes.right[kinds.truth], 0.0
        )
        at_other = slopes.column[kinds.other] + np.where(
            kinds.other == kinds.truth, slopes.right[kinds.truth], 0.0
        )
        moved += (at_one - at_other) / 2
    error = float(np.sqrt((moved**2 * kinds.all).sum()))
    if not error:
        return 0.0, np.zeros(len(drawn))
    return (first.value - second.value) / error, (2 * drawn - kinds.all) @ moved / error


def matrix_of(frame: pl.DataFrame, classes: Sequence[str], answers: str) -> Matrix:
    """Return the confusion matrix of one of the two classifiers."""
    number = {label: place for place, label in enumerate(classes)}
    counts = frame.group_by("truth", answers).agg(pl.col("count").sum()).sort("truth", answers)
    truth, prediction = (
        counts[name].replace_strict(number, return_dtype=pl.Int64).to_numpy()
        for name in ("truth", answers)
    )
    return Matrix(truth, prediction, counts["count"].to_numpy().astype(np.float64), len(classes))
