"""Probabilities: one column per class, between 0 and 1, adding up to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors.data_faults import NOT_A_PROBABILITY
from reportgen.predictions.columns import number_column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.errors import Fault
    from reportgen.predictions.table import Table

_TOLERANCE = 1e-3


def probability_faults(table: Table, pattern: str, classes: Sequence[str]) -> list[Fault]:
    """Return what is wrong with the probabilities of a file."""
    columns = {label: pattern.replace("{class}", label) for label in classes}
    faults = table.missing({f"data.probabilities of {label}": n for label, n in columns.items()})
    if faults:
        return faults
    read = table.read({f"p{number}": name for number, name in enumerate(columns.values())})
    cast: list[pl.Series] = [read["row"]]
    for number, name in enumerate(columns.values()):
        values, found = number_column(table, read, f"p{number}", name)
        faults.extend(found)
        if len(values) == read.height:
            cast.append(values)
    frame = pl.DataFrame(cast)
    for number, name in enumerate(columns.values()):
        if f"p{number}" in frame.columns:
            faults += _outside(table, frame.select("row", value=f"p{number}"), name)
    return faults + (_not_one(table, frame) if len(cast) == len(columns) + 1 else [])


def _outside(table: Table, values: pl.DataFrame, name: str) -> list[Fault]:
    return table.faults_at(
        NOT_A_PROBABILITY,
        values.filter(pl.col("value").is_finite() & ~pl.col("value").is_between(0, 1)),
        lambda value: f"column `{name}`: {value} is not between 0 and 1",
        _advice,
    )


def _advice(value: str) -> str | None:
    share = float(value) / 100
    return f"a percentage? write {share:g}" if 0 < share <= 1 else None


def _not_one(table: Table, frame: pl.DataFrame) -> list[Fault]:
    # Of a row with a value that is no probability its sum says nothing more.
    sound = frame.filter(
        pl.all_horizontal(pl.exclude("row").is_between(0, 1).fill_null(value=False))
    )
    sums = sound.select("row", value=pl.sum_horizontal(pl.exclude("row")).round(6))
    return table.faults_at(
        NOT_A_PROBABILITY,
        sums.filter((pl.col("value") - 1).abs() > _TOLERANCE),
        lambda value: f"the probabilities of the row add up to {value}, not to 1",
    )
