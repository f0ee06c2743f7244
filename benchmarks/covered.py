"""How often intervals contained the true value: one row of docs/coverage.md."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the intervals of a measure contained its true value, of those there were."""

    what: str
    method: str
    cases: int
    percent: float
    width: float
    without: int

    @property
    def cells(self) -> str:
        """The row as Markdown."""
        numbers = f"{self.percent:.1f} % | {self.width:.4g} | {self.without}"
        return f"| {self.what} | {self.method} | {self.cases} | {numbers} |"


def coverage(what: str, rows: pl.DataFrame, true: float, cases: int) -> Coverage:
    """Count the intervals among scores, a row per sample, that contain the true value."""
    low = rows["low"].fill_null(-math.inf).to_numpy()
    high = rows["high"].fill_null(math.inf).to_numpy()
    has = rows["method"].is_not_null().to_numpy()
    usual = rows["method"].drop_nulls().mode().sort()[0]
    covered = has & (low <= true) & (true <= high)
    width = (high - low)[np.isfinite(high - low) & has]
    percent = 100 * float(covered.sum()) / float(has.sum())
    return Coverage(what, usual, cases, percent, float(width.mean()), int((~has).sum()))
