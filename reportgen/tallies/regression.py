"""The sums that measures of numeric predictions are formulas of."""

from __future__ import annotations

import polars as pl

from reportgen.frozen import frozen

SUMS = (
    "cases",
    "squared_errors",
    "absolute_errors",
    "true_spread",
    "predicted_spread",
    "common_spread",
    "quartic_errors",
    "quartic_true_spread",
    "common_quartic",
)
REGRESSION_SCHEMA = pl.Schema(
    {"classifier": pl.String, "fold": pl.String, **dict.fromkeys(SUMS, pl.Float64)}
)


def sum_regression(cases: pl.LazyFrame) -> pl.LazyFrame:
    """Sum up cases (classifier, fold, truth, prediction), per fold and, with fold null, in all."""
    pooled = _summed(cases, ("classifier",)).with_columns(fold=pl.lit(None, pl.String))
    by_fold = _summed(cases.filter(pl.col("fold").is_not_null()), ("classifier", "fold"))
    columns = list(REGRESSION_SCHEMA)
    return pl.concat([pooled.select(columns), by_fold.select(columns)])


@frozen
class RegressionTally:
    """Sums of errors and deviations by classifier and fold.

    What intervals need besides: the fourth powers of the errors and of the deviations of the true
    values, and the products of the squares of both.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != REGRESSION_SCHEMA:
            message = f"a regression tally needs {REGRESSION_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def _summed(cases: pl.LazyFrame, keys: tuple[str, ...]) -> pl.LazyFrame:
    # Lists, because sums over groups depend in their last digit on the number of threads.
    truth, prediction = pl.col("truth"), pl.col("prediction")
    listed = cases.group_by(keys, maintain_order=True).agg(truth, prediction)
    with_errors = listed.with_columns(error=truth - prediction)
    error = pl.col("error")
    squared_error, squared_deviation = error * error, _deviation(truth) * _deviation(truth)
    return with_errors.select(
        *keys,
        cases=truth.list.len().cast(pl.Float64),
        squared_errors=squared_error.list.sum(),
        absolute_errors=error.list.eval(pl.element().abs()).list.sum(),
        true_spread=_spread(truth, truth),
        predicted_spread=_spread(prediction, prediction),
        common_spread=_spread(truth, prediction),
        quartic_errors=(squared_error * squared_error).list.sum(),
        quartic_true_spread=(squared_deviation * squared_deviation).list.sum(),
        common_quartic=(squared_error * squared_deviation).list.sum(),
    )


def _deviation(values: pl.Expr) -> pl.Expr:
    return values - values.list.mean()


def _spread(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Sum the products of deviations from the means: exactly 0 for values that are all equal."""
    products = _deviation(left) * _deviation(right)
    # The mean of equal numbers may differ from them in the last digit, which would leave a tiny
    # spread, and with it a correlation made of rounding errors.
    constant = pl.any_horizontal([each.list.min() == each.list.max() for each in (left, right)])
    return pl.when(constant).then(0.0).otherwise(products.list.sum())
