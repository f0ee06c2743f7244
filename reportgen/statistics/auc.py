"""Areas under ROC and precision-recall curves: bootstrap and confidence intervals.

The bootstrap resamples counts per distinct score, multinomially and stratified by class, which
equals resampling the cases with replacement within each class.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, assert_never

import numpy as np

from reportgen.statistics.bootstrap import MultinomialBootstrap
from reportgen.statistics.distributions import critical_z

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt


if TYPE_CHECKING:
    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.int64]

# A thousand resamples of this many distinct scores take about ten seconds.
MAX_BOOTSTRAP_CELLS = 250_000


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
    few = score_counts.merge_interchangeable(area)
    if len(few.positives) > MAX_BOOTSTRAP_CELLS:
        return None
    random = np.random.default_rng(seed)
    return np.concatenate(
        [_compute_areas(each, area) for each in _resample_counts(few, random, n_resamples, weight)]
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
        cumulated = np.zeros((size, negatives.n_cells + 1), dtype=np.int64)
        np.cumsum(negatives.sample(rng, size), axis=1, out=cumulated[:, 1:])
        yield _ResampledCounts(
            resampled,
            cumulated.take(above, axis=1),
            cumulated.take(at_or_above, axis=1),
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
            summed = tp[:, -1] - above / (2 * resampled.n_negatives)
        case CurveArea.AVERAGE_PRECISION:
            precision = tp / np.maximum(tp + resampled.negatives_at_or_above, 1)
            summed = np.einsum("ij,ij->i", resampled.positives, precision)
        case CurveArea.INTERPOLATED_PR:
            summed = _interpolated_pr_area(resampled, tp)
        case _:
            assert_never(area)
    return np.asarray(summed / tp[:, -1], dtype=np.float64)


def _interpolated_pr_area(resampled: _ResampledCounts, tp: IntArray) -> FloatArray:
    """Return the area with FP interpolated linearly in TP (Davis and Goadrich 2006)."""
    before = tp - resampled.positives + resampled.negatives_above
    predicted = tp + resampled.negatives_at_or_above
    # Nothing found, or nothing predicted before: put right below.
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = (predicted - before) / resampled.positives
        start = predicted - grown * tp
        curved = start / grown**2 * np.log(predicted / before)
        summed = resampled.positives / grown - np.where(before > 0, curved, 0.0)
    return np.asarray(np.where(resampled.positives > 0, summed, 0.0).sum(axis=1), dtype=np.float64)


def auc_logit_interval(area: float, standard_error: float, level: float) -> tuple[float, float]:
    """Return the normal interval on the logit scale, which stays within 0 and 1 (Pepe 2003)."""
    return _logit_interval(area, standard_error / (area * (1 - area)), level)


def boyd_eng_page_interval(area: float, positives: float, level: float) -> tuple[float, float]:
    """Return the logit interval of a precision-recall area (Boyd, Eng and Page 2013)."""
    return _logit_interval(area, 1 / math.sqrt(positives * area * (1 - area)), level)


def _logit_interval(area: float, logit_standard_error: float, level: float) -> tuple[float, float]:
    middle, reach = math.log(area / (1 - area)), critical_z(level) * logit_standard_error
    return 1 / (1 + math.exp(reach - middle)), 1 / (1 + math.exp(-reach - middle))
