"""The cases with scores, side by side: what the tallies of scores are counted from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    import polars as pl

    from reportgen.formulas.as_numpy import Numbers


@dataclass(frozen=True, slots=True)
class ClassifierScores:
    """What one classifier gave each case: scores to rank by, and probabilities if it has them.

    `ranking` has a column per ranked class, `probabilities` one per class of the task; `fold` is
    each case's, `folds` are their names in order.
    """

    classifier: str
    fold: pl.Series
    folds: tuple[str, ...]
    ranking: Numbers
    probabilities: Numbers | None

    def in_folds(self) -> Iterator[tuple[str | None, npt.NDArray[np.bool_] | slice]]:
        """Yield all cases together, then the cases of each fold."""
        yield None, slice(None)
        for fold in self.folds:
            yield fold, (self.fold == fold).fill_null(value=False).to_numpy()


@dataclass(frozen=True, slots=True)
class ScoredCases:
    """Every case once for each classifier with scores, in the same order for all.

    `truth` has the place of the true class among `classes`; `ranked` are the classes that scores
    rank cases for: the positive class alone, or every class against the rest.
    """

    classes: tuple[str, ...]
    ranked: tuple[str, ...]
    truth: npt.NDArray[np.int64]
    classifiers: tuple[ClassifierScores, ...]

    def rankings(self) -> Iterator[tuple[str, str, Numbers, npt.NDArray[np.bool_]]]:
        """Yield classifier, class, scores, and which cases belong to the class."""
        for each in self.classifiers:
            for column, class_ in enumerate(self.ranked):
                yield each.classifier, class_, each.ranking[:, column], self.is_class(class_)

    def is_class(self, class_: str) -> npt.NDArray[np.bool_]:
        """Tell of every case whether it belongs to a class."""
        return np.asarray(self.truth == self.classes.index(class_), dtype=np.bool_)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many cases each class has."""
        return np.bincount(self.truth, minlength=len(self.classes)).astype(np.int64)
