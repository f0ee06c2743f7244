"""The exchange of two classifiers over several classes: whole answers change sides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.exchange import SAMPLED
from reportgen.comparisons.pairwise.studentised import Splits, studentised_draws
from reportgen.comparisons.pairwise.tables import matrix_of, paired_tables
from reportgen.intervals.slopes import slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.comparisons.pairwise.block import Draws, Hypothesis
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

FEWEST_DRAWS, MOST_DRAWS = 2_000, 20_000
# Draws times kinds of disagreement that are held in memory at once.
MOST_NUMBERS = 10_000_000


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

    def draw(self, random: np.random.Generator, many: int) -> Numbers:
        """Draw how many cases of each kind are straight if either way is equally likely."""
        drawn = np.empty((many, len(self.truth)))
        single = self.all == 1
        drawn[:, single] = random.integers(0, 2, (many, int(single.sum())), dtype=np.int8)
        several = self.all[~single].astype(np.int64)
        drawn[:, ~single] = random.binomial(several, 0.5, (many, len(several)))
        return drawn


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
    draws: Draws,
) -> Block:
    """Test measures of every class against the rest and of the whole matrix at once."""
    kinds = disagreements(frame, classes)
    many = draws.fitting(len(kinds.truth), MOST_NUMBERS, FEWEST_DRAWS, MOST_DRAWS)
    ordered = sorted(hypotheses, key=lambda one: _place(one.label, classes))
    whole = [_whole(one.measure, frame, classes, kinds) for one in ordered if one.label is None]
    hits, alarms, moved = _drawn(kinds, len(classes), [moves for _, moves in whole], many, draws)
    found, null = [value for value, _ in whole], list(moved.T)
    tables = paired_tables(frame, classes)
    for label, asked in groupby(ordered[len(whole) :], key=lambda one: one.label or ""):
        place, measures = classes.index(label), [one.measure for one in asked]
        splits = Splits(hits[:, place], alarms[:, place])
        values, drawn = studentised_draws(measures, tables[label], splits)
        found += values
        null += drawn
    return Block(
        pair=pair,
        data="paired",
        test=SAMPLED,
        cases=int(frame["count"].sum()),
        hypotheses=tuple(ordered),
        found=np.array(found),
        null=np.array(null),
        outcomes=Outcomes.drawn(many),
    )


def _place(label: str | None, classes: Sequence[str]) -> int:
    return -1 if label is None else classes.index(label)


def _drawn(
    kinds: Disagreements, size: int, whole: Sequence[Numbers], many: int, draws: Draws
) -> tuple[Numbers, Numbers, Numbers]:
    """Draw, in parts that memory holds, how often the first alone said each class.

    Among its own cases, among the others, and how far that moves the measures of the whole.
    """
    rows = np.arange(len(kinds.truth))
    said = np.zeros((2, len(rows), size))
    said[:, rows, kinds.one] += 1
    said[:, rows, kinds.other] -= 1
    is_class = np.equal.outer(kinds.truth, np.arange(size))
    said[0][~is_class] = 0
    said[1][is_class] = 0
    # Whoever did not give the one answer gave the other.
    always = np.stack([np.where(part < 0, kinds.all[:, None], 0).sum(axis=0) for part in said])
    moves = np.array(whole).reshape(len(whole), len(rows)).T
    random = draws.random()
    part = max(1, MOST_NUMBERS // max(1, len(rows)))
    found: list[tuple[Numbers, Numbers, Numbers]] = []
    for start in range(0, many, part):
        drawn = kinds.draw(random, min(part, many - start))
        turned = (2 * drawn - kinds.all) @ moves
        found.append((drawn @ said[0] + always[0], drawn @ said[1] + always[1], turned))
    hits, alarms, moved = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return hits, alarms, moved


def _whole(
    measure: Measure, frame: pl.DataFrame, classes: Sequence[str], kinds: Disagreements
) -> tuple[float, Numbers]:
    """Return the statistic of a measure of the whole matrix, and how flips move it at first."""
    first, second = (
        slopes_of_whole(measure, matrix_of(frame, classes, name))
        for name in ("first_prediction", "second_prediction")
    )
    moved = np.zeros(len(kinds.truth))
    for slopes in (first, second):
        moved += (slopes.at(kinds.truth, kinds.one) - slopes.at(kinds.truth, kinds.other)) / 2
    error = float(np.sqrt((moved**2 * kinds.all).sum()))
    if not error:
        return 0.0, moved
    return (first.value - second.value) / error, moved / error
