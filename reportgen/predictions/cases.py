"""The cases of one classifier, as its files have them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import JOIN_MIXED, NO_PREDICTION
from reportgen.predictions.collecting import read_each
from reportgen.predictions.columns import class_column, key_column, number_column
from reportgen.predictions.folds import fold_names
from reportgen.predictions.given import GivenFrame
from reportgen.predictions.labels import known_labels
from reportgen.predictions.presets import fit, open_as
from reportgen.predictions.table import Table, given_table, open_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.files import InputFile
    from reportgen.spec import Classifier, Data, Spec, Task


@dataclass(frozen=True, slots=True)
class Cases:
    """One classifier's rows (file, row, id, fold, truth, prediction, written, score)."""

    classifier: str
    data: Data
    files: tuple[InputFile | GivenFrame, ...]
    tables: tuple[Table, ...]
    frame: pl.DataFrame

    def rows_of(self, file: int) -> int:
        """Return how many rows one of the files has."""
        return self.frame.filter(pl.col("file") == file).height

    def place_of(self, condition: pl.Expr) -> Place | None:
        """Return where the first row that meets a condition stands."""
        found = self.frame.filter(condition).select("file", "row").head(1).rows()
        return self.tables[found[0][0]].places([found[0][1]])[0] if found else None

    def told_place(self, file: int, row: int) -> str:
        """Return how a message names the place of a row."""
        table = self.tables[file]
        (place,) = table.places([row])
        at = f":{place.line}" if place.line else f", row {row + 1}"
        return f"{table.path.name}{at}"


def read_cases(
    spec: Spec, classifier: Classifier, files: tuple[InputFile | GivenFrame, ...]
) -> Cases:
    """Read and check what the files of a classifier say, column by column."""
    data = spec.data_of(classifier)
    opened = read_each(files, lambda file: _opened(file, data))
    fitted = fit(data, opened, spec.task)
    data, tables = fitted.data, fitted.tables
    if classifier.fold is None:
        data = _with_certain_folds(data, tables)
    frames = read_each(tables, lambda table: _read_file(table, data, spec.task))
    folds = fold_names([file.written for file in files])
    if data.fold is None and len(files) > 1:
        frames = tuple(
            frame.with_columns(fold=pl.lit(fold, pl.String))
            for frame, fold in zip(frames, folds, strict=True)
        )
    numbered = (
        frame.with_columns(file=pl.lit(number, pl.UInt32)) for number, frame in enumerate(frames)
    )
    return Cases(classifier.name, data, files, tables, pl.concat(numbered))


def _opened(file: InputFile | GivenFrame, data: Data) -> Table:
    """Open a file as the spec says, and keep the rows that are asked for."""
    if isinstance(file, GivenFrame):
        table = given_table(file)
    elif data.format is not None:
        table = open_as(data.format, file.path, data)
    else:
        table = open_table(file.path, tuple(_names_wanted(data).values()))
    asked = data.where or {}
    faults = table.missing({f"data.where.{name}": name for name in asked})
    if faults:
        raise DataError(*faults)
    return replace(table, where=asked)


def _with_certain_folds(data: Data, tables: Sequence[Table]) -> Data:
    """Take the fold from the names of the files if there are several and none has its column."""
    having = [table for table in tables if data.fold in table.names]
    if data.fold is None or len(tables) == 1 or len(having) == len(tables):
        return data
    if not having:
        return data.model_copy(update={"fold": None})
    help_text = (
        f"`{having[0].path.name}` has it: give the column to all files, or to none, and each file"
        " is a fold"
    )
    raise DataError(
        *(
            replace(fault, help=help_text)
            for table in tables
            for fault in table.missing({"data.fold": data.fold})
        )
    )


def _names_wanted(data: Data) -> dict[str, str]:
    """Return the columns a file must have, by what they are for."""
    if data.labels is not None and data.id is None:
        message = f"the labels in `{data.labels}` are matched by id, but no id column is named"
        raise DataError(Fault(JOIN_MIXED, message, help='write `id = "…"` under `[data]`'))
    wanted = {
        "id": data.id,
        "fold": data.fold,
        "truth": None if data.labels is not None else data.truth,
        "prediction": None if data.threshold is not None else data.prediction,
        "score": data.score,
    }
    return {role: name for role, name in wanted.items() if name is not None}


def _read_file(table: Table, data: Data, task: Task) -> pl.DataFrame:
    wanted = _names_wanted(data)
    _refuse_missing(table, data, wanted)
    if data.threshold is not None and table.names.count(data.prediction) == 1:
        wanted["written"] = data.prediction
    read = table.read(wanted)
    numeric = task.kind == "regression"
    columns: list[pl.Series] = [read["row"]]
    faults: list[Fault] = []
    for role, name in wanted.items():
        if role in {"id", "fold"}:
            values, found = key_column(table, read, role, name)
        elif role == "score" or (numeric and role != "written"):
            values, found = number_column(table, read, role, name)
        else:
            values, found = class_column(table, read, role, name, known_labels(task))
        # Where the threshold decides, gaps in the column it replaces do no harm.
        faults.extend([] if role == "written" else found)
        if len(values) == read.height:
            columns.append(values.rename(role))
    if faults:
        raise DataError(*faults)
    return _with_all_columns(pl.DataFrame(columns), numeric=numeric)


def _with_all_columns(frame: pl.DataFrame, *, numeric: bool) -> pl.DataFrame:
    value = pl.Float64 if numeric else pl.String
    types: Mapping[str, type[pl.DataType]] = {
        "row": pl.UInt32,
        "id": pl.String,
        "fold": pl.String,
        "truth": value,
        "prediction": value,
        "written": pl.String,
        "score": pl.Float64,
    }
    absent = [pl.lit(None, dtype).alias(name) for name, dtype in types.items() if name not in frame]
    return frame.with_columns(absent).select(pl.col(name).cast(types[name]) for name in types)


def _refuse_missing(table: Table, data: Data, wanted: dict[str, str]) -> None:
    faults = table.missing({f"data.{role}": name for role, name in wanted.items()})
    without = data.prediction not in table.names and data.threshold is None
    if without:
        faults = [fault for fault in faults if "`data.prediction`" not in fault.message]
        faults.append(_no_prediction(table, data))
    elif data.threshold is not None and data.score is None:
        message = f"a threshold of {data.threshold} is set, but no score column is named"
        help_text = 'write `score = "…"` under `[data]`'
        faults.append(Fault(NO_PREDICTION, message, Place(table.path), help_text))
    if faults:
        raise DataError(*faults)


def _no_prediction(table: Table, data: Data) -> Fault:
    (missing,) = table.missing({"data.prediction": data.prediction})
    score = f"`{data.score}`" if data.score else "a score column"
    ways = (
        "name the column of predictions with `data.prediction`, or set `data.threshold`"
        f" to derive them from {score}"
    )
    guess = missing.help
    help_text = f"{guess} otherwise {ways}" if guess else ways
    return Fault(NO_PREDICTION, missing.message, missing.place, help_text)
