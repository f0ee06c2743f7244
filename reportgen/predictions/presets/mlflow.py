"""Preset of MLflow: evaluation tables as JSON with lists of columns and rows, or plain tables."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import FILE_CORRUPT, MALFORMED_ROW
from reportgen.predictions.formats import FileFormat, detect_format
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import PredictionTable, open_table
from reportgen.predictions.text_files import MAX_DIAGNOSTICS, read_text

if TYPE_CHECKING:
    from pathlib import Path

# A table of Weights & Biases has its type or its size before the lists.
_SPLIT_JSON = re.compile(
    r'\s*\{\s*("(_type|nrows|ncols)"\s*:\s*("\w*"|\d+)\s*,\s*)*"(columns|index|data)"\s*:\s*\['
)
_ROW_SCHEMA = {"data": pl.List(pl.String)}
_SPLIT_SCHEMA = {"columns": pl.List(pl.String), "data": pl.List(pl.List(pl.String))}


def open_mlflow(path: Path, expected_columns: tuple[str, ...] = ()) -> PredictionTable:
    """Open an evaluation table in MLflow's JSON, or any plain table."""
    return _open_split(path) if is_split_json(path) else open_table(path, expected_columns)


def is_split_json(path: Path) -> bool:
    """Return whether a file is JSON with lists of columns and rows, as of `log_table`."""
    if detect_format(path) is not FileFormat.JSON_LINES:
        return False
    return _SPLIT_JSON.match(read_text(path, 200)) is not None


def _open_split(path: Path) -> PredictionTable:
    text = read_text(path)
    try:
        content = _read_split(text)
        names = tuple(content["columns"][0])
        rows = pl.DataFrame({"data": content["data"][0]}, _ROW_SCHEMA).with_row_index("row")
    except (
        *(pl.exceptions.PolarsError, ValueError, TypeError, LookupError, RecursionError),
    ) as error:
        raise DataError(_damaged_diagnostic(path)) from error
    if diagnostics := _shape_diagnostics(path, rows, len(names)):
        raise DataError(*diagnostics)
    cells = (
        pl.col("data").list.get(number, null_on_oob=True).alias(name)
        for number, name in enumerate(names)
        # A duplicate name is ambiguous and never read.
        if names.index(name) == number
    )
    return PredictionTable(
        path, FileFormat.JSON_TABLE, names, preset_scan=rows.lazy().select("row", *cells)
    )


def _read_split(text: str) -> pl.DataFrame:
    """Return the lists of columns and rows, every cell as text."""
    try:
        return pl.read_json(text.encode(), schema=_SPLIT_SCHEMA)
    except pl.exceptions.PolarsError:
        # Slower, but a cell may hold a list or an object, as the inputs of a language model do.
        content = json.loads(text, parse_float=str, parse_int=str)
        return pl.DataFrame(
            {
                key: pl.Series([content[key]], dtype=_SPLIT_SCHEMA[key], strict=False)
                for key in _SPLIT_SCHEMA
            }
        )


def _shape_diagnostics(path: Path, rows: pl.DataFrame, width: int) -> list[Diagnostic]:
    """Return a diagnostic for each of the first rows of another length than the columns."""
    length = pl.col("data").list.len()
    malformed = rows.filter(length.ne_missing(width)).select("row", length)
    n_more = malformed.height - MAX_DIAGNOSTICS
    return [
        Diagnostic(
            MALFORMED_ROW,
            f"row {row + 1} is {'null' if length is None else f'of length {length}'}, but `columns`"
            f" of length {width}"
            + (f"; and {n_more} more" if n_more > 0 and number == MAX_DIAGNOSTICS else ""),
            Location(path),
            "fix the row, or remove it",
        )
        for number, (row, length) in enumerate(malformed.head(MAX_DIAGNOSTICS).rows(), 1)
    ]


def _damaged_diagnostic(path: Path) -> Diagnostic:
    message = 'the file is not JSON of the form {"columns": […], "data": [[…], …]}'
    return Diagnostic(FILE_CORRUPT, message, Location(path), "download the artifact again")


PRESET = Preset(
    name="mlflow",
    title="an evaluation table of MLflow",
    description="truth `target`, prediction `outputs` or `prediction`; name your own with `truth`",
    columns={
        "truth": ("target", "targets", "label", "labels", "ground_truth"),
        "prediction": ("prediction", "predictions", "outputs", "output", "predicted_label"),
        "id": ("id", "row_id"),
        "fold": ("fold",),
        "score": ("prediction_proba", "prediction_probability", "prediction_score", "probability"),
    },
    probability_patterns=("prediction_proba_{class}", "proba_{class}", "probability_{class}"),
    is_recognised=lambda table: table.format is FileFormat.JSON_TABLE,
    open=open_mlflow,
)
