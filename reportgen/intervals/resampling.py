"""Confusion matrices drawn anew from the one that was counted, and the limits they give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reportgen.formulas.as_numpy import as_numpy
from reportgen.frozen import frozen
from reportgen.intervals.limits import Limits
from reportgen.intervals.slopes import values_of_classes
from reportgen.statistics.urn import Urn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Matrix
    from reportgen.intervals.slopes import Average
    from reportgen.measures import Measure
    from reportgen.spec.evidence import Intervals

BOOTSTRAP = "bootstrap"
DEFINED_AT_LEAST = 0.5


@frozen
class Draws:
    """Redrawn matrices: tp, fn, fp and tn by draw and class; true cases are as they were."""

    counts: Mapping[str, Numbers]
    true: Numbers

    def values_of_classes(self, measure: Measure) -> Numbers:
        """Return the values by draw and class."""
        return values_of_classes(measure, self.counts)

    def values_of_whole(self, measure: Measure) -> Numbers:
        """Return the values of the whole matrix by draw."""
        if measure.whole is None:
            raise LookupError(measure.name)
        right, predicted = self.counts["tp"], self.counts["tp"] + self.counts["fp"]
        draws = len(right)
        whole = {
            "correct": right.sum(axis=1),
            "total": np.full(draws, self.true.sum()),
            "margin_products": (predicted * self.true).sum(axis=1),
            "true_squares": np.full(draws, (self.true**2).sum()),
            "predicted_squares": (predicted**2).sum(axis=1),
        }
        return as_numpy(measure.whole, whole)

    def values_of_average(self, measure: Measure, average: Average) -> Numbers:
        """Return the averages over the classes that are defined, by draw."""
        if average == "micro":
            summed = {name: count.sum(axis=1) for name, count in self.counts.items()}
            return values_of_classes(measure, summed)
        values = self.values_of_classes(measure)
        weight = np.ones_like(self.true) if average == "macro" else self.true
        used = ~np.isnan(values) & (weight > 0)
        with np.errstate(all="ignore"):
            sums = np.where(used, values * weight, 0.0).sum(axis=1)
            return np.asarray(sums / np.where(used, weight, 0.0).sum(axis=1), dtype=np.float64)


def drawn(matrix: Matrix, asked: Intervals, weight: float) -> Draws:
    """Draw matrices with the same number of cases in each true class (stratified bootstrap).

    The draws begin at the seed for every classifier, so its limits do not depend on the others.
    """
    random = np.random.default_rng(asked.seed)
    right = np.zeros((asked.draws, matrix.size))
    predicted = np.zeros((asked.draws, matrix.size))
    true = np.zeros(matrix.size)
    # Not by np.unique: it loads masked arrays, which takes longer than all draws of two classes.
    for class_ in np.flatnonzero(np.bincount(matrix.truth, weights=matrix.counts)):
        of_class = (matrix.truth == class_) & (matrix.counts > 0)
        answers, counts = matrix.prediction[of_class], matrix.counts[of_class]
        urn = Urn.of(counts.astype(np.int64), weight)
        true[class_] = urn.size
        found = urn.drawn(random, asked.draws)
        predicted[:, answers] += found
        if (answers == class_).any():
            right[:, class_] = found[:, answers == class_][:, 0]
    rest = true.sum() - true - predicted + right
    counts = {"tp": right, "fn": true - right, "fp": predicted - right, "tn": rest}
    return Draws(counts, true)


def percentile_limits(values: Numbers, level: float) -> Limits:
    """Return the percentiles of drawn values (first axis), infinite ones counting as such.

    Draws where the value is undefined are left out; where they are more than half, or all values
    are the same, resampling has nothing to say and there are no limits.
    """
    draws = len(values)
    # Undefined values (NaN) are sorted to the end.
    ordered = np.sort(values, axis=0)
    defined = draws - np.isnan(values).sum(axis=0)
    tail = (1 - level) / 2
    last = np.maximum(defined - 1, 0)
    low = _picked(ordered, np.floor(last * tail))
    high = _picked(ordered, np.ceil(last * (1 - tail)))
    told = (defined >= DEFINED_AT_LEAST * draws) & (ordered[0] < _picked(ordered, last))
    return Limits(
        np.where(told, low, np.nan),
        np.where(told, high, np.nan),
        np.where(told, BOOTSTRAP, ""),
    )


def _picked(ordered: Numbers, places: Numbers) -> Numbers:
    index = np.asarray(places, dtype=np.int64)[None, ...]
    return np.asarray(np.take_along_axis(ordered, index, axis=0)[0], dtype=np.float64)
