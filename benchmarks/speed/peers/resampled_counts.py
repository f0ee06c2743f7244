"""reportgen's bootstrap: it draws counts, not cases, so its time hardly depends on the rows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from benchmarks.speed.peers.reading import scanned
from reportgen.evaluation.confidence.bootstrap import bootstrap_matrices, percentile_intervals
from reportgen.evaluation.confidence.gradient import SparseConfusionMatrix
from reportgen.measures import MEASURE_REGISTRY
from reportgen.spec.inference import IntervalSettings
from reportgen.statistics.auc import CurveArea, ScoreCounts, bootstrap_areas

if TYPE_CHECKING:
    from pathlib import Path

LEVEL = 0.95


def counts(folder: Path, draws: int) -> dict[str, float]:
    """Give the limits of accuracy and F1 from redrawn matrices, and the seconds it took."""
    cases = scanned(folder).select((pl.col("truth", "prediction") == "pos").cast(pl.Int8)).collect()
    counted = np.bincount(cases["truth"] * 2 + cases["prediction"], minlength=4)
    matrix = SparseConfusionMatrix.from_dense(counted.reshape(2, 2).astype(np.float64))
    settings = IntervalSettings(draws=draws)
    _import_random()
    start = time.perf_counter()
    draws_of = bootstrap_matrices(matrix, settings, 1.0)
    accuracy = percentile_intervals(draws_of.class_values(MEASURE_REGISTRY["accuracy"]), LEVEL)
    f1 = percentile_intervals(draws_of.class_values(MEASURE_REGISTRY["f1"]), LEVEL)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "accuracy low": accuracy.low[1], "f1 low": f1.low[1]}


def areas(folder: Path, draws: int) -> dict[str, float]:
    """Give the lower limit of the area under the ROC curve, and the seconds it took."""
    positive = (pl.col("truth") == "pos").sum()
    cells = (
        scanned(folder)
        .group_by("score")
        .agg(positive.alias("positives"), (pl.len() - positive).alias("negatives"))
        .sort("score", descending=True)
        .select(pl.col("positives", "negatives").cast(pl.Int64))
        .collect()
    )
    _import_random()
    start = time.perf_counter()
    counts = ScoreCounts(cells["positives"].to_numpy(), cells["negatives"].to_numpy())
    resampled = bootstrap_areas(counts, CurveArea.ROC, n_resamples=draws, seed=0)
    if resampled is None:
        raise ValueError("too many distinct scores to resample")
    low = percentile_intervals(resampled, LEVEL).low
    return {"seconds": time.perf_counter() - start, "roc_auc low": float(low)}


def _import_random() -> None:
    """Load what NumPy draws with, which it does when it is first used."""
    np.random.default_rng()
