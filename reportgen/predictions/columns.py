"""Columns: strict parsing with a diagnostic for every invalid value, and a fast path."""

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


# As pandas, R, SQL and Excel write them; `none` in lower case may be a label.
MISSING_MARKERS = frozenset(
    ("NA", "N/A", "n/a", "#N/A", "<NA>", "nan", "NaN", "NAN", "NaT", "None", "null", "NULL")
)
TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum, pl.Boolean, pl.Date, pl.Datetime)


def parse_class_column(
    table: PredictionTable,
    frame: pl.DataFrame,
    role: str,
    name: str,
    known_labels: Collection[str],
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of classes as text, and diagnostics; missing-value markers are no classes."""
    values, diagnostics = parse_label_column(table, frame, role, name)
    if len(values) < frame.height:
        return values, diagnostics
    unknown = pl.DataFrame({"row": frame["row"], "value": values}).filter(
        pl.col("value").is_in(sorted(MISSING_MARKERS.difference(known_labels)))
        & ~_is_nan(frame[role])
    )
    return values, diagnostics + table.row_diagnostics(
        VALUE_MISSING,
        unknown,
        lambda value: f"{table.describe_column(name)}: {value!r} is a missing-value marker",
        lambda value: (
            f"{_suggest_for_missing(table, role)}; if it is the name of a class, list it in"
            f' `classes`: ["{value}", …]'
        ),
    )


def parse_label_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of labels as text, and the diagnostics of its values."""
    values = frame[role]
    if not (values.dtype.is_numeric() or isinstance(values.dtype, TEXT_TYPES)):
        return pl.Series(role, [], pl.String), [
            _type_diagnostic(table, name, values.dtype, "a text")
        ]
    texts = values.cast(pl.String)
    # Data frames represent a missing label as a float NaN.
    empty = texts.is_null() | (texts == "") | _is_nan(values)
    return texts, _missing_value_diagnostics(table, frame, empty, name, role)


def parse_key_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of ids or folds as text, and the diagnostics of its values."""
    values = frame[role]
    keys = _integral_floats_as_integers(values) if values.dtype.is_float() else values
    return parse_label_column(table, frame.with_columns(keys.alias(role)), role, name)


def parse_number_column(
    table: PredictionTable, frame: pl.DataFrame, role: str, name: str
) -> tuple[pl.Series, list[Diagnostic]]:
    """Return a column of finite numbers, and the diagnostics of its values."""
    values = frame[role]
    if isinstance(values.dtype, (pl.Categorical, pl.Enum)):
        values = values.cast(pl.String)
    if not (values.dtype.is_numeric() or values.dtype == pl.String):
        return pl.Series(role, [], pl.Float64), [
            _type_diagnostic(table, name, values.dtype, "a number")
        ]
    numbers = _parse_decimals(values, table.decimal).cast(pl.Float64, strict=False)
    empty = (values.is_null() | (values == "")) if values.dtype == pl.String else values.is_null()
    diagnostics = _missing_value_diagnostics(table, frame, empty, name, role)
    rows = pl.DataFrame({"row": frame["row"], "value": values.cast(pl.String)})
    diagnostics += table.row_diagnostics(
        NOT_A_NUMBER,
        rows.filter(numbers.is_null() & ~empty),
        lambda value: f"{table.describe_column(name)}: {value!r} is not a number",
        suggest_number,
    )
    diagnostics += table.row_diagnostics(
        NOT_FINITE,
        rows.filter(numbers.is_not_null() & ~numbers.is_finite()),
        lambda value: f"{table.describe_column(name)}: {value!r} is not a finite number",
        lambda _: "fix the value or remove the case",
    )
    return numbers.rename(role), diagnostics


def _parse_decimals(values: pl.Series, decimal: str) -> pl.Series:
    """Return texts with decimal points instead of the decimal mark of the file."""
    if decimal == "." or values.dtype != pl.String:
        return values
    return values.str.replace(decimal, ".", literal=True)


def suggest_number(value: str) -> str | None:
    """Return how to write a value that is almost a number, or None."""
    compact = re.sub(r"[\s\u00a0\u202f]", "", value)
    if compact != value and _is_decimal(compact):
        return f"there is a space in it: write {compact}"
    if compact.endswith("%") and _is_decimal(compact[:-1].replace(",", ".")):
        return f"a percentage? write {float(compact[:-1].replace(',', '.')) / 100:g}"
    if compact.count(",") == 1 and _is_decimal(compact.replace(",", ".")):
        number = compact.replace(",", ".")
        return f'a decimal comma? write {number}, or `decimal = ","` under `[data]`'
    if compact.casefold() in {"na", "n/a", "null", "none", "-", "?"}:
        return "a missing value? every case needs one"
    return None


def _is_decimal(text: str) -> bool:
    return re.fullmatch(r"[+-]?(\d++\.?\d*+|\.\d++)([eE][+-]?\d+)?", text) is not None


def _integral_floats_as_integers(values: pl.Series) -> pl.Series:
    """Cast floats to integers if all are integral, since 1.0 means id 1."""
    finite = values.drop_nulls().drop_nans()
    # Beyond 2**53 floats do not represent every integer.
    is_integral = finite.is_empty() or bool(
        ((finite == finite.floor()) & (finite.abs() < 2**53)).all()
    )
    if not is_integral:
        return values
    return values.fill_nan(None).cast(pl.Int64)


def _is_nan(values: pl.Series) -> pl.Series:
    if values.dtype.is_float():
        return values.is_nan().fill_null(value=False)
    return pl.Series(values.name, [False], pl.Boolean).new_from_index(0, len(values))


def _missing_value_diagnostics(
    table: PredictionTable, frame: pl.DataFrame, empty: pl.Series, name: str, role: str
) -> list[Diagnostic]:
    rows = pl.DataFrame({"row": frame["row"], "value": ""}).filter(empty)
    return table.row_diagnostics(
        VALUE_MISSING,
        rows,
        lambda _: f"{table.describe_column(name)}: the value is missing",
        lambda _: _suggest_for_missing(table, role),
    )


def _suggest_for_missing(table: PredictionTable, role: str) -> str:
    if role == "prediction":
        setting = 'write `missing = "wrong"` under `[data]`'
        if table.in_memory_frame is not None:
            setting = 'pass `missing="wrong"`'
        return (
            f'{setting} to count empty predictions as errors, "drop" to leave the cases out for all'
            " classifiers, or fill in the value"
        )
    return "fill in the value or remove the case"


def _type_diagnostic(
    table: PredictionTable, name: str, dtype: pl.DataType, expected: str
) -> Diagnostic:
    content = "no value in any row" if dtype == pl.Null else f"{dtype}, not {expected}"
    help_text = None
    if isinstance(dtype, pl.Struct):
        content = f"objects, not {expected}"
        fields = ", ".join(f"`{name}.{field.name}`" for field in dtype.fields)
        help_text = f"name the field: {fields}"
    elif isinstance(dtype, pl.List | pl.Array):
        content = f"lists, not {expected}"
        if expected == "a text":
            help_text = "several labels per case are a multilabel task"
    message = f"{table.describe_column(name)} holds {content}"
    return Diagnostic(COLUMN_TYPE, message, Location(table.path), help_text)


def encode_labels(cases: Sequence[Cases], classes: tuple[str, ...]) -> tuple[Cases, ...]:
    """Encode truths and predictions as an enumeration of the classes."""
    return tuple(
        replace(
            item,
            frame=item.frame.with_columns(
                _encode_column(item.frame[role], list(item.labels), pl.Enum(classes))
                for role in ("truth", "prediction")
            ),
        )
        for item in cases
    )


def encode_by_comparison(role: str, labels: pl.Series, classes: pl.Enum) -> pl.Expr:
    """Return the expression that encodes a column of few labels, null for other labels.

    Comparing with each label is faster than a lookup.
    """
    return pl.coalesce(
        pl.when(pl.col(role) == label).then(pl.lit(text, classes))
        for label, text in zip(labels, labels.cast(pl.String), strict=True)
    ).alias(role)


def _encode_column(
    labels: pl.Series, distinct_labels: list[str], classes: pl.Enum
) -> pl.Series | pl.Expr:
    """Encode categories by their physical codes, which is faster than by their texts."""
    if isinstance(labels.dtype, pl.Enum):
        return encode_by_comparison(labels.name, labels.dtype.categories, classes)
    if labels.null_count():
        return labels.cast(classes)
    texts = pl.Series(distinct_labels, dtype=pl.String)
    physical_codes = texts.cast(pl.Categorical).to_physical()
    codes = texts.cast(classes).to_physical()
    table = np.zeros(int(physical_codes.to_numpy().max(initial=0)) + 1, np.int64)
    table[physical_codes.to_numpy()] = codes.to_numpy()
    # A list, because polars imports NumPy's masked arrays to convert an array.
    code_of = pl.Series(labels.name, table.tolist(), codes.dtype)
    return code_of.gather(labels.to_physical()).cat.to(classes)


ColumnType = Literal["label", "key", "id", "number", "unchecked_label"]
# The rows by which the numbers of distinct scores and labels are estimated.
_SAMPLE_ROWS, _MAX_DISTINCT_SHARE = 50_000, 0.1
# Comparing with so few labels is faster than a lookup.
_MAX_COMPARED_LABELS = 8


def read_fast(  # noqa: PLR0913  # what to read, and what may be in it
    table: PredictionTable,
    columns: Mapping[str, str],
    column_types: Mapping[str, ColumnType],
    known_labels: Collection[str] = (),
    optional: Collection[str] = (),
    *,
    group_duplicates: bool = False,
) -> pl.DataFrame | None:
    """Read columns without diagnostics; None if a value may be invalid.

    Args:
        table: the opened file.
        columns: name in the file, by new name.
        column_types: type by new name.
        known_labels: labels of the spec, which are valid even if they look like missing values.
        optional: columns whose values may be missing.
        group_duplicates: whether to aggregate equal rows, unless most scores differ.

    Returns:
        The columns in file order, labels as categories. Aggregated rows have a `count` and the
        first `row`; other rows have a `row` only where some rows of the file are left out.
    """
    try:
        frame = _collect_columns(table, columns, column_types, group_duplicates=group_duplicates)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return None
    if frame is None or frame.is_empty() or not table.is_regular(frame):
        return None
    texts = [
        role for role, kind in column_types.items() if kind in {"label", "key", "unchecked_label"}
    ]
    classes = {
        role: dtype.categories for role, dtype in frame.schema.items() if isinstance(dtype, pl.Enum)
    }
    uncoded = [role for role in texts if role not in classes]
    distinct = {role: frame[role].unique() for role in uncoded}
    values = {**frame.to_dict(), **distinct, **classes}
    for role, kind in column_types.items():
        role_values = values[role].drop_nulls() if role in optional else values[role]
        if _has_suspect_values(role_values, kind, known_labels):
            return None
    return frame.drop("short", strict=False).with_columns(pl.col(uncoded).cast(pl.Categorical))


def _collect_columns(
    table: PredictionTable,
    columns: Mapping[str, str],
    column_types: Mapping[str, ColumnType],
    *,
    group_duplicates: bool,
) -> pl.DataFrame | None:
    table_scan = table.scan(columns)
    schema = table_scan.collect_schema()
    if not all(_is_unambiguous_type(schema[role], kind) for role, kind in column_types.items()):
        return None
    numbers = [role for role, kind in column_types.items() if kind == "number"]
    labels = [role for role, kind in column_types.items() if kind == "label"]
    aggregate = group_duplicates and not numbers
    samples = [] if aggregate else _sample_ends(table_scan.select(numbers + labels), table)
    group_duplicates = group_duplicates and all(
        _has_few_distinct(sample.select(numbers)) for sample in samples
    )
    values = {
        role: _cast_column(schema[role], role, kind, keep_text=group_duplicates)
        for role, kind in column_types.items()
    }
    short_row_flag = {"short": pl.col("short")} if "short" in schema else {}
    if group_duplicates:
        rows = table_scan.select("row", **values, **short_row_flag)
        grouped = group_count(rows, [*column_types, *short_row_flag], pl, row=pl.col("row").min())
        return grouped.collect(engine="streaming").sort("row")
    # Where every row is read, its index is its position.
    index_column = ["row"] if table.where or table.preset_scan is not None else []
    encoded = _encode_few_labels(samples, labels)
    if encoded:
        coded = table_scan.select("row", **{**values, **encoded}, **short_row_flag)
        frame = _restore_file_order(coded.collect(engine="streaming"))
        if not any(frame[role].null_count() for role in encoded):
            return frame if index_column else frame.drop("row")
        # There are labels that the sample does not have.
    return table_scan.select(*index_column, **values, **short_row_flag).collect(engine="streaming")


def _restore_file_order(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows in file order.

    polars 2.1 may return them in any order if columns are only compared.
    """
    return frame if frame["row"].is_sorted() else frame.sort("row")


def _sample_ends(columns: pl.LazyFrame, table: PredictionTable) -> list[pl.DataFrame]:
    """Return the first rows, and the last ones unless that would require reading a whole text.

    In a file sorted by score, equal scores may be at one end only.
    """
    samples = [columns.head(_SAMPLE_ROWS), *([] if table.is_text else [columns.tail(_SAMPLE_ROWS)])]
    # Not in one plan, which would scan the whole file for both.
    return [sample.collect(engine="streaming") for sample in samples]


def _encode_few_labels(samples: Sequence[pl.DataFrame], roles: Sequence[str]) -> dict[str, pl.Expr]:
    """Return expressions that encode labels in one byte, if the samples have few labels."""
    if not roles or samples[0].height < _SAMPLE_ROWS:
        return {}
    distinct = {
        role: pl.concat(sample[role] for sample in samples).drop_nulls().unique() for role in roles
    }
    # Not floats, of which equal ones may have different texts: 0 and −0.
    is_known = (
        len(values) and (values.dtype.is_integer() or values.dtype in (pl.String, pl.Boolean))
        for values in distinct.values()
    )
    texts = sorted({text for values in distinct.values() for text in values.cast(pl.String)})
    if not all(is_known) or len(texts) > _MAX_COMPARED_LABELS:
        return {}
    classes = pl.Enum(texts)
    return {role: encode_by_comparison(role, values, classes) for role, values in distinct.items()}


def _is_unambiguous_type(dtype: pl.DataType, kind: ColumnType) -> bool:
    """Return whether a column of this type is parsed in the same way whatever its values are."""
    if kind == "number":
        return dtype.is_numeric() or dtype == pl.String
    # Whether 1.0 is the id 1 depends on all ids together.
    if dtype.is_float() and kind in {"key", "id"}:
        return False
    return dtype.is_numeric() or isinstance(dtype, TEXT_TYPES)


def _has_few_distinct(numbers: pl.DataFrame) -> bool:
    """Return whether aggregating equal rows pays: not if their numbers mostly differ."""
    return (
        numbers.height == _SAMPLE_ROWS and numbers.n_unique() < _MAX_DISTINCT_SHARE * _SAMPLE_ROWS
    )


def _cast_column(dtype: pl.DataType, role: str, kind: ColumnType, *, keep_text: bool) -> pl.Expr:
    column = pl.col(role)
    if kind == "number":
        return column.cast(pl.Float64, strict=False)
    # Data frames represent a missing label as a float NaN.
    if dtype.is_float():
        column = column.fill_nan(None)
    text = column.cast(pl.String)
    return text if kind == "id" or keep_text else text.cast(pl.Categorical)


def _has_suspect_values(values: pl.Series, kind: ColumnType, known_labels: Collection[str]) -> bool:
    """Return whether a column has values that may be invalid."""
    if kind == "unchecked_label":
        return False
    if values.null_count():
        return True
    if kind == "number":
        return not values.is_finite().all()
    if kind == "id":
        return bool(((values == "") | values.str.contains("\0", literal=True)).any())
    markers = {"", *(MISSING_MARKERS.difference(known_labels) if kind == "label" else ())}
    return any(value in markers or "\0" in value for value in values.unique().cast(pl.String))
