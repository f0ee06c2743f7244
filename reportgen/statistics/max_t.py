"""Step-down max-T adjustment of correlated tests by a Gaussian copula.

The raw p-values, whatever test they are from, become normal scores; the correlation of the scores
is that of the differences they test. The largest score is compared with the maximum over all
hypotheses, the next one with the maximum over the remaining ones, and so on (Westfall and Young
1993; Hothorn, Bretz and Westfall 2008); of few classifiers only over those of the remaining ones
that can be true together. The tail probability of the maximum is simulated; beyond the resolution
of the simulation it is bounded by the inequality of Hunter (1976).

At a given prevalence two classifiers are two points of sensitivity and specificity. Where a measure
is the ratio of linear functions of these, its contours are straight lines, and two such lines
through the first point meet nowhere else: as soon as any measure is known to differ, at most one of
these measures can be equal, and the others need no adjustment for each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from reportgen.statistics import FloatArray, IndexArray

MAX_SAMPLES = 10_000
# Hypotheses times samples, over all blocks of a family.
MAX_SAMPLED_VALUES = 8_000_000
# With fewer samples beyond a value its probability is bounded instead of estimated.
MIN_EXCEEDANCES = 50
# Correlations of a hypothesis with its neighbour are rounded down to one of these.
CORRELATION_GRID = np.concatenate([np.linspace(0.0, 0.95, 20), [0.975, 0.99, 0.999, 1.0]])
ROUNDING = 1e-9
# Of correlation matrices; below the smallest variance of a difference that counts.
NEGLIGIBLE_EIGENVALUE = ROUNDING / 10
MAX_CORRELATED = 3_000
# Numbers of estimates whose partitions are listed: 6 have 203.
MIN_PARTITIONED, MAX_PARTITIONED = 3, 6
_BISECTIONS = 50
# For more values than these, sorting is quicker than counting.
_FEW_VALUES = 8
_STEPS_AT_ONCE = 256
# Blocks and pairs of points times hypotheses; with more, logical relations are not used.
MAX_RELATED_STEPS = 4_000_000


@dataclass(frozen=True, slots=True)
class JointNormal:
    """Differences of jointly normal estimates: hypothesis h is that `first[h]` equals `second[h]`.

    `covariance` is that of the estimates, `first` and `second` are indices of them.
    """

    covariance: FloatArray
    first: IndexArray
    second: IndexArray

    @property
    def errors(self) -> FloatArray:
        """The standard errors of the differences."""
        spread = np.diag(self.covariance)
        between = self.covariance[self.first, self.second]
        variance = spread[self.first] + spread[self.second] - 2 * between
        # What is left of equal estimates' variances are rounding errors.
        scale = spread[self.first] + spread[self.second]
        varying = np.where(variance > ROUNDING * scale, variance, 0.0)
        return np.asarray(np.sqrt(varying), dtype=np.float64)

    def correlations(self) -> FloatArray:
        """Return the correlation matrix of the differences; 0 for one that does not vary."""
        contrasts = self.covariance[self.first] - self.covariance[self.second]
        products = contrasts[:, self.first] - contrasts[:, self.second]
        with np.errstate(all="ignore"):
            correlations = products / np.outer(self.errors, self.errors)
        np.fill_diagonal(correlations, 1.0)
        finite_correlations = np.where(np.isfinite(correlations), correlations, 0.0)
        return np.asarray(np.clip(finite_correlations, -1.0, 1.0), dtype=np.float64)

    def sample(self, rng: np.random.Generator, n_samples: int) -> FloatArray:
        """Sample the absolute standardised differences: a row per sample.

        A difference without variance is sampled as if it were independent of the others.
        """
        root = symmetric_root(self.covariance)
        estimates = rng.standard_normal((n_samples, len(root))) @ root
        errors = self.errors
        with np.errstate(all="ignore"):
            scores = (estimates[:, self.first] - estimates[:, self.second]) / errors
        flat = np.flatnonzero(errors == 0)
        scores[:, flat] = rng.standard_normal((n_samples, len(flat)))
        return np.asarray(np.abs(scores), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Block:
    """Hypotheses by index, with their joint distribution; None if it is unknown.

    `points` numbers, for each hypothesis, the two points of sensitivity and specificity that it is
    about, negative if it is about something else; `is_straight` tells whether the contours of its
    measure are straight lines. None: no hypothesis is about such points.
    """

    indices: IndexArray
    joint: JointNormal | None
    points: IndexArray | None = None
    is_straight: npt.NDArray[np.bool_] | None = None


@dataclass(frozen=True, slots=True)
class _RankedBlock:
    """A block in the order of testing: largest observed score first.

    Row j of `neighbour_counts` and of `maxima` is about the hypotheses from the j-th on: their
    correlations with neighbours, and their sampled maxima, if sampled.
    """

    places: IndexArray
    neighbour_counts: FloatArray
    maxima: FloatArray | None
    points: tuple[_RankedPoints, ...] = ()
    possible: tuple[_PossibleSet, ...] = ()

    @property
    def has_relations(self) -> bool:
        """Whether not every set of the hypotheses can be true."""
        return bool(self.points or self.possible)

    def possible_tail(self, scores: FloatArray, tails: _NormalTails) -> FloatArray:
        """Return P(max ≥ score), the largest over all sets that can be true and are not tested."""
        start = np.searchsorted(np.sort(self.places), np.arange(len(scores)))
        largest = np.zeros(len(scores))
        ends = [*np.flatnonzero(np.diff(start)) + 1, len(start)]
        for first, end in pairwise([0, *ends]):
            part = slice(first, end)
            left = [one for one in self.possible if min(one.rows) >= start[first]]
            for one in left:
                if not any(one.rows < other.rows for other in left):
                    own = one.tail(scores[part], tails.single[part])
                    largest[part] = np.maximum(largest[part], own)
        return largest

    def tail(self, scores: FloatArray, tails: _NormalTails) -> FloatArray:
        """Return P(max ≥ score), at each step over the hypotheses that are not tested yet."""
        start = np.searchsorted(np.sort(self.places), np.arange(len(scores)))
        return self.bound(tails, start) - self.excess(scores, tails, start)

    def bound(self, tails: _NormalTails, start: IndexArray) -> FloatArray:
        """Bound P(max ≥ score) over the hypotheses from a start on, by Hunter's inequality."""
        left = len(self.places) - start
        used = np.minimum(start, len(self.places) - 1)
        joint_tails = (self.neighbour_counts[used] * tails.joint).sum(axis=1)
        return np.asarray(np.where(left > 0, left * tails.single - joint_tails, 0.0))

    def excess(self, scores: FloatArray, tails: _NormalTails, start: IndexArray) -> FloatArray:
        """Return by how much the bound exceeds the sampled probability, where that is resolved.

        Neither the starts nor the negative scores decrease.
        """
        excess = np.zeros(len(scores))
        if self.maxima is None:
            return excess
        bound = self.bound(tails, start)
        ends = [*np.flatnonzero(np.diff(start)) + 1, len(start)]
        for first, end in pairwise([0, *ends]):
            if start[first] == len(self.places):
                break
            beyond = _count_beyond(self.maxima[start[first]], scores[first:end] - ROUNDING)
            estimate = (beyond + 1) / (self.maxima.shape[1] + 1)
            above = np.maximum(0.0, bound[first:end] - estimate)
            excess[first:end] = np.where(beyond >= MIN_EXCEEDANCES, above, 0.0)
        return excess


@dataclass(frozen=True, slots=True)
class _PossibleSet:
    """Hypotheses of a block that can be true together, by row, with sorted sampled maxima."""

    rows: frozenset[int]
    differences: int
    maxima: FloatArray

    def tail(self, scores: FloatArray, single: FloatArray) -> FloatArray:
        """Return P(max ≥ score): sampled, or bounded where the samples do not resolve it."""
        beyond = len(self.maxima) - np.searchsorted(self.maxima, scores - ROUNDING)
        sampled = (beyond + 1) / (len(self.maxima) + 1)
        bound = self.differences * single
        return np.where(beyond >= MIN_EXCEEDANCES, np.minimum(bound, sampled), bound)


@dataclass(frozen=True, slots=True)
class _RankedPoints:
    """The hypotheses about two points: all of them, and those whose contours are curved.

    `every` is None if they are all of the block; `first_place` is that of the first one tested.
    """

    number: int
    every: _RankedBlock | None
    curved: _RankedBlock | None
    straight_places: IndexArray
    first_place: int

    def tails(
        self, scores: FloatArray, tails: _NormalTails, block_tail: FloatArray
    ) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
        """Return P(max ≥ score) at each step for any two points, and for two that differ.

        The last array tells from which step on the points are known to differ, because a hypothesis
        about them has been rejected.
        """
        steps = np.arange(len(scores))
        every = block_tail if self.every is None else self.every.tail(scores, tails)
        is_known = steps > self.first_place
        if self.number < 0:
            return every, every, is_known
        differing = np.where(steps <= self.straight_places.max(initial=-1), tails.single, 0.0)
        if self.curved is not None:
            differing = differing + self.curved.tail(scores, tails)
        return every, np.minimum(every, differing), is_known


@dataclass(frozen=True, slots=True)
class _NormalTails:
    """Tail probabilities at each score: of one hypothesis, and of two for each correlation."""

    single: FloatArray
    joint: FloatArray

    @classmethod
    def at(cls, scores: FloatArray) -> _NormalTails:
        return cls(two_sided_p(scores), _joint_tails(scores))

    def slice(self, part: slice) -> _NormalTails:
        return _NormalTails(self.single[part], self.joint[part])


@dataclass(frozen=True, slots=True)
class StepDown:
    """Adjusted p-values of a family, and the critical value of its maximum at any level.

    `neighbour_counts` are those of all hypotheses; of the blocks with samples, `sampled` has the
    numbers of hypotheses and their neighbour counts, and `maxima` a row of sampled maxima.
    """

    adjusted: FloatArray
    neighbour_counts: FloatArray
    sampled: tuple[tuple[int, FloatArray], ...]
    maxima: FloatArray

    @classmethod
    def from_blocks(cls, adjusted: FloatArray, blocks: Sequence[_RankedBlock]) -> StepDown:
        """Keep of the blocks what the maximum over all of their hypotheses depends on."""
        sampled = [block for block in blocks if block.maxima is not None]
        return cls(
            adjusted,
            np.sum([block.neighbour_counts[0] for block in blocks], axis=0),
            tuple((len(block.places), block.neighbour_counts[0]) for block in sampled),
            np.array([block.maxima[0] for block in sampled if block.maxima is not None]),
        )

    def critical_value(self, level: float) -> float:
        """Return the value that the maximum score exceeds with at most this probability."""
        low, high = 0.0, 40.0
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            if self._tail(middle) > level:
                low = middle
            else:
                high = middle
        return high

    @property
    def size(self) -> int:
        """The number of hypotheses."""
        return len(self.adjusted)

    def _tail(self, score: float) -> float:
        tails = _NormalTails.at(np.array([score]))
        single, joint = float(tails.single[0]), tails.joint[0]
        bound = self.size * single - float(self.neighbour_counts @ joint)
        if not self.sampled:
            return bound
        sizes = np.array([size for size, _ in self.sampled])
        bounds = sizes * single - np.array([counts for _, counts in self.sampled]) @ joint
        beyond = np.count_nonzero(self.maxima >= score - ROUNDING, axis=1)
        above = np.maximum(0.0, bounds - (beyond + 1) / (self.maxima.shape[1] + 1))
        return bound - float(above[beyond >= MIN_EXCEEDANCES].sum())


def symmetric_root(covariance: FloatArray) -> FloatArray:
    """Return a matrix A with AᵀA = covariance, the same on every machine but for rounding errors.

    It is the symmetric root of the correlation matrix times the standard errors: signs of
    eigenvectors differ between machines, and variances of different measures differ by factors
    that would drown the small ones. Eigenvalues that are rounding errors count as 0, because
    their roots, 1e-8, would be none.
    """
    # A variance of 0 may be a negative rounding error.
    scale = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    divisor = np.where(scale > 0, scale, 1.0)
    values, vectors = np.linalg.eigh(covariance / np.outer(divisor, divisor))
    values = np.where(values > NEGLIGIBLE_EIGENVALUE, values, 0.0)
    return np.asarray((vectors * np.sqrt(values)) @ vectors.T * scale, dtype=np.float64)


def two_sided_p(scores: FloatArray) -> FloatArray:
    """Return the two-sided p-value of normal scores."""
    from scipy.special import ndtr

    return np.asarray(2 * ndtr(-np.abs(scores)), dtype=np.float64)


def normal_scores(p_values: FloatArray) -> FloatArray:
    """Return the normal score of two-sided p-values: 0 for p = 1, 1.96 for p = 0.05."""
    from scipy.special import ndtri

    tiny = np.finfo(np.float64).tiny
    scores = np.maximum(0.0, -ndtri(np.clip(p_values, tiny, 1.0) / 2))
    return np.asarray(scores, dtype=np.float64)


def step_down_max_t(
    p_values: FloatArray,
    blocks: Sequence[Block],
    seed: int = 0,
    gates: Mapping[int, float] | None = None,
) -> StepDown:
    """Adjust p-values for each other, within and over blocks of known correlation.

    The tail probability of the maximum over all blocks is bounded by the sum over the blocks, so
    the correlation between blocks may be anything (Boole's inequality).

    Args:
        p_values: the raw p-values.
        blocks: a partition of the hypotheses.
        seed: the random seed.
        gates: by the number of two points, the level from which on another family shows that they
            differ.
    """
    scores = normal_scores(p_values)
    order = np.argsort(-scores, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    sampled = sum(len(block.indices) for block in blocks if block.joint is not None)
    n_samples = min(MAX_SAMPLES, MAX_SAMPLED_VALUES // max(1, sampled))
    rng = np.random.default_rng(seed)
    parts = sum(1 if block.points is None else np.unique(block.points).size for block in blocks)
    with_relations = parts * len(order) <= MAX_RELATED_STEPS
    ranked_blocks = tuple(
        _rank_block(block, rank, n_samples, rng, with_relations=with_relations) for block in blocks
    )
    result = np.empty(len(order))
    result[order] = _step_down(scores[order], ranked_blocks, gates or {})
    return StepDown.from_blocks(np.maximum(result, p_values), ranked_blocks)


def _step_down(
    scores: FloatArray, blocks: Sequence[_RankedBlock], gates: Mapping[int, float]
) -> FloatArray:
    """Return the adjusted p-values of descending scores, each for the maximum from it on."""
    related = [block for block in blocks if block.has_relations]
    tails = _add_tails(scores, blocks, until_one=not related)
    if not related:
        return _accumulate(tails)
    normal = _NormalTails.at(scores)
    for block in related:
        if block.possible:
            possible = block.possible_tail(scores, normal)
            tails -= np.maximum(0.0, block.tail(scores, normal) - possible)
    about_points = [block for block in related if block.points]
    points = [point for block in about_points for point in block.points]
    block_tails = [block.tail(scores, normal) for block in about_points]
    by_point = [
        [point.tails(scores, normal, own) for point in block.points]
        for block, own in zip(about_points, block_tails, strict=True)
    ]
    gate_levels = sorted({gates[point.number] for point in points if point.number in gates})
    best = np.ones(len(scores))
    for gate in (0.0, *gate_levels):
        less = np.zeros(len(scores))
        for block, own, of_points in zip(about_points, block_tails, by_point, strict=True):
            differing_mass = np.zeros(len(scores))
            for point, (every, differing, is_known) in zip(block.points, of_points, strict=True):
                is_open = gates.get(point.number, np.inf) <= gate
                differing_mass += np.where(is_known | is_open, differing, every)
            less += np.maximum(0.0, own - differing_mass)
        best = np.minimum(best, np.maximum(_accumulate(tails - less), gate))
    return best


def _accumulate(tails: FloatArray) -> FloatArray:
    running_maxima: FloatArray = np.maximum.accumulate(np.clip(tails, 0.0, 1.0))
    return running_maxima


def _add_tails(
    scores: FloatArray, blocks: Sequence[_RankedBlock], *, until_one: bool
) -> FloatArray:
    """Return the tail probabilities of the maxima of all blocks, added.

    The bounds of all blocks are added at once. Samples of a block are looked up only where they
    resolve the tail, and if asked for until the sum is 1, as are all that follow.
    """
    size = len(scores)
    tails = _NormalTails.at(scores)
    # A hypothesis and its neighbour count until the hypothesis has been tested.
    changes = np.zeros((size + 1, len(CORRELATION_GRID)))
    block_tails = []
    for block in blocks:
        places, counts = np.sort(block.places), block.neighbour_counts
        changes[0] += counts[0]
        changes[places[:-1] + 1] -= counts[:-1] - counts[1:]
        if block.maxima is not None and block.maxima.shape[1] >= MIN_EXCEEDANCES:
            largest = np.partition(block.maxima[0], -MIN_EXCEEDANCES)[-MIN_EXCEEDANCES]
            block_tails.append((int(np.searchsorted(-scores, -largest - ROUNDING)), places, block))
    joint_tails = (changes.cumsum(axis=0)[:-1] * tails.joint).sum(axis=1)
    adjusted: FloatArray = np.arange(size, 0, -1) * tails.single - joint_tails
    for begin in range(0, size, _STEPS_AT_ONCE):
        end = min(size, begin + _STEPS_AT_ONCE)
        for first, places, block in block_tails:
            part = slice(max(begin, first), end)
            if part.start < end:
                # How many of the block have been tested before each hypothesis.
                start = np.searchsorted(places, np.arange(part.start, end))
                adjusted[part] -= block.excess(scores[part], tails.slice(part), start)
        if until_one and adjusted[begin:end].max() >= 1:
            adjusted[end:] = 1.0
            break
    return adjusted


def possible_sets(
    first: IndexArray, second: IndexArray, estimates: int
) -> list[npt.NDArray[np.bool_]]:
    """Return the sets of hypotheses that can be true together: one per partition of estimates."""
    partitions: list[list[int]] = [[]]
    for _ in range(estimates):
        partitions = [
            [*groups, group]
            for groups in partitions
            for group in range(max(groups, default=-1) + 2)
        ]
    labels = np.array(partitions)
    together = np.unique(labels[:, first] == labels[:, second], axis=0)
    return [mask for mask in together if mask.any()]


def _count_beyond(sample: FloatArray, values: FloatArray) -> IndexArray:
    """Count the elements of a sample that are at least as large as each value."""
    if len(values) <= _FEW_VALUES:
        return np.array([np.count_nonzero(sample >= value) for value in values])
    return np.asarray(len(sample) - np.searchsorted(np.sort(sample), values), dtype=np.int64)


def _rank_block(
    block: Block,
    rank: IndexArray,
    n_samples: int,
    rng: np.random.Generator,
    *,
    with_relations: bool,
) -> _RankedBlock:
    places = rank[block.indices]
    inner = np.argsort(places, kind="stable")
    size = len(inner)
    counts = np.zeros((size, len(CORRELATION_GRID)))
    if block.joint is None or size == 1:
        return _RankedBlock(places, counts, None)
    if size <= MAX_CORRELATED:
        counts = _neighbour_counts(np.abs(block.joint.correlations())[np.ix_(inner, inner)])
    if n_samples < MIN_EXCEEDANCES:
        return _RankedBlock(places, counts, None)
    samples = np.ascontiguousarray(block.joint.sample(rng, n_samples).T)[inner]
    if not with_relations or size > MAX_CORRELATED:
        return _RankedBlock(places, counts, _maxima_from(samples))
    possible = _rank_possible_sets(block.joint, inner, samples)
    points = () if possible else _rank_points(block, inner, places, samples)
    return _RankedBlock(places, counts, _maxima_from(samples), points, possible)


def _maxima_from(samples: FloatArray) -> FloatArray:
    """Return the maxima over the hypotheses from each one on, in the same array."""
    # From the last to the first, the maximum grows by one hypothesis at a time.
    for row in range(len(samples) - 2, -1, -1):
        np.maximum(samples[row], samples[row + 1], out=samples[row])
    return samples


def _rank_possible_sets(
    joint: JointNormal, inner: IndexArray, samples: FloatArray
) -> tuple[_PossibleSet, ...]:
    """Return the sets of pairwise hypotheses that can be true together, in the order of testing.

    If A = C and A ≠ B, then B ≠ C: not every set can (Shaffer 1986; Westfall 1997). None if there
    are too many estimates to list all sets, or differences without a common estimate.
    """
    estimates, index = np.unique(np.concatenate([joint.first, joint.second]), return_inverse=True)
    first, second = index[: len(joint.first)][inner], index[len(joint.first) :][inner]
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    is_listed = MIN_PARTITIONED <= len(estimates) <= MAX_PARTITIONED
    if not is_listed or 2 * len(pairs) <= len(estimates):
        return ()
    return tuple(
        _PossibleSet(
            frozenset(rows.tolist()),
            # Measures that rank alike test one difference.
            len(set(zip(first[rows].tolist(), second[rows].tolist(), strict=True))),
            np.sort(samples[rows].max(axis=0)),
        )
        for rows in map(np.flatnonzero, possible_sets(first, second, len(estimates)))
    )


def _rank_points(
    block: Block, inner: IndexArray, places: IndexArray, samples: FloatArray
) -> tuple[_RankedPoints, ...]:
    """Return the hypotheses about each two points, in the order of testing; none if unknown."""
    if block.joint is None or block.points is None or block.is_straight is None:
        return ()
    points, is_straight = block.points[inner], block.is_straight[inner]
    correlations = np.abs(block.joint.correlations())[np.ix_(inner, inner)]
    ordered = places[inner]

    def part(rows: IndexArray) -> _RankedBlock:
        counts = _neighbour_counts(correlations[np.ix_(rows, rows)])
        return _RankedBlock(ordered[rows], counts, _maxima_from(samples[rows]))

    point_blocks = []
    for number in np.unique(points):
        rows = np.flatnonzero(points == number)
        curved = rows[~is_straight[rows]]
        point_blocks.append(
            _RankedPoints(
                int(number),
                part(rows) if len(rows) < len(inner) else None,
                part(curved) if len(curved) else None,
                ordered[rows[is_straight[rows]]],
                int(ordered[rows[0]]),
            )
        )
    return tuple(point_blocks)


def _neighbour_counts(correlations: FloatArray) -> FloatArray:
    """Count, from each hypothesis on, the correlations of hypotheses with their neighbours.

    The neighbour of a hypothesis is the one after it with which it is most correlated, so that the
    hypotheses from any place on and their neighbours form a tree, as Hunter's inequality needs.
    """
    size = len(correlations)
    after = np.triu(correlations, 1)
    strongest = after.max(axis=1)[:-1]
    bins = np.searchsorted(CORRELATION_GRID, strongest + ROUNDING, side="right") - 1
    counts = np.zeros((size, len(CORRELATION_GRID)))
    counts[np.arange(size - 1), np.maximum(bins, 0)] = 1.0
    return counts[::-1].cumsum(axis=0)[::-1]


def _joint_tails(scores: FloatArray) -> FloatArray:
    """Return P(|Z₁| ≥ z, |Z₂| ≥ z) for each score and correlation of the grid (Owen 1956)."""
    from scipy.special import ndtr, owens_t

    z, r = np.asarray(scores)[:, None], CORRELATION_GRID[None, :]
    tail = ndtr(-z)
    same = tail - 2 * owens_t(z, np.sqrt((1 - r) / (1 + r)))
    with np.errstate(divide="ignore"):
        opposite = tail - 2 * owens_t(z, np.sqrt((1 + r) / (1 - r)))
    return np.asarray(np.maximum(0.0, 2 * (same + opposite)), dtype=np.float64)
