"""Paired contingency tables of two classifiers on the same cases, by class and by correctness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix
from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.statistics import FloatArray, IndexArray


def build_correctness_table(frame: pl.DataFrame) -> AgreementTable:
    """Count the cases that both, one or neither of two classifiers predict correctly."""
    first = pl.col("first_prediction") == pl.col("truth")
    second = pl.col("second_prediction") == pl.col("truth")
    count = pl.col("count")
    counts = frame.select(
        both=count.filter(first & second).sum(),
        first_only=count.filter(first & ~second).sum(),
        second_only=count.filter(~first & second).sum(),
        neither=count.filter(~first & ~second).sum(),
    )
    return AgreementTable(*counts.row(0))


def encode_classes(labels: pl.Series, classes: Sequence[str]) -> IndexArray:
    """Return the index of each label among the classes."""
    return labels.cast(pl.Enum(classes)).to_physical().to_numpy().astype(np.int64)


def build_paired_tables(
    frame: pl.DataFrame, classes: Sequence[str]
) -> dict[str, PairedContingencyTable]:
    """Return for every class the agreement tables on its cases and on the others."""
    truth, first, second = (
        encode_classes(frame[name], classes)
        for name in ("truth", "first_prediction", "second_prediction")
    )
    counts = frame["count"].to_numpy()
    size, agree = len(classes), first == second

    def summed(
        places: npt.NDArray[np.int64], chosen: npt.NDArray[np.bool_]
    ) -> npt.NDArray[np.int64]:
        totals = np.zeros(size, dtype=np.int64)
        np.add.at(totals, places[chosen], counts[chosen])
        return totals

    tp = (
        summed(truth, (first == truth) & agree),
        summed(truth, (first == truth) & ~agree),
        summed(truth, (second == truth) & ~agree),
    )
    fp = (
        summed(first, (first != truth) & agree),
        summed(first, (first != truth) & ~agree),
        summed(second, (second != truth) & ~agree),
    )
    of_class = summed(truth, np.ones(len(truth), dtype=np.bool_))
    misses = of_class - sum(tp)
    passes = counts.sum() - of_class - sum(fp)
    columns = zip(*tp, misses, *fp, passes, strict=True)
    return {
        label: PairedContingencyTable(
            AgreementTable(*(int(count) for count in table[:4])),
            AgreementTable(*(int(count) for count in table[4:])),
        )
        for label, table in zip(classes, columns, strict=True)
    }


def build_confusion_matrix(
    frame: pl.DataFrame, classes: Sequence[str], prediction_column: str
) -> SparseConfusionMatrix:
    """Return the confusion matrix of one of the two classifiers."""
    counts = (
        frame.group_by("truth", prediction_column)
        .agg(pl.col("count").sum())
        .sort("truth", prediction_column)
    )
    truth, prediction = (
        encode_classes(counts[name], classes) for name in ("truth", prediction_column)
    )
    return SparseConfusionMatrix(
        truth, prediction, counts["count"].to_numpy().astype(np.float64), len(classes)
    )


HALDANE_CORRECTION = 0.5


@dataclass(frozen=True, slots=True)
class DiscordantSplits:
    """How many discordant pairs have only the first classifier predicting the class.

    `tp` counts cases of the class, `fp` the others.
    """

    positives: FloatArray
    negatives: FloatArray


@dataclass(frozen=True, slots=True)
class AgreementTables:
    """Many 2×2 agreement tables as arrays."""

    both: FloatArray
    first_only: FloatArray
    second_only: FloatArray
    neither: FloatArray

    @classmethod
    def stack(cls, tables: Sequence[AgreementTable]) -> AgreementTables:
        """Stack single tables."""
        counts = [(one.both, one.first_only, one.second_only, one.neither) for one in tables]
        return cls(*np.array(counts, dtype=np.float64).T)

    @property
    def first(self) -> FloatArray:
        """The number of cases for which the first predicts the class."""
        return self.both + self.first_only

    @property
    def second(self) -> FloatArray:
        """The number of cases for which the second predicts the class."""
        return self.both + self.second_only

    @property
    def total(self) -> FloatArray:
        """The number of cases."""
        return self.both + self.first_only + self.second_only + self.neither

    def with_splits(self, first_only: FloatArray, repeats: Sequence[int]) -> AgreementTables:
        """Repeat each table with other splits of its discordant pairs."""
        differ = np.repeat(self.first_only + self.second_only, repeats)
        both, neither = np.repeat(self.both, repeats), np.repeat(self.neither, repeats)
        return AgreementTables(both, first_only, differ - first_only, neither)


@dataclass(frozen=True)
class PairedTables:
    """Many paired contingency tables: agreement on positives and on negatives."""

    positives: AgreementTables
    negatives: AgreementTables

    @classmethod
    def stack(cls, tables: Sequence[PairedContingencyTable]) -> PairedTables:
        """Stack single tables."""
        return cls(
            AgreementTables.stack([table.positives for table in tables]),
            AgreementTables.stack([table.negatives for table in tables]),
        )

    @cached_property
    def cases(self) -> FloatArray:
        """The number of cases."""
        return self.positives.total + self.negatives.total

    @cached_property
    def first_counts(self) -> dict[str, FloatArray]:
        """TP, FN, FP and TN of the first classifier, with ½ added to each."""
        return self._corrected_counts(self.positives.first, self.negatives.first)

    @cached_property
    def second_counts(self) -> dict[str, FloatArray]:
        """TP, FN, FP and TN of the second classifier, with ½ added to each."""
        return self._corrected_counts(self.positives.second, self.negatives.second)

    def _corrected_counts(self, tp: FloatArray, fp: FloatArray) -> dict[str, FloatArray]:
        """Add ½ to every count, so that ratios stay finite (Haldane and Anscombe)."""
        return {
            "tp": tp + HALDANE_CORRECTION,
            "fn": self.positives.total - tp + HALDANE_CORRECTION,
            "fp": fp + HALDANE_CORRECTION,
            "tn": self.negatives.total - fp + HALDANE_CORRECTION,
        }

    def with_splits(self, splits: DiscordantSplits, repeats: Sequence[int]) -> PairedTables:
        """Repeat each table with other splits of its discordant pairs."""
        return PairedTables(
            self.positives.with_splits(splits.positives, repeats),
            self.negatives.with_splits(splits.negatives, repeats),
        )
