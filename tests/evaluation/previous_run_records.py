"""Evaluations as a history returns them, for tests of drift and of its section."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen import __version__
from reportgen.evaluation.previous_runs import PreviousRun

if TYPE_CHECKING:
    from datetime import datetime

    from reportgen.evaluation.evaluation import Evaluation


def previous_run(evaluation: Evaluation, number: int, ended: datetime) -> PreviousRun:
    """Return an evaluation as the history has it."""
    counts = evaluation.aggregates.confusion
    names = evaluation.measured_classifiers
    return PreviousRun(
        id=f"run-{number}",
        ended=ended,
        version=__version__,
        data_fingerprint=f"data-{number}",
        published=False,
        classes=evaluation.aggregates.classes,
        values=evaluation.by_key,
        confusion={name: counts.matrix(name) for name in names} if counts else {},
        level=evaluation.spec.intervals.level,
        weights={name: evaluation.aggregates.case_weight(name) for name in names},
    )
