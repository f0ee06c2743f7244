"""The measures shown over all thresholds of a score, as a table for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.thresholds.choosing import threshold_measures
from reportgen.comparisons.thresholds.curve_points import thinned
from reportgen.measures import SCORE_FAMILIES
from reportgen.tallies.curves import curve_frame

if TYPE_CHECKING:
    from reportgen.report.evaluation import Evaluation

NAME = "threshold_measures"


def threshold_tables(evaluation: Evaluation, *, thin: bool) -> dict[str, pl.DataFrame]:
    """Return the four counts and the measures shown at every threshold, or at those of a drawing.

    There is no table where several classes are predicted, and none without scores. A measure is
    null where it is undefined.
    """
    curves = evaluation.predictions.curves
    if curves is None or evaluation.spec.task.kind != "binary":
        return {}
    both = [
        curve_frame(*key, thinned(steps) if thin else steps)
        for key, steps in curves.curves.items()
        if steps.positives and steps.negatives
    ]
    if not both:
        return {}
    counted = [each for each in evaluation.shown if each.family not in SCORE_FAMILIES]
    return {NAME: threshold_measures(pl.concat(both).lazy(), counted).collect()}
