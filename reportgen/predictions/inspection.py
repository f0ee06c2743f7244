"""What is in a prediction file, so that a spec for it can be written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.predictions.table import Table, open_table

if TYPE_CHECKING:
    from pathlib import Path

ColumnKind = Literal["text", "integer", "number", "boolean"]
_EXAMPLES = 30
_MOST_COLUMNS = 200


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """A column by its values."""

    name: str
    kind: ColumnKind
    distinct: int
    minimum: float | None
    maximum: float | None
    examples: tuple[str, ...]
    unique: bool


@dataclass(frozen=True, slots=True)
class FileDescription:
    """A file by its columns."""

    columns: tuple[ColumnDescription, ...]
    rows: int


def describe_file(path: Path) -> FileDescription:
    """Describe the columns of a file; those whose name is blank or not unique are left out."""
    table = open_table(path)
    times = Counter(table.names)
    names = [name for name in table.names if name.strip() and times[name] == 1]
    read = _read(table, names[:_MOST_COLUMNS])
    described = (_describe(name, read[name]) for name in read.columns)
    return FileDescription(tuple(each for each in described if each is not None), read.height)


def _read(table: Table, names: list[str]) -> pl.DataFrame:
    read = table.read({f"c{number}": name for number, name in enumerate(names)}).drop("row")
    return read.rename({f"c{number}": name for number, name in enumerate(names)})


def _describe(name: str, values: pl.Series) -> ColumnDescription | None:
    if values.dtype.is_nested() or values.dtype in {pl.Binary, pl.Object}:
        return None
    texts = values.cast(pl.String).drop_nulls()
    distinct = texts.unique(maintain_order=True)
    kind = _kind(values, distinct)
    numbers = texts.cast(pl.Float64, strict=False) if kind in {"integer", "number"} else None
    return ColumnDescription(
        name=name,
        kind=kind,
        distinct=len(distinct),
        minimum=None if numbers is None else _float(numbers.min()),
        maximum=None if numbers is None else _float(numbers.max()),
        examples=tuple(distinct.head(_EXAMPLES)),
        unique=len(distinct) == len(values) > 0,
    )


def _kind(values: pl.Series, distinct: pl.Series) -> ColumnKind:
    if values.dtype == pl.Boolean:
        return "boolean"
    if values.dtype.is_integer():
        return "integer"
    if values.dtype.is_numeric():
        return "number"
    if distinct.is_empty():
        return "text"
    if set(distinct.head(3).str.to_lowercase()) <= {"true", "false"}:
        return "boolean"
    if bool(distinct.str.contains(r"^[+-]?\d+$").all()):
        return "integer"
    numeric = distinct.cast(pl.Float64, strict=False).null_count() == 0
    return "number" if numeric else "text"


def _float(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
