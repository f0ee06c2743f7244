"""How good probabilities are: sums of squared errors, log-losses, information and calibration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.frozen import frozen
from reportgen.tallies.blocks import in_blocks
from reportgen.tallies.losses import (
    LOSSES,
    confidences,
    information,
    losses_in,
    own_probabilities,
    shares_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.tallies.scored import ClassifierScores, ScoredCases

BINS = 15
SUMS = (
    "cases",
    *(name for loss in LOSSES for name in (loss, f"{loss}_squared")),
    "relative_information_squared",
    "prior_entropy",
    "calibration_gap",
)
PROBABILITY_SCHEMA = pl.Schema(
    {"classifier": pl.String, "fold": pl.String, **dict.fromkeys(SUMS, pl.Float64)}
)
_IN_BINS = {
    "cases": pl.Int64,
    "confidence_sum": pl.Float64,
    "hits": pl.Int64,
    "hit_confidence": pl.Float64,
    "hit_squares": pl.Float64,
    "miss_squares": pl.Float64,
}
CALIBRATION_SCHEMA = pl.Schema(
    {"classifier": pl.String, "class": pl.String, "bin": pl.Int64, **_IN_BINS}
)


@frozen
class ProbabilityTally:
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


@frozen
class CalibrationTally:
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


def sum_probabilities(cases: ScoredCases) -> ProbabilityTally:
    """Sum up what the probabilities of every case are worth, over all folds and in each."""
    shares = shares_of(cases)
    rows: list[tuple[str | float | None, ...]] = []
    for each in cases.classifiers:
        if each.probabilities is None:
            continue
        parts = _Parts.of(cases, each, shares)
        summed = _added(
            in_blocks(lambda block, own=parts: own.sums_in(block), len(cases.truth))  # type: ignore[misc]
        )
        for fold, sums in zip((None, *each.folds), summed, strict=True):
            count, surprise, *others = sums[:-BINS].tolist()
            gap = float(np.abs(sums[-BINS:]).sum())
            # On all cases together this is the entropy of the classes.
            entropy = surprise / count + 0.0
            rows.append((each.classifier, fold, count, *others, entropy, gap))
    return ProbabilityTally(pl.DataFrame(rows, PROBABILITY_SCHEMA, orient="row"))


@frozen
class _Parts:
    """What a classifier's cases are worth, and what each does to the shares of the classes.

    `by_class` is what one more case of a class does to the mean bits, as it makes that class less
    surprising for all; `bits` are the mean bits, and `entropy` that of the classes.
    """

    cases: ScoredCases
    each: ClassifierScores
    shares: Numbers
    by_class: Numbers
    bits: np.float64
    entropy: np.float64

    @classmethod
    def of(cls, cases: ScoredCases, each: ClassifierScores, shares: Numbers) -> _Parts:
        """Go once over the cases for what each is measured by."""
        surprise = _surprise(shares)

        def in_block(block: slice) -> tuple[Numbers, float, float]:
            truth, counts = cases.truth[block], cases.counts_in(block)
            own, prior = own_probabilities(cases, each, block), shares[truth]
            # Threads do not know what was said outside of them about warnings.
            with np.errstate(divide="ignore", invalid="ignore"):
                falls = -1 / (np.log(2) * np.where(own >= prior, prior, 1 - prior))
            slope = _weighted(falls, counts)
            bits = information(shares, truth, own)
            return (
                np.bincount(truth, slope, len(shares)).astype(np.float64),
                float(_weighted(bits, counts).sum()),
                float(_weighted(surprise[truth], counts).sum()),
            )

        with np.errstate(divide="ignore", invalid="ignore"):
            found = in_blocks(in_block, len(cases.truth))
            count = max(cases.size, 1)
            by_class = _added(slopes for slopes, _, _ in found) / count
            bits, entropy = (np.float64(sum(part[at] for part in found)) / count for at in (1, 2))
        return cls(cases, each, shares, by_class, bits, entropy)

    def sums_in(self, block: slice) -> Numbers:
        """Sum up some cases, all and by fold: number, surprise, losses and squares, gaps in bins.

        What is squared has the mean of the bits; its spread is that of the scores to first order.
        """
        cases, each = self.cases, self.each
        truth, counts = cases.truth[block], cases.counts_in(block)
        losses = losses_in(cases, each, self.shares, block)
        surprise = _surprise(self.shares)[truth]
        sure, hit = confidences(cases, each, block)
        with np.errstate(divide="ignore", invalid="ignore"):
            level = (self.by_class * self.shares).sum()
            varying = losses["information"] + self.by_class[truth] - level
            relative = varying - self.bits / self.entropy * (surprise - self.entropy)
        to_square = {**losses, "information": varying}
        summed = [np.ones(len(truth)), surprise]
        for loss in LOSSES:
            summed += [losses[loss], to_square[loss] ** 2]
        summed.append(relative**2)
        summed = [_weighted(part, counts) for part in summed]
        gaps, bins = _weighted(sure - hit, counts), bin_of(sure)
        return np.array(
            [
                [
                    *(float(part[chosen].sum()) for part in summed),
                    *np.bincount(bins[chosen], gaps[chosen], BINS),
                ]
                for _, chosen in each.in_folds(block)
            ]
        )


def _surprise(shares: Numbers) -> Numbers:
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log2(shares))


def _weighted(values: Numbers, counts: Numbers | None) -> Numbers:
    return values if counts is None else values * counts


def _added(parts: Iterable[Numbers]) -> Numbers:
    """Add up what the blocks gave, in their order."""
    first, *others = parts
    return sum(others, first)


def count_calibration(cases: ScoredCases) -> CalibrationTally:
    """Count hits and sum up confidences in bins, over all folds together."""
    frames = [pl.DataFrame(schema=CALIBRATION_SCHEMA)]
    for each in cases.classifiers:
        if each.probabilities is None:
            continue
        binned = _added(
            in_blocks(lambda block, own=each: _binned(cases, own, block), len(cases.truth))  # type: ignore[misc]
        )
        counted = pl.DataFrame(dict(zip(_IN_BINS, binned, strict=True)))
        class_ = cases.ranked[0] if len(cases.ranked) == 1 else None
        named = counted.with_columns(
            pl.lit(each.classifier).alias("classifier"),
            pl.lit(class_, pl.String).alias("class"),
            bin=pl.int_range(BINS),
        )
        frames.append(
            named.select(pl.col(name).cast(dtype) for name, dtype in CALIBRATION_SCHEMA.items())
        )
    return CalibrationTally(pl.concat(frames))


def _binned(cases: ScoredCases, each: ClassifierScores, block: slice) -> Numbers:
    sure, hit = confidences(cases, each, block)
    counts, bins = cases.counts_in(block), bin_of(sure)
    true = hit.astype(np.float64)
    summed = (np.ones_like(sure), sure, true, sure * true, sure**2 * true, sure**2 * (1 - true))
    return np.array([np.bincount(bins, _weighted(part, counts), BINS) for part in summed])


def bin_of(sure: Numbers) -> npt.NDArray[np.uint8]:
    """Return the bin of each probability: above k/15 up to (k+1)/15; 0 is in the first."""
    inner_edges = np.linspace(0.0, 1.0, BINS + 1)[1:-1]
    # Comparing with every edge is many times faster than searching among them.
    bins = np.zeros(sure.shape, np.uint8)
    for edge in inner_edges:
        bins += sure > edge
    return bins
