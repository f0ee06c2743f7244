"""What two classifiers said of the same cases, counted for one class or by being right."""

from __future__ import annotations

import polars as pl

from reportgen.statistics.paired_table import Answers, PairedTable


def right_answers(frame: pl.DataFrame) -> Answers:
    """Count on how many cases both, one or neither of two classifiers are right."""
    return _answers(
        frame,
        pl.col("first_prediction") == pl.col("truth"),
        pl.col("second_prediction") == pl.col("truth"),
    )


def paired_table(frame: pl.DataFrame, label: str) -> PairedTable:
    """Count who says a class, on cases of that class and on the others."""
    says = pl.col("first_prediction") == label, pl.col("second_prediction") == label
    return PairedTable(
        _answers(frame.filter(pl.col("truth") == label), *says),
        _answers(frame.filter(pl.col("truth") != label), *says),
    )


def _answers(frame: pl.DataFrame, first: pl.Expr, second: pl.Expr) -> Answers:
    count = pl.col("count")
    counted = frame.select(
        both=count.filter(first & second).sum(),
        first_only=count.filter(first & ~second).sum(),
        second_only=count.filter(~first & second).sum(),
        neither=count.filter(~first & ~second).sum(),
    )
    return Answers(*counted.row(0))
