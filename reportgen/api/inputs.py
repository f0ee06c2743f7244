"""The data of a call: one frame per classifier, checked for alignment."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.api.columns import (
    SupportsArrowStream,
    is_pandas_like,
    pandas_index,
    to_label,
    to_series,
)
from reportgen.errors import DataError, Diagnostic, SpecError
from reportgen.errors.spec import ARGUMENT_LENGTHS_DIFFER, INVALID_ARGUMENT, TASK_KIND_AMBIGUOUS
from reportgen.predictions.table import InMemoryFrame
from reportgen.spec import PYTHON_SOURCE_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_PROBABILITY_PREFIX = "probabilities of "
PROBABILITY_COLUMN = _PROBABILITY_PREFIX + "{class}"
"""The names of probability columns in the frame of a classifier."""


@dataclass(frozen=True, slots=True)
class ClassifierInput:
    """The data of one classifier; `columns` are named as in its frame."""

    name: str
    columns: dict[str, pl.Series]
    column_descriptions: dict[str, str]
    threshold: float | None = None
    score_kind: str | None = None

    def to_spec_table(self) -> dict[str, object]:
        """Return the table of the classifier in the spec."""
        has_scores = "scores" in self.columns
        has_probabilities = any(name.startswith(_PROBABILITY_PREFIX) for name in self.columns)
        return {
            "name": self.name,
            "predictions": PYTHON_SOURCE_NAME,
            "score": "scores" if has_scores else None,
            "score_kind": self.score_kind,
            "probabilities": PROBABILITY_COLUMN if has_probabilities else None,
            "threshold": self.threshold,
        }


@dataclass(frozen=True, slots=True)
class SharedInput:
    """The shared columns: the truth, and folds, ids and other attributes of cases.

    Columns of segments have the names of the segments; those of other columns are arguments.
    """

    columns: dict[str, pl.Series]
    missing: str | None = None

    def to_spec_table(self) -> dict[str, object]:
        """Return the table [data] of the spec."""
        keys = {"fold": "folds", "id": "ids", "cluster": "clusters", "weight": "weights"}
        return {
            "prediction": "predictions",
            **{key: name for key, name in keys.items() if name in self.columns},
            "missing": self.missing,
        }


def read_shared_columns(
    arguments: Mapping[str, object], segments: Mapping[str, object], missing: str | None
) -> SharedInput:
    """Return the columns of the arguments that are no predictions; raise if lengths differ."""
    columns = {
        name: to_series(values, f"`{name}`")
        for name, values in arguments.items()
        if values is not None or name == "truth"
    }
    for name, values in segments.items():
        if name in (*arguments, "predictions", "scores"):
            message = f"`segments` names {name!r}, which is an argument"
            raise DataError(Diagnostic(INVALID_ARGUMENT, message, help="rename the segment"))
        columns[name] = to_series(values, format_argument_item("segments", name))
    if columns["truth"].is_empty():
        raise DataError(Diagnostic(ARGUMENT_LENGTHS_DIFFER, "`truth` has no cases"))
    diagnostics = [
        Diagnostic(
            ARGUMENT_LENGTHS_DIFFER,
            f"`{name}` has {len(column)} values, but `truth` has {len(columns['truth'])}",
        )
        for name, column in columns.items()
        if len(column) != len(columns["truth"])
    ]
    if diagnostics:
        raise DataError(*diagnostics)
    _check_unique_ids(columns)
    return SharedInput(columns, missing)


def build_input_frames(
    shared: SharedInput, classifiers: Mapping[str, ClassifierInput]
) -> dict[str, InMemoryFrame]:
    """Return the frame of each classifier; raise if a column has another length."""
    cases = len(shared.columns["truth"])
    diagnostics = [
        Diagnostic(
            ARGUMENT_LENGTHS_DIFFER,
            f"{classifier.name} has {len(values)} {column}, but `truth` has {cases} values",
        )
        for classifier in classifiers.values()
        for column, values in classifier.columns.items()
        if len(values) != cases
    ]
    if diagnostics:
        raise DataError(*diagnostics)
    descriptions = {name: f"`{name}`" for name in shared.columns}
    return {
        name: InMemoryFrame(
            pl.DataFrame({**shared.columns, **classifier.columns}),
            f"{PYTHON_SOURCE_NAME}: {name}",
            descriptions | classifier.column_descriptions,
        )
        for name, classifier in classifiers.items()
    }


def check_indexes(arguments: Iterable[tuple[str, object]]) -> None:
    """Raise if columns of pandas have different indexes: they are never matched by position.

    Args:
        arguments: the name of each argument in messages, and its values.
    """
    first: tuple[str, list[object]] | None = None
    for argument, values in arguments:
        index = pandas_index(values)
        if index is None:
            continue
        if first is None:
            first = argument, index
            continue
        name, expected = first
        if index == expected or len(index) != len(expected):
            # Other lengths are reported with their numbers.
            continue
        in_other_order = set(index) == set(expected)
        message = (
            f"{argument} has the index of {name} in another order"
            if in_other_order
            else f"{argument} has another index than {name}: {_difference(index, expected)}"
        )
        help_text = (
            f"align them, for example with `.reindex({name.strip('`')}.index)`; if the order is"
            " correct, pass `.to_numpy()`"
        )
        raise DataError(Diagnostic(ARGUMENT_LENGTHS_DIFFER, message, help=help_text))


def _difference(index: Sequence[object], expected: Sequence[object]) -> str:
    """Return the first position at which two indexes differ."""
    position = next(
        n for n, pair in enumerate(zip(index, expected, strict=True)) if pair[0] != pair[1]
    )
    return f"{index[position]!r} instead of {expected[position]!r} at position {position}"


def format_argument_item(argument: str, name: str) -> str:
    """Return the item of an argument for a classifier, as in messages."""
    return f"`{argument}[{json.dumps(name, ensure_ascii=False)}]`"


def _check_unique_ids(columns: Mapping[str, pl.Series]) -> None:
    if "ids" not in columns:
        return
    keys = pl.DataFrame([columns[name].alias(name) for name in ("ids", "folds") if name in columns])
    duplicates = keys.with_row_index("index").filter(keys.is_duplicated())
    if duplicates.is_empty():
        return
    first = duplicates["ids"][0]
    rows = duplicates.filter(pl.col("ids") == first)["index"]
    indices = " and ".join(map(str, rows.head(2)))
    within = " in one fold" if "folds" in columns else ""
    message = f"`ids` has the duplicate id {str(first)!r}{within} (index {indices})"
    help_text = "give every case a unique id"
    raise DataError(Diagnostic(ARGUMENT_LENGTHS_DIFFER, message, help=help_text))


_TABLE_DIMENSIONS = 2


def read_probability_columns(
    values: object, argument: str, classes: Sequence[str] | None
) -> dict[str, pl.Series]:
    """Return the columns of one classifier by class: by name, or by the order of the classes."""
    by_name = named_columns(values)
    if by_name is not None:
        return {
            to_label(name, argument): to_series(column, f"{argument} of class {str(name)!r}")
            for name, column in by_name.items()
        }
    return _columns_by_order(values, argument, classes)


def named_columns(values: object) -> Mapping[object, object] | None:
    """Return the columns of a mapping or frame by name; None for other values."""
    if isinstance(values, Mapping):
        return values
    if isinstance(values, pl.LazyFrame):
        values = values.collect()
    if is_pandas_like(values) and values.ndim == _TABLE_DIMENSIONS:
        return {name: values[name] for name in values.columns}
    if isinstance(values, SupportsArrowStream) and not isinstance(values, pl.Series):
        frame = values if isinstance(values, pl.DataFrame) else pl.DataFrame(values)
        return {column.name: column for column in frame}
    return None


def _columns_by_order(
    values: object, argument: str, classes: Sequence[str] | None
) -> dict[str, pl.Series]:
    try:
        table = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        message = f"{argument} cannot be converted to a table of numbers: {error}"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message)) from error
    if table.ndim != _TABLE_DIMENSIONS:
        message = f"{argument} has {table.ndim} dimensions instead of two, cases and classes"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message))
    if classes is None:
        message = f"the classes of the columns of {argument} are unknown"
        help_text = "pass `classes` in the order of the columns, or a frame with named columns"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    if table.shape[1] != len(classes):
        message = f"{argument} has {table.shape[1]} columns, but there are {len(classes)} classes"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message))
    return {label: pl.Series(table[:, number]) for number, label in enumerate(classes)}


_BINARY_CLASS_COUNT = 2
_TASK_HELP = 'pass `task="regression"`; if they are classes, use the same type for both'


def infer_task_kind(
    truth: pl.Series, predictions: Iterable[pl.Series], classes: Sequence[str] | None
) -> str:
    """Return multiclass or regression; raise if there are only two classes, or mixed types."""
    if classes is None and _has_fractions(truth):
        return "regression"
    columns = (truth, *predictions)
    if classes is None and any(map(_has_fractions, columns)) and truth.dtype.is_integer():
        message = "`truth` has integers, but the predictions have fractions"
        raise SpecError(Diagnostic(TASK_KIND_AMBIGUOUS, message, help=_TASK_HELP))
    labels = set(classes or ()).union(*map(_distinct_labels, columns))
    if len(labels) > _BINARY_CLASS_COUNT:
        return "multiclass"
    listing = " and ".join(repr(label) for label in sorted(labels))
    message = f"only the classes {listing} occur, and the positive class is never guessed"
    example = max(labels) if labels else "yes"
    help_text = f'pass `positive="{example}"`, or `task="multiclass"` if neither is positive'
    raise SpecError(Diagnostic(TASK_KIND_AMBIGUOUS, message, help=help_text))


def _has_fractions(column: pl.Series) -> bool:
    return column.dtype.is_float() or column.dtype.is_decimal()


def _distinct_labels(column: pl.Series) -> set[str]:
    # A few are enough to know that there are more than two.
    return set(column.cast(pl.String).drop_nulls().unique().head(1001))
