"""The floor: nothing but the polars query that the numbers need, with the import of polars."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from benchmarks.speed.peers.reading import join_predictions, scanned

if TYPE_CHECKING:
    from pathlib import Path

PAIR = ["truth", "prediction"]


def counts(folder: Path) -> dict[str, float]:
    """Count true by predicted class, and read a few measures off the four counts."""
    cells = dict(_cells(scanned(folder)))
    tp, fn = cells["pos", "pos"], cells["pos", "neg"]
    fp, tn = cells["neg", "pos"], cells["neg", "neg"]
    return {
        "A accuracy": (tp + tn) / (tp + fn + fp + tn),
        "A precision": tp / (tp + fp),
        "A sensitivity": tp / (tp + fn),
        "A specificity": tn / (tn + fp),
        "A f1": 2 * tp / (2 * tp + fp + fn),
    }


def classes(folder: Path) -> dict[str, float]:
    """Count true by predicted class."""
    cells = _cells(scanned(folder))
    right = sum(cases for (true, predicted), cases in cells if true == predicted)
    return {"A accuracy": right / sum(cases for _, cases in cells)}


def scores(folder: Path) -> dict[str, float]:
    """Find the exact areas under both curves from the counts at every distinct score."""
    # Floats, because products of counts overflow the 32 bits of polars' counts.
    positive = pl.col("positive").cast(pl.Float64)
    negative = pl.col("all") - positive
    counts = (
        scanned(folder)
        .group_by("score")
        .agg(pl.len().alias("all"), (pl.col("truth") == "pos").sum().alias("positive"))
        .sort("score", descending=True)
        .select(
            area=((positive.cum_sum() - positive / 2) * negative).sum() / negative.sum(),
            steps=(positive * positive.cum_sum() / pl.col("all").cum_sum()).sum(),
            positives=positive.sum(),
        )
        .collect()
        .row(0, named=True)
    )
    return {
        "A roc_auc": counts["area"] / counts["positives"],
        "A average_precision": counts["steps"] / counts["positives"],
    }


def folds(folder: Path) -> dict[str, float]:
    """Join the classifiers by case, and count right answers by classifier and fold."""
    cases = join_predictions(folder)
    names = [name for name in cases.columns if name not in {"id", "fold", "truth"}]
    right = cases.group_by("fold").agg((pl.col(name) == pl.col("truth")).mean() for name in names)
    return {
        f"{name} {row['fold']} accuracy": row[name]
        for row in right.iter_rows(named=True)
        for name in names
    }


def grown(folder: Path) -> dict[str, float]:
    """Join the classifiers by case, and count true by predicted class of every classifier."""
    cases = join_predictions(folder)
    names = [name for name in cases.columns if name not in {"id", "fold", "truth"}]
    counted = pl.collect_all(
        [cases.lazy().group_by("truth", name).agg(pl.len().alias("cases")) for name in names]
    )
    return {
        f"{name} accuracy": int(cells.filter(pl.col("truth") == pl.col(name))["cases"].sum())
        / len(cases)
        for name, cells in zip(names, counted, strict=True)
    }


def _cells(plan: pl.LazyFrame) -> list[tuple[tuple[str, str], int]]:
    counted = plan.group_by(PAIR).agg(pl.len()).collect()
    return [((true, predicted), cases) for true, predicted, cases in counted.iter_rows()]
