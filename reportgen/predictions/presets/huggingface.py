"""Preset of Hugging Face: JSON Lines or Parquet with labels and the output of a pipeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import MALFORMED_ROW, TOOL_FORMAT_MISMATCH
from reportgen.predictions.formats import FileFormat
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import (
    DerivedColumn,
    PredictionTable,
    open_table,
    scan_typed,
    source_column,
)
from reportgen.predictions.text_files import json_diagnostics

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from reportgen.spec import DataSettings

PREDICTED_LABEL, PREDICTED_SCORE, CLASS_SCORE = (
    "predicted label",
    "predicted score",
    "score of {class}",
)
_LIST_COLUMNS = ("references", "predictions")
_PREDICTION_COLUMNS = (
    *("prediction", "predictions", "predicted_label", "pred_label", "predicted", "pred"),
    *("output", "outputs"),
)
# Either labels with their scores, or numbers alone, which predict no labels.
_SCORES_COLUMN = "scores"
_PROBABILITY_COLUMNS = ("probabilities", "probs", _SCORES_COLUMN)
_LABEL_SCORE_LIST = pl.List(pl.Struct({"label": pl.String, "score": pl.Float64}))
# The default names of a model's classes.
_GENERIC_LABEL = r"^LABEL_(\d+)$"
_TYPED_FORMATS = (FileFormat.PARQUET, FileFormat.ARROW_FILE, FileFormat.ARROW_STREAM)


def open_huggingface(path: Path, expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open a file, whose `references` and `predictions` may be lists as for `evaluate`."""
    table = open_table(path, expected_columns)
    types = _column_types(table)
    is_json = table.format is FileFormat.JSON_LINES
    if not is_json or not all(isinstance(types.get(name), pl.List) for name in _LIST_COLUMNS):
        return table
    inner = types["references"]
    if isinstance(inner, pl.List) and inner.inner.is_nested():
        return table
    schema = dict.fromkeys(_LIST_COLUMNS, pl.List(pl.String))
    lines = pl.scan_ndjson(path, schema=schema).with_row_index("row")
    if diagnostics := _length_diagnostics(table, lines):
        raise DataError(*diagnostics)
    # An empty list would become a case without a value.
    rows = lines.filter(pl.col(_LIST_COLUMNS[0]).list.len() > 0).explode(*_LIST_COLUMNS)
    return PredictionTable(path, table.format, _LIST_COLUMNS, preset_scan=rows)


def _length_diagnostics(table: PredictionTable, lines: pl.LazyFrame) -> list[Diagnostic]:
    """Return a diagnostic for each of the first lines whose lists differ in length."""
    lengths = [pl.col(name).list.len().fill_null(0).cast(pl.String) for name in _LIST_COLUMNS]
    message = pl.format("`references` is of length {}, `predictions` of length {}", *lengths)
    try:
        unequal = lines.filter(lengths[0] != lengths[1]).select("row", message=message).collect()
    except pl.exceptions.PolarsError as error:
        raise DataError(*json_diagnostics(table.file)) from error
    return table.row_diagnostics(
        MALFORMED_ROW, unequal, lambda text: text, lambda _: "write both lists of the same cases"
    )


def explode_pipeline_output(table: PredictionTable, truth: str) -> PredictionTable:
    """Add columns for the lists of labels and scores that pipelines return."""
    types = _column_types(table)
    for name in (*_PREDICTION_COLUMNS, _SCORES_COLUMN):
        entries = _entries(name, types.get(name), is_json=table.is_text)
        if name in table.names and entries is not None:
            return _add_entry_columns(table, name, entries, truth)
    table = _add_numeric_labels(table, truth)
    probabilities = next(
        (
            name
            for name in _PROBABILITY_COLUMNS
            if types.get(name) in {pl.List(pl.Float64), pl.List(pl.Float32)}
        ),
        None,
    )
    return table if probabilities is None else _add_probability_columns(table, probabilities)


def _column_types(table: PredictionTable) -> dict[str, pl.DataType]:
    """Return the column types: of JSON Lines by the first thousand, of other text none."""
    if table.preset_scan is not None:
        return {}
    if table.format in _TYPED_FORMATS:
        return dict(scan_typed(table).collect_schema())
    if table.format is not FileFormat.JSON_LINES:
        return {}
    try:
        return dict(pl.scan_ndjson(table.file, infer_schema_length=1000).collect_schema())
    except pl.exceptions.PolarsError:
        return {}


def _entries(name: str, dtype: pl.DataType | None, *, is_json: bool) -> pl.Expr | None:
    """Return a column of labels and scores as lists of them, or None for other types."""
    source = source_column(name)
    text = source.cast(pl.String) if is_json else source
    match dtype:
        case pl.Struct():
            entry, text, typed = dtype, pl.format("[{}]", text), pl.concat_list(source)
        case pl.List(inner=pl.Struct() as entry):
            typed = source
        case pl.List(inner=pl.List(inner=pl.Struct() as entry)):
            text, typed = text.str.extract(r"^\[(.*)\]$"), source.list.first()
        case _:
            return None
    if not {"label", "score"} <= {field.name for field in entry.fields}:
        return None
    if is_json:
        return text.str.json_decode(_LABEL_SCORE_LIST)
    element = pl.element().struct
    return typed.list.eval(
        pl.struct(element.field("label").cast(pl.String), element.field("score").cast(pl.Float64))
    )


def _add_entry_columns(
    table: PredictionTable, name: str, entries: pl.Expr, truth: str
) -> PredictionTable:
    labels = entries.list.eval(pl.element().struct.field("label"))
    scores = entries.list.eval(pl.element().struct.field("score"))
    best = labels.list.get(scores.list.arg_max())
    derived = {
        "labels": DerivedColumn((name,), labels),
        "count": DerivedColumn((name,), labels.list.len()),
    }
    entries_read = table.with_derived(derived).read({key: key for key in derived})
    known_labels = sorted(entries_read["labels"].explode().drop_nulls().unique())
    is_generic = _has_generic_labels(table, truth, known_labels)
    columns = {
        PREDICTED_LABEL: DerivedColumn(
            (name,), best.str.replace(_GENERIC_LABEL, "${1}") if is_generic else best
        ),
        PREDICTED_SCORE: DerivedColumn((name,), scores.list.max().cast(pl.String)),
    }
    if bool((entries_read["count"] == len(known_labels)).all()):
        for label in known_labels:
            entry = pl.element().filter(pl.element().struct.field("label") == label)
            score = entries.list.eval(entry.struct.field("score")).list.first()
            name_of_class = label.removeprefix("LABEL_") if is_generic else label
            columns[CLASS_SCORE.replace("{class}", name_of_class)] = DerivedColumn(
                (name,), score.cast(pl.String)
            )
    return table.with_derived(columns)


def _add_numeric_labels(table: PredictionTable, truth: str) -> PredictionTable:
    """Add the numbers of predictions such as LABEL_1, where the truth has numbers."""
    name = next((name for name in _PREDICTION_COLUMNS if name in table.names), None)
    if name is None or not table.is_text:
        return table
    labels = table.read({"label": name})["label"].cast(pl.String).unique().drop_nulls()
    if not _has_generic_labels(table, truth, list(labels)):
        return table
    number = source_column(name).cast(pl.String).str.replace(_GENERIC_LABEL, "${1}")
    return table.with_derived({PREDICTED_LABEL: DerivedColumn((name,), number)})


def _has_generic_labels(table: PredictionTable, truth: str, labels: list[str]) -> bool:
    """Return whether predictions are LABEL_0, LABEL_1, … and truths 0, 1, …."""
    if (
        truth not in table.names
        or not pl.Series(labels, dtype=pl.String).str.contains(_GENERIC_LABEL).all()
    ):
        return False
    truths = table.read({"truth": truth})["truth"].cast(pl.String)
    return bool(labels) and bool(truths.drop_nulls().str.contains(r"^\d+$").all())


def _add_probability_columns(table: PredictionTable, name: str) -> PredictionTable:
    """Add a column for each element of a list of probabilities."""
    probabilities = source_column(name)
    if table.is_text:
        probabilities = probabilities.cast(pl.String).str.json_decode(pl.List(pl.Float64))
    count = table.with_derived({"count": DerivedColumn((name,), probabilities.list.len())})
    length = count.read({"count": "count"})["count"].max()
    return table.with_derived(
        {
            CLASS_SCORE.replace("{class}", str(number)): DerivedColumn(
                (name,), probabilities.list.get(number, null_on_oob=True).cast(pl.String)
            )
            for number in range(length if isinstance(length, int) else 0)
        }
    )


def non_label_diagnostics(
    tables: Sequence[PredictionTable], data: DataSettings, _labels: Sequence[str]
) -> list[Diagnostic]:
    """Return a diagnostic for each file whose predictions are lists or objects."""
    if data.threshold is not None:
        return []
    help_text = (
        "write the predicted label as `prediction`, and a probability for each class as a list"
        " `probabilities`"
    )
    message = f"`{data.prediction}` holds lists or objects, not labels"
    return [
        Diagnostic(TOOL_FORMAT_MISMATCH, message, Location(table.path), help_text)
        for table in tables
        if isinstance(_column_types(table).get(data.prediction), pl.List | pl.Struct)
    ]


def _is_huggingface(table: PredictionTable) -> bool:
    """Return whether a file is of a pipeline, whose score is that of the predicted label."""
    if table.format not in {FileFormat.JSON_LINES, *_TYPED_FORMATS}:
        return False
    if PREDICTED_LABEL in table.names or set(_LIST_COLUMNS) <= set(table.names):
        return True
    if CLASS_SCORE.replace("{class}", "0") in table.names:
        return True
    prediction = PRESET.column("prediction", table.names)
    if (
        table.format is not FileFormat.JSON_LINES
        or prediction is None
        or not {"text", "sentence"} & set(table.names)
    ):
        return False
    if "score" not in table.names:
        return True
    frame = table.read({"score": "score", "label": prediction})
    lowest = frame["score"].cast(pl.Float64, strict=False).min()
    # A score of the positive class would be below one half where the other one is predicted.
    threshold = 0.5
    return frame["label"].n_unique() > 1 and isinstance(lowest, float) and lowest >= threshold


PRESET = Preset(
    name="huggingface",
    title="output of a Hugging Face model",
    description="truth `label`, prediction `prediction`; a score is that of the predicted label",
    columns={
        "truth": (
            *("label", "labels", "true_label", "gold_label", "gold", "reference", "references"),
            "target",
        ),
        "prediction": (PREDICTED_LABEL, *_PREDICTION_COLUMNS),
        "id": ("id", "idx", "guid"),
        "fold": ("fold",),
        "confidence": (PREDICTED_SCORE, "score", "confidence", "probability"),
    },
    probability_patterns=(CLASS_SCORE,),
    is_recognised=_is_huggingface,
    open=open_huggingface,
    explode=explode_pipeline_output,
    diagnose=non_label_diagnostics,
)
