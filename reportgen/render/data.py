"""Output formats for programs: results.json, and its tables as CSV and Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.formats import RESULTS_FILE

if TYPE_CHECKING:
    from reportgen.render.formats import RenderInput


def json_files(source: RenderInput) -> dict[str, bytes]:
    """Return results.json."""
    return {RESULTS_FILE: source.results}


def csv_table_files(source: RenderInput) -> dict[str, bytes]:
    """Return the tables as CSV, with so few thresholds that spreadsheets can open them."""
    from reportgen.export.tables import csv_files, threshold_tables

    return csv_files(source.tables | threshold_tables(source.evaluation, thinned=True))


def parquet_table_files(source: RenderInput) -> dict[str, bytes]:
    """Return the tables as Parquet, with every threshold."""
    from reportgen.export.tables import parquet_files, threshold_tables

    return parquet_files(source.tables | threshold_tables(source.evaluation, thinned=False))
