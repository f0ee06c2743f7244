"""How areas under ROC curves vary together: DeLong's covariances, from ranks."""

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
    """Covariances of areas under ROC curves, by two classifiers, class and average.

    Class null and average null is the positive class, or Hand and Till's mean over all classes.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != DELONG_SCHEMA:
            message = f"a placement tally needs {DELONG_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    def covariances(
        self, classifiers: Sequence[str], class_: str | None, average: str | None = None
    ) -> FloatArray | None:
        """Return the matrix over classifiers, if the areas of all of them vary in a known way."""
        same_class = pl.col("class").eq_missing(pl.lit(class_, pl.String))
        same_average = pl.col("average").eq_missing(pl.lit(average, pl.String))
        rows = self.frame.filter(same_class, same_average)
        known = {
            (first, second): covariance
            for first, second, covariance in rows.select("first", "second", "covariance").rows()
        }
        known |= {(second, first): covariance for (first, second), covariance in known.items()}
        found = [[known.get((one, other)) for other in classifiers] for one in classifiers]
        if any(covariance is None for row in found for covariance in row):
            return None
        return np.array(found, dtype=np.float64)


def delong_covariances(cases: ScoredCases, curves: ScoreCurves | None = None) -> DeLongCovariances:
    """Return the covariances of every class's area, of their averages, and of the whole.

    Where there is one area alone, curves that were counted of the same cases are all it takes.
    """
    names = [each.classifier for each in cases.classifiers]
    if curves is not None and len(names) == len(cases.ranked_classes) == 1:
        return _build_covariances(_single_variance_rows(names[0], cases.ranked_classes[0], curves))
    rows: list[_Row] = []
    for class_, average, weight, influences in _structural_components(cases):
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
    """Return DeLong's variance from how many cases of both sides have each score."""
    positives, negatives = cumulative.positives, cumulative.negatives
    concordant, tied = cumulative.concordant_and_tied
    area = (concordant + tied / 2) / (positives * negatives)

    def of_block(block: slice) -> tuple[float, float]:
        found, false = cumulative.increments(block)
        below, above = false / 2, found / -2
        below += negatives - cumulative.fp[block]
        above += cumulative.tp[block]
        return _sum_squared_deviations(below, negatives, area, found), _sum_squared_deviations(
            above, positives, area, false
        )

    sides = map_blocks(of_block, len(cumulative.tp))
    return sum(side for side, _ in sides) / (positives * (positives - 1)) + sum(
        side for _, side in sides
    ) / (negatives * (negatives - 1))


def _sum_squared_deviations(
    placements: FloatArray, opposite_size: int, area: float, cases: npt.NDArray[np.int64]
) -> float:
    """Sum up squared distances of placements from the area, in the memory they have."""
    placements /= opposite_size
    placements -= area
    placements *= placements
    placements *= cases
    return float(placements.sum())


_Components = tuple[str | None, str | None, "FloatArray | float", "list[FloatArray]"]


def _structural_components(cases: ScoredCases) -> Iterator[_Components]:
    """Yield class, average, the weights of cases, and each classifier's influence of each case."""
    count, sizes = len(cases.truth), cases.class_sizes
    per_class: dict[str, list[FloatArray]] = {}
    for column, class_ in enumerate(cases.ranked_classes):
        is_positive = cases.is_class(class_)
        positives = int(is_positive.sum())
        # A variance within a side needs two cases there.
        if min(positives, count - positives) < 2:  # noqa: PLR2004
            continue
        weight = np.where(is_positive, _bessel_factor(positives), _bessel_factor(count - positives))
        own = [influence(each.ranking_scores[:, column], is_positive) for each in cases.classifiers]
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
            [_hand_till_influence(cases, each) for each in cases.classifiers],
        )


def influence(scores: FloatArray, is_positive: npt.NDArray[np.bool_]) -> FloatArray:
    """Return what each case adds to the area's error: its placement less the area, by side."""
    order = np.argsort(scores)
    ranked = is_positive[order]
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    sizes = np.diff(starts, append=len(scores))
    found = np.add.reduceat(ranked, starts, dtype=np.int64)
    false = sizes - found
    positives, negatives = int(found.sum()), int(false.sum())
    # Of a score those below it of the other side count whole and those equal to it half.
    of_positives = (np.cumsum(false) - false / 2) / negatives
    of_negatives = 1 - (np.cumsum(found) - found / 2) / positives
    placed = np.empty(len(scores))
    placed[order] = np.where(ranked, np.repeat(of_positives, sizes), np.repeat(of_negatives, sizes))
    area = float(placed[is_positive].sum()) / positives
    return (placed - area) / np.where(is_positive, positives, negatives)


def _bessel_factor(size: int) -> float:
    return size / (size - 1)


def _average_influences(
    influences: Sequence[Sequence[FloatArray]], weights: Sequence[float]
) -> list[FloatArray]:
    """Average the classes' influences for each classifier."""
    shares = [weight / sum(weights) for weight in weights]
    return [
        sum((share * own for share, own in zip(shares, classes, strict=True)), np.zeros(1))
        for classes in zip(*influences, strict=True)
    ]


def _hand_till_influence(cases: ScoredCases, classifier_scores: ClassifierScores) -> FloatArray:
    """Return the influences on Hand and Till's mean over the ordered pairs of classes."""
    truth, sizes = cases.truth, np.maximum(cases.class_sizes, 1)
    present = np.flatnonzero(cases.class_sizes)
    areas = pairwise_auc(classifier_scores.ranking_scores, truth)
    total = np.zeros(len(truth))
    for class_ in present:
        own, others = truth == class_, truth != class_
        scores = classifier_scores.ranking_scores[:, class_]
        area = areas[class_, truth]
        # A case of another class: the share of this class above it, less the area of the pair.
        above = (
            1 - _weight_below(scores[own], np.ones(int(own.sum())), scores[others]) / sizes[class_]
        )
        total[others] += (above - area[others]) / sizes[truth[others]]
        # A case of this class: the shares of all the other classes below it, less their areas.
        below = _weight_below(scores[others], 1 / sizes[truth[others]], scores[own])
        expected = areas[class_, present[present != class_]].sum()
        total[own] += (below - expected) / sizes[class_]
    return total / (len(present) * (len(present) - 1))


def _weight_below(scores: FloatArray, weights: FloatArray, values: FloatArray) -> FloatArray:
    """Sum up the weights of the scores below each of some values; those equal to it count half."""
    order = np.argsort(scores, kind="stable")
    cumulated = np.concatenate(([0.0], np.cumsum(weights[order])))
    ranked = scores[order]
    left, right = np.searchsorted(ranked, values, "left"), np.searchsorted(ranked, values, "right")
    return np.asarray((cumulated[left] + cumulated[right]) / 2, dtype=np.float64)
