"""The ROC curves of a class, with bands and the predictions as they were made."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from reportgen.report.charts import Band, LineChart, Marker, Reference, Series
from reportgen.report.document import Figure, Paragraph, Plain, Strong
from reportgen.report.sections.corners import corner_side, with_corner
from reportgen.report.sections.curve_values import (
    AS_PREDICTED,
    MOST_BANDS,
    MOST_CURVES,
    counts_as_predicted,
    left_out,
    note_of,
    owners,
    values_beside,
)
from reportgen.statistics.proportions import wilson_limits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

FALSE_ALARMS = "false alarms among the others (1 − specificity)"
FOUND = "share found (sensitivity)"


def roc_figure(evaluation: Evaluation, found: Sequence[CurvePoints], number: int) -> Figure:
    """Draw the ROC curves of a class; where all predictions lie in its corner, that too."""
    class_ = found[0].class_
    drawn = found[:MOST_CURVES]
    banded = len(drawn) <= MOST_BANDS
    markers = {points.classifier: _as_predicted(evaluation, points) for points in drawn}
    whole = LineChart(
        FALSE_ALARMS,
        FOUND,
        tuple(
            Series(
                points.classifier,
                points.roc(),
                evaluation.order(points.classifier),
                band=band_of(evaluation, points) if banded else None,
                markers=markers[points.classifier],
            )
            for points in drawn
        ),
        references=(Reference((0.0, 0.0), (1.0, 1.0), "chance"),),
        square=True,
        marks=(("operating", AS_PREDICTED),) if any(markers.values()) else (),
    )
    side = corner_side(
        [(x, 1 - y) for each in markers.values() for marker in each for x, y in (marker.point,)]
    )
    reading: tuple[Part, ...] = (
        "Over all thresholds, how many of ",
        Strong(class_),
        " are found against how many others are taken for it.",
        *values_beside(evaluation, "roc_auc", *owners(evaluation, found)),
    )
    return Figure(
        f"roc-{number}",
        f"ROC curves, {class_}",
        with_corner(whole, *((0.0, side), (1 - side, 1.0)) if side else (None, None)),
        Paragraph(reading),
        note_of(_about_bands(evaluation, banded=banded), left_out(len(found))),
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
        Plain(100 * evaluation.spec.intervals.level, None, " %"),
        " confidence.",
    )


def _as_predicted(evaluation: Evaluation, points: CurvePoints) -> tuple[Marker, ...]:
    counts = counts_as_predicted(evaluation, points.classifier, points.class_)
    if counts is None:
        return ()
    tp, fn, fp, tn = counts
    if not tp + fn or not fp + tn:
        return ()
    return (Marker((fp / (fp + tn), tp / (tp + fn)), kind="operating"),)
