"""How far probabilities in bins are from what came true: resampled, and without its bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Groups:
    """The hits, or the misses, of every bin: how many, how sure, and how sure squared."""

    count: Numbers
    confidence: Numbers
    squares: Numbers

    @property
    def mean(self) -> Numbers:
        """How sure the classifier was of a case, on average; 0 in an empty bin."""
        return self.confidence / np.maximum(self.count, 1)

    @property
    def variance(self) -> Numbers:
        """How much that varies within the bin."""
        spread = self.squares / np.maximum(self.count, 1) - self.mean**2
        return np.maximum(spread, 0.0)


def resampled_errors(
    hits: Groups, misses: Groups, *, draws: int, seed: int, weight: float = 1.0
) -> Numbers:
    """Draw cases anew, with the bins as they are, and return each draw's calibration error.

    Within the hits or misses of a bin a sum of confidences is drawn from a normal distribution.
    """
    random = np.random.default_rng(seed)
    count = np.concatenate([hits.count, misses.count])
    mean = np.concatenate([hits.mean, misses.mean])
    variance = np.concatenate([hits.variance, misses.variance])
    size = max(round(float(count.sum()) * weight), 1)
    drawn = random.multinomial(size, count / count.sum(), size=draws).astype(np.float64)
    noise = random.standard_normal(drawn.shape) * np.sqrt(drawn * variance)
    confidence = drawn * mean + noise
    bins = len(hits.count)
    gaps = confidence[:, :bins] + confidence[:, bins:] - drawn[:, :bins]
    return np.asarray(np.abs(gaps).sum(axis=1) / size, dtype=np.float64)


def debiased_error(hits: Groups, misses: Groups) -> float:
    """Return the root mean squared calibration error less its bias (Kumar, Liang and Ma 2019)."""
    cases = hits.count + misses.count
    several = cases > 1
    count = cases[several]
    share = hits.count[several] / count
    sure = (hits.confidence[several] + misses.confidence[several]) / count
    squares = (sure - share) ** 2 - share * (1 - share) / (count - 1)
    return float(np.sqrt(max(float((count * squares).sum() / cases.sum()), 0.0)))
