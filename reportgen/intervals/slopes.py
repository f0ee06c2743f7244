"""How a measure moves with each count of the confusion matrix: what the delta method needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.formulas.as_numpy import as_numpy, slopes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.formulas import Formula
    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure

COUNTS = ("tp", "fn", "fp", "tn")


@dataclass(frozen=True, slots=True)
class Slopes:
    """A value of a measure, and its partial derivative in each cell (rows true)."""

    value: float
    cells: Numbers

    def variance(self, counts: Numbers) -> float:
        """Return the variance when cases are drawn one by one (multinomial delta method)."""
        drift = float((counts * self.cells).sum())
        return float((counts * self.cells**2).sum()) - drift * drift / float(counts.sum())


def class_counts(counts: Numbers) -> dict[str, Numbers]:
    """Return tp, fn, fp and tn of every class of a confusion matrix, as vectors."""
    right, true, predicted = np.diagonal(counts), counts.sum(axis=1), counts.sum(axis=0)
    return {
        "tp": right,
        "fn": true - right,
        "fp": predicted - right,
        "tn": counts.sum() - true - predicted + right,
    }


def slopes_of_class(measure: Measure, counts: Numbers, class_: int) -> Slopes:
    """Return the slopes of a measure of one class against the rest."""
    values, by_count = _per_class(measure.formula, class_counts(counts))
    only = np.zeros(len(counts))
    only[class_] = 1
    return Slopes(float(values[class_]), _spread(by_count, only))


def slopes_of_whole(measure: Measure, counts: Numbers) -> Slopes:
    """Return the slopes of a measure over all classes at once."""
    if measure.whole is None:
        raise LookupError(measure.name)
    true, predicted = counts.sum(axis=1), counts.sum(axis=0)
    at: dict[str, Numbers] = {
        "correct": np.trace(counts),
        "total": counts.sum(),
        "margin_products": true @ predicted,
        "true_squares": true @ true,
        "predicted_squares": predicted @ predicted,
    }
    ones = np.ones_like(counts)
    moved: dict[str, Numbers] = {
        "correct": np.eye(len(counts)),
        "total": ones,
        "margin_products": predicted[:, None] + true[None, :],
        "true_squares": 2 * true[:, None] * ones,
        "predicted_squares": 2 * predicted[None, :] * ones,
    }
    by_quantity = slopes(measure.whole, at)
    cells = sum((by_quantity[name] * moved[name] for name in by_quantity), np.zeros_like(counts))
    return Slopes(float(as_numpy(measure.whole, at)), cells)


def slopes_of_average(
    measure: Measure, counts: Numbers, average: Literal["macro", "micro", "weighted"]
) -> Slopes:
    """Return the slopes of an average over the classes whose value is defined."""
    per_class = class_counts(counts)
    if average == "micro":
        summed = {name: value.sum(keepdims=True) for name, value in per_class.items()}
        values, by_count = _per_class(measure.formula, summed)
        everywhere = {name: np.repeat(slope, len(counts)) for name, slope in by_count.items()}
        return Slopes(float(values[0]), _spread(everywhere, np.ones(len(counts))))
    values, by_count = _per_class(measure.formula, per_class)
    support = per_class["tp"] + per_class["fn"]
    weight = np.ones(len(counts)) if average == "macro" else support
    used = ~np.isnan(values) & (weight > 0)
    weight = np.where(used, weight, 0.0)
    share = weight / weight.sum()
    value = float((share[used] * values[used]).sum())
    cells = _spread(by_count, share)
    if average == "weighted":
        # A case more of a class also moves that class's weight.
        moved = np.where(used, (np.where(used, values, 0.0) - value) / weight.sum(), 0.0)
        cells = cells + moved[:, None]
    return Slopes(value, cells)


def _per_class(
    formula: Formula, counts: Mapping[str, Numbers]
) -> tuple[Numbers, dict[str, Numbers]]:
    found = slopes(formula, counts)
    size = np.zeros_like(counts["tp"])
    return (
        as_numpy(formula, counts) + size,
        {name: found.get(name, 0.0) + size for name in COUNTS},
    )


def _spread(by_count: Mapping[str, Numbers], weight: Numbers) -> Numbers:
    """Spread the slopes of the classes, weighted and summed up, over the cells of the matrix.

    A case of class i predicted as j is a miss of i, a false alarm of j, and right for the others.
    """
    tp, fn, fp, tn = (np.where(weight > 0, by_count[name] * weight, 0.0) for name in COUNTS)
    cells = tn.sum() - tn[:, None] - tn[None, :] + fn[:, None] + fp[None, :]
    np.fill_diagonal(cells, tn.sum() - tn + tp)
    return np.asarray(cells, dtype=np.float64)
