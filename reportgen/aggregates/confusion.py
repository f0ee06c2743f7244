"""Confusion counts by classifier and fold, and the sums that measures are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from reportgen.predictions.duplicates import count_label_combinations, sum_counts, sum_groups

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    ClassIndices: TypeAlias = npt.NDArray[np.int64]

GROUP_KEYS = ("classifier", "fold")


def confusion_schema(classes: Sequence[str], *, weighted: bool = False) -> pl.Schema:
    """Return the schema of confusion counts; labels are an enumeration of the classes.

    Counts of weighted cases are sums of weights, whose mean over the cases is 1.
    """
    label = pl.Enum(classes)
    return pl.Schema(
        {
            "classifier": pl.String(),
            "fold": pl.String(),
            "truth": label,
            "prediction": label,
            "count": pl.Float64() if weighted else pl.Int64(),
        }
    )


def count_confusion(
    cases: Mapping[str, pl.DataFrame], classes: Sequence[str], counts: pl.Series | None = None
) -> pl.DataFrame:
    """Count cases by classifier, fold, truth and prediction.

    Args:
        cases: fold, truth and prediction of each case, by classifier.
        classes: the classes in their order.
        counts: the case weights of aggregated rows, or None if each row is one case.

    Returns:
        The counts of each fold, and with a null fold those over all folds.
    """
    schema = confusion_schema(classes, weighted=counts is not None and counts.dtype.is_float())
    by_fold = [
        count_label_combinations(frame, counts)
        .with_columns(pl.lit(name).alias("classifier"))
        .select(pl.col(column).cast(dtype) for column, dtype in schema.items())
        for name, frame in cases.items()
    ]
    cell_counts = pl.concat(pl.collect_all(by_fold, engine="streaming"))
    in_folds = cell_counts.filter(pl.col("fold").is_not_null())
    if in_folds.is_empty():
        return cell_counts
    keys = [pl.col(name) for name in ("classifier", "truth", "prediction")]
    pooled = sum_counts(cell_counts.lazy(), keys, schema["count"]).collect()
    in_all = pooled.with_columns(fold=pl.lit(None, pl.String)).select(list(schema))
    return pl.concat([in_all, in_folds])


# Without slots, so that the margins can be cached.
@dataclass(frozen=True)
class ConfusionCounts:
    """The confusion matrix of each classifier, over all folds and by fold."""

    frame: pl.DataFrame
    classes: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raise a TypeError if the frame has another schema."""
        schema = confusion_schema(self.classes, weighted=self.is_weighted)
        if self.frame.schema != schema:
            message = f"confusion counts need {schema}, not {self.frame.schema}"
            raise TypeError(message)

    @property
    def is_weighted(self) -> bool:
        """Whether counts are sums of weights."""
        return self.frame.schema.get("count") == pl.Float64

    def matrix(self, classifier: str, fold: str | None = None) -> tuple[tuple[int, ...], ...]:
        """Return the confusion matrix, rows true and columns predicted, in the classes' order."""
        truth, prediction, counts = self.cells(classifier, fold)
        matrix = np.zeros((len(self.classes), len(self.classes)), counts.dtype)
        matrix[truth, prediction] = counts
        return tuple(map(tuple, matrix.tolist()))

    def cells(
        self, classifier: str, fold: str | None = None
    ) -> tuple[ClassIndices, ClassIndices, ClassIndices]:
        """Return indices of true and predicted classes, and the counts, of non-empty cells."""
        cell_counts = self._select(classifier, fold).select(
            pl.col("truth", "prediction").to_physical().cast(pl.Int64), "count"
        )
        truth, prediction, counts = (column.to_numpy() for column in cell_counts.iter_columns())
        return truth, prediction, counts

    def counts(self, classifier: str, class_: str) -> tuple[float, float, float, float]:
        """Return tp, fn, fp and tn of a class against the rest, over all folds."""
        is_class, is_predicted = pl.col("truth") == class_, pl.col("prediction") == class_
        cells = (
            is_class & is_predicted,
            is_class & ~is_predicted,
            ~is_class & is_predicted,
            ~is_class & ~is_predicted,
        )
        cell_counts = self._select(classifier, None).select(
            pl.col("count").filter(cell).sum().alias(str(at)) for at, cell in enumerate(cells)
        )
        tp, fn, fp, tn = cell_counts.row(0)
        return tp, fn, fp, tn

    def _select(self, classifier: str, fold: str | None) -> pl.DataFrame:
        in_fold = pl.col("fold").is_null() if fold is None else pl.col("fold") == fold
        rows = self.frame.filter(pl.col("classifier") == classifier, in_fold)
        return rows.select("truth", "prediction", "count")

    def folds(self, classifier: str) -> tuple[str, ...]:
        """Return the folds of a classifier, in the order of the frame."""
        of_classifier = self.frame.filter(pl.col("classifier") == classifier)
        names = of_classifier.get_column("fold").drop_nulls()
        return tuple(names.unique(maintain_order=True))

    @cached_property
    def margins(self) -> pl.DataFrame:
        """The true, predicted and correctly predicted cases by classifier, fold and class."""
        counts = self.frame.lazy()
        right = pl.col("count").filter(pl.col("truth") == pl.col("prediction"))
        true = sum_groups(
            counts,
            [*GROUP_KEYS, pl.col("truth").alias("class")],
            true=pl.col("count"),
            right=right,
        )
        predicted = sum_groups(
            counts,
            [*GROUP_KEYS, pl.col("prediction").alias("class")],
            predicted=pl.col("count"),
        )
        label = self.frame.schema["truth"]
        every_class = pl.LazyFrame({"class": self.classes}, schema={"class": label})
        joined = (
            counts.select(GROUP_KEYS)
            .unique(maintain_order=True)
            .join(every_class, how="cross", maintain_order="left_right")
        )
        keys = [*GROUP_KEYS, "class"]
        return (
            joined.join(true, on=keys, how="left", nulls_equal=True, maintain_order="left")
            .join(predicted, on=keys, how="left", nulls_equal=True, maintain_order="left")
            .with_columns(
                pl.col("class").cast(pl.String), pl.col("true", "right", "predicted").fill_null(0)
            )
            .collect()
        )

    def counts_per_class(self) -> pl.LazyFrame:
        """Return tp, fn, fp and tn of each class against the rest."""
        margins, total = self.margins.lazy(), pl.col("total")
        totals = sum_groups(margins, GROUP_KEYS, total=pl.col("true"))
        with_totals = margins.join(
            totals, on=GROUP_KEYS, how="left", nulls_equal=True, maintain_order="left"
        )
        return with_totals.select(
            *GROUP_KEYS,
            "class",
            tp=pl.col("right"),
            fn=pl.col("true") - pl.col("right"),
            fp=pl.col("predicted") - pl.col("right"),
            tn=total - pl.col("true") - pl.col("predicted") + pl.col("right"),
        )

    def overall_counts(self) -> dict[tuple[str, str], tuple[float, float, float, float]]:
        """Return tp, fn, fp and tn over all folds, by classifier and class."""
        overall = self.counts_per_class().filter(pl.col("fold").is_null())
        columns = pl.col("class").cast(pl.String), "tp", "fn", "fp", "tn"
        rows = overall.select("classifier", *columns).collect().rows()
        return {(classifier, class_): tuple(counts) for classifier, class_, *counts in rows}

    def matrix_sums(self) -> pl.LazyFrame:
        """Return the total, the diagonal and the sums of margins, for measures of the matrix."""
        true, predicted = pl.col("true").cast(pl.Float64), pl.col("predicted").cast(pl.Float64)
        margins = self.margins.lazy()
        recalls = margins.group_by(GROUP_KEYS, maintain_order=True).agg(
            mean_recall=(pl.col("right") / true).filter(true > 0)
        )
        return (
            sum_groups(
                margins,
                GROUP_KEYS,
                correct=pl.col("right"),
                total=pl.col("true"),
                margin_products=true * predicted,
                true_squares=true.pow(2),
                predicted_squares=predicted.pow(2),
            )
            .join(
                recalls.with_columns(pl.col("mean_recall").list.mean()),
                on=GROUP_KEYS,
                nulls_equal=True,
                maintain_order="left",
            )
            .join(self._rank_errors(), on=GROUP_KEYS, nulls_equal=True, maintain_order="left")
            .join(
                margins.group_by(GROUP_KEYS, maintain_order=True).agg(
                    _chance_rank_errors(true, predicted)
                ),
                on=GROUP_KEYS,
                nulls_equal=True,
                maintain_order="left",
            )
        )

    def _rank_errors(self) -> pl.LazyFrame:
        """Return the sums of the places between true and predicted classes, in their order."""
        rank = pl.col("truth", "prediction").to_physical().cast(pl.Int64)
        places, count = (pl.col("truth") - pl.col("prediction")).abs(), pl.col("count")
        return sum_groups(
            self.frame.lazy().with_columns(rank),
            GROUP_KEYS,
            rank_errors=places * count,
            squared_rank_errors=places**2 * count,
            within_one_class=count.filter(places <= 1),
        )


def _chance_rank_errors(true: pl.Expr, predicted: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return the sums over all pairs of classes of places, or their squares, times both margins.

    The rows are the classes in their order. Every boundary between two classes counts the pairs
    that it separates.
    """
    place = pl.int_range(pl.len()).cast(pl.Float64)
    below, predicted_below = true.cum_sum(), predicted.cum_sum()
    separated = below * (predicted.sum() - predicted_below) + (true.sum() - below) * predicted_below
    squares = (
        (place**2 * true).sum() * predicted.sum()
        + (place**2 * predicted).sum() * true.sum()
        - 2 * (place * true).sum() * (place * predicted).sum()
    )
    return (
        separated.sum().alias("chance_rank_errors"),
        squares.alias("chance_squared_rank_errors"),
    )
