"""The usual bootstrap: cases are drawn by index and measured, again and again.

A few resamples are measured and their time is scaled, because each takes the same.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from sklearn.metrics import roc_auc_score

from benchmarks.speed.peers.reading import scanned

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import numpy.typing as npt

    Column = npt.NDArray[np.generic]

MEASURED = 20
TAIL = 0.025


def counts(folder: Path, draws: int) -> dict[str, float]:
    """Give lower limits of accuracy and F1, and the seconds that all draws would take."""
    true, predicted = scanned(folder).select(pl.col("truth", "prediction") == "pos").collect()

    def measured(true: Column, predicted: Column) -> tuple[float, ...]:
        hits = int(np.count_nonzero(np.logical_and(true, predicted)))
        named = int(np.count_nonzero(true)) + int(np.count_nonzero(predicted))
        return float(np.mean(true == predicted)), 2 * hits / named

    values, seconds = _resampled(measured, true.to_numpy(), predicted.to_numpy(), draws)
    low = np.quantile(values, TAIL, axis=0)
    return {"seconds": seconds, "accuracy low": float(low[0]), "f1 low": float(low[1])}


def areas(folder: Path, draws: int) -> dict[str, float]:
    """Give the lower limit of scikit-learn's ROC AUC, and the seconds all draws would take."""
    true, score = scanned(folder).select(pl.col("truth") == "pos", "score").collect()

    def measured(true: Column, score: Column) -> tuple[float, ...]:
        return (float(roc_auc_score(true, score)),)

    values, seconds = _resampled(measured, true.to_numpy(), score.to_numpy(), draws)
    return {"seconds": seconds, "roc_auc low": float(np.quantile(values, TAIL))}


def _resampled(
    measured: Callable[[Column, Column], tuple[float, ...]],
    first: Column,
    second: Column,
    draws: int,
) -> tuple[list[tuple[float, ...]], float]:
    random = np.random.default_rng(0)
    start = time.perf_counter()
    values = []
    for _ in range(MEASURED):
        drawn = random.integers(len(first), size=len(first))
        values.append(measured(first[drawn], second[drawn]))
    return values, (time.perf_counter() - start) / MEASURED * draws
