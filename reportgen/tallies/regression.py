"""The sums that measures of numeric predictions are formulas of."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

SUMS = (
    "cases",
    "squared_errors",
    "absolute_errors",
    "true_spread",
    "predicted_spread",
    "common_spread",
)
REGRESSION_SCHEMA = pl.Schema(
    {"classifier": pl.String, "fold": pl.String, **dict.fromkeys(SUMS, pl.Float64)}
)


def sum_regression(cases: pl.LazyFrame) -> pl.LazyFrame:
    """Sum up cases (classifier, fold, truth, prediction), per fold and, with fold null, in all."""
    pooled = cases.group_by("classifier").agg(_sums()).with_columns(fold=pl.lit(None, pl.String))
    by_fold = cases.filter(pl.col("fold").is_not_null()).group_by("classifier", "fold").agg(_sums())
    columns = list(REGRESSION_SCHEMA)
    return pl.concat([pooled.select(columns), by_fold.select(columns)])


@dataclass(frozen=True, slots=True)
class RegressionTally:
    """Sums of errors and deviations by classifier and fold."""

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != REGRESSION_SCHEMA:
            message = f"a regression tally needs {REGRESSION_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def _sums() -> list[pl.Expr]:
    truth, prediction = pl.col("truth"), pl.col("prediction")
    error = truth - prediction
    return [
        pl.len().cast(pl.Float64).alias("cases"),
        error.pow(2).sum().alias("squared_errors"),
        error.abs().sum().alias("absolute_errors"),
        _spread(truth, truth).alias("true_spread"),
        _spread(prediction, prediction).alias("predicted_spread"),
        _spread(truth, prediction).alias("common_spread"),
    ]


def _spread(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Sum the products of deviations from the means: exactly 0 for values that are all equal."""
    products = ((left - left.mean()) * (right - right.mean())).sum()
    # The mean of equal numbers may differ from them in the last digit, which would leave a tiny
    # spread, and with it a correlation made of rounding errors.
    constant = (left.min() == left.max()) | (right.min() == right.max())
    return pl.when(constant).then(0.0).otherwise(products)
