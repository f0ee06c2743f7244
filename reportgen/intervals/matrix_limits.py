"""Limits of measures over all classes: of the whole matrix, and of averages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.frozen import frozen
from reportgen.intervals.class_limits import HALF_ADDED
from reportgen.intervals.limits import ROUNDING, Limits, at_an_end, curve_of, delta_limits
from reportgen.intervals.shares import CASES_OF_CLASS, WILSON, Share, share_limits, share_of
from reportgen.intervals.slopes import Slopes, slopes_of_average, slopes_of_whole, values_of_classes
from reportgen.measures.interval import Delta, Proportion
from reportgen.statistics.proportions import square_and_add_limits, wilson_limits
from reportgen.statistics.quantiles import normal_quantile
from reportgen.tallies import CORRECT, MATRIX_SIZE

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Matrix
    from reportgen.intervals.slopes import Average
    from reportgen.measures import Measure
    from reportgen.measures.interval import Curve
    from reportgen.spec.evidence import Intervals

CASES_ADDED = "2 cases spread"
TWO_CLASSES = 2
ACCURACY = Share(CORRECT, MATRIX_SIZE)


@frozen
class Found:
    """A matrix, what a case in it counts, and how a measure moves with its cells."""

    matrix: Matrix
    weight: float
    slopes: Callable[[Matrix], Slopes]

    def value_and_variance(self) -> tuple[Numbers, Numbers]:
        """Return both; of whole counts, since rounding would hide that a cell is empty."""
        found = self.slopes(self.matrix)
        return np.asarray(found.value), np.asarray(found.variance(self.matrix) / self.weight)

    def with_cases_added(self) -> Found:
        """Return the same with two cases spread over the matrix."""
        return Found(self.matrix.scaled(self.weight).with_cases_added(), 1.0, self.slopes)


def limits_of_whole(measure: Measure, matrix: Matrix, asked: Intervals, weight: float) -> Limits:
    """Return the limits of a measure over the whole matrix."""
    if measure.whole is None:
        raise LookupError(measure.name)
    if isinstance(measure.interval, Proportion):
        at = matrix.whole_counts
        return share_limits(*share_of(measure.whole).counted(at, weight), asked)
    kind = measure.interval
    curve = kind.curve if isinstance(kind, Delta) else curve_of(measure.range)
    found = Found(matrix, weight, lambda at: slopes_of_whole(measure, at))
    return _delta(measure, curve, found, asked.level)


def limits_of_average(
    measure: Measure, matrix: Matrix, average: Average, asked: Intervals, weight: float
) -> Limits:
    """Return the limits of an average over the classes.

    Every micro average is a function of the share of right answers, and so is an average of
    sensitivities weighted by the cases of the classes: limits of that share are carried over.
    """
    share = share_of(measure.formula) if isinstance(measure.interval, Proportion) else None
    if average == "micro":
        return _through_accuracy(measure, matrix, asked, weight)
    if share and share.among == CASES_OF_CLASS:
        if average == "weighted":
            return _through_accuracy(measure, matrix, asked, weight)
        return _square_and_add(share, matrix, asked.level, weight)
    found = Found(matrix, weight, lambda at: slopes_of_average(measure, at, average))
    return _delta(measure, curve_of(measure.range), found, asked.level)


def _through_accuracy(measure: Measure, matrix: Matrix, asked: Intervals, weight: float) -> Limits:
    """Carry the limits of the share of right answers over to a micro average.

    Summed over K classes, a right answer is one hit and K − 1 right rejections, a wrong one a
    miss, a false alarm and K − 2 right rejections.
    """
    counted = ACCURACY.counted(matrix.whole_counts, weight)
    if isinstance(measure.interval, Proportion):
        right = share_limits(*counted, asked)
    else:
        # Clopper and Pearson's limits are asked for shares alone.
        right = Limits.named(*wilson_limits(*counted, asked.level), WILSON)
    share = np.array([right.low, right.high])
    summed = {
        "tp": share,
        "fn": 1 - share,
        "fp": 1 - share,
        "tn": np.maximum(matrix.size - 2 + share, 0.0),
    }
    ends = values_of_classes(measure, summed)
    itself = any(np.allclose(ends, same, rtol=0, atol=ROUNDING) for same in (share, 1 - share))
    method = f"{right.method}" if itself else f"{right.method} through accuracy"
    return Limits.named(np.asarray(ends.min()), np.asarray(ends.max()), method)


def _square_and_add(share: Share, matrix: Matrix, level: float, weight: float) -> Limits:
    """Return the limits of a mean of shares that are of different cases."""
    cases, among = share.counted(matrix.class_counts, weight)
    cases, among = cases[among > 0], among[among > 0]
    if not len(among):
        return Limits.named(np.asarray(np.nan), np.asarray(np.nan), "")
    equal = np.full(len(among), 1 / len(among))
    low, high = square_and_add_limits(cases / among, *wilson_limits(cases, among, level), equal)
    return Limits.named(low, high, "square and add")


def _delta(measure: Measure, curve: Curve, found: Found, level: float) -> Limits:
    """Return the limits of the delta method, with two cases added where it needs that."""
    quantile = normal_quantile(level)
    value, variance = found.value_and_variance()
    if not at_an_end(value, variance, measure.range).any():
        return delta_limits(value, variance, curve, quantile)
    moved = delta_limits(*found.with_cases_added().value_and_variance(), curve, quantile)
    added = HALF_ADDED if found.matrix.size == TWO_CLASSES else CASES_ADDED
    return Limits.named(moved.low, moved.high, f"{moved.method}, {added}")
