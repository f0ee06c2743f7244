"""What every threshold of a score would count: the points of ROC and precision-recall curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    import numpy.typing as npt

    from reportgen.tallies.scored import ScoredCases

CURVE_SCHEMA = pl.Schema(
    {
        "classifier": pl.String,
        "class": pl.String,
        "threshold": pl.Float64,
        "tp": pl.Int64,
        "fp": pl.Int64,
        "positives": pl.Int64,
        "negatives": pl.Int64,
    }
)


@dataclass(frozen=True, slots=True)
class Steps:
    """True and false positives at every distinct score, from the highest score down."""

    threshold: npt.NDArray[np.float64]
    tp: npt.NDArray[np.int64]
    fp: npt.NDArray[np.int64]

    @property
    def positives(self) -> int:
        """How many cases belong to the class."""
        return int(self.tp[-1]) if self.tp.size else 0

    @property
    def negatives(self) -> int:
        """How many cases do not."""
        return int(self.fp[-1]) if self.fp.size else 0

    def corners(self) -> Steps:
        """Leave out the points on a straight line between their neighbours."""
        right = np.diff(self.fp, prepend=0), np.diff(self.tp, prepend=0)
        # Equal slopes by whole numbers: a rise over a run compared crosswise.
        turns = right[0][1:] * right[1][:-1] != right[1][1:] * right[0][:-1]
        kept = np.append(turns, True) if self.tp.size else turns
        return Steps(self.threshold[kept], self.tp[kept], self.fp[kept])


@dataclass(frozen=True, slots=True)
class CurveTally:
    """Cumulated counts by classifier and class, a row per distinct score, the highest first.

    A case counts as found from its own score on. For several classes only the corners of the ROC
    curve are kept: between two corners both counts grow in proportion.
    """

    frame: pl.DataFrame

    def __post_init__(self) -> None:
        """Refuse a frame of another shape."""
        if self.frame.schema != CURVE_SCHEMA:
            message = f"a curve tally needs {CURVE_SCHEMA}, not {self.frame.schema}"
            raise TypeError(message)


def steps_of(scores: npt.NDArray[np.float64], is_positive: npt.NDArray[np.bool_]) -> Steps:
    """Count, for every distinct score, the cases at or above it on both sides."""
    order = np.argsort(-scores, kind="stable")
    ranked, positive = scores[order], is_positive[order]
    last = np.flatnonzero(np.diff(ranked, append=-np.inf))
    tp = np.cumsum(positive, dtype=np.int64)[last]
    return Steps(ranked[last], tp, last + 1 - tp)


def count_curves(cases: ScoredCases) -> CurveTally:
    """Count every curve: of the positive class, or of each class against the rest."""
    several = len(cases.ranked) > 1
    frames = [pl.DataFrame(schema=CURVE_SCHEMA)]
    for name, class_, scores, is_positive in cases.rankings():
        steps = steps_of(scores, is_positive)
        frames.append(_frame(name, class_, steps.corners() if several else steps))
    return CurveTally(pl.concat(frames))


def _frame(classifier: str, class_: str, steps: Steps) -> pl.DataFrame:
    counted = pl.DataFrame({"threshold": steps.threshold, "tp": steps.tp, "fp": steps.fp})
    return counted.with_columns(
        pl.lit(classifier).alias("classifier"),
        pl.lit(class_).alias("class"),
        positives=pl.lit(steps.positives, pl.Int64),
        negatives=pl.lit(steps.negatives, pl.Int64),
    ).select(pl.col(name).cast(dtype) for name, dtype in CURVE_SCHEMA.items())
