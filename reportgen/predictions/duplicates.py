"""Aggregation of duplicate rows: cases with equal labels are counted, not kept one by one."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType


LABEL_COLUMNS = ("fold", "truth", "prediction")
# Comparing with so few label combinations is many times faster than grouping by them.
_MAX_COMPARED_COMBINATIONS = 16


def group_count(
    frame: pl.LazyFrame, keys: Sequence[str], namespace: ModuleType, **aggregations: pl.Expr
) -> pl.LazyFrame:
    """Count the rows of each group of equal keys, with further aggregations of the groups.

    Args:
        frame: a lazy frame of polars or narwhals.
        keys: the columns to group by.
        namespace: the module of expressions, polars or narwhals.
        aggregations: further columns of the result.
    """
    return frame.group_by(*keys).agg(count=namespace.len(), **aggregations)


def sum_counts(
    rows: pl.LazyFrame, keys: Sequence[pl.Expr], dtype: pl.DataType | None
) -> pl.LazyFrame:
    """Sum the column `count` of each group of equal keys.

    Args:
        rows: the rows to group.
        keys: the expressions to group by.
        dtype: the type of the column: sampling weights are fractions, counts are not. None if there
            is no such column, and each row is one case.
    """
    if dtype is None:
        return rows.group_by(keys).agg(count=pl.len().cast(pl.Int64))
    if not dtype.is_float():
        return rows.group_by(keys).agg(count=pl.col("count").sum().cast(pl.Int64))
    return sum_groups(rows, keys, count=pl.col("count"))


def sum_groups(
    rows: pl.LazyFrame, keys: Sequence[str | pl.Expr], **summands: pl.Expr
) -> pl.LazyFrame:
    """Sum numbers of each group of equal keys, in the order of the rows."""
    # Lists, because sums of fractions over groups depend in their last digits on the threads, with
    # `maintain_order` too.
    groups = rows.group_by(keys, maintain_order=True).agg(**summands)
    return groups.with_columns(pl.col(name).list.sum() for name in summands)


def aggregate_duplicates(
    frames: Mapping[str, pl.DataFrame], attributes: pl.DataFrame | None
) -> tuple[dict[str, pl.DataFrame], pl.Series, pl.DataFrame] | None:
    """Aggregate cases with equal labels for all classifiers, and equal attributes.

    Args:
        frames: the rows of the same cases in the same order, by classifier.
        attributes: further columns of the cases; of them, `count` has the cases of each row.

    Returns:
        The distinct combinations of labels by classifier, the number of cases of each, and its
        attributes; None if a frame has scores or other numbers, which hardly ever repeat.
    """
    if any(_has_float_columns(frame) for frame in frames.values()):
        return None
    parts = [
        frame.lazy().select(pl.col(LABEL_COLUMNS).name.suffix(f" {number}"))
        for number, frame in enumerate(frames.values())
    ]
    further = pl.DataFrame() if attributes is None else attributes
    if further.width:
        parts.append(further.lazy())
    side_by_side = pl.concat(parts, how="horizontal")
    keys = [name for name in side_by_side.collect_schema() if name != "count"]
    schema = side_by_side.collect_schema()
    key_columns = [name for name in keys if schema[name] != pl.Null]
    groups = (
        side_by_side.group_by(key_columns).agg(pl.col("count").sum())
        if "count" in further.columns
        else group_count(side_by_side, key_columns, pl)
    )
    group_counts = groups.collect(engine="streaming").sort(key_columns)
    patterns = group_counts.with_columns(
        pl.lit(None).alias(name) for name in keys if name not in group_counts
    )
    return (
        {
            name: patterns.select(
                pl.col(f"{column} {number}").alias(column) for column in LABEL_COLUMNS
            )
            for number, name in enumerate(frames)
        },
        patterns["count"],
        patterns.select(name for name in further.columns if name != "count"),
    )


def _has_float_columns(frame: pl.DataFrame) -> bool:
    return any(dtype.is_float() for name, dtype in frame.schema.items() if name != "count")


def count_label_combinations(cases: pl.DataFrame, counts: pl.Series | None = None) -> pl.LazyFrame:
    """Count cases by fold, truth and prediction; `counts` are the case weights of the rows."""
    null_columns = [name for name in LABEL_COLUMNS if cases.schema[name] == pl.Null]
    labels = cases.select(name for name in LABEL_COLUMNS if name not in null_columns)
    classes = {name: dtype for name, dtype in labels.schema.items() if isinstance(dtype, pl.Enum)}
    combinations = prod(len(dtype.categories) for dtype in classes.values())
    has_few = len(classes) == labels.width and combinations <= _MAX_COMPARED_COMBINATIONS
    if has_few and counts is None and not any(column.null_count() for column in labels):
        combination_counts = _count_by_comparison(labels, classes).lazy()
    else:
        rows = labels.lazy() if counts is None else labels.lazy().with_columns(count=counts)
        keys = [pl.col(name) for name in labels.columns]
        combination_counts = sum_counts(rows, keys, None if counts is None else counts.dtype)
    return combination_counts.with_columns(pl.lit(None).alias(name) for name in null_columns)


def _count_by_comparison(
    label_columns: pl.DataFrame, classes: Mapping[str, pl.Enum]
) -> pl.DataFrame:
    """Count each possible combination of labels by itself, and keep those that occur."""
    possible = list(product(*(dtype.categories for dtype in classes.values())))
    conditions = (
        pl.all_horizontal(
            pl.col(name) == label for name, label in zip(classes, combination, strict=True)
        )
        for combination in possible
    )
    column_sums = label_columns.lazy().select(
        condition.sum().alias(str(index)) for index, condition in enumerate(conditions)
    )
    totals = column_sums.collect(engine="streaming").row(0)
    rows = [
        (*combination, count) for combination, count in zip(possible, totals, strict=True) if count
    ]
    return pl.DataFrame(rows, {**classes, "count": pl.Int64}, orient="row")
