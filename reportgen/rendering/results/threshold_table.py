"""The measures shown over all thresholds of a score, as a table for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.thresholds.choosing import threshold_measures
from reportgen.comparisons.thresholds.curve_points import thinned
from reportgen.measures import SCORE_FAMILIES
from reportgen.tallies.curves import CurveTally

if TYPE_CHECKING:
    from reportgen.report import Evaluation

NAME = "threshold_measures"


def threshold_tables(evaluation: Evaluation, *, thin: bool) -> dict[str, pl.DataFrame]:
    """Return the four counts and the measures shown at every threshold, or at those of a drawing.

    There is no table where several classes are predicted, and none without scores. A measure is
    null where it is undefined.
    """
    curves = evaluation.predictions.curves
    if curves is None or evaluation.spec.task.kind != "binary":
        return {}
    both = curves.frame.filter(pl.col("positives") > 0, pl.col("negatives") > 0)
    if both.is_empty():
        return {}
    if thin:
        by_classifier = both.partition_by("classifier", maintain_order=True)
        both = pl.concat(map(thinned, by_classifier))
    counted = [each for each in evaluation.shown if each.family not in SCORE_FAMILIES]
    return {NAME: threshold_measures(CurveTally(both), counted).collect()}
