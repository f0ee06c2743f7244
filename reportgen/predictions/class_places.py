"""Labels as places among the classes: a byte or two for each case."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.predictions.cases import Cases


def as_places(cases: Sequence[Cases], classes: tuple[str, ...]) -> tuple[Cases, ...]:
    """Let truths and predictions be of the classes, in their order."""
    return tuple(
        replace(
            each,
            frame=each.frame.with_columns(
                _of_classes(each.frame[role], list(each.labels), pl.Enum(classes))
                for role in ("truth", "prediction")
            ),
        )
        for each in cases
    )


def by_comparison(role: str, labels: pl.Series, classes: pl.Enum) -> pl.Expr:
    """Turn a column of few labels into classes, which is faster than to look each up.

    Where another label stands there will be null.
    """
    return pl.coalesce(
        pl.when(pl.col(role) == label).then(pl.lit(text, classes))
        for label, text in zip(labels, labels.cast(pl.String), strict=True)
    ).alias(role)


def _of_classes(labels: pl.Series, different: list[str], classes: pl.Enum) -> pl.Series | pl.Expr:
    """Turn categories into classes by their numbers, which is faster than by their texts."""
    if isinstance(labels.dtype, pl.Enum):
        return by_comparison(labels.name, labels.dtype.categories, classes)
    if labels.null_count():
        return labels.cast(classes)
    texts = pl.Series(different, dtype=pl.String)
    numbers = texts.cast(pl.Categorical).to_physical()
    places = texts.cast(classes).to_physical()
    table = np.zeros(int(numbers.to_numpy().max(initial=0)) + 1, np.int64)
    table[numbers.to_numpy()] = places.to_numpy()
    # A list, because polars loads NumPy's masked arrays to take in any array.
    place_of = pl.Series(labels.name, table.tolist(), places.dtype)
    return place_of.gather(labels.to_physical()).cat.to(classes)
