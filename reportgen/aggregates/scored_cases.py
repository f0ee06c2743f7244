"""Scored cases: the arrays that statistics of scores are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    import polars as pl

    from reportgen.statistics import FloatArray

    ClassCodes: TypeAlias = npt.NDArray[np.unsignedinteger] | npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassifierScores:
    """The scores of one classifier for each case, and its probabilities if it has them.

    `ranking_scores` has a column per ranked class. `probabilities` has a column per class or, for
    a binary task, that of the positive class alone. `fold` has the fold of each case, `folds` the
    distinct folds in natural order.
    """

    classifier: str
    fold: pl.Series
    folds: tuple[str, ...]
    ranking_scores: FloatArray
    probabilities: FloatArray | None

    def fold_masks(
        self, block: slice = slice(None)
    ) -> Iterator[tuple[str | None, npt.NDArray[np.bool_] | slice]]:
        """Yield (None, all cases) and (fold, mask) for each fold, within a block of cases."""
        yield None, slice(None)
        folds = self.fold[block]
        for fold in self.folds:
            yield fold, (folds == fold).fill_null(value=False).to_numpy()


@dataclass(frozen=True, slots=True)
class ScoredCases:
    """The true classes and scores of all cases, in the same order for all classifiers.

    `truth` has the index of the true class among `classes`. `ranked_classes` are the classes that
    scores rank cases for: the positive class alone, or every class against the rest. `counts` are
    the case weights where duplicate rows were aggregated, or None.
    """

    classes: tuple[str, ...]
    ranked_classes: tuple[str, ...]
    truth: ClassCodes
    classifiers: tuple[ClassifierScores, ...]
    counts: FloatArray | None = None

    def rankings(self) -> Iterator[tuple[str, str, FloatArray, npt.NDArray[np.bool_]]]:
        """Yield classifier, class, scores, and the mask of the cases of the class."""
        for scores in self.classifiers:
            for column, class_ in enumerate(self.ranked_classes):
                yield (
                    scores.classifier,
                    class_,
                    scores.ranking_scores[:, column],
                    self.is_class(class_),
                )

    def is_class(self, class_: str) -> npt.NDArray[np.bool_]:
        """Return the mask of the cases of a class."""
        return np.asarray(self.truth == self.classes.index(class_), dtype=np.bool_)

    def counts_for(self, selection: npt.NDArray[np.bool_] | slice) -> FloatArray | None:
        """Return the case weights of a selection, or None if each row is one case."""
        return None if self.counts is None else self.counts[selection]

    @property
    def size(self) -> int:
        """The number of cases."""
        return len(self.truth) if self.counts is None else round(float(self.counts.sum()))

    @property
    def class_sizes(self) -> npt.NDArray[np.int64] | FloatArray:
        """The number of cases of each class, or the sum of their weights."""
        return class_sizes(self.truth, len(self.classes), self.counts)


def class_sizes(
    truth: ClassCodes, classes: int, counts: FloatArray | None
) -> npt.NDArray[np.int64] | FloatArray:
    """Return the number of cases of each class, or the sum of their weights."""
    if counts is not None:
        return as_counts(np.bincount(truth, counts, classes).astype(np.float64))
    # In blocks, because bincount converts its input to 64 bits per case.
    block_counts = map_blocks(
        lambda block: np.bincount(truth[block], minlength=classes), len(truth)
    )
    return sum(block_counts, np.zeros(classes, np.int64))


def as_counts(sums: FloatArray) -> npt.NDArray[np.int64] | FloatArray:
    """Return sums of counts as integers; sums of sampling weights stay as they are."""
    rounded = np.rint(sums)
    return rounded.astype(np.int64) if (rounded == sums).all() else np.asarray(sums, np.float64)
