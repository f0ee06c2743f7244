"""Areas under curves of cases drawn anew, from how many cases there are at every distinct score.

What is drawn are counts: multinomial over the distinct scores, as if cases were drawn one by one
with replacement, within the cases of the class and within the others.
"""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, assert_never

import numpy as np

from reportgen.frozen import frozen
from reportgen.statistics.urn import Urn

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]
    Counts = npt.NDArray[np.int64]

# A thousand draws of so many cells take about ten seconds.
MOST_CELLS = 250_000


class Area(Enum):
    """What is measured under a curve."""

    ROC = "pairs in order, ties by half"
    PRECISION_STEPS = "precision summed up over found cases"
    PRECISION_RECALL = "precision, interpolated between counts"


@frozen
class Cells:
    """Cases of the class and others at every distinct score, the highest first."""

    positives: Counts
    negatives: Counts

    def joined(self, area: Area) -> Cells:
        """Join neighbours whose order the area does not depend on, however they are drawn.

        These are neighbours with other cases only, and with cases of the class only unless
        precision is summed up in steps: there every distinct score of the class is one.
        """
        pure = self.negatives == 0, self.positives == 0
        same = pure[1][1:] & pure[1][:-1]
        if area is not Area.PRECISION_STEPS:
            same |= pure[0][1:] & pure[0][:-1]
        starts = np.flatnonzero(np.append(True, ~same))
        positives, negatives = (
            np.add.reduceat(side, starts, dtype=np.int64)
            for side in (self.positives, self.negatives)
        )
        return Cells(positives, negatives)


def resampled_areas(
    cells: Cells, area: Area, *, draws: int, seed: int, weight: float = 1.0
) -> Numbers | None:
    """Return the area of every draw, if there are cases on both sides and not too many scores.

    `weight` is below 1 where cases were counted several times: then fewer are drawn.
    """
    if not (cells.positives.any() and cells.negatives.any()):
        return None
    few = cells.joined(area)
    if len(few.positives) > MOST_CELLS:
        return None
    random = np.random.default_rng(seed)
    return np.concatenate([_areas(each, area) for each in _rises(few, random, draws, weight)])


@frozen
class _Rises:
    """The cases of the class drawn at each score, and the others above it, and at it or above."""

    found: Counts
    above: Counts
    at_or_above: Counts
    negatives: int


def _rises(
    cells: Cells, random: np.random.Generator, draws: int, weight: float
) -> Iterator[_Rises]:
    """Yield blocks of draws."""
    own, others = np.flatnonzero(cells.positives), np.flatnonzero(cells.negatives)
    positives = Urn.of(cells.positives[own], weight)
    negatives = Urn.of(cells.negatives[others], weight)
    above = np.searchsorted(others, own, "left")
    at_or_above = np.searchsorted(others, own, "right")
    wider = max(positives, negatives, key=lambda side: side.width)
    for size in wider.blocks(draws):
        found = positives.drawn(random, size)
        cumulated = np.zeros((size, negatives.cells + 1), dtype=np.int64)
        np.cumsum(negatives.drawn(random, size), axis=1, out=cumulated[:, 1:])
        yield _Rises(
            found,
            cumulated.take(above, axis=1),
            cumulated.take(at_or_above, axis=1),
            negatives.size,
        )


def _areas(rises: _Rises, area: Area) -> Numbers:
    tp = rises.found.cumsum(axis=1)
    match area:
        case Area.ROC:
            # A case at the same score counts half above.
            above = np.einsum("ij,ij->i", rises.found, rises.above + rises.at_or_above)
            summed = tp[:, -1] - above / (2 * rises.negatives)
        case Area.PRECISION_STEPS:
            precision = tp / np.maximum(tp + rises.at_or_above, 1)
            summed = np.einsum("ij,ij->i", rises.found, precision)
        case Area.PRECISION_RECALL:
            summed = _interpolated(rises, tp)
        case _:
            assert_never(area)
    return np.asarray(summed / tp[:, -1], dtype=np.float64)


def _interpolated(rises: _Rises, tp: Counts) -> Numbers:
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
