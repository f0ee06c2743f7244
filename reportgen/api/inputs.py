"""The data of a call: one frame for each classifier, checked for belonging together."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
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
"""How the columns of probabilities are named in the frame of a classifier."""


@dataclass(frozen=True, slots=True)
class ClassifierInput:
    """What was given of one classifier; `columns` are named as in its frame."""

    name: str
    columns: dict[str, pl.Series]
    column_descriptions: dict[str, str]
    threshold: float | None = None
    score_kind: str | None = None

    def to_spec_table(self) -> dict[str, object]:
        """Return the classifier as a spec would name it."""
        scored = "scores" in self.columns
        in_classes = any(column.startswith(_PROBABILITY_PREFIX) for column in self.columns)
        return {
            "name": self.name,
            "predictions": PYTHON_SOURCE_NAME,
            "score": "scores" if scored else None,
            "score_kind": self.score_kind,
            "probabilities": PROBABILITY_COLUMN if in_classes else None,
            "threshold": self.threshold,
        }


@dataclass(frozen=True, slots=True)
class SharedInput:
    """What all classifiers have in common: the truth, and folds and ids if there are any."""

    columns: dict[str, pl.Series]
    index: list[object] | None = field(default=None)

    def to_spec_table(self) -> dict[str, object]:
        """Return how a spec would name the columns."""
        return {
            "prediction": "predictions",
            "fold": "folds" if "folds" in self.columns else None,
            "id": "ids" if "ids" in self.columns else None,
        }


def read_shared_columns(truth: object, folds: object, ids: object) -> SharedInput:
    """Read what all classifiers have in common."""
    given = {"truth": truth, "folds": folds, "ids": ids}
    columns = {
        name: to_series(values, f"`{name}`")
        for name, values in given.items()
        if values is not None or name == "truth"
    }
    if columns["truth"].is_empty():
        raise DataError(Diagnostic(ARGUMENT_LENGTHS_DIFFER, "`truth` has no cases"))
    faults = [
        Diagnostic(
            ARGUMENT_LENGTHS_DIFFER,
            f"`{name}` has {len(column)} values, the truth {len(columns['truth'])} cases",
        )
        for name, column in columns.items()
        if len(column) != len(columns["truth"])
    ]
    if faults:
        raise DataError(*faults)
    _check_unique_ids(columns)
    return SharedInput(columns, pandas_index(truth))


def build_input_frames(
    shared: SharedInput, classifiers: Mapping[str, ClassifierInput]
) -> dict[str, InMemoryFrame]:
    """Return the frame of each classifier, if all have a value for each case."""
    cases = len(shared.columns["truth"])
    faults = [
        Diagnostic(
            ARGUMENT_LENGTHS_DIFFER,
            f"{each.name} has {len(values)} {column}, the truth {cases} cases",
        )
        for each in classifiers.values()
        for column, values in each.columns.items()
        if len(values) != cases
    ]
    if faults:
        raise DataError(*faults)
    said = {name: f"`{name}`" for name in shared.columns}
    return {
        name: InMemoryFrame(
            pl.DataFrame({**shared.columns, **each.columns}),
            f"{PYTHON_SOURCE_NAME}: {name}",
            said | each.column_descriptions,
        )
        for name, each in classifiers.items()
    }


def check_index_order(shared: SharedInput, values: object, argument: str) -> None:
    """Raise if pandas' index shows that values are those of the truth in another order."""
    index = pandas_index(values)
    if index is None or shared.index is None or index == shared.index:
        return
    if len(index) == len(shared.index) and set(index) == set(shared.index):
        message = f"{argument} has the index of the truth in another order"
        help_text = (
            "sort both alike, as by `.reindex(truth.index)`; if the order is right as it is,"
            " pass `.to_numpy()`"
        )
        raise DataError(Diagnostic(ARGUMENT_LENGTHS_DIFFER, message, help=help_text))


def format_argument_item(argument: str, name: str) -> str:
    """Return how a message names what an argument has for a classifier."""
    return f"`{argument}[{json.dumps(name, ensure_ascii=False)}]`"


def _check_unique_ids(columns: Mapping[str, pl.Series]) -> None:
    if "ids" not in columns:
        return
    keys = pl.DataFrame([columns[name].alias(name) for name in ("ids", "folds") if name in columns])
    repeated = keys.with_row_index("index").filter(keys.is_duplicated())
    if repeated.is_empty():
        return
    first, rows = repeated.row(0)[1], repeated.filter(pl.col("ids") == repeated["ids"][0])["index"]
    where = " and ".join(map(str, rows.head(2)))
    within = " in one fold" if "folds" in columns else ""
    message = f"`ids` names the case {str(first)!r} twice{within} (index {where})"
    raise DataError(
        Diagnostic(ARGUMENT_LENGTHS_DIFFER, message, help="give every case an id of its own")
    )


# The probabilities of one classifier, a column for each class.

_TABLE_DIMENSIONS = 2


def read_probability_columns(
    values: object, argument: str, classes: Sequence[str] | None
) -> dict[str, pl.Series]:
    """Return the columns by class: by their names, or of an array by the order of the classes."""
    named = _named_columns(values)
    if named is not None:
        return {
            to_label(name, argument): to_series(column, f"{argument} of class {str(name)!r}")
            for name, column in named.items()
        }
    return _columns_by_order(values, argument, classes)


def _named_columns(values: object) -> Mapping[object, object] | None:
    """Return columns by name, of what has names for them."""
    if isinstance(values, Mapping):
        return values
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
        message = f"{argument} cannot be read as a table of numbers: {error}"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message)) from error
    if table.ndim != _TABLE_DIMENSIONS:
        message = f"{argument} has {table.ndim} dimensions, not a row for each case and a column"
        raise DataError(Diagnostic(INVALID_ARGUMENT, f"{message} for each class"))
    if classes is None:
        message = f"which column of {argument} is which class is not known"
        help_text = "pass `classes` in the order of the columns, or a frame with named columns"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message, help=help_text))
    if table.shape[1] != len(classes):
        message = f"{argument} has {table.shape[1]} columns, but there are {len(classes)} classes"
        raise DataError(Diagnostic(INVALID_ARGUMENT, message))
    return {label: pl.Series(table[:, number]) for number, label in enumerate(classes)}


# Which kind of task it is, where the call does not say so.

_BINARY_CLASS_COUNT = 2
_TASK_HELP = 'pass `task="regression"`; if they are classes, give both the same type'


def infer_task_kind(
    truth: pl.Series, predictions: Iterable[pl.Series], classes: Sequence[str] | None
) -> str:
    """Return multiclass or regression, as the truth tells; of two classes neither is guessed."""
    if classes is None and _has_fractions(truth):
        return "regression"
    columns = (truth, *predictions)
    if classes is None and any(map(_has_fractions, columns)) and truth.dtype.is_integer():
        message = "the truth has whole numbers and the predictions have fractions"
        raise SpecError(Diagnostic(TASK_KIND_AMBIGUOUS, message, help=_TASK_HELP))
    labels = set(classes or ()).union(*map(_distinct_labels, columns))
    if len(labels) > _BINARY_CLASS_COUNT:
        return "multiclass"
    listed = " and ".join(repr(label) for label in sorted(labels))
    message = f"there are only the classes {listed}, and which is the positive one is never guessed"
    example = max(labels) if labels else "yes"
    help_text = f'pass `positive="{example}"`, or `task="multiclass"` if neither is'
    raise SpecError(Diagnostic(TASK_KIND_AMBIGUOUS, message, help=help_text))


def _has_fractions(column: pl.Series) -> bool:
    return column.dtype.is_float() or column.dtype.is_decimal()


def _distinct_labels(column: pl.Series) -> set[str]:
    # A thousand and one show as well as all that there are more than two.
    return set(column.cast(pl.String).drop_nulls().unique().head(1001))
