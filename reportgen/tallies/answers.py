"""How often the same answers were given."""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANSWERS = ("fold", "truth", "prediction")
# To compare with so few answers is many times faster than to look each up.
_MOST_COMPARED = 16


def count_answers(cases: pl.DataFrame, counts: pl.Series | None = None) -> pl.LazyFrame:
    """Count the cases by fold, truth and prediction; `counts` says how many a row stands for."""
    absent = [name for name in _ANSWERS if cases.schema[name] == pl.Null]
    answers = cases.select(name for name in _ANSWERS if name not in absent)
    classes = {name: dtype for name, dtype in answers.schema.items() if isinstance(dtype, pl.Enum)}
    kinds = prod(len(dtype.categories) for dtype in classes.values())
    few = len(classes) == answers.width and kinds <= _MOST_COMPARED
    if few and counts is None and not any(column.null_count() for column in answers):
        counted = _compared(answers, classes).lazy()
    else:
        often = pl.len() if counts is None else pl.col("count").sum()
        rows = answers.lazy() if counts is None else answers.lazy().with_columns(count=counts)
        counted = rows.group_by(answers.columns).agg(count=often.cast(pl.Int64))
    return counted.with_columns(pl.lit(None).alias(name) for name in absent)


def _compared(answers: pl.DataFrame, classes: Mapping[str, pl.Enum]) -> pl.DataFrame:
    """Count each answer there may be by itself, and keep those there are."""
    possible = list(product(*(dtype.categories for dtype in classes.values())))
    given = (
        pl.all_horizontal(pl.col(name) == label for name, label in zip(classes, each, strict=True))
        for each in possible
    )
    summed = answers.lazy().select(said.sum().alias(str(at)) for at, said in enumerate(given))
    often = summed.collect(engine="streaming").row(0)
    rows = [(*each, count) for each, count in zip(possible, often, strict=True) if count]
    return pl.DataFrame(rows, {**classes, "count": pl.Int64}, orient="row")
