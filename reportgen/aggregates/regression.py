"""Sums of errors and deviations of numeric predictions, and binned scatter plots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.statistics import FloatArray

REGRESSION_SUMS = (
    "cases",
    "squared_errors",
    "absolute_errors",
    "true_spread",
    "predicted_spread",
    "common_spread",
    "quartic_errors",
    "squared_error_cubes",
    "squared_error_quartics",
    "absolute_error_cubes",
    "absolute_error_quartics",
    "r2_squares",
    "r2_quartics",
    "pearson_squares",
    "pearson_quartics",
)
REGRESSION_SCHEMA = pl.Schema(
    {"classifier": pl.String, "fold": pl.String, **dict.fromkeys(REGRESSION_SUMS, pl.Float64)}
)


def sum_regression(cases: pl.LazyFrame) -> pl.LazyFrame:
    """Sum cases (classifier, fold, truth, prediction) by fold and, with a null fold, over all."""
    pooled = _sum_by(cases, ("classifier",)).with_columns(fold=pl.lit(None, pl.String))
    by_fold = _sum_by(cases.filter(pl.col("fold").is_not_null()), ("classifier", "fold"))
    columns = list(REGRESSION_SCHEMA)
    return pl.concat([pooled.select(columns), by_fold.select(columns)])


def sum_weighted_regression(
    frames: Mapping[str, pl.DataFrame], weights: FloatArray
) -> pl.DataFrame:
    """Sum weighted cases by classifier and fold and, with a null fold, over all."""
    rows = []
    for name, frame in frames.items():
        fold = frame["fold"].cast(pl.String)
        for fold_name in (None, *fold.drop_nulls().unique(maintain_order=True)):
            mask = np.ones(frame.height, np.bool_) if fold_name is None else (fold == fold_name)
            mask = np.asarray(mask, np.bool_)
            truth, prediction = (frame[role].to_numpy()[mask] for role in ("truth", "prediction"))
            rows.append((name, fold_name, *_weighted_sums(truth, prediction, weights[mask])))
    return pl.DataFrame(rows, REGRESSION_SCHEMA, orient="row")


@np.errstate(divide="ignore", invalid="ignore")
def _weighted_sums(
    truth: FloatArray, prediction: FloatArray, weights: FloatArray
) -> tuple[float, ...]:
    """Return the sums of `REGRESSION_SUMS`, each case counted as often as it weighs."""
    total = float(weights.sum())

    def deviation(values: FloatArray) -> FloatArray:
        return np.asarray(values - weights @ values / total)

    squared, size = (truth - prediction) ** 2, np.abs(truth - prediction)
    spread, predicted = deviation(truth), deviation(prediction)
    of_errors, of_sizes = deviation(squared), deviation(size)
    r2 = squared / (weights @ squared) - spread**2 / (weights @ spread**2)
    first, second = (array / np.sqrt(weights @ array**2 / total) for array in (spread, predicted))
    correlation = weights @ (first * second) / total
    pearson = first * second - (first**2 + second**2) * correlation / 2
    sums = {
        "squared_errors": squared,
        "absolute_errors": size,
        "true_spread": spread**2,
        "predicted_spread": predicted**2,
        "common_spread": spread * predicted,
        "quartic_errors": squared**2,
        "squared_error_cubes": of_errors**3,
        "squared_error_quartics": of_errors**4,
        "absolute_error_cubes": of_sizes**3,
        "absolute_error_quartics": of_sizes**4,
        "r2_squares": r2**2,
        "r2_quartics": r2**4,
        "pearson_squares": pearson**2,
        "pearson_quartics": pearson**4,
    }
    return (total, *(float(weights @ sums[name]) for name in REGRESSION_SUMS[1:]))


@dataclass(frozen=True, slots=True)
class RegressionSums:
    """Sums of errors and deviations by classifier and fold.

    For the variances of measures and their degrees of freedom: third and fourth central moments of
    the squared and of the absolute errors, and second and fourth powers of the influence of the
    cases on log(1 − R²) and on Pearson's correlation, all as sums.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        if self.frame.schema != REGRESSION_SCHEMA:
            message = f"regression sums need {REGRESSION_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def _sum_by(cases: pl.LazyFrame, keys: tuple[str, ...]) -> pl.LazyFrame:
    # Lists, because sums over groups depend in their last digit on the number of threads.
    truth, prediction = pl.col("truth"), pl.col("prediction")
    groups = cases.group_by(keys, maintain_order=True).agg(truth, prediction)
    with_errors = groups.with_columns(error=truth - prediction)
    error = pl.col("error")
    squared_error, absolute_error = error * error, error.list.eval(pl.element().abs())
    squared_deviation = _deviation(truth) * _deviation(truth)
    spread_of_errors, spread_of_sizes = _deviation(squared_error), _deviation(absolute_error)
    r2_influence = (
        squared_error / squared_error.list.sum() - squared_deviation / squared_deviation.list.sum()
    )
    pearson_influence = _pearson_influence(truth, prediction)
    return with_errors.select(
        *keys,
        cases=truth.list.len().cast(pl.Float64),
        squared_errors=squared_error.list.sum(),
        absolute_errors=absolute_error.list.sum(),
        true_spread=_sum_of_products(truth, truth),
        predicted_spread=_sum_of_products(prediction, prediction),
        common_spread=_sum_of_products(truth, prediction),
        quartic_errors=(squared_error * squared_error).list.sum(),
        squared_error_cubes=_power_sum(spread_of_errors, 3),
        squared_error_quartics=_power_sum(spread_of_errors, 4),
        absolute_error_cubes=_power_sum(spread_of_sizes, 3),
        absolute_error_quartics=_power_sum(spread_of_sizes, 4),
        r2_squares=_power_sum(r2_influence, 2),
        r2_quartics=_power_sum(r2_influence, 4),
        pearson_squares=_power_sum(pearson_influence, 2),
        pearson_quartics=_power_sum(pearson_influence, 4),
    )


def _pearson_influence(truth: pl.Expr, prediction: pl.Expr) -> pl.Expr:
    """Return the influence of each case on Pearson's correlation, times the number of cases."""
    first, second = (_standardize(_deviation(values)) for values in (truth, prediction))
    common = first * second
    return common - (first * first + second * second) * common.list.mean() / 2


def _standardize(deviation: pl.Expr) -> pl.Expr:
    return deviation / (deviation * deviation).list.mean().sqrt()


def _power_sum(values: pl.Expr, exponent: int) -> pl.Expr:
    power = values
    for _ in range(exponent - 1):
        power = power * values
    return power.list.sum()


def _deviation(values: pl.Expr) -> pl.Expr:
    return values - values.list.mean()


def _sum_of_products(left: pl.Expr, right: pl.Expr) -> pl.Expr:
    """Sum the products of deviations from the means: exactly 0 for values that are all equal."""
    products = _deviation(left) * _deviation(right)
    # The mean of equal numbers may differ from them in the last digit, which would give a tiny
    # variance, and a correlation of rounding errors.
    constant = pl.any_horizontal([array.list.min() == array.list.max() for array in (left, right)])
    return pl.when(constant).then(0.0).otherwise(products.list.sum())


# Bins in each direction of a scatter plot; finer ones could not be distinguished.
SCATTER_BINS = 48
# The smallest size of a group whose median is computed, and the largest number of groups.
MIN_GROUP_SIZE, MAX_GROUPS = 8, 10
WIDE_QUANTILE, MAX_DRAWABLE = 0.9, 1e200
SCATTER_CELL_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "plot": pl.String,
        "column": pl.Int64,
        "row": pl.Int64,
        "cases": pl.Int64,
        "x": pl.Float64,
        "y": pl.Float64,
    }
)
RESIDUAL_GROUP_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "group": pl.Int64,
        "cases": pl.Int64,
        "minimum": pl.Float64,
        "median": pl.Float64,
        "maximum": pl.Float64,
        "residual": pl.Float64,
        "underpredicted": pl.Int64,
        "overpredicted": pl.Int64,
    }
)
RESIDUAL_QUANTILE_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "median_absolute_error": pl.Float64,
        "absolute_error_90": pl.Float64,
        "residual": pl.Float64,
    }
)
_TRUTH, _PREDICTION, _RESIDUAL = pl.col("truth"), pl.col("prediction"), pl.col("residual")


@dataclass(frozen=True, slots=True)
class ScatterSummary:
    """Binned scatter plots and residuals by classifier; a residual is true minus predicted.

    `cells` has the counts and means in the bins of two plots with the same axes for all
    classifiers: "truth" (x true, y predicted) and "residual" (x predicted, y residual).
    `residual_groups` has quantile groups of the predicted values: their range, their median and
    that of the residuals, and the numbers of under- and overpredicted cases.
    `residual_quantiles` has the median residual, and the quantiles 0.5 and 0.9 of absolute errors.
    """

    cells: pl.DataFrame
    residual_groups: pl.DataFrame
    residual_quantiles: pl.DataFrame

    def __post_init__(self) -> None:
        """Raise a TypeError if a frame has another schema."""
        frames = (self.cells, self.residual_groups, self.residual_quantiles)
        for frame, schema in zip(
            frames,
            (SCATTER_CELL_SCHEMA, RESIDUAL_GROUP_SCHEMA, RESIDUAL_QUANTILE_SCHEMA),
            strict=True,
        ):
            if frame.schema != schema:
                raise TypeError(f"a scatter summary needs {schema}, not {frame.schema}")

    def binned_points(self, classifier: str, plot: str, max_points: int) -> pl.DataFrame:
        """Return the cells of a plot, in bins so coarse that there are at most `max_points`."""
        cells = self.cells.filter(pl.col("classifier") == classifier, pl.col("plot") == plot)
        while cells.height > max_points:
            coarser = cells.with_columns(pl.col("column", "row") // 2)
            cells = _cell_means(coarser.lazy(), pl.col("cases")).collect()
        return cells.sort("column", "row")


def summarize_scatter(cases: pl.LazyFrame) -> ScatterSummary:
    """Bin the cases (classifier, truth, prediction), and group their residuals."""
    residuals = cases.select("classifier", "truth", "prediction", residual=_TRUTH - _PREDICTION)
    # Values whose sums would overflow are evaluated, but not plotted.
    drawable = residuals.filter(
        (pl.max_horizontal(_TRUTH.abs(), _PREDICTION.abs()) < MAX_DRAWABLE).all()
    )
    cells = pl.concat(
        [
            _scatter_cells(drawable, "truth", (_TRUTH, _PREDICTION), ("truth", "prediction")),
            _scatter_cells(
                drawable, "residual", (_PREDICTION, _RESIDUAL), ("prediction", "residual")
            ),
        ]
    )
    collected = pl.collect_all([cells, _residual_groups(drawable), _residual_quantiles(drawable)])
    return ScatterSummary(
        collected[0].sort("classifier", "plot", "column", "row"),
        collected[1].sort("classifier", "group"),
        collected[2].sort("classifier"),
    )


def _scatter_cells(
    cases: pl.LazyFrame, plot: str, axes: tuple[pl.Expr, pl.Expr], names: tuple[str, str]
) -> pl.LazyFrame:
    # Both axes have the same range, so that the diagonal is the line of equality.
    shared = plot == "truth"
    ranges = [names, names] if shared else [(name,) for name in names]
    x, y = (_bin_index(axis, over) for axis, over in zip(axes, ranges, strict=True))
    binned = cases.with_columns(
        x=axes[0], y=axes[1], column=x, row=y, plot=pl.lit(plot), cases=pl.lit(1, pl.Int64)
    )
    return _cell_means(binned, pl.col("cases"))


def _bin_index(value: pl.Expr, columns: tuple[str, ...]) -> pl.Expr:
    low = pl.min_horizontal(pl.col(name).min() for name in columns)
    high = pl.max_horizontal(pl.col(name).max() for name in columns)
    span = high - low
    share = pl.when(span > 0).then((value - low) / span).otherwise(0.5)
    return (share * SCATTER_BINS).floor().clip(0, SCATTER_BINS - 1).cast(pl.Int64)


def _cell_means(binned: pl.LazyFrame, cases: pl.Expr) -> pl.LazyFrame:
    """Return the number and the mean of the cases of each bin."""
    keys = ("classifier", "plot", "column", "row")
    # Lists, because sums over groups depend in their last digit on the number of threads.
    weighted = binned.with_columns(x=pl.col("x") * cases, y=pl.col("y") * cases)
    cells = weighted.group_by(keys, maintain_order=True).agg(cases.sum(), "x", "y")
    return cells.with_columns(
        x=pl.col("x").list.sum() / cases, y=pl.col("y").list.sum() / cases
    ).select(*SCATTER_CELL_SCHEMA)


def _residual_groups(cases: pl.LazyFrame) -> pl.LazyFrame:
    """Return the residuals in quantile groups of the predictions; ties stay in one group."""
    size, rank = pl.len().over("classifier"), _PREDICTION.rank("min").over("classifier")
    groups = (size // MIN_GROUP_SIZE).clip(1, MAX_GROUPS).cast(pl.Int64)
    grouped = cases.with_columns(groups=groups, number=size, place=rank.cast(pl.Int64)).select(
        "classifier",
        "residual",
        value=_PREDICTION,
        group=(pl.col("place") - 1) * pl.col("groups") // pl.col("number"),
    )
    value = pl.col("value")
    return grouped.group_by("classifier", "group").agg(
        cases=pl.len().cast(pl.Int64),
        minimum=value.min(),
        median=value.median(),
        maximum=value.max(),
        residual=_RESIDUAL.median(),
        underpredicted=(_RESIDUAL > 0).sum().cast(pl.Int64),
        overpredicted=(_RESIDUAL < 0).sum().cast(pl.Int64),
    )


def _residual_quantiles(cases: pl.LazyFrame) -> pl.LazyFrame:
    return cases.group_by("classifier").agg(
        median_absolute_error=_RESIDUAL.abs().quantile(0.5, "linear"),
        absolute_error_90=_RESIDUAL.abs().quantile(WIDE_QUANTILE, "linear"),
        residual=_RESIDUAL.median(),
    )
