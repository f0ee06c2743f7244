"""Mean and variance of a measure over the folds of cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.scores import State

if TYPE_CHECKING:
    from reportgen.scores import Scores


@dataclass(frozen=True, slots=True)
class FoldSummary:
    """What the folds say together; over the folds where the measure has a finite value."""

    classifier: str
    class_: str | None
    average: str | None
    measure: str
    k: int
    mean: float | None
    variance: float | None
    variance_of_mean: float | None
    undefined_folds: int


def summarise_folds(scores: Scores) -> tuple[FoldSummary, ...]:
    """Return mean, variance and variance of the mean of every score that exists per fold."""
    finite = pl.col("value").filter(pl.col("state") == State.DEFINED.value)
    used = finite.count()
    summaries = (
        scores.frame.lazy()
        .filter(pl.col("fold").is_not_null())
        .group_by("classifier", "class", "average", "measure", maintain_order=True)
        .agg(
            k=pl.len(),
            mean=finite.mean(),
            variance=finite.var(ddof=1),
            variance_of_mean=finite.var(ddof=1) / used,
            undefined_folds=pl.len() - used,
        )
        .collect()
    )
    return tuple(FoldSummary(*row) for row in summaries.rows())
