"""Scored cases, as short to write as on paper, and slow ways to count them."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
from reportgen.predictions.audit import CaseAudit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from reportgen.statistics import FloatArray

CLASSES = ("no", "yes")


def binary_cases(
    truth: Sequence[int],
    scores: Mapping[str, Sequence[float] | FloatArray],
    folds: Sequence[str] | None = None,
    *,
    ranking_only: bool = False,
) -> ScoredCases:
    """Return cases (1: yes) with the probability of yes, or only a score, by classifier."""
    fold = pl.Series("fold", folds or [None] * len(truth), pl.String)
    names = tuple(fold.drop_nulls().unique(maintain_order=True))
    classifiers = []
    for name, inputs in scores.items():
        column = np.array(inputs, dtype=np.float64)
        probabilities = None if ranking_only else np.column_stack([1 - column, column])
        classifiers.append(ClassifierScores(name, fold, names, column[:, None], probabilities))
    return ScoredCases(CLASSES, ("yes",), np.array(truth, dtype=np.int64), tuple(classifiers))


def several_classes(truth: Sequence[int], rows: Mapping[str, FloatArray]) -> ScoredCases:
    """Return cases of classes 0, 1, … with the probabilities of each, by classifier."""
    fold = pl.Series("fold", [None] * len(truth), pl.String)
    classes = tuple(str(number) for number in range(next(iter(rows.values())).shape[1]))
    classifiers = tuple(
        ClassifierScores(name, fold, (), probabilities, probabilities)
        for name, probabilities in rows.items()
    )
    return ScoredCases(classes, classes, np.array(truth, dtype=np.int64), classifiers)


def audit_of(classifier: str) -> CaseAudit:
    """Return the audit of a classifier whose cases were all read."""
    return CaseAudit(classifier, 0, 0, 0, 0, 0, 0)


def drawn_probabilities(
    seed: int, cases: int, classes: int, *, decimals: int = 12
) -> tuple[npt.NDArray[np.int64], FloatArray]:
    """Draw true classes, and probabilities that know something of them."""
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, cases)
    weights = random.gamma(1.0, size=(cases, classes))
    weights[np.arange(cases), truth] += 1.0
    return truth, (weights / weights.sum(axis=1, keepdims=True)).round(decimals)


def placements(
    positives: Sequence[float], negatives: Sequence[float]
) -> tuple[list[float], list[float]]:
    """Return DeLong's V10 and V01 pair by pair: 1 for a pair in order, ½ for a tie."""
    order = {
        (i, j): 1.0 if high > low else 0.5 if high == low else 0.0
        for (i, high), (j, low) in product(enumerate(positives), enumerate(negatives))
    }
    rows = [sum(order[i, j] for j in range(len(negatives))) for i in range(len(positives))]
    columns = [sum(order[i, j] for i in range(len(positives))) for j in range(len(negatives))]
    return [row / len(negatives) for row in rows], [column / len(positives) for column in columns]
