"""Measures over all classes at once and of regression, by scikit-learn and SciPy."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.stats import pearsonr
from sklearn import metrics


@dataclass(frozen=True, slots=True)
class LibraryReference:
    """Where a measure's value comes from, and how."""

    measure: str
    source: str
    compute: Callable[[pl.DataFrame], float]


def from_sklearn(measure: str, name: str) -> LibraryReference:
    """Return the reference of a measure that sklearn.metrics has."""
    score = getattr(metrics, name)

    def compute(frame: pl.DataFrame) -> float:
        return float(score(frame["truth"].to_numpy(), frame["prediction"].to_numpy()))

    return LibraryReference(measure, f"sklearn.metrics.{name}", compute)


def pearson(frame: pl.DataFrame) -> float:
    """Return the correlation of truth and prediction."""
    return float(pearsonr(frame["truth"].to_numpy(), frame["prediction"].to_numpy()).statistic)


MULTICLASS = (
    from_sklearn("accuracy", "accuracy_score"),
    from_sklearn("error_rate", "zero_one_loss"),
    from_sklearn("balanced_accuracy", "balanced_accuracy_score"),
    from_sklearn("kappa", "cohen_kappa_score"),
    from_sklearn("mcc", "matthews_corrcoef"),
)
GRADES = ("low", "moderate", "high", "very high")


def weighted_kappa(measure: str, weights: str) -> LibraryReference:
    """Return the reference of a weighted kappa of codes 0, 1, …."""

    def compute(frame: pl.DataFrame) -> float:
        codes = (frame[name].to_numpy() for name in ("truth_code", "prediction_code"))
        return float(metrics.cohen_kappa_score(*codes, weights=weights))

    return LibraryReference(measure, f"sklearn.metrics.cohen_kappa_score({weights})", compute)


def rank_mae(frame: pl.DataFrame) -> float:
    """Return the mean absolute error of the codes of the grades."""
    codes = (frame[name].to_numpy() for name in ("truth_code", "prediction_code"))
    return float(metrics.mean_absolute_error(*codes))


def within_one(frame: pl.DataFrame) -> float:
    """Return the accuracy of the claim that a grade is at most one off."""
    near = (frame["truth_code"] - frame["prediction_code"]).abs() <= 1
    return float(metrics.accuracy_score(np.ones(len(near)), near.to_numpy()))


def ranked_probability_score(frame: pl.DataFrame) -> float:
    """Return the mean over the boundaries of the Brier scores of lying below them."""
    below = [
        metrics.brier_score_loss(
            (frame["truth_code"] <= at).to_numpy(),
            frame.select(pl.sum_horizontal(f"p_{grade}" for grade in GRADES[: at + 1]))
            .to_series()
            .clip(0, 1)
            .to_numpy(),
        )
        for at in range(len(GRADES) - 1)
    ]
    return float(np.mean(below))


ORDINAL = (
    weighted_kappa("quadratic_kappa", "quadratic"),
    weighted_kappa("linear_kappa", "linear"),
    LibraryReference("rank_mae", "sklearn.metrics.mean_absolute_error", rank_mae),
    LibraryReference("within_one", "sklearn.metrics.accuracy_score", within_one),
)
ORDINAL_PROBABILITY = LibraryReference(
    "ranked_probability_score", "sklearn.metrics.brier_score_loss", ranked_probability_score
)
TOPICS = ("politics", "economy", "science", "sports", "culture")


def indicator_matrix(sets: pl.Series) -> np.ndarray:
    """Return which case has which label."""
    return np.array([[topic in text.split("|") for topic in TOPICS] for text in sets])


@dataclass(frozen=True, slots=True)
class MultilabelReference:
    """Where the value of a multilabel measure, or of an average over the labels, comes from."""

    measure: str
    average: str | None
    name: str
    options: dict[str, str | float]

    @property
    def source(self) -> str:
        """The function of scikit-learn."""
        return f"sklearn.metrics.{self.name}"

    def compute(self, truth: np.ndarray, predicted: np.ndarray) -> float:
        """Return the value."""
        return float(getattr(metrics, self.name)(truth, predicted, **self.options))


BY_CASE: dict[str, str | float] = {"average": "samples", "zero_division": 1.0}
MULTILABEL = (
    MultilabelReference("exact_match", None, "accuracy_score", {}),
    MultilabelReference("hamming_loss", None, "hamming_loss", {}),
    *(
        MultilabelReference(f"sample_{kind}", None, f"{kind}_score", BY_CASE)
        for kind in ("jaccard", "f1")
    ),
    *(
        MultilabelReference(measure, average, name, {"average": average})
        for measure, name in (("sensitivity", "recall_score"), ("f1", "f1_score"))
        for average in ("macro", "micro", "weighted")
    ),
)
REGRESSION = (
    from_sklearn("rmse", "root_mean_squared_error"),
    from_sklearn("mae", "mean_absolute_error"),
    from_sklearn("r2", "r2_score"),
    LibraryReference("pearson", "scipy.stats.pearsonr", pearson),
)
