"""Areas under curves of cases drawn anew, from how many cases there are at every distinct score.

What is drawn are counts: multinomial over the distinct scores, as if cases were drawn one by one
with replacement, within the cases of the class and within the others.
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

# A thousand draws of so many cells take about ten seconds.
MAX_BOOTSTRAP_CELLS = 250_000


class CurveArea(Enum):
    """What is measured under a curve."""

    ROC = "pairs in order, ties by half"
    PRECISION_STEPS = "precision summed up over found cases"
    PRECISION_RECALL = "precision, interpolated between counts"


@dataclass(frozen=True, slots=True)
class ScoreCounts:
    """Cases of the class and others at every distinct score, the highest first."""

    positives: IntArray
    negatives: IntArray

    def joined(self, area: CurveArea) -> ScoreCounts:
        """Join neighbours whose order the area does not depend on, however they are drawn.

        These are neighbours with other cases only, and with cases of the class only unless
        precision is summed up in steps: there every distinct score of the class is one.
        """
        pure = self.negatives == 0, self.positives == 0
        same = pure[1][1:] & pure[1][:-1]
        if area is not CurveArea.PRECISION_STEPS:
            same |= pure[0][1:] & pure[0][:-1]
        starts = np.flatnonzero(np.append(True, ~same))
        positives, negatives = (
            np.add.reduceat(side, starts, dtype=np.int64)
            for side in (self.positives, self.negatives)
        )
        return ScoreCounts(positives, negatives)


def bootstrap_areas(
    cells: ScoreCounts, area: CurveArea, *, draws: int, seed: int, weight: float = 1.0
) -> FloatArray | None:
    """Return the area of every draw, if there are cases on both sides and not too many scores.

    `weight` is below 1 where cases were counted several times: then fewer are drawn.
    """
    if not (cells.positives.any() and cells.negatives.any()):
        return None
    few = cells.joined(area)
    if len(few.positives) > MAX_BOOTSTRAP_CELLS:
        return None
    random = np.random.default_rng(seed)
    return np.concatenate(
        [_compute_areas(each, area) for each in _resample_counts(few, random, draws, weight)]
    )


@dataclass(frozen=True, slots=True)
class _ResampledCounts:
    """The cases of the class drawn at each score, and the others above it, and at it or above."""

    found: IntArray
    above: IntArray
    at_or_above: IntArray
    negatives: int


def _resample_counts(
    cells: ScoreCounts, random: np.random.Generator, draws: int, weight: float
) -> Iterator[_ResampledCounts]:
    """Yield blocks of draws."""
    own, others = np.flatnonzero(cells.positives), np.flatnonzero(cells.negatives)
    positives = MultinomialBootstrap.of(cells.positives[own], weight)
    negatives = MultinomialBootstrap.of(cells.negatives[others], weight)
    above = np.searchsorted(others, own, "left")
    at_or_above = np.searchsorted(others, own, "right")
    wider = max(positives, negatives, key=lambda side: side.width)
    for size in wider.blocks(draws):
        found = positives.drawn(random, size)
        cumulated = np.zeros((size, negatives.cells + 1), dtype=np.int64)
        np.cumsum(negatives.drawn(random, size), axis=1, out=cumulated[:, 1:])
        yield _ResampledCounts(
            found,
            cumulated.take(above, axis=1),
            cumulated.take(at_or_above, axis=1),
            negatives.size,
        )


def _compute_areas(rises: _ResampledCounts, area: CurveArea) -> FloatArray:
    tp = rises.found.cumsum(axis=1)
    match area:
        case CurveArea.ROC:
            # A case at the same score counts half above.
            above = np.einsum("ij,ij->i", rises.found, rises.above + rises.at_or_above)
            summed = tp[:, -1] - above / (2 * rises.negatives)
        case CurveArea.PRECISION_STEPS:
            precision = tp / np.maximum(tp + rises.at_or_above, 1)
            summed = np.einsum("ij,ij->i", rises.found, precision)
        case CurveArea.PRECISION_RECALL:
            summed = _interpolated_pr_area(rises, tp)
        case _:
            assert_never(area)
    return np.asarray(summed / tp[:, -1], dtype=np.float64)


def _interpolated_pr_area(rises: _ResampledCounts, tp: IntArray) -> FloatArray:
    """Return precision summed over found cases, false positives growing in proportion to true."""
    before = tp - rises.found + rises.above
    predicted = tp + rises.at_or_above
    # Nothing found, or nothing predicted before: put right below.
    with np.errstate(divide="ignore", invalid="ignore"):
        grown = (predicted - before) / rises.found
        start = predicted - grown * tp
        curved = start / grown**2 * np.log(predicted / before)
        summed = rises.found / grown - np.where(before > 0, curved, 0.0)
    return np.asarray(np.where(rises.found > 0, summed, 0.0).sum(axis=1), dtype=np.float64)


# Limits of areas under curves.


def auc_logit_interval(area: float, standard_error: float, level: float) -> tuple[float, float]:
    """Return limits that are normal on the logit scale, so that they stay between 0 and 1."""
    return _logit_interval(area, standard_error / (area * (1 - area)), level)


def boyd_eng_page_interval(area: float, positives: float, level: float) -> tuple[float, float]:
    """Return limits of an area under a precision-recall curve (Boyd, Eng and Page 2013)."""
    return _logit_interval(area, 1 / math.sqrt(positives * area * (1 - area)), level)


def _logit_interval(area: float, error: float, level: float) -> tuple[float, float]:
    middle, reach = math.log(area / (1 - area)), critical_z(level) * error
    return 1 / (1 + math.exp(reach - middle)), 1 / (1 + math.exp(-reach - middle))
