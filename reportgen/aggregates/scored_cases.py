"""The cases with scores, side by side: what the tallies of scores are counted from."""

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
    """What one classifier gave each case: scores to rank by, and probabilities if it has them.

    `ranking` has a column per ranked class. `probabilities` has one per class of the task or, of
    two classes, one of the positive class alone: the other has what it leaves. `fold` is each
    case's, `folds` are their names in order.
    """

    classifier: str
    fold: pl.Series
    folds: tuple[str, ...]
    ranking_scores: FloatArray
    probabilities: FloatArray | None

    def fold_masks(
        self, block: slice = slice(None)
    ) -> Iterator[tuple[str | None, npt.NDArray[np.bool_] | slice]]:
        """Yield all cases together, or those of a block, then the ones of each fold."""
        yield None, slice(None)
        folds = self.fold[block]
        for fold in self.folds:
            yield fold, (folds == fold).fill_null(value=False).to_numpy()


@dataclass(frozen=True, slots=True)
class ScoredCases:
    """Every case once for each classifier with scores, in the same order for all.

    `truth` has the place of the true class among `classes`; `ranked` are the classes that scores
    rank cases for: the positive class alone, or every class against the rest. `counts` says how
    many cases each stands for, where equal ones were counted together; otherwise it is one.
    """

    classes: tuple[str, ...]
    ranked_classes: tuple[str, ...]
    truth: ClassCodes
    classifiers: tuple[ClassifierScores, ...]
    counts: FloatArray | None = None

    def rankings(self) -> Iterator[tuple[str, str, FloatArray, npt.NDArray[np.bool_]]]:
        """Yield classifier, class, scores, and which cases belong to the class."""
        for each in self.classifiers:
            for column, class_ in enumerate(self.ranked_classes):
                yield each.classifier, class_, each.ranking_scores[:, column], self.is_class(class_)

    def is_class(self, class_: str) -> npt.NDArray[np.bool_]:
        """Tell of every case whether it belongs to a class."""
        return np.asarray(self.truth == self.classes.index(class_), dtype=np.bool_)

    def counts_for(self, selection: npt.NDArray[np.bool_] | slice) -> FloatArray | None:
        """Return how many cases some of them stand for, if not each for one."""
        return None if self.counts is None else self.counts[selection]

    @property
    def size(self) -> int:
        """How many cases there are."""
        return len(self.truth) if self.counts is None else int(self.counts.sum())

    @property
    def class_sizes(self) -> npt.NDArray[np.int64]:
        """How many cases each class has."""
        return class_sizes(self.truth, len(self.classes), self.counts)


def class_sizes(
    truth: ClassCodes, classes: int, counts: FloatArray | None
) -> npt.NDArray[np.int64]:
    """Count the cases of each class."""
    if counts is not None:
        return np.bincount(truth, counts, classes).astype(np.int64)
    # In blocks, because bincount turns what it counts into 64 bits a case.
    counted = map_blocks(lambda block: np.bincount(truth[block], minlength=classes), len(truth))
    return sum(counted, np.zeros(classes, np.int64))
