"""Conversion of lists, NumPy, pandas, polars and Arrow data to columns and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from math import isnan
from typing import Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
import polars as pl

from reportgen.errors import DataError, Diagnostic, SpecError
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.spec.fields import format_label
from reportgen.spec.task import LABEL_SEPARATOR

ArrayLike: TypeAlias = Iterable[object] | pl.LazyFrame
"""One value per case: a list, or a column of polars, pandas, NumPy or Arrow."""

_ONE_VALUE_HELP = "pass one value per case, all of one type"
_NUMERIC_DTYPE_KINDS = "biuf"
_NULL_ARRAY = np.array(None, dtype=object)
_NESTED_DTYPES = (pl.List, pl.Array, pl.Struct)
_TYPE_NAMES = {bool: "booleans", int: "numbers", float: "numbers", str: "text"}


@runtime_checkable
class SupportsArrowStream(Protocol):
    """Tables and columns with the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class PandasLike(Protocol):
    """Frames and series with the interface of pandas."""

    columns: Iterable[object]
    ndim: int

    def isna(self) -> object:
        """Return where values are missing."""

    def to_numpy(self, dtype: object = None) -> np.ndarray[tuple[int, ...], np.dtype[np.object_]]:
        """Return the values as an array."""

    def __getitem__(self, name: object) -> PandasLike: ...


def is_pandas_like(values: object) -> TypeGuard[PandasLike]:
    """Return whether values have the interface of pandas."""
    return callable(getattr(values, "isna", None)) and callable(getattr(values, "to_numpy", None))


def to_series(values: object, argument: str) -> pl.Series:
    """Return values as a column; error messages name them by `argument`."""
    if isinstance(values, str | bytes | Mapping | AbstractSet) or not _has_values(values):
        message = f"{argument} has the type {type(values).__name__}, not a column of values"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP))
    try:
        column = _convert(values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        message = f"{argument} cannot be converted to a column: {reason}"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP)) from error
    if column.dtype == pl.Object:
        kind = type(next(value for value in column if value is not None)).__name__
        message = f"{argument} has values of the unsupported type {kind}"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP))
    if isinstance(column.dtype, _NESTED_DTYPES):
        message = f"{argument} has several values per case"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP))
    return column


def pandas_index(values: object) -> list[object] | None:
    """Return the pandas index of values, None if they have none."""
    index = getattr(values, "index", None) if is_pandas_like(values) else None
    return None if index is None else list(index)


def is_missing_value(value: object) -> bool:
    """Return whether a value represents a missing one in Python, NumPy or pandas."""
    if isinstance(value, float):
        return isnan(value)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _has_values(values: object) -> bool:
    interfaces = ("__iter__", "__array__", "__arrow_c_stream__", "__arrow_c_array__")
    is_lazy = isinstance(values, pl.LazyFrame)
    return is_lazy or any(hasattr(values, interface) for interface in interfaces)


def _convert(values: object) -> pl.Series:
    if isinstance(values, pl.Series):
        return values
    if isinstance(values, pl.LazyFrame):
        values = values.collect()
    if isinstance(values, pl.DataFrame):
        return _single_column(values)
    if is_pandas_like(values):
        return _from_pandas(values)
    if isinstance(values, SupportsArrowStream):
        series = pl.Series(values)
        return _single_column(series.struct.unnest()) if series.dtype == pl.Struct else series
    if isinstance(values, np.ma.MaskedArray):
        return _from_list(values.tolist())
    if hasattr(values, "__array__"):
        return _from_array(np.asarray(values))
    return _from_list(list(values) if isinstance(values, Iterable) else [])


def _single_column(frame: pl.DataFrame) -> pl.Series:
    if frame.width != 1:
        raise TypeError(f"it has {frame.width} columns")
    return frame.to_series()


def _from_pandas(values: PandasLike) -> pl.Series:
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in _NUMERIC_DTYPE_KINDS:
        return _from_array(np.asarray(values))
    # Categorical, nullable and text dtypes represent missing values differently.
    array = values.to_numpy(dtype=object)
    return _from_array(np.where(np.asarray(values.isna(), dtype=bool), _NULL_ARRAY, array))


def _from_array(array: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> pl.Series:
    if array.ndim == 2 and array.shape[1] == 1:  # noqa: PLR2004  # a table of one column
        array = array[:, 0]
    if array.ndim != 1:
        raise TypeError(f"it has {array.ndim} dimensions")
    if array.dtype.kind in "OUS":
        texts = array.astype(str) if array.dtype.kind == "S" else array
        return _from_list(texts.tolist())
    return pl.Series(array.astype(np.float64) if array.dtype.kind == "f" else array)


def _from_list(items: list[object]) -> pl.Series:
    first = next((item for item in items if item is not None), None)
    if isinstance(first, str):
        # Fast if all items are text; otherwise they are inspected one by one below.
        with suppress(TypeError, pl.exceptions.PolarsError):
            return pl.Series(items, dtype=pl.String, strict=True)
    values = [item.item() if isinstance(item, np.generic) else item for item in items]
    filled = [None if is_missing_value(item) else item for item in values]
    kinds = {type(item) for item in filled if item is not None}
    names = {_TYPE_NAMES.get(kind, kind.__name__) for kind in kinds}
    if len(names) > 1:
        raise TypeError(f"it mixes {' and '.join(sorted(names))}")
    numbers = {float: pl.Float64, int: pl.Int64}
    dtype = next((dtype for kind, dtype in numbers.items() if kind in kinds), None)
    return pl.Series(filled, dtype=dtype) if kinds else pl.Series(filled)


Label: TypeAlias = str | float | np.generic
"""The label of a class: text, a number or a boolean."""


def to_label(value: object, argument: str) -> str:
    """Return a label as text, as in prediction files: True is true, and 1.0 is 1."""
    label = value.item() if isinstance(value, np.generic) else value
    if isinstance(label, float) and label.is_integer():
        label = int(label)
    text = format_label(label)
    if text is None:
        message = f"{argument} has the label {value!r} of the type {type(value).__name__}"
        help_text = "labels are text, integers or booleans"
        raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    return text


def to_label_sets(values: object, argument: str, classes: Sequence[str] | None) -> object:
    """Return the sets of labels of a multilabel task as texts, which files have in a column.

    Args:
        values: A set, list or text of labels per case, or a table of 0 and 1 with a column per
            class.
        argument: The argument, for messages.
        classes: The labels in the order of the columns of a table.
    """
    table = values.to_numpy() if isinstance(values, pl.DataFrame) else values
    if getattr(table, "ndim", 1) == 2:  # noqa: PLR2004  # a table
        flags = np.asarray(table)
        if classes is None or flags.shape[1] != len(classes):
            message = f"{argument} has {flags.shape[1]} columns, whose labels are unknown"
            help_text = "pass `classes` in the order of the columns"
            raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
        if not np.isin(flags, (0, 1)).all():
            message = f"{argument} has values other than 0 and 1"
            raise DataError(Diagnostic(INVALID_ARGUMENT, message))
        return [_join_labels(np.asarray(classes)[row.astype(bool)], argument) for row in flags]
    if not isinstance(table, Iterable) or isinstance(table, str):
        return values
    return [
        cell if cell is None or isinstance(cell, str) else _join_labels(cell, argument)
        for cell in table
    ]


def _join_labels(labels: object, argument: str) -> str:
    if not isinstance(labels, Iterable):
        message = f"{argument} has a value that is no set of labels: {labels!r}"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help="write [label] for one label"))
    texts = [str(label) for label in labels]
    if any(LABEL_SEPARATOR in text for text in texts):
        message = f"a label of {argument} has a {LABEL_SEPARATOR}, which separates labels"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help="rename the label"))
    return LABEL_SEPARATOR.join(texts)
