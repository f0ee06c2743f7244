"""Two classifiers known by their counts only: whose answer it was is exchanged case by case.

If neither is better, the answers to the cases of a class could as well have been dealt out to the
two the other way round. So, given how often a class was named in all, the first one's count is
hypergeometric, which for sensitivity is Fisher's exact test; and as in the paired exchange, what
the difference in any measure would look like can be enumerated for all measures at once.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.exchange import DRAWS, MOST_OUTCOMES, REMOTE
from reportgen.comparisons.pairwise.step_down import Null
from reportgen.comparisons.pairwise.studentised import Counts, by_table, studentised_apart
from reportgen.frozen import frozen
from reportgen.intervals.matrix import Matrix
from reportgen.intervals.slopes import slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from reportgen.comparisons.pairwise.block import Draws, Hypothesis
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

Whole: TypeAlias = "npt.NDArray[np.int64]"
EXACT, SAMPLED = "regrouping, exact", "regrouping, sampled"
FEWEST_DRAWS, MOST_DRAWS = 1_000, 4_000
MOST_NUMBERS = 10_000_000
# Beyond so many cases a hypergeometric number is normal to all intents.
MOST_DEALT = 10**8


@frozen
class Deal:
    """Answers of one kind to cases that both classifiers had: `named` of them in all."""

    named: int
    first_cases: int
    second_cases: int

    @property
    def cases(self) -> int:
        """How many answers were given in all."""
        return self.first_cases + self.second_cases

    def likely(self) -> tuple[Numbers, Numbers] | None:
        """Return what the first may have got of them, with probabilities; None: too many."""
        least, most = max(0, self.named - self.second_cases), min(self.named, self.first_cases)
        spread = 10 * self._spread() + 1
        middle = self._mean()
        from_, to = max(least, int(middle - spread)), min(most, int(middle + spread) + 1)
        if to - from_ >= MOST_OUTCOMES:
            return None
        got = np.arange(from_, to + 1, dtype=np.float64)
        weights = np.exp(
            _ways(self.first_cases, got)
            + _ways(self.second_cases, self.named - got)
            - _ways(self.cases, np.array(float(self.named)))
        )
        kept = weights > REMOTE / max(1, len(got))
        return got[kept], weights[kept]

    def draw(self, random: np.random.Generator, many: int) -> Numbers:
        """Draw what the first may have got of them."""
        if self.cases < MOST_DEALT:
            dealt = random.hypergeometric(
                self.named, self.cases - self.named, self.first_cases, many
            )
            return dealt.astype(np.float64)
        drawn = np.rint(random.normal(self._mean(), self._spread(), many))
        return np.clip(drawn, max(0, self.named - self.second_cases), self.first_cases)

    def _mean(self) -> float:
        return self.first_cases * self.named / max(1, self.cases)

    def _spread(self) -> float:
        share = self.named / max(1, self.cases)
        left = self.second_cases / max(1, self.cases - 1)
        return float(np.sqrt(self.first_cases * share * (1 - share) * left))


def regrouping_block(
    pair: tuple[str, str],
    matrices: tuple[Matrix, Matrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    draws: Draws,
) -> Block:
    """Test two classifiers of which only the counts are known."""
    ordered = sorted(hypotheses, key=lambda one: one.place(classes))
    labels = {hypothesis.label for hypothesis in ordered}
    if len(labels) == 1 and None not in labels:
        found, nulls, outcomes = _of_one_class(matrices, classes, ordered, draws)
    else:
        found, nulls, outcomes = _of_all_classes(matrices, classes, ordered, draws)
    return Block(
        pair=pair,
        data="unpaired",
        test=EXACT if outcomes.exact else SAMPLED,
        cases=int(min(matrix.total for matrix in matrices)),
        hypotheses=tuple(ordered),
        found=found,
        nulls=nulls,
        outcomes=outcomes,
    )


def _ways(things: int, chosen: Numbers) -> Numbers:
    """Return the logarithm of the number of ways to choose some of the things."""
    from scipy.special import gammaln

    ways = gammaln(things + 1) - gammaln(chosen + 1) - gammaln(things - chosen + 1)
    return np.asarray(ways, dtype=np.float64)


def _counts_of(matrix: Matrix, place: int) -> Counts:
    counts = matrix.class_counts
    return Counts(*(counts[name][place : place + 1] for name in ("tp", "fn", "fp", "tn")))


def _of_one_class(
    matrices: tuple[Matrix, Matrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    draws: Draws,
) -> tuple[Numbers, tuple[Null, ...], Outcomes]:
    label = hypotheses[0].label or ""
    first, second = (_counts_of(matrix, classes.index(label)) for matrix in matrices)
    hits, alarms = (
        Deal(int(one[0] + other[0]), int((one + rest)[0]), int((other + other_rest)[0]))
        for one, rest, other, other_rest in (
            (first.tp, first.fn, second.tp, second.fn),
            (first.fp, first.tn, second.fp, second.tn),
        )
    )
    of_hits, of_alarms = hits.likely(), alarms.likely()
    if of_hits and of_alarms and len(of_hits[0]) * len(of_alarms[0]) <= MOST_OUTCOMES:
        (hit, hit_weights), (alarm, alarm_weights) = of_hits, of_alarms
        weights = np.outer(hit_weights, alarm_weights).ravel()
        outcomes = Outcomes(weights, max(0.0, 1.0 - float(weights.sum())), exact=True)
        got_hits, got_alarms = np.repeat(hit, len(alarm)), np.tile(alarm, len(hit))
    else:
        random, many = draws.random(), max(DRAWS, draws.least)
        outcomes = Outcomes.drawn(many)
        got_hits, got_alarms = hits.draw(random, many), alarms.draw(random, many)
    sides = _dealt(hits, alarms, np.append(first.tp, got_hits), np.append(first.fp, got_alarms))
    both = np.array([studentised_apart(one.measure, *sides) for one in hypotheses])
    return both[:, 0], (Null.of(both[:, 1:]),), outcomes


def _dealt(
    hits: Deal, alarms: Deal, got_hits: Numbers, got_alarms: Numbers
) -> tuple[Counts, Counts]:
    left_hits, left_alarms = hits.named - got_hits, alarms.named - got_alarms
    return (
        Counts(got_hits, hits.first_cases - got_hits, got_alarms, alarms.first_cases - got_alarms),
        Counts(
            left_hits, hits.second_cases - left_hits, left_alarms, alarms.second_cases - left_alarms
        ),
    )


def _of_all_classes(
    matrices: tuple[Matrix, Matrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    draws: Draws,
) -> tuple[Numbers, tuple[Null, ...], Outcomes]:
    """Deal out whole rows of the matrices: the answers to the cases of one true class each."""
    first, second = (_dense(matrix) for matrix in matrices)
    random, many = draws.random(), draws.fitting(first.size, MOST_NUMBERS, FEWEST_DRAWS, MOST_DRAWS)
    pooled = (first + second).astype(np.int64)
    dealt = _deal_rows(random, pooled, first.sum(axis=1).astype(np.int64), many)
    # What was found goes first, to be worked out together with what was drawn.
    dealt = np.concatenate([first[None], dealt])
    asked = {
        label: [one.measure for one in group]
        for label, group in groupby(hypotheses, key=lambda one: one.label)
    }
    parts: list[tuple[Numbers, Null]] = []
    if None in asked:
        both = np.array([_whole(measure, matrices, dealt) for measure in asked.pop(None)])
        parts.append((both[:, 0], Null.of(both[:, 1:])))
    places = [classes.index(label) for label in asked if label is not None]
    parts += _of_each_class(list(asked.values()), places, dealt, pooled)
    return (
        np.concatenate([found for found, _ in parts]),
        tuple(null for _, null in parts),
        Outcomes.drawn(many),
    )


def _of_each_class(
    measures: Sequence[Sequence[Measure]], places: Sequence[int], dealt: Numbers, pooled: Whole
) -> Iterator[tuple[Numbers, Null]]:
    """Return the statistics of some classes, found and drawn; all are worked out together."""
    if not places:
        return
    firsts, seconds, columns = [], [], []
    for place in places:
        hits, alarms, got_hits, got_alarms = _of_class(dealt, pooled, place)
        # The same split comes up again and again, and is worked out once.
        stride = alarms.cases + 1
        keys = (got_hits * stride + got_alarms).astype(np.int64)
        different, column = np.unique(keys, return_inverse=True)
        first, second = _dealt(hits, alarms, *np.divmod(different.astype(np.float64), stride))
        firsts.append(first)
        seconds.append(second)
        columns.append(column)
    times = [len(counts.tp) for counts in firsts]
    sides = Counts.joined(firsts), Counts.joined(seconds)
    yield from by_table(
        measures, columns, times, lambda measure: studentised_apart(measure, *sides)
    )


def _of_class(dealt: Numbers, pooled: Whole, place: int) -> tuple[Deal, Deal, Numbers, Numbers]:
    """Return what there was to deal out about a class, and what the first got of it."""
    mine = dealt[0].sum(axis=1)
    every = pooled.sum(axis=1)
    first, total = int(mine[place]), int(every[place])
    hits = Deal(int(pooled[place, place]), first, total - first)
    others, all_others = int(mine.sum()) - first, int(every.sum()) - total
    named = int(pooled[:, place].sum()) - hits.named
    got_hits = dealt[:, place, place]
    got_alarms = dealt[:, :, place].sum(axis=1) - got_hits
    return hits, Deal(named, others, all_others - others), got_hits, got_alarms


def _deal_rows(random: np.random.Generator, pooled: Whole, mine: Whole, many: int) -> Numbers:
    """Deal out the answers of every true class, one kind of answer after the other."""
    if pooled.sum(axis=1).max() >= MOST_DEALT:
        shares = pooled / np.maximum(1, pooled.sum(axis=1, keepdims=True))
        drawn = random.multinomial(mine, shares, (many, len(mine)))
        return np.minimum(drawn, pooled).astype(np.float64)
    dealt = np.empty((many, *pooled.shape))
    left, wanted = pooled.sum(axis=1), np.tile(mine, (many, 1))
    for column in range(pooled.shape[1]):
        there = pooled[:, column]
        left = left - there
        got = random.hypergeometric(there, left, np.minimum(wanted, there + left))
        dealt[:, :, column] = got
        wanted = wanted - got
    return dealt


def _dense(matrix: Matrix) -> Numbers:
    cells = np.zeros((matrix.size, matrix.size))
    cells[matrix.truth, matrix.prediction] = matrix.counts
    return cells


def _whole(measure: Measure, matrices: tuple[Matrix, Matrix], dealt: Numbers) -> Numbers:
    """Return the statistic of a measure of the whole matrix, found and drawn (to first order)."""
    first, second = (_dense(matrix) for matrix in matrices)
    both = Matrix.of(first + second)
    cells = slopes_of_whole(measure, both).cells
    # The slopes are those of both together; a case weighs more in the matrix of one alone.
    moves = [cells * both.total / matrix.sum() for matrix in (first, second)]
    shares = (first + second) / np.maximum(1, (first + second).sum(axis=1, keepdims=True))
    variance = 0.0
    for matrix, moved in zip((first, second), moves, strict=True):
        spread = (shares * moved**2).sum(axis=1) - (shares * moved).sum(axis=1) ** 2
        variance += float((matrix.sum(axis=1) * spread).sum())
    if variance <= 0:
        return np.zeros(len(dealt))
    values = [slopes_of_whole(measure, matrix).value for matrix in matrices]
    # What the first does not get the second has.
    moved = dealt.reshape(len(dealt), -1) @ (moves[0] + moves[1]).ravel()
    drawn = moved[1:] - moved[1:].mean()
    return np.asarray(np.append(values[0] - values[1], drawn) / np.sqrt(variance))
