"""A confusion matrix as the cells that were counted, which is short even for many classes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers

Places: TypeAlias = "npt.NDArray[np.int64]"
CASES_ADDED = 2.0


# Without slots, so that what every measure asks for is worked out only once.
@dataclass(frozen=True)
class Matrix:
    """Counts by true and predicted class; `added` is the share of a case added to every cell."""

    truth: Places
    prediction: Places
    counts: Numbers
    size: int
    added: float = 0.0

    @classmethod
    def of(cls, counts: Numbers) -> Matrix:
        """Take a matrix written out, rows true."""
        truth, prediction = np.nonzero(counts)
        return cls(truth, prediction, counts[truth, prediction].astype(np.float64), len(counts))

    @cached_property
    def scratch(self) -> tuple[Numbers, Numbers]:
        """Two numbers for each cell, to be written over: fresh memory costs more than sums."""
        return np.empty_like(self.counts), np.empty_like(self.counts)

    @cached_property
    def right(self) -> Numbers:
        """The cases of each class that were predicted rightly."""
        hit = self.truth == self.prediction
        return self._summed(self.truth[hit], self.counts[hit]) + self.added

    @cached_property
    def true(self) -> Numbers:
        """The cases of each class."""
        return self._summed(self.truth, self.counts) + self.added * self.size

    @cached_property
    def predicted(self) -> Numbers:
        """The cases that were predicted as each class."""
        return self._summed(self.prediction, self.counts) + self.added * self.size

    @cached_property
    def total(self) -> float:
        """All cases."""
        return float(self.counts.sum()) + self.added * self.size**2

    @cached_property
    def class_counts(self) -> Mapping[str, Numbers]:
        """The tp, fn, fp and tn of every class, as vectors."""
        right, true, predicted = self.right, self.true, self.predicted
        return {
            "tp": right,
            "fn": true - right,
            "fp": predicted - right,
            "tn": self.total - true - predicted + right,
        }

    @cached_property
    def whole_counts(self) -> Mapping[str, Numbers]:
        """What measures of the whole matrix are formulas of."""
        true, predicted = self.true, self.predicted
        return {
            "correct": np.asarray(self.right.sum()),
            "total": np.asarray(self.total),
            "margin_products": np.asarray((true * predicted).sum()),
            "true_squares": np.asarray((true * true).sum()),
            "predicted_squares": np.asarray((predicted * predicted).sum()),
        }

    def scaled(self, weight: float) -> Matrix:
        """Return the matrix with every count times a weight."""
        return replace(self, counts=self.counts * weight)

    def with_cases_added(self) -> Matrix:
        """Spread two cases evenly over all cells: ½ for each of four (Haldane, Anscombe).

        Two whatever the number of classes: ½ in each cell of many classes would drown the data.
        """
        return replace(self, added=CASES_ADDED / self.size**2)

    def _summed(self, places: Places, counts: Numbers) -> Numbers:
        return np.bincount(places, weights=counts, minlength=self.size).astype(np.float64)
