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
    # Lists, because sums over groups depend in their last digit on the number of threads.
    finite, used = pl.col("finite"), pl.col("finite").list.len()
    variance = finite.list.var(ddof=1)
    summaries = (
        scores.frame.filter(pl.col("fold").is_not_null())
        .group_by("classifier", "class", "average", "measure", maintain_order=True)
        .agg(k=pl.len(), finite=pl.col("value").filter(pl.col("state") == State.DEFINED.value))
        .select(
            *("classifier", "class", "average", "measure", "k"),
            mean=finite.list.mean(),
            variance=variance,
            variance_of_mean=variance / used,
            undefined_folds=pl.col("k") - used,
        )
    )
    return tuple(FoldSummary(*row) for row in summaries.rows())
