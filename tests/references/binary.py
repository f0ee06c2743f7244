"""Measures of one class against the rest, by scikit-learn, SciPy and statsmodels."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import chi2_contingency, gmean
from scipy.stats.contingency import expected_freq
from sklearn import metrics
from statsmodels.stats.contingency_tables import Table2x2

Labels = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BinaryLabels:
    """Truth and prediction of each case: 1 is the class, 0 the rest."""

    truth: Labels
    prediction: Labels

    def __post_init__(self) -> None:
        """Raise ValueError for labels where scikit-learn returns 0 instead of undefined."""
        if not (self.counts.sum(axis=0).all() and self.counts.sum(axis=1).all()):
            message = "both classes must occur in the truth and in the predictions"
            raise ValueError(message)

    @classmethod
    def of_counts(cls, tp: int, fn: int, fp: int, tn: int) -> Self:
        """Return as many cases as the table counts."""
        counts = (tp, fn, fp, tn)
        return cls(np.repeat([1, 1, 0, 0], counts), np.repeat([1, 0, 1, 0], counts))

    @classmethod
    def of_class(cls, frame: pl.DataFrame, label: str | int) -> Self:
        """Return the cases of a frame as one class against the rest."""
        truth, prediction = (
            (frame[name] == label).cast(pl.Int64).to_numpy() for name in ("truth", "prediction")
        )
        return cls(truth, prediction)

    @property
    def counts(self) -> Labels:
        """Return [[tp, fn], [fp, tn]]."""
        return np.asarray(metrics.confusion_matrix(self.truth, self.prediction, labels=[1, 0]))


@dataclass(frozen=True, slots=True)
class BinaryReference:
    """Where a measure's value comes from, and how."""

    measure: str
    source: str
    compute: Callable[[BinaryLabels], float]


def with_options(name: str, **options: float) -> Callable[[BinaryLabels], float]:
    """Return a function of sklearn.metrics with its options set."""
    score = getattr(metrics, name)
    return lambda labels: float(score(labels.truth, labels.prediction, **options))


def row_share(labels: BinaryLabels, truth: int, prediction: int) -> float:
    """Return the share of the cases of one truth that got the prediction."""
    shares = metrics.confusion_matrix(labels.truth, labels.prediction, normalize="true")
    return float(shares[truth, prediction])


def likelihood_ratios(labels: BinaryLabels) -> tuple[float, float]:
    """Return the positive and the negative likelihood ratio."""
    positive, negative = metrics.class_likelihood_ratios(labels.truth, labels.prediction)
    return float(positive), float(negative)


def markedness(labels: BinaryLabels) -> float:
    """Return the adjusted balanced accuracy with truth and prediction exchanged."""
    return float(metrics.balanced_accuracy_score(labels.prediction, labels.truth, adjusted=True))


def prevalence(labels: BinaryLabels) -> float:
    """Return the precision of calling everything positive."""
    return float(metrics.precision_score(labels.truth, np.ones_like(labels.truth)))


def g_mean(labels: BinaryLabels) -> float:
    """Return the geometric mean of the recalls of both classes."""
    return float(gmean(metrics.recall_score(labels.truth, labels.prediction, average=None)))


def lift(labels: BinaryLabels) -> float:
    """Return the true positives over those expected if prediction and truth were independent."""
    return float(labels.counts[0, 0] / expected_freq(labels.counts)[0, 0])


def column_share(labels: BinaryLabels, truth: int, prediction: int) -> float:
    """Return the share of the cases with one prediction that have the truth."""
    shares = metrics.confusion_matrix(labels.truth, labels.prediction, normalize="pred")
    return float(shares[truth, prediction])


def whole_share(labels: BinaryLabels, truths: tuple[int, ...]) -> float:
    """Return the share of all cases that are predicted positive and have one of the truths."""
    shares = metrics.confusion_matrix(labels.truth, labels.prediction, normalize="all")
    return float(sum(shares[truth, 1] for truth in truths))


def fowlkes_mallows(labels: BinaryLabels) -> float:
    """Return the geometric mean of precision and recall."""
    both = (
        metrics.precision_score(labels.truth, labels.prediction),
        metrics.recall_score(labels.truth, labels.prediction),
    )
    return float(gmean(both))


def expected_cost(labels: BinaryLabels) -> float:
    """Return the mean cost where a false positive costs 1 and a false negative 8."""
    cost = np.where(labels.truth == 1, 8.0, 1.0)
    total = metrics.zero_one_loss(
        labels.truth, labels.prediction, normalize=False, sample_weight=cost
    )
    return float(total) / len(cost)


def kappa_best(labels: BinaryLabels) -> float:
    """Return (A - m) / (1 - m), m the share of the larger class, in exact fractions."""
    (tp, fn), (fp, tn) = labels.counts.tolist()
    cases = tp + fn + fp + tn
    accuracy, majority = Fraction(tp + tn, cases), Fraction(max(tp + fn, fp + tn), cases)
    return float((accuracy - majority) / (1 - majority))


def odds_ratio(labels: BinaryLabels) -> float:
    """Return the odds ratio of the table."""
    return float(Table2x2(labels.counts, shift_zeros=False).oddsratio)


def discriminant_power(labels: BinaryLabels) -> float:
    """Return the log odds ratio times the square root of 3 over pi."""
    return math.sqrt(3) / math.pi * float(Table2x2(labels.counts, shift_zeros=False).log_oddsratio)


def chi_square(labels: BinaryLabels) -> tuple[float, float]:
    """Return Yates-corrected chi-square and its p-value."""
    result = chi2_contingency(labels.counts, correction=True)
    return float(result.statistic), float(result.pvalue)


def from_sklearn(measure: str, name: str, **options: float) -> BinaryReference:
    """Return the reference of a measure that sklearn.metrics has."""
    text = ", ".join(f"{key}={value}" for key, value in options.items())
    source = f"sklearn.metrics.{name}" + (f"({text})" if text else "")
    return BinaryReference(measure, source, with_options(name, **options))


BINARY = (
    from_sklearn("accuracy", "accuracy_score"),
    from_sklearn("error_rate", "zero_one_loss"),
    from_sklearn("sensitivity", "recall_score"),
    from_sklearn("specificity", "recall_score", pos_label=0),
    from_sklearn("precision", "precision_score"),
    from_sklearn("npv", "precision_score", pos_label=0),
    from_sklearn("f1", "f1_score"),
    from_sklearn("f0.5", "fbeta_score", beta=0.5),
    from_sklearn("f2", "fbeta_score", beta=2.0),
    from_sklearn("balanced_accuracy", "balanced_accuracy_score"),
    from_sklearn("youden", "balanced_accuracy_score", adjusted=True),
    BinaryReference(
        "lr_positive",
        "sklearn.metrics.class_likelihood_ratios",
        lambda labels: likelihood_ratios(labels)[0],
    ),
    BinaryReference(
        "lr_negative",
        "sklearn.metrics.class_likelihood_ratios",
        lambda labels: likelihood_ratios(labels)[1],
    ),
    BinaryReference(
        "discriminant_power",
        "sqrt(3)/pi * statsmodels Table2x2.log_oddsratio (Sokolova and others 2006, equation 20)",
        discriminant_power,
    ),
    BinaryReference("diagnostic_odds_ratio", "statsmodels Table2x2.oddsratio", odds_ratio),
    BinaryReference(
        "type_1_rate",
        "sklearn.metrics.confusion_matrix(normalize=true)",
        lambda labels: row_share(labels, truth=0, prediction=1),
    ),
    BinaryReference(
        "type_2_rate",
        "sklearn.metrics.confusion_matrix(normalize=true)",
        lambda labels: row_share(labels, truth=1, prediction=0),
    ),
    from_sklearn("kappa", "cohen_kappa_score"),
    BinaryReference(
        "kappa_best", "exact fractions, El Emam and others 2000, equation 16", kappa_best
    ),
    from_sklearn("mcc", "matthews_corrcoef"),
    from_sklearn("jaccard", "jaccard_score"),
    BinaryReference("g_mean", "scipy.stats.gmean of sklearn.metrics.recall_score", g_mean),
    BinaryReference(
        "markedness",
        "sklearn.metrics.balanced_accuracy_score(adjusted=True), truth and prediction exchanged",
        markedness,
    ),
    BinaryReference("lift", "count over scipy.stats.contingency.expected_freq", lift),
    BinaryReference(
        "chi_square",
        "scipy.stats.chi2_contingency(correction=True)",
        lambda labels: chi_square(labels)[0],
    ),
    BinaryReference(
        "chi_square_p",
        "scipy.stats.chi2_contingency(correction=True)",
        lambda labels: chi_square(labels)[1],
    ),
    BinaryReference(
        "false_discovery_rate",
        "sklearn.metrics.confusion_matrix(normalize=pred)",
        lambda labels: column_share(labels, truth=0, prediction=1),
    ),
    BinaryReference(
        "false_omission_rate",
        "sklearn.metrics.confusion_matrix(normalize=pred)",
        lambda labels: column_share(labels, truth=1, prediction=0),
    ),
    BinaryReference(
        "detection_rate",
        "sklearn.metrics.confusion_matrix(normalize=all)",
        lambda labels: whole_share(labels, truths=(1,)),
    ),
    BinaryReference(
        "detection_prevalence",
        "sklearn.metrics.confusion_matrix(normalize=all)",
        lambda labels: whole_share(labels, truths=(0, 1)),
    ),
    BinaryReference(
        "fowlkes_mallows",
        "scipy.stats.gmean of sklearn.metrics precision_score and recall_score",
        fowlkes_mallows,
    ),
    BinaryReference(
        "pearson_chi_square",
        "scipy.stats.chi2_contingency(correction=False)",
        lambda labels: float(chi2_contingency(labels.counts, correction=False).statistic),
    ),
    BinaryReference(
        "pearson_chi_square_p",
        "scipy.stats.chi2_contingency(correction=False)",
        lambda labels: float(chi2_contingency(labels.counts, correction=False).pvalue),
    ),
    BinaryReference(
        "expected_cost@fp=1,fn=8",
        "sklearn.metrics.zero_one_loss(normalize=False, sample_weight=...) by case",
        expected_cost,
    ),
    BinaryReference(
        "prevalence", "sklearn.metrics.precision_score of calling all positive", prevalence
    ),
)
