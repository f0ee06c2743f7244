"""Pooled cases: rows that would count more than once, because the spec leaves out a column."""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Literal

import polars as pl

from reportgen.errors import DataError, Diagnostic, Location, RemoteUri
from reportgen.errors.data import POOLED_CASES
from reportgen.predictions.attributes import is_cluster_name
from reportgen.predictions.presets.registry import PRESETS
from reportgen.predictions.profiling import id_name_rank, normalize_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import DataSettings, Spec

MODEL_NAMES = (
    *("model", "modelname", "modelid", "classifier", "classifiername", "algorithm", "algo"),
    *("estimator", "learner", "system", "modelversion"),
)
FOLD_NAMES = ("fold", "cvfold", "split", "resample", "foldid", "kfold")
REPEAT_NAMES = (
    *("repeat", "rep", "repeats", "repetition", "replicate", "iteration", "iter", "seed", "trial"),
    *("epoch", "run", "runid", "randomstate", "cvrepeat"),
)
SUBSET_LABELS = frozenset(
    ("train", "training", "test", "testing", "val", "valid", "validation", "dev", "holdout")
)
PooledRole = Literal["model", "fold", "repeat", "id", "subset"]
# In longer files only the values of suspect columns are compared, not the order of truths.
_MAX_ROWS_COMPARED = 200_000
# Shorter sequences of truths may repeat by chance.
_MIN_PERIOD = 20
_MAX_COPIES = 20
_MIN_ROWS_PER_VALUE = 5
_MIN_UNIQUE_SHARE = 0.95
# So many ids with two truths may be errors in the data.
_MAX_CONFLICTING_SHARE = 0.1


def check_pooled_cases(spec: Spec, cases: Cases) -> list[str]:
    """Return warnings of columns that split the rows of a classifier but are not used.

    Raise if the rows are certainly the same cases several times.
    """
    table = cases.tables[0]
    if table.in_memory_frame is not None or table.is_grouped:
        return []
    used = _used_columns(spec, cases.data)
    roles = {
        name: role
        for name in table.names
        if name not in used and (role := _suspect_role(name, cases)) is not None
    }
    return [
        warning
        for name, role in roles.items()
        if all(table.names.count(name) == 1 for table in cases.tables)
        for warning in _check_column(cases, name, role)
    ] + list(_copy_warnings(cases))


def _used_columns(spec: Spec, data: DataSettings) -> set[str]:
    """Return the columns that the spec names for a classifier."""
    data_columns = {value for value in data.model_dump().values() if isinstance(value, str)}
    segments = {segment.column for segment in getattr(spec, "segments", ())}
    return data_columns | segments | set(data.where or {})


def _suspect_role(name: str, cases: Cases) -> PooledRole | None:
    """Return what the name of an unused column says that its values are."""
    normalized_name = normalize_name(name)
    if normalized_name in MODEL_NAMES:
        return "model"
    if normalized_name in FOLD_NAMES:
        return "fold" if cases.data.fold is None and len(cases.tables) == 1 else None
    if normalized_name in REPEAT_NAMES:
        return "repeat"
    is_id = cases.data.id is None and id_name_rank(name) is not None and normalized_name != "index"
    preset = PRESETS.get(cases.data.format or "")
    if preset is not None and name in preset.non_id_columns:
        return None
    return "id" if is_id else None


def _check_column(cases: Cases, name: str, role: PooledRole) -> Iterator[str]:
    rows = pl.concat([_read_pair(table, cases.data, name) for table in cases.tables])
    values = rows["value"].drop_nulls().unique()
    if len(values) < 2 or (role != "id" and len(values) == rows.height):  # noqa: PLR2004
        return
    if role == "id" and is_cluster_name(name) and _has_several_truths(rows):
        # The warning of a column that looks like a cluster says what to do.
        return
    if role == "fold" and {value.casefold() for value in values} <= SUBSET_LABELS:
        role = "subset"
    message = _describe_column(cases, name, role, rows)
    if message is None:
        return
    help_text = _line_to_add(name, role)
    if role == "id" and (dividing := _dividing_column(cases, name)) is not None:
        help_text = (
            f'with `{dividing}` the rows of an id differ: write `id = "{name}"` and'
            f' `where = {{ {dividing} = "…" }}` under `[data]` to keep one value of it; if its'
            f' values are models, `model = "{dividing}"`'
        )
    if _holds_every_case(rows, role):
        location = Location(cases.tables[0].path)
        raise DataError(Diagnostic(POOLED_CASES, message, location, help_text))
    yield f"{message}; {help_text}"


def _has_several_truths(rows: pl.DataFrame) -> bool:
    """Return whether rows of the same value are of different classes, as no case is."""
    by_value = rows.group_by("value").agg(size=pl.len(), truths=pl.col("truth").n_unique())
    repeated = by_value.filter(pl.col("size") > 1)
    conflicting = repeated.filter(pl.col("truths") > 1).height
    return conflicting > _MAX_CONFLICTING_SHARE * repeated.height


def _dividing_column(cases: Cases, id_: str) -> str | None:
    """Return the only column with few values within each of which ids are unique."""
    (table, *others) = cases.tables
    names = [name for name in table.names if table.names.count(name) == 1 and name != id_]
    if others or len(names) > _MAX_COLUMNS_COMPARED:
        return None
    aliases = {f"c{number}": name for number, name in enumerate((id_, *names))}
    frame = table.scan(aliases).select(pl.col(*aliases).cast(pl.String)).collect()
    dividing = [
        name
        for alias, name in aliases.items()
        if name != id_
        and 1 < frame[alias].n_unique() <= _MAX_COPIES
        and frame.select("c0", alias).n_unique() == frame.height
    ]
    return dividing[0] if len(dividing) == 1 else None


# Wide files with many features are not searched.
_MAX_COLUMNS_COMPARED = 50


def _read_pair(table: PredictionTable, data: DataSettings, name: str) -> pl.DataFrame:
    """Read a column as text with the truth, which is missing where a labels file has it."""
    columns = {"value": name}
    if data.truth in table.names:
        columns["truth"] = data.truth
    frame = table.scan(columns).select(pl.col(*columns).cast(pl.String)).collect(engine="streaming")
    return frame if "truth" in columns else frame.with_columns(truth=pl.lit(None, pl.String))


def _describe_column(cases: Cases, name: str, role: PooledRole, rows: pl.DataFrame) -> str | None:
    count = rows["value"].n_unique()
    subject = f"`{cases.files[0].display_name}`: column `{name}`"
    if role == "id":
        if count > _MIN_UNIQUE_SHARE * rows.height:
            return None
        return (
            f"{subject} has {count} different values in {rows.height} rows, which would count"
            " as so many cases"
        )
    nouns = {
        "model": "models",
        "fold": "folds",
        "repeat": "repetitions",
        "subset": "subsets of the data",
    }
    return (
        f"{subject} seems to name {count} {nouns[role]}, whose {rows.height} rows are"
        " evaluated together"
    )


def _line_to_add(name: str, role: PooledRole) -> str:
    if role == "model":
        return (
            f'write `model = "{name}"` under `[data]`, with the file as `predictions` there'
            " (long format)"
        )
    if role == "id":
        return (
            f'write `id = "{name}"` under `[data]`, with a column of the model, fold or repetition;'
            f' if they are different cases that belong together, `cluster = "{name}"`'
        )
    if role == "subset":
        return f'write `where = {{ {name} = "test" }}` under `[data]` to keep one of them'
    if role == "repeat":
        return (
            f'write `repeat = "{name}"` and the column of ids, `id = "…"`, under `[data]`; without'
            f' ids keep one repetition: `where = {{ {name} = "…" }}`'
        )
    return f'write `{role} = "{name}"` under `[data]`'


def _holds_every_case(rows: pl.DataFrame, role: PooledRole) -> bool:
    """Return whether each value of a column has the same truths, so that cases repeat."""
    if role in {"fold", "subset"} or rows["truth"].null_count() == rows.height:
        return False
    if role == "id":
        by_id = rows.group_by("value").agg(size=pl.len(), truths=pl.col("truth").n_unique())
        return bool(
            (by_id["truths"] == 1).all() and by_id["size"].n_unique() == 1 and by_id["size"][0] > 1
        )
    counts = rows.group_by("value", "truth").agg(size=pl.len())
    truths, values = counts["truth"].n_unique(), counts["value"].n_unique()
    if counts.height != truths * values or rows.height < _MIN_ROWS_PER_VALUE * values:
        return False
    return counts.select("truth", "size").n_unique() == truths


def _copy_warnings(cases: Cases) -> Iterator[str]:
    """Yield a warning if the rows are several copies of the same cases."""
    data = cases.data
    is_short = 2 * _MIN_PERIOD <= cases.size <= _MAX_ROWS_COMPARED
    if data.id is not None or data.labels is not None or data.count is not None or not is_short:
        return
    for file, table in zip(cases.files, cases.tables, strict=True):
        if isinstance(table.path, RemoteUri):
            continue
        roles = {"truth": data.truth, "prediction": data.prediction, "score": data.score}
        columns = {role: name for role, name in roles.items() if name in table.names}
        rows = table.scan(columns).select(*columns).collect()
        copies = _count_copies(rows["truth"])
        successive = _count_successive_copies(rows)
        if copies > 1:
            yield (
                f"`{file.display_name}`: the truths repeat every {rows.height // copies} rows,"
                f" {copies} times: if these are the same cases of several models or repetitions,"
                " write a column with their names and name it in [data] (`model`, `repeat`)"
            )
        elif successive > 1:
            yield (
                f"`{file.display_name}`: every row is followed by its copy, {successive} times"
                " each: if these are the same cases, remove the copies or name a column of ids in"
                " [data] (`id`)"
            )
        elif len(cases.tables) == 1 and _every_row_repeats(cases.frame):
            yield (
                f"`{file.display_name}`: every row occurs more than once, with the same score: if"
                " these are the same cases, remove the copies or name a column of ids in [data]"
                " (`id`)"
            )


def _count_successive_copies(rows: pl.DataFrame) -> int:
    """Return how many times each row occurs in succession, 1 if the numbers have no divisor.

    Runs of fewer than 20 different rows may have a common divisor by chance.
    """
    runs = rows.select(run=pl.struct(pl.all()).rle_id())["run"].value_counts()["count"]
    return 1 if len(runs) < _MIN_PERIOD else gcd(*runs.to_list())


def _every_row_repeats(frame: pl.DataFrame) -> bool:
    """Return whether each combination of truth, prediction and score occurs at least twice."""
    if "count" in frame.columns or frame["score"].n_unique() < _MIN_PERIOD:
        return False
    sizes = frame.group_by("truth", "prediction", "score").len("size")["size"]
    return int(str(sizes.min())) > 1


def _count_copies(values: pl.Series) -> int:
    """Return how many times a sequence repeats exactly, in periods of at least 20 values."""
    size = len(values)
    for copies in range(_MAX_COPIES, 1, -1):
        period = size // copies
        if size % copies or period < _MIN_PERIOD:
            continue
        first = values.head(period)
        if first.n_unique() < 2:  # noqa: PLR2004  # a sorted file has one truth for long
            return 1
        if _repeats(values, period) and not _has_short_period(first):
            return copies
    return 1


def _repeats(values: pl.Series, period: int) -> bool:
    return bool((values.slice(period) == values.head(len(values) - period)).all())


def _has_short_period(values: pl.Series) -> bool:
    return any(_repeats(values, period) for period in range(1, _MIN_PERIOD))
