"""scikit-learn on labels as strings, the way data frames give them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from sklearn import metrics

from benchmarks.speed.peers.reading import join_predictions, scanned

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy.typing as npt

    Labels = npt.NDArray[np.generic]
    Encode = Callable[[pl.DataFrame, Sequence[str]], list[Labels]]

PAIR = ["truth", "prediction"]


def as_strings(cases: pl.DataFrame, columns: Sequence[str]) -> list[Labels]:
    """Return columns of labels as arrays of strings."""
    return [cases[column].to_numpy() for column in columns]


def counts(folder: Path, encode: Encode = as_strings) -> dict[str, float]:
    """Give the confusion matrix, the report of both classes, and other measures of counts."""
    true, predicted = encode(scanned(folder).collect(), PAIR)
    negative, positive = np.unique(true)
    metrics.confusion_matrix(true, predicted)
    report = metrics.classification_report(true, predicted, output_dict=True)
    ratios = metrics.class_likelihood_ratios(true, predicted, labels=[negative, positive])
    of_positive = report[str(positive)]
    return {
        "A accuracy": report["accuracy"],
        "A precision": of_positive["precision"],
        "A sensitivity": of_positive["recall"],
        "A f1": of_positive["f1-score"],
        "A specificity": report[str(negative)]["recall"],
        "A macro f1": report["macro avg"]["f1-score"],
        "A weighted f1": report["weighted avg"]["f1-score"],
        "A balanced_accuracy": metrics.balanced_accuracy_score(true, predicted),
        "A mcc": metrics.matthews_corrcoef(true, predicted),
        "A kappa": metrics.cohen_kappa_score(true, predicted),
        "A lr_positive": ratios[0],
        "A lr_negative": ratios[1],
    }


def classes(folder: Path, encode: Encode = as_strings) -> dict[str, float]:
    """Give the confusion matrix and the report of all classes."""
    true, predicted = encode(scanned(folder).collect(), PAIR)
    metrics.confusion_matrix(true, predicted)
    report = metrics.classification_report(true, predicted, output_dict=True, zero_division=0)
    return {
        "A accuracy": report["accuracy"],
        "A macro sensitivity": report["macro avg"]["recall"],
        "A weighted sensitivity": report["weighted avg"]["recall"],
    }


def scores(folder: Path) -> dict[str, float]:
    """Give both exact areas and both curves."""
    cases = scanned(folder).select(pl.col("truth") == "pos", "score").collect()
    true, score = cases["truth"].to_numpy(), cases["score"].to_numpy()
    metrics.roc_curve(true, score)
    metrics.precision_recall_curve(true, score)
    return {
        "A roc_auc": metrics.roc_auc_score(true, score),
        "A average_precision": metrics.average_precision_score(true, score),
    }


def folds(folder: Path, encode: Encode = as_strings) -> dict[str, float]:
    """Join the classifiers by case, then go through classifiers and folds."""
    cases = join_predictions(folder)
    names = [name for name in cases.columns if name not in {"id", "fold", "truth"}]
    values: dict[str, float] = {}
    for (fold,), part in cases.partition_by("fold", as_dict=True).items():
        true, *answers = encode(part, ["truth", *names])
        positive = np.unique(true)[-1]
        for name, predicted in zip(names, answers, strict=True):
            precision, recall, f1, _ = metrics.precision_recall_fscore_support(
                true, predicted, pos_label=positive, average="binary"
            )
            metrics.confusion_matrix(true, predicted)
            values[f"{name} {fold} accuracy"] = metrics.accuracy_score(true, predicted)
            values[f"{name} {fold} precision"] = precision
            values[f"{name} {fold} sensitivity"] = recall
            values[f"{name} {fold} f1"] = f1
    return values
