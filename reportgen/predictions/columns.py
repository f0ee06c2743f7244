"""One column at a time: texts and numbers, cast strictly, every fault with its row."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import Fault, Place
from reportgen.errors.data_faults import (
    COLUMN_TYPE,
    NOT_A_NUMBER,
    NOT_FINITE,
    VALUE_MISSING,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from reportgen.predictions.table import Table

# As pandas, R, SQL and Excel write them; `none` in small letters is a word like any other.
MISSING_SIGNS = frozenset(
    ("NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "NaT", "None", "null", "NULL")
)
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime)


def class_column(
    table: Table, frame: pl.DataFrame, role: str, name: str, known: Collection[str] = ()
) -> tuple[pl.Series, list[Fault]]:
    """Return a column of classes as text; what programs write for nothing is not a class."""
    values, faults = label_column(table, frame, role, name)
    if len(values) < frame.height:
        return values, faults
    found = pl.DataFrame({"row": frame["row"], "value": values}).filter(
        pl.col("value").is_in(sorted(MISSING_SIGNS.difference(known))) & ~_is_nan(frame[role])
    )
    return values, faults + table.faults_at(
        VALUE_MISSING,
        found,
        lambda value: f"{table.said(name)}: {value!r} is how a missing value is written",
        lambda value: (
            "fill the cell, or remove the row; if it is the name of a class, list it:"
            f' `classes = ["{value}", …]` under `[task]`'
        ),
    )


def label_column(
    table: Table, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Fault]]:
    """Return a column of labels as text, and the faults found in it."""
    values = frame[role]
    if not (values.dtype.is_numeric() or isinstance(values.dtype, TEXT_TYPES)):
        return pl.Series(role, [], pl.String), [_type_fault(table, name, values.dtype, "a text")]
    written = values.cast(pl.String)
    # A float NaN in a column of labels is how data frames write a missing one.
    empty = written.is_null() | (written == "") | _is_nan(values)
    return written, _missing_faults(table, frame, empty, name)


def key_column(
    table: Table, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Fault]]:
    """Return a column of ids or folds as text, and the faults found in it."""
    values = frame[role]
    written = _whole_as_text(values) if values.dtype.is_float() else values
    return label_column(table, frame.with_columns(written.alias(role)), role, name)


def number_column(
    table: Table, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Fault]]:
    """Return a column of finite numbers, and the faults found in it."""
    values = frame[role]
    if isinstance(values.dtype, (pl.Categorical, pl.Enum)):
        values = values.cast(pl.String)
    if not (values.dtype.is_numeric() or values.dtype == pl.String):
        return pl.Series(role, [], pl.Float64), [_type_fault(table, name, values.dtype, "a number")]
    numbers = values.cast(pl.Float64, strict=False)
    empty = (values.is_null() | (values == "")) if values.dtype == pl.String else values.is_null()
    faults = _missing_faults(table, frame, empty, name)
    rows = pl.DataFrame({"row": frame["row"], "value": values.cast(pl.String)})
    faults += table.faults_at(
        NOT_A_NUMBER,
        rows.filter(numbers.is_null() & ~empty),
        lambda value: f"{table.said(name)}: {value!r} is not a number",
        advice_on_number,
    )
    faults += table.faults_at(
        NOT_FINITE,
        rows.filter(numbers.is_not_null() & ~numbers.is_finite()),
        lambda value: f"{table.said(name)}: {value!r} is not a finite number",
        lambda _: "mend whatever wrote it, or remove the row",
    )
    return numbers.rename(role), faults


def advice_on_number(value: str) -> str | None:
    """Return how a value that is almost a number should be written."""
    bare = re.sub(r"[\s\u00a0\u202f]", "", value)
    if bare != value and _is_plain(bare):
        return f"there is a space in it: write {bare}"
    if bare.endswith("%") and _is_plain(bare[:-1].replace(",", ".")):
        return f"a percentage? write {float(bare[:-1].replace(',', '.')) / 100:g}"
    if bare.count(",") == 1 and _is_plain(bare.replace(",", ".")):
        return f"a decimal comma? write {bare.replace(',', '.')}"
    if bare.casefold() in {"na", "n/a", "null", "none", "-", "?"}:
        return "a missing value? every case needs one"
    return None


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) is not None


def _whole_as_text(values: pl.Series) -> pl.Series:
    """Write floats that are all whole as integers, since 1.0 means id 1."""
    finite = values.drop_nulls().drop_nans()
    # Beyond 2**53 neighbouring whole numbers share one float.
    whole = finite.is_empty() or bool(((finite == finite.floor()) & (finite.abs() < 2**53)).all())
    if not whole:
        return values
    return values.fill_nan(None).cast(pl.Int64)


def _is_nan(values: pl.Series) -> pl.Series:
    if values.dtype.is_float():
        return values.is_nan().fill_null(value=False)
    return pl.Series(values.name, [False], pl.Boolean).new_from_index(0, len(values))


def _missing_faults(table: Table, frame: pl.DataFrame, empty: pl.Series, name: str) -> list[Fault]:
    found = pl.DataFrame({"row": frame["row"], "value": ""}).filter(empty)
    return table.faults_at(
        VALUE_MISSING,
        found,
        lambda _: f"{table.said(name)}: the value is missing",
        lambda _: "fill the cell, or remove the row",
    )


def _type_fault(table: Table, name: str, dtype: pl.DataType, wanted: str) -> Fault:
    holds = "no value in any row" if dtype == pl.Null else f"{dtype}, not {wanted}"
    message = f"{table.said(name)} holds {holds}"
    return Fault(COLUMN_TYPE, message, Place(table.path))
