"""The probabilities of one classifier, a column for each class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.argument_faults import ARGUMENT_UNUSABLE
from reportgen.python.labels import label_of
from reportgen.python.values import HasArrow, column_of, is_pandas_like

if TYPE_CHECKING:
    from collections.abc import Sequence

_TWO = 2


def probability_columns(
    values: object, argument: str, classes: Sequence[str] | None
) -> dict[str, pl.Series]:
    """Return the columns by class: by their names, or of an array by the order of the classes."""
    named = _named(values)
    if named is not None:
        return {
            label_of(name, argument): column_of(column, f"{argument} of class {str(name)!r}")
            for name, column in named.items()
        }
    return _by_order(values, argument, classes)


def _named(values: object) -> Mapping[object, object] | None:
    """Return columns by name, of what has names for them."""
    if isinstance(values, Mapping):
        return values
    if is_pandas_like(values) and values.ndim == _TWO:
        return {name: values[name] for name in values.columns}
    if isinstance(values, HasArrow) and not isinstance(values, pl.Series):
        frame = values if isinstance(values, pl.DataFrame) else pl.DataFrame(values)
        return {column.name: column for column in frame}
    return None


def _by_order(values: object, argument: str, classes: Sequence[str] | None) -> dict[str, pl.Series]:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"{argument} cannot be read as a table of numbers: {error}"
        raise DataError(Fault(ARGUMENT_UNUSABLE, message)) from error
    if table.ndim != _TWO:
        message = f"{argument} has {table.ndim} dimensions, not a row for each case and a column"
        raise DataError(Fault(ARGUMENT_UNUSABLE, f"{message} for each class"))
    if classes is None:
        message = f"which column of {argument} is which class is not known"
        help_text = "pass `classes` in the order of the columns, or a frame with named columns"
        raise DataError(Fault(ARGUMENT_UNUSABLE, message, help=help_text))
    if table.shape[1] != len(classes):
        message = f"{argument} has {table.shape[1]} columns, but there are {len(classes)} classes"
        raise DataError(Fault(ARGUMENT_UNUSABLE, message))
    return {label: pl.Series(table[:, number]) for number, label in enumerate(classes)}
