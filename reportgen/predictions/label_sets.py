"""Sets of labels: the truths and predictions of a multilabel task.

A set is read from a list, from a text with separators, or from a column of 0 and 1 for every label.
It becomes one text, its labels in order and separated by |, so that files are read, joined and
audited as those of other tasks are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, did_you_mean
from reportgen.errors.data import COLUMN_MISSING, COLUMN_TYPE, NOT_A_NUMBER, UNKNOWN_LABEL
from reportgen.predictions.columns import MISSING_MARKERS
from reportgen.predictions.files import natural_sort_key
from reportgen.predictions.table import DerivedColumn, source_column
from reportgen.spec.task import LABEL_SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import DataSettings, Task

NO_LABELS = "(none)"
PLACEHOLDER = "{class}"
# A probability from here on predicts the label, where a file has no predictions.
PROBABILITY_THRESHOLD = 0.5
_YES, _NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")
# A quoted text, or one without commas and brackets.
_LIST_ITEM = r"""\"[^\"]*\"|'[^']*'|[^,\[\]\"']+"""
_MAX_SHOWN = 10


def with_label_sets(
    table: PredictionTable, data: DataSettings, task: Task, roles: Sequence[str]
) -> tuple[PredictionTable, DataSettings]:
    """Return the table with columns of label sets, and the settings that name them."""
    columns, derived = {}, {}
    for role in roles:
        name = getattr(data, role)
        from_probabilities = (
            role == "prediction"
            and data.probabilities is not None
            and not _has_column(table, name)
            and "prediction" not in data.model_fields_set
        )
        pattern = data.probabilities if from_probabilities else name
        columns[role] = f"{name} (labels)"
        derived[columns[role]] = (
            _from_wide_columns(table, role, pattern or "", task, is_score=from_probabilities)
            if PLACEHOLDER in (pattern or "")
            else _from_cells(table, role, name, data, task)
        )
    return table.with_derived(derived), data.model_copy(update={**columns, "map": None})


def _has_column(table: PredictionTable, name: str) -> bool:
    return bool(_wide_columns(table, name)) if PLACEHOLDER in name else name in table.names


def _wide_columns(
    table: PredictionTable, pattern: str, classes: Sequence[str] | None = None
) -> dict[str, str]:
    """Return the columns of a pattern by label."""
    if classes is not None:
        return {label: pattern.replace(PLACEHOLDER, label) for label in classes}
    before, _, after = pattern.partition(PLACEHOLDER)
    matching = re.compile(f"{re.escape(before)}(.+){re.escape(after)}")
    return {match[1]: name for name in table.names if (match := matching.fullmatch(name))}


def _from_wide_columns(
    table: PredictionTable, role: str, pattern: str, task: Task, *, is_score: bool
) -> DerivedColumn:
    columns = _wide_columns(table, pattern, task.classes)
    key = "probabilities" if is_score else role
    diagnostics = table.missing_column_diagnostics(
        {f"data.{key} of {label}": name for label, name in columns.items()}
    )
    if not columns:
        message = f"no column is named like `{pattern}`, needed for `data.{key}`"
        diagnostics = [Diagnostic(COLUMN_MISSING, message, Location(table.path))]
    if diagnostics:
        raise DataError(*diagnostics)
    _check_separator(table, columns)
    if not is_score:
        _check_indicators(table, columns)
    label_expressions = [
        pl.when(
            source_column(name).cast(pl.Float64, strict=False) >= PROBABILITY_THRESHOLD
            if is_score
            else _as_text(source_column(name)).is_in(_YES)
        ).then(pl.lit(label))
        for label, name in columns.items()
    ]
    return DerivedColumn(tuple(columns.values()), _join_set(pl.concat_list(label_expressions)))


def _check_separator(table: PredictionTable, labels: Iterable[str]) -> None:
    for label in labels:
        if LABEL_SEPARATOR in label:
            message = f"the label {label!r} has a {LABEL_SEPARATOR}, which separates labels"
            raise DataError(Diagnostic(COLUMN_TYPE, message, Location(table.path), "rename it"))


def _as_text(column: pl.Expr) -> pl.Expr:
    return column.cast(pl.String).str.strip_chars().str.to_lowercase().fill_null("")


def _check_indicators(table: PredictionTable, columns: Mapping[str, str]) -> None:
    """Raise if a column of a label has other values than 0 and 1, or no and yes.

    An empty cell is 0 where no cell of the column is; next to zeros it is a missing value.
    """
    for name in columns.values():
        frame = table.read({"value": name})
        text = _as_text(pl.col("value"))
        indicator_texts = (
            *_YES,
            *_NO,
            *(() if frame.select(text.is_in(_NO).any()).item() else ("",)),
        )
        odd = frame.filter(~text.is_in(indicator_texts))
        if not odd.is_empty():
            rows = odd.select("row", pl.col("value").cast(pl.String).fill_null(""))
            column_text = table.describe_column(name)
            raise DataError(
                *table.row_diagnostics(
                    NOT_A_NUMBER,
                    rows,
                    lambda value, column=column_text: f"{column}: {value!r} is neither 0 nor 1",  # type: ignore[misc]
                    lambda _: "a column of a label has 1 where the case has the label, 0 elsewhere",
                )
            )


def _from_cells(
    table: PredictionTable, role: str, name: str, data: DataSettings, task: Task
) -> DerivedColumn:
    """Return the sets of one column: of lists, or of texts."""
    if diagnostics := table.missing_column_diagnostics({f"data.{role}": name}):
        raise DataError(*diagnostics)
    dtype = table.scan({"cell": name}).collect_schema()["cell"]
    cell = source_column(name)
    if isinstance(dtype, pl.List | pl.Array):
        labels = cell.cast(pl.List(pl.String))
        items: pl.Expr = labels
    else:
        text = cell.cast(pl.String)
        if table.dialect is not None:
            # An empty cell of a CSV file is the empty set, and nothing else can be.
            text = text.fill_null("")
        text = text.str.strip_chars()
        is_list = text.str.starts_with("[") & text.str.ends_with("]")
        items = (
            pl.when(is_list)
            .then(text.str.extract_all(_LIST_ITEM))
            .otherwise(text.str.split(data.separator))
        )
    indicated = _labels_of_indicators(table, name, items, data, task)
    if indicated is not None:
        return DerivedColumn((name,), indicated)
    element = pl.element().str.strip_chars(" \t\"'")
    if data.map:
        element = element.replace(dict(data.map))
    return DerivedColumn((name,), _join_set(items.list.eval(element)))


def indicator_length(cells: Sequence[Sequence[str]]) -> int | None:
    """Return the length of lists that are indicators, [0, 1, 1, 0], and None for sets of labels.

    All have the same length, and some a value twice, as no set has, or the values in both orders.
    """
    lists = [tuple(item.strip().lower() for item in cell) for cell in cells]
    lengths = {len(item) for item in lists}
    values = {value for item in lists for value in item}
    if len(lengths) != 1 or not values or not values <= {*_INDICATORS}:
        return None
    (length,) = lengths
    repeats = any(len(set(item)) < length for item in lists)
    return length if length > 1 and (repeats or len(set(lists)) > 1) else None


_INDICATORS = ("0", "1", "0.0", "1.0", "true", "false")


def _labels_of_indicators(
    table: PredictionTable, name: str, items: pl.Expr, data: DataSettings, task: Task
) -> pl.Expr | None:
    """Return the sets that lists of 0 and 1 indicate, as texts; None for sets of labels.

    The labels are the classes of the spec in their order, or the places from 0 on. Cells without a
    list are missing values.
    """
    joined = DerivedColumn((name,), items.list.join(LABEL_SEPARATOR, ignore_nulls=True))
    alias = f"{name} (cells)"
    cells = table.with_derived({alias: joined}).read({"cell": alias})["cell"].drop_nulls().unique()
    lists = [cell.split(LABEL_SEPARATOR) for cell in cells if cell and cell not in MISSING_MARKERS]
    length = indicator_length(lists)
    if length is None:
        if not data.map and (problem := _describe_ambiguous_lists(lists)) is not None:
            message = f"{table.describe_column(name)} has {problem}"
            raise DataError(Diagnostic(COLUMN_TYPE, message, Location(table.path), _SETS_HELP))
        return None
    classes = task.classes or tuple(map(str, range(length)))
    if len(classes) != length:
        message = f"{table.describe_column(name)} has lists of {length} values 0 and 1"
        help_text = f"`classes` has {len(classes)} labels: name one for each place"
        raise DataError(Diagnostic(COLUMN_TYPE, message, Location(table.path), help_text))
    labels = pl.concat_list(
        pl.when(
            items.list.get(place, null_on_oob=True).str.strip_chars().str.to_lowercase().is_in(_YES)
        ).then(pl.lit(label))
        for place, label in enumerate(classes)
    )
    return pl.when(items.list.len() == length).then(_join_set(labels))


_SETS_HELP = "write the labels of each set instead, such as `[news, sport]`"


def _describe_ambiguous_lists(cells: Sequence[Sequence[str]]) -> str | None:
    """Return how lists of 0 and 1 may be indicators as well as sets; None if they are sets."""
    lists = {tuple(item.strip().lower() for item in cell) for cell in cells}
    if not {value for item in lists for value in item} <= {*_INDICATORS}:
        return None
    if any(len(set(item)) < len(item) for item in lists):
        return "lists of 0 and 1 of different lengths"
    if len(lists) == 1 and len(min(lists)) > 1:
        (cell,) = lists
        return f"[{', '.join(cell)}] in all rows: indicators, or the labels 0 and 1"
    return None


def _join_set(items: pl.Expr) -> pl.Expr:
    """Return the labels of a set as one text; a missing-value marker stays one."""
    labels = items.list.eval(pl.element().filter(pl.element().is_not_null() & (pl.element() != "")))
    text = labels.list.unique().list.sort().list.join(LABEL_SEPARATOR)
    return (
        pl.when(items.is_null()).then(None).when(text == "").then(pl.lit(NO_LABELS)).otherwise(text)
    )


def split_set(text: str) -> tuple[str, ...]:
    """Return the labels of a set."""
    return () if text == NO_LABELS else tuple(text.split(LABEL_SEPARATOR))


def order_labels(task: Task, sets: Iterable[str]) -> tuple[str, ...]:
    """Return the labels of the spec, or those that occur in sets, in natural order."""
    if task.classes is not None:
        return tuple(task.classes)
    return tuple(
        sorted({label for text in sets for label in split_set(text)}, key=natural_sort_key)
    )


def resolve_label_sets(
    task: Task, cases: Sequence[Cases]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the labels in their order, and all sets of them that occur.

    Raise a DataError for a label that is not among the classes of the spec.
    """
    sets: set[str] = set().union(*(item.labels for item in cases))
    labels = {label for text in sets for label in split_set(text)}
    if task.classes is not None:
        unknown = sorted(labels.difference(task.classes), key=natural_sort_key)
        if unknown:
            listing = ", ".join(f"`{label}`" for label in task.classes[:_MAX_SHOWN])
            raise DataError(
                *(
                    Diagnostic(
                        UNKNOWN_LABEL,
                        f"the label {label!r} is not in `classes`",
                        help=did_you_mean(label, task.classes) or f"the labels are {listing}",
                    )
                    for label in unknown[:_MAX_SHOWN]
                )
            )
    ordered = order_labels(task, sets)
    if markers := MISSING_MARKERS.intersection(ordered):
        message = f"{min(markers)!r} is a missing-value marker and no label"
        help_text = "leave the cell empty for a case without labels, or list it in `classes`"
        if task.classes is None:
            raise DataError(Diagnostic(UNKNOWN_LABEL, message, help=help_text))
    return ordered, tuple(sorted(sets, key=natural_sort_key))


def with_label_set_columns(
    tables: Sequence[PredictionTable], data: DataSettings, task: Task
) -> tuple[tuple[PredictionTable, ...], DataSettings]:
    """Return the tables of a classifier with its label sets, if the task is multilabel."""
    if task.kind != "multilabel":
        return tuple(tables), data
    roles = ("prediction",) if data.labels is not None else ("truth", "prediction")
    pairs = [with_label_sets(table, data, task, roles) for table in tables]
    return tuple(table for table, _ in pairs), pairs[0][1]
