"""Inference for measures of counts where cases are clustered or weighted.

The variance of a value is that of its linearization, summed over clusters (Taylor linearization;
Binder 1983). An interval of independent cases is widened by replacing the number of cases n by
n / design effect, and with few clusters by the quantile of Student's t (Korn and Graubard 1998).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
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


# Without slots, because cached properties need an instance dictionary.
@dataclass(frozen=True)
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

    @cached_property
    def df_factor(self) -> float:
        """How much few clusters reduce the effective number of cases."""
        return self.design.df_factor(self.level)

    def weight(self, classifier: str, estimand: Estimand) -> float:
        """Return the effective number of cases per case: 1 / design effect, at most 1.

        Where the value does not vary, all cases of a cluster are taken to be alike.
        """
        influence = self._influence(classifier, estimand)[:, None]
        return self._effective_share(influence) * self.df_factor

    def difference_weight(self, pair: tuple[str, str], estimand: Estimand) -> float:
        """Return the effective number of cases per case for a difference of two classifiers."""
        first, second = (self._influence(name, estimand) for name in pair)
        return self._effective_share((first - second)[:, None]) * self.df_factor

    def correlation(self, pair: tuple[str, str], estimand: Estimand) -> float:
        """Return the correlation of the values of two classifiers; 0 if one does not vary."""
        both = np.column_stack([self._influence(name, estimand) for name in pair])
        covariances = self.design.covariances(both)
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

    def _effective_share(self, influence: FloatArray) -> float:
        robust = float(self.design.covariances(influence)[0, 0])
        independent = float(self.design.independent_covariances(influence)[0, 0])
        least = self.design.max_dependence_size / self.design.cases
        if not (robust > MIN_VARIANCE and independent > MIN_VARIANCE):
            return min(1.0, least)
        return min(1.0, independent / robust)

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
