"""How good probabilities are: sums of squared errors, log-losses, information and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from reportgen.aggregates.scored_cases import ClassCodes, ClassifierScores, ScoredCases
    from reportgen.statistics import FloatArray


# What the probabilities that a classifier gave are worth, case by case.

LOSS_COLUMNS = ("probability_errors", "log_losses", "information")


def class_proportions(cases: ScoredCases) -> FloatArray:
    """Return the share of cases that each class has."""
    return cases.class_sizes / max(cases.size, 1)


def compute_losses(
    cases: ScoredCases, scores: ClassifierScores, priors: FloatArray, block: slice
) -> dict[str, FloatArray]:
    """Return squared errors, log-losses and bits of information of some cases."""
    truth, own = cases.truth[block], true_class_probabilities(cases, scores, block)
    with np.errstate(divide="ignore"):
        log_losses = -np.log(own)
    return {
        "probability_errors": _brier_scores(cases, scores, block),
        # Not −0, which would be written with its sign.
        "log_losses": log_losses + 0.0,
        "information": information_score(priors, truth, own),
    }


def true_class_probabilities(
    cases: ScoredCases, scores: ClassifierScores, block: slice
) -> FloatArray:
    """Return the probability that some cases were given of being what they are."""
    given, truth = _block_probabilities(scores, block), cases.truth[block]
    if given.shape[1] > 1:
        return np.asarray(given[np.arange(len(truth)), truth])
    positive = given[:, 0]
    return np.where(_is_positive(cases, truth), positive, 1 - positive)


def information_score(
    priors: FloatArray, truth: ClassCodes, true_probability: FloatArray
) -> FloatArray:
    """Return the bits each answer gives, negative where it misleads (Kononenko and Bratko).

    They tell by how much less surprising the true class is than its share makes it.
    """
    useful = true_probability >= priors[truth]
    with np.errstate(divide="ignore", invalid="ignore"):
        prior, rest = np.log2(priors), np.log2(1 - priors)
        before = np.where(useful, prior[truth], rest[truth])
        after = np.log2(np.where(useful, true_probability, 1 - true_probability))
        return np.where(useful, after - before, before - after)


def confidences(
    cases: ScoredCases, scores: ClassifierScores, block: slice
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Return how sure the classifier was of some cases, and where that came true."""
    given, truth = _block_probabilities(scores, block), cases.truth[block]
    if len(cases.ranked_classes) == 1:
        return _positive_probabilities(cases, given), _is_positive(cases, truth)
    top = given.argmax(axis=1)
    return given[np.arange(len(top)), top], np.asarray(top == truth)


def _brier_scores(cases: ScoredCases, scores: ClassifierScores, block: slice) -> FloatArray:
    """Return the squared errors of some cases: of the positive class, or summed over all."""
    given, truth = _block_probabilities(scores, block), cases.truth[block]
    if len(cases.ranked_classes) == 1:
        return np.asarray((_positive_probabilities(cases, given) - _is_positive(cases, truth)) ** 2)
    is_true = np.eye(len(cases.classes))[truth]
    return np.asarray(((given - is_true) ** 2).sum(axis=1))


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
CALIBRATION_SCHEMA = pl.Schema(
    {"classifier": pl.String, "class": pl.String, "bin": pl.Int64, **_BIN_COLUMNS}
)


@dataclass(frozen=True, slots=True)
class ProbabilityLossSums:
    """Sums of one number per case, and of its square, by classifier and fold.

    What is squared of information is each case's part in it: its own bits, and what it does to the
    shares of the classes by which all bits are measured. `relative_information_squared` has its
    part in the score relative to the entropy, times the entropy.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != PROBABILITY_SCHEMA:
            message = f"a probability tally needs {PROBABILITY_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


@dataclass(frozen=True, slots=True)
class CalibrationBins:
    """How sure classifiers were and how often that came true, in 15 bins of equal width.

    Of two classes, `confidence` is the probability of the positive class and a hit is a case of
    it; of more, class is null, confidence is the highest probability and a hit a right answer.
    `hit_confidence` and the squares are sums over the hits and misses of a bin, for resampling.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != CALIBRATION_SCHEMA:
            message = f"a calibration tally needs {CALIBRATION_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def sum_probability_losses(cases: ScoredCases) -> ProbabilityLossSums:
    """Sum up what the probabilities of every case are worth, over all folds and in each."""
    shares = class_proportions(cases)
    rows: list[tuple[str | float | None, ...]] = []
    for each in cases.classifiers:
        if each.probabilities is None:
            continue
        parts = _CaseContributions.from_scores(cases, each, shares)
        summed = _sum_blocks(
            map_blocks(lambda block, own=parts: own.block_sums(block), len(cases.truth))  # type: ignore[misc]
        )
        for fold, sums in zip((None, *each.folds), summed, strict=True):
            count, surprise, *others = sums[:-CALIBRATION_BINS].tolist()
            gap = float(np.abs(sums[-CALIBRATION_BINS:]).sum())
            # On all cases together this is the entropy of the classes.
            entropy = surprise / count + 0.0
            rows.append((each.classifier, fold, count, *others, entropy, gap))
    return ProbabilityLossSums(pl.DataFrame(rows, PROBABILITY_SCHEMA, orient="row"))


@dataclass(frozen=True, slots=True)
class _CaseContributions:
    """What a classifier's cases are worth, and what each does to the shares of the classes.

    `by_class` is what one more case of a class does to the mean bits, as it makes that class less
    surprising for all; `bits` are the mean bits, and `entropy` that of the classes.
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
        """Go once over the cases for what each is measured by."""
        surprise = _surprisal(priors)

        def in_block(block: slice) -> tuple[FloatArray, float, float]:
            truth, counts = cases.truth[block], cases.counts_for(block)
            own, prior = true_class_probabilities(cases, scores, block), priors[truth]
            # Threads do not know what was said outside of them about warnings.
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
            found = map_blocks(in_block, len(cases.truth))
            count = max(cases.size, 1)
            by_class = _sum_blocks(slopes for slopes, _, _ in found) / count
            bits, entropy = (np.float64(sum(part[at] for part in found)) / count for at in (1, 2))
        return cls(cases, scores, priors, by_class, bits, entropy)

    def block_sums(self, block: slice) -> FloatArray:
        """Sum up some cases, all and by fold: number, surprise, losses and squares, gaps in bins.

        What is squared has the mean of the bits; its spread is that of the scores to first order.
        """
        cases, each = self.cases, self.scores
        truth, counts = cases.truth[block], cases.counts_for(block)
        losses = compute_losses(cases, each, self.priors, block)
        surprise = _surprisal(self.priors)[truth]
        sure, hit = confidences(cases, each, block)
        with np.errstate(divide="ignore", invalid="ignore"):
            level = (self.class_influence * self.priors).sum()
            varying = losses["information"] + self.class_influence[truth] - level
            relative = varying - self.mean_information / self.entropy * (surprise - self.entropy)
        to_square = {**losses, "information": varying}
        summed = [np.ones(len(truth)), surprise]
        for loss in LOSS_COLUMNS:
            summed += [losses[loss], to_square[loss] ** 2]
        summed.append(relative**2)
        summed = [_apply_counts(part, counts) for part in summed]
        gaps, bins = _apply_counts(sure - hit, counts), calibration_bin(sure)
        return np.array(
            [
                [
                    *(float(part[chosen].sum()) for part in summed),
                    *np.bincount(bins[chosen], gaps[chosen], CALIBRATION_BINS),
                ]
                for _, chosen in each.fold_masks(block)
            ]
        )


def _surprisal(probabilities: FloatArray) -> FloatArray:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log2(probabilities))


def _apply_counts(values: FloatArray, counts: FloatArray | None) -> FloatArray:
    return values if counts is None else values * counts


def _sum_blocks(parts: Iterable[FloatArray]) -> FloatArray:
    """Add up what the blocks gave, in their order."""
    first, *others = parts
    return sum(others, first)


def count_calibration_bins(cases: ScoredCases) -> CalibrationBins:
    """Count hits and sum up confidences in bins, over all folds together."""
    frames = [pl.DataFrame(schema=CALIBRATION_SCHEMA)]
    for each in cases.classifiers:
        if each.probabilities is None:
            continue
        binned = _sum_blocks(
            map_blocks(lambda block, own=each: _bin_sums(cases, own, block), len(cases.truth))  # type: ignore[misc]
        )
        counted = pl.DataFrame(dict(zip(_BIN_COLUMNS, binned, strict=True)))
        class_ = cases.ranked_classes[0] if len(cases.ranked_classes) == 1 else None
        named = counted.with_columns(
            pl.lit(each.classifier).alias("classifier"),
            pl.lit(class_, pl.String).alias("class"),
            bin=pl.int_range(CALIBRATION_BINS),
        )
        frames.append(
            named.select(pl.col(name).cast(dtype) for name, dtype in CALIBRATION_SCHEMA.items())
        )
    return CalibrationBins(pl.concat(frames))


def _bin_sums(cases: ScoredCases, scores: ClassifierScores, block: slice) -> FloatArray:
    sure, hit = confidences(cases, scores, block)
    counts, bins = cases.counts_for(block), calibration_bin(sure)
    true = hit.astype(np.float64)
    summed = (np.ones_like(sure), sure, true, sure * true, sure**2 * true, sure**2 * (1 - true))
    return np.array(
        [np.bincount(bins, _apply_counts(part, counts), CALIBRATION_BINS) for part in summed]
    )


def calibration_bin(confidence: FloatArray) -> npt.NDArray[np.uint8]:
    """Return the bin of each probability: above k/15 up to (k+1)/15; 0 is in the first."""
    inner_edges = np.linspace(0.0, 1.0, CALIBRATION_BINS + 1)[1:-1]
    # Comparing with every edge is many times faster than searching among them.
    bins = np.zeros(confidence.shape, np.uint8)
    for edge in inner_edges:
        bins += confidence > edge
    return bins
