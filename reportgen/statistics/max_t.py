"""Step-down max-T adjustment of correlated tests by a Gaussian copula.

The raw p-values, whatever test they are from, become normal scores; the correlation of the scores
is that of the differences they test. The largest score is compared with the maximum over all
hypotheses, the next one with the maximum over the remaining ones, and so on (Westfall and Young
1993; Hothorn, Bretz and Westfall 2008); of few classifiers only over those of the remaining ones
that can be true together. The tail probability of the maximum is simulated; beyond the resolution
of the simulation it is bounded by the inequality of Hunter (1976).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

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
MAX_CORRELATED = 3_000
# Numbers of estimates whose partitions are listed: 6 have 203.
MIN_PARTITIONED, MAX_PARTITIONED = 3, 6
_BISECTIONS = 50
# For more values than these, sorting is quicker than counting.
_FEW_VALUES = 8


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
        known = np.where(np.isfinite(correlations), correlations, 0.0)
        return np.asarray(np.clip(known, -1.0, 1.0), dtype=np.float64)

    def sample(self, rng: np.random.Generator, n_samples: int) -> FloatArray:
        """Sample the absolute standardised differences: a row per sample.

        A difference without variance is sampled as if it were independent of the others.
        """
        values, vectors = np.linalg.eigh(self.covariance)
        # The symmetric root: the signs of eigenvectors differ between machines.
        root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
        estimates = rng.standard_normal((n_samples, len(root))) @ root
        errors = self.errors
        with np.errstate(all="ignore"):
            scores = (estimates[:, self.first] - estimates[:, self.second]) / errors
        flat = np.flatnonzero(errors == 0)
        scores[:, flat] = rng.standard_normal((n_samples, len(flat)))
        return np.asarray(np.abs(scores), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Block:
    """Hypotheses by index, with their joint distribution; None if it is unknown."""

    indices: IndexArray
    joint: JointNormal | None


@dataclass(frozen=True)
class _RankedBlock:
    """A block in the order of testing: largest observed score first.

    Row j of `maxima` has the sampled maxima over the hypotheses from the j-th on, if sampled.
    """

    places: IndexArray
    neighbour_counts: FloatArray
    maxima: FloatArray | None

    def first_only(self) -> _RankedBlock:
        """Return the block with the maxima over all of its hypotheses only."""
        return self if self.maxima is None else replace(self, maxima=self.maxima[:1].copy())

    def tail(self, scores: FloatArray, start: IndexArray) -> FloatArray:
        """Bound P(max ≥ score) over the hypotheses from a start on, for each score."""
        single = two_sided_p(scores)
        size = len(self.places)
        left = size - start
        both = _joint_tails(scores)
        used = np.minimum(start, size - 1)
        bound = left * single - (self.neighbour_counts[used] * both).sum(axis=1)
        bound = np.where(left > 0, np.maximum(bound, single), 0.0)
        if self.maxima is None:
            return np.minimum(1.0, bound)
        n_samples = self.maxima.shape[1]
        for at in np.unique(start[start < size]):
            chosen = start == at
            beyond = _count_beyond(self.maxima[at], scores[chosen] - ROUNDING)
            estimate = (beyond + 1) / (n_samples + 1)
            bound[chosen] = np.where(
                beyond >= MIN_EXCEEDANCES, np.minimum(bound[chosen], estimate), bound[chosen]
            )
        return np.minimum(1.0, bound)


@dataclass(frozen=True)
class StepDown:
    """Adjusted p-values of a family, and the critical value of its maximum at any level."""

    adjusted: FloatArray
    blocks: tuple[_RankedBlock, ...]

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

    @cached_property
    def size(self) -> int:
        """The number of hypotheses."""
        return len(self.adjusted)

    def _tail(self, score: float) -> float:
        start = np.zeros(1, dtype=np.int64)
        return sum(float(block.tail(np.array([score]), start)[0]) for block in self.blocks)


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


def step_down_max_t(p_values: FloatArray, blocks: Sequence[Block], seed: int = 0) -> StepDown:
    """Adjust p-values for each other, within and over blocks of known correlation.

    The tail probability of the maximum over all blocks is bounded by the sum over the blocks, so
    the correlation between blocks may be anything (Boole's inequality).

    Args:
        p_values: the raw p-values.
        blocks: a partition of the hypotheses.
        seed: the random seed.
    """
    scores = normal_scores(p_values)
    order = np.argsort(-scores, kind="stable")
    rank = np.empty(len(order), dtype=np.int64)
    rank[order] = np.arange(len(order))
    sampled = sum(len(block.indices) for block in blocks if block.joint is not None)
    n_samples = min(MAX_SAMPLES, MAX_SAMPLED_VALUES // max(1, sampled))
    rng = np.random.default_rng(seed)
    ranked = tuple(_rank_block(block, rank, n_samples, rng) for block in blocks)
    if len(blocks) == 1 and (closed := _closed_adjustment(blocks[0], scores, rng)) is not None:
        first = tuple(block.first_only() for block in ranked)
        return StepDown(np.maximum(closed, p_values), first)
    adjusted = np.zeros(len(order))
    descending = scores[order]
    for block in ranked:
        # How many of the block have been tested before each hypothesis.
        start = np.searchsorted(np.sort(block.places), np.arange(len(order)))
        adjusted += block.tail(descending, start)
    adjusted = np.maximum.accumulate(np.minimum(1.0, adjusted))
    result = np.empty_like(adjusted)
    result[order] = adjusted
    return StepDown(np.maximum(result, p_values), tuple(block.first_only() for block in ranked))


def _closed_adjustment(
    block: Block, scores: FloatArray, rng: np.random.Generator
) -> FloatArray | None:
    """Adjust p-values by closed testing with the logical relations of pairwise hypotheses.

    If A = C and A ≠ B, then B ≠ C: not every set of hypotheses can be true. A hypothesis is
    compared with the maximum over each set that can be true with it and without those tested before
    (Shaffer 1986; Westfall 1997). None if there are too many estimates to list all sets.
    """
    joint = block.joint
    if joint is None:
        return None
    estimates, index = np.unique(np.concatenate([joint.first, joint.second]), return_inverse=True)
    if not MIN_PARTITIONED <= len(estimates) <= MAX_PARTITIONED:
        return None
    first, second = index[: len(joint.first)], index[len(joint.first) :]
    # Differences without a common estimate have no logical relation.
    pairs = set(zip(first.tolist(), second.tolist(), strict=True))
    if 2 * len(pairs) <= len(estimates):
        return None
    possible = possible_sets(first, second, len(estimates))
    samples = joint.sample(rng, MAX_SAMPLES)
    maxima = [samples[:, chosen].max(axis=1) for chosen in possible]
    sizes = [len({(first[at], second[at]) for at in np.flatnonzero(chosen)}) for chosen in possible]
    adjusted, reached = np.empty(len(scores)), 0.0
    tested = np.zeros(len(scores), dtype=np.bool_)
    for place in np.argsort(-scores, kind="stable"):
        single = float(two_sided_p(scores[place : place + 1])[0])
        for chosen, maximum, size in zip(possible, maxima, sizes, strict=True):
            if not chosen[place] or (chosen & tested).any():
                continue
            beyond = int(np.count_nonzero(maximum >= scores[place] - ROUNDING))
            bound = size * single
            if beyond >= MIN_EXCEEDANCES:
                bound = min(bound, (beyond + 1) / (len(maximum) + 1))
            reached = max(reached, min(1.0, bound))
        adjusted[block.indices[place]] = reached
        # Measures that rank alike test one hypothesis.
        same = (first == first[place]) & (second == second[place])
        tested |= same & (scores >= scores[place])
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
    return [chosen for chosen in together if chosen.any()]


def _count_beyond(sample: FloatArray, values: FloatArray) -> IndexArray:
    """Count the elements of a sample that are at least as large as each value."""
    if len(values) <= _FEW_VALUES:
        return np.array([np.count_nonzero(sample >= value) for value in values])
    return np.asarray(len(sample) - np.searchsorted(np.sort(sample), values), dtype=np.int64)


def _rank_block(
    block: Block, rank: IndexArray, n_samples: int, rng: np.random.Generator
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
    # From the last to the first, the maximum grows by one hypothesis at a time.
    for row in range(size - 2, -1, -1):
        np.maximum(samples[row], samples[row + 1], out=samples[row])
    return _RankedBlock(places, counts, samples)


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
