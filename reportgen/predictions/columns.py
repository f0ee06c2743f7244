"""One column at a time: texts and numbers, cast strictly, every fault with its row."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from reportgen.errors import Diagnostic, Location
from reportgen.errors.data import COLUMN_TYPE, NOT_A_NUMBER, NOT_FINITE, VALUE_MISSING
from reportgen.predictions.duplicates import group_count

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.table import PredictionTable


# As pandas, R, SQL and Excel write them; `none` in small letters is a word like any other.
MISSING_MARKERS = frozenset(
    ("NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "NaT", "None", "null", "NULL")
)
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime)


def parse_class_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str, known: Collection[str] = ()
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of classes as text; what programs write for nothing is not a class."""
    values, faults = parse_label_column(table, frame, role, name)
    if len(values) < frame.height:
        return values, faults
    found = pl.DataFrame({"row": frame["row"], "value": values}).filter(
        pl.col("value").is_in(sorted(MISSING_MARKERS.difference(known))) & ~_is_nan(frame[role])
    )
    return values, faults + table.row_diagnostics(
        VALUE_MISSING,
        found,
        lambda value: f"{table.describe_column(name)}: {value!r} is how a missing value is written",
        lambda value: (
            "fill in the value or remove the case; if it is the name of a class, list it in"
            f' `classes`: ["{value}", …]'
        ),
    )


def parse_label_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of labels as text, and the faults found in it."""
    values = frame[role]
    if not (values.dtype.is_numeric() or isinstance(values.dtype, TEXT_TYPES)):
        return pl.Series(role, [], pl.String), [
            _type_diagnostic(table, name, values.dtype, "a text")
        ]
    written = values.cast(pl.String)
    # A float NaN in a column of labels is how data frames write a missing one.
    empty = written.is_null() | (written == "") | _is_nan(values)
    return written, _missing_value_diagnostics(table, frame, empty, name)


def parse_key_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of ids or folds as text, and the faults found in it."""
    values = frame[role]
    written = _integral_floats_as_integers(values) if values.dtype.is_float() else values
    return parse_label_column(table, frame.with_columns(written.alias(role)), role, name)


def parse_number_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of finite numbers, and the faults found in it."""
    values = frame[role]
    if isinstance(values.dtype, (pl.Categorical, pl.Enum)):
        values = values.cast(pl.String)
    if not (values.dtype.is_numeric() or values.dtype == pl.String):
        return pl.Series(role, [], pl.Float64), [
            _type_diagnostic(table, name, values.dtype, "a number")
        ]
    numbers = values.cast(pl.Float64, strict=False)
    empty = (values.is_null() | (values == "")) if values.dtype == pl.String else values.is_null()
    faults = _missing_value_diagnostics(table, frame, empty, name)
    rows = pl.DataFrame({"row": frame["row"], "value": values.cast(pl.String)})
    faults += table.row_diagnostics(
        NOT_A_NUMBER,
        rows.filter(numbers.is_null() & ~empty),
        lambda value: f"{table.describe_column(name)}: {value!r} is not a number",
        suggest_number,
    )
    faults += table.row_diagnostics(
        NOT_FINITE,
        rows.filter(numbers.is_not_null() & ~numbers.is_finite()),
        lambda value: f"{table.describe_column(name)}: {value!r} is not a finite number",
        lambda _: "fix the value or remove the case",
    )
    return numbers.rename(role), faults


def suggest_number(value: str) -> str | None:
    """Return how a value that is almost a number should be written."""
    bare = re.sub(r"[\s\u00a0\u202f]", "", value)
    if bare != value and _is_decimal(bare):
        return f"there is a space in it: write {bare}"
    if bare.endswith("%") and _is_decimal(bare[:-1].replace(",", ".")):
        return f"a percentage? write {float(bare[:-1].replace(',', '.')) / 100:g}"
    if bare.count(",") == 1 and _is_decimal(bare.replace(",", ".")):
        return f"a decimal comma? write {bare.replace(',', '.')}"
    if bare.casefold() in {"na", "n/a", "null", "none", "-", "?"}:
        return "a missing value? every case needs one"
    return None


def _is_decimal(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) is not None


def _integral_floats_as_integers(values: pl.Series) -> pl.Series:
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


def _missing_value_diagnostics(
    table: PredictionTable, frame: pl.DataFrame, empty: pl.Series, name: str
) -> list[Diagnostic]:
    found = pl.DataFrame({"row": frame["row"], "value": ""}).filter(empty)
    return table.row_diagnostics(
        VALUE_MISSING,
        found,
        lambda _: f"{table.describe_column(name)}: the value is missing",
        lambda _: "fill in the value or remove the case",
    )


def _type_diagnostic(
    table: PredictionTable, name: str, dtype: pl.DataType, expected: str
) -> Diagnostic:
    holds = "no value in any row" if dtype == pl.Null else f"{dtype}, not {expected}"
    message = f"{table.describe_column(name)} holds {holds}"
    return Diagnostic(COLUMN_TYPE, message, Location(table.path))


# Labels as places among the classes: a byte or two for each case.


def encode_labels(cases: Sequence[Cases], classes: tuple[str, ...]) -> tuple[Cases, ...]:
    """Let truths and predictions be of the classes, in their order."""
    return tuple(
        replace(
            each,
            frame=each.frame.with_columns(
                _encode_column(each.frame[role], list(each.labels), pl.Enum(classes))
                for role in ("truth", "prediction")
            ),
        )
        for each in cases
    )


def encode_by_comparison(role: str, labels: pl.Series, classes: pl.Enum) -> pl.Expr:
    """Turn a column of few labels into classes, which is faster than to look each up.

    Where another label stands there will be null.
    """
    return pl.coalesce(
        pl.when(pl.col(role) == label).then(pl.lit(text, classes))
        for label, text in zip(labels, labels.cast(pl.String), strict=True)
    ).alias(role)


def _encode_column(
    labels: pl.Series, distinct_labels: list[str], classes: pl.Enum
) -> pl.Series | pl.Expr:
    """Turn categories into classes by their numbers, which is faster than by their texts."""
    if isinstance(labels.dtype, pl.Enum):
        return encode_by_comparison(labels.name, labels.dtype.categories, classes)
    if labels.null_count():
        return labels.cast(classes)
    texts = pl.Series(distinct_labels, dtype=pl.String)
    numbers = texts.cast(pl.Categorical).to_physical()
    places = texts.cast(classes).to_physical()
    table = np.zeros(int(numbers.to_numpy().max(initial=0)) + 1, np.int64)
    table[numbers.to_numpy()] = places.to_numpy()
    # A list, because polars loads NumPy's masked arrays to take in any array.
    place_of = pl.Series(labels.name, table.tolist(), places.dtype)
    return place_of.gather(labels.to_physical()).cat.to(classes)


# Columns in as few bytes as they need, read in one plan; what looks odd is looked at closely.

ColumnType = Literal["label", "key", "id", "number", "unchecked_label"]
# So many rows tell whether there are few different scores, and which labels there are.
_SAMPLE_ROWS, _MAX_DISTINCT_SHARE = 50_000, 0.1
# Comparing with so few labels is faster than looking each up among all texts.
_MAX_COMPARED_LABELS = 8


def read_fast(
    table: PredictionTable,
    columns: Mapping[str, str],
    column_types: Mapping[str, ColumnType],
    known: Collection[str] = (),
    *,
    group_duplicates: bool = False,
) -> pl.DataFrame | None:
    """Read columns (new name -> name in the file), labels as categories; None if they look odd.

    Equal rows are counted `together` if asked for, unless their scores differ too much: then each
    has a `count` and the first `row`. Otherwise a row is where it stands, unless `row` says so.
    """
    try:
        frame = _collect_columns(table, columns, column_types, group_duplicates=group_duplicates)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None
    if frame is None or frame.is_empty() or not table.is_regular(frame):
        return None
    texts = [role for role, kind in column_types.items() if kind in {"label", "key", "unchecked_label"}]
    classes = {
        role: dtype.categories for role, dtype in frame.schema.items() if isinstance(dtype, pl.Enum)
    }
    looked_up = [role for role in texts if role not in classes]
    found = {role: frame[role].unique() for role in looked_up}
    different = {**frame.to_dict(), **found, **classes}
    if any(
        _has_suspect_values(different[role], kind, known) for role, kind in column_types.items()
    ):
        return None
    return frame.drop("short", strict=False).with_columns(pl.col(looked_up).cast(pl.Categorical))


def _collect_columns(
    table: PredictionTable,
    columns: Mapping[str, str],
    column_types: Mapping[str, ColumnType],
    *,
    group_duplicates: bool,
) -> pl.DataFrame | None:
    scanned = table.scan(columns)
    schema = scanned.collect_schema()
    if not all(_is_unambiguous_type(schema[role], kind) for role, kind in column_types.items()):
        return None
    numbers = [role for role, kind in column_types.items() if kind == "number"]
    labels = [role for role, kind in column_types.items() if kind == "label"]
    counted = group_duplicates and not numbers
    samples = [] if counted else _sample_ends(scanned.select(numbers + labels), table)
    group_duplicates = group_duplicates and all(
        _has_few_distinct(sample.select(numbers)) for sample in samples
    )
    values = {
        role: _cast_column(schema[role], role, kind, as_text=group_duplicates)
        for role, kind in column_types.items()
    }
    short = {"short": pl.col("short")} if "short" in schema else {}
    if group_duplicates:
        rows = scanned.select("row", **values, **short)
        alike = group_count(rows, [*column_types, *short], pl, row=pl.col("row").min())
        return alike.collect(engine="streaming").sort("row")
    # Where every row is read, it is known by its place.
    where = ["row"] if table.where or table.preset_scan is not None else []
    compared = _encode_few_labels(samples, labels)
    if compared:
        coded = scanned.select("row", **{**values, **compared}, **short)
        frame = _restore_file_order(coded.collect(engine="streaming"))
        if not any(frame[role].null_count() for role in compared):
            return frame if where else frame.drop("row")
        # Beyond the sample there are other labels.
    return scanned.select(*where, **values, **short).collect(engine="streaming")


def _restore_file_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows as they stand in the file.

    polars 2.1 reads them in any order if columns are only compared, and nothing else of them is
    asked for; asked for their numbers it does not, and this makes sure.
    """
    return frame if frame["row"].is_sorted() else frame.sort("row")


def _sample_ends(columns: pl.LazyFrame, table: PredictionTable) -> list[pl.DataFrame]:
    """Return the first rows, and the last ones unless all of a text would have to be read for it.

    A file in the order of its numbers may have equal ones at one end only.
    """
    ends = [columns.head(_SAMPLE_ROWS), *([] if table.is_text else [columns.tail(_SAMPLE_ROWS)])]
    # Not in one plan, which would scan the whole file for both.
    return [end.collect(engine="streaming") for end in ends]


def _encode_few_labels(samples: Sequence[pl.DataFrame], roles: Sequence[str]) -> dict[str, pl.Expr]:
    """Return labels as classes of one byte, if few are found: null where another one stands."""
    if not roles or samples[0].height < _SAMPLE_ROWS:
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
    if not all(certain) or len(texts) > _MAX_COMPARED_LABELS:
        return {}
    classes = pl.Enum(texts)
    return {role: encode_by_comparison(role, values, classes) for role, values in found.items()}


def _is_unambiguous_type(dtype: pl.DataType, kind: ColumnType) -> bool:
    """Tell whether a column of this type is read one way whatever its values are."""
    if kind == "number":
        return dtype.is_numeric() or dtype == pl.String
    # Whether 1.0 is an id or the number 1 is told by all ids together.
    if dtype.is_float() and kind in {"key", "id"}:
        return False
    return dtype.is_numeric() or isinstance(dtype, TEXT_TYPES)


def _has_few_distinct(numbers: pl.DataFrame) -> bool:
    """Tell whether counting equal rows together pays: not if their numbers mostly differ."""
    return (
        numbers.height == _SAMPLE_ROWS and numbers.n_unique() < _MAX_DISTINCT_SHARE * _SAMPLE_ROWS
    )


def _cast_column(dtype: pl.DataType, role: str, kind: ColumnType, *, as_text: bool) -> pl.Expr:
    column = pl.col(role)
    if kind == "number":
        return column.cast(pl.Float64, strict=False)
    # A float NaN in a column of labels is how data frames write a missing one.
    if dtype.is_float():
        column = column.fill_nan(None)
    text = column.cast(pl.String)
    return text if kind == "id" or as_text else text.cast(pl.Categorical)


def _has_suspect_values(values: pl.Series, kind: ColumnType, known: Collection[str]) -> bool:
    """Tell whether a column has values that may be faults."""
    if kind == "unchecked_label":
        return False
    if values.null_count():
        return True
    if kind == "number":
        return not values.is_finite().all()
    if kind == "id":
        return bool(((values == "") | values.str.contains("\0", literal=True)).any())
    signs = {"", *(MISSING_MARKERS.difference(known) if kind == "label" else ())}
    return any(value in signs or "\0" in value for value in values.unique().cast(pl.String))
