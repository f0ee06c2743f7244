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
    build_paired_tables,
    encode_classes,
)
from reportgen.evaluation.design_effects import Estimand
from reportgen.evaluation.permutation_tests import hypothesis_gradient
from reportgen.evaluation.studentized import comparison_link
from reportgen.measures.registry import question_of
from reportgen.statistics.max_t import JointNormal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reportgen.evaluation.design_effects import DesignEffects
    from reportgen.evaluation.multiple_testing import Hypothesis
    from reportgen.evaluation.pairwise_tests import ComparisonInputs
    from reportgen.statistics import FloatArray, IndexArray
    from reportgen.statistics.paired_tests import PairedContingencyTable

# Classifiers times measures; more are adjusted measure by measure.
MAX_ESTIMATES = 1_000


@dataclass(frozen=True, slots=True)
class _Cells:
    """Cases grouped by true class and the predicted class of one or two classifiers."""

    truth: IndexArray
    predictions: tuple[IndexArray, ...]
    counts: FloatArray


_CellGradient = "Callable[[IndexArray, IndexArray], FloatArray]"


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
        gradients = [self._gradients(name, hypotheses, label) for name in names]
        size = len(hypotheses)
        covariance = np.zeros((len(names) * size, len(names) * size))
        for i, first in enumerate(names):
            cells = self._own_cells(first, label)
            own = _centre(gradients[i](cells.truth, cells.predictions[0]), cells.counts)
            rows = slice(i * size, (i + 1) * size)
            covariance[rows, rows] = (own * cells.counts[:, None]).T @ own
            for j in range(i):
                both = self._joint_cells(names[j], first, label)
                if both is None:
                    continue
                one, other = (
                    _centre(gradients[at](both.truth, prediction), both.counts)
                    for at, prediction in zip((j, i), both.predictions, strict=True)
                )
                columns = slice(j * size, (j + 1) * size)
                product = (other * both.counts[:, None]).T @ one
                covariance[rows, columns], covariance[columns, rows] = product, product.T
        return covariance

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

    def _gradients(
        self, name: str, hypotheses: Sequence[Hypothesis], label: str | None
    ) -> Callable[[IndexArray, IndexArray], FloatArray]:
        """Return a function from cells to gradients on the scale of the test, by hypothesis."""
        matrix = self.inputs.matrix(name)
        if label is None:
            overall = [
                (hypothesis_gradient(one, matrix), comparison_link(one.measure))
                for one in hypotheses
            ]
            return lambda truth, prediction: _finite(
                np.array(
                    [
                        slopes.at_cells(truth, prediction)
                        * float(link_derivative(link, slopes.value))
                        for slopes, link in overall
                    ]
                ).T
            )
        at = self.inputs.classes.index(label)
        counts = {
            name: count[at : at + 1] + HALDANE_CORRECTION
            for name, count in matrix.class_counts.items()
        }
        table = []
        for one in hypotheses:
            value, by_count = gradient_per_class(one.measure, counts)
            slope = float(link_derivative(comparison_link(one.measure), float(value[0])))
            table.append([float(by_count[name][0]) * slope for name in COUNT_NAMES])
        tp, fn, fp, tn = _finite(np.array(table).T)
        return lambda truth, prediction: np.where(
            (truth == 1)[:, None],
            np.where((prediction == 1)[:, None], tp, fn),
            np.where((prediction == 1)[:, None], fp, tn),
        )

    def _own_cells(self, name: str, label: str | None) -> _Cells:
        matrix = self.inputs.matrix(name)
        if label is None:
            return _Cells(matrix.truth, (matrix.prediction,), matrix.counts)
        at = self.inputs.classes.index(label)
        counts = np.array([matrix.class_counts[name][at] for name in COUNT_NAMES])
        return _Cells(np.array([1, 1, 0, 0]), (np.array([1, 0, 1, 0]),), counts)

    def _joint_cells(self, first: str, second: str, label: str | None) -> _Cells | None:
        pairs, classes = self.inputs.pairs, self.inputs.classes
        if pairs is None or not pairs.has_pair(first, second):
            return None
        if label is not None:
            table = self._tables[first, second][label]
            counts = [
                getattr(side, name)
                for side in (table.positives, table.negatives)
                for name in ("both", "first_only", "second_only", "neither")
            ]
            one, other = np.array([1, 1, 0, 0] * 2), np.array([1, 0, 1, 0] * 2)
            truth = np.repeat([1, 0], 4)
            return _Cells(truth, (one, other), np.array(counts, dtype=np.float64))
        frame = pairs.pair_counts(first, second)
        truth, one, other = (
            encode_classes(frame[name], classes)
            for name in ("truth", "first_prediction", "second_prediction")
        )
        return _Cells(truth, (one, other), frame["count"].to_numpy().astype(np.float64))

    @cached_property
    def _tables(self) -> Mapping[tuple[str, str], dict[str, PairedContingencyTable]]:
        return _TablesByPair(self.inputs)


class _TablesByPair(dict[tuple[str, str], "dict[str, PairedContingencyTable]"]):
    """The paired contingency tables of every class, computed for a pair when first used."""

    def __init__(self, inputs: ComparisonInputs) -> None:
        super().__init__()
        self._inputs = inputs

    def __missing__(self, pair: tuple[str, str]) -> dict[str, PairedContingencyTable]:
        pairs = self._inputs.pairs
        if pairs is None:
            raise KeyError(pair)
        self[pair] = build_paired_tables(pairs.pair_counts(*pair), self._inputs.classes)
        return self[pair]


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
