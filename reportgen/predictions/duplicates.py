"""Cases with the same answers of all classifiers, counted together: few, however many cases."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType


_JOINT_KEYS = ("fold", "truth", "prediction")


def group_count(
    frame: pl.LazyFrame, keys: Sequence[str], namespace: ModuleType, **aggregations: pl.Expr
) -> pl.LazyFrame:
    """Count the rows that are alike in some columns, and tell more of them together."""
    return frame.group_by(*keys).agg(count=namespace.len(), **aggregations)


def aggregate_duplicates(
    frames: Mapping[str, pl.DataFrame],
) -> tuple[dict[str, pl.DataFrame], pl.Series] | None:
    """Return every pattern of answers once, by classifier, and how many cases have it.

    None where cases have numbers of their own, which are hardly ever the same.
    """
    if any(_has_float_columns(frame) for frame in frames.values()):
        return None
    side_by_side = pl.concat(
        (
            frame.lazy().select(pl.col(_JOINT_KEYS).name.suffix(f" {number}"))
            for number, frame in enumerate(frames.values())
        ),
        how="horizontal",
    )
    keys = side_by_side.collect_schema()
    told = [name for name, dtype in keys.items() if dtype != pl.Null]
    counted = group_count(side_by_side, told, pl).collect(engine="streaming").sort(told)
    patterns = counted.with_columns(
        pl.lit(None).alias(name) for name in keys if name not in counted
    )
    return {
        name: patterns.select(pl.col(f"{role} {number}").alias(role) for role in _JOINT_KEYS)
        for number, name in enumerate(frames)
    }, patterns["count"]


def _has_float_columns(frame: pl.DataFrame) -> bool:
    return any(dtype.is_float() for name, dtype in frame.schema.items() if name != "count")


# How often the same answers were given.

_LABEL_KEYS = ("fold", "truth", "prediction")
# To compare with so few answers is many times faster than to look each up.
_MAX_COMPARED_COMBINATIONS = 16


def count_label_combinations(cases: pl.DataFrame, counts: pl.Series | None = None) -> pl.LazyFrame:
    """Count the cases by fold, truth and prediction; `counts` says how many a row stands for."""
    absent = [name for name in _LABEL_KEYS if cases.schema[name] == pl.Null]
    answers = cases.select(name for name in _LABEL_KEYS if name not in absent)
    classes = {name: dtype for name, dtype in answers.schema.items() if isinstance(dtype, pl.Enum)}
    kinds = prod(len(dtype.categories) for dtype in classes.values())
    few = len(classes) == answers.width and kinds <= _MAX_COMPARED_COMBINATIONS
    if few and counts is None and not any(column.null_count() for column in answers):
        counted = _count_by_comparison(answers, classes).lazy()
    else:
        often = pl.len() if counts is None else pl.col("count").sum()
        rows = answers.lazy() if counts is None else answers.lazy().with_columns(count=counts)
        counted = rows.group_by(answers.columns).agg(count=often.cast(pl.Int64))
    return counted.with_columns(pl.lit(None).alias(name) for name in absent)


def _count_by_comparison(
    label_columns: pl.DataFrame, classes: Mapping[str, pl.Enum]
) -> pl.DataFrame:
    """Count each answer there may be by itself, and keep those there are."""
    possible = list(product(*(dtype.categories for dtype in classes.values())))
    given = (
        pl.all_horizontal(pl.col(name) == label for name, label in zip(classes, each, strict=True))
        for each in possible
    )
    summed = label_columns.lazy().select(said.sum().alias(str(at)) for at, said in enumerate(given))
    often = summed.collect(engine="streaming").row(0)
    rows = [(*each, count) for each, count in zip(possible, often, strict=True) if count]
    return pl.DataFrame(rows, {**classes, "count": pl.Int64}, orient="row")
