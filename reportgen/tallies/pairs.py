"""Two classifiers on the same cases: how often each answered what, by true class."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

PAIR_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "truth": pl.String,
        "first_prediction": pl.String,
        "second_prediction": pl.String,
        "count": pl.Int64,
    }
)
_ANSWERS = ["truth", "first_prediction", "second_prediction"]


def count_pairs(cases: Mapping[str, pl.DataFrame], counts: pl.Series | None = None) -> pl.DataFrame:
    """Count the answers (truth, prediction) of every pair of classifiers to the same cases.

    All have the same cases in the same order; `counts` says how many each row stands for, if not
    one.
    """
    classifiers = list(cases)
    often = (pl.len() if counts is None else pl.col("count").sum()).cast(pl.Int64)
    side_by_side = pl.DataFrame(
        [
            next(iter(cases.values()))["truth"],
            *(frame["prediction"].alias(f"{at}") for at, frame in enumerate(cases.values())),
            *([] if counts is None else [counts.alias("count")]),
        ]
    ).lazy()
    counted = [
        side_by_side.group_by("truth", first_prediction=f"{first}", second_prediction=f"{second}")
        .agg(count=often)
        .with_columns(first=pl.lit(classifiers[first]), second=pl.lit(classifiers[second]))
        .select(pl.col(name).cast(dtype) for name, dtype in PAIR_SCHEMA.items())
        .sort(_ANSWERS)
        for first, second in combinations(range(len(classifiers)), 2)
    ]
    return pl.concat(pl.collect_all(counted)) if counted else pl.DataFrame(schema=PAIR_SCHEMA)


@dataclass(frozen=True)
class PairTally:
    """How often two classifiers answered what on the same cases.

    `weight` is below 1 where cases were predicted several times: a repetition is no new case.
    """

    frame: pl.DataFrame
    classes: tuple[str, ...]
    weight: float = 1.0

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != PAIR_SCHEMA:
            message = f"a pair tally needs {PAIR_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)

    @cached_property
    def _by_pair(self) -> dict[tuple[object, ...], pl.DataFrame]:
        parts = self.frame.partition_by("first", "second", as_dict=True, include_key=False)
        turned = {
            (second, first): part.select(
                "truth",
                first_prediction="second_prediction",
                second_prediction="first_prediction",
                count="count",
            )
            for (first, second), part in parts.items()
        }
        return {**turned, **parts}

    def has(self, first: str, second: str) -> bool:
        """Tell whether two classifiers were measured on the same cases."""
        return (first, second) in self._by_pair

    def of(self, first: str, second: str) -> pl.DataFrame:
        """Return the answers of two classifiers, in either order of asking; none if not joined."""
        found = self._by_pair.get((first, second))
        return self.frame.clear().select(*_ANSWERS, "count") if found is None else found
