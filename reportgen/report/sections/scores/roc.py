"""The ROC curves of a class, with bands and the predictions as they were made."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from reportgen.report.charts.lines import Band, Reference
from reportgen.report.parts import Strong
from reportgen.report.sections.scores.curve_figure import CurveKind, curve_figure, drawn_points
from reportgen.report.sections.scores.curve_values import MOST_BANDS
from reportgen.report.words.level import level_of
from reportgen.statistics.proportions import wilson_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts.lines import Point
    from reportgen.report.document import Figure
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

FALSE_ALARMS = "false alarms among the others (1 − specificity)"
FOUND = "share found (sensitivity)"


def roc_figure(evaluation: Evaluation, found: Sequence[CurvePoints], number: int) -> Figure:
    """Draw the ROC curves of a class; where all predictions lie in its corner, that too."""
    banded = len(drawn_points(evaluation, found)) <= MOST_BANDS
    return curve_figure(
        evaluation,
        ROC,
        found,
        number,
        reference=Reference((0.0, 0.0), (1.0, 1.0), "chance"),
        reading=(
            "Over all thresholds, how many of ",
            Strong(found[0].class_),
            " are found against how many others are taken for it.",
        ),
        remark=_about_bands(evaluation, banded=banded),
        band=partial(band_of, evaluation) if banded else None,
    )


def band_of(evaluation: Evaluation, points: CurvePoints) -> Band:
    """Return the band that holds both shares of each threshold together at the level.

    Cases of the class and others are independent, so both of Wilson's intervals at the root of
    the level hold at the level. Repeated predictions of a case count as one.
    """
    level = math.sqrt(evaluation.spec.intervals.level)
    weight = evaluation.predictions.weight_of(points.classifier)
    tp, fp = (np.array([0, *counts], dtype=np.float64) for counts in (points.tp, points.fp))
    found_low, found_high = wilson_limits(tp * weight, points.positives * weight, level)
    alarm_low, alarm_high = wilson_limits(fp * weight, points.negatives * weight, level)
    upper = zip(alarm_low.tolist(), found_high.tolist(), strict=True)
    lower = zip(alarm_high.tolist(), found_low.tolist(), strict=True)
    return Band(tuple(lower), ((0.0, 0.0), *upper, (1.0, 1.0)))


def _about_bands(evaluation: Evaluation, *, banded: bool) -> tuple[Part, ...]:
    if not banded:
        return ("Bands of so many curves would hide each other and are not drawn.",)
    return (
        "At each threshold by itself, both shares lie within the band with ",
        level_of(evaluation),
        " confidence.",
    )


def _points(points: CurvePoints) -> tuple[Point, ...]:
    return points.roc()


def _place(tp: int, fn: int, fp: int, tn: int) -> Point | None:
    return (fp / (fp + tn), tp / (tp + fn)) if tp + fn and fp + tn else None


ROC = CurveKind(
    "roc",
    "ROC curves",
    (FALSE_ALARMS, FOUND),
    _points,
    _place,
    corner=(0.0, 1.0),
    area="roc_auc",
)
