"""Averages over the classes: macro, weighted by support, and micro."""

from __future__ import annotations

import polars as pl

from reportgen.scores.measuring import with_states

KEYS = ("classifier", "fold", "measure")
CLASSES_NAMED = 5


def macro_average(per_class: pl.DataFrame) -> pl.DataFrame:
    """Return the plain mean over the classes whose value is defined."""
    return _averaged(per_class.with_columns(weight=1.0), "macro")


def weighted_average(per_class: pl.DataFrame, counts: pl.DataFrame) -> pl.DataFrame:
    """Return the mean weighted by the number of true cases, over the defined classes."""
    support = counts.select(
        "classifier", "fold", "class", weight=(pl.col("tp") + pl.col("fn")).cast(pl.Float64)
    )
    joined = per_class.join(
        support,
        on=["classifier", "fold", "class"],
        nulls_equal=True,
        maintain_order="left",
    )
    # A class without cases has no weight, so an undefined value there leaves nothing out.
    return _averaged(joined.filter(pl.col("weight") > 0), "weighted")


def micro_counts(counts: pl.DataFrame) -> pl.DataFrame:
    """Return the four counts summed over the classes."""
    return counts.group_by("classifier", "fold", maintain_order=True).agg(
        pl.col("tp", "fn", "fp", "tn").sum()
    )


def _averaged(per_class: pl.DataFrame, average: str) -> pl.DataFrame:
    raw, weight = pl.col("raw"), pl.col("weight")
    has_value = ~raw.is_nan()
    # Lists, because sums over groups depend in their last digit on the number of threads.
    listed = per_class.group_by(KEYS, maintain_order=True).agg(
        weighted=(raw * weight).filter(has_value),
        weights=weight.filter(has_value),
        classes=pl.len(),
        undefined=pl.col("class").filter(~has_value),
    )
    summed = listed.with_columns(
        raw=pl.col("weighted").list.sum() / pl.col("weights").list.sum(), average=pl.lit(average)
    )
    return with_states(summed.with_columns(reason=_reason()))


def _reason() -> pl.Expr:
    left_out, classes, raw = pl.col("undefined").list.len(), pl.col("classes"), pl.col("raw")
    over = pl.format(
        "over {} of {} classes; undefined for {}{}",
        classes - left_out,
        classes,
        pl.col("undefined").list.head(CLASSES_NAMED).list.join(", "),
        pl.when(left_out > CLASSES_NAMED).then(pl.lit(", …")).otherwise(pl.lit("")),
    )
    sign = pl.when(raw > 0).then(pl.lit("+∞: ")).otherwise(pl.lit("−∞: "))
    return (
        pl.when(left_out == classes)
        .then(pl.lit("undefined for every class"))
        .when(raw.is_nan())
        .then(pl.lit("infinite with opposite signs for different classes"))
        .when(raw.is_infinite() & (left_out > 0))
        .then(pl.concat_str(sign, pl.lit("infinite for some class; "), over))
        .when(raw.is_infinite())
        .then(pl.concat_str(sign, pl.lit("infinite for some class")))
        .when(left_out > 0)
        .then(over)
    )
