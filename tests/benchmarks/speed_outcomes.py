"""Made-up measurements of speed, with numbers that are easy to divide."""

from __future__ import annotations

from benchmarks.speed.measured import Measured, Outcome, Run, Target

MEGABYTE = 1_000_000


def contest_of_counts(rows: int, target: Target | None = None, **seconds: list[float]) -> Outcome:
    """Make a contest of counts; each row takes a byte beside a hundred megabytes."""
    runs = {
        tool.replace("_", " "): [Run(time, time, 100 * MEGABYTE + rows) for time in times]
        for tool, times in seconds.items()
    }
    targets = () if target is None else (target,)
    return Outcome("a", "confusion matrix", rows, "parquet", targets, runs)


def on_one_machine(*outcomes: Outcome) -> Measured:
    """Put contests together as if they came from one machine."""
    return Measured({"processor": "abacus"}, "python -m benchmarks.speed", 3, outcomes)
