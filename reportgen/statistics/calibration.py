"""Calibration errors of binned probabilities: bootstrap, confidence interval, debiased estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.distributions import critical_z

if TYPE_CHECKING:
    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]


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
    reflected = 2 * value - float(np.quantile(resampled, outside))
    half_corrected = value - (float(resampled.mean()) - value) / 2
    high = max(reflected, half_corrected + critical_z(level) * float(resampled.std()))
    return min(max(low, 0.0), value), min(max(high, value), 1.0)


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
    several = cases * weight > 1
    count = cases[several]
    share = hits.count[several] / count
    sure = (hits.confidence_sum[several] + misses.confidence_sum[several]) / count
    squares = (sure - share) ** 2 - share * (1 - share) / (count * weight - 1)
    return float(np.sqrt(max(float((count * squares).sum() / cases.sum()), 0.0)))
