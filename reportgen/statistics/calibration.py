"""Calibration: errors of binned probabilities, isotonic (CORP) and logistic recalibration.

CORP: Dimitriadis, Gneiting and Jordan (2021), Stable reliability diagrams for probabilistic
classifiers. Hits are the cases in which the predicted event occurred.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.distributions import critical_z
from reportgen.statistics.parallel import BLOCK_LENGTH, map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
    IndexArray = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BinStatistics:
    """Counts, sums and sums of squares of confidences per bin, of correct or incorrect cases."""

    count: FloatArray
    confidence_sum: FloatArray
    confidence_squared_sum: FloatArray

    @property
    def mean(self) -> FloatArray:
        """The mean confidence per bin; 0 in an empty bin."""
        return self.confidence_sum / np.maximum(self.count, 1)

    @property
    def variance(self) -> FloatArray:
        """The variance of the confidence within each bin."""
        spread = self.confidence_squared_sum / np.maximum(self.count, 1) - self.mean**2
        return np.maximum(spread, 0.0)


def bootstrap_calibration_gaps(
    hits: BinStatistics, misses: BinStatistics, *, n_resamples: int, seed: int, weight: float = 1.0
) -> FloatArray:
    """Return bootstrap resamples of the calibration gap of each bin, a column per bin.

    The bins stay fixed. The sum of confidences of the correct (or incorrect) cases of a bin is
    drawn from its normal approximation.
    """
    random = np.random.default_rng(seed)
    count = np.concatenate([hits.count, misses.count])
    mean = np.concatenate([hits.mean, misses.mean])
    variance = np.concatenate([hits.variance, misses.variance])
    size = max(round(float(count.sum()) * weight), 1)
    counts = random.multinomial(size, count / count.sum(), size=n_resamples).astype(np.float64)
    noise = random.standard_normal(counts.shape) * np.sqrt(counts * variance)
    confidence = counts * mean + noise
    bins = len(hits.count)
    gaps = confidence[:, :bins] + confidence[:, bins:] - counts[:, :bins]
    return np.asarray(gaps / size, dtype=np.float64)


def ece_interval(gaps: FloatArray, resampled_gaps: FloatArray, level: float) -> tuple[float, float]:
    """Return the confidence interval of the expected calibration error (ECE).

    Sampling noise inflates the gaps, in the data and again in every resample, so percentile limits
    lie too high: they are reflected at the estimate. Where the gaps are small this removes too
    little, so the lower limit is also computed from gaps reduced by their noise, and it is 0 where
    a calibrated classifier could have produced the estimate. Where they are of the size of the
    noise it removes too much, so the upper limit is at least the estimate, less half of the bias,
    plus the normal quantile of the standard error.
    """
    value, noise = float(np.abs(gaps).sum()), resampled_gaps - gaps
    outside = (1 - level) / 2
    if value <= np.quantile(_sum_absolute_gaps(noise), 1 - outside):
        low = 0.0
    else:
        shrunken = np.sign(gaps) * np.sqrt(np.maximum(gaps**2 - resampled_gaps.var(axis=0), 0.0))
        above_found = np.quantile(_sum_absolute_gaps(resampled_gaps), 1 - outside) - value
        above_shrunken = np.quantile(
            _sum_absolute_gaps(shrunken + noise), 1 - outside
        ) - _sum_absolute_gaps(shrunken)
        low = value - max(float(above_found), float(above_shrunken))
    resampled = _sum_absolute_gaps(resampled_gaps)
    reflected_limit = 2 * value - float(np.quantile(resampled, outside))
    half_corrected = value - (float(resampled.mean()) - value) / 2
    high = max(reflected_limit, half_corrected + critical_z(level) * float(resampled.std()))
    return min(max(low, 0.0), value), min(max(high, value), 1.0)


@dataclass(frozen=True, slots=True)
class CalibrationGaps:
    """The calibration gap of each bin, as a share of all cases, and its sampling variance."""

    gap: FloatArray
    variance: FloatArray

    @classmethod
    def from_bins(
        cls, hits: BinStatistics, misses: BinStatistics, weight: float = 1.0
    ) -> CalibrationGaps:
        """Return the gaps of binned cases; `weight` is the effective number of cases per case."""
        cases = float((hits.count + misses.count).sum())
        gap = (hits.confidence_sum + misses.confidence_sum - hits.count) / cases
        # Σ (c − 1)² over hits and Σ c² over misses.
        squares = hits.confidence_squared_sum - 2 * hits.confidence_sum + hits.count
        mean_square = (squares + misses.confidence_squared_sum) / cases
        return cls(gap, np.maximum(mean_square - gap**2, 0.0) / (cases * weight))

    @property
    def bias(self) -> float:
        """The bias of the sum of absolute gaps: Σ E|N(μ, σ²)| − |μ|.

        The squared true gap μ² is estimated by the squared gap less four times its variance: gaps
        within two standard errors count as noise.
        """
        from scipy.special import ndtr

        error = np.sqrt(self.variance)
        true_gap = np.sqrt(np.maximum(self.gap**2 - 4 * self.variance, 0.0))
        ratio = np.divide(true_gap, error, out=np.zeros_like(error), where=error > 0)
        folded_normal_means = np.sqrt(2 / np.pi) * np.exp(-(ratio**2) / 2) + ratio * (
            1 - 2 * ndtr(-ratio)
        )
        return float((error * folded_normal_means - true_gap * (error > 0)).sum())


def debiased_ece_difference(first: CalibrationGaps, second: CalibrationGaps) -> float:
    """Return the difference of two calibration errors, less the difference of their biases.

    Where that would enlarge the difference it stays as it is, and where it would change the sign
    the result is 0: a test by it is conservative.
    """
    difference = float(np.abs(first.gap).sum() - np.abs(second.gap).sum())
    debiased = difference - (first.bias - second.bias)
    sign = math.copysign(1.0, difference)
    return sign * max(0.0, min(abs(difference), sign * debiased))


def _sum_absolute_gaps(gaps: FloatArray) -> FloatArray:
    return np.asarray(np.abs(gaps).sum(axis=-1), dtype=np.float64)


def rms_calibration_error(hits: BinStatistics, misses: BinStatistics) -> float:
    """Return the root mean squared calibration error, without correction for bias."""
    cases = hits.count + misses.count
    gaps = (hits.confidence_sum + misses.confidence_sum - hits.count) / np.maximum(cases, 1)
    return float(np.sqrt((cases * gaps**2).sum() / cases.sum()))


def debiased_calibration_error(
    hits: BinStatistics, misses: BinStatistics, weight: float = 1.0
) -> float:
    """Return the debiased root mean squared calibration error (Kumar, Liang and Ma 2019).

    `weight` is the effective number of cases per case, below 1 where cases were repeated.
    """
    cases = hits.count + misses.count
    has_several_cases = cases * weight > 1
    count = cases[has_several_cases]
    share = hits.count[has_several_cases] / count
    sure = (
        hits.confidence_sum[has_several_cases] + misses.confidence_sum[has_several_cases]
    ) / count
    squares = (sure - share) ** 2 - share * (1 - share) / (count * weight - 1)
    return float(np.sqrt(max(float((count * squares).sum() / cases.sum()), 0.0)))


# Isotonic regression.

# So many passes pool nearly everything; what is left is pooled one block after the other.
_MAX_PASSES = 64


@dataclass(frozen=True, slots=True)
class IsotonicBlocks:
    """The blocks of an isotonic regression: index of the first score, hits and cases of each."""

    start: IndexArray
    hits: FloatArray
    cases: FloatArray

    @property
    def value(self) -> FloatArray:
        """The recalibrated probability of each block: its proportion of hits."""
        return self.hits / self.cases

    def fitted(self, size: int) -> FloatArray:
        """Return the recalibrated probability of each of `size` scores."""
        return np.repeat(self.value, np.diff(np.append(self.start, size)))


def isotonic_blocks(
    hits: FloatArray, cases: FloatArray, sequence_starts: IndexArray | None = None
) -> IsotonicBlocks:
    """Return the isotonic regression of hit rates by pooling adjacent violators.

    Adjacent blocks are pooled in any order with the same result (Ayer and others 1955), so every
    pass pools all runs of violators at once.

    Args:
        hits: hits at each score, from the lowest score up.
        cases: cases at each score, all above 0.
        sequence_starts: index of the first score of each of several sequences, which are fitted
            separately; None: one sequence.
    """
    if sequence_starts is None and len(cases) > BLOCK_LENGTH:
        return pool_isotonic_blocks(
            map_blocks(
                lambda block: (block.start, _pool_violators(hits[block], cases[block])), len(cases)
            )
        )
    return _pool_violators(hits, cases, sequence_starts)


def _pool_violators(
    hits: FloatArray, cases: FloatArray, sequence_starts: IndexArray | None = None
) -> IsotonicBlocks:
    start = np.arange(len(cases))
    is_first = np.zeros(len(cases), np.bool_)
    is_first[np.zeros(1, np.int64) if sequence_starts is None else sequence_starts] = True
    hits, cases = hits.astype(np.float64), cases.astype(np.float64)
    for _ in range(_MAX_PASSES):
        # Proportions compared crosswise: products of counts are exact.
        pooled = (hits[:-1] * cases[1:] >= hits[1:] * cases[:-1]) & ~is_first[1:]
        if not pooled.any():
            return IsotonicBlocks(start, hits, cases)
        starts = np.flatnonzero(np.append(np.True_, ~pooled))
        hits, cases = np.add.reduceat(hits, starts), np.add.reduceat(cases, starts)
        start, is_first = start[starts], is_first[starts]
    return _pool_sequentially(start, is_first, hits, cases)


def pool_isotonic_blocks(parts: Sequence[tuple[int, IsotonicBlocks]]) -> IsotonicBlocks:
    """Return the isotonic regression of parts fitted separately, with the index where each starts.

    Counts are exact, so that the result is that of all scores fitted together.
    """
    start = np.concatenate([first + part.start for first, part in parts])
    hits, cases = (
        np.concatenate([getattr(part, name) for _, part in parts]) for name in ("hits", "cases")
    )
    pooled = _pool_violators(hits, cases)
    return IsotonicBlocks(start[pooled.start], pooled.hits, pooled.cases)


def _pool_sequentially(
    start: IndexArray, is_first: npt.NDArray[np.bool_], hits: FloatArray, cases: FloatArray
) -> IsotonicBlocks:
    blocks: list[list[float]] = []
    for first, begins, hit, count in zip(
        start.tolist(), is_first.tolist(), hits.tolist(), cases.tolist(), strict=True
    ):
        block = [first, hit, count, begins]
        while blocks and not block[3] and blocks[-1][1] * block[2] >= block[1] * blocks[-1][2]:
            before = blocks.pop()
            block = [before[0], before[1] + block[1], before[2] + block[2], before[3]]
        blocks.append(block)
    columns = np.array(blocks)
    return IsotonicBlocks(columns[:, 0].astype(np.int64), columns[:, 1], columns[:, 2])


# Decomposition of scores.


@dataclass(frozen=True, slots=True)
class ScoreDecomposition:
    """A mean score as miscalibration − discrimination + uncertainty.

    Miscalibration (MCB) is the score minus that of the isotonic recalibration, discrimination (DSC)
    the score of the base rate minus that of the recalibration, uncertainty (UNC) the score of the
    base rate. Infinite parts of a log loss are infinite.
    """

    score: float
    miscalibration: float
    discrimination: float
    uncertainty: float


def decompose_brier(
    probability: FloatArray, hits: FloatArray, cases: FloatArray, blocks: IsotonicBlocks
) -> ScoreDecomposition:
    """Decompose the Brier score (Dimitriadis, Gneiting and Jordan 2021)."""
    total = float(cases.sum())

    def sum_block(block: slice) -> float:
        # Σ (p − 1)² over hits and Σ p² over the others.
        p, hit = probability[block], hits[block]
        return float((hit * (1 - p) ** 2 + (cases[block] - hit) * p**2).sum())

    score = sum(map_blocks(sum_block, len(cases))) / total
    value = blocks.value
    isotonic = float((blocks.cases * value * (1 - value)).sum()) / total
    base_rate = float(hits.sum()) / total
    uncertainty = base_rate * (1 - base_rate)
    return ScoreDecomposition(score, score - isotonic, uncertainty - isotonic, uncertainty)


def decompose_log_loss(
    probability: FloatArray, hits: FloatArray, cases: FloatArray, blocks: IsotonicBlocks
) -> ScoreDecomposition:
    """Decompose the log loss, in nats; isotonic regression minimises it as well."""
    total = float(cases.sum())

    def sum_block(block: slice) -> float:
        p, hit = probability[block], hits[block]
        return float((_xlogy(hit, p) + _xlogy(cases[block] - hit, 1 - p)).sum())

    score = sum(map_blocks(sum_block, len(cases))) / -total
    value = blocks.value
    isotonic = (
        float((_xlogy(blocks.hits, value) + _xlogy(blocks.cases - blocks.hits, 1 - value)).sum())
        / -total
    )
    base_rate = np.array([float(hits.sum()) / total])
    uncertainty = -float((_xlogy(base_rate, base_rate) + _xlogy(1 - base_rate, 1 - base_rate))[0])
    # Not −0, which would be written with its sign.
    return ScoreDecomposition(
        score + 0.0, score - isotonic + 0.0, uncertainty - isotonic + 0.0, uncertainty + 0.0
    )


def _xlogy(factor: FloatArray, argument: FloatArray) -> FloatArray:
    """Return factor · log(argument), which is 0 where the factor is."""
    with np.errstate(divide="ignore"):
        logs = np.log(argument)
    return np.multiply(factor, logs, out=np.zeros_like(logs), where=factor > 0)


# Logistic recalibration.

# Convergence is quadratic: after a step of the tolerance, the error is about its square.
_MAX_ITERATIONS, _TOLERANCE, _MAX_COEFFICIENT, _MAX_STEP = 100, 1e-7, 1e3, 2.0
_FEW_SCORES = 1 << 13


@dataclass(frozen=True, slots=True)
class LogisticRecalibration:
    """The regression of hits on the logit of the probability (Cox 1958), with standard errors.

    A calibrated classifier has intercept 0 and slope 1. `shift` is the intercept with the slope
    fixed at 1: calibration in the large on the logit scale. `excluded` is the number of cases with
    a probability of exactly 0 or 1, whose logit is infinite: they are left out, as by Harrell's
    `val.prob` (Harrell 2015, Regression Modeling Strategies).
    """

    intercept: float
    intercept_se: float
    slope: float
    slope_se: float
    shift: float
    shift_se: float
    excluded: float = 0.0


INFINITE_LOGIT = "all probabilities but one are exactly 0 or 1"
ONE_OUTCOME = "all cases have the same outcome"
ONE_OUTCOME_INSIDE = "all cases with a probability between 0 and 1 have the same outcome"
SEPARATED = "the probabilities separate hits from misses completely"
CONSTANT_PROBABILITY = "all probabilities are equal"


def fit_recalibration(
    probability: FloatArray, hits: FloatArray, cases: FloatArray
) -> LogisticRecalibration | str:
    """Fit the logistic recalibration by Newton's method; or return why it is undefined."""
    if not 0 < hits.sum() < cases.sum():
        return ONE_OUTCOME
    if len(probability) == 1:
        return CONSTANT_PROBABILITY
    total = float(cases.sum())
    if probability.min() <= 0 or probability.max() >= 1:
        has_logit = (probability > 0) & (probability < 1)
        probability, hits, cases = probability[has_logit], hits[has_logit], cases[has_logit]
        if len(probability) <= 1:
            return INFINITE_LOGIT
        if not 0 < hits.sum() < cases.sum():
            return ONE_OUTCOME_INSIDE
    base_rate = float(hits.sum() / cases.sum())
    # From no slope, where all scores have weight; from a slope of 1 extreme scores have none.
    start: tuple[tuple[float, ...], ...] = (math.log(base_rate / (1 - base_rate)), 0.0), (0.0,)
    if len(probability) > _FEW_SCORES:
        # Groups of scores give a start from which two iterations over all scores suffice.
        groups = group_scores(probability, hits, cases, _FEW_SCORES, _logit)
        group_fits = [
            _newton(groups.probability, groups.hits, groups.cases, coefficients)
            for coefficients in start
        ]
        start = tuple(
            own if fit is None else fit[0] for own, fit in zip(start, group_fits, strict=True)
        )
    both, one = (_newton(probability, hits, cases, coefficients, _logit) for coefficients in start)
    if both is None or one is None:
        return SEPARATED
    (intercept, slope), (intercept_se, slope_se) = both
    return LogisticRecalibration(
        intercept,
        intercept_se,
        slope,
        slope_se,
        shift=one[0][0],
        shift_se=one[1][0],
        excluded=total - float(cases.sum()),
    )


def _logit(probability: FloatArray) -> FloatArray:
    return np.log(probability) - np.log1p(-probability)


def _unchanged(score: FloatArray) -> FloatArray:
    return score


def _newton(
    score: FloatArray,
    hits: FloatArray,
    cases: FloatArray,
    start: Sequence[float],
    transform: Callable[[FloatArray], FloatArray] = _unchanged,
) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
    """Return the coefficients of a logistic regression on a score, and their standard errors.

    One coefficient is the intercept with a slope of 1, two are intercept and slope. None if they
    diverge. The score is transformed block by block, which needs no memory for all cases.
    """
    size = len(start)
    coefficients = np.array(start, dtype=np.float64)
    damping, previous = 1.0, math.inf
    for _ in range(_MAX_ITERATIONS):
        intercept, slope = (*coefficients.tolist(), 1.0)[:2]

        def block_sums(
            block: slice, intercept: float = intercept, slope: float = slope
        ) -> FloatArray:
            x, count = transform(score[block]), cases[block]
            with np.errstate(over="ignore"):
                fitted = 1 / (1 + np.exp(-(intercept + slope * x)))
            residual = hits[block] - count * fitted
            weight = count * fitted * (1 - fitted)
            by_slope = weight * x
            sums = (residual, residual * x, weight, by_slope, by_slope * x)
            return np.array([part.sum() for part in sums])

        parts = map_blocks(block_sums, len(score))
        sums = sum(parts, np.zeros(5))
        gradient = sums[:size]
        information = np.array([[sums[2], sums[3]], [sums[3], sums[4]]])[:size, :size]
        try:
            covariance = np.linalg.inv(information)
        except np.linalg.LinAlgError:
            return None
        step = (covariance * gradient).sum(axis=1)
        largest = float(np.abs(step).max())
        # Steps that do not become smaller overshoot the optimum.
        damping = damping / 2 if largest >= previous else min(1.0, 2 * damping)
        previous = largest
        coefficients = coefficients + step * damping / max(1.0, largest / _MAX_STEP)
        if not np.isfinite(coefficients).all() or np.abs(coefficients).max() > _MAX_COEFFICIENT:
            return None
        if largest < _TOLERANCE:
            variances = np.diag(covariance)
            if not (variances > 0).all():
                return None
            return tuple(coefficients.tolist()), tuple(np.sqrt(variances).tolist())
    return None


# Resampling under calibration.

# From so many exceedances on, their proportion is the p-value (Besag and Clifford 1991).
_MIN_EXCEEDANCES = 10


@dataclass(frozen=True, slots=True)
class ScoreGroups:
    """Neighbouring scores as groups: mean probability, hits and cases of each."""

    probability: FloatArray
    hits: FloatArray
    cases: FloatArray


def group_scores(
    probability: FloatArray,
    hits: FloatArray,
    cases: FloatArray,
    n_groups: int,
    transform: Callable[[FloatArray], FloatArray] = _unchanged,
) -> ScoreGroups:
    """Merge neighbouring scores into at most `n_groups` groups of about as many cases.

    The mean of a group is that of the transformed probabilities.
    """
    size = len(probability)
    if size <= n_groups:
        floats = (part.astype(np.float64) for part in (hits, cases))
        return ScoreGroups(transform(probability), *floats)
    starts = _group_starts(cases, n_groups)

    def sum_groups(block: slice) -> FloatArray:
        """Sum the groups that start within a block."""
        first, last = np.searchsorted(starts, (block.start, block.stop)).tolist()
        own = starts[first:last]
        if not len(own):
            return np.empty((3, 0))
        scores = slice(own[0], starts[last] if last < len(starts) else size)
        transformed = transform(probability[scores])
        columns = (cases[scores], transformed * cases[scores], hits[scores])
        sums = [np.add.reduceat(part, own - own[0], dtype=np.float64) for part in columns]
        return np.array(sums)

    sizes, sums, hit_sums = np.concatenate(map_blocks(sum_groups, size), axis=1)
    return ScoreGroups(sums / sizes, hit_sums, sizes)


def _group_starts(cases: FloatArray, n_groups: int) -> IndexArray:
    """Return the first score of each group that has some; a score belongs where its middle is."""
    through, total = np.cumsum(cases), cases.sum()
    groups = np.arange(n_groups)
    lower, upper = np.zeros(n_groups, np.int64), np.full(n_groups, len(cases))
    # A binary search for the starts of all groups at once: groups are in the order of the scores.
    while (is_open := lower < upper).any():
        middle = np.minimum((lower + upper) // 2, len(cases) - 1)
        place = (through[middle] - cases[middle] / 2) / total * n_groups
        is_reached = np.minimum(place.astype(np.int64), n_groups - 1) >= groups
        upper = np.where(is_open & is_reached, middle, upper)
        lower = np.where(is_open & ~is_reached, middle + 1, lower)
    return np.unique(lower[lower < len(cases)])


@dataclass(frozen=True, slots=True)
class ConsistencyBand:
    """Pointwise limits of the recalibrated probability of each group if it is calibrated.

    `expected_miscalibration` and `miscalibration_sd` are the mean and standard deviation of the
    miscalibration of calibrated probabilities; `p` is how often it is at least that observed. Where
    that happens in fewer than ten resamples, it is the tail of the gamma distribution with their
    mean and variance, which has no smallest value.
    """

    low: FloatArray
    high: FloatArray
    expected_miscalibration: float
    miscalibration_sd: float
    p: float


def consistency_band(
    groups: ScoreGroups, level: float, *, n_resamples: int, seed: int, weight: float = 1.0
) -> ConsistencyBand:
    """Resample outcomes from the probabilities, and fit an isotonic regression to each resample.

    `weight` is the effective number of cases per case.
    """
    random = np.random.default_rng(seed)
    # Whole numbers of effective cases, so that no group is lost by rounding alone.
    effective = np.diff(np.rint(np.cumsum(groups.cases) * weight), prepend=0.0)
    used = np.flatnonzero(effective > 0)
    probability, cases = np.clip(groups.probability[used], 0.0, 1.0), effective[used]
    size = len(used)
    hits = random.binomial(cases.astype(np.int64), probability, (n_resamples, size)).astype(
        np.float64
    )
    all_cases = np.broadcast_to(cases, hits.shape).ravel()
    starts = np.arange(n_resamples) * size
    blocks = isotonic_blocks(hits.ravel(), all_cases, starts)
    fitted = blocks.fitted(hits.size).reshape(hits.shape)
    outside = (1 - level) / 2
    low, high = np.quantile(fitted, [outside, 1 - outside], axis=0)
    resampled = ((probability - fitted) * (cases * (probability + fitted) - 2 * hits)).sum(axis=1)
    miscalibration = resampled / cases.sum()
    observed_blocks = isotonic_blocks(groups.hits, groups.cases)
    observed = decompose_brier(
        groups.probability, groups.hits, groups.cases, observed_blocks
    ).miscalibration
    mean, sd = float(miscalibration.mean()), float(miscalibration.std(ddof=1))
    as_large = int((miscalibration >= observed * (1 - 1e-9)).sum())
    p = (1 + as_large) / (1 + n_resamples)
    return ConsistencyBand(
        np.interp(groups.probability, probability, low),
        np.interp(groups.probability, probability, high),
        mean,
        sd,
        p if as_large >= _MIN_EXCEEDANCES else min(p, _gamma_tail(observed, mean, sd)),
    )


def _gamma_tail(number: float, mean: float, sd: float) -> float:
    """Return the probability of at least a number, by the gamma distribution of the moments."""
    from scipy.special import gammaincc

    if mean <= 0 or sd <= 0:
        return 1.0
    return float(gammaincc((mean / sd) ** 2, number * mean / sd**2))


# Paired comparison of miscalibration.


def excess_miscalibration_difference(
    difference: float,
    variance: float,
    first: ConsistencyBand,
    second: ConsistencyBand,
) -> tuple[float, float]:
    """Return the excess difference of two miscalibrations, and its standard error.

    Isotonic regression follows noise, the more scores are distinct: of both miscalibrations the
    value expected of calibrated probabilities is subtracted. `variance` is that of the mean
    difference of the cases' contributions (p − y)² − (m − y)², m being the recalibrated
    probability: its estimation adds nothing to first order, as it minimises the score. To second
    order the variances under calibration are added.
    """
    excess = difference - first.expected_miscalibration + second.expected_miscalibration
    total = variance + first.miscalibration_sd**2 + second.miscalibration_sd**2
    return excess, float(np.sqrt(total))
