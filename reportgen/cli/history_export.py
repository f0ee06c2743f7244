"""All scores of all runs as one long table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from reportgen.cli.history_rows import score_row

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from reportgen.jobs.history.record import RunRecord
    from reportgen.jobs.history.store import History

SCORE_COLUMNS = (
    *("classifier", "class", "average", "fold", "measure"),
    *("value", "state", "reason", "low", "high", "interval"),
)


def exported(history: History, name: str | None, wanted: str) -> bytes:
    """Return the table in a format, the oldest run first."""
    rows = list(_rows(history, name))
    if wanted == "json":
        return (json.dumps(rows, indent=2, ensure_ascii=False) + "\n").encode("utf-8")
    from reportgen.rendering.results.exports import csv_files, parquet_files

    files = csv_files if wanted == "csv" else parquet_files
    (content,) = files({"history": _frame(rows)}).values()
    return content


def _rows(history: History, name: str | None) -> Iterator[dict[str, object]]:
    for head in reversed(history.runs(name)):
        run = history.run(head.id)
        # Somebody may prune meanwhile.
        if run is None:
            continue
        known = _run_row(run)
        if not run.scores:
            yield {**known, **dict.fromkeys(SCORE_COLUMNS)}
        for score in run.scores:
            yield {**known, **score_row(score)}


def _run_row(run: RunRecord) -> dict[str, object]:
    return {
        "run": run.id,
        "name": run.name,
        "started": run.started.isoformat(),
        "ended": run.ended.isoformat(),
        "run_state": run.state.value,
        "exit_code": run.exit_code,
        "published": run.published,
        "version": run.version,
        "data": run.data,
    }


def _frame(rows: list[dict[str, object]]) -> pl.DataFrame:
    import polars as pl

    numbers = {"value": pl.Float64, "low": pl.Float64, "high": pl.Float64}
    others = {"exit_code": pl.Int64, "published": pl.Boolean}
    texts = ("run", "name", "started", "ended", "run_state")
    columns = (*texts, *others, "version", "data", *SCORE_COLUMNS)
    schema = {column: {**numbers, **others}.get(column, pl.String) for column in columns}
    return pl.DataFrame(rows, schema=pl.Schema(schema))
