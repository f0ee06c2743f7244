"""Losses of probabilities: sums of Brier scores, log losses and information scores; calibration.

The information score is that of Kononenko and Bratko (1991), Information-based evaluation criterion
for classifier's performance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.influence import InfluenceCovariances
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from reportgen.aggregates.scored_cases import ClassCodes, ClassifierScores, ScoredCases
    from reportgen.statistics import FloatArray


LOSS_COLUMNS = ("probability_errors", "log_losses", "rank_probability_errors", "information")
# Of these the skewness is needed.
CUBED_LOSSES = ("probability_errors", "log_losses", "rank_probability_errors")


def class_proportions(cases: ScoredCases) -> FloatArray:
    """Return the prior probability of each class: its proportion of the cases."""
    return cases.class_sizes / max(cases.size, 1)


def compute_losses(
    cases: ScoredCases, scores: ClassifierScores, priors: FloatArray, block: slice
) -> dict[str, FloatArray]:
    """Return the losses of a block of cases: log losses in nats, information scores in bits."""
    truth, own = cases.truth[block], true_class_probabilities(cases, scores, block)
    with np.errstate(divide="ignore"):
        log_losses = -np.log(own)
    return {
        "probability_errors": _brier_scores(cases, scores, block),
        # Not −0, which would be written with its sign.
        "log_losses": log_losses + 0.0,
        "rank_probability_errors": _ranked_probability_scores(cases, scores, block),
        "information": information_score(priors, truth, own),
    }


def true_class_probabilities(
    cases: ScoredCases, scores: ClassifierScores, block: slice
) -> FloatArray:
    """Return the probability of the true class for a block of cases."""
    probabilities, truth = _block_probabilities(scores, block), cases.truth[block]
    if probabilities.shape[1] > 1:
        return np.asarray(probabilities[np.arange(len(truth)), truth])
    positive = probabilities[:, 0]
    return np.where(_is_positive(cases, truth), positive, 1 - positive)


def information_score(
    priors: FloatArray, truth: ClassCodes, true_probability: FloatArray
) -> FloatArray:
    """Return the information score of each prediction in bits (Kononenko and Bratko, 1991).

    It is the reduction of the surprisal of the true class against its prior probability, and
    negative where the probability of the true class is below its prior.
    """
    useful = true_probability >= priors[truth]
    with np.errstate(divide="ignore", invalid="ignore"):
        prior, complement = np.log2(priors), np.log2(1 - priors)
        before = np.where(useful, prior[truth], complement[truth])
        after = np.log2(np.where(useful, true_probability, 1 - true_probability))
        return np.where(useful, after - before, before - after)


def confidences(
    cases: ScoredCases, scores: ClassifierScores, block: slice
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return the confidence of a block of cases, and the mask of the hits.

    For a binary task, confidence is the probability of the positive class and a hit is a case of
    it; otherwise it is the highest probability, and a hit is a correct prediction.
    """
    probabilities, truth = _block_probabilities(scores, block), cases.truth[block]
    if len(cases.ranked_classes) == 1:
        return _positive_probabilities(cases, probabilities), _is_positive(cases, truth)
    top = probabilities.argmax(axis=1)
    return probabilities[np.arange(len(top)), top], np.asarray(top == truth)


def _brier_scores(cases: ScoredCases, scores: ClassifierScores, block: slice) -> FloatArray:
    """Return the Brier scores of a block of cases: of the positive class, or summed over all."""
    probabilities, truth = _block_probabilities(scores, block), cases.truth[block]
    if len(cases.ranked_classes) == 1:
        return np.asarray(
            (_positive_probabilities(cases, probabilities) - _is_positive(cases, truth)) ** 2
        )
    is_true = np.eye(len(cases.classes))[truth]
    return np.asarray(((probabilities - is_true) ** 2).sum(axis=1))


def _ranked_probability_scores(
    cases: ScoredCases, scores: ClassifierScores, block: slice
) -> FloatArray:
    """Return the ranked probability scores of a block of cases (Epstein 1969).

    Squared errors of the cumulative probabilities, mean over all classes but the last.
    """
    probabilities, truth = _block_probabilities(scores, block), cases.truth[block]
    if probabilities.shape[1] == 1:
        return _brier_scores(cases, scores, block)
    score, cumulative = np.zeros(len(truth)), np.zeros(len(truth))
    # Class by class: a matrix of all cumulative probabilities would double the memory.
    for place in range(probabilities.shape[1] - 1):
        cumulative += probabilities[:, place]
        score += (cumulative - (truth <= place)) ** 2
    return np.asarray(score / (probabilities.shape[1] - 1))


def _block_probabilities(scores: ClassifierScores, block: slice) -> FloatArray:
    if scores.probabilities is None:
        raise LookupError(scores.classifier)
    return scores.probabilities[block]


def _positive_probabilities(cases: ScoredCases, probabilities: FloatArray) -> FloatArray:
    return probabilities[
        :, 0 if probabilities.shape[1] == 1 else cases.classes.index(cases.ranked_classes[0])
    ]


def _is_positive(cases: ScoredCases, truth: ClassCodes) -> npt.NDArray[np.bool_]:
    return np.asarray(truth == cases.classes.index(cases.ranked_classes[0]))


CALIBRATION_BINS = 15
PROBABILITY_SUMS = (
    "cases",
    *(name for loss in LOSS_COLUMNS for name in (loss, f"{loss}_squared")),
    "relative_information_squared",
    *(f"{loss}_cubed" for loss in CUBED_LOSSES),
    "prior_entropy",
    "calibration_gap",
)
PROBABILITY_SCHEMA = pl.Schema(
    {"classifier": pl.String, "fold": pl.String, **dict.fromkeys(PROBABILITY_SUMS, pl.Float64)}
)
_BIN_COLUMNS = {
    "cases": pl.Int64,
    "confidence_sum": pl.Float64,
    "hits": pl.Int64,
    "hit_confidence": pl.Float64,
    "hit_squares": pl.Float64,
    "miss_squares": pl.Float64,
}
_COUNTED = ("cases", "hits")
CALIBRATION_SCHEMA = pl.Schema(
    {"classifier": pl.String, "class": pl.String, "bin": pl.Int64, **_BIN_COLUMNS}
)
_WEIGHTED_CALIBRATION_SCHEMA = pl.Schema(
    (name, pl.Float64() if name in _COUNTED else dtype)
    for name, dtype in CALIBRATION_SCHEMA.items()
)


@dataclass(frozen=True, slots=True)
class ProbabilityLossSums:
    """Sums of losses, of their squares and cubes, by classifier and fold.

    For the information score the squares are those of influence values: the case's own bits, and
    its effect on the class priors, which enter the bits of all cases.
    `relative_information_squared` has the influences on the information score relative to the
    entropy, times the entropy.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != PROBABILITY_SCHEMA:
            message = f"probability loss sums need {PROBABILITY_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


@dataclass(frozen=True, slots=True)
class CalibrationBins:
    """Confidence and hits in 15 bins of equal width: the points of a reliability diagram.

    For a binary task, confidence is the probability of the positive class and a hit is a case of
    it; otherwise class is null, confidence is the highest probability and a hit is a correct
    prediction. `hit_confidence` and the squares are sums over hits and misses, for the bootstrap.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema not in (CALIBRATION_SCHEMA, _WEIGHTED_CALIBRATION_SCHEMA):
            message = f"calibration bins need {CALIBRATION_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def sum_probability_losses(cases: ScoredCases) -> ProbabilityLossSums:
    """Sum the losses of all cases, over all folds and in each."""
    priors = class_proportions(cases)
    rows: list[tuple[str | float | None, ...]] = []
    for scores in cases.classifiers:
        if scores.probabilities is None:
            continue
        parts = _CaseContributions.from_scores(cases, scores, priors)
        block_sums = _sum_blocks(
            map_blocks(lambda block, own=parts: own.block_sums(block), len(cases.truth))  # type: ignore[misc]
        )
        for fold, sums in zip((None, *scores.folds), block_sums, strict=True):
            count, surprise, *others = sums[:-CALIBRATION_BINS].tolist()
            gap = float(np.abs(sums[-CALIBRATION_BINS:]).sum())
            # On all cases together this is the entropy of the classes.
            entropy = surprise / count + 0.0
            rows.append((scores.classifier, fold, count, *others, entropy, gap))
    return ProbabilityLossSums(pl.DataFrame(rows, PROBABILITY_SCHEMA, orient="row"))


@dataclass(frozen=True, slots=True)
class _CaseContributions:
    """The influence of a classifier's cases on the mean information score.

    `class_influence` is the derivative of the mean information with respect to the prior of each
    class; `mean_information` is in bits, and `entropy` is that of the classes.
    """

    cases: ScoredCases
    scores: ClassifierScores
    priors: FloatArray
    class_influence: FloatArray
    mean_information: np.float64
    entropy: np.float64

    @classmethod
    def from_scores(
        cls, cases: ScoredCases, scores: ClassifierScores, priors: FloatArray
    ) -> _CaseContributions:
        """Compute the class influences, the mean information and the entropy in one pass."""
        surprise = _surprisal(priors)

        def in_block(block: slice) -> tuple[FloatArray, float, float]:
            truth, counts = cases.truth[block], cases.counts_for(block)
            own, prior = true_class_probabilities(cases, scores, block), priors[truth]
            # The settings of NumPy's warnings are local to a thread.
            with np.errstate(divide="ignore", invalid="ignore"):
                falls = -1 / (np.log(2) * np.where(own >= prior, prior, 1 - prior))
            slope = _apply_counts(falls, counts)
            bits = information_score(priors, truth, own)
            return (
                np.bincount(truth, slope, len(priors)).astype(np.float64),
                float(_apply_counts(bits, counts).sum()),
                float(_apply_counts(surprise[truth], counts).sum()),
            )

        with np.errstate(divide="ignore", invalid="ignore"):
            parts = map_blocks(in_block, len(cases.truth))
            count = max(cases.size, 1)
            by_class = _sum_blocks(slopes for slopes, _, _ in parts) / count
            bits, entropy = (np.float64(sum(part[at] for part in parts)) / count for at in (1, 2))
        return cls(cases, scores, priors, by_class, bits, entropy)

    def block_sums(self, block: slice) -> FloatArray:
        """Return the sums of a block of cases, over all of them and by fold.

        The columns are number, surprisal, losses, squares and cubes, and calibration gaps. The
        squared influences have the variance of the mean to first order.
        """
        cases, scores = self.cases, self.scores
        truth, counts = cases.truth[block], cases.counts_for(block)
        losses = compute_losses(cases, scores, self.priors, block)
        surprise = _surprisal(self.priors)[truth]
        confidence, hit = confidences(cases, scores, block)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean_influence = (self.class_influence * self.priors).sum()
            influences = losses["information"] + self.class_influence[truth] - mean_influence
            relative = influences - self.mean_information / self.entropy * (surprise - self.entropy)
        to_square = {**losses, "information": influences}
        summands = [np.ones(len(truth)), surprise]
        for loss in LOSS_COLUMNS:
            summands += [losses[loss], to_square[loss] ** 2]
        summands.append(relative**2)
        # Products, because a power takes six times as long.
        summands += [losses[loss] ** 2 * losses[loss] for loss in CUBED_LOSSES]
        summands = [_apply_counts(part, counts) for part in summands]
        gaps, bins = _apply_counts(confidence - hit, counts), calibration_bin(confidence)
        return np.array(
            [
                [
                    *(float(part[fold_mask].sum()) for part in summands),
                    *np.bincount(bins[fold_mask], gaps[fold_mask], CALIBRATION_BINS),
                ]
                for _, fold_mask in scores.fold_masks(block)
            ]
        )


def _surprisal(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log2(probabilities))


def _apply_counts(values: FloatArray, counts: FloatArray | None) -> FloatArray:
    return values if counts is None else values * counts


def _sum_blocks(parts: Iterable[FloatArray]) -> FloatArray:
    """Return the sum over blocks, in their order."""
    first, *others = parts
    return sum(others, first)


def count_calibration_bins(cases: ScoredCases) -> CalibrationBins:
    """Count hits and sum confidences by bin, over all folds together."""
    frames = [pl.DataFrame(schema=CALIBRATION_SCHEMA)]
    for scores in cases.classifiers:
        if scores.probabilities is None:
            continue
        block_sums = _sum_blocks(
            map_blocks(lambda block, own=scores: _bin_sums(cases, own, block), len(cases.truth))  # type: ignore[misc]
        )
        bin_sums = pl.DataFrame(dict(zip(_BIN_COLUMNS, block_sums, strict=True)))
        class_ = cases.ranked_classes[0] if len(cases.ranked_classes) == 1 else None
        is_weighted = cases.counts is not None and (np.rint(block_sums) != block_sums)[[0, 2]].any()
        bins = bin_sums.with_columns(
            pl.lit(scores.classifier).alias("classifier"),
            pl.lit(class_, pl.String).alias("class"),
            bin=pl.int_range(CALIBRATION_BINS),
        )
        frames.append(
            bins.select(
                # Sums of sampling weights are fractions.
                pl.col(name).cast(pl.Float64 if is_weighted and name in _COUNTED else dtype)
                for name, dtype in CALIBRATION_SCHEMA.items()
            )
        )
    return CalibrationBins(pl.concat(frames, how="vertical_relaxed"))


def calibration_error_covariances(
    cases: ScoredCases, bins: CalibrationBins
) -> InfluenceCovariances:
    """Return the covariances of the classifiers' calibration errors, from the cases' influences.

    A case contributes its gap with the sign of the gap of its bin.
    """
    classifiers = [scores for scores in cases.classifiers if scores.probabilities is not None]
    names = [scores.classifier for scores in classifiers]
    gap = pl.col("confidence_sum") - pl.col("hits")
    signs = [
        bins.frame.filter(pl.col("classifier") == name).sort("bin").select(gap.sign()).to_series()
        for name in names
    ]

    def in_block(block: slice) -> tuple[FloatArray, FloatArray]:
        rows = []
        for scores, sign in zip(classifiers, signs, strict=True):
            confidence, hit = confidences(cases, scores, block)
            rows.append(sign.to_numpy()[calibration_bin(confidence)] * (confidence - hit))
        contributions = np.array(rows)
        weighted = _apply_counts(contributions, cases.counts_for(block))
        products = np.array([(weighted * row).sum(axis=1) for row in contributions])
        return weighted.sum(axis=1), products

    parts = map_blocks(in_block, len(cases.truth))
    size = float(cases.size)
    sums = _sum_blocks(part[0] for part in parts)
    products = _sum_blocks(part[1] for part in parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        covariances = (products - np.outer(sums, sums) / size) / size / (size - 1)
    return InfluenceCovariances.from_matrix("ece", names, covariances if size > 1 else None)


def _bin_sums(cases: ScoredCases, scores: ClassifierScores, block: slice) -> FloatArray:
    confidence, hit = confidences(cases, scores, block)
    counts, bins = cases.counts_for(block), calibration_bin(confidence)
    true = hit.astype(np.float64)
    pair_sums = (
        np.ones_like(confidence),
        confidence,
        true,
        confidence * true,
        confidence**2 * true,
        confidence**2 * (1 - true),
    )
    return np.array(
        [np.bincount(bins, _apply_counts(part, counts), CALIBRATION_BINS) for part in pair_sums]
    )


def calibration_bin(confidence: FloatArray) -> npt.NDArray[np.uint8]:
    """Return the bin of each probability: above k/15 up to (k+1)/15; 0 is in the first."""
    inner_edges = np.linspace(0.0, 1.0, CALIBRATION_BINS + 1)[1:-1]
    # Comparing with every edge is many times faster than searching among them.
    bins = np.zeros(confidence.shape, np.uint8)
    for edge in inner_edges:
        bins += confidence > edge
    return bins
