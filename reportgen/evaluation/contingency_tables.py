"""Paired contingency tables of two classifiers on the same cases, by class and by correctness."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.paired import count_agreement, paired_contingency_tables
from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix
from reportgen.predictions.duplicates import sum_groups
from reportgen.predictions.unanswered import ends_with_no_answer
from reportgen.statistics.paired_tests import AgreementTable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.statistics import FloatArray, IndexArray
    from reportgen.statistics.paired_tests import PairedContingencyTable


def build_correctness_table(frame: pl.DataFrame) -> AgreementTable:
    """Count the cases that both, one or neither of two classifiers predict correctly."""
    counts = frame["count"].to_numpy()
    first, second = (
        (frame[name] == frame["truth"]).to_numpy()
        for name in ("first_prediction", "second_prediction")
    )
    cell_masks = (first & second, first & ~second, ~first & second, ~first & ~second)
    return AgreementTable(*(counts[cases].sum().item() for cases in cell_masks))


def encode_classes(labels: pl.Series, classes: Sequence[str]) -> IndexArray:
    """Return the index of each label among the classes."""
    dtype = labels.dtype
    if not isinstance(dtype, pl.Enum) or dtype.categories.to_list() != list(classes):
        labels = labels.cast(pl.Enum(classes))
    return labels.to_physical().to_numpy().astype(np.int64)


def build_paired_tables(
    frame: pl.DataFrame, classes: Sequence[str]
) -> dict[str, PairedContingencyTable]:
    """Return for every class the agreement tables on its cases and on the others."""
    truth, first, second = (
        encode_classes(frame[name], classes)
        for name in ("truth", "first_prediction", "second_prediction")
    )
    counts = frame["count"].to_numpy()
    one_pair = np.zeros(len(counts), dtype=np.int64)
    cells = count_agreement((truth, first, second), counts, one_pair, (1, len(classes)))
    return paired_contingency_tables(classes, cells[0])


def build_confusion_matrix(
    frame: pl.DataFrame, classes: Sequence[str], prediction_column: str
) -> SparseConfusionMatrix:
    """Return the confusion matrix of one of the two classifiers."""
    keys = ["truth", prediction_column]
    counts = sum_groups(frame.lazy(), keys, count=pl.col("count")).sort(keys).collect()
    truth, prediction = (
        encode_classes(counts[name], classes) for name in ("truth", prediction_column)
    )
    return SparseConfusionMatrix(
        truth,
        prediction,
        counts["count"].to_numpy().astype(np.float64),
        len(classes),
        has_no_answer=ends_with_no_answer(classes),
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
