"""Tables for other programs: CSV and Parquet, flat and one file a table."""

from __future__ import annotations

import io
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Literal, Union, get_args, get_origin

import polars as pl

from reportgen.rendering.results.contract import (
    CapabilitiesResult,
    DiscriminantResult,
    TraditionalResult,
)
from reportgen.rendering.results.long import CapabilityCell, ConfusionCell, CurvePoint
from reportgen.rendering.results.rows import ConfusionResult, CurveResult, ResultModel

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from reportgen.rendering.results.contract import Results

# A spreadsheet takes text that begins so for a formula and runs it.
FORMULA_START = r"^[=+\-@\t\r]"
TYPES: dict[type, type[pl.DataType]] = {
    bool: pl.Boolean,
    int: pl.Int64,
    float: pl.Float64,
    str: pl.String,
}


def csv_files(frames: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    """Return tables as CSV; text that a spreadsheet would run is preceded by an apostrophe."""
    return {
        f"tables/{name}.csv": _harmless(frame).write_csv().encode()
        for name, frame in frames.items()
    }


def parquet_files(frames: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    """Return tables as Parquet."""
    return {f"tables/{name}.parquet": _parquet(frame) for name, frame in frames.items()}


def tables(results: Results) -> dict[str, pl.DataFrame]:
    """Return every block of rows as a flat frame, without those that have no rows.

    A block of several tables gives one for each, named after both, as `guessing_classifiers`.
    """
    return {name: flat_frame(type(rows[0]), rows) for name, rows in _blocks(results) if rows}


def _blocks(results: ResultModel, of: str = "") -> Iterator[tuple[str, list[ResultModel]]]:
    for name, block in results:
        match block:
            case CapabilitiesResult():
                yield name, list(_capabilities(block))
            case ResultModel():
                yield from _blocks(block, f"{of}{name}_")
            case tuple():
                rows = [row for row in block if isinstance(row, ResultModel)]
                yield f"{of}{name}", [flat for row in rows for flat in long_rows(row)]


def long_rows(row: ResultModel) -> Iterable[ResultModel]:
    """Return a row with a matrix or a curve in it as one row for each count or point."""
    match row:
        case ConfusionResult():
            return [
                ConfusionCell(
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
            return [
                CurvePoint.model_validate({**keys, "x": x, "y": y, "threshold": threshold})
                for x, y, threshold in row.points
            ]
        case _:
            return [row]


def _capabilities(block: CapabilitiesResult) -> Iterator[CapabilityCell]:
    tables: tuple[tuple[str, tuple[TraditionalResult | DiscriminantResult, ...]], ...] = (
        ("traditional", block.traditional),
        ("discriminant", block.discriminant),
    )
    for table, rows in tables:
        for row in rows:
            written = row.model_dump(by_alias=True)
            keys = {key: written.pop(key) for key in ("classifier", "class")}
            for capability, cell in written.items():
                yield CapabilityCell.model_validate(
                    {**keys, "table": table, "capability": capability, **cell}
                )


def flat_frame(kind: type[ResultModel], rows: Iterable[ResultModel]) -> pl.DataFrame:
    """Return rows of one kind as a frame whose types are those of the contract."""
    fields = kind.model_fields
    schema = {each.alias or name: _type(each.annotation) for name, each in fields.items()}
    written = [row.model_dump(by_alias=True) for row in rows]
    # What is sometimes a number and sometimes a word is written as text.
    columns = {
        name: [
            str(row[name]) if dtype is pl.String and row[name] is not None else row[name]
            for row in written
        ]
        for name, dtype in schema.items()
    }
    return pl.DataFrame(columns, schema)


def _type(annotation: object) -> type[pl.DataType]:
    if get_origin(annotation) is Literal:
        return pl.String
    if get_origin(annotation) in {Union, UnionType}:
        parts = {_type(part) for part in get_args(annotation) if part is not NoneType}
        return parts.pop() if len(parts) == 1 else pl.String
    if isinstance(annotation, type) and annotation in TYPES:
        return TYPES[annotation]
    message = f"a flat table has no column of {annotation}"
    raise TypeError(message)


def _harmless(frame: pl.DataFrame) -> pl.DataFrame:
    text = pl.col(pl.String)
    return frame.with_columns(
        pl.when(text.str.contains(FORMULA_START)).then("'" + text).otherwise(text).name.keep()
    )


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
