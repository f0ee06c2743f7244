"""The exchange of two classifiers over several classes: whole answers change sides."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.coins import heads
from reportgen.comparisons.pairwise.exchange import SAMPLED
from reportgen.comparisons.pairwise.many_tables import Splits
from reportgen.comparisons.pairwise.step_down import Null
from reportgen.comparisons.pairwise.studentised import studentised_draws
from reportgen.comparisons.pairwise.tables import matrix_of, paired_tables, places_of
from reportgen.frozen import frozen
from reportgen.intervals.slopes import slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.comparisons.pairwise.block import Draws, Hypothesis
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Matrix, Places
    from reportgen.measures import Measure

FEWEST_DRAWS, MOST_DRAWS = 2_000, 20_000
# Draws times kinds of disagreement that are held in memory at once.
MOST_NUMBERS = 10_000_000


@frozen
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
        """Draw how many cases of each kind are straight if either way is equally likely.

        A row per kind, in the order of drawing, and a column per draw.
        """
        single = self.all == 1
        coins = random.integers(0, 2, (many, int(single.sum())), dtype=np.int8)
        return np.concatenate([coins.T, heads(random, self.all[~single].astype(np.int64), many)])

    @property
    def in_order_of_drawing(self) -> Places:
        """The kinds with a single case, for which a coin will do, before those with several."""
        return np.argsort(self.all != 1, kind="stable")


def disagreements(frame: pl.DataFrame, classes: Sequence[str]) -> Disagreements:
    """Gather the cases on which two classifiers gave different answers."""
    numbered = pl.DataFrame(
        {
            "truth": places_of(frame["truth"], classes),
            "first": places_of(frame["first_prediction"], classes),
            "second": places_of(frame["second_prediction"], classes),
            "count": frame["count"],
        }
    )
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
    ordered = sorted(hypotheses, key=lambda one: one.place(classes))
    matrices = (
        matrix_of(frame, classes, "first_prediction"),
        matrix_of(frame, classes, "second_prediction"),
    )
    whole = [_whole(one.measure, matrices, kinds) for one in ordered if one.label is None]
    splits, moved = _drawn(kinds, len(classes), [moves for _, moves in whole], many, draws)
    found, nulls = [np.array([value for value, _ in whole])], [Null.of(moved)]
    tables = paired_tables(frame, classes)
    asked = {
        label: [one.measure for one in group]
        for label, group in groupby(ordered[len(whole) :], key=lambda one: one.label or "")
    }
    for statistics, null in studentised_draws(
        list(asked.values()),
        [tables[label] for label in asked],
        [splits[classes.index(label)] for label in asked],
    ):
        found.append(statistics)
        nulls.append(null)
    return Block(
        pair=pair,
        data="paired",
        test=SAMPLED,
        cases=int(frame["count"].sum()),
        hypotheses=tuple(ordered),
        found=np.concatenate(found),
        nulls=tuple(nulls),
        outcomes=Outcomes.drawn(many),
    )


def _drawn(
    kinds: Disagreements, size: int, whole: Sequence[Numbers], many: int, draws: Draws
) -> tuple[list[Splits], Numbers]:
    """Draw, in parts that memory holds, how often the first alone said each class.

    With it how far that moves the measures of the whole, a row for each.
    """
    rows = np.arange(len(kinds.truth))
    said = np.zeros((2, len(rows), size))
    said[:, rows, kinds.one] += 1
    said[:, rows, kinds.other] -= 1
    is_class = np.equal.outer(kinds.truth, np.arange(size))
    said[0][~is_class] = 0
    said[1][is_class] = 0
    # Whoever did not give the one answer gave the other.
    always = [np.where(part < 0, kinds.all[:, None], 0).sum(axis=0) for part in said]
    moves = np.array(whole).reshape(len(whole), len(rows))
    # A case that is straight instead of turned moves a measure there and not back.
    effects = np.concatenate([said[0].T, said[1].T, 2 * moves])
    start = np.concatenate([*always, -(moves @ kinds.all)])
    effects = effects[:, kinds.in_order_of_drawing]
    random = draws.random()
    part = max(1, MOST_NUMBERS // max(1, len(rows)))
    drawn = [effects @ kinds.draw(random, min(part, many - done)) for done in range(0, many, part)]
    found = np.concatenate(drawn, axis=1) + start[:, None]
    splits = [
        Splits(hits, alarms)
        for hits, alarms in zip(found[:size], found[size : 2 * size], strict=True)
    ]
    return splits, found[2 * size :]


def _whole(
    measure: Measure, matrices: tuple[Matrix, Matrix], kinds: Disagreements
) -> tuple[float, Numbers]:
    """Return the statistic of a measure of the whole matrix, and how flips move it at first."""
    first, second = (slopes_of_whole(measure, matrix) for matrix in matrices)
    moved = np.zeros(len(kinds.truth))
    for slopes in (first, second):
        moved += (slopes.at(kinds.truth, kinds.one) - slopes.at(kinds.truth, kinds.other)) / 2
    error = float(np.sqrt((moved**2 * kinds.all).sum()))
    if not error:
        return 0.0, moved
    return (first.value - second.value) / error, moved / error
