"""The points of ROC and precision-recall curves, as few as a drawing needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.statistics import FloatArray

    _IntArray: TypeAlias = npt.NDArray[np.int64]

MAX_CURVE_POINTS = 300


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """A curve of one classifier and class, thinned: counts from the highest threshold down."""

    classifier: str
    class_: str
    thresholds: tuple[float, ...]
    tp: tuple[int, ...]
    fp: tuple[int, ...]
    positives: int
    negatives: int

    def roc(self) -> tuple[tuple[float, float], ...]:
        """Return false positive rate and true positive rate, from the corner of nothing on."""
        return (
            (0.0, 0.0),
            *(
                (fp / self.negatives, tp / self.positives)
                for tp, fp in zip(self.tp, self.fp, strict=True)
            ),
        )

    def precision_recall(self) -> tuple[tuple[float, float], ...]:
        """Return recall and precision, from the highest threshold down."""
        return tuple(
            (tp / self.positives, tp / (tp + fp)) for tp, fp in zip(self.tp, self.fp, strict=True)
        )

    def rates(self) -> tuple[tuple[float, float, float, float], ...]:
        """Return threshold, sensitivity, specificity and precision, the highest threshold first."""
        return tuple(
            (threshold, tp / self.positives, 1 - fp / self.negatives, tp / (tp + fp))
            for threshold, tp, fp in zip(self.thresholds, self.tp, self.fp, strict=True)
        )


def compute_curve_points(curves: ScoreCurves, classifiers: Sequence[str]) -> Iterator[CurvePoints]:
    """Yield the curves of classifiers, in their order, where both classes have cases."""
    for classifier in classifiers:
        for class_, steps in curves.by_class(classifier):
            if steps.positives and steps.negatives:
                few = thin_curve(steps)
                yield CurvePoints(
                    classifier,
                    class_,
                    tuple(few.threshold.tolist()),
                    tuple(few.tp.tolist()),
                    tuple(few.fp.tolist()),
                    steps.positives,
                    steps.negatives,
                )


def thin_curve(counts: CumulativeCounts) -> CumulativeCounts:
    """Keep as many steps as can be seen, the first and the last among them.

    Steps are taken evenly along the curve, not of the scores, so that steep parts keep their
    shape.
    """
    last = len(counts.tp) - 1
    if last < MAX_CURVE_POINTS:
        return counts
    ends = _position_along_curve(counts, np.array([0, last]))
    wanted = np.linspace(ends[0], ends[1], MAX_CURVE_POINTS)
    kept = np.unique(np.concatenate([[0], _first_step_at(counts, wanted), [last]]))
    return counts.take(kept[-MAX_CURVE_POINTS:])


def _position_along_curve(counts: CumulativeCounts, indices: _IntArray) -> FloatArray:
    """Return how far along the curve some steps are."""
    rates = counts.tp[indices] / counts.positives + counts.fp[indices] / counts.negatives
    return np.asarray(rates, dtype=np.float64)


def _first_step_at(counts: CumulativeCounts, positions: FloatArray) -> _IntArray:
    """Find the first step that is so far along, halving what is left for all at once."""
    low = np.zeros(len(positions), np.int64)
    high = np.full(len(positions), len(counts.tp) - 1)
    while (low < high).any():
        middle = (low + high) // 2
        reached = _position_along_curve(counts, middle) >= positions
        low, high = np.where(reached, low, middle + 1), np.where(reached, middle, high)
    return high
