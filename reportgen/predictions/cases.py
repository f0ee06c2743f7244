"""The cases of one classifier, as its files have them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import JOIN_MIXED, NO_PREDICTION
from reportgen.predictions.columns import key_column, label_column, number_column
from reportgen.predictions.files import InputFile, find_files
from reportgen.predictions.folds import fold_names
from reportgen.predictions.table import Table, open_table

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from reportgen.spec import Classifier, Data, Spec

TEXT_ROLES = ("id", "fold", "truth", "prediction", "written")


@dataclass(frozen=True, slots=True)
class Cases:
    """One classifier's rows (file, row, id, fold, truth, prediction, written, score)."""

    classifier: str
    data: Data
    files: tuple[InputFile, ...]
    tables: tuple[Table, ...]
    frame: pl.DataFrame

    def rows_of(self, file: int) -> int:
        """Return how many rows one of the files has."""
        return self.frame.filter(pl.col("file") == file).height

    def place_of(self, condition: pl.Expr) -> Place | None:
        """Return where the first row that meets a condition stands."""
        found = self.frame.filter(condition).select("file", "row").head(1).rows()
        return self.tables[found[0][0]].places([found[0][1]])[0] if found else None


def read_cases(spec: Spec, classifier: Classifier, folder: Path) -> Cases:
    """Read and check what the files of a classifier say, column by column."""
    data = spec.data_of(classifier)
    files = find_files(folder, classifier.predictions or ())
    numeric = spec.task.kind == "regression"
    one_per_fold = data.fold is None and len(files) > 1
    folds = fold_names([file.written for file in files]) if one_per_fold else (None,) * len(files)
    tables: list[Table] = []
    frames: list[pl.DataFrame] = []
    faults: list[Fault] = []
    for number, (file, fold) in enumerate(zip(files, folds, strict=True)):
        try:
            table = open_table(file.path, tuple(_names_wanted(data).values()))
            frame = _read_file(table, data, numeric=numeric)
        except DataError as error:
            faults.extend(error.faults)
            continue
        tables.append(table)
        if one_per_fold:
            frame = frame.with_columns(fold=pl.lit(fold, pl.String))
        frames.append(frame.with_columns(file=pl.lit(number, pl.UInt32)))
    if faults:
        raise DataError(*faults)
    return Cases(classifier.name, data, files, tuple(tables), pl.concat(frames))


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


def _read_file(table: Table, data: Data, *, numeric: bool) -> pl.DataFrame:
    wanted = _names_wanted(data)
    _refuse_missing(table, data, wanted)
    if data.threshold is not None and table.names.count(data.prediction) == 1:
        wanted["written"] = data.prediction
    read = table.read(wanted)
    numbers = {"score", "truth", "prediction"} if numeric else {"score"}
    columns: list[pl.Series] = [read["row"]]
    faults: list[Fault] = []
    for role, name in wanted.items():
        cast = number_column if role in numbers else label_column
        values, found = (key_column if role in {"id", "fold"} else cast)(table, read, role, name)
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
