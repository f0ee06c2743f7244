"""MLflow's evaluation tables: JSON with a list of columns and a list of rows, or a plain table."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import CSV_STRUCTURE, FILE_DAMAGED
from reportgen.predictions.csv_text import FIRST_FAULTS, open_text
from reportgen.predictions.formats import Format, format_of
from reportgen.predictions.presets.preset import Preset
from reportgen.predictions.table import Table, open_table

if TYPE_CHECKING:
    from pathlib import Path

_SPLIT = re.compile(r'\s*\{\s*"(columns|index|data)"\s*:\s*\[')
_ROWS = {"data": pl.List(pl.String)}
_SCHEMA = {"columns": pl.List(pl.String), "data": pl.List(pl.List(pl.String))}


def open_mlflow(path: Path, wanted: tuple[str, ...] = ()) -> Table:
    """Open an evaluation table as MLflow logs it, or as a plain table if it was saved as one."""
    return _open_split(path) if is_split(path) else open_table(path, wanted)


def is_split(path: Path) -> bool:
    """Tell whether a file is JSON that lists its columns and its rows, as log_table writes it."""
    if format_of(path) is not Format.JSON_LINES:
        return False
    with open_text(path) as stream:
        return _SPLIT.match(stream.read(200)) is not None


def _open_split(path: Path) -> Table:
    try:
        with open_text(path) as stream:
            whole = _read_split(stream.read())
        names = tuple(whole["columns"][0])
        rows = pl.DataFrame({"data": whole["data"][0]}, _ROWS).with_row_index("row")
    except (pl.exceptions.PolarsError, ValueError, TypeError, LookupError) as error:
        raise DataError(_damaged(path)) from error
    if faults := _shape_faults(path, rows, len(names)):
        raise DataError(*faults)
    cells = (
        pl.col("data").list.get(number, null_on_oob=True).alias(name)
        for number, name in enumerate(names)
        # A name that is there twice can be asked for by nobody.
        if names.index(name) == number
    )
    return Table(path, Format.JSON_TABLE, names, scanned=rows.lazy().select("row", *cells))


def _read_split(text: str) -> pl.DataFrame:
    """Return the lists of columns and of rows, every cell as text."""
    try:
        return pl.read_json(text.encode(), schema=_SCHEMA)
    except pl.exceptions.PolarsError:
        # Slower, but a cell may hold a list or an object, as the inputs of a language model do.
        found = json.loads(text, parse_float=str, parse_int=str)
        return pl.DataFrame(
            {key: pl.Series([found[key]], dtype=_SCHEMA[key], strict=False) for key in _SCHEMA}
        )


def _shape_faults(path: Path, rows: pl.DataFrame, width: int) -> list[Fault]:
    """Return a fault for each of the first rows that have no cells, or not one for each column."""
    length = pl.col("data").list.len()
    odd = rows.filter(length.ne_missing(width)).select("row", length)
    more = odd.height - FIRST_FAULTS
    return [
        Fault(
            CSV_STRUCTURE,
            f"row {row + 1} is {'null' if length is None else f'of length {length}'}, but `columns`"
            f" of length {width}"
            + (f"; and {more} more" if more > 0 and at == FIRST_FAULTS else ""),
            Place(path),
            "mend whatever wrote it, or remove the row",
        )
        for at, (row, length) in enumerate(odd.head(FIRST_FAULTS).rows(), 1)
    ]


def _damaged(path: Path) -> Fault:
    message = 'the file is not JSON of the form {"columns": […], "data": [[…], …]}'
    return Fault(FILE_DAMAGED, message, Place(path), "download the artifact again")


MLFLOW = Preset(
    name="mlflow",
    title="an evaluation table of MLflow",
    meaning="truth `target`, prediction `outputs` or `prediction`; name your own with `truth`",
    columns={
        "truth": ("target", "targets", "label", "labels", "ground_truth"),
        "prediction": ("prediction", "predictions", "outputs", "output", "predicted_label"),
        "id": ("id", "row_id"),
        "fold": ("fold",),
        "score": ("prediction_proba", "prediction_probability", "prediction_score", "probability"),
    },
    probabilities=("prediction_proba_{class}", "proba_{class}", "probability_{class}"),
    is_recognised=lambda table: table.format is Format.JSON_TABLE,
    opened=open_mlflow,
)
