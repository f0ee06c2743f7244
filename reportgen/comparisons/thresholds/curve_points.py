"""The points of ROC and precision-recall curves, as few as a drawing needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.tallies.curves import CurveTally

MOST_POINTS = 300


@dataclass(frozen=True, slots=True)
class CurvePoints:
    """A curve of one classifier and class, thinned: counts from the highest threshold down."""

    classifier: str
    class_: str
    thresholds: tuple[float, ...]
    tp: tuple[int, ...]
    fp: tuple[int, ...]
    positives: int
    negatives: int

    def roc(self) -> tuple[tuple[float, float], ...]:
        """Return false positive rate and true positive rate, from the corner of nothing on."""
        return (
            (0.0, 0.0),
            *(
                (fp / self.negatives, tp / self.positives)
                for tp, fp in zip(self.tp, self.fp, strict=True)
            ),
        )

    def precision_recall(self) -> tuple[tuple[float, float], ...]:
        """Return recall and precision, from the highest threshold down."""
        return tuple(
            (tp / self.positives, tp / (tp + fp)) for tp, fp in zip(self.tp, self.fp, strict=True)
        )

    def rates(self) -> tuple[tuple[float, float, float, float], ...]:
        """Return threshold, sensitivity, specificity and precision, the highest threshold first."""
        return tuple(
            (threshold, tp / self.positives, 1 - fp / self.negatives, tp / (tp + fp))
            for threshold, tp, fp in zip(self.thresholds, self.tp, self.fp, strict=True)
        )


def curve_points(curves: CurveTally, classifiers: Sequence[str]) -> Iterator[CurvePoints]:
    """Yield the curves of classifiers, in their order, where both classes have cases."""
    by_key = curves.frame.partition_by("classifier", "class", as_dict=True, maintain_order=True)
    for classifier in classifiers:
        for (name, class_), frame in by_key.items():
            positives, negatives = frame["positives"][0], frame["negatives"][0]
            if name == classifier and positives and negatives:
                few = thinned(frame)
                yield CurvePoints(
                    classifier,
                    str(class_),
                    tuple(few["threshold"].to_list()),
                    tuple(few["tp"].to_list()),
                    tuple(few["fp"].to_list()),
                    positives,
                    negatives,
                )


def thinned(frame: pl.DataFrame) -> pl.DataFrame:
    """Keep as many rows as can be seen, the first and the last among them.

    Rows are taken at even steps along the curve, not of the scores, so that steep parts keep
    their shape.
    """
    if frame.height <= MOST_POINTS:
        return frame
    length = (pl.col("tp") / pl.col("positives") + pl.col("fp") / pl.col("negatives")).alias("at")
    along = frame.select(length).to_series().to_numpy()
    wanted = np.linspace(along[0], along[-1], MOST_POINTS)
    rows = np.unique(np.searchsorted(along, wanted).clip(0, frame.height - 1))
    kept = np.unique(np.concatenate([[0], rows, [frame.height - 1]]))[-MOST_POINTS:]
    return frame.with_row_index().filter(pl.col("index").is_in(kept.tolist())).drop("index")
