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


def _of_classes(labels: pl.Series, different: list[str], classes: pl.Enum) -> pl.Series:
    """Turn categories into classes by their numbers, which is faster than by their texts."""
    if labels.null_count():
        return labels.cast(classes)
    texts = pl.Series(different, dtype=pl.String)
    numbers = texts.cast(pl.Categorical).to_physical().to_numpy()
    places = texts.cast(classes).to_physical().to_numpy()
    table = np.zeros(int(numbers.max(initial=0)) + 1, places.dtype)
    table[numbers] = places
    return pl.Series(labels.name, table[labels.to_physical().to_numpy()]).cat.to(classes)
