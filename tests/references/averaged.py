"""Averages over the classes, by scikit-learn."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn import metrics

Average = Literal["macro", "micro", "weighted"]
AVERAGES: tuple[Average, ...] = ("macro", "micro", "weighted")


@dataclass(frozen=True, slots=True)
class AveragedReference:
    """Where an averaged measure's value comes from, and how."""

    measure: str
    source: str
    compute: Callable[[pl.DataFrame, Average], float]


def from_sklearn(measure: str, name: str, **options: float) -> AveragedReference:
    """Return the reference of a measure that sklearn.metrics averages itself."""
    score = getattr(metrics, name)
    text = "".join(f", {key}={value}" for key, value in options.items())

    def compute(frame: pl.DataFrame, average: Average) -> float:
        truth, prediction = frame["truth"].to_numpy(), frame["prediction"].to_numpy()
        return float(score(truth, prediction, average=average, **options))

    return AveragedReference(measure, f"sklearn.metrics.{name}(average=...{text})", compute)


def class_counts(frame: pl.DataFrame) -> NDArray[np.int64]:
    """Return [[tn, fp], [fn, tp]] of each class against the rest."""
    truth, prediction = frame["truth"].to_numpy(), frame["prediction"].to_numpy()
    return np.asarray(metrics.multilabel_confusion_matrix(truth, prediction))


def averaged_share(
    part: NDArray[np.int64], total: NDArray[np.int64], support: NDArray[np.int64], average: Average
) -> float:
    """Average part/whole over the classes."""
    if average == "micro":
        return float(part.sum() / total.sum())
    return float(np.average(part / total, weights=support if average == "weighted" else None))


def specificity(frame: pl.DataFrame, average: Average) -> float:
    """Average tn / (tn + fp)."""
    counts = class_counts(frame)
    support = counts[:, 1, :].sum(axis=1)
    return averaged_share(counts[:, 0, 0], counts[:, 0, :].sum(axis=1), support, average)


def npv(frame: pl.DataFrame, average: Average) -> float:
    """Average tn / (tn + fn)."""
    counts = class_counts(frame)
    support = counts[:, 1, :].sum(axis=1)
    return averaged_share(counts[:, 0, 0], counts[:, :, 0].sum(axis=1), support, average)


AVERAGED = (
    from_sklearn("precision", "precision_score"),
    from_sklearn("sensitivity", "recall_score"),
    from_sklearn("f1", "f1_score"),
    from_sklearn("f0.5", "fbeta_score", beta=0.5),
    from_sklearn("f2", "fbeta_score", beta=2.0),
    from_sklearn("jaccard", "jaccard_score"),
    AveragedReference(
        "specificity", "numpy average over sklearn.metrics.multilabel_confusion_matrix", specificity
    ),
    AveragedReference("npv", "numpy average over sklearn.metrics.multilabel_confusion_matrix", npv),
)
