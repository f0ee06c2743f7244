"""Columns in as few bytes as they need, read in one plan; what looks odd is looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.predictions.columns import MISSING_SIGNS, TEXT_TYPES
from reportgen.predictions.engines.aggregation import count_alike

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from reportgen.predictions.table import Table

Kind = Literal["label", "key", "id", "number", "hint"]
# So many scores tell whether there are few different ones.
_SAMPLE, _FEW = 50_000, 0.1


def read_compact(
    table: Table,
    columns: Mapping[str, str],
    kinds: Mapping[str, Kind],
    known: Collection[str] = (),
    *,
    together: bool = False,
) -> pl.DataFrame | None:
    """Read columns (new name -> name in the file), labels as categories; None if they look odd.

    Equal rows are counted `together` if asked for, unless their scores differ too much: then each
    has a `count` and the first `row`. Otherwise a row is where it stands, unless `row` says so.
    """
    try:
        frame = _collected(table, columns, kinds, together=together)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None
    if frame is None or frame.is_empty() or not table.is_regular(frame):
        return None
    texts = [role for role, kind in kinds.items() if kind in {"label", "key", "hint"}]
    different = frame.lazy().select(texts).unique().collect(engine="streaming")
    if any(
        _is_odd(different[role] if role in texts else frame[role], kind, known)
        for role, kind in kinds.items()
    ):
        return None
    return frame.drop("short", strict=False).with_columns(pl.col(texts).cast(pl.Categorical))


def _collected(
    table: Table, columns: Mapping[str, str], kinds: Mapping[str, Kind], *, together: bool
) -> pl.DataFrame | None:
    scanned = table.scan(columns)
    schema = scanned.collect_schema()
    if not all(_is_certain(schema[role], kind) for role, kind in kinds.items()):
        return None
    numbers = [role for role, kind in kinds.items() if kind == "number"]
    together = together and _are_few(scanned.select(numbers), both_ends=not table.is_text)
    values = [_value(schema[role], role, kind, as_text=together) for role, kind in kinds.items()]
    if "short" in schema:
        values.append(pl.col("short"))
    if together:
        keys = [*kinds, *(["short"] if "short" in schema else [])]
        rows = scanned.select("row", *values)
        counted = count_alike(rows, keys, pl, row=pl.col("row").min())
        return counted.collect(engine="streaming").sort("row")
    # Where every row is read, it is known by its place.
    where = ["row"] if table.where or table.scanned is not None else []
    return scanned.select(*where, *values).collect(engine="streaming")


def _is_certain(dtype: pl.DataType, kind: Kind) -> bool:
    """Tell whether a column of this type is read one way whatever its values are."""
    if kind == "number":
        return dtype.is_numeric() or dtype == pl.String
    # Whether 1.0 is an id or the number 1 is told by all ids together.
    if dtype.is_float() and kind in {"key", "id"}:
        return False
    return dtype.is_numeric() or isinstance(dtype, TEXT_TYPES)


def _are_few(numbers: pl.LazyFrame, *, both_ends: bool) -> bool:
    """Tell whether counting equal rows together pays: not if their numbers mostly differ.

    A file in the order of its numbers may have equal ones at one end only, so `both_ends` are
    looked at; not those of a text, all of which would have to be read for it.
    """
    if not numbers.collect_schema():
        return True
    samples = [numbers.head(_SAMPLE), *([numbers.tail(_SAMPLE)] if both_ends else [])]
    return all(
        sample.height == _SAMPLE and sample.n_unique() < _FEW * _SAMPLE
        for sample in pl.collect_all(samples, engine="streaming")
    )


def _value(dtype: pl.DataType, role: str, kind: Kind, *, as_text: bool) -> pl.Expr:
    column = pl.col(role)
    if kind == "number":
        return column.cast(pl.Float64, strict=False)
    # A float NaN in a column of labels is how data frames write a missing one.
    if dtype.is_float():
        column = column.fill_nan(None)
    text = column.cast(pl.String)
    return text if kind == "id" or as_text else text.cast(pl.Categorical)


def _is_odd(values: pl.Series, kind: Kind, known: Collection[str]) -> bool:
    """Tell whether a column has values that may be faults."""
    if kind == "hint":
        return False
    if values.null_count():
        return True
    if kind == "number":
        return not values.is_finite().all()
    if kind == "id":
        return bool(((values == "") | values.str.contains("\0", literal=True)).any())
    signs = {"", *(MISSING_SIGNS.difference(known) if kind == "label" else ())}
    return any(value in signs or "\0" in value for value in values.unique().cast(pl.String))
