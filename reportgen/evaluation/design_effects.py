"""Inference for measures of counts where cases are clustered or weighted.

The variance of a value is that of its linearization, summed over clusters (Taylor linearization;
Binder 1983). An interval of independent cases is widened by replacing the number of cases n by
n / design effect, and by the quantile of Student's t for the normal one (Korn and Graubard 1998).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.gradient import (
    COUNT_NAMES,
    SparseConfusionMatrix,
    gradient_of_average,
    gradient_overall,
    gradient_per_class,
)
from reportgen.statistics.cluster_tests import cluster_swap_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.aggregates.design import LabelDesign, SampleDesign
    from reportgen.aggregates.model import Aggregates
    from reportgen.measures import Average, Measure
    from reportgen.statistics import FloatArray
    from reportgen.statistics.cluster_tests import SwapTests

# A variance below this is rounding error.
MIN_VARIANCE = 1e-18
# Haldane's and Anscombe's ½, where a count of the class may be 0.
PSEUDO_COUNT = 0.5


@dataclass(frozen=True, slots=True)
class Estimand:
    """A measure of one class, of an average over the classes, or over all classes."""

    measure: Measure
    class_: str | None = None
    average: Average | None = None


@dataclass(frozen=True, slots=True)
class DesignEffects:
    """Design effects of values and of differences, from the counts of each independent unit."""

    labels: LabelDesign
    level: float
    _influences: dict[tuple[str, str, str | None, str | None], FloatArray] = field(
        default_factory=dict, compare=False
    )

    @property
    def design(self) -> SampleDesign:
        """The clusters and weights."""
        return self.labels.design

    @property
    def method(self) -> str:
        """What the names of methods end with."""
        return self.design.method

    def covers(self, classifier: str) -> bool:
        """Return whether a classifier was evaluated on the cases of the design."""
        return classifier in self.labels.predictions

    def weight(self, classifier: str, estimand: Estimand) -> float:
        """Return the effective number of cases per case for a value."""
        return self._effective_share(self._influence(classifier, estimand), (classifier,), estimand)

    def difference_weight(self, pair: tuple[str, str], estimand: Estimand) -> float:
        """Return the effective number of cases per case for a difference of two classifiers."""
        first, second = (self._influence(name, estimand) for name in pair)
        return self._effective_share(first - second, pair, estimand)

    def correlation(self, pair: tuple[str, str], estimand: Estimand) -> float:
        """Return the correlation of the values of two classifiers; 0 if one does not vary."""
        influences = np.column_stack([self._influence(name, estimand) for name in pair])
        covariances = self.design.covariances(influences)
        product = float(covariances[0, 0] * covariances[1, 1])
        if not product > MIN_VARIANCE**2:
            return 0.0
        return float(np.clip(covariances[0, 1] / np.sqrt(product), -1.0, 1.0))

    def covariances(self, keys: Sequence[tuple[str, Estimand]]) -> FloatArray:
        """Return the covariance matrix of values, each of a classifier and an estimand."""
        return self.design.covariances(np.column_stack([self._influence(*key) for key in keys]))

    def swap_tests(
        self, pair: tuple[str, str], estimands: Sequence[Estimand], seed: int
    ) -> SwapTests:
        """Test differences of two classifiers by swapping the predictions of whole clusters."""
        return cluster_swap_tests(
            self.unit_differences(pair, estimands), self.design.unit_counts, seed=seed
        )

    def unit_differences(self, pair: tuple[str, str], estimands: Sequence[Estimand]) -> FloatArray:
        """Return the contributions of the units to differences (units × estimands).

        The gradient is that at the mean of both confusion matrices, which no swap of predictions
        changes: a swap changes the sign of a contribution and nothing else.
        """
        pooled = sum((self._counts(name) for name in pair), np.zeros(1)) / 2
        columns = []
        for estimand in estimands:
            first, second = (
                self._gradient(pooled, name, estimand, pseudo_count=PSEUDO_COUNT) for name in pair
            )
            columns.append(np.nan_to_num(first - second, posinf=0.0, neginf=0.0))
        return self.design.unit_sums(np.column_stack(columns))

    def _effective_share(
        self, influence: FloatArray, classifiers: tuple[str, ...], estimand: Estimand
    ) -> float:
        column = influence[:, None]
        robust = float(self.design.covariances(column)[0, 0])
        independent = float(self.design.independent_covariances(column)[0, 0])
        fallback = None
        if not (robust > MIN_VARIANCE and independent > MIN_VARIANCE):
            robust, fallback = 0.0, self._relevance(classifiers, estimand)
        return self.design.effective_share(
            influence,
            (robust, independent),
            self.level,
            strata=self.labels.truth,
            fallback=fallback,
        )

    def _relevance(self, classifiers: tuple[str, ...], estimand: Estimand) -> FloatArray | None:
        """Return which cases a value that does not vary depends on, as 0 and 1.

        Of a sensitivity of 1 these are the cases of the class. None: all cases.
        """
        if estimand.class_ is None:
            return None
        gradients = [
            self._gradient(self._counts(name), name, estimand, pseudo_count=PSEUDO_COUNT)
            for name in classifiers
        ]
        is_nonzero = np.any([np.nan_to_num(gradient) != 0 for gradient in gradients], axis=0)
        relevant = np.bincount(self.labels.truth, is_nonzero) > 0
        return relevant[self.labels.truth].astype(np.float64) if relevant.any() else None

    def _influence(self, classifier: str, estimand: Estimand) -> FloatArray:
        """Return the influence of a case of each row on a value; NaN or 0 if it has none."""
        key = classifier, estimand.measure.name, estimand.class_, estimand.average
        if key not in self._influences:
            gradient = self._gradient(self._counts(classifier), classifier, estimand)
            weights = self.design.counts * self.design.case_weights
            with np.errstate(all="ignore"):
                self._influences[key] = gradient - weights @ gradient / weights.sum()
        return self._influences[key]

    def _counts(self, classifier: str) -> FloatArray:
        """Return the counts that values are computed from: the confusion matrix."""
        return self.labels.counts(classifier)

    @np.errstate(all="ignore")
    def _gradient(
        self,
        counts: FloatArray,
        classifier: str,
        estimand: Estimand,
        *,
        pseudo_count: float = 0.0,
    ) -> FloatArray:
        """Return the derivative of a value, at some counts, in the cell of each row."""
        measure, truth = estimand.measure, self.labels.truth
        prediction = self.labels.predictions[classifier]
        if estimand.class_ is None:
            matrix = SparseConfusionMatrix.from_dense(counts)
            gradient = (
                gradient_overall(measure, matrix)
                if estimand.average is None
                else gradient_of_average(measure, matrix, estimand.average)
            )
            return gradient.at_cells(truth, prediction)
        label = self.labels.classes.index(estimand.class_)
        tp, true, predicted = counts[label, label], counts[label].sum(), counts[:, label].sum()
        cells = (tp, true - tp, predicted - tp, counts.sum() - true - predicted + tp)
        at = {
            name: np.array([cell + pseudo_count])
            for name, cell in zip(COUNT_NAMES, cells, strict=True)
        }
        _, by_count = gradient_per_class(measure, at)
        tp, fn, fp, tn = (float(by_count[name][0]) for name in COUNT_NAMES)
        is_class, predicts = truth == label, prediction == label
        return np.where(is_class, np.where(predicts, tp, fn), np.where(predicts, fp, tn))


def find_design_effects(aggregates: Aggregates, level: float) -> DesignEffects | None:
    """Return the design effects; None if cases are independent and weigh the same."""
    labels = aggregates.label_design
    return None if labels is None else DesignEffects(labels, level)


# With errors in fewer clusters the variance over clusters says too little: where about two of 40
# clusters are wrong as a whole, 95% intervals of accuracy cover 83 to 88%.
MIN_ERROR_CLUSTERS = 6


def few_cluster_warnings(aggregates: Aggregates) -> tuple[str, ...]:
    """Return a warning for every classifier whose errors are in few clusters.

    Clusters count by their errors: (Σ errors)² / Σ errors², so that one error in each of many other
    clusters changes little. Of a classifier that is mostly wrong the correct cases count.
    """
    labels = aggregates.label_design
    if labels is None or labels.design.clusters is None:
        return ()
    warnings = []
    for name, prediction in labels.predictions.items():
        is_wrong = prediction != labels.truth
        wrong, right = (
            labels.design.unit_sums(side.astype(np.float64)[:, None])[:, 0]
            for side in (is_wrong, ~is_wrong)
        )
        word, sums = ("errors", wrong) if wrong.sum() <= right.sum() else ("correct cases", right)
        if not sums.any():
            continue
        clusters = float(sums.sum() ** 2 / (sums**2).sum())
        if clusters < MIN_ERROR_CLUSTERS:
            warnings.append(
                f"most {word} of `{name}` are in few of the {labels.design.units} clusters"
                f" (effective number {clusters:.1f}): intervals of its values may be too narrow"
            )
    return tuple(warnings)
