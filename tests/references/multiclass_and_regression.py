"""Measures over all classes at once and of regression, by scikit-learn and SciPy."""

from collections.abc import Callable
from dataclasses import dataclass

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
REGRESSION = (
    from_sklearn("rmse", "root_mean_squared_error"),
    from_sklearn("mae", "mean_absolute_error"),
    from_sklearn("r2", "r2_score"),
    LibraryReference("pearson", "scipy.stats.pearsonr", pearson),
)
