"""How good probabilities are: sums of squared errors, log-losses, information and calibration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.tallies.scored import ScoredCases

BINS = 15
LOSSES = ("probability_errors", "log_losses", "information")
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
CALIBRATION_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "class": pl.String,
        "bin": pl.Int64,
        "cases": pl.Int64,
        "confidence_sum": pl.Float64,
        "hits": pl.Int64,
        "hit_confidence": pl.Float64,
        "hit_squares": pl.Float64,
        "miss_squares": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
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
    surprise = -np.log2((cases.sizes / max(len(cases.truth), 1))[cases.truth])
    rows: list[tuple[str | float | None, ...]] = []
    by_name = {each.classifier: each for each in cases.classifiers}
    for name, probabilities, losses in every_loss(cases):
        sure, hit = confidences(cases, probabilities)
        varying, relative = _with_shares(cases, probabilities, losses["information"])
        to_square = {**losses, "information": varying}
        for fold, chosen in by_name[name].in_folds():
            sums = [
                float(part.sum())
                for loss in LOSSES
                for part in (losses[loss][chosen], to_square[loss][chosen] ** 2)
            ]
            sums.append(float((relative[chosen] ** 2).sum()))
            gap = float(np.abs(_in_bins(sure[chosen], sure[chosen] - hit[chosen])).sum())
            # On all cases together this is the entropy of the classes.
            entropy = float(surprise[chosen].mean()) + 0.0
            rows.append((name, fold, float(len(sure[chosen])), *sums, entropy, gap))
    return ProbabilityTally(pl.DataFrame(rows, PROBABILITY_SCHEMA, orient="row"))


def every_loss(cases: ScoredCases) -> Iterator[tuple[str, Numbers, dict[str, Numbers]]]:
    """Yield each classifier with probabilities, these, and each case's losses and information."""
    count = len(cases.truth)
    priors = (cases.sizes / max(count, 1))[cases.truth]
    for each in cases.classifiers:
        if each.probabilities is None:
            continue
        own = each.probabilities[np.arange(count), cases.truth]
        with np.errstate(divide="ignore"):
            log_losses = -np.log(own)
        losses = {
            "probability_errors": _squared_errors(cases, each.probabilities),
            # Not −0, which would be written with its sign.
            "log_losses": log_losses + 0.0,
            "information": information(priors, own),
        }
        yield each.classifier, each.probabilities, losses


def information(prior: Numbers, posterior: Numbers) -> Numbers:
    """Return the bits each answer gives, negative where it misleads (Kononenko and Bratko)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        useful = np.log2(posterior) - np.log2(prior)
        misleading = np.log2(1 - prior) - np.log2(1 - posterior)
    return np.where(posterior >= prior, useful, misleading)


def _with_shares(
    cases: ScoredCases, probabilities: Numbers, bits: Numbers
) -> tuple[Numbers, Numbers]:
    """Return the part of each case in the mean bits and in those relative to the entropy.

    Both have the mean of the bits; their spread is that of the scores to first order, as one more
    case of a class makes that class less surprising for all.
    """
    shares = cases.sizes / max(len(bits), 1)
    own, prior = probabilities[np.arange(len(bits)), cases.truth], shares[cases.truth]
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = -1 / (np.log(2) * np.where(own >= prior, prior, 1 - prior))
        by_class = np.bincount(cases.truth, slope, len(shares)) / max(len(bits), 1)
        surprise = -np.log2(prior)
        varying = bits + by_class[cases.truth] - (by_class * shares).sum()
        entropy = surprise.mean()
        relative = varying - bits.mean() / entropy * (surprise - entropy)
    return varying, relative


def count_calibration(cases: ScoredCases) -> CalibrationTally:
    """Count hits and sum up confidences in bins, over all folds together."""
    frames = [pl.DataFrame(schema=CALIBRATION_SCHEMA)]
    for each in cases.classifiers:
        if each.probabilities is None:
            continue
        sure, hit = confidences(cases, each.probabilities)
        counted = pl.DataFrame(
            {
                "bin": np.arange(BINS),
                "cases": _in_bins(sure, np.ones_like(sure)),
                "confidence_sum": _in_bins(sure, sure),
                "hits": _in_bins(sure, hit),
                "hit_confidence": _in_bins(sure, sure * hit),
                "hit_squares": _in_bins(sure, sure**2 * hit),
                "miss_squares": _in_bins(sure, sure**2 * (1 - hit)),
            }
        )
        class_ = cases.ranked[0] if len(cases.ranked) == 1 else None
        named = counted.with_columns(
            pl.lit(each.classifier).alias("classifier"), pl.lit(class_, pl.String).alias("class")
        )
        frames.append(
            named.select(pl.col(name).cast(dtype) for name, dtype in CALIBRATION_SCHEMA.items())
        )
    return CalibrationTally(pl.concat(frames))


def confidences(cases: ScoredCases, probabilities: Numbers) -> tuple[Numbers, Numbers]:
    """Return how sure the classifier was of each case, and 1 where that came true."""
    if len(cases.ranked) == 1:
        positive = cases.classes.index(cases.ranked[0])
        return probabilities[:, positive], (cases.truth == positive).astype(np.float64)
    top = probabilities.argmax(axis=1)
    sure = probabilities[np.arange(len(top)), top]
    return sure, (top == cases.truth).astype(np.float64)


def _squared_errors(cases: ScoredCases, probabilities: Numbers) -> Numbers:
    """Return the squared error of each case: of the positive class, or summed over all."""
    is_true = np.eye(len(cases.classes))[cases.truth]
    squares = (probabilities - is_true) ** 2
    if len(cases.ranked) == 1:
        return np.asarray(squares[:, cases.classes.index(cases.ranked[0])])
    return np.asarray(squares.sum(axis=1))


def _in_bins(sure: Numbers, summed: Numbers) -> Numbers:
    """Sum up a number per case in bins of how sure the classifier was."""
    found = np.bincount(bin_of(sure), weights=summed, minlength=BINS)
    return np.asarray(found, dtype=np.float64)


def bin_of(sure: Numbers) -> npt.NDArray[np.int64]:
    """Return the bin of each probability: above k/15 up to (k+1)/15; 0 is in the first."""
    inner_edges = np.linspace(0.0, 1.0, BINS + 1)[1:-1]
    return np.searchsorted(inner_edges, sure).astype(np.int64)
