"""Whether the classes are spread evenly over the folds."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.folds.design import fold_sizes
from reportgen.frozen import frozen

if TYPE_CHECKING:
    from reportgen.predictions import Predictions
    from reportgen.statistics.wilcoxon import Floats

# A case cannot be divided, so a count may miss its share by one.
ONE_CASE = 1 + 1e-9


class Stratification(StrEnum):
    """How evenly classes are spread."""

    STRATIFIED = "stratified"
    NOT_STRATIFIED = "not stratified"
    TOO_SMALL = "too small to stratify"


@frozen
class ClassSpread:
    """The share of a class among all cases, its smallest and largest in a fold, and its lack."""

    class_: str
    share: float
    smallest: float
    largest: float
    lacking: tuple[str, ...]
    """The folds without a case of the class."""


@frozen
class FoldAudit:
    """The sizes of the folds of some classifiers and how the classes are spread over them.

    Stratified means: in every fold every class has, give or take one case, its share of the cases
    of the fold, or as many cases as in every other fold.
    """

    classifiers: tuple[str, ...]
    folds: tuple[str, ...]
    sizes: tuple[int, ...]
    classes: tuple[ClassSpread, ...]
    verdict: Stratification
    chi_square: float | None
    df: int
    p: float | None

    @property
    def equal_sizes(self) -> bool:
        """Whether the folds are as equal as they can be."""
        return max(self.sizes) - min(self.sizes) <= 1


def audit_folds(predictions: Predictions, repeats: int | None = None) -> tuple[FoldAudit, ...]:
    """Audit the folds; classifiers whose folds have the same sizes share an audit.

    Repeats are given where ids do not tell them.
    """
    if predictions.confusion is None:
        return ()
    alike: dict[tuple[tuple[str, tuple[int, ...]], ...], list[str]] = {}
    for classifier, sizes in fold_sizes(predictions).items():
        alike.setdefault(tuple(sizes.items()), []).append(classifier)
    repeated = predictions.distinct_cases is not None or (repeats or 1) > 1
    return tuple(
        _audit(tuple(names), dict(sizes), predictions.classes, repeated=repeated)
        for sizes, names in alike.items()
    )


def _audit(
    classifiers: tuple[str, ...],
    sizes: dict[str, tuple[int, ...]],
    classes: tuple[str, ...],
    *,
    repeated: bool,
) -> FoldAudit:
    folds = tuple(sizes)
    counts = np.array(list(sizes.values()), dtype=np.float64)
    by_fold, by_class = counts.sum(axis=1), counts.sum(axis=0)
    shares = counts / by_fold[:, None]
    overall = by_class / by_class.sum()
    chi_square, df, p = _chi_square(counts[:, by_class > 0], repeated=repeated)
    return FoldAudit(
        classifiers=classifiers,
        folds=folds,
        sizes=tuple(int(size) for size in by_fold),
        classes=tuple(
            ClassSpread(
                class_,
                float(overall[place]),
                float(shares[:, place].min()),
                float(shares[:, place].max()),
                tuple(
                    fold for fold, count in zip(folds, counts[:, place], strict=True) if not count
                ),
            )
            for place, class_ in enumerate(classes)
            if by_class[place]
        ),
        verdict=_verdict(counts, by_fold, overall),
        chi_square=chi_square,
        df=df,
        p=p,
    )


def _verdict(counts: Floats, by_fold: Floats, overall: Floats) -> Stratification:
    if by_fold.mean() < np.count_nonzero(overall):
        return Stratification.TOO_SMALL
    from_share = np.abs(counts - np.outer(by_fold, overall)).max()
    from_others = np.abs(counts - counts.mean(axis=0)).max()
    even = min(from_share, from_others) <= ONE_CASE
    return Stratification.STRATIFIED if even else Stratification.NOT_STRATIFIED


def _chi_square(counts: Floats, *, repeated: bool) -> tuple[float | None, int, float | None]:
    """Return chi-square of fold by class; its p-value only where every case is in one fold."""
    from scipy.special import chdtrc

    df = (counts.shape[0] - 1) * (counts.shape[1] - 1)
    if not df:
        return None, 0, None
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
    chi_square = float(((counts - expected) ** 2 / expected).sum())
    return chi_square, df, None if repeated else float(chdtrc(df, chi_square))
