"""Areas under ROC and precision-recall curves: bootstrap, influence functions, intervals.

The bootstrap resamples counts per distinct score, multinomially and stratified by class, which
equals resampling the cases with replacement within each class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, assert_never

import numpy as np

from reportgen.statistics.bootstrap import MultinomialBootstrap
from reportgen.statistics.distributions import critical_t, critical_z, inverse_logit
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy.typing as npt


if TYPE_CHECKING:
    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

# A thousand resamples of this many distinct scores take about ten seconds.
MAX_BOOTSTRAP_CELLS = 250_000
_BISECTIONS = 60


class CurveArea(Enum):
    """The kind of area under a curve."""

    ROC = "pairs in order, ties by half"
    AVERAGE_PRECISION = "precision summed up over found cases"
    INTERPOLATED_PR = "precision, interpolated between counts"


@dataclass(frozen=True, slots=True)
class ScoreCounts:
    """Positives and negatives at each distinct score, in descending order of the score."""

    positives: IntArray
    negatives: IntArray

    def drop_empty(self) -> ScoreCounts:
        """Return the counts without scores that no case has."""
        some = self.positives + self.negatives > 0
        return ScoreCounts(self.positives[some], self.negatives[some])

    def merge_interchangeable(self, area: CurveArea) -> ScoreCounts:
        """Merge neighbouring scores whose order does not change the area, whatever is resampled.

        These are neighbours with negatives only, and neighbours with positives only, except for
        average precision, where every distinct score of a positive is a step.
        """
        pure = self.negatives == 0, self.positives == 0
        same = pure[1][1:] & pure[1][:-1]
        if area is not CurveArea.AVERAGE_PRECISION:
            same |= pure[0][1:] & pure[0][:-1]
        starts = np.flatnonzero(np.append(True, ~same))
        positives, negatives = (
            np.add.reduceat(side, starts, dtype=np.int64)
            for side in (self.positives, self.negatives)
        )
        return ScoreCounts(positives, negatives)


def bootstrap_areas(
    score_counts: ScoreCounts, area: CurveArea, *, n_resamples: int, seed: int, weight: float = 1.0
) -> FloatArray | None:
    """Return the area of every resample; None without both classes or with too many scores.

    Args:
        score_counts: Positives and negatives per distinct score.
        area: The kind of area.
        n_resamples: The number of resamples.
        seed: The seed of the random numbers.
        weight: The effective number of cases per case, below 1 where cases were repeated.
    """
    if not (score_counts.positives.any() and score_counts.negatives.any()):
        return None
    merged_counts = score_counts.merge_interchangeable(area)
    if len(merged_counts.positives) > MAX_BOOTSTRAP_CELLS:
        return None
    random = np.random.default_rng(seed)
    return np.concatenate(
        [
            _compute_areas(resample, area)
            for resample in _resample_counts(merged_counts, random, n_resamples, weight)
        ]
    )


@dataclass(frozen=True, slots=True)
class _ResampledCounts:
    """Resampled positives at each score, and negatives above it and at or above it."""

    positives: IntArray
    negatives_above: IntArray
    negatives_at_or_above: IntArray
    n_negatives: int


def _resample_counts(
    score_counts: ScoreCounts, rng: np.random.Generator, n_resamples: int, weight: float
) -> Iterator[_ResampledCounts]:
    """Yield blocks of resamples."""
    own, others = np.flatnonzero(score_counts.positives), np.flatnonzero(score_counts.negatives)
    positives = MultinomialBootstrap.from_counts(score_counts.positives[own], weight)
    negatives = MultinomialBootstrap.from_counts(score_counts.negatives[others], weight)
    above = np.searchsorted(others, own, "left")
    at_or_above = np.searchsorted(others, own, "right")
    wider = max(positives, negatives, key=lambda side: side.width)
    for size in wider.block_sizes(n_resamples):
        resampled = positives.sample(rng, size)
        cumulative_counts = np.zeros((size, negatives.n_cells + 1), dtype=np.int64)
        np.cumsum(negatives.sample(rng, size), axis=1, out=cumulative_counts[:, 1:])
        yield _ResampledCounts(
            resampled,
            cumulative_counts.take(above, axis=1),
            cumulative_counts.take(at_or_above, axis=1),
            negatives.size,
        )


def _compute_areas(resampled: _ResampledCounts, area: CurveArea) -> FloatArray:
    tp = resampled.positives.cumsum(axis=1)
    match area:
        case CurveArea.ROC:
            # A case at the same score counts half above.
            above = np.einsum(
                "ij,ij->i",
                resampled.positives,
                resampled.negatives_above + resampled.negatives_at_or_above,
            )
            area_sums = tp[:, -1] - above / (2 * resampled.n_negatives)
        case CurveArea.AVERAGE_PRECISION:
            precision = tp / np.maximum(tp + resampled.negatives_at_or_above, 1)
            area_sums = np.einsum("ij,ij->i", resampled.positives, precision)
        case CurveArea.INTERPOLATED_PR:
            area_sums = _interpolated_pr_area(resampled, tp)
        case _:
            assert_never(area)
    return np.asarray(area_sums / tp[:, -1], dtype=np.float64)


def _interpolated_pr_area(resampled: _ResampledCounts, tp: IntArray) -> FloatArray:
    """Return the area with FP interpolated linearly in TP (Davis and Goadrich 2006)."""
    before = tp - resampled.positives + resampled.negatives_above
    predicted = tp + resampled.negatives_at_or_above
    # Nothing found, or nothing predicted before: put right below.
    with np.errstate(divide="ignore", invalid="ignore"):
        predicted_per_hit = (predicted - before) / resampled.positives
        start = predicted - predicted_per_hit * tp
        logarithmic_term = start / predicted_per_hit**2 * np.log(predicted / before)
        segment_areas = resampled.positives / predicted_per_hit - np.where(
            before > 0, logarithmic_term, 0.0
        )
    return np.asarray(
        np.where(resampled.positives > 0, segment_areas, 0.0).sum(axis=1), dtype=np.float64
    )


@dataclass(frozen=True, slots=True)
class AreaInfluence:
    """The area, and the influence of a positive and of a negative case at each distinct score.

    These are the partial derivatives of the area in the counts; over all cases they sum to 0. The
    variance of the area under sampling of cases, prevalence included, is the sum of their squares.
    """

    value: float
    of_positives: FloatArray
    of_negatives: FloatArray

    def power_sum(self, score_counts: ScoreCounts, exponent: int) -> float:
        """Return the sum over all cases of a power of their influence."""
        total = 0.0
        for counts, influence in (
            (score_counts.positives, self.of_positives),
            (score_counts.negatives, self.of_negatives),
        ):
            # A product at a time: the power function takes ten times as long.
            products = counts * influence
            for _ in range(exponent - 1):
                products *= influence
            total += float(products.sum())
        return total


def pr_area_influence(score_counts: ScoreCounts, area: CurveArea) -> AreaInfluence:
    """Return the influence function of average precision or of the interpolated PR area.

    The classes must both have cases. An estimate of the variance is the infinitesimal jackknife
    (Efron 1982), of the covariance of two classifiers on the same cases the sum of the products of
    their influences, case by case.
    """
    positives, negatives = (
        side.astype(np.float64) for side in (score_counts.positives, score_counts.negatives)
    )
    tp, predicted = positives.cumsum(), (positives + negatives).cumsum()
    steps = _differentiate(area, positives, negatives, tp, predicted)
    return steps.influence(float(steps.summed.sum()), float(tp[-1]))


def sum_influence_powers(
    tp: npt.NDArray[Any], fp: npt.NDArray[Any], area: CurveArea, exponents: Sequence[int]
) -> tuple[float, ...]:
    """Return sums over all cases of powers of their influence on a PR area, block by block.

    There may be as many scores as cases: derivatives are not kept, but computed twice, at first
    for their sums over the blocks after each block.

    Args:
        tp: True positives at or above each distinct score, from the highest score down.
        fp: False positives, likewise. The classes must both have cases.
        area: Average precision or the interpolated area.
        exponents: The powers.
    """

    def differentiate(block: slice) -> tuple[ScoreCounts, _StepDerivatives]:
        true, false = (side[block].astype(np.float64) for side in (tp, fp))
        # Of any type: sums of sampling weights are fractions.
        sides: list[npt.NDArray[Any]] = [
            np.diff(part, prepend=float(side[block.start - 1]) if block.start else 0.0)
            for part, side in ((true, tp), (false, fp))
        ]
        steps = _differentiate(area, sides[0], sides[1], true, true + false)
        return ScoreCounts(*sides), steps

    def sum_block(block: slice) -> tuple[int, float, float, float]:
        _, steps = differentiate(block)
        by_predicted = float(steps.by_predicted.sum())
        return block.start, float(steps.summed.sum()), float(steps.by_tp.sum()), by_predicted

    after: dict[int, tuple[float, float]] = {}
    area_sum = by_tp = by_predicted = 0.0
    for start, *sums in reversed(map_blocks(sum_block, len(tp))):
        after[start] = by_tp, by_predicted
        area_sum, by_tp, by_predicted = area_sum + sums[0], by_tp + sums[1], by_predicted + sums[2]

    def sum_powers(block: slice) -> list[float]:
        score_counts, steps = differentiate(block)
        influence = steps.influence(area_sum, float(tp[-1]), *after[block.start])
        return [influence.power_sum(score_counts, exponent) for exponent in exponents]

    by_block = map_blocks(sum_powers, len(tp))
    return tuple(sum(powers) for powers in zip(*by_block, strict=True))


@dataclass(frozen=True, slots=True)
class _StepDerivatives:
    """Precision summed over the positives of each score, and its partial derivatives.

    `by_tp` and `by_predicted` are those in the true positives and in the predicted cases before the
    score, `by_positives` and `by_negatives` those in the counts at the score.
    """

    summed: FloatArray
    by_tp: FloatArray
    by_predicted: FloatArray
    by_positives: FloatArray
    by_negatives: FloatArray

    def influence(
        self, summed: float, total: float, by_tp_after: float = 0.0, by_predicted_after: float = 0.0
    ) -> AreaInfluence:
        """Return the influence at each score.

        Args:
            summed: Precision summed over all positives.
            total: The number of positives.
            by_tp_after: The sum of `by_tp` over the scores after these.
            by_predicted_after: The sum of `by_predicted` over the scores after these.
        """
        mean = summed / total
        of_both = _sum_after(self.by_tp + self.by_predicted) + (by_tp_after + by_predicted_after)
        of_predicted = _sum_after(self.by_predicted) + by_predicted_after
        return AreaInfluence(
            mean,
            (self.by_positives + of_both - mean) / total,
            (self.by_negatives + of_predicted) / total,
        )


def _differentiate(
    area: CurveArea,
    positives: FloatArray,
    negatives: FloatArray,
    tp: FloatArray,
    predicted: FloatArray,
) -> _StepDerivatives:
    match area:
        case CurveArea.AVERAGE_PRECISION:
            return _step_derivatives(positives, tp, predicted)
        case CurveArea.INTERPOLATED_PR:
            return _interpolated_derivatives(positives, negatives, tp, predicted)
        case _:
            raise ValueError(f"{area} has no influence on precision")


def _step_derivatives(
    positives: FloatArray, tp: FloatArray, predicted: FloatArray
) -> _StepDerivatives:
    """Differentiate p · tp / predicted, where tp and predicted include the score itself."""
    precision = tp / predicted
    by_tp, by_predicted = positives / predicted, -positives * precision / predicted
    return _StepDerivatives(
        positives * precision, by_tp, by_predicted, precision + by_tp + by_predicted, by_predicted
    )


def _interpolated_derivatives(
    positives: FloatArray, negatives: FloatArray, tp: FloatArray, predicted: FloatArray
) -> _StepDerivatives:
    """Differentiate p / g − (b − g·t) / g² · log(m / b).

    p and q are the positives and negatives at the score, g = (p + q) / p; t and b are the true
    positives and the predicted cases before it, and m = b + p + q.
    """
    some = positives > 0
    p, q = np.where(some, positives, 1.0), np.where(some, negatives, 0.0)
    m = np.where(some, predicted, 1.0)
    b = np.where(some, predicted - positives - negatives, 0.0)
    t = np.where(some, tp - positives, 0.0)
    g = (p + q) / p
    first = b <= 0
    b_or_one = np.where(first, 1.0, b)
    logarithm = np.where(first, 0.0, np.log1p((p + q) / b_or_one))
    rest = b - g * t
    segment_area = p / g - rest / g**2 * logarithm
    # At the first score precision is constant, and there is no case before it.
    by_tp = np.where(first, 0.0, logarithm / g)
    by_b = np.where(first, 0.0, -logarithm / g**2 - rest / g**2 * (1 / m - 1 / b_or_one))
    by_p = (t + p) / m
    by_g = -p / g**2 + (t * logarithm + 2 * rest * logarithm / g - rest * p / m) / g**2
    return _StepDerivatives(
        *(
            np.where(some, term, 0.0)
            for term in (segment_area, by_tp, by_b, by_p - by_g * q / p**2, by_g / p)
        )
    )


def _sum_after(values: FloatArray) -> FloatArray:
    """Return the sum of the values after each place."""
    return np.asarray(np.append(values[:0:-1].cumsum()[::-1], 0.0), dtype=np.float64)


def auc_logit_interval(area: float, standard_error: float, level: float) -> tuple[float, float]:
    """Return the normal interval on the logit scale, which stays within 0 and 1 (Pepe 2003)."""
    return _logit_interval(area, standard_error / (area * (1 - area)), critical_z(level))


def newcombe_auc_interval(
    area: float, positives: float, negatives: float, level: float
) -> tuple[float, float]:
    """Return the score interval of an area under the ROC curve (Newcombe 2006, method 5).

    The limits are the areas whose standard error, by a variance of Hanley and McNeil's kind,
    is |estimate − limit| / z. It needs no variance of the few cases of a small class.
    """
    z = critical_z(level)
    size = (positives + negatives) / 2 - 1

    def excess(limit: float) -> float:
        spread = 1 + size * (1 - limit) / (2 - limit) + size * limit / (1 + limit)
        variance = limit * (1 - limit) * spread / (positives * negatives)
        return (area - limit) ** 2 - z * z * variance

    return _bisect(excess, area, 0.0), _bisect(excess, area, 1.0)


def _bisect(excess: Callable[[float], float], inside: float, outside: float) -> float:
    """Return where a function rises from below 0 (or 0) to above it."""
    for _ in range(_BISECTIONS):
        middle = (inside + outside) / 2
        if excess(middle) <= 0:
            inside = middle
        else:
            outside = middle
    return (inside + outside) / 2


def influence_interval(
    area: float, variance: float, degrees_of_freedom: float, level: float
) -> tuple[float, float]:
    """Return Student's t interval on the logit scale from the variance of an influence function."""
    quantile = critical_t(degrees_of_freedom, level)
    return _logit_interval(area, math.sqrt(variance) / (area * (1 - area)), quantile)


def exchange_one_pair(positives: int, negatives: int) -> ScoreCounts:
    """Return the counts of a perfect ranking but for one positive below one negative."""
    return ScoreCounts(
        np.array([positives - 1, 0, 1, 0]), np.array([0, 1, 0, negatives - 1])
    ).drop_empty()


def _logit_interval(
    area: float, logit_standard_error: float, quantile: float
) -> tuple[float, float]:
    middle, reach = math.log(area / (1 - area)), quantile * logit_standard_error
    return inverse_logit(middle - reach), inverse_logit(middle + reach)
