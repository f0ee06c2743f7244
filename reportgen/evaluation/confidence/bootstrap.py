"""Stratified bootstrap of confusion matrices, and percentile intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.delta_method import ConfidenceIntervals
from reportgen.evaluation.confidence.gradient import (
    chance_name,
    chance_rank_errors,
    mean_recall,
    rank_distances,
    values_per_class,
)
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.statistics.bootstrap import MultinomialBootstrap

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix
    from reportgen.measures import Average, Measure
    from reportgen.spec.inference import IntervalSettings
    from reportgen.statistics import FloatArray

BOOTSTRAP = "bootstrap"
MIN_DEFINED_FRACTION = 0.5


@dataclass(frozen=True, slots=True)
class BootstrapMatrices:
    """Resampled TP, FN, FP and TN by resample and class; class sizes are fixed.

    `rank_sums` are the sums of ordered classes by resample.
    """

    counts: Mapping[str, FloatArray]
    true_totals: FloatArray
    rank_sums: Mapping[str, FloatArray]
    macro_weights: FloatArray

    def class_values(self, measure: Measure) -> FloatArray:
        """Return the values by resample and class."""
        return values_per_class(measure, self.counts)

    def overall_values(self, measure: Measure) -> FloatArray:
        """Return the overall values by resample."""
        if measure.overall_formula is None:
            raise LookupError(measure.name)
        correct, predicted = self.counts["tp"], self.counts["tp"] + self.counts["fp"]
        draws = len(correct)
        quantities = {
            "correct": correct.sum(axis=1),
            "total": np.full(draws, self.true_totals.sum()),
            "margin_products": (predicted * self.true_totals).sum(axis=1),
            "true_squares": np.full(draws, (self.true_totals**2).sum()),
            "predicted_squares": (predicted**2).sum(axis=1),
            "mean_recall": mean_recall(correct, self.true_totals),
            **self.rank_sums,
        }
        for name, expected in chance_rank_errors(self.true_totals).items():
            quantities[chance_name(name)] = (predicted * expected).sum(axis=1)
        return evaluate_formula(measure.overall_formula, quantities)

    def averaged_values(self, measure: Measure, average: Average) -> FloatArray:
        """Return the averages over the classes with a defined value, by resample."""
        if average == "micro":
            pooled_counts = {name: count.sum(axis=1) for name, count in self.counts.items()}
            return values_per_class(measure, pooled_counts)
        values = self.class_values(measure)
        weight = self.macro_weights if average == "macro" else self.true_totals
        used = ~np.isnan(values) & (weight > 0)
        with np.errstate(all="ignore"):
            sums = np.where(used, values * weight, 0.0).sum(axis=1)
            return np.asarray(sums / np.where(used, weight, 0.0).sum(axis=1), dtype=np.float64)


def bootstrap_matrices(
    matrix: SparseConfusionMatrix, settings: IntervalSettings, weight: float
) -> BootstrapMatrices:
    """Return resamples of a confusion matrix, stratified by true class.

    Every classifier starts from the same seed, so its limits do not depend on the others.
    """
    random = np.random.default_rng(settings.seed)
    correct = np.zeros((settings.draws, matrix.size))
    predicted = np.zeros((settings.draws, matrix.size))
    true = np.zeros(matrix.size)
    distances = rank_distances(matrix.size)
    rank_sums = {name: np.zeros(settings.draws) for name in distances}
    # Not by np.unique: it loads masked arrays, which takes longer than all draws of two classes.
    for class_ in np.flatnonzero(np.bincount(matrix.truth, weights=matrix.counts)):
        of_class = (matrix.truth == class_) & (matrix.counts > 0)
        answers, counts = matrix.prediction[of_class], matrix.counts[of_class]
        bootstrap = MultinomialBootstrap.from_counts(counts.astype(np.int64), weight)
        true[class_] = bootstrap.size
        resampled = bootstrap.sample(random, settings.draws)
        predicted[:, answers] += resampled
        for name, penalty in distances.items():
            rank_sums[name] += resampled @ penalty[np.abs(answers - class_)]
        if (answers == class_).any():
            correct[:, class_] = resampled[:, answers == class_][:, 0]
    tn = true.sum() - true - predicted + correct
    counts = {"tp": correct, "fn": true - correct, "fp": predicted - correct, "tn": tn}
    return BootstrapMatrices(counts, true, rank_sums, matrix.macro_weights)


def percentile_intervals(values: FloatArray, level: float) -> ConfidenceIntervals:
    """Return percentile intervals of resampled values (first axis); infinite values count.

    Undefined resamples are left out; where they are more than half, or all values are equal, there
    is no interval.
    """
    draws = len(values)
    # Undefined values (NaN) are sorted to the end.
    ordered = np.sort(values, axis=0)
    defined = draws - np.isnan(values).sum(axis=0)
    tail = (1 - level) / 2
    last = np.maximum(defined - 1, 0)
    low = _order_statistic(ordered, np.floor(last * tail))
    high = _order_statistic(ordered, np.ceil(last * (1 - tail)))
    has_interval = (defined >= MIN_DEFINED_FRACTION * draws) & (
        ordered[0] < _order_statistic(ordered, last)
    )
    return ConfidenceIntervals(
        np.where(has_interval, low, np.nan),
        np.where(has_interval, high, np.nan),
        np.where(has_interval, BOOTSTRAP, ""),
    )


def _order_statistic(sorted_values: FloatArray, ranks: FloatArray) -> FloatArray:
    index = np.asarray(ranks, dtype=np.int64)[None, ...]
    return np.asarray(np.take_along_axis(sorted_values, index, axis=0)[0], dtype=np.float64)
