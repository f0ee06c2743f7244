"""Cases with the same answers of all classifiers, counted together: few, however many cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.predictions.engines.aggregation import count_alike

if TYPE_CHECKING:
    from collections.abc import Mapping

_ANSWERS = ("fold", "truth", "prediction")


def count_together(
    frames: Mapping[str, pl.DataFrame],
) -> tuple[dict[str, pl.DataFrame], pl.Series] | None:
    """Return every pattern of answers once, by classifier, and how many cases have it.

    None where cases have numbers of their own, which are hardly ever the same.
    """
    if any(_has_numbers(frame) for frame in frames.values()):
        return None
    side_by_side = pl.concat(
        (
            frame.lazy().select(pl.col(_ANSWERS).name.suffix(f" {number}"))
            for number, frame in enumerate(frames.values())
        ),
        how="horizontal",
    )
    keys = side_by_side.collect_schema()
    told = [name for name, dtype in keys.items() if dtype != pl.Null]
    counted = count_alike(side_by_side, told, pl).collect(engine="streaming").sort(told)
    patterns = counted.with_columns(
        pl.lit(None).alias(name) for name in keys if name not in counted
    )
    return {
        name: patterns.select(pl.col(f"{role} {number}").alias(role) for role in _ANSWERS)
        for number, name in enumerate(frames)
    }, patterns["count"]


def _has_numbers(frame: pl.DataFrame) -> bool:
    return any(dtype.is_float() for name, dtype in frame.schema.items() if name != "count")
