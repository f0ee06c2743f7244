"""How numeric predictions scatter: cases counted in bins of a plot, and medians along it."""

from __future__ import annotations

import polars as pl

from reportgen.frozen import frozen

# As many bins in each direction, so that a plot has dots no finer than the eye tells apart.
BINS = 48
# Medians of fewer cases than these say little; more groups than these nobody needs.
FEWEST_OF_A_GROUP, MOST_GROUPS = 8, 10
MOST, LARGEST = 0.9, 1e200
CELL_SCHEMA = pl.Schema(
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
GROUP_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "by": pl.String,
        "group": pl.Int64,
        "cases": pl.Int64,
        "least": pl.Float64,
        "middle": pl.Float64,
        "most": pl.Float64,
        "residual": pl.Float64,
        "too_low": pl.Int64,
        "too_high": pl.Int64,
    }
)
DISTANCE_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "half_within": pl.Float64,
        "most_within": pl.Float64,
        "residual": pl.Float64,
    }
)
TRUTH, PREDICTION, RESIDUAL = pl.col("truth"), pl.col("prediction"), pl.col("residual")


@frozen
class ScatterTally:
    """What plots of predictions show, by classifier; a residual is true minus predicted.

    `cells` counts cases in bins of two plots with the same axes for all, with their means: "truth"
    (x true, y predicted) and "residual" (x predicted, y residual). `groups` has cases in order of
    the prediction or of the truth, in groups of about equal size: the median of that order and of
    the residuals, and how many predictions were too low and too high. `distances` says how near
    half and nine in ten predictions are.
    """

    cells: pl.DataFrame
    groups: pl.DataFrame
    distances: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse frames of another shape."""
        frames = (self.cells, self.groups, self.distances)
        for frame, schema in zip(frames, (CELL_SCHEMA, GROUP_SCHEMA, DISTANCE_SCHEMA), strict=True):
            if frame.schema != schema:
                raise TypeError(f"a scatter tally needs {schema}, not {frame.schema}")

    def dots(self, classifier: str, plot: str, most: int) -> pl.DataFrame:
        """Return the cells of a plot, in coarser bins while there would be more than so many."""
        found = self.cells.filter(pl.col("classifier") == classifier, pl.col("plot") == plot)
        while found.height > most:
            coarser = found.with_columns(pl.col("column", "row") // 2)
            found = _means(coarser.lazy(), pl.col("cases")).collect()
        return found.sort("column", "row")


def count_scatter(cases: pl.LazyFrame) -> ScatterTally:
    """Count cases (classifier, truth, prediction) of all classifiers that are plotted together."""
    told = cases.select("classifier", "truth", "prediction", residual=TRUTH - PREDICTION)
    # Numbers whose sums are beyond any number can be measured, but not drawn.
    drawable = told.filter((pl.max_horizontal(TRUTH.abs(), PREDICTION.abs()) < LARGEST).all())
    cells = pl.concat(
        [
            _cells(drawable, "truth", (TRUTH, PREDICTION), ("truth", "prediction")),
            _cells(drawable, "residual", (PREDICTION, RESIDUAL), ("prediction", "residual")),
        ]
    )
    groups = pl.concat([_groups(drawable, "prediction"), _groups(drawable, "truth")])
    collected = pl.collect_all([cells, groups, _distances(drawable)])
    return ScatterTally(
        collected[0].sort("classifier", "plot", "column", "row"),
        collected[1].sort("classifier", "by", "group"),
        collected[2].sort("classifier"),
    )


def _cells(
    cases: pl.LazyFrame, plot: str, axes: tuple[pl.Expr, pl.Expr], names: tuple[str, str]
) -> pl.LazyFrame:
    # Truths and predictions share a scale, so that the diagonal is one.
    shared = plot == "truth"
    ranges = [names, names] if shared else [(name,) for name in names]
    x, y = (_bin(axis, over) for axis, over in zip(axes, ranges, strict=True))
    binned = cases.with_columns(
        x=axes[0], y=axes[1], column=x, row=y, plot=pl.lit(plot), cases=pl.lit(1, pl.Int64)
    )
    return _means(binned, pl.col("cases"))


def _bin(value: pl.Expr, over: tuple[str, ...]) -> pl.Expr:
    low = pl.min_horizontal(pl.col(name).min() for name in over)
    high = pl.max_horizontal(pl.col(name).max() for name in over)
    span = high - low
    share = pl.when(span > 0).then((value - low) / span).otherwise(0.5)
    return (share * BINS).floor().clip(0, BINS - 1).cast(pl.Int64)


def _means(binned: pl.LazyFrame, cases: pl.Expr) -> pl.LazyFrame:
    """Bring the cases of each bin together at their mean."""
    keys = ("classifier", "plot", "column", "row")
    # Lists, because sums over groups depend in their last digit on the number of threads.
    weighted = binned.with_columns(x=pl.col("x") * cases, y=pl.col("y") * cases)
    listed = weighted.group_by(keys, maintain_order=True).agg(cases.sum(), "x", "y")
    return listed.with_columns(
        x=pl.col("x").list.sum() / cases, y=pl.col("y").list.sum() / cases
    ).select(*CELL_SCHEMA)


def _groups(cases: pl.LazyFrame, by: str) -> pl.LazyFrame:
    """Put cases in order into groups; equal values are never parted."""
    number, place = pl.len().over("classifier"), pl.col(by).rank("min").over("classifier")
    groups = (number // FEWEST_OF_A_GROUP).clip(1, MOST_GROUPS).cast(pl.Int64)
    grouped = cases.with_columns(groups=groups, number=number, place=place.cast(pl.Int64)).select(
        "classifier",
        "residual",
        value=pl.col(by),
        by=pl.lit(by),
        group=(pl.col("place") - 1) * pl.col("groups") // pl.col("number"),
    )
    value = pl.col("value")
    return grouped.group_by("classifier", "by", "group").agg(
        cases=pl.len().cast(pl.Int64),
        least=value.min(),
        middle=value.median(),
        most=value.max(),
        residual=RESIDUAL.median(),
        too_low=(RESIDUAL > 0).sum().cast(pl.Int64),
        too_high=(RESIDUAL < 0).sum().cast(pl.Int64),
    )


def _distances(cases: pl.LazyFrame) -> pl.LazyFrame:
    return cases.group_by("classifier").agg(
        half_within=RESIDUAL.abs().quantile(0.5, "linear"),
        most_within=RESIDUAL.abs().quantile(MOST, "linear"),
        residual=RESIDUAL.median(),
    )
