"""Files as polars reads them: the quickest way for every tool that takes columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path


def scanned(folder: Path, classifier: str = "A") -> pl.LazyFrame:
    """Return the file of a classifier, still to be read."""
    parquet = folder / f"{classifier}.parquet"
    if parquet.exists():
        return pl.scan_parquet(parquet)
    return pl.scan_csv(folder / f"{classifier}.csv")


def join_predictions(folder: Path) -> pl.DataFrame:
    """Return truth, fold and the predictions of all classifiers, joined by case."""
    names = sorted(path.stem for path in folder.iterdir() if path.suffix in {".parquet", ".csv"})
    first, *others = names
    plan = scanned(folder, first).rename({"prediction": first})
    for name in others:
        answers = scanned(folder, name).select("id", pl.col("prediction").alias(name))
        plan = plan.join(answers, on="id", validate="1:1")
    return plan.collect()
