"""Attributes of cases besides labels and scores: count, weight, cluster, repetition, segments."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.errors import DataError, Diagnostic, Location
from reportgen.errors.data import (
    ATTRIBUTES_DIFFER,
    INVALID_COUNT,
    INVALID_WEIGHT,
    NO_ROWS,
    TOO_MANY_CASES,
    TOO_MANY_SEGMENTS,
)
from reportgen.predictions.diagnostics import format_count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from reportgen.predictions.cases import Cases
    from reportgen.predictions.columns import ColumnType
    from reportgen.predictions.table import PredictionTable
    from reportgen.spec import DataSettings, Spec

CASE_COUNT, WEIGHT, CLUSTER, REPEAT = "case_count", "weight", "cluster", "repeat"
SEGMENT_PREFIX = "segment "
# Attributes that describe a case, and must be the same for all classifiers.
_SHARED = (WEIGHT, CLUSTER)
# Floats represent every integer up to this one.
_MAX_COUNT = 2**53
# Rows with scores are repeated in memory, so that sums are those of the expanded file.
MAX_EXPANDED_CASES = 20_000_000
MAX_SEGMENTS = 50


def attribute_columns(spec: Spec, data: DataSettings) -> dict[str, str]:
    """Return the columns of case attributes that a spec names, by role."""
    columns = {
        CASE_COUNT: data.count,
        WEIGHT: data.weight,
        CLUSTER: data.cluster,
        REPEAT: data.repeat,
    }
    columns_by_role = {role: name for role, name in columns.items() if name is not None}
    return columns_by_role | {
        f"{SEGMENT_PREFIX}{item.column}": item.column for item in spec.segments
    }


def attribute_key(role: str) -> str:
    """Return the key of the spec that names the column of a role, for messages."""
    if role.startswith(SEGMENT_PREFIX):
        return "segments.column"
    return "data.count" if role == CASE_COUNT else f"data.{role}"


def attribute_type(role: str) -> ColumnType | None:
    """Return the column type of an attribute; None for another role."""
    if role in {CASE_COUNT, WEIGHT}:
        return "number"
    return "key" if role in {CLUSTER, REPEAT} or role.startswith(SEGMENT_PREFIX) else None


def check_attributes(
    table: PredictionTable, frame: pl.DataFrame, names: Mapping[str, str]
) -> list[Diagnostic]:
    """Return diagnostics of counts and weights out of range, with their rows."""
    diagnostics: list[Diagnostic] = []
    rows = pl.int_range(pl.len(), dtype=pl.UInt32) if "row" not in frame else pl.col("row")
    if CASE_COUNT in frame.columns:
        count = pl.col(CASE_COUNT)
        invalid = frame.select(row=rows, value=count).filter(
            (pl.col("value") < 0)
            | (pl.col("value") != pl.col("value").floor())
            | (pl.col("value") > _MAX_COUNT)
        )
        column = table.describe_column(names[CASE_COUNT])
        diagnostics += table.row_diagnostics(
            INVALID_COUNT,
            _as_text(invalid),
            lambda value: f"{column}: {value} is not a count of cases",
            _suggest_count,
        )
    if WEIGHT in frame.columns:
        invalid = frame.select(row=rows, value=pl.col(WEIGHT)).filter(pl.col("value") < 0)
        column = table.describe_column(names[WEIGHT])
        diagnostics += table.row_diagnostics(
            INVALID_WEIGHT,
            _as_text(invalid),
            lambda value: f"{column}: {value} is not a weight",
            lambda _: "a weight is 0 or more: fix the value or remove the case",
        )
    return diagnostics


def _as_text(rows: pl.DataFrame) -> pl.DataFrame:
    """Return numbers as the file has them: 2 and not 2.0."""
    return rows.with_columns(
        value=pl.col("value").map_elements(lambda number: f"{number:g}", return_dtype=pl.String)
    )


def _suggest_count(value: str) -> str:
    number = float(value)
    if number > _MAX_COUNT:
        return "counts are at most 2^53: fix the value"
    if number < 0:
        return "a count is 0 or more: fix the value or remove the row"
    return "a count is a whole number; fractions are sampling weights: name them with `weight`"


def apply_counts(table: PredictionTable, frame: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """Return the rows with their `count` as integers, and the number of rows of count 0, left out.

    Raise if no row is left.
    """
    if CASE_COUNT not in frame.columns:
        return frame, 0
    if "row" not in frame:
        frame = frame.with_columns(row=pl.int_range(pl.len(), dtype=pl.UInt32))
    frame_with_counts = frame.with_columns(count=pl.col(CASE_COUNT).cast(pl.Int64)).drop(CASE_COUNT)
    nonzero = frame_with_counts.filter(pl.col("count") > 0)
    if nonzero.is_empty():
        message = "every row has the count 0"
        raise DataError(Diagnostic(NO_ROWS, message, Location(table.path)))
    return nonzero, frame.height - nonzero.height


def check_total(cases: Cases) -> None:
    """Raise if counts add up to more than can be counted."""
    if cases.data.count is None or cases.frame["count"].cast(pl.Float64).sum() <= _MAX_COUNT:
        return
    message = f"the counts in column `{cases.data.count}` add up to more than 2^53"
    help_text = "check the column: a count is the number of cases that a row stands for"
    raise DataError(Diagnostic(INVALID_COUNT, message, Location(cases.tables[0].path), help_text))


# Names of columns whose values group cases that depend on each other.
_CLUSTER_NAMES = frozenset(
    (
        *("patient", "subject", "person", "participant", "user", "customer", "client", "account"),
        *("document", "doc", "conversation", "dialog", "dialogue", "session", "thread", "question"),
        *("speaker", "author", "household", "family", "animal", "image", "video", "scene"),
    )
)


def attribute_warnings(cases: Sequence[Cases]) -> list[str]:
    """Return warnings of rows with a count of 0, and of columns that look like clusters."""
    warnings = {
        f"`{item.classifier}`: {format_count(item.uncounted_rows, 'row')} with a count of 0 ignored"
        for item in cases
        if item.uncounted_rows
    }
    suspects = {
        name: None
        for item in cases
        if item.data.cluster is None
        for name in item.tables[0].names
        if is_cluster_name(name) and name not in _named_columns(item) and _repeats(item, name)
    }
    return [
        *sorted(warnings),
        *(
            f"column `{name}` looks like a cluster: its values repeat, and cases of one {name} may"
            " depend on each other; intervals and tests take them as independent; if they are not,"
            f' write `cluster = "{name}"` under [data]'
            for name in suspects
        ),
    ]


def is_cluster_name(name: str) -> bool:
    """Return whether a column is called like something that several cases may belong to."""
    words = re.split(r"[\W_]+|(?<=[a-z])(?=[A-Z])", name.strip())
    core = [word.casefold() for word in words if word.casefold() not in {"", "id", "no", "nr"}]
    return len(core) == 1 and core[0].removesuffix("id") in _CLUSTER_NAMES


def _named_columns(cases: Cases) -> set[str]:
    """Return the columns that the spec names in any role."""
    return {value for value in cases.data.model_dump().values() if isinstance(value, str)}


def _repeats(cases: Cases, name: str) -> bool:
    """Return whether a column has fewer distinct values than rows, and more than a few."""
    table = cases.tables[0]
    if table.names.count(name) > 1:
        return False
    values = table.scan({"value": name}).select(distinct=pl.col("value").n_unique(), rows=pl.len())
    try:
        distinct, rows = values.collect().row(0)
    except (pl.exceptions.PolarsError, OSError):
        # A column that cannot be read is no reason to fail: nothing depends on it.
        return False
    return bool(1 < distinct < rows)


def separate_attributes(
    cases: Sequence[Cases], frames: Mapping[str, pl.DataFrame]
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """Take the attributes out of the frames of all classifiers.

    Args:
        cases: the cases of each classifier as read, for messages.
        frames: the rows of the same cases in the same order, by classifier.

    Returns:
        The frames without attributes, and the attributes of the cases: those of the first
        classifier that has them. Raise if they differ between classifiers.
    """
    first = next(iter(frames.values()))
    roles = list(dict.fromkeys(r for frame in frames.values() for r in frame.columns))
    shared = [r for r in roles if r in _SHARED or r.startswith(SEGMENT_PREFIX)]
    if any(item.data.count is not None for item in cases):
        shared.append("count")
    columns: list[pl.Series] = []
    for role in shared:
        having = {name: frame[role] for name, frame in frames.items() if role in frame.columns}
        (origin, values), *others = having.items()
        for other, values_of_other in others:
            differing = (values != values_of_other).arg_true()
            if len(differing):
                raise DataError(_difference_diagnostic(cases, role, (origin, other), frames))
        columns.append(values)
    case_frames = {
        name: frame.drop(*shared, REPEAT, strict=False) for name, frame in frames.items()
    }
    attributes = pl.DataFrame(columns) if columns else pl.DataFrame(height=first.height)
    _check_segments(attributes)
    return case_frames, attributes


def _difference_diagnostic(
    cases: Sequence[Cases],
    role: str,
    names: tuple[str, str],
    frames: Mapping[str, pl.DataFrame],
) -> Diagnostic:
    one, other = (frames[name][role] for name in names)
    differing = (one != other).arg_true()
    row, number = int(differing[0]), len(differing)
    title = role.removeprefix(SEGMENT_PREFIX)
    place = f"row {row + 1}"
    if frames[names[0]].schema.get("id", pl.Null()) != pl.Null():
        place = f"case `{frames[names[0]]['id'][row]}`"
    message = (
        f"`{title}` differs between classifiers for {number} of {len(one)} rows: {place} has"
        f" {one[row]} for `{names[0]}` and {other[row]} for `{names[1]}`"
    )
    by_name = {item.classifier: item for item in cases}
    location = Location(by_name[names[1]].tables[0].path)
    help_text = (
        "it describes the case, not the prediction: give all files the same values, or name an `id`"
        " by which rows are matched"
    )
    return Diagnostic(ATTRIBUTES_DIFFER, message, location, help_text)


def _check_segments(attributes: pl.DataFrame) -> None:
    diagnostics = []
    for role in attributes.columns:
        if not role.startswith(SEGMENT_PREFIX):
            continue
        distinct = attributes[role].n_unique()
        if distinct > MAX_SEGMENTS:
            name = role.removeprefix(SEGMENT_PREFIX)
            diagnostics.append(
                Diagnostic(
                    TOO_MANY_SEGMENTS,
                    f"column `{name}` of [[segments]] has {distinct} different values",
                    help="a segment is a group of cases: write a column with at most"
                    f" {MAX_SEGMENTS} groups, such as intervals of a number",
                )
            )
    if diagnostics:
        raise DataError(*diagnostics)


def expand_counts(
    frames: Mapping[str, pl.DataFrame], attributes: pl.DataFrame
) -> tuple[dict[str, pl.DataFrame], pl.DataFrame]:
    """Repeat each row as often as its count says, so that sums are those of the expanded file."""
    counts = attributes["count"]
    total = int(counts.sum())
    if total > MAX_EXPANDED_CASES:
        message = f"the counts add up to {total} cases, too many for rows with scores or numbers"
        help_text = (
            f"up to {MAX_EXPANDED_CASES} cases may have scores, probabilities or numeric"
            " predictions; labels alone have no such limit: leave out the scores"
        )
        raise DataError(Diagnostic(TOO_MANY_CASES, message, help=help_text))
    rows = np.repeat(np.arange(len(counts)), counts.to_numpy())
    return {name: frame[rows] for name, frame in frames.items()}, attributes.drop("count")[rows]
