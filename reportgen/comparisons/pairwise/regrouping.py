"""Two classifiers known by their counts only: whose answer it was is exchanged case by case.

If neither is better, the answers to the cases of a class could as well have been dealt out to the
two the other way round. So, given how often a class was named in all, the first one's count is
hypergeometric, which for sensitivity is Fisher's exact test; and as in the paired exchange, what
the difference in any measure would look like can be enumerated for all measures at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.comparisons.pairwise.block import Block, Outcomes
from reportgen.comparisons.pairwise.exchange import DRAWS, MOST_OUTCOMES, REMOTE
from reportgen.comparisons.pairwise.studentised import Counts, studentised_apart
from reportgen.intervals.matrix import Matrix
from reportgen.intervals.slopes import slopes_of_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.comparisons.pairwise.block import Draws, Hypothesis
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

Whole: TypeAlias = "npt.NDArray[np.int64]"
EXACT, SAMPLED = "regrouping, exact", "regrouping, sampled"
FEWEST_DRAWS, MOST_DRAWS = 1_000, 10_000
MOST_NUMBERS = 10_000_000
# Beyond so many cases a hypergeometric number is normal to all intents.
MOST_DEALT = 10**8


@dataclass(frozen=True, slots=True)
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
    ordered = sorted(hypotheses, key=lambda one: _place(one.label, classes))
    labels = {hypothesis.label for hypothesis in ordered}
    if len(labels) == 1 and None not in labels:
        null, outcomes = _of_one_class(matrices, classes, ordered, draws)
    else:
        null, outcomes = _of_all_classes(matrices, classes, ordered, draws)
    return Block(
        pair=pair,
        data="unpaired",
        test=EXACT if outcomes.exact else SAMPLED,
        cases=int(min(matrix.total for matrix in matrices)),
        hypotheses=tuple(ordered),
        found=np.array([_found(one, matrices, classes) for one in ordered]),
        null=null,
        outcomes=outcomes,
    )


def _place(label: str | None, classes: Sequence[str]) -> int:
    return -1 if label is None else classes.index(label)


def _ways(things: int, chosen: Numbers) -> Numbers:
    """Return the logarithm of the number of ways to choose some of the things."""
    from scipy.special import gammaln

    ways = gammaln(things + 1) - gammaln(chosen + 1) - gammaln(things - chosen + 1)
    return np.asarray(ways, dtype=np.float64)


def _found(
    hypothesis: Hypothesis, matrices: tuple[Matrix, Matrix], classes: Sequence[str]
) -> float:
    if hypothesis.label is None:
        return _whole(hypothesis.measure, matrices)[0]
    place = classes.index(hypothesis.label)
    first, second = (_counts_of(matrix, place) for matrix in matrices)
    return float(studentised_apart(hypothesis.measure, first, second)[0])


def _counts_of(matrix: Matrix, place: int) -> Counts:
    counts = matrix.class_counts()
    return Counts(*(counts[name][place : place + 1] for name in ("tp", "fn", "fp", "tn")))


def _of_one_class(
    matrices: tuple[Matrix, Matrix],
    classes: Sequence[str],
    hypotheses: Sequence[Hypothesis],
    draws: Draws,
) -> tuple[Numbers, Outcomes]:
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
    return np.array(
        [
            studentised_apart(one.measure, *_dealt(hits, alarms, got_hits, got_alarms))
            for one in hypotheses
        ]
    ), outcomes


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
) -> tuple[Numbers, Outcomes]:
    """Deal out whole rows of the matrices: the answers to the cases of one true class each."""
    first, second = (_dense(matrix) for matrix in matrices)
    fitting = int(np.clip(MOST_NUMBERS // first.size, FEWEST_DRAWS, MOST_DRAWS))
    random, many = draws.random(), max(fitting, draws.least)
    pooled = (first + second).astype(np.int64)
    dealt = np.stack(
        [
            _deal_row(random, row, int(mine), many)
            for row, mine in zip(pooled, first.sum(axis=1), strict=True)
        ],
        axis=1,
    )
    null: list[Numbers] = []
    for label, asked in groupby(hypotheses, key=lambda one: one.label):
        if label is None:
            null += [_whole(one.measure, matrices, dealt)[1] for one in asked]
            continue
        place = classes.index(label)
        mine = _drawn_counts(dealt, place)
        theirs = _drawn_counts(pooled[None] - dealt, place)
        null += [studentised_apart(one.measure, mine, theirs) for one in asked]
    return np.array(null), Outcomes.drawn(many)


def _deal_row(random: np.random.Generator, row: Whole, mine: int, many: int) -> Numbers:
    if row.sum() < MOST_DEALT:
        drawn = random.multivariate_hypergeometric(row, mine, many, method="marginals")
        return drawn.astype(np.float64)
    drawn = random.multinomial(mine, row / row.sum(), many)
    return np.minimum(drawn, row).astype(np.float64)


def _dense(matrix: Matrix) -> Numbers:
    cells = np.zeros((matrix.size, matrix.size))
    cells[matrix.truth, matrix.prediction] = matrix.counts
    return cells


def _drawn_counts(dealt: Numbers, place: int) -> Counts:
    tp = dealt[:, place, place]
    true, predicted = dealt[:, place, :].sum(axis=1), dealt[:, :, place].sum(axis=1)
    every = dealt.sum(axis=(1, 2))
    return Counts(tp, true - tp, predicted - tp, every - true - predicted + tp)


def _whole(
    measure: Measure, matrices: tuple[Matrix, Matrix], dealt: Numbers | None = None
) -> tuple[float, Numbers]:
    """Return the statistic of a measure of the whole matrix, and its draws, to first order."""
    first, second = (_dense(matrix) for matrix in matrices)
    both = Matrix.of(first + second)
    slopes = slopes_of_whole(measure, both)
    cells = slopes.cells
    # The slopes are those of both together; a case weighs more in the matrix of one alone.
    moves = [cells * both.total / matrix.sum() for matrix in (first, second)]
    shares = (first + second) / np.maximum(1, (first + second).sum(axis=1, keepdims=True))
    error = 0.0
    for matrix, moved in zip((first, second), moves, strict=True):
        sizes = matrix.sum(axis=1)
        spread = (shares * moved**2).sum(axis=1) - (shares * moved).sum(axis=1) ** 2
        error += float((sizes * spread).sum())
    if error <= 0:
        return 0.0, np.zeros(0 if dealt is None else len(dealt))
    values = [slopes_of_whole(measure, matrix).value for matrix in matrices]
    found = (values[0] - values[1]) / np.sqrt(error)
    if dealt is None:
        return float(found), np.zeros(0)
    mine = (dealt * moves[0]).sum(axis=(1, 2))
    theirs = ((first + second)[None] - dealt) * moves[1]
    drawn = (mine - theirs.sum(axis=(1, 2))) / np.sqrt(error)
    return float(found), drawn - drawn.mean()
