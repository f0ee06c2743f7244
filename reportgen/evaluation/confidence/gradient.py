"""Gradients of measures with respect to the cells of the confusion matrix, for the delta method."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from reportgen.measures.formula.evaluate import evaluate_formula, formula_gradient
from reportgen.statistics.distributions import satterthwaite_df

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.measures import Average, Measure
    from reportgen.statistics import FloatArray, IndexArray


COUNT_NAMES = ("tp", "fn", "fp", "tn")


@dataclass(frozen=True, slots=True)
class MatrixGradient:
    """The value of a measure and its partial derivatives in the cells of the matrix.

    The derivative of a cell is that of its row (true class) plus that of its column (predicted
    class), and on the diagonal plus that of being correct. Of ordered classes that of the number
    of places between both classes is added, `by_distance[|true − predicted|]`.
    """

    value: float
    row: FloatArray
    column: FloatArray
    diagonal: FloatArray
    by_distance: FloatArray | None = None

    @property
    def dense(self) -> FloatArray:
        """The derivatives as a matrix, rows true."""
        cells = self.row[:, None] + self.column[None, :] + np.diag(self.diagonal)
        if self.by_distance is None:
            return cells
        places = np.arange(len(self.row))
        return np.asarray(cells + self.by_distance[np.abs(places[:, None] - places)])

    def variance(self, matrix: SparseConfusionMatrix) -> float:
        """Return the variance under multinomial sampling (delta method)."""
        # Sums of products, not dot products, whose last digit depends on the number of threads.
        with np.errstate(all="ignore"):
            slope, other = matrix.buffers
            self._fill(matrix.truth, matrix.prediction, slope, other)
            drift = float(np.multiply(matrix.counts, slope, out=other).sum())
            # Centred, so that nothing is lost when a large square is taken from a large sum.
            centre = (drift + matrix.pseudo_count * self._sum()) / matrix.total
            slope -= centre
            slope *= slope
            slope *= matrix.counts
            pseudo_case_term = (
                matrix.pseudo_count * self._centred_sum_of_squares(centre)
                if matrix.pseudo_count
                else 0.0
            )
            return float(slope.sum()) + pseudo_case_term

    def degrees_of_freedom(self, matrix: SparseConfusionMatrix) -> float:
        """Return Satterthwaite's degrees of freedom of the variance, without pseudo-cases."""
        with np.errstate(all="ignore"):
            slope = self.at_cells(matrix.truth, matrix.prediction)
            slope -= float((matrix.counts * slope).sum()) / matrix.total
            squares = slope * slope
            return satterthwaite_df(
                float((matrix.counts * squares).sum()),
                float((matrix.counts * squares * squares).sum()),
                matrix.total,
            )

    def at_cells(self, truth: IndexArray, prediction: IndexArray) -> FloatArray:
        """Return the derivatives of some cells."""
        slope = np.empty(truth.shape)
        self._fill(truth, prediction, slope, np.empty(truth.shape))
        return slope

    def _fill(
        self, truth: IndexArray, prediction: IndexArray, out: FloatArray, buffer: FloatArray
    ) -> None:
        """Write the derivatives of cells into a buffer."""
        # NumPy writes straight into it only if it need not refuse any place.
        np.take(self.row, truth, out=out, mode="clip")
        out += np.take(self.column, prediction, out=buffer, mode="clip")
        is_correct = truth == prediction
        out[is_correct] += self.diagonal[truth[is_correct]]
        if self.by_distance is not None:
            out += self.by_distance[np.abs(truth - prediction)]

    def _sum(self) -> float:
        if self.by_distance is not None:
            return float(self.dense.sum())
        return len(self.row) * float(self.row.sum() + self.column.sum()) + float(
            self.diagonal.sum()
        )

    def _centred_sum_of_squares(self, centre: float) -> float:
        """Return the sum of (derivative − centre)² over all cells, listed only if ordered."""
        if self.by_distance is not None:
            return float(((self.dense - centre) ** 2).sum())
        row, size = self.row - centre, len(self.row)
        off = size * float((row**2).sum() + (self.column**2).sum())
        off += 2 * float(row.sum() * self.column.sum())
        wrong = row + self.column
        return off + float(((wrong + self.diagonal) ** 2 - wrong**2).sum())


@np.errstate(all="ignore")
def gradient_overall(measure: Measure, matrix: SparseConfusionMatrix) -> MatrixGradient:
    """Return the gradient of a measure over all classes."""
    if measure.overall_formula is None:
        raise LookupError(measure.name)
    at = matrix.overall_counts
    by = dict.fromkeys(at, 0.0) | {
        name: float(slope) for name, slope in formula_gradient(measure.overall_formula, at).items()
    }
    true, predicted = matrix.true_totals, matrix.predicted_totals
    has_cases = true > 0
    # A correct case more of a class moves its recall by (1 − recall) / size, another by −recall.
    by_recall = np.where(has_cases, by["mean_recall"] / (true * has_cases.sum()), 0.0)
    recall = np.where(has_cases, matrix.correct / true, 0.0)
    row = (
        by["total"]
        + by["margin_products"] * predicted
        + 2 * by["true_squares"] * true
        - by_recall * recall
    )
    column = by["margin_products"] * true + 2 * by["predicted_squares"] * predicted
    diagonal = np.full(matrix.size, by["correct"]) + by_recall
    value = float(evaluate_formula(measure.overall_formula, at))
    distances = rank_distances(matrix.size)
    if not any(by[name] for name in (*distances, *map(chance_name, RANK_PENALTIES))):
        return MatrixGradient(value, row, column, diagonal)
    by_distance = np.zeros(matrix.size)
    for name, penalty in distances.items():
        by_distance += by[name] * penalty
    of_rows, of_columns = chance_rank_errors(predicted), chance_rank_errors(true)
    for name in RANK_PENALTIES:
        slope = by[chance_name(name)]
        row += slope * of_rows[name]
        column += slope * of_columns[name]
    return MatrixGradient(value, row, column, diagonal, by_distance)


# Of these the sum expected by chance is a quantity too.
RANK_PENALTIES = ("rank_errors", "squared_rank_errors")


def chance_name(name: str) -> str:
    """Return the name of the sum that chance gives, of a sum over the cases."""
    return f"chance_{name}"


def rank_distances(size: int) -> dict[str, FloatArray]:
    """Return what a case adds to the sums of ordered classes, by places between both classes."""
    places = np.arange(size, dtype=np.float64)
    return {
        "rank_errors": places,
        "squared_rank_errors": places**2,
        "within_one_class": (places <= 1).astype(np.float64),
    }


def chance_rank_errors(totals: FloatArray) -> dict[str, FloatArray]:
    """Return Σⱼ |i−j| and Σⱼ (i−j)², times the total of class j, for every class i."""
    place = np.arange(len(totals), dtype=np.float64)
    below, below_places = np.cumsum(totals), np.cumsum(place * totals)
    total, places, squares = totals.sum(), (place * totals).sum(), (place**2 * totals).sum()
    return {
        "rank_errors": place * (2 * below - total) + places - 2 * below_places,
        "squared_rank_errors": place**2 * total - 2 * place * places + squares,
    }


@np.errstate(all="ignore")
def gradient_of_average(
    measure: Measure, matrix: SparseConfusionMatrix, average: Average
) -> MatrixGradient:
    """Return the gradient of an average over the classes with a defined value."""
    per_class = matrix.class_counts
    if average == "micro":
        pooled_counts = {name: value.sum(keepdims=True) for name, value in per_class.items()}
        values, by_count = gradient_per_class(measure, pooled_counts)
        everywhere = {name: np.repeat(slope, matrix.size) for name, slope in by_count.items()}
        return _distribute_over_cells(float(values[0]), everywhere, np.ones(matrix.size))
    values, by_count = gradient_per_class(measure, per_class)
    weight = matrix.macro_weights if average == "macro" else matrix.true_totals
    used = ~np.isnan(values) & (weight > 0)
    if not used.any():
        nothing = np.zeros(matrix.size)
        return MatrixGradient(float("nan"), nothing, nothing, nothing)
    weight = np.where(used, weight, 0.0)
    share = weight / weight.sum()
    value = float((share[used] * values[used]).sum())
    class_gradient_cells = _distribute_over_cells(value, by_count, share)
    if average == "macro":
        return class_gradient_cells
    # A case more of a class also moves that class's weight.
    class_size_gradient = np.where(used, (np.where(used, values, 0.0) - value) / weight.sum(), 0.0)
    return MatrixGradient(
        value,
        class_gradient_cells.row + class_size_gradient,
        class_gradient_cells.column,
        class_gradient_cells.diagonal,
    )


@np.errstate(all="ignore")
def gradient_per_class(
    measure: Measure, counts: Mapping[str, FloatArray]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return value and gradient in TP, FN, FP and TN for every class against the rest."""
    gradient = formula_gradient(measure.formula, counts)
    size = np.zeros_like(counts["tp"])
    return values_per_class(measure, counts), {
        name: gradient.get(name, 0.0) + size for name in COUNT_NAMES
    }


def values_per_class(measure: Measure, counts: Mapping[str, FloatArray]) -> FloatArray:
    """Return the value for every class against the rest; NaN where a required part is 0."""
    value = evaluate_formula(measure.formula, counts) + np.zeros_like(counts["tp"])
    for part in measure.requires:
        value = np.where(evaluate_formula(part, counts) == 0, np.nan, value)
    return value


def _distribute_over_cells(
    value: float, class_gradient: Mapping[str, FloatArray], weight: FloatArray
) -> MatrixGradient:
    """Distribute weighted gradients of the classes over the cells of the matrix.

    A case of class i predicted as j is an FN of i, an FP of j, and a TN of the others.
    """
    tp, fn, fp, tn = (
        np.where(weight > 0, class_gradient[name] * weight, 0.0) for name in COUNT_NAMES
    )
    return MatrixGradient(value, tn.sum() + fn - tn, fp - tn, tp - fn - fp + tn)


def mean_recall(correct: FloatArray, true_totals: FloatArray) -> FloatArray:
    """Return the mean over the classes (last axis) with cases of the share that is correct."""
    has_cases = true_totals > 0
    with np.errstate(all="ignore"):
        recalls = np.where(has_cases, correct / true_totals, 0.0)
        return np.asarray(recalls.sum(axis=-1) / has_cases.sum(axis=-1), dtype=np.float64)


PSEUDO_CASES = 2.0


# Without slots, because cached properties need an instance dictionary.
@dataclass(frozen=True)
class SparseConfusionMatrix:
    """Nonzero counts by true and predicted class; `pseudo_count` is added to every cell.

    With `has_no_answer` the last class is that of unanswered cases: unless it is true of a case, no
    average includes it.
    """

    truth: IndexArray
    prediction: IndexArray
    counts: FloatArray
    size: int
    pseudo_count: float = 0.0
    has_no_answer: bool = False

    @classmethod
    def from_dense(cls, counts: FloatArray) -> SparseConfusionMatrix:
        """Return the sparse form of a matrix, rows true."""
        truth, prediction = np.nonzero(counts)
        return cls(truth, prediction, counts[truth, prediction].astype(np.float64), len(counts))

    @cached_property
    def buffers(self) -> tuple[FloatArray, FloatArray]:
        """Two reusable buffers with a number per cell: allocation costs more than arithmetic."""
        return np.empty_like(self.counts), np.empty_like(self.counts)

    @cached_property
    def correct(self) -> FloatArray:
        """The correct predictions of each class."""
        hit = self.truth == self.prediction
        return self._sum_by_class(self.truth[hit], self.counts[hit]) + self.pseudo_count

    @cached_property
    def true_totals(self) -> FloatArray:
        """The number of cases of each true class."""
        return self._sum_by_class(self.truth, self.counts) + self.pseudo_count * self.size

    @cached_property
    def macro_weights(self) -> FloatArray:
        """The weight of each class in a macro average: 1, or 0 for unanswered cases."""
        weights = np.ones(self.size)
        if self.has_no_answer and not (self.truth == self.size - 1).any():
            weights[-1] = 0.0
        return weights

    @cached_property
    def predicted_totals(self) -> FloatArray:
        """The number of cases predicted as each class."""
        return self._sum_by_class(self.prediction, self.counts) + self.pseudo_count * self.size

    @cached_property
    def total(self) -> float:
        """The number of cases."""
        return float(self.counts.sum()) + self.pseudo_count * self.size**2

    @cached_property
    def class_counts(self) -> Mapping[str, FloatArray]:
        """TP, FN, FP and TN of every class, as vectors."""
        correct, true, predicted = self.correct, self.true_totals, self.predicted_totals
        return {
            "tp": correct,
            "fn": true - correct,
            "fp": predicted - correct,
            "tn": self.total - true - predicted + correct,
        }

    @cached_property
    def overall_counts(self) -> Mapping[str, FloatArray]:
        """The quantities of formulas over all classes."""
        true, predicted = self.true_totals, self.predicted_totals
        return {
            "correct": np.asarray(self.correct.sum()),
            "total": np.asarray(self.total),
            "margin_products": np.asarray((true * predicted).sum()),
            "true_squares": np.asarray((true * true).sum()),
            "predicted_squares": np.asarray((predicted * predicted).sum()),
            "mean_recall": np.asarray(mean_recall(self.correct, true)),
            **self._rank_counts,
        }

    @cached_property
    def _rank_counts(self) -> Mapping[str, FloatArray]:
        """The quantities of ordered classes."""
        distances = rank_distances(self.size)
        cell_distances = np.abs(self.truth - self.prediction)
        # As many cells are off by d places as there are pairs of such classes.
        pairs = np.where(np.arange(self.size), 2.0, 1.0) * np.arange(self.size, 0, -1)
        sums = {}
        for name, penalty in distances.items():
            pseudo_penalty = self.pseudo_count * float((pairs * penalty).sum())
            sums[name] = np.asarray(
                float((self.counts * penalty[cell_distances]).sum()) + pseudo_penalty
            )
        for name, expected in chance_rank_errors(self.predicted_totals).items():
            sums[chance_name(name)] = np.asarray((self.true_totals * expected).sum())
        return sums

    def scale(self, weight: float) -> SparseConfusionMatrix:
        """Return the matrix with every count times a weight."""
        return replace(self, counts=self.counts * weight)

    def with_pseudo_cases(self) -> SparseConfusionMatrix:
        """Spread two pseudo-cases evenly over all cells: ½ for each of four (Haldane, Anscombe).

        Two for any number of classes: ½ in each cell of many classes would dominate the data.
        """
        return replace(self, pseudo_count=PSEUDO_CASES / self.size**2)

    def with_case_per_class(self) -> SparseConfusionMatrix:
        """Add a pseudo-case of every class that occurs, with the accuracy and errors of all cases.

        Its errors are spread evenly. Classes that do not occur are left out.
        """
        occurring = np.flatnonzero(self.true_totals + self.predicted_totals)
        size = len(occurring)
        if size < 2:  # noqa: PLR2004  # an error needs another class
            return self
        number = np.zeros(self.size, np.int64)
        number[occurring] = np.arange(size)
        truth, prediction = number[self.truth], number[self.prediction]
        has_no_answer = self.has_no_answer and self.size - 1 in occurring
        is_true = np.ones(size, np.bool_)
        if has_no_answer:
            is_true[-1] = (self.truth == self.size - 1).any()
        classes = np.flatnonzero(is_true)
        accuracy = float(self.correct.sum()) / self.total
        error = (1 - accuracy) / (size - 1)
        hits = np.full(len(classes), max(0.0, accuracy - error))
        return SparseConfusionMatrix(
            np.concatenate([truth, classes]),
            np.concatenate([prediction, classes]),
            np.concatenate([self.counts, hits]),
            size,
            error,
            has_no_answer,
        )

    def _sum_by_class(self, class_indices: IndexArray, counts: FloatArray) -> FloatArray:
        return np.bincount(class_indices, weights=counts, minlength=self.size).astype(np.float64)
