"""The convex hull of ROC curves: the operating points that cost least at some ratio of costs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.curves import CumulativeCounts
    from reportgen.statistics import FloatArray

_TOLERANCE = 1e-12
_NONE, _ALL = (0.0, 0.0), (1.0, 1.0)


@dataclass(frozen=True, slots=True)
class OptimalVertex:
    """A vertex of the common hull, and the cost ratios from low to high at which it costs least.

    The classifiers are those that reach it. At the ends they are left out, because there every
    classifier does what predicting one class for all cases does (`trivial`).
    """

    classifiers: tuple[str, ...]
    trivial: Literal["none", "all"] | None
    low: float
    high: float


def roc_hull(counts: CumulativeCounts) -> FloatArray:
    """Return the vertices (FPR, TPR) of the convex hull of a ROC curve, from (0, 0) to (1, 1).

    They are the ends of the blocks of an isotonic regression (Fawcett and Niculescu-Mizil 2007).
    """
    # Regressions are in ascending order of the scores, counts in descending order.
    last = len(counts.tp) - 1 - counts.isotonic_blocks.start[::-1]
    rates = np.column_stack(
        [counts.fp[last] / counts.negatives, counts.tp[last] / counts.positives]
    )
    return np.concatenate([[[0.0, 0.0]], rates])


def single_point_hull(counts: tuple[float, float, float, float]) -> FloatArray:
    """Return the point (FPR, TPR) of tp, fn, fp and tn, as a hull of one vertex."""
    tp, fn, fp, tn = counts
    return np.array([[fp / (fp + tn), tp / (tp + fn)]])


def optimal_vertices(hulls: Mapping[str, FloatArray], prevalence: float) -> Iterator[OptimalVertex]:
    """Yield the vertices of the common convex hull of all ROC curves, from the lowest ratio up.

    A vertex is optimal where the slope (1 − π)/(π r) of lines of equal cost, r being the ratio of
    the cost of a false negative to that of a false positive and π the prevalence, is between the
    slopes of its edges (Provost and Fawcett 2001).
    """
    owners: dict[tuple[float, float], list[str]] = {_NONE: [], _ALL: []}
    for name, hull in hulls.items():
        for fpr, tpr in hull.tolist():
            owners.setdefault((fpr, tpr), []).append(name)
    vertices = _upper_hull(sorted(owners))
    ratios = [_ratio_of_edge(*edge, prevalence) for edge in pairwise(vertices)]
    for vertex, low, high in zip(vertices, [0.0, *ratios], [*ratios, math.inf], strict=True):
        if high <= low * (1 + _TOLERANCE):
            continue
        if vertex in {_NONE, _ALL}:
            yield OptimalVertex((), "none" if vertex == _NONE else "all", low, high)
        else:
            yield OptimalVertex(tuple(owners[vertex]), None, low, high)


def _upper_hull(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the upper convex hull of points in ascending order (Andrew 1979)."""
    hull: list[tuple[float, float]] = []
    for x, y in points:
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) < -_TOLERANCE:
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _ratio_of_edge(
    start: tuple[float, float], end: tuple[float, float], prevalence: float
) -> float:
    rise, run = end[1] - start[1], end[0] - start[0]
    return math.inf if rise <= 0 else (1 - prevalence) * run / (prevalence * rise)
