"""Cases of one classifier, read from its prediction files and its labels file."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri
from reportgen.errors.data import (
    CONFLICTING_CASES,
    INCONSISTENT_JOIN_KEYS,
    NO_PREDICTION,
    NO_ROWS,
    VALUE_MISSING,
)
from reportgen.predictions.attributes import (
    apply_counts,
    attribute_columns,
    attribute_key,
    attribute_type,
    check_attributes,
    check_total,
)
from reportgen.predictions.columns import (
    MISSING_MARKERS,
    parse_class_column,
    parse_key_column,
    parse_number_column,
    read_fast,
)
from reportgen.predictions.diagnostics import map_collecting_errors
from reportgen.predictions.duplicates import count_label_combinations
from reportgen.predictions.label_sets import with_label_set_columns, with_label_sets
from reportgen.predictions.labels import declared_labels
from reportgen.predictions.presets import open_preset_file, resolve_columns
from reportgen.predictions.presets.registry import PRESETS
from reportgen.predictions.stored_tables import check_part
from reportgen.predictions.table import (
    GroupedRows,
    InMemoryFrame,
    PredictionTable,
    count_rows,
    open_encoded_table,
    open_table,
    table_from_frame,
)
from reportgen.predictions.unanswered import optional_roles

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from reportgen.predictions.columns import ColumnType
    from reportgen.predictions.files import InputFile, RemoteFile
    from reportgen.spec import Classifier, DataSettings, Spec, Task


# Tokens of paths: runs of digits or letters, so that fold10 and fold11 differ by 10 and 11.
_TOKEN = re.compile(r"\d+|[^\W\d_]+|[\W_]")
_FILE_SUFFIXES = re.compile(
    r"\.(csv|tsv|txt|parquet|pq|arrow|feather|ipc|jsonl|ndjson|json|xlsx|xls|ods)(\.gz)?$",
    re.IGNORECASE,
)


def fold_names_from_paths(paths: Sequence[str]) -> tuple[str, ...]:
    """Return the fold names of one file per fold: the part in which their paths differ."""
    tokens = [_TOKEN.findall(_FILE_SUFFIXES.sub("", path)) for path in paths]
    prefix_length = _common_prefix_length(tokens)
    suffixes = [path_tokens[prefix_length:] for path_tokens in tokens]
    suffix_length = _common_prefix_length([path_tokens[::-1] for path_tokens in suffixes])
    names = ["".join(path_tokens[: len(path_tokens) - suffix_length]) for path_tokens in suffixes]
    use_full_paths = any(not name for name in names) or len(set(names)) < len(names)
    return tuple(paths) if use_full_paths else tuple(names)


def _common_prefix_length(sequences: Sequence[Sequence[str]]) -> int:
    """Return the number of leading tokens that all sequences have in common."""
    columns = zip(*sequences, strict=False)
    return len(list(takewhile(lambda column: len(set(column)) == 1, columns)))


_ROLES = ("id", "fold", "truth", "prediction", "file_prediction", "score")


@dataclass(frozen=True)
class Cases:
    """The rows of one classifier (id, fold, truth, prediction, file_prediction, score) by file.

    Columns that the files do not have are null. `file_prediction` is the prediction column that a
    threshold replaces. `rows_per_file` are the rows of the frame by file. Aggregated duplicate
    rows have a `count`, and the first `row` in their file.
    """

    classifier: str
    data: DataSettings
    files: tuple[InputFile | RemoteFile | InMemoryFrame | GroupedRows, ...]
    tables: tuple[PredictionTable, ...]
    frame: pl.DataFrame
    rows_per_file: tuple[int, ...]
    uncounted_rows: int = 0
    """The number of rows with a count of 0, which are left out."""

    @property
    def size(self) -> int:
        """The number of rows of the files; a row with a `count` stands for so many."""
        return count_rows(self.frame)

    def with_locations(self) -> pl.DataFrame:
        """Return the rows with their file index and their row in it."""
        indices = {
            "file": pl.concat(
                pl.repeat(number, height, dtype=pl.UInt32, eager=True)
                for number, height in enumerate(self.rows_per_file)
            ),
            "row": pl.concat(
                pl.int_range(height, dtype=pl.UInt32, eager=True) for height in self.rows_per_file
            ),
        }
        missing = [column.alias(name) for name, column in indices.items() if name not in self.frame]
        return self.frame.with_columns(missing)

    def iter_files(self) -> Iterator[tuple[PredictionTable, pl.DataFrame]]:
        """Yield each file with its rows."""
        start = 0
        for table, height in zip(self.tables, self.rows_per_file, strict=True):
            yield table, self.frame.slice(start, height)
            start += height

    @cached_property
    def labels(self) -> Counter[str]:
        """The number of occurrences of each label as truth or prediction."""
        combinations = self.frame
        if "count" not in combinations.columns:
            label_columns = combinations.select("truth", "prediction", fold=pl.lit(None))
            combinations = count_label_combinations(label_columns).collect(engine="streaming")
        totals: Counter[str] = Counter()
        for role in ("truth", "prediction"):
            by_label = combinations.drop_nulls(role).group_by(role).agg(pl.col("count").sum())
            totals.update(dict(by_label.with_columns(pl.col(role).cast(pl.String)).rows()))
        return totals

    @cached_property
    def score_range(self) -> tuple[float, float]:
        """The lowest and the highest score."""
        score = pl.col("score")
        low, high = self.frame.select(low=score.min(), high=score.max()).row(0)
        return low, high

    def file_row_count(self, file: int) -> int:
        """Return the number of rows of a file."""
        return count_rows(
            self.frame.slice(sum(self.rows_per_file[:file]), self.rows_per_file[file])
        )

    def count_where(self, condition: pl.Expr) -> int:
        """Return the number of rows that meet a condition."""
        return count_rows(self.frame.filter(condition))

    def first_location(self, condition: pl.Expr) -> Location | None:
        """Return the location of the first row that meets a condition, or None."""
        rows = self.with_locations().filter(condition).select("file", "row").head(1).rows()
        return self.tables[rows[0][0]].locations([rows[0][1]])[0] if rows else None

    def format_location(self, file: int, row: int | None) -> str:
        """Return file and line (or row) for messages; only the file if the row is unknown."""
        table = self.tables[file]
        if row is None or table.is_grouped:
            return table.path.name
        (location,) = table.locations([row])
        position = f":{location.line}" if location.line else f", row {row + table.first_row}"
        return f"{table.path.name}{position}"


def read_cases(
    spec: Spec,
    classifier: Classifier,
    files: tuple[InputFile | RemoteFile | InMemoryFrame | GroupedRows, ...],
) -> Cases:
    """Read and check the columns of a classifier's files.

    Duplicate rows are aggregated if they need not be joined with other classifiers.
    """
    data = spec.data_settings_for(classifier)
    opened_tables = map_collecting_errors(files, lambda file: open_file(file, data))
    is_log = data.format is not None and PRESETS[data.format].is_log
    if is_log:
        files, opened_tables = _keep_logs_of_model(files, opened_tables)
    mapping = resolve_columns(data, opened_tables, spec.task)
    tables, data = with_label_set_columns(mapping.tables, mapping.data, spec.task)
    if classifier.fold is None:
        data = _resolve_fold_column(data, tables)
    attributes = _attributes_in_files(spec, data, tables)
    group_duplicates = (
        is_single_classifier(spec)
        and data.id is None
        and data.probabilities is None
        and not attributes
    )
    frames_and_counts = map_collecting_errors(
        tables,
        lambda table: apply_counts(
            table,
            _read_file(
                table,
                data,
                spec,
                attributes,
                group_duplicates=group_duplicates,
            ),
        ),
    )
    frames = tuple(frame for frame, _ in frames_and_counts)
    folds = fold_names_from_paths([file.display_name for file in files])
    if data.fold is None and len(files) > 1 and not is_log:
        frames = tuple(
            frame.with_columns(fold=pl.lit(fold).cast(pl.Categorical))
            for frame, fold in zip(frames, folds, strict=True)
        )
    frames = tuple(map(_number_repeated_folds, frames))
    rows_per_file = tuple(frame.height for frame in frames)
    n_uncounted = sum(number for _, number in frames_and_counts)
    cases = Cases(
        classifier.name, data, files, tables, _stack_files(frames), rows_per_file, n_uncounted
    )
    check_total(cases)
    return cases


def _keep_logs_of_model(
    files: tuple[InputFile | RemoteFile | InMemoryFrame | GroupedRows, ...],
    tables: tuple[PredictionTable, ...],
) -> tuple[
    tuple[InputFile | RemoteFile | InMemoryFrame | GroupedRows, ...], tuple[PredictionTable, ...]
]:
    """Return the logs with rows that `where` keeps; all, to be reported, if there are none."""
    logs = [
        (file, table)
        for file, table in zip(files, tables, strict=True)
        if not table.where or _has_rows(table)
    ]
    if not logs:
        return files, tables
    return tuple(file for file, _ in logs), tuple(table for _, table in logs)


def _has_rows(table: PredictionTable) -> bool:
    column = next(iter(table.where))
    try:
        return not table.read({"value": column}).is_empty()
    except DataError as error:
        if all(diagnostic.error_code is NO_ROWS for diagnostic in error.diagnostics):
            return False
        raise


def _number_repeated_folds(frame: pl.DataFrame) -> pl.DataFrame:
    """Make folds distinct over repetitions: fold 1 of repetition 2 is "2/1"."""
    if "repeat" not in frame.columns:
        return frame
    fold = pl.col("repeat")
    if frame.schema["fold"] != pl.Null:
        fold = pl.concat_str(pl.col("repeat").cast(pl.String), pl.lit("/"), pl.col("fold"))
    return frame.with_columns(fold=fold.cast(pl.Categorical)).drop("repeat")


def _attributes_in_files(
    spec: Spec, data: DataSettings, tables: Sequence[PredictionTable]
) -> dict[str, str]:
    """Return the columns of case attributes to read; those of a labels file are read there."""
    columns = attribute_columns(spec, data)
    if data.labels is None:
        return columns
    return {
        role: name for role, name in columns.items() if all(name in table.names for table in tables)
    }


def is_single_classifier(spec: Spec) -> bool:
    """Return whether only one classifier has files, so that no rows are joined."""
    return sum(classifier.predictions is not None for classifier in spec.classifiers) == 1


def _stack_files(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate the rows of files; if some files have counts, rows of the others count once."""
    all_columns = set().union(*(frame.columns for frame in frames))
    frames = [_add_row_and_count(frame, all_columns) for frame in frames]
    parts = (frame.select(frames[0].columns) for frame in _unify_label_types(frames))
    return pl.concat(parts, how="vertical_relaxed")


def _unify_label_types(frames: Sequence[pl.DataFrame]) -> Sequence[pl.DataFrame]:
    """Cast labels to one categorical type where the types of files differ."""
    differing = [
        role
        for role in ("truth", "prediction")
        if len({frame.schema[role] for frame in frames}) > 1
        and any(isinstance(frame.schema[role], pl.Enum) for frame in frames)
    ]
    return [frame.with_columns(pl.col(differing).cast(pl.Categorical)) for frame in frames]


def _add_row_and_count(frame: pl.DataFrame, all_columns: Collection[str]) -> pl.DataFrame:
    """Add row indices and counts of 1 to a file's rows, if other files have these columns."""
    defaults = {"row": pl.int_range(pl.len(), dtype=pl.UInt32), "count": pl.lit(1, pl.UInt32)}
    missing = {
        name: new for name, new in defaults.items() if name in all_columns and name not in frame
    }
    return frame.with_columns(**missing)


def open_file(
    file: InputFile | RemoteFile | InMemoryFrame | GroupedRows, data: DataSettings
) -> PredictionTable:
    """Open a file with the preset of the spec, if any, and with its row filter."""
    if not isinstance(file, InMemoryFrame) and not isinstance(file.path, RemoteUri):
        check_part(file.path, data.sheet, data.table)
    if isinstance(file, InMemoryFrame):
        table = table_from_frame(file)
    elif isinstance(file, GroupedRows):
        table = file.table()
    elif data.format is not None:
        table = open_preset_file(data.format, file.path, data)
    else:
        table = open_data_table(file.path, data, tuple(required_columns(data).values()))
    row_filter = data.where or {}
    diagnostics = table.missing_column_diagnostics(
        {f"data.where.{name}": name for name in row_filter}
    )
    if diagnostics:
        raise DataError(*diagnostics)
    return replace(table, where=row_filter, decimal=data.decimal)


def open_data_table(
    path: Path | RemoteUri, data: DataSettings, expected_columns: tuple[str, ...]
) -> PredictionTable:
    """Open a file without a preset, in the encoding and with the decimal mark of the spec."""
    if data.encoding is None or isinstance(path, RemoteUri):
        table = open_table(path, expected_columns, data.sheet, data.table)
    else:
        table = open_encoded_table(path, data.encoding, expected_columns, data.table)
    return replace(table, decimal=data.decimal)


def _resolve_fold_column(data: DataSettings, tables: Sequence[PredictionTable]) -> DataSettings:
    """Unset the fold column if there are several files and none has it: each file is a fold."""
    with_column = [table for table in tables if data.fold in table.names]
    if data.fold is None or len(tables) == 1 or len(with_column) == len(tables):
        return data
    if not with_column:
        return data.model_copy(update={"fold": None})
    help_text = (
        f"`{with_column[0].path.name}` has it: give the column to all files, or to none, and each"
        " file is a fold"
    )
    raise DataError(
        *(
            replace(diagnostic, help=help_text)
            for table in tables
            for diagnostic in table.missing_column_diagnostics({"data.fold": data.fold})
        )
    )


def required_columns(data: DataSettings) -> dict[str, str]:
    """Return the columns that a file must have, by role."""
    if data.labels is not None and data.id is None:
        message = f"the labels in `{data.labels}` are matched by id, but no id column is named"
        raise DataError(
            Diagnostic(INCONSISTENT_JOIN_KEYS, message, help='write `id = "…"` under `[data]`')
        )
    columns = {
        "id": data.id,
        "fold": data.fold,
        "truth": None if data.labels is not None else data.truth,
        "prediction": None if data.threshold is not None else data.prediction,
        "score": data.score,
    }
    return {role: name for role, name in columns.items() if name is not None}


def _read_file(
    table: PredictionTable,
    data: DataSettings,
    spec: Spec,
    attributes: Mapping[str, str],
    *,
    group_duplicates: bool,
) -> pl.DataFrame:
    task, optional = spec.task, optional_roles(spec)
    known_labels = (*declared_labels(task), *(task.abstain or ()))
    columns = required_columns(data)
    if takes_most_probable_class(table, data):
        del columns["prediction"]
    validate_columns(table, data, columns, attributes)
    columns |= attributes
    has_predictions = table.names.count(data.prediction) == 1 and data.prediction != data.score
    if data.threshold is not None and has_predictions:
        columns["file_prediction"] = data.prediction
    numeric = task.kind == "regression"
    column_types = {role: _column_type(role, numeric=numeric) for role in columns}
    frame = read_fast(
        table,
        columns,
        column_types,
        known_labels,
        optional,
        group_duplicates=group_duplicates and not numeric,
    )
    if frame is None:
        frame = _read_with_diagnostics(table, columns, column_types, known_labels, optional)
    if diagnostics := check_attributes(table, frame, columns):
        raise DataError(*diagnostics)
    absent = [pl.lit(None).alias(role) for role in _ROLES if role not in frame.columns]
    return _remove_abstentions(frame.with_columns(absent), task.abstain or ())


def _remove_abstentions(frame: pl.DataFrame, abstain: Collection[str]) -> pl.DataFrame:
    """Return the rows without predictions that are no class."""
    if not abstain or frame.schema["prediction"] == pl.Null:
        return frame
    prediction = pl.col("prediction").cast(pl.String)
    answered = pl.when(~prediction.is_in(list(abstain))).then(prediction)
    return frame.with_columns(prediction=answered.cast(pl.Categorical))


def takes_most_probable_class(table: PredictionTable, data: DataSettings) -> bool:
    """Return whether a file has probabilities of the classes and no column of predictions."""
    return (
        data.probabilities is not None
        and data.threshold is None
        and "prediction" not in data.model_fields_set
        and data.prediction not in table.names
    )


def _column_type(role: str, *, numeric: bool) -> ColumnType:
    """Return the type of the column of a role."""
    if (attribute := attribute_type(role)) is not None:
        return attribute
    if role == "score" or (numeric and role in {"truth", "prediction"}):
        return "number"
    kinds: dict[str, ColumnType] = {"id": "id", "fold": "key", "file_prediction": "unchecked_label"}
    return kinds.get(role, "label")


def _read_with_diagnostics(
    table: PredictionTable,
    required: Mapping[str, str],
    column_types: Mapping[str, ColumnType],
    known_labels: Collection[str],
    optional: Collection[str] = (),
) -> pl.DataFrame:
    """Read columns value by value, and raise diagnostics with the locations.

    Missing values of optional columns are null.
    """
    frame = table.read(required)
    columns: list[pl.Series] = [frame["row"]]
    diagnostics: list[Diagnostic] = []
    for role, name in required.items():
        match column_types[role]:
            case "id" | "key":
                values, column_diagnostics = parse_key_column(table, frame, role, name)
            case "number":
                values, column_diagnostics = parse_number_column(table, frame, role, name)
            case _:
                values, column_diagnostics = parse_class_column(
                    table, frame, role, name, known_labels
                )
        if role in optional:
            column_diagnostics = [
                diagnostic
                for diagnostic in column_diagnostics
                if diagnostic.error_code is not VALUE_MISSING
            ]
            values = _without_missing_markers(values, known_labels)
        # Missing values in a column that the threshold replaces are allowed.
        diagnostics.extend([] if role == "file_prediction" else column_diagnostics)
        if len(values) == frame.height:
            is_text = column_types[role] in {"label", "key", "unchecked_label"}
            columns.append(
                values.rename(role).cast(pl.Categorical) if is_text else values.rename(role)
            )
    if diagnostics:
        raise DataError(*diagnostics)
    return pl.DataFrame(columns)


def _without_missing_markers(values: pl.Series, known_labels: Collection[str]) -> pl.Series:
    """Return labels with null for those that are written as missing."""
    if values.dtype != pl.String:
        return values
    markers = ["", *MISSING_MARKERS.difference(known_labels)]
    return pl.select(pl.when(~values.is_in(markers)).then(values)).to_series()


def validate_columns(
    table: PredictionTable,
    data: DataSettings,
    required: Mapping[str, str],
    attributes: Mapping[str, str],
) -> None:
    """Raise if a file lacks a required column, or both predictions and a score with threshold."""
    keys = {f"data.{role}": name for role, name in required.items()}
    diagnostics = table.missing_column_diagnostics(keys)
    for role, name in attributes.items():
        diagnostics += table.missing_column_diagnostics({attribute_key(role): name})
    lacks_prediction = data.prediction not in table.names and data.threshold is None
    if lacks_prediction and not takes_most_probable_class(table, data):
        diagnostics = [
            diagnostic
            for diagnostic in diagnostics
            if "`data.prediction`" not in diagnostic.message
        ]
        diagnostics.append(_no_prediction_diagnostic(table, data))
    elif data.threshold is not None and data.score is None:
        message = f"a threshold of {data.threshold} is set, but no score column is named"
        help_text = 'write `score = "…"` under `[data]`'
        diagnostics.append(Diagnostic(NO_PREDICTION, message, Location(table.path), help_text))
    if diagnostics:
        raise DataError(*diagnostics)


def _no_prediction_diagnostic(table: PredictionTable, data: DataSettings) -> Diagnostic:
    (missing,) = table.missing_column_diagnostics({"data.prediction": data.prediction})
    score = f"`{data.score}`" if data.score else "a score column"
    options = (
        "name the column of predictions with `data.prediction`, or set `data.threshold`"
        f" to derive them from {score}"
    )
    suggestion = missing.help
    help_text = f"{suggestion} otherwise {options}" if suggestion else options
    return Diagnostic(NO_PREDICTION, missing.message, missing.location, help_text)


@dataclass(frozen=True, slots=True)
class GroundTruth:
    """The labels file: the truth of each id (id, truth), and the number of rows read."""

    file: InputFile | RemoteFile
    table: PredictionTable
    frame: pl.DataFrame
    rows: int

    @property
    def duplicate_count(self) -> int:
        """The number of duplicate rows."""
        return self.rows - self.frame.height


def read_labels(
    data: DataSettings,
    task: Task,
    file: InputFile | RemoteFile,
    attributes: Mapping[str, str],
) -> GroundTruth:
    """Read the labels file; raise if an id has different truths.

    `attributes` are the columns of case attributes that the prediction files do not have.
    """
    columns = {"id": data.id or "", "truth": data.truth}
    table = open_data_table(file.path, data, tuple(columns.values()))
    if task.kind == "multilabel":
        table, data = with_label_sets(table, data, task, ("truth",))
        columns["truth"] = data.truth
    diagnostics = table.missing_column_diagnostics(
        {f"data.{role}": name for role, name in columns.items()}
        | {attribute_key(role): name for role, name in attributes.items()}
    )
    if diagnostics:
        raise DataError(*diagnostics)
    frame = _read_label_columns(table, {**columns, **attributes}, task)
    if diagnostics := check_attributes(table, frame, attributes):
        raise DataError(*diagnostics)
    rows = frame.height
    if frame["id"].n_unique() < rows:
        _check_conflicting_labels(
            table, frame.with_row_index("row") if "row" not in frame else frame
        )
        frame = frame.unique("id", keep="first", maintain_order=True)
    return GroundTruth(file, table, frame.select("id", "truth", *attributes), rows)


def _read_label_columns(
    table: PredictionTable, columns: dict[str, str], task: Task
) -> pl.DataFrame:
    numeric = task.kind == "regression"
    kinds = {role: _column_type(role, numeric=numeric) for role in columns}
    frame = read_fast(table, columns, kinds, declared_labels(task))
    if frame is not None:
        return frame
    return _read_with_diagnostics(table, columns, kinds, declared_labels(task))


def _check_conflicting_labels(table: PredictionTable, frame: pl.DataFrame) -> None:
    conflicting = frame.filter(pl.col("truth").n_unique().over("id") > 1)
    if conflicting.is_empty():
        return
    by_id = conflicting.group_by("id").agg(
        pl.col("row").last(), pl.col("truth").unique(maintain_order=True)
    )
    messages = by_id.select(
        "row",
        value=pl.format(
            "id `{}` has the truths {}",
            "id",
            pl.col("truth").cast(pl.List(pl.String)).list.join(", "),
        ),
    )
    diagnostics: list[Diagnostic] = table.row_diagnostics(
        CONFLICTING_CASES, messages, lambda value: value
    )
    raise DataError(*diagnostics)
