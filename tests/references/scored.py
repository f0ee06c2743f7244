"""Measures of scores and probabilities, by scikit-learn and SciPy."""

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.integrate import quad
from scipy.interpolate import interp1d
from scipy.stats import entropy, ks_2samp
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

    def precision(threshold: float) -> float:
        # From no predictions at all the share of hits is the same all the way.
        alarms = fp + slope * (threshold - tp)
        return threshold / (threshold + alarms) if threshold + alarms else 1 / (1 + slope)

    return float(quad(precision, tp, last_tp, epsabs=1e-14, epsrel=1e-14)[0])


def kolmogorov_smirnov(cases: RankedCases) -> float:
    """Return the largest distance of the distributions of both classes' scores."""
    both = (cases.score[cases.truth == label] for label in (1, 0))
    return float(ks_2samp(*both).statistic)


def sensitivity_at_specificity(cases: RankedCases) -> float:
    """Return the highest sensitivity with a specificity of at least 0.95."""
    fpr, tpr, _ = metrics.roc_curve(cases.truth, cases.score, drop_intermediate=False)
    return float(tpr[fpr <= 0.05 + 1e-12].max())


def precision_at_100(cases: RankedCases) -> float:
    """Return the expected share of positives in the top 100, over all orders of equal scores."""
    ranked_scores = sorted(cases.score.tolist(), reverse=True)
    last = ranked_scores[99]
    above = cases.truth[cases.score > last]
    tied = cases.truth[cases.score == last]
    left = 100 - len(above)
    return float(Fraction(int(above.sum())) + Fraction(left * int(tied.sum()), len(tied))) / 100


def gain_of_tenth(cases: RankedCases) -> float:
    """Return the share of the positives in the top tenth, linear between distinct scores."""
    distinct = np.unique(cases.score)[::-1]
    sizes = [0, *(int((cases.score >= score).sum()) for score in distinct)]
    result = [0, *(int(cases.truth[cases.score >= score].sum()) for score in distinct)]
    gains = interp1d(sizes, result)(0.1 * len(cases.truth))
    return float(gains) / int(cases.truth.sum())


def lift_of_tenth(cases: RankedCases) -> float:
    """Return the share of the positives in the top tenth, over a tenth."""
    return gain_of_tenth(cases) / 0.1


def net_benefit_at_tenth(cases: RankedCases) -> float:
    """Return tp/n - fp/n * t/(1 - t) at t = 0.1."""
    (_, fp), (_, tp) = metrics.confusion_matrix(cases.truth, cases.score >= 0.1)
    return float(tp - fp * 0.1 / 0.9) / len(cases.truth)


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
OPERATING_POINTS = (
    RankingReference("ks", "scipy.stats.ks_2samp", kolmogorov_smirnov),
    RankingReference(
        "roc_auc@fpr<=0.1",
        "sklearn.metrics.roc_auc_score(max_fpr=0.1)",
        lambda cases: float(metrics.roc_auc_score(cases.truth, cases.score, max_fpr=0.1)),
    ),
    RankingReference(
        "sensitivity@specificity=0.95",
        "highest tpr of sklearn.metrics.roc_curve with fpr <= 0.05",
        sensitivity_at_specificity,
    ),
    RankingReference(
        "precision@k=100", "mean over orders of equal scores, exact fractions", precision_at_100
    ),
    RankingReference(
        "sensitivity@k=100",
        "mean over orders of equal scores, exact fractions",
        lambda cases: precision_at_100(cases) * 100 / int(cases.truth.sum()),
    ),
    RankingReference("lift@0.1", "scipy.interpolate of the cumulative gains", lift_of_tenth),
    RankingReference("gain@0.1", "scipy.interpolate of the cumulative gains", gain_of_tenth),
    RankingReference(
        "net_benefit@0.1",
        "sklearn.metrics.confusion_matrix of scores from 0.1 on (Vickers and Elkin 2006)",
        net_benefit_at_tenth,
    ),
    RankingReference(
        "sensitivity@threshold=0.3",
        "sklearn.metrics.recall_score of scores from 0.3 on",
        lambda cases: float(metrics.recall_score(cases.truth, cases.score >= 0.3)),
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
