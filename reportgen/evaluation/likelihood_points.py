"""Positions of classifiers in the likelihood-ratio graph (Biggerstaff 2000), with limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.statistics.proportions import wilson_intervals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.evaluation.likelihood_relations import LikelihoodRelation
    from reportgen.spec import Spec


@dataclass(frozen=True, slots=True)
class LikelihoodPoint:
    """False and true positive rate of a classifier for a class, each with its Wilson limits.

    Where the likelihood ratios were swapped, the rates are those of the exchanged answers.
    """

    classifier: str
    class_: str | None
    swapped: bool
    fpr: float
    fpr_low: float
    fpr_high: float
    tpr: float
    tpr_low: float
    tpr_high: float


def compute_likelihood_points(
    aggregates: Aggregates,
    spec: Spec,
    classifiers: Sequence[str],
    relations: Sequence[LikelihoodRelation],
) -> tuple[LikelihoodPoint, ...]:
    """Return the points of all classifiers whose likelihood ratios are defined, by class.

    Args:
        aggregates: The confusion counts.
        spec: The positive class and the level of the limits.
        classifiers: The classifiers that were counted, in their order.
        relations: The likelihood relations, which name classes and swapped classifiers.
    """
    if aggregates.confusion is None or not relations:
        return ()
    counts = aggregates.confusion.overall_counts()
    swapped = {
        (name, relation.class_) for relation in relations for name in relation.swapped_classifiers
    }
    keys: list[tuple[str, str | None]] = []
    rows: list[tuple[float, float, float, float, float]] = []
    for class_ in dict.fromkeys(relation.class_ for relation in relations):
        for name in classifiers:
            of_class = counts.get((name, class_ or spec.task.positive or ""))
            if of_class is None:
                continue
            tp, fn, fp, tn = of_class
            if not tp + fn or not fp + tn or not tp + fp or not fn + tn:
                continue
            hits, alarms = (fn, tn) if (name, class_) in swapped else (tp, fp)
            keys.append((name, class_))
            rows.append((alarms, fp + tn, hits, tp + fn, aggregates.case_weight(name)))
    if not rows:
        return ()
    alarms_, negatives, hits_, positives, weights = np.array(rows, dtype=np.float64).T
    level = spec.intervals.level
    fpr = wilson_intervals(alarms_ * weights, negatives * weights, level)
    tpr = wilson_intervals(hits_ * weights, positives * weights, level)
    columns = (alarms_ / negatives, *fpr, hits_ / positives, *tpr)
    return tuple(
        LikelihoodPoint(*key, key in swapped, *numbers)
        for key, numbers in zip(keys, np.array(columns).T.tolist(), strict=True)
    )
