"""Tables for other programs: CSV and Parquet, flat and one file a table."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from reportgen.rendering.results_contract import Results
    from reportgen.rendering.results_rows import ResultModel

# A spreadsheet takes text that begins so for a formula and runs it.
FORMULA_START = r"^[=+\-@\t\r]"


def csv_files(results: Results) -> dict[str, bytes]:
    """Return the tables as CSV; text that a spreadsheet would run is preceded by an apostrophe."""
    return {
        f"tables/{name}.csv": _harmless(frame).write_csv().encode()
        for name, frame in tables(results).items()
    }


def parquet_files(results: Results) -> dict[str, bytes]:
    """Return the tables as Parquet."""
    return {f"tables/{name}.parquet": _parquet(frame) for name, frame in tables(results).items()}


def tables(results: Results) -> dict[str, pl.DataFrame]:
    """Return the results as flat frames, without those that have no rows."""
    rows: Mapping[str, list[dict[str, object]]] = {
        "scores": _rows(results.scores),
        "folds": _rows(results.folds),
        "confusion": list(_confusion(results)),
        "capabilities": list(_capabilities(results)),
        "likelihood_relations": _rows(results.likelihood_relations),
        "comparisons": _rows(results.comparisons),
        "thresholds": _rows(results.thresholds),
        "dataset_scores": _rows(results.dataset_scores),
        "dataset_ranks": _rows(results.dataset_ranks),
        "dataset_tests": _rows(results.dataset_tests),
        "published": _rows(results.published),
    }
    return {
        name: pl.DataFrame([_textual(row) for row in found], infer_schema_length=None)
        for name, found in rows.items()
        if found
    }


def _rows(models: tuple[ResultModel, ...]) -> list[dict[str, object]]:
    return [model.model_dump(by_alias=True) for model in models]


def _textual(row: dict[str, object]) -> dict[str, object]:
    """Write as text what is sometimes a number and sometimes a word."""
    mixed = ("published", "computed")
    return {
        key: str(value) if key in mixed and value is not None else value
        for key, value in row.items()
    }


def _confusion(results: Results) -> Iterator[dict[str, object]]:
    for matrix in results.confusion:
        for truth, row in zip(matrix.classes, matrix.counts, strict=True):
            for prediction, count in zip(matrix.classes, row, strict=True):
                yield {
                    "classifier": matrix.classifier,
                    "fold": matrix.fold,
                    "truth": truth,
                    "prediction": prediction,
                    "count": count,
                }


def _capabilities(results: Results) -> Iterator[dict[str, object]]:
    for table, rows in results.capabilities:
        for row in rows:
            written = row.model_dump(by_alias=True)
            keys = {key: written.pop(key) for key in ("classifier", "class")}
            for capability, cell in written.items():
                yield {**keys, "table": table, "capability": capability, **cell}


def _harmless(frame: pl.DataFrame) -> pl.DataFrame:
    text = pl.col(pl.String)
    return frame.with_columns(
        pl.when(text.str.contains(FORMULA_START)).then("'" + text).otherwise(text).name.keep()
    )


def _parquet(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()
