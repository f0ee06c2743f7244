"""Tables of results.json as CSV and Parquet, one flat table per file."""

from __future__ import annotations

import io
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Literal, Union, get_args, get_origin

import polars as pl
from pydantic import Field

from reportgen.aggregates.curves import curve_frame
from reportgen.evaluation.curves import thin_curve
from reportgen.evaluation.multilabel import iter_tasks
from reportgen.evaluation.thresholds import measures_by_threshold
from reportgen.export.control_characters import IN_CELL, spell_code_points
from reportgen.export.diagnostic_rows import PrevalenceCurveResult
from reportgen.export.rows import ConfusionResult, CurveResult, ResultModel
from reportgen.export.schema import (
    CapabilitiesResult,
    DiscriminantCapabilityResult,
    Results,
    TraditionalCapabilityResult,
)
from reportgen.measures import SCORE_FAMILIES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reportgen.evaluation.evaluation import Evaluation


# Rows of results.json that hold a matrix, a curve or several verdicts, in long form for tables.


class ConfusionCellRow(ResultModel):
    """One count of a confusion matrix."""

    classifier: str
    """The classifier."""
    fold: str | None
    """The fold; null: all cases."""
    truth: str
    """The true class."""
    prediction: str
    """The predicted class."""
    count: int | float
    """The number of cases."""


class CurvePointRow(ResultModel):
    """One point of a curve over all thresholds."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    kind: Literal["roc", "pr"]
    """The kind of curve."""
    x: float
    """1 − specificity, or recall."""
    y: float
    """Sensitivity, or precision."""
    threshold: float | None
    """The threshold; null: no case is predicted as the class."""
    x_low: float | None
    """The lower joint limit of x; null: not a ROC curve."""
    x_high: float | None
    """The upper joint limit of x."""
    y_low: float | None
    """The lower joint limit of y."""
    y_high: float | None
    """The upper joint limit of y."""


class PrevalencePointRow(ResultModel):
    """One point of a curve over prevalence."""

    classifier: str
    """The classifier."""
    measure: str
    """The name of the measure."""
    prevalence: float
    """The prevalence."""
    value: float
    """The value there."""


class CapabilityCellRow(ResultModel):
    """One verdict of a capability table."""

    classifier: str
    """The classifier."""
    class_: str | None = Field(alias="class")
    """As in values."""
    average: str | None
    """The average over the classes that rates all of them; overall effectiveness: accuracy."""
    table: Literal["traditional", "discriminant"]
    """The table: by traditional or by discriminant measures."""
    capability: str
    """The capability."""
    side: Literal["positive", "negative"] | None = None
    """The side of a capability of two measures; null: the joint rating."""
    measure: str | None = None
    """The measure of a side."""
    value: float | None = None
    """The value of a side; null when infinite."""
    verdict: str
    """The rating by the values."""
    significant: bool | None
    """Whether the tests confirm it; null: not tested."""
    p_adjusted: float | None
    """The largest adjusted p-value it needs."""
    rank: int | None
    """The rank."""
    of: int
    """The number of classifiers compared."""
    rank_low: int | None
    """The best rank that the tests do not exclude; null: not tested, or two sides."""
    rank_high: int | None
    """The worst rank that the tests do not exclude; null: not tested, or two sides."""
    grade_low: str | None = None
    """The lowest grade that the confidence interval covers; null: not rated by grades."""
    grade_high: str | None = None
    """The highest grade that the confidence interval covers; null: not rated by grades."""


_LIMIT_NAMES, _NO_LIMITS = ("x_low", "x_high", "y_low", "y_high"), (None,) * 4
# Spreadsheets run text that starts with these characters as a formula, some of them in full width.
SPREADSHEET_FORMULA_START = "^[-=+@\t\r\n\uff1d\uff0b\uff0d\uff20]"
POLARS_TYPES: dict[type, type[pl.DataType]] = {
    bool: pl.Boolean,
    int: pl.Int64,
    float: pl.Float64,
    str: pl.String,
}


def csv_files(frames: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    """Return tables as CSV; an apostrophe precedes text that spreadsheets would run.

    Control characters are spelt as code points; in Parquet text is as it is.
    """
    return {
        f"tables/{name}.csv": _spell_controls(_escape_formulas(frame)).write_csv().encode()
        for name, frame in frames.items()
    }


def parquet_files(frames: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    """Return tables as Parquet."""
    return {f"tables/{name}.parquet": _parquet_bytes(frame) for name, frame in frames.items()}


def result_tables(results: Results) -> dict[str, pl.DataFrame]:
    """Return every block of rows as a flat frame, without those that have no rows.

    A block of several tables gives one for each, named after both, as `chance_classifiers`.
    """
    return {name: rows_to_frame(type(rows[0]), rows) for name, rows in _row_blocks(results) if rows}


def table_names() -> tuple[str, ...]:
    """Return the names of all tables that results may have."""
    return (*_block_names(Results), THRESHOLD_TABLE_NAME)


def _block_names(model: type[ResultModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        annotation = field.annotation
        if annotation is CapabilitiesResult or get_origin(annotation) is tuple:
            yield f"{prefix}{name}"
        elif isinstance(annotation, type) and issubclass(annotation, ResultModel):
            yield from _block_names(annotation, f"{prefix}{name}_")


def _row_blocks(results: ResultModel, prefix: str = "") -> Iterator[tuple[str, list[ResultModel]]]:
    for name, block in results:
        match block:
            case CapabilitiesResult():
                yield name, list(_capability_cells(block))
            case ResultModel():
                yield from _row_blocks(block, f"{prefix}{name}_")
            case tuple():
                rows = [row for row in block if isinstance(row, ResultModel)]
                yield (
                    f"{prefix}{name}",
                    [long_row for row in rows for long_row in to_long_rows(row)],
                )


def to_long_rows(row: ResultModel) -> Iterable[ResultModel]:
    """Return a row with a matrix or a curve in it as one row for each count or point."""
    match row:
        case ConfusionResult():
            return [
                ConfusionCellRow(
                    classifier=row.classifier,
                    fold=row.fold,
                    truth=truth,
                    prediction=prediction,
                    count=count,
                )
                for truth, counts in zip(row.classes, row.counts, strict=True)
                for prediction, count in zip(row.classes, counts, strict=True)
            ]
        case CurveResult():
            keys = {"classifier": row.classifier, "class": row.class_, "kind": row.kind}
            limits = row.band or (_NO_LIMITS,) * len(row.points)
            return [
                CurvePointRow.model_validate(
                    {
                        **keys,
                        "x": x,
                        "y": y,
                        "threshold": threshold,
                        **dict(zip(_LIMIT_NAMES, point_limits, strict=True)),
                    }
                )
                for (x, y, threshold), point_limits in zip(row.points, limits, strict=True)
            ]
        case PrevalenceCurveResult():
            return [
                PrevalencePointRow(
                    classifier=row.classifier,
                    measure=row.measure,
                    prevalence=prevalence,
                    value=value,
                )
                for prevalence, value in row.points
            ]
        case _:
            return [row]


def _capability_cells(block: CapabilitiesResult) -> Iterator[CapabilityCellRow]:
    tables: tuple[
        tuple[str, tuple[TraditionalCapabilityResult | DiscriminantCapabilityResult, ...]], ...
    ] = (
        ("traditional", block.traditional),
        ("discriminant", block.discriminant),
    )
    for table, rows in tables:
        for row in rows:
            record = row.model_dump(by_alias=True)
            keys = {key: record.pop(key) for key in ("classifier", "class", "average")}
            for capability, cell in record.items():
                sides = {side: cell.pop(side) for side in ("positive", "negative")}
                identity = {**keys, "table": table, "capability": capability}
                yield CapabilityCellRow.model_validate({**identity, **cell})
                for side, rating in sides.items():
                    if rating is not None:
                        yield CapabilityCellRow.model_validate({**identity, "side": side, **rating})


def rows_to_frame(row_type: type[ResultModel], rows: Iterable[ResultModel]) -> pl.DataFrame:
    """Return rows of one kind as a data frame with the types of the schema."""
    fields = row_type.model_fields
    schema = {field.alias or name: _polars_type(field.annotation) for name, field in fields.items()}
    records = [row.model_dump(by_alias=True) for row in rows]
    # A column of numbers and words is exported as text.
    columns = {
        name: [
            str(row[name]) if dtype is pl.String and row[name] is not None else row[name]
            for row in records
        ]
        for name, dtype in schema.items()
    }
    # Counts are whole numbers unless cases are weighted.
    schema |= {
        name: pl.Int64
        for name, dtype in schema.items()
        if dtype is pl.Float64 and columns[name] and all(type(n) is int for n in columns[name])
    }
    return pl.DataFrame(columns, schema)


def _polars_type(annotation: object) -> type[pl.DataType]:
    if get_origin(annotation) is Literal:
        return pl.String
    if get_origin(annotation) in {Union, UnionType}:
        parts = {_polars_type(part) for part in get_args(annotation) if part is not NoneType}
        if parts == {pl.Int64, pl.Float64}:
            return pl.Float64
        return parts.pop() if len(parts) == 1 else pl.String
    if isinstance(annotation, type) and annotation in POLARS_TYPES:
        return POLARS_TYPES[annotation]
    message = f"a flat table has no column of {annotation}"
    raise TypeError(message)


def _escape_formulas(frame: pl.DataFrame) -> pl.DataFrame:
    text = pl.col(pl.String)
    return frame.with_columns(
        pl.when(text.str.contains(SPREADSHEET_FORMULA_START))
        .then("'" + text)
        .otherwise(text)
        .name.keep()
    )


def _spell_controls(frame: pl.DataFrame) -> pl.DataFrame:
    columns = [
        series.map_elements(spell_code_points, pl.String)
        for series in frame.select(pl.col(pl.String))
        if series.str.contains(IN_CELL).any()
    ]
    return frame.with_columns(columns)


def _parquet_bytes(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


# The reported measures at all thresholds of a score.

THRESHOLD_TABLE_NAME = "threshold_measures"


def threshold_tables(evaluation: Evaluation, *, thinned: bool) -> dict[str, pl.DataFrame]:
    """Return the four counts and the measures shown at every threshold, or at those of a drawing.

    Of a multilabel task there is a curve for each label. There is no table where one of several
    classes is predicted, and none without scores. A measure is null where it is undefined.
    """
    frames = [
        curve_frame(*key, thin_curve(cumulative_counts) if thinned else cumulative_counts)
        for task, part in iter_tasks(evaluation.spec, evaluation.aggregates)
        if part.curves is not None and task.task.kind == "binary"
        for key, cumulative_counts in part.curves.curves.items()
        if cumulative_counts.positives and cumulative_counts.negatives
    ]
    if not frames:
        return {}
    count_measures = [
        measure
        for measure in evaluation.reported_measures
        if measure.family not in SCORE_FAMILIES and measure.threshold is None
        if measure.applies_to("binary")
    ]
    return {
        THRESHOLD_TABLE_NAME: measures_by_threshold(
            pl.concat(frames).lazy(), count_measures
        ).collect()
    }
