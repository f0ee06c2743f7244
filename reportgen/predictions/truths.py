"""The truth when it lives in a file of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.data_faults import CASES_CONTRADICT
from reportgen.frozen import frozen
from reportgen.predictions.columns import class_column, key_column, number_column
from reportgen.predictions.compact import read_compact
from reportgen.predictions.labels import known_labels
from reportgen.predictions.table import Table, open_table

if TYPE_CHECKING:
    from reportgen.predictions.compact import Kind
    from reportgen.predictions.files import InputFile, RemoteFile
    from reportgen.spec import Data, Task


@frozen
class Truths:
    """The truth (id, truth) of each case, once, and how many rows were repetitions."""

    file: InputFile | RemoteFile
    table: Table
    frame: pl.DataFrame
    rows: int

    @property
    def repeated(self) -> int:
        """How many rows only repeat another one."""
        return self.rows - self.frame.height


def read_truths(data: Data, task: Task, file: InputFile | RemoteFile) -> Truths:
    """Read the file of labels; two different truths for one id are an error."""
    columns = {"id": data.id or "", "truth": data.truth}
    table = open_table(file.path, tuple(columns.values()))
    faults = table.missing({f"data.{role}": name for role, name in columns.items()})
    if faults:
        raise DataError(*faults)
    frame = _read(table, columns, task)
    rows = frame.height
    if frame["id"].n_unique() < rows:
        _refuse_two_truths(table, frame.with_row_index("row") if "row" not in frame else frame)
        frame = frame.unique("id", keep="first", maintain_order=True)
    return Truths(file, table, frame.select("id", "truth"), rows)


def _read(table: Table, columns: dict[str, str], task: Task) -> pl.DataFrame:
    numeric = task.kind == "regression"
    kinds: dict[str, Kind] = {"id": "id", "truth": "number" if numeric else "label"}
    found = read_compact(table, columns, kinds, known_labels(task))
    if found is not None:
        return found
    read = table.read(columns)
    ids, id_faults = key_column(table, read, "id", columns["id"])
    truths, truth_faults = (
        number_column(table, read, "truth", columns["truth"])
        if numeric
        else class_column(table, read, "truth", columns["truth"], known_labels(task))
    )
    if id_faults or truth_faults:
        raise DataError(*id_faults, *truth_faults)
    if not numeric:
        truths = truths.cast(pl.Categorical)
    return pl.DataFrame({"row": read["row"], "id": ids, "truth": truths})


def _refuse_two_truths(table: Table, frame: pl.DataFrame) -> None:
    two = frame.filter(pl.col("truth").n_unique().over("id") > 1)
    if two.is_empty():
        return
    said = two.group_by("id").agg(pl.col("row").last(), pl.col("truth").unique(maintain_order=True))
    told = said.select(
        "row",
        value=pl.format(
            "id `{}` has the truths {}",
            "id",
            pl.col("truth").cast(pl.List(pl.String)).list.join(", "),
        ),
    )
    faults: list[Fault] = table.faults_at(CASES_CONTRADICT, told, lambda value: value)
    raise DataError(*faults)
