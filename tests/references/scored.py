"""Measures of scores and probabilities, by scikit-learn and SciPy."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.stats import entropy
from sklearn import metrics
from sklearn.calibration import calibration_curve

Numbers = NDArray[np.float64]
BINS = 15


@dataclass(frozen=True, slots=True)
class RankedCases:
    """The score of each case, and 1 where it belongs to the class."""

    truth: NDArray[np.int64]
    score: Numbers


@dataclass(frozen=True, slots=True)
class ProbableCases:
    """The probabilities of each case, the place of its class, and the classes' shares."""

    truth: NDArray[np.int64]
    probabilities: Numbers
    shares: Numbers

    @property
    def of_truth(self) -> list[float]:
        """The probability of each case's own class."""
        return [float(row[own]) for row, own in zip(self.probabilities, self.truth, strict=True)]


@dataclass(frozen=True, slots=True)
class RankingReference:
    """Where a measure's value comes from, and how."""

    measure: str
    source: str
    compute: Callable[[RankedCases], float]


@dataclass(frozen=True, slots=True)
class ProbabilityReference:
    """Where a measure's value comes from, and how."""

    measure: str
    source: str
    compute: Callable[[ProbableCases], float]


def interpolated_area(cases: RankedCases) -> float:
    """Integrate precision numerically; between thresholds both counts grow in proportion."""
    fpr, tpr, _ = metrics.roc_curve(cases.truth, cases.score, drop_intermediate=False)
    positives, negatives = int(cases.truth.sum()), int((1 - cases.truth).sum())
    points = [
        (round(hit * positives), round(alarm * negatives))
        for hit, alarm in zip(tpr, fpr, strict=True)
    ]
    area = math.fsum(_between(*ends) for ends in pairwise(points) if ends[1][0] > ends[0][0])
    return area / positives


def _between(start: tuple[int, int], end: tuple[int, int]) -> float:
    (tp, fp), (last_tp, last_fp) = start, end
    slope = (last_fp - fp) / (last_tp - tp)

    def precision(found: float) -> float:
        # From no predictions at all the share of hits is the same all the way.
        alarms = fp + slope * (found - tp)
        return found / (found + alarms) if found + alarms else 1 / (1 + slope)

    return float(quad(precision, tp, last_tp, epsabs=1e-14, epsrel=1e-14)[0])


def brier(cases: ProbableCases) -> float:
    """Return the Brier score: of the second class for two, summed over all for more."""
    if cases.probabilities.shape[1] == 2:
        return float(metrics.brier_score_loss(cases.truth, cases.probabilities[:, 1]))
    labels = list(range(cases.probabilities.shape[1]))
    return float(
        metrics.brier_score_loss(
            cases.truth, cases.probabilities, labels=labels, scale_by_half=False
        )
    )


def log_loss(cases: ProbableCases) -> float:
    """Return the log-loss, infinite where a true class has probability 0 (sklearn clips it)."""
    if min(cases.of_truth) <= np.finfo(np.float64).eps:
        return math.inf
    labels = list(range(cases.probabilities.shape[1]))
    return float(metrics.log_loss(cases.truth, cases.probabilities, labels=labels))


def calibration_error(cases: ProbableCases) -> float:
    """Return the gaps of the calibration curve, weighted by the size of their bins."""
    sure, hit = cases.probabilities.max(axis=1), cases.probabilities.argmax(axis=1) == cases.truth
    if cases.probabilities.shape[1] == 2:
        sure, hit = cases.probabilities[:, 1], cases.truth == 1
    true, predicted = calibration_curve(hit.astype(int), sure, n_bins=BINS, strategy="uniform")
    edges = np.linspace(0.0, 1.0, BINS + 1)
    sizes = np.bincount(np.searchsorted(edges[1:-1], sure), minlength=BINS)
    return float(np.average(np.abs(true - predicted), weights=sizes[sizes > 0]))


def information(cases: ProbableCases) -> float:
    """Return the mean information score in bits, case by case."""
    return math.fsum(
        math.log2(posterior) - math.log2(prior)
        if posterior >= prior
        else math.log2(1 - prior) - math.log2(1 - posterior)
        for posterior, prior in zip(cases.of_truth, cases.shares[cases.truth], strict=True)
    ) / len(cases.truth)


def relative_information(cases: ProbableCases) -> float:
    """Return the information score in percent of the entropy of the classes."""
    return 100 * information(cases) / float(entropy(cases.shares, base=2))


def hand_till(cases: ProbableCases) -> float:
    """Return the mean area over pairs of classes."""
    return float(
        metrics.roc_auc_score(cases.truth, cases.probabilities, multi_class="ovo", average="macro")
    )


RANKING = (
    RankingReference(
        "roc_auc",
        "sklearn.metrics.roc_auc_score",
        lambda cases: float(metrics.roc_auc_score(cases.truth, cases.score)),
    ),
    RankingReference(
        "average_precision",
        "sklearn.metrics.average_precision_score",
        lambda cases: float(metrics.average_precision_score(cases.truth, cases.score)),
    ),
    RankingReference(
        "pr_auc",
        "scipy.integrate.quad over sklearn.metrics.roc_curve (Davis and Goadrich 2006)",
        interpolated_area,
    ),
)
PROBABILITY = (
    ProbabilityReference("brier", "sklearn.metrics.brier_score_loss", brier),
    ProbabilityReference("log_loss", "sklearn.metrics.log_loss", log_loss),
    ProbabilityReference(
        "ece", "numpy average over sklearn.calibration.calibration_curve", calibration_error
    ),
    ProbabilityReference(
        "information_score", "case by case, Kononenko and Bratko 1991", information
    ),
)
OVER_ALL_CASES = (
    ProbabilityReference(
        "relative_information_score",
        "case by case, Kononenko and Bratko 1991, over scipy.stats.entropy",
        relative_information,
    ),
)
HAND_TILL = ProbabilityReference(
    "roc_auc", "sklearn.metrics.roc_auc_score(multi_class=ovo)", hand_till
)


def ranked(frame: pl.DataFrame, label: str | int, column: str) -> RankedCases:
    """Return the cases of a frame as one class against the rest."""
    truth = (frame["truth"] == label).cast(pl.Int64).to_numpy()
    return RankedCases(truth, frame[column].to_numpy())


def shares(places: NDArray[np.int64]) -> Numbers:
    """Return the share of each class."""
    sizes = Counter(places.tolist())
    return np.array([sizes[place] / len(places) for place in range(max(sizes) + 1)])
