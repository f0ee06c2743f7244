"""Counts of label sets: the sufficient statistics of a multilabel task.

A case has a set of true and a set of predicted labels. The counts of all combinations of sets have
the counts of every label in them, and a case stays the unit of everything that is computed over
several labels.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.predictions.label_sets import split_set

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.aggregates.confusion import ConfusionCounts
    from reportgen.aggregates.design import LabelDesign
    from reportgen.aggregates.paired import PairedPredictionCounts
    from reportgen.statistics import FloatArray, IndexArray

    BoolArray = npt.NDArray[np.bool_]

SET_SUMS = ("set_cases", "correct_sets", "label_errors", "label_decisions", "set_jaccard", "set_f1")
# What a case adds to the sum of a measure, divided by what it adds to the number of cases.
SUM_OF_MEASURE = {
    "exact_match": "correct_sets",
    "hamming_loss": "label_errors",
    "sample_jaccard": "set_jaccard",
    "sample_f1": "set_f1",
}


def build_membership(sets: tuple[str, ...], labels: tuple[str, ...]) -> BoolArray:
    """Return which set has which label (sets × labels)."""
    place = {label: at for at, label in enumerate(labels)}
    membership = np.zeros((len(sets), len(labels)), dtype=np.bool_)
    for row, text in enumerate(sets):
        membership[row, [place[label] for label in split_set(text)]] = True
    return membership


@dataclass(frozen=True)
class LabelSetCounts:
    """Cases by true and predicted set of labels: by classifier and fold, and jointly.

    `sets.classes` are the sets; `design` has the joint counts of all classifiers, by cluster and
    weight if the data have them.
    """

    labels: tuple[str, ...]
    sets: ConfusionCounts
    membership: BoolArray
    design: LabelDesign
    pairs: PairedPredictionCounts | None = None
    """Joint counts of the sets that two classifiers predict."""

    @cached_property
    def counts_per_label(self) -> pl.DataFrame:
        """The numbers tp, fn, fp and tn by classifier, fold and label (`class`)."""
        rows = []
        for classifier, fold, truth, prediction, counts in self._cells:
            true, predicted = self.membership[truth], self.membership[prediction]
            tp = counts @ (true & predicted)
            fn, fp = counts @ (true & ~predicted), counts @ (~true & predicted)
            tn = counts.sum() - tp - fn - fp
            rows += [
                (classifier, fold, label, *numbers)
                for label, *numbers in zip(
                    self.labels, tp.tolist(), fn.tolist(), fp.tolist(), tn.tolist(), strict=True
                )
            ]
        schema = {"classifier": pl.String, "fold": pl.String, "class": pl.String}
        numbers = dict.fromkeys(("tp", "fn", "fp", "tn"), pl.Float64)
        return pl.DataFrame(rows, schema=pl.Schema({**schema, **numbers}), orient="row")

    def label_sizes(self, classifier: str) -> tuple[int, ...]:
        """Return the number of cases with each label, rounded where cases have weights."""
        label_counts = self.counts_per_label.filter(
            pl.col("classifier") == classifier, pl.col("fold").is_null()
        )
        return tuple((label_counts["tp"] + label_counts["fn"]).round().cast(pl.Int64))

    @cached_property
    def sums(self) -> pl.DataFrame:
        """The sums of measures by case, by classifier and fold."""
        rows = []
        for classifier, fold, truth, prediction, counts in self._cells:
            summands = self.case_values(truth, prediction)
            rows.append((classifier, fold, *(float(counts @ summands[name]) for name in SET_SUMS)))
        schema = {"classifier": pl.String, "fold": pl.String}
        sums = dict.fromkeys(SET_SUMS, pl.Float64)
        return pl.DataFrame(rows, schema=pl.Schema({**schema, **sums}), orient="row")

    def case_values(self, truth: IndexArray, prediction: IndexArray) -> dict[str, FloatArray]:
        """Return what a case of each pair of sets adds to the sums."""
        true, predicted = self.membership[truth], self.membership[prediction]
        both = (true & predicted).sum(axis=1).astype(np.float64)
        either = (true | predicted).sum(axis=1).astype(np.float64)
        empty = either == 0
        # Two empty sets agree.
        with np.errstate(invalid="ignore"):
            jaccard = np.where(empty, 1.0, both / either)
            f1 = np.where(empty, 1.0, 2 * both / (both + either))
        return {
            "set_cases": np.ones(len(truth)),
            "correct_sets": (both == either).astype(np.float64),
            "label_errors": either - both,
            "label_decisions": np.full(len(truth), float(len(self.labels))),
            "set_jaccard": jaccard,
            "set_f1": f1,
        }

    @cached_property
    def _cells(
        self,
    ) -> list[tuple[str, str | None, IndexArray, IndexArray, FloatArray]]:
        """The non-empty combinations of sets by classifier and fold."""
        coded = self.sets.frame.with_columns(
            pl.col("truth", "prediction").to_physical().cast(pl.Int64),
            pl.col("count").cast(pl.Float64),
        )
        return [
            (
                classifier,
                fold,
                *(part[name].to_numpy() for name in ("truth", "prediction", "count")),
            )
            for (classifier, fold), part in coded.partition_by(
                "classifier", "fold", as_dict=True, maintain_order=True
            ).items()
        ]
