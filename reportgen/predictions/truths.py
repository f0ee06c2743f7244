"""The truth when it lives in a file of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault
from reportgen.errors.data_faults import CASES_CONTRADICT
from reportgen.predictions.columns import class_column, key_column, number_column
from reportgen.predictions.labels import known_labels
from reportgen.predictions.table import Table, open_table

if TYPE_CHECKING:
    from reportgen.predictions.files import InputFile
    from reportgen.spec import Data, Task


@dataclass(frozen=True, slots=True)
class Truths:
    """The truth (id, truth) of each case, once, and how many rows were repetitions."""

    file: InputFile
    table: Table
    frame: pl.DataFrame
    rows: int

    @property
    def repeated(self) -> int:
        """How many rows only repeat another one."""
        return self.rows - self.frame.height


def read_truths(data: Data, task: Task, file: InputFile) -> Truths:
    """Read the file of labels; two different truths for one id are an error."""
    columns = {"id": data.id or "", "truth": data.truth}
    table = open_table(file.path, tuple(columns.values()))
    faults = table.missing({f"data.{role}": name for role, name in columns.items()})
    if faults:
        raise DataError(*faults)
    read = table.read(columns)
    ids, id_faults = key_column(table, read, "id", columns["id"])
    truths, truth_faults = (
        number_column(table, read, "truth", data.truth)
        if task.kind == "regression"
        else class_column(table, read, "truth", data.truth, known_labels(task))
    )
    if id_faults or truth_faults:
        raise DataError(*id_faults, *truth_faults)
    frame = pl.DataFrame({"row": read["row"], "id": ids, "truth": truths})
    _refuse_two_truths(table, frame)
    unique = frame.select("id", "truth").unique("id", keep="first", maintain_order=True)
    return Truths(file, table, unique, frame.height)


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
