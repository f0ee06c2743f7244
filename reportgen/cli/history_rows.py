"""Runs as programs read them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from reportgen.comparisons.gates.outcome import gate_row

if TYPE_CHECKING:
    from datetime import datetime

    from reportgen.jobs.history.record import RunRecord, ScoreRecord, TrendPoint


def head_row(run: RunRecord) -> dict[str, object]:
    """Return what a list of runs tells of one, for programs."""
    return {
        "run": run.id,
        "name": run.name,
        "title": run.title,
        "state": run.state.value,
        "exit_code": run.exit_code,
        "started": _iso(run.started),
        "ended": _iso(run.ended),
        "seconds": (run.ended - run.started).total_seconds(),
        "published": run.published,
        "version": run.version,
        "spec": run.spec,
        "output": run.output,
        "data": run.data,
        "gates": [gate_row(gate) for gate in run.gates],
        "faults": list(run.faults),
    }


def run_row(run: RunRecord) -> dict[str, object]:
    """Return all about a run, for programs."""
    return {
        **head_row(run),
        "manifest": run.manifest,
        "classes": list(run.classes),
        "findings": list(run.findings),
        "warnings": list(run.warnings),
        "inputs": [
            {
                "classifier": each.classifier,
                "path": each.path,
                "sha256": each.sha256,
                "rows": each.rows,
            }
            for each in run.inputs
        ],
        "confusion": {name: [list(row) for row in rows] for name, rows in run.confusion.items()},
        "scores": [score_row(score) for score in run.scores],
    }


def trend_row(point: TrendPoint) -> dict[str, object]:
    """Return one point of a trend, for programs."""
    run = point.run
    return {
        "run": run.id,
        "ended": _iso(run.ended),
        "version": run.version,
        "data": run.data,
        "published": run.published,
        **score_row(point.score),
    }


def score_row(score: ScoreRecord) -> dict[str, object]:
    """Return a score with the names it has in results.json."""
    return {
        "classifier": score.classifier,
        "class": score.class_,
        "average": score.average,
        "fold": score.fold,
        "measure": score.measure,
        "value": _finite(score.score.value),
        "state": score.score.state.value,
        "reason": score.score.reason,
        "low": _finite(score.score.low),
        "high": _finite(score.score.high),
        "interval": score.score.interval,
    }


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _finite(number: float | None) -> float | None:
    return number if number is not None and math.isfinite(number) else None
