"""Covariances of AUCs from the ranks of scores.

DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more correlated receiver
operating characteristic curves; computed from ranks as by Sun and Xu (2014). The mean over pairs of
classes is that of Hand and Till (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.ranking import pairwise_auc
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
    from reportgen.statistics import FloatArray

DELONG_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "class": pl.String,
        "average": pl.String,
        "covariance": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class DeLongCovariances:
    """Covariances of AUCs, by two classifiers, class and average.

    Class null and average null is the positive class, or Hand and Till's mean over all classes.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != DELONG_SCHEMA:
            message = f"DeLong covariances need {DELONG_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    def covariances(
        self, classifiers: Sequence[str], class_: str | None, average: str | None = None
    ) -> FloatArray | None:
        """Return the covariance matrix of the classifiers' AUCs, or None if any is unknown."""
        same_class = pl.col("class").eq_missing(pl.lit(class_, pl.String))
        same_average = pl.col("average").eq_missing(pl.lit(average, pl.String))
        rows = self.frame.filter(same_class, same_average)
        by_pair = {
            (first, second): covariance
            for first, second, covariance in rows.select("first", "second", "covariance").rows()
        }
        by_pair |= {(second, first): covariance for (first, second), covariance in by_pair.items()}
        matrix = [[by_pair.get((one, other)) for other in classifiers] for one in classifiers]
        if any(covariance is None for row in matrix for covariance in row):
            return None
        return np.array(matrix, dtype=np.float64)


def delong_covariances(cases: ScoredCases, curves: ScoreCurves | None = None) -> DeLongCovariances:
    """Return the covariances of the AUC of every class, and of their averages.

    For a single AUC the variance is computed from the curves, if they are given.
    """
    names = [scores.classifier for scores in cases.classifiers]
    if curves is not None and len(names) == len(cases.ranked_classes) == 1:
        return _build_covariances(_single_variance_rows(names[0], cases.ranked_classes[0], curves))
    return sum_delong_covariances(names, structural_components(cases))


def sum_delong_covariances(
    names: Sequence[str], components: Iterable[_Components]
) -> DeLongCovariances:
    """Return the covariances of the areas that the components of the named classifiers are of."""
    rows: list[_Row] = []
    for class_, average, weight, influences in components:
        for first, second in combinations_with_replacement(range(len(names)), 2):
            covariance = float((influences[first] * influences[second] * weight).sum())
            rows.append((names[first], names[second], class_, average, covariance))
    return _build_covariances(rows)


_Row = tuple["str | float | None", ...]


def _build_covariances(rows: Iterable[_Row]) -> DeLongCovariances:
    return DeLongCovariances(pl.DataFrame(list(rows), DELONG_SCHEMA, orient="row"))


def _single_variance_rows(classifier: str, class_: str, curves: ScoreCurves) -> Iterator[_Row]:
    steps = curves.cumulative_counts(classifier, class_)
    # A variance within a side needs two cases there.
    if steps is None or min(steps.positives, steps.negatives) < 2:  # noqa: PLR2004
        return
    variance = delong_variance(steps)
    for target in (class_, None):
        yield (classifier, classifier, target, None, variance)


def delong_variance(cumulative: CumulativeCounts) -> float:
    """Return DeLong's variance from the counts of positives and negatives at each score."""
    positives, negatives = cumulative.positives, cumulative.negatives
    concordant, tied = cumulative.concordant_and_tied
    area = (concordant + tied / 2) / (positives * negatives)

    def of_block(block: slice) -> tuple[float, float]:
        positive_counts, negative_counts = cumulative.increments(block)
        below, above = negative_counts / 2, positive_counts / -2
        below += negatives - cumulative.fp[block]
        above += cumulative.tp[block]
        return _sum_squared_deviations(
            below, negatives, area, positive_counts
        ), _sum_squared_deviations(above, positives, area, negative_counts)

    sides = map_blocks(of_block, len(cumulative.tp))
    return sum(side for side, _ in sides) / (positives * (positives - 1)) + sum(
        side for _, side in sides
    ) / (negatives * (negatives - 1))


def _sum_squared_deviations(
    placements: FloatArray, opposite_size: int, area: float, cases: npt.NDArray[np.int64]
) -> float:
    """Return the sum of squared deviations of placement values from the area; works in place."""
    placements /= opposite_size
    placements -= area
    placements *= placements
    placements *= cases
    return float(placements.sum())


_Components = tuple[str | None, str | None, "FloatArray | float", "list[FloatArray]"]


def structural_components(cases: ScoredCases) -> Iterator[_Components]:
    """Yield class, average, case weights, and the influence of each case by classifier."""
    count, sizes = cases.size, cases.class_sizes
    # Weighted cases count as often as they weigh.
    often = 1.0 if cases.counts is None else cases.counts
    per_class: dict[str, list[FloatArray]] = {}
    for column, class_ in enumerate(cases.ranked_classes):
        is_positive = cases.is_class(class_)
        positives = float(sizes[cases.classes.index(class_)])
        # A variance within a side needs two cases there.
        if min(positives, count - positives) < 2:  # noqa: PLR2004
            continue
        bessel = np.where(is_positive, _bessel_factor(positives), _bessel_factor(count - positives))
        weight = bessel * often
        own = [
            influence(scores.ranking_scores[:, column], is_positive, cases.counts)
            for scores in cases.classifiers
        ]
        per_class[class_] = own
        yield class_, None, weight, own
        if len(cases.ranked_classes) == 1:
            yield None, None, weight, own
    if len(cases.ranked_classes) > 1 and len(per_class) == np.count_nonzero(sizes):
        supports = [float(sizes[cases.classes.index(class_)]) for class_ in per_class]
        every = list(per_class.values())
        yield None, "macro", _bessel_factor(count), _average_influences(every, [1.0] * len(every))
        yield None, "weighted", _bessel_factor(count), _average_influences(every, supports)
        yield (
            None,
            None,
            _bessel_factor(count),
            [_hand_till_influence(cases, scores) for scores in cases.classifiers],
        )


def influence(
    scores: FloatArray, is_positive: npt.NDArray[np.bool_], weights: FloatArray | None = None
) -> FloatArray:
    """Return the influence of each case on the AUC: its placement value minus the area."""
    if weights is not None:
        return _weighted_influence(scores, is_positive, weights)
    order = np.argsort(scores)
    is_positive_by_rank = is_positive[order]
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    sizes = np.diff(starts, append=len(scores))
    positive_counts = np.add.reduceat(is_positive_by_rank, starts, dtype=np.int64)
    negative_counts = sizes - positive_counts
    positives, negatives = int(positive_counts.sum()), int(negative_counts.sum())
    # Cases of the other side with a lower score count one, ties one half.
    of_positives = (np.cumsum(negative_counts) - negative_counts / 2) / negatives
    of_negatives = 1 - (np.cumsum(positive_counts) - positive_counts / 2) / positives
    placements = np.empty(len(scores))
    placements[order] = np.where(
        is_positive_by_rank, np.repeat(of_positives, sizes), np.repeat(of_negatives, sizes)
    )
    area = float(placements[is_positive].sum()) / positives
    return (placements - area) / np.where(is_positive, positives, negatives)


def _weighted_influence(
    scores: FloatArray, is_positive: npt.NDArray[np.bool_], weights: FloatArray
) -> FloatArray:
    """Return the influence of one unit of weight of each case on the weighted AUC."""
    positives, negatives = float(weights[is_positive].sum()), float(weights[~is_positive].sum())
    placements = np.empty(len(scores))
    placements[is_positive] = (
        _weight_below(scores[~is_positive], weights[~is_positive], scores[is_positive]) / negatives
    )
    placements[~is_positive] = (
        1
        - _weight_below(scores[is_positive], weights[is_positive], scores[~is_positive]) / positives
    )
    area = float(weights[is_positive] @ placements[is_positive]) / positives
    return (placements - area) / np.where(is_positive, positives, negatives)


def _bessel_factor(size: float) -> float:
    return size / (size - 1)


def _average_influences(
    influences: Sequence[Sequence[FloatArray]], weights: Sequence[float]
) -> list[FloatArray]:
    """Return the weighted mean of the classes' influences, by classifier."""
    shares = [weight / sum(weights) for weight in weights]
    return [
        sum((share * own for share, own in zip(shares, classes, strict=True)), np.zeros(1))
        for classes in zip(*influences, strict=True)
    ]


def _hand_till_influence(cases: ScoredCases, classifier_scores: ClassifierScores) -> FloatArray:
    """Return the influences on Hand and Till's mean over the ordered pairs of classes."""
    truth, sizes = cases.truth, np.maximum(cases.class_sizes, 1)
    nonempty_classes = np.flatnonzero(cases.class_sizes)
    areas = pairwise_auc(classifier_scores.ranking_scores, truth)
    total = np.zeros(len(truth))
    for class_ in nonempty_classes:
        own, others = truth == class_, truth != class_
        scores = classifier_scores.ranking_scores[:, class_]
        area = areas[class_, truth]
        # A case of another class: the proportion of this class above it, minus the AUC of the pair.
        above = (
            1 - _weight_below(scores[own], np.ones(int(own.sum())), scores[others]) / sizes[class_]
        )
        total[others] += (above - area[others]) / sizes[truth[others]]
        # A case of this class: the proportions of other classes below it, minus their AUCs.
        below = _weight_below(scores[others], 1 / sizes[truth[others]], scores[own])
        expected = areas[class_, nonempty_classes[nonempty_classes != class_]].sum()
        total[own] += (below - expected) / sizes[class_]
    return total / (len(nonempty_classes) * (len(nonempty_classes) - 1))


def _weight_below(scores: FloatArray, weights: FloatArray, values: FloatArray) -> FloatArray:
    """Return the total weight of the scores below each value; ties count one half."""
    order = np.argsort(scores, kind="stable")
    cumulative_weights = np.concatenate(([0.0], np.cumsum(weights[order])))
    sorted_scores = scores[order]
    left, right = (
        np.searchsorted(sorted_scores, values, "left"),
        np.searchsorted(sorted_scores, values, "right"),
    )
    return np.asarray((cumulative_weights[left] + cumulative_weights[right]) / 2, dtype=np.float64)
