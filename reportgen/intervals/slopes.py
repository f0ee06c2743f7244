"""How a measure moves with each count of the confusion matrix: what the delta method needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from reportgen.formulas.as_numpy import as_numpy, slopes
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Matrix, Places
    from reportgen.measures import Measure

COUNTS = ("tp", "fn", "fp", "tn")
Average: TypeAlias = Literal["macro", "micro", "weighted"]


@frozen
class Slopes:
    """A value of a measure, and its partial derivatives in the cells of the matrix.

    The slope of a cell is that of its row (true class) plus that of its column (predicted class),
    on the diagonal plus that of being right.
    """

    value: float
    row: Numbers
    column: Numbers
    right: Numbers

    @property
    def cells(self) -> Numbers:
        """The slopes written out, rows true."""
        return self.row[:, None] + self.column[None, :] + np.diag(self.right)

    def variance(self, matrix: Matrix) -> float:
        """Return the variance when cases are drawn one by one (multinomial delta method)."""
        # Sums of products, not dot products, whose last digit depends on the number of threads.
        with np.errstate(all="ignore"):
            slope, other = matrix.scratch
            self._write(matrix.truth, matrix.prediction, slope, other)
            drift = float(np.multiply(matrix.counts, slope, out=other).sum())
            # Centred, so that nothing is lost when a large square is taken from a large sum.
            centre = (drift + matrix.added * self._sum_of_all()) / matrix.total
            slope -= centre
            slope *= slope
            slope *= matrix.counts
            added = matrix.added * self._squares_of_all(centre) if matrix.added else 0.0
            return float(slope.sum()) + added

    def at(self, truth: Places, prediction: Places) -> Numbers:
        """Return the slopes of some cells."""
        slope = np.empty(truth.shape)
        self._write(truth, prediction, slope, np.empty(truth.shape))
        return slope

    def _write(self, truth: Places, prediction: Places, slope: Numbers, other: Numbers) -> None:
        """Write the slopes of cells into memory that is there, and over some other."""
        # NumPy writes straight into it only if it need not refuse any place.
        np.take(self.row, truth, out=slope, mode="clip")
        slope += np.take(self.column, prediction, out=other, mode="clip")
        right = truth == prediction
        slope[right] += self.right[truth[right]]

    def _sum_of_all(self) -> float:
        return len(self.row) * float(self.row.sum() + self.column.sum()) + float(self.right.sum())

    def _squares_of_all(self, centre: float) -> float:
        """Sum (slope − centre)² over all cells without writing them out."""
        row, size = self.row - centre, len(self.row)
        off = size * float((row**2).sum() + (self.column**2).sum())
        off += 2 * float(row.sum() * self.column.sum())
        wrong = row + self.column
        return off + float(((wrong + self.right) ** 2 - wrong**2).sum())


@np.errstate(all="ignore")
def slopes_of_whole(measure: Measure, matrix: Matrix) -> Slopes:
    """Return the slopes of a measure over all classes at once."""
    if measure.whole is None:
        raise LookupError(measure.name)
    at = matrix.whole_counts
    by = dict.fromkeys(at, 0.0) | {
        name: float(slope) for name, slope in slopes(measure.whole, at).items()
    }
    true, predicted = matrix.true, matrix.predicted
    return Slopes(
        float(as_numpy(measure.whole, at)),
        by["total"] + by["margin_products"] * predicted + 2 * by["true_squares"] * true,
        by["margin_products"] * true + 2 * by["predicted_squares"] * predicted,
        np.full(matrix.size, by["correct"]),
    )


@np.errstate(all="ignore")
def slopes_of_average(measure: Measure, matrix: Matrix, average: Average) -> Slopes:
    """Return the slopes of an average over the classes whose value is defined."""
    per_class = matrix.class_counts
    if average == "micro":
        summed = {name: value.sum(keepdims=True) for name, value in per_class.items()}
        values, by_count = slopes_of_classes(measure, summed)
        everywhere = {name: np.repeat(slope, matrix.size) for name, slope in by_count.items()}
        return _spread(float(values[0]), everywhere, np.ones(matrix.size))
    values, by_count = slopes_of_classes(measure, per_class)
    weight = np.ones(matrix.size) if average == "macro" else matrix.true
    used = ~np.isnan(values) & (weight > 0)
    if not used.any():
        nothing = np.zeros(matrix.size)
        return Slopes(float("nan"), nothing, nothing, nothing)
    weight = np.where(used, weight, 0.0)
    share = weight / weight.sum()
    value = float((share[used] * values[used]).sum())
    found = _spread(value, by_count, share)
    if average == "macro":
        return found
    # A case more of a class also moves that class's weight.
    moved = np.where(used, (np.where(used, values, 0.0) - value) / weight.sum(), 0.0)
    return Slopes(value, found.row + moved, found.column, found.right)


@np.errstate(all="ignore")
def slopes_of_classes(
    measure: Measure, counts: Mapping[str, Numbers]
) -> tuple[Numbers, dict[str, Numbers]]:
    """Return the value and the slopes in tp, fn, fp and tn of every class against the rest."""
    found = slopes(measure.formula, counts)
    size = np.zeros_like(counts["tp"])
    return values_of_classes(measure, counts), {
        name: found.get(name, 0.0) + size for name in COUNTS
    }


def values_of_classes(measure: Measure, counts: Mapping[str, Numbers]) -> Numbers:
    """Return the value of every class against the rest, NaN where something required is 0."""
    value = as_numpy(measure.formula, counts) + np.zeros_like(counts["tp"])
    for part in measure.requires:
        value = np.where(as_numpy(part, counts) == 0, np.nan, value)
    return value


def _spread(value: float, by_count: Mapping[str, Numbers], weight: Numbers) -> Slopes:
    """Spread the slopes of the classes, weighted, over the cells of the matrix.

    A case of class i predicted as j is a miss of i, a false alarm of j, and right for the others.
    """
    tp, fn, fp, tn = (np.where(weight > 0, by_count[name] * weight, 0.0) for name in COUNTS)
    return Slopes(value, tn.sum() + fn - tn, fp - tn, tp - fn - fp + tn)
