"""The cases of one classifier, as its files have them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Fault, Place
from reportgen.errors.data_faults import JOIN_MIXED, NO_PREDICTION
from reportgen.predictions.collecting import read_each
from reportgen.predictions.columns import class_column, key_column, number_column
from reportgen.predictions.compact import read_compact
from reportgen.predictions.folds import fold_names
from reportgen.predictions.given import GivenFrame
from reportgen.predictions.labels import known_labels
from reportgen.predictions.presets import fit, open_as
from reportgen.predictions.table import Table, counted_rows, given_table, open_table
from reportgen.tallies.answers import count_answers

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from reportgen.predictions.compact import Kind
    from reportgen.predictions.files import InputFile, RemoteFile
    from reportgen.spec import Classifier, Data, Spec, Task

_ROLES = ("id", "fold", "truth", "prediction", "written", "score")


@dataclass(frozen=True)
class Cases:
    """One classifier's rows (id, fold, truth, prediction, written, score), file after file.

    What the files do not have is null throughout. `heights` are the rows of the frame by file.
    Equal rows may be counted together: then each has a `count`, and the first `row` in its file.
    """

    classifier: str
    data: Data
    files: tuple[InputFile | RemoteFile | GivenFrame, ...]
    tables: tuple[Table, ...]
    frame: pl.DataFrame
    heights: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many rows the files have."""
        return counted_rows(self.frame)

    def located(self) -> pl.DataFrame:
        """Return the rows with the file of each and its place there."""
        places = {
            "file": pl.concat(
                pl.repeat(number, height, dtype=pl.UInt32, eager=True)
                for number, height in enumerate(self.heights)
            ),
            "row": pl.concat(
                pl.int_range(height, dtype=pl.UInt32, eager=True) for height in self.heights
            ),
        }
        missing = [column.alias(name) for name, column in places.items() if name not in self.frame]
        return self.frame.with_columns(missing)

    def in_files(self) -> Iterator[tuple[Table, pl.DataFrame]]:
        """Yield each file with its rows."""
        start = 0
        for table, height in zip(self.tables, self.heights, strict=True):
            yield table, self.frame.slice(start, height)
            start += height

    @cached_property
    def labels(self) -> Counter[str]:
        """How often each label is a truth or a prediction."""
        counted = self.frame
        if "count" not in counted.columns:
            answers = counted.select("truth", "prediction", fold=pl.lit(None))
            counted = count_answers(answers).collect(engine="streaming")
        found: Counter[str] = Counter()
        for role in ("truth", "prediction"):
            by_label = counted.drop_nulls(role).group_by(role).agg(pl.col("count").sum())
            found.update(dict(by_label.with_columns(pl.col(role).cast(pl.String)).rows()))
        return found

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        score = pl.col("score")
        low, high = self.frame.select(low=score.min(), high=score.max()).row(0)
        return low, high

    def rows_of(self, file: int) -> int:
        """Return how many rows one of the files has."""
        return counted_rows(self.frame.slice(sum(self.heights[:file]), self.heights[file]))

    def number_of(self, condition: pl.Expr) -> int:
        """Return how many rows meet a condition."""
        return counted_rows(self.frame.filter(condition))

    def place_of(self, condition: pl.Expr) -> Place | None:
        """Return where the first row that meets a condition stands."""
        found = self.located().filter(condition).select("file", "row").head(1).rows()
        return self.tables[found[0][0]].places([found[0][1]])[0] if found else None

    def told_place(self, file: int, row: int | None) -> str:
        """Return how a message names the place of a row, which is unknown on a cluster."""
        table = self.tables[file]
        if row is None:
            return table.path.name
        (place,) = table.places([row])
        at = f":{place.line}" if place.line else f", row {row + 1}"
        return f"{table.path.name}{at}"


def read_cases(
    spec: Spec,
    classifier: Classifier,
    files: tuple[InputFile | RemoteFile | GivenFrame, ...],
) -> Cases:
    """Read and check what the files of a classifier say, column by column.

    Equal rows are counted together if they need not be matched with those of others.
    """
    data = spec.data_of(classifier)
    opened = read_each(files, lambda file: _opened(file, data))
    fitted = fit(data, opened, spec.task)
    data, tables = fitted.data, fitted.tables
    if classifier.fold is None:
        data = _with_certain_folds(data, tables)
    together = is_alone(spec) and data.id is None and data.probabilities is None
    frames = read_each(tables, lambda table: _read_file(table, data, spec.task, together=together))
    folds = fold_names([file.written for file in files])
    if data.fold is None and len(files) > 1:
        frames = tuple(
            frame.with_columns(fold=pl.lit(fold).cast(pl.Categorical))
            for frame, fold in zip(frames, folds, strict=True)
        )
    heights = tuple(frame.height for frame in frames)
    return Cases(classifier.name, data, files, tables, _stacked(frames), heights)


def is_alone(spec: Spec) -> bool:
    """Tell whether one classifier alone has files, so that no rows are matched."""
    return sum(each.predictions is not None for each in spec.classifiers) == 1


def _stacked(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put the rows of files on top of each other; where some are counted, the others count once."""
    every = set().union(*(frame.columns for frame in frames))
    frames = [_placed_and_counted(frame, every) for frame in frames]
    alike = (frame.select(frames[0].columns) for frame in _with_same_labels(frames))
    return pl.concat(alike, how="vertical_relaxed")


def _with_same_labels(frames: Sequence[pl.DataFrame]) -> Sequence[pl.DataFrame]:
    """Let labels be categories of one kind where those that files were read as differ."""
    differing = [
        role
        for role in ("truth", "prediction")
        if len({frame.schema[role] for frame in frames}) > 1
        and any(isinstance(frame.schema[role], pl.Enum) for frame in frames)
    ]
    return [frame.with_columns(pl.col(differing).cast(pl.Categorical)) for frame in frames]


def _placed_and_counted(frame: pl.DataFrame, every: Collection[str]) -> pl.DataFrame:
    """Give a file's rows their places and counts, if those of other files have them."""
    once = {"row": pl.int_range(pl.len(), dtype=pl.UInt32), "count": pl.lit(1, pl.UInt32)}
    lacking = {name: new for name, new in once.items() if name in every and name not in frame}
    return frame.with_columns(**lacking)


def _opened(file: InputFile | RemoteFile | GivenFrame, data: Data) -> Table:
    """Open a file as the spec says, and keep the rows that are asked for."""
    if isinstance(file, GivenFrame):
        table = given_table(file)
    elif data.format is not None:
        table = open_as(data.format, file.path, data)
    else:
        table = open_table(file.path, tuple(names_wanted(data).values()))
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


def names_wanted(data: Data) -> dict[str, str]:
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


def _read_file(table: Table, data: Data, task: Task, *, together: bool) -> pl.DataFrame:
    wanted = names_wanted(data)
    refuse_missing(table, data, wanted)
    if data.threshold is not None and table.names.count(data.prediction) == 1:
        wanted["written"] = data.prediction
    numeric = task.kind == "regression"
    kinds = {role: _kind(role, numeric=numeric) for role in wanted}
    frame = read_compact(
        table, wanted, kinds, known_labels(task), together=together and not numeric
    )
    if frame is None:
        frame = _read_closely(table, wanted, kinds, known_labels(task))
    absent = [pl.lit(None).alias(role) for role in _ROLES if role not in frame.columns]
    return frame.with_columns(absent)


def _kind(role: str, *, numeric: bool) -> Kind:
    """Return what a column is read as."""
    if role == "score" or (numeric and role in {"truth", "prediction"}):
        return "number"
    kinds: dict[str, Kind] = {"id": "id", "fold": "key", "written": "hint"}
    return kinds.get(role, "label")


def _read_closely(
    table: Table, wanted: Mapping[str, str], kinds: Mapping[str, Kind], known: Collection[str]
) -> pl.DataFrame:
    """Read columns value by value, and raise all faults with their places."""
    read = table.read(wanted)
    columns: list[pl.Series] = [read["row"]]
    faults: list[Fault] = []
    for role, name in wanted.items():
        match kinds[role]:
            case "id" | "key":
                values, found = key_column(table, read, role, name)
            case "number":
                values, found = number_column(table, read, role, name)
            case _:
                values, found = class_column(table, read, role, name, known)
        # Where the threshold decides, gaps in the column it replaces do no harm.
        faults.extend([] if role == "written" else found)
        if len(values) == read.height:
            is_text = kinds[role] in {"label", "key", "hint"}
            columns.append(
                values.rename(role).cast(pl.Categorical) if is_text else values.rename(role)
            )
    if faults:
        raise DataError(*faults)
    return pl.DataFrame(columns)


def refuse_missing(table: Table, data: Data, wanted: Mapping[str, str]) -> None:
    """Raise if a file lacks a column that it must have, or the means to predict."""
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
