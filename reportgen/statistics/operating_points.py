"""Operating points of a score: counts at a chosen threshold, for one sample or many resamples.

All functions take cumulative counts from the highest score down, a row per sample, with nothing
predicted positive in the first column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.statistics import FloatArray, IndexArray

# A rate that differs from the required one by rounding only reaches it.
RATE_TOLERANCE = 1e-12
# Numbers held at once while resampling.
MAX_CELLS = 2_000_000
# Numbers drawn in all, beyond which there are fewer resamples, but never fewer than the minimum.
MAX_DRAWN, MIN_RESAMPLES = 200_000_000, 200


@dataclass(frozen=True, slots=True)
class CountsByThreshold:
    """True and false positives at every threshold, a row per sample."""

    tp: FloatArray
    fp: FloatArray

    @property
    def positives(self) -> FloatArray:
        """The number of cases of the class in each sample."""
        return self.tp[:, -1]

    @property
    def negatives(self) -> FloatArray:
        """The number of other cases in each sample."""
        return self.fp[:, -1]

    def rates(self, name: str) -> FloatArray:
        """Return sensitivity, specificity, precision or npv at every threshold; NaN for 0/0."""
        fn = self.positives[:, None] - self.tp
        tn = self.negatives[:, None] - self.fp
        with np.errstate(invalid="ignore", divide="ignore"):
            match name:
                case "sensitivity":
                    return self.tp / self.positives[:, None]
                case "specificity":
                    return tn / self.negatives[:, None]
                case "precision":
                    return self.tp / (self.tp + self.fp)
                case "npv":
                    return tn / (tn + fn)
                case _:
                    raise LookupError(name)

    def at(self, index: IndexArray) -> tuple[FloatArray, FloatArray]:
        """Return true and false positives at one threshold of each sample; −1: none, NaN."""
        rows = np.arange(len(self.tp))
        none = index < 0
        tp, fp = (
            np.where(none, np.nan, counts[rows, np.maximum(index, 0)])
            for counts in (self.tp, self.fp)
        )
        return tp, fp


def best_under_constraint(
    counts: CountsByThreshold, target: str, condition: str, minimum: float
) -> tuple[FloatArray, FloatArray]:
    """Return the counts where a rate is highest among thresholds at which another is high enough.

    NaN where no threshold reaches the minimum.
    """
    values, condition_rates = counts.rates(target), counts.rates(condition)
    with np.errstate(invalid="ignore"):
        eligible = (condition_rates >= minimum - RATE_TOLERANCE) & ~np.isnan(values)
    worth = np.where(eligible, values, -np.inf)
    best = worth.argmax(axis=1)
    return counts.at(np.where(eligible.any(axis=1), best, -1))


def largest_rate_difference(counts: CountsByThreshold) -> tuple[FloatArray, FloatArray]:
    """Return the counts where the true and the false positive rate differ most."""
    return counts.at(_rate_differences(counts).argmax(axis=1))


def _rate_differences(counts: CountsByThreshold) -> FloatArray:
    """Return |TPR − FPR| at every threshold; −1 in samples of one class."""
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.abs(
            counts.tp / counts.positives[:, None] - counts.fp / counts.negatives[:, None]
        )
    return np.nan_to_num(difference, nan=-1.0)


def rate_difference_optimism(
    resampled: CountsByThreshold, observed: CountsByThreshold
) -> FloatArray:
    """Return by how much the largest difference of a resample exceeds that of the same threshold.

    The second is of the observed cases. The mean over resamples estimates the excess of a maximum
    over its expectation (Efron 1983).
    """
    differences = _rate_differences(resampled)
    best = differences.argmax(axis=1)
    largest = differences[np.arange(len(best)), best]
    return np.where(largest >= 0, largest - _rate_differences(observed)[0][best], np.nan)


def rate_difference_variance(tp: float, fp: float, positives: float, negatives: float) -> float:
    """Return the variance of TPR − FPR at one threshold, from independent classes."""
    hit, alarm = tp / positives, fp / negatives
    return hit * (1 - hit) / positives + alarm * (1 - alarm) / negatives


def true_positives_in_top(counts: CountsByThreshold, size: FloatArray) -> FloatArray:
    """Return the expected number of positives among the cases with the highest scores.

    Of cases with equal scores at the end a random part is taken, so that the number is linear in
    between. `size` need not be whole.
    """
    predicted = counts.tp + counts.fp
    rows = np.arange(len(predicted))
    last = np.minimum((predicted < size[:, None]).sum(axis=1), predicted.shape[1] - 1)
    before = np.maximum(last - 1, 0)
    start, end = predicted[rows, before], predicted[rows, last]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(end > start, (size - start) / (end - start), 0.0)
    lower, upper = counts.tp[rows, before], counts.tp[rows, last]
    return np.asarray(lower + share * (upper - lower), dtype=np.float64)


def partial_roc_area(counts: CountsByThreshold, limit: float) -> FloatArray:
    """Return the area under the ROC curve up to a false positive rate, by trapezia."""
    with np.errstate(invalid="ignore", divide="ignore"):
        fpr = counts.fp / counts.negatives[:, None]
        tpr = counts.tp / counts.positives[:, None]
        left, right = fpr[:, :-1], fpr[:, 1:]
        end = np.minimum(right, limit)
        width = np.maximum(end - left, 0.0)
        share = np.where(right > left, width / (right - left), 0.0)
    height = tpr[:, :-1] + share * (tpr[:, 1:] - tpr[:, :-1]) / 2
    return np.asarray((width * height).sum(axis=1), dtype=np.float64)


@dataclass(frozen=True, slots=True)
class RankedCases:
    """The order of the cases by a score, from the highest, and where each distinct score ends."""

    order: IndexArray
    ends: IndexArray
    is_positive: FloatArray

    @classmethod
    def from_scores(cls, scores: FloatArray, is_positive: FloatArray) -> RankedCases:
        """Return the ranking of cases; `is_positive` is 1 for cases of the class, else 0."""
        order = np.argsort(-scores, kind="stable")
        sorted_scores = scores[order]
        ends = np.flatnonzero(np.append(sorted_scores[1:] != sorted_scores[:-1], True))
        return cls(order, ends, is_positive[order])

    def cumulate(self, weights: FloatArray) -> CountsByThreshold:
        """Return the counts by threshold of samples, a row of case weights each."""
        sorted_weights = weights[:, self.order]
        start = np.zeros((len(weights), 1))
        cumulative_weights = sorted_weights.cumsum(axis=1)[:, self.ends]
        cumulative_positives = (sorted_weights * self.is_positive).cumsum(axis=1)[:, self.ends]
        return CountsByThreshold(
            np.hstack([start, cumulative_positives]),
            np.hstack([start, cumulative_weights - cumulative_positives]),
        )


def resample_case_weights(
    counts: FloatArray | None,
    size: int,
    *,
    n_resamples: int,
    seed: int,
    clusters: IndexArray | None,
) -> Iterator[FloatArray]:
    """Yield blocks of bootstrap samples: how often each case is in the sample.

    Args:
        counts: How many cases each row stands for; None: one.
        size: The number of rows.
        n_resamples: The number of resamples; fewer for very many cases.
        seed: The seed of the random numbers.
        clusters: The index of the cluster of each row, to resample clusters; None: cases.
    """
    random = np.random.default_rng(seed)
    resamples = min(n_resamples, max(MIN_RESAMPLES, MAX_DRAWN // max(size, 1)))
    units = size if clusters is None else int(clusters.max()) + 1
    block = max(1, MAX_CELLS // max(size, 1))
    for start in range(0, resamples, block):
        rows = min(block, resamples - start)
        if clusters is None and counts is not None:
            total = round(float(counts.sum()))
            resampled_counts = random.multinomial(total, counts / counts.sum(), size=rows)
            yield resampled_counts.astype(np.float64)
            continue
        unit_indices = random.integers(units, size=(rows, units)) + np.arange(rows)[:, None] * units
        unit_counts = np.bincount(unit_indices.ravel(), minlength=rows * units).reshape(rows, units)
        weights = unit_counts.astype(np.float64)
        if clusters is not None:
            weights = weights[:, clusters]
            weights = weights if counts is None else weights * counts
        yield weights
