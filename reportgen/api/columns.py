"""Values of any container as one column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from math import isnan
from typing import Protocol, TypeAlias, TypeGuard, runtime_checkable

import numpy as np
import polars as pl

from reportgen.errors import DataError, Diagnostic, SpecError
from reportgen.errors.spec import INVALID_ARGUMENT
from reportgen.spec.fields import format_label

ArrayLike: TypeAlias = Iterable[object]
"""One value for each case: a list, or a column of polars, pandas, NumPy or Arrow."""

_ONE_VALUE_HELP = "give one value for each case, all of one type"
_NUMERIC_DTYPE_KINDS = "biuf"
_NULL_ARRAY = np.array(None, dtype=object)
_NESTED_DTYPES = (pl.List, pl.Array, pl.Struct)
_TYPE_NAMES = {bool: "truth values", int: "numbers", float: "numbers", str: "texts"}


@runtime_checkable
class SupportsArrowStream(Protocol):
    """What Arrow's tables and columns have, and those of other libraries that know Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


class PandasLike(Protocol):
    """What pandas and its like have: columns that may have gaps, and names for them."""

    columns: Iterable[object]
    ndim: int

    def isna(self) -> object:
        """Tell where values are missing."""

    def to_numpy(self, dtype: object = None) -> np.ndarray[tuple[int, ...], np.dtype[np.object_]]:
        """Return the values as an array."""

    def __getitem__(self, name: object) -> PandasLike: ...


def is_pandas_like(values: object) -> TypeGuard[PandasLike]:
    """Tell whether values know themselves where they have gaps."""
    return callable(getattr(values, "isna", None)) and callable(getattr(values, "to_numpy", None))


def to_series(values: object, argument: str) -> pl.Series:
    """Return values as a column; `argument` is how messages name them."""
    if isinstance(values, str | bytes | Mapping | AbstractSet) or not _has_values(values):
        message = f"{argument} is of the type {type(values).__name__}, not a column of values"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP))
    try:
        found = _convert(values)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError) as error:
        reason = (str(error) or type(error).__name__).splitlines()[0]
        message = f"{argument} cannot be read as a column: {reason}"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP)) from error
    if found.dtype == pl.Object:
        kind = type(next(value for value in found if value is not None)).__name__
        message = f"{argument} has values of the type {kind}, which is neither a label nor a number"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP))
    if isinstance(found.dtype, _NESTED_DTYPES):
        message = f"{argument} has several values for a case"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=_ONE_VALUE_HELP))
    return found


def pandas_index(values: object) -> list[object] | None:
    """Return the index that pandas gives each value, if values have one."""
    index = getattr(values, "index", None) if is_pandas_like(values) else None
    return None if index is None else list(index)


def is_missing_value(value: object) -> bool:
    """Tell whether a value is how Python, NumPy or pandas write a missing one."""
    if isinstance(value, float):
        return isnan(value)
    return value is None or type(value).__name__ in {"NAType", "NaTType"}


def _has_values(values: object) -> bool:
    ways = ("__iter__", "__array__", "__arrow_c_stream__", "__arrow_c_array__")
    return any(hasattr(values, way) for way in ways)


def _convert(values: object) -> pl.Series:
    if isinstance(values, pl.Series):
        return values
    if isinstance(values, pl.DataFrame):
        return _single_column(values)
    if is_pandas_like(values):
        return _from_pandas(values)
    if isinstance(values, SupportsArrowStream):
        found = pl.Series(values)
        return _single_column(found.struct.unnest()) if found.dtype == pl.Struct else found
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
    # Categories, nullable types and texts: each has its own sign for what is missing.
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
        # Quick where there are only texts; whatever else there is, is looked at below.
        with suppress(TypeError, pl.exceptions.PolarsError):
            return pl.Series(items, dtype=pl.String, strict=True)
    plain = [item.item() if isinstance(item, np.generic) else item for item in items]
    filled = [None if is_missing_value(item) else item for item in plain]
    kinds = {type(item) for item in filled if item is not None}
    words = {_TYPE_NAMES.get(kind, kind.__name__) for kind in kinds}
    if len(words) > 1:
        raise TypeError(f"it mixes {' and '.join(sorted(words))}")
    numbers = {float: pl.Float64, int: pl.Int64}
    dtype = next((dtype for kind, dtype in numbers.items() if kind in kinds), None)
    return pl.Series(filled, dtype=dtype) if kinds else pl.Series(filled)


# Labels that are given as arguments: the positive class, all classes, names of columns.

Label: TypeAlias = str | float | np.generic
"""What names a class: a text, a number, true or false."""


def to_label(value: object, argument: str) -> str:
    """Return a label as files would have it: True is true, and 1.0 is 1."""
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    text = format_label(plain)
    if text is None:
        message = f"{argument} names the class {value!r}, which is of type {type(value).__name__}"
        help_text = "classes are named by texts, whole numbers, or true and false"
        raise SpecError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    return text
