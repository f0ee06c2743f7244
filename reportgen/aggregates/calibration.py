"""Isotonic and logistic recalibration of probabilities, from counts per distinct probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.aggregates.curves import cumulate_counts
from reportgen.aggregates.probabilities import CALIBRATION_BINS, confidences
from reportgen.statistics.calibration import (
    decompose_brier,
    decompose_log_loss,
    fit_recalibration,
    group_scores,
)
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import numpy.typing as npt

    from reportgen.aggregates.curves import CumulativeCounts, ScoreCurves
    from reportgen.aggregates.scored_cases import ClassifierScores, ScoredCases
    from reportgen.statistics import FloatArray
    from reportgen.statistics.calibration import (
        IsotonicBlocks,
        LogisticRecalibration,
        ScoreDecomposition,
        ScoreGroups,
    )

# Consistency bands are resampled on at most so many groups of neighbouring probabilities.
MAX_SCORE_GROUPS = 512
# A curve is interrupted where no case has a probability within this distance.
MAX_GAP = 1 / CALIBRATION_BINS


@dataclass(frozen=True, slots=True)
class CurvePieces:
    """The isotonic curve as horizontal pieces: blocks, cut where no case has such a probability.

    Pieces of one `line` are connected; `hits` and `cases` are those of the piece, `value` is the
    recalibrated probability of the block.
    """

    line: npt.NDArray[np.int64]
    lower: FloatArray
    upper: FloatArray
    value: FloatArray
    cases: FloatArray
    hits: FloatArray


@dataclass(frozen=True, slots=True)
class CalibrationFit:
    """The recalibration of a classifier's probabilities of one class.

    Class None is the top label: the highest probability, and whether the prediction is correct.
    """

    classifier: str
    class_: str | None
    cases: float
    hits: float
    mean_probability: float
    brier: ScoreDecomposition
    log_loss: ScoreDecomposition
    recalibration: LogisticRecalibration | str
    pieces: CurvePieces
    groups: ScoreGroups


@dataclass(frozen=True, slots=True)
class MiscalibrationProducts:
    """Sums of products of the cases' contributions to the miscalibration, by two classifiers.

    A case contributes (p − y)² − (m − y)², m being its recalibrated probability.
    """

    classifiers: tuple[str, ...]
    sums: FloatArray
    products: FloatArray
    cases: float

    def variance_of_difference(self, first: str, second: str) -> float | None:
        """Return the variance of the difference of two means; None without both classifiers."""
        if first not in self.classifiers or second not in self.classifiers:
            return None
        one, other = self.classifiers.index(first), self.classifiers.index(second)
        squares = (
            self.products[one, one] + self.products[other, other] - 2 * self.products[one, other]
        )
        mean = (self.sums[one] - self.sums[other]) / self.cases
        return max(float(squares / self.cases - mean**2), 0.0) / self.cases


@dataclass(frozen=True, slots=True)
class CalibrationFits:
    """The recalibrations of all classifiers: overall first, then by class where there are more.

    Overall is the positive class of a binary task and the top label of others.
    """

    overall: Mapping[str, CalibrationFit]
    by_class: Mapping[tuple[str, str], CalibrationFit]
    products: tuple[MiscalibrationProducts, ...]

    def variance_of_difference(self, first: str, second: str) -> float | None:
        """Return the variance of a difference of miscalibrations; None if not on the same cases."""
        variances = (part.variance_of_difference(first, second) for part in self.products)
        return next((variance for variance in variances if variance is not None), None)

    @classmethod
    def concat(cls, parts: Sequence[CalibrationFits]) -> CalibrationFits:
        """Combine the recalibrations of classifiers that were not measured case by case."""
        return cls(
            {name: fit for part in parts for name, fit in part.overall.items()},
            {key: fit for part in parts for key, fit in part.by_class.items()},
            tuple(products for part in parts for products in part.products),
        )


def fit_calibration(cases: ScoredCases, curves: ScoreCurves) -> CalibrationFits:
    """Recalibrate the probabilities of every classifier that has some."""
    overall: dict[str, CalibrationFit] = {}
    by_class: dict[tuple[str, str], CalibrationFit] = {}
    blocks: dict[str, tuple[FloatArray, IsotonicBlocks]] = {}
    is_binary = len(cases.ranked_classes) == 1
    for scores in cases.classifiers:
        if scores.probabilities is None:
            continue
        name = scores.classifier
        class_ = cases.ranked_classes[0] if is_binary else None
        counts = _overall_counts(cases, scores, curves)
        overall[name], blocks[name] = _fit(name, class_, counts)
        if not is_binary:
            for column, label in enumerate(cases.classes):
                by_class[name, label], _ = _fit(
                    name,
                    label,
                    cumulate_counts(
                        np.ascontiguousarray(scores.probabilities[:, column]),
                        cases.is_class(label),
                        cases.counts,
                    ),
                )
    # A single classifier is compared with none.
    products = (_sum_products(cases, blocks),) if len(blocks) > 1 else ()
    return CalibrationFits(overall, by_class, products)


def _overall_counts(
    cases: ScoredCases, scores: ClassifierScores, curves: ScoreCurves
) -> CumulativeCounts:
    """Return the counts per distinct probability: those of the ROC curve if it ranks by them."""
    confidence, hit = confidences(cases, scores, slice(None))
    if len(cases.ranked_classes) == 1 and (
        scores.probabilities is scores.ranking_scores
        or np.array_equal(confidence, scores.ranking_scores[:, 0])
    ):
        cumulative_counts = curves.cumulative_counts(scores.classifier, cases.ranked_classes[0])
        if cumulative_counts is not None:
            return cumulative_counts
    return cumulate_counts(np.ascontiguousarray(confidence), hit, cases.counts)


def _fit(
    name: str, class_: str | None, counts: CumulativeCounts
) -> tuple[CalibrationFit, tuple[FloatArray, IsotonicBlocks]]:
    probability = counts.threshold[::-1]
    hits, cases = _count_from_below(counts)
    blocks = counts.isotonic_blocks
    groups = group_scores(probability, hits, cases, MAX_SCORE_GROUPS)
    total = float(cases.sum())
    fit = CalibrationFit(
        classifier=name,
        class_=class_,
        cases=total,
        hits=float(hits.sum()),
        mean_probability=float((groups.probability * groups.cases).sum()) / total,
        brier=decompose_brier(probability, hits, cases, blocks),
        log_loss=decompose_log_loss(probability, hits, cases, blocks),
        recalibration=fit_recalibration(probability, hits, cases),
        pieces=_cut_pieces(probability, hits, cases, blocks),
        groups=groups,
    )
    return fit, (probability[blocks.start], blocks)


def _count_from_below(counts: CumulativeCounts) -> tuple[FloatArray, FloatArray]:
    """Return the hits and the cases at each probability, from the lowest up."""
    size = len(counts.tp)
    hits, cases = np.empty(size), np.empty(size)

    def count(block: slice) -> None:
        positives, negatives = counts.increments(block)
        from_below = slice(size - block.stop, size - block.start)
        hits[from_below] = positives[::-1]
        cases[from_below] = (positives + negatives)[::-1]

    map_blocks(count, size)
    return hits, cases


def _cut_pieces(
    probability: FloatArray, hits: FloatArray, cases: FloatArray, blocks: IsotonicBlocks
) -> CurvePieces:
    def gaps_before(block: slice) -> npt.NDArray[np.int64]:
        first = max(block.start - 1, 0)
        is_gap = np.diff(probability[first : block.stop]) > MAX_GAP
        return np.asarray(np.flatnonzero(is_gap) + first + 1)

    after_gap = np.concatenate(map_blocks(gaps_before, len(probability)))
    starts = np.union1d(blocks.start, after_gap)
    ends = np.append(starts[1:], len(probability)) - 1
    return CurvePieces(
        line=np.searchsorted(after_gap, starts, side="right"),
        lower=probability[starts],
        upper=probability[ends],
        value=blocks.value[np.searchsorted(blocks.start, starts, side="right") - 1],
        cases=np.add.reduceat(cases, starts),
        hits=np.add.reduceat(hits, starts),
    )


def _sum_products(
    cases: ScoredCases, blocks: Mapping[str, tuple[FloatArray, IsotonicBlocks]]
) -> MiscalibrationProducts:
    classifiers = [scores for scores in cases.classifiers if scores.classifier in blocks]

    def in_block(block: slice) -> tuple[FloatArray, FloatArray]:
        contributions = np.array(list(_contributions(cases, classifiers, blocks, block)))
        counts = cases.counts_for(block)
        weighted = contributions if counts is None else contributions * counts
        products = np.array([(weighted * row).sum(axis=1) for row in contributions])
        return weighted.sum(axis=1), products

    parts = map_blocks(in_block, len(cases.truth))
    size = len(classifiers)
    return MiscalibrationProducts(
        tuple(scores.classifier for scores in classifiers),
        sum((part[0] for part in parts), np.zeros(size)),
        sum((part[1] for part in parts), np.zeros((size, size))),
        float(cases.size),
    )


def _contributions(
    cases: ScoredCases,
    classifiers: Sequence[ClassifierScores],
    blocks: Mapping[str, tuple[FloatArray, IsotonicBlocks]],
    block: slice,
) -> Iterator[FloatArray]:
    for scores in classifiers:
        confidence, hit = confidences(cases, scores, block)
        first_probability, fitted = blocks[scores.classifier]
        places = np.searchsorted(first_probability, confidence, side="right") - 1
        recalibrated = fitted.value[places]
        yield np.asarray((confidence - hit) ** 2 - (recalibrated - hit) ** 2)
