"""What two classifiers said of the same cases, counted class by class or by being right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.intervals.matrix import Matrix
from reportgen.statistics.paired_table import Answers, PairedTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.intervals.matrix import Places


def right_answers(frame: pl.DataFrame) -> Answers:
    """Count on how many cases both, one or neither of two classifiers are right."""
    first = pl.col("first_prediction") == pl.col("truth")
    second = pl.col("second_prediction") == pl.col("truth")
    count = pl.col("count")
    counted = frame.select(
        both=count.filter(first & second).sum(),
        first_only=count.filter(first & ~second).sum(),
        second_only=count.filter(~first & second).sum(),
        neither=count.filter(~first & ~second).sum(),
    )
    return Answers(*counted.row(0))


def places_of(labels: pl.Series, classes: Sequence[str]) -> Places:
    """Return where each label stands among the classes."""
    return labels.cast(pl.Enum(classes)).to_physical().to_numpy().astype(np.int64)


def paired_tables(frame: pl.DataFrame, classes: Sequence[str]) -> dict[str, PairedTable]:
    """Count who says a class, on cases of that class and on the others, for every class."""
    truth, first, second = (
        places_of(frame[name], classes)
        for name in ("truth", "first_prediction", "second_prediction")
    )
    counts = frame["count"].to_numpy()
    size, alike = len(classes), first == second

    def summed(
        places: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        found = np.zeros(size, dtype=np.int64)
        np.add.at(found, places[chosen], counts[chosen])
        return found

    hits = (
        summed(truth, (first == truth) & alike),
        summed(truth, (first == truth) & ~alike),
        summed(truth, (second == truth) & ~alike),
    )
    alarms = (
        summed(first, (first != truth) & alike),
        summed(first, (first != truth) & ~alike),
        summed(second, (second != truth) & ~alike),
    )
    of_class = summed(truth, np.ones(len(truth), dtype=np.bool_))
    misses = of_class - sum(hits)
    passes = counts.sum() - of_class - sum(alarms)
    columns = zip(*hits, misses, *alarms, passes, strict=True)
    return {
        label: PairedTable(
            Answers(*(int(count) for count in found[:4])),
            Answers(*(int(count) for count in found[4:])),
        )
        for label, found in zip(classes, columns, strict=True)
    }


def matrix_of(frame: pl.DataFrame, classes: Sequence[str], answers: str) -> Matrix:
    """Return the confusion matrix of one of the two classifiers."""
    counts = frame.group_by("truth", answers).agg(pl.col("count").sum()).sort("truth", answers)
    truth, prediction = (places_of(counts[name], classes) for name in ("truth", answers))
    return Matrix(truth, prediction, counts["count"].to_numpy().astype(np.float64), len(classes))
