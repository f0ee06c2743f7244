"""Columns in as few bytes as they need, read in one plan; what looks odd is looked at closely."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.predictions.class_places import by_comparison
from reportgen.predictions.columns import MISSING_SIGNS, TEXT_TYPES
from reportgen.predictions.engines.aggregation import count_alike

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from reportgen.predictions.table import Table

Kind = Literal["label", "key", "id", "number", "hint"]
# So many rows tell whether there are few different scores, and which labels there are.
_SAMPLE, _FEW = 50_000, 0.1
# Comparing with so few labels is faster than looking each up among all texts.
_MOST_LABELS = 8


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
    classes = {
        role: dtype.categories for role, dtype in frame.schema.items() if isinstance(dtype, pl.Enum)
    }
    looked_up = [role for role in texts if role not in classes]
    found = {role: frame[role].unique() for role in looked_up}
    different = {**frame.to_dict(), **found, **classes}
    if any(_is_odd(different[role], kind, known) for role, kind in kinds.items()):
        return None
    return frame.drop("short", strict=False).with_columns(pl.col(looked_up).cast(pl.Categorical))


def _collected(
    table: Table, columns: Mapping[str, str], kinds: Mapping[str, Kind], *, together: bool
) -> pl.DataFrame | None:
    scanned = table.scan(columns)
    schema = scanned.collect_schema()
    if not all(_is_certain(schema[role], kind) for role, kind in kinds.items()):
        return None
    numbers = [role for role, kind in kinds.items() if kind == "number"]
    labels = [role for role, kind in kinds.items() if kind == "label"]
    counted = together and not numbers
    samples = [] if counted else _samples(scanned.select(numbers + labels), table)
    together = together and all(_are_few(sample.select(numbers)) for sample in samples)
    values = {
        role: _value(schema[role], role, kind, as_text=together) for role, kind in kinds.items()
    }
    short = {"short": pl.col("short")} if "short" in schema else {}
    if together:
        rows = scanned.select("row", **values, **short)
        alike = count_alike(rows, [*kinds, *short], pl, row=pl.col("row").min())
        return alike.collect(engine="streaming").sort("row")
    # Where every row is read, it is known by its place.
    where = ["row"] if table.where or table.scanned is not None else []
    compared = _compared_labels(samples, labels)
    if compared:
        coded = scanned.select("row", **{**values, **compared}, **short)
        frame = _in_order(coded.collect(engine="streaming"))
        if not any(frame[role].null_count() for role in compared):
            return frame if where else frame.drop("row")
        # Beyond the sample there are other labels.
    return scanned.select(*where, **values, **short).collect(engine="streaming")


def _in_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows as they stand in the file.

    polars 2.1 reads them in any order if columns are only compared, and nothing else of them is
    asked for; asked for their numbers it does not, and this makes sure.
    """
    return frame if frame["row"].is_sorted() else frame.sort("row")


def _samples(columns: pl.LazyFrame, table: Table) -> list[pl.DataFrame]:
    """Return the first rows, and the last ones unless all of a text would have to be read for it.

    A file in the order of its numbers may have equal ones at one end only.
    """
    ends = [columns.head(_SAMPLE), *([] if table.is_text else [columns.tail(_SAMPLE)])]
    # Not in one plan, which would scan the whole file for both.
    return [end.collect(engine="streaming") for end in ends]


def _compared_labels(samples: Sequence[pl.DataFrame], roles: Sequence[str]) -> dict[str, pl.Expr]:
    """Return labels as classes of one byte, if few are found: null where another one stands."""
    if not roles or samples[0].height < _SAMPLE:
        return {}
    found = {
        role: pl.concat(sample[role] for sample in samples).drop_nulls().unique() for role in roles
    }
    # Not floats, of which two may be equal and not be written alike: 0 and −0.
    certain = (
        len(values) and (values.dtype.is_integer() or values.dtype in (pl.String, pl.Boolean))
        for values in found.values()
    )
    texts = sorted({text for values in found.values() for text in values.cast(pl.String)})
    if not all(certain) or len(texts) > _MOST_LABELS:
        return {}
    classes = pl.Enum(texts)
    return {role: by_comparison(role, values, classes) for role, values in found.items()}


def _is_certain(dtype: pl.DataType, kind: Kind) -> bool:
    """Tell whether a column of this type is read one way whatever its values are."""
    if kind == "number":
        return dtype.is_numeric() or dtype == pl.String
    # Whether 1.0 is an id or the number 1 is told by all ids together.
    if dtype.is_float() and kind in {"key", "id"}:
        return False
    return dtype.is_numeric() or isinstance(dtype, TEXT_TYPES)


def _are_few(numbers: pl.DataFrame) -> bool:
    """Tell whether counting equal rows together pays: not if their numbers mostly differ."""
    return numbers.height == _SAMPLE and numbers.n_unique() < _FEW * _SAMPLE


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
