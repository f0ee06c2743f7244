"""Joint statistics of two classifiers on the same cases: prediction counts and loss differences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.probabilities import class_proportions, compute_losses
from reportgen.statistics.parallel import map_blocks

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from reportgen.aggregates.scored_cases import ScoredCases
    from reportgen.statistics import FloatArray


PAIRED_COUNT_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "truth": pl.String,
        "first_prediction": pl.String,
        "second_prediction": pl.String,
        "count": pl.Int64,
    }
)
# Sums of sampling weights are fractions.
_WEIGHTED_COUNT_SCHEMA = pl.Schema(
    (name, pl.Float64() if name == "count" else dtype)
    for name, dtype in PAIRED_COUNT_SCHEMA.items()
)
_PREDICTION_KEYS = ["truth", "first_prediction", "second_prediction"]


def count_paired_predictions(
    cases: Mapping[str, pl.DataFrame], counts: pl.Series | None = None
) -> pl.DataFrame:
    """Count truth and both predictions for every pair of classifiers.

    Args:
        cases: truth and prediction by classifier, of the same cases in the same order.
        counts: the case weights of aggregated rows, or None if each row is one case.
    """
    classifiers = list(cases)
    dtype = pl.Float64 if counts is not None and counts.dtype.is_float() else pl.Int64
    often = (pl.len() if counts is None else pl.col("count").sum()).cast(dtype)
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
        .select(
            "first",
            "second",
            pl.col(_PREDICTION_KEYS).cast(pl.String),
            "count",
        )
        .sort(_PREDICTION_KEYS)
        for first, second in combinations(range(len(classifiers)), 2)
    ]
    return (
        pl.concat(pl.collect_all(counted)) if counted else pl.DataFrame(schema=PAIRED_COUNT_SCHEMA)
    )


@dataclass(frozen=True)
class PairedPredictionCounts:
    """Joint counts of truth and two classifiers' predictions on the same cases.

    `weight` is the number of distinct cases per counted case: below 1 in repeated
    cross-validation, where repeated predictions of a case are not independent. `has_design` is
    whether cases are clustered or weighted.
    """

    frame: pl.DataFrame
    classes: tuple[str, ...]
    weight: float = 1.0
    has_design: bool = False

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema not in (PAIRED_COUNT_SCHEMA, _WEIGHTED_COUNT_SCHEMA):
            message = (
                f"paired prediction counts need {PAIRED_COUNT_SCHEMA}, not {self.frame.schema}"
            )
            raise TypeError(message)

    @property
    def has_independent_cases(self) -> bool:
        """Whether every case is predicted once, independent of the others and without a weight."""
        return self.weight == 1 and not self.has_design

    @cached_property
    def _by_pair(self) -> dict[tuple[object, ...], pl.DataFrame]:
        parts = self.frame.partition_by("first", "second", as_dict=True, include_key=False)
        swapped = {
            (second, first): part.select(
                "truth",
                first_prediction="second_prediction",
                second_prediction="first_prediction",
                count="count",
            )
            for (first, second), part in parts.items()
        }
        return {**swapped, **parts}

    def has_pair(self, first: str, second: str) -> bool:
        """Return whether two classifiers were evaluated on the same cases."""
        return (first, second) in self._by_pair

    def pair_counts(self, first: str, second: str) -> pl.DataFrame:
        """Return the joint counts of two classifiers in either order; empty if not paired."""
        counts = self._by_pair.get((first, second))
        return self.frame.clear().select(*_PREDICTION_KEYS, "count") if counts is None else counts


PAIRED_LOSS_SCHEMA = pl.Schema(
    {
        "first": pl.String,
        "second": pl.String,
        "loss": pl.String,
        "cases": pl.Int64,
        "differences": pl.Float64,
        "differences_squared": pl.Float64,
        "first_infinite": pl.Int64,
        "second_infinite": pl.Int64,
    }
)


@dataclass(frozen=True, slots=True)
class PairedLossSums:
    """Sums of case-wise loss differences, first minus second, and of their squares.

    `loss` is a column of `ProbabilityLossSums` or `RegressionSums`; `first_infinite` counts the
    cases with an infinite loss of the first classifier alone.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != PAIRED_LOSS_SCHEMA:
            message = f"paired loss sums need {PAIRED_LOSS_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def sum_paired_probability_losses(cases: ScoredCases) -> PairedLossSums:
    """Sum the differences of Brier scores, log losses and information scores."""
    priors = class_proportions(cases)
    classifiers = {
        scores.classifier: scores
        for scores in cases.classifiers
        if scores.probabilities is not None
    }
    if len(classifiers) < 2:  # noqa: PLR2004  # a pair is two
        return PairedLossSums(pl.DataFrame(schema=PAIRED_LOSS_SCHEMA))
    return _sum_paired_losses(
        lambda block: {
            name: compute_losses(cases, scores, priors, block)
            for name, scores in classifiers.items()
        },
        len(cases.truth),
        cases.counts,
    )


def sum_paired_regression_losses(
    cases: Mapping[str, pl.DataFrame], weights: FloatArray | None = None
) -> PairedLossSums:
    """Sum the differences of squared and absolute errors of numeric predictions."""
    errors = {name: (own["truth"] - own["prediction"]).to_numpy() for name, own in cases.items()}

    def losses(block: slice) -> dict[str, dict[str, FloatArray]]:
        return {
            name: {"squared_errors": error[block] ** 2, "absolute_errors": np.abs(error[block])}
            for name, error in errors.items()
        }

    return _sum_paired_losses(losses, len(next(iter(errors.values()))), weights)


def _count_infinite(first: FloatArray, second: FloatArray) -> tuple[int, int]:
    """Count the cases with an infinite loss of one classifier alone."""
    one, other = np.isinf(first), np.isinf(second)
    return int(np.count_nonzero(one & ~other)), int(np.count_nonzero(other & ~one))


def _sum_paired_losses(
    losses_in_block: Callable[[slice], Mapping[str, Mapping[str, FloatArray]]],
    length: int,
    weights: FloatArray | None = None,
) -> PairedLossSums:
    def of_block(block: slice) -> list[tuple[str, str, str, int, float, float, int, int]]:
        losses = losses_in_block(block)
        rows_of_block = []
        for first, second in combinations(losses, 2):
            for loss, values in losses[first].items():
                others = losses[second][loss]
                with np.errstate(invalid="ignore"):
                    difference = values - others
                    squares = difference * difference
                    if weights is not None:
                        difference = difference * weights[block]
                        squares *= weights[block]
                    sums = float(difference.sum()), float(squares.sum())
                infinite = (0, 0) if np.isfinite(sums[0]) else _count_infinite(values, others)
                rows_of_block.append((first, second, loss, len(difference), *sums, *infinite))
        return rows_of_block

    rows = [
        (*blocks[0][:3], *(sum(row[at] for row in blocks) for at in range(3, 8)))
        for blocks in zip(*map_blocks(of_block, length), strict=True)
    ]
    return PairedLossSums(pl.DataFrame(rows, PAIRED_LOSS_SCHEMA, orient="row"))
