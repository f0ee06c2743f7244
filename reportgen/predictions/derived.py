"""Columns that are made from those of a file, and rows that are kept by what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import NO_ROWS
from reportgen.frozen import frozen
from reportgen.predictions.files import natural_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from reportgen.errors import Address

_MOST_VALUES = 8


@frozen
class Derived:
    """A column made from others of its file: their names, and how it is made from them."""

    needs: tuple[str, ...]
    expression: pl.Expr


def written(name: str) -> pl.Expr:
    """Return a column as the file has it, for the expression of a derived one."""
    return pl.col(written_name(name))


def written_name(name: str) -> str:
    """Return a name that no column has by which a file is read."""
    return f"= {name}"


def is_value(column: pl.Expr, value: str | float) -> pl.Expr:
    """Tell where a column has a value; numbers are compared as numbers, and 0.10 is 0.1."""
    text = column.cast(pl.String)
    if isinstance(value, bool):
        return text.str.to_lowercase() == str(value).lower()
    if isinstance(value, str):
        return text == value
    return text.cast(pl.Float64, strict=False) == value


def rows_asked(where: Mapping[str, str | float]) -> pl.Expr:
    """Tell which rows have every value asked for."""
    asked = (is_value(written(f"where {name}"), value) for name, value in where.items())
    return pl.all_horizontal(asked)


def keep_rows(
    path: Path | Address, frame: pl.DataFrame, where: Mapping[str, str | float]
) -> pl.DataFrame:
    """Keep the rows that have every value asked for, or raise with the values there are."""
    kept = frame.filter(rows_asked(where))
    if not kept.is_empty():
        return kept.drop(written_name(f"where {name}") for name in where)
    told = "; ".join(
        f"`{name}` is {listed(frame[written_name(f'where {name}')].cast(pl.String).unique())}"
        for name in where
    )
    said = " and ".join(f"`{name}` = {value!r}" for name, value in where.items())
    raise DataError(Fault(NO_ROWS, f"no row has {said}", Place(path), f"in the file {told}"))


def listed(values: Iterable[str | None]) -> str:
    """Return some values in natural order."""
    ordered = sorted((value or "nothing" for value in values), key=natural_key)
    more = len(ordered) - _MOST_VALUES
    return ", ".join(ordered[:_MOST_VALUES]) + (f" and {more} more" if more > 0 else "")
