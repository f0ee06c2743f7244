"""The counts of all classifiers, and the limits of count measures by the method asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.frozen import frozen
from reportgen.intervals.class_limits import limits_of_classes
from reportgen.intervals.limits import Limits, stacked
from reportgen.intervals.matrix import Matrix
from reportgen.intervals.matrix_limits import limits_of_average, limits_of_whole
from reportgen.intervals.resampling import BOOTSTRAP, Draws, drawn, percentile_limits
from reportgen.intervals.slopes import COUNTS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.class_limits import CountKind
    from reportgen.intervals.matrix import Places
    from reportgen.intervals.slopes import Average
    from reportgen.measures import Measure
    from reportgen.spec.evidence import Intervals
    from reportgen.tallies.confusion import ConfusionTally


@frozen
class Counted:
    """The matrices over all folds, their counts by classifier and class, and redrawn matrices.

    A weight is below 1 where cases were predicted several times: a repetition is no new case.
    """

    classifiers: tuple[str, ...]
    classes: tuple[str, ...]
    matrices: tuple[Matrix, ...]
    counts: Mapping[str, Numbers]
    draws: tuple[Draws, ...]
    asked: Intervals
    weights: Numbers

    @classmethod
    def of(cls, tally: ConfusionTally, asked: Intervals, weights: Mapping[str, float]) -> Counted:
        """Take the counts of a tally, and draw them anew if that is the method asked for."""
        by_classifier = (
            tally.frame.filter(pl.col("fold").is_null(), pl.col("count") > 0)
            .with_columns(pl.col("truth", "prediction").to_physical().cast(pl.Int64))
            .sort("truth", "prediction", maintain_order=True)
            .partition_by("classifier", maintain_order=True, as_dict=True)
        )
        matrices = tuple(
            Matrix(
                cells["truth"].to_numpy(),
                cells["prediction"].to_numpy(),
                cells["count"].cast(pl.Float64).to_numpy(),
                len(tally.classes),
            )
            for cells in by_classifier.values()
        )
        names = tuple(str(name) for (name,) in by_classifier)
        weight = [weights.get(name, 1.0) for name in names]
        draws = tuple(
            drawn(matrix, asked, own)
            for matrix, own in zip(matrices, weight, strict=True)
            if asked.method == BOOTSTRAP
        )
        per_class = [matrix.class_counts for matrix in matrices]
        return cls(
            names,
            tally.classes,
            matrices,
            {name: np.array([counts[name] for counts in per_class]) for name in COUNTS},
            draws,
            asked,
            np.array(weight),
        )

    def of_classes(
        self, measure: Measure, kind: CountKind, classifiers: Places, classes: Places
    ) -> Limits:
        """Return the limits for pairs of a classifier and a class."""
        counts = {name: count[classifiers, classes] for name, count in self.counts.items()}
        found = limits_of_classes(measure, kind, counts, self.asked, self.weights[classifiers])
        if not self.draws:
            return found
        redrawn = [
            percentile_limits(draws.values_of_classes(measure), self.asked.level)
            for draws in self.draws
        ]
        return _resampled(stacked(redrawn).at((classifiers, classes)), found)

    def of_whole(self, measure: Measure, classifiers: Sequence[int]) -> Limits:
        """Return the limits over the whole matrix of classifiers."""
        found = [
            limits_of_whole(measure, self.matrices[number], self.asked, float(self.weights[number]))
            for number in classifiers
        ]
        if not self.draws:
            return stacked(found)
        redrawn = [
            percentile_limits(self.draws[number].values_of_whole(measure), self.asked.level)
            for number in classifiers
        ]
        return _resampled(stacked(redrawn), stacked(found))

    def of_average(self, measure: Measure, average: Average, classifiers: Sequence[int]) -> Limits:
        """Return the limits of an average over the classes of classifiers."""
        found = [
            limits_of_average(
                measure, self.matrices[number], average, self.asked, float(self.weights[number])
            )
            for number in classifiers
        ]
        if not self.draws:
            return stacked(found)
        redrawn = [
            percentile_limits(
                self.draws[number].values_of_average(measure, average), self.asked.level
            )
            for number in classifiers
        ]
        return _resampled(stacked(redrawn), stacked(found))


def _resampled(redrawn: Limits, found: Limits) -> Limits:
    """Keep the recommended limits, under their own name, where resampling says nothing."""
    return redrawn.where(redrawn.method == BOOTSTRAP, found)
