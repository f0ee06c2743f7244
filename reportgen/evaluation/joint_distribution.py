"""Joint normal distribution of the differences of all classifiers, by the delta method.

The classifiers are measured on the same cases, so the covariances of their values follow from the
joint counts of each pair of classifiers; those of areas and losses follow from the variances of the
differences of all pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.confidence.delta_method import link_derivative
from reportgen.evaluation.confidence.gradient import COUNT_NAMES, gradient_per_class
from reportgen.evaluation.contingency_tables import (
    HALDANE_CORRECTION,
    encode_classes,
)
from reportgen.evaluation.design_effects import Estimand
from reportgen.evaluation.permutation_tests import hypothesis_gradient
from reportgen.evaluation.studentized import comparison_link
from reportgen.measures import get_measure
from reportgen.measures.registry import question_of
from reportgen.statistics.max_t import JointNormal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reportgen.evaluation.design_effects import DesignEffects
    from reportgen.evaluation.multiple_testing import Hypothesis
    from reportgen.evaluation.pairwise_tests import ComparisonInputs
    from reportgen.statistics import FloatArray, IndexArray

# Classifiers times measures; more are adjusted measure by measure.
MAX_ESTIMATES = 1_000


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cases grouped by true class and the predicted classes of two classifiers."""

    truth: IndexArray
    predictions: tuple[IndexArray, IndexArray]
    counts: FloatArray


@dataclass(frozen=True)
class CountCovariances:
    """Covariances of measures of counts over all classifiers of a comparison."""

    inputs: ComparisonInputs

    def joint_normal(
        self, contrasts: Sequence[tuple[tuple[str, str], Hypothesis]]
    ) -> JointNormal | None:
        """Return the joint distribution of differences, each of a pair on a hypothesis.

        None if there are too many estimates.
        """
        names = list(dict.fromkeys(name for pair, _ in contrasts for name in pair))
        keys = dict.fromkeys(_key(hypothesis) for _, hypothesis in contrasts)
        hypotheses = {_key(hypothesis): hypothesis for _, hypothesis in contrasts}
        size = len(keys)
        if len(names) * size > MAX_ESTIMATES:
            return None
        covariance = self._covariance(names, [hypotheses[key] for key in keys])
        place = {key: at for at, key in enumerate(keys)}
        row = {name: at * size for at, name in enumerate(names)}
        first, second = (
            np.array([row[pair[side]] + place[_key(one)] for pair, one in contrasts])
            for side in (0, 1)
        )
        return JointNormal(covariance, first, second)

    def _covariance(self, names: Sequence[str], hypotheses: Sequence[Hypothesis]) -> FloatArray:
        if self.inputs.effects is not None and self.inputs.has_design(names):
            return self._design_covariance(self.inputs.effects, names, hypotheses)
        labels = {one.class_ for one in hypotheses}
        label = labels.pop() if len(labels) == 1 else None
        if label is not None:
            return self._class_covariance(names, hypotheses, label)
        gradients = [self._overall_gradients(name, hypotheses) for name in names]
        size = len(hypotheses)
        covariance = np.zeros((len(names) * size, len(names) * size))
        for i, first in enumerate(names):
            matrix = self.inputs.matrix(first)
            own = _centre(gradients[i](matrix.truth, matrix.prediction), matrix.counts)
            rows = slice(i * size, (i + 1) * size)
            covariance[rows, rows] = (own * matrix.counts[:, None]).T @ own
            for j in range(i):
                joint = self._joint_cells(names[j], first)
                if joint is None:
                    continue
                one, other = (
                    _centre(gradients[at](joint.truth, prediction), joint.counts)
                    for at, prediction in zip((j, i), joint.predictions, strict=True)
                )
                columns = slice(j * size, (j + 1) * size)
                product = (other * joint.counts[:, None]).T @ one
                covariance[rows, columns], covariance[columns, rows] = product, product.T
        return covariance

    def _class_covariance(
        self, names: Sequence[str], hypotheses: Sequence[Hypothesis], label: str
    ) -> FloatArray:
        """Return the covariances of measures of one class, from its 2×2×2 tables."""
        size, at = len(hypotheses), self.inputs.classes.index(label)
        # Axes: classifier, true class, predicted class (the class first, then the rest), measure.
        gradients = np.array([self._class_gradients(name, hypotheses, at) for name in names])
        covariance = np.zeros((len(names), size, len(names), size))
        for i, first in enumerate(names):
            counts = self.inputs.matrix(first).class_counts
            cells = np.array([counts[name][at] for name in COUNT_NAMES])
            own = _centre(gradients[i].reshape(4, size), cells)
            covariance[i, :, i] = (own * cells[:, None]).T @ own
            joined = [j for j in range(i) if self.inputs.has_pair(names[j], first)]
            if not joined:
                continue
            # Axes: other classifier, true class, its prediction, prediction of the first.
            tables = np.array(
                [self.inputs.tables[names[j], first][label].cells for j in joined],
                dtype=np.float64,
            ).reshape(-1, 2, 2, 2)
            total = tables.sum(axis=(1, 2, 3))[:, None]
            mine = np.einsum("jtab,tbh->jh", tables, gradients[i]) / total
            others = np.einsum("jtab,jtah->jh", tables, gradients[joined]) / total
            product = np.einsum(
                "jtab,jtbg,jtah->jgh",
                tables,
                gradients[i] - mine[:, None, None],
                gradients[joined] - others[:, None, None],
                optimize=True,
            )
            covariance[i, :, joined] = product
            covariance[joined, :, i] = product.transpose(0, 2, 1)
        return covariance.reshape(len(names) * size, -1)

    def _design_covariance(
        self, effects: DesignEffects, names: Sequence[str], hypotheses: Sequence[Hypothesis]
    ) -> FloatArray:
        """Return the covariances over clusters, or of weighted cases, on the scale of the test."""
        keys = [(name, one) for name in names for one in hypotheses]
        slopes = []
        for name, one in keys:
            value = self.inputs.value(name, one)
            number = np.nan if value is None or value.number is None else value.number
            slopes.append(float(link_derivative(comparison_link(one.measure), number)))
        covariance = effects.covariances(
            [(name, Estimand(one.measure, one.class_, one.average)) for name, one in keys]
        )
        # A value at the end of its range has no finite slope, and no part in the distribution.
        with np.errstate(all="ignore"):
            return _finite(covariance * np.outer(slopes, slopes))

    def _overall_gradients(
        self, name: str, hypotheses: Sequence[Hypothesis]
    ) -> Callable[[IndexArray, IndexArray], FloatArray]:
        """Return a function from cells to gradients on the scale of the test, by hypothesis."""
        matrix = self.inputs.matrix(name)
        overall = [
            (hypothesis_gradient(one, matrix), comparison_link(one.measure)) for one in hypotheses
        ]
        return lambda truth, prediction: _finite(
            np.array(
                [
                    slopes.at_cells(truth, prediction) * float(link_derivative(link, slopes.value))
                    for slopes, link in overall
                ]
            ).T
        )

    def _class_gradients(
        self, name: str, hypotheses: Sequence[Hypothesis], class_index: int
    ) -> FloatArray:
        """Return the gradients of one class: by true class, predicted class and hypothesis."""
        table = [self._gradients_of_classes[name, one.measure.name] for one in hypotheses]
        cells = np.array([gradient[:, class_index] for gradient in table]).T
        # Cells are TP, FN, FP and TN.
        return cells.reshape(2, 2, len(hypotheses))

    @cached_property
    def _gradients_of_classes(self) -> Mapping[tuple[str, str], FloatArray]:
        return _ClassGradients(self.inputs)

    def _joint_cells(self, first: str, second: str) -> _Cells | None:
        pairs, classes = self.inputs.pairs, self.inputs.classes
        if pairs is None or not pairs.has_pair(first, second):
            return None
        frame = pairs.pair_counts(first, second)
        truth, one, other = (
            encode_classes(frame[name], classes)
            for name in ("truth", "first_prediction", "second_prediction")
        )
        return _Cells(truth, (one, other), frame["count"].to_numpy().astype(np.float64))


class _ClassGradients(dict[tuple[str, str], "FloatArray"]):
    """Gradients of a classifier's measure on the scale of the test, computed when first used.

    A row for each of TP, FN, FP and TN, a column per class.
    """

    def __init__(self, inputs: ComparisonInputs) -> None:
        super().__init__()
        self._inputs = inputs

    @np.errstate(all="ignore")
    def __missing__(self, key: tuple[str, str]) -> FloatArray:
        name, measure_name = key
        counts = {
            name: count + HALDANE_CORRECTION
            for name, count in self._inputs.matrix(name).class_counts.items()
        }
        measure = get_measure(measure_name)
        values, by_count = gradient_per_class(measure, counts)
        slopes = link_derivative(comparison_link(measure), values)
        self[key] = _finite(np.array([by_count[name] * slopes for name in COUNT_NAMES]))
        return self[key]


def _key(hypothesis: Hypothesis) -> tuple[str, str | None, str | None]:
    """Return what a hypothesis is about: measures that rank alike have one estimate."""
    measure, average = question_of(hypothesis.measure.name, hypothesis.average)
    return measure, hypothesis.class_, average


def _centre(gradients: FloatArray, counts: FloatArray) -> FloatArray:
    centred: FloatArray = gradients - counts @ gradients / counts.sum()
    return centred


def _finite(gradients: FloatArray) -> FloatArray:
    """Return gradients with 0 where a value has none: its difference has no variance then."""
    return np.where(np.isfinite(gradients), gradients, 0.0)


def joint_normal_of_pairs(
    pairs: Sequence[tuple[str, str]], variances: Mapping[tuple[str, str], float]
) -> JointNormal | None:
    """Return the joint distribution of the differences of pairs from the variances of all pairs.

    The covariance of two differences from the same classifier is half the sum of their variances
    minus half the variance between the two others. None if a variance is unknown or infinite.
    """
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    variance = {**variances, **{(b, a): v for (a, b), v in variances.items()}}
    variance |= {(name, name): 0.0 for name in names}
    spread = [[variance.get((one, other)) for other in names] for one in names]
    if any(variance is None for row in spread for variance in row):
        return None
    squares = np.array(spread, dtype=np.float64)
    if not np.all(np.isfinite(squares)):
        return None
    covariance = (squares[:, :1] + squares[:1, :] - squares) / 2
    place = {name: at for at, name in enumerate(names)}
    first, second = (np.array([place[pair[side]] for pair in pairs]) for side in (0, 1))
    return JointNormal(covariance, first, second)
