"""Precision against recall of a class over all thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.charts import LineChart, Marker, Reference, Series
from reportgen.report.document import Figure, Paragraph, Strong
from reportgen.report.sections.corners import corner_side, with_corner
from reportgen.report.sections.curve_values import (
    AS_PREDICTED,
    MOST_CURVES,
    counts_as_predicted,
    left_out,
    note_of,
    owners,
    values_beside,
)
from reportgen.report.sections.roc import FOUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts import Point
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

RIGHT = "right among positives (precision)"


def precision_recall_figure(
    evaluation: Evaluation, found: Sequence[CurvePoints], number: int
) -> Figure:
    """Draw precision against recall; where all predictions lie in the corner, that too."""
    class_ = found[0].class_
    share = found[0].positives / (found[0].positives + found[0].negatives)
    drawn = found[:MOST_CURVES]
    markers = {points.classifier: _as_predicted(evaluation, points) for points in drawn}
    whole = LineChart(
        FOUND,
        RIGHT,
        tuple(
            Series(
                points.classifier,
                _steps(points),
                evaluation.order(points.classifier),
                step=True,
                markers=markers[points.classifier],
            )
            for points in drawn
        ),
        references=(Reference((0.0, share), (1.0, share), "prevalence"),),
        square=True,
        marks=(("operating", AS_PREDICTED),) if any(markers.values()) else (),
    )
    side = corner_side(
        [(1 - x, 1 - y) for each in markers.values() for marker in each for x, y in (marker.point,)]
    )
    corner = None if side is None else (1 - side, 1.0)
    reading: tuple[Part, ...] = (
        "Over all thresholds, how far a positive answer can be trusted against how many of ",
        Strong(class_),
        " are found; guessing stays at the prevalence.",
        *values_beside(evaluation, "average_precision", *owners(evaluation, found)),
    )
    return Figure(
        f"precision-recall-{number}",
        f"Precision against recall, {class_}",
        with_corner(whole, corner, corner),
        Paragraph(reading),
        note_of(left_out(len(found))),
    )


def _steps(points: CurvePoints) -> tuple[Point, ...]:
    """Return the curve from the right: each precision holds back to the recall reached before."""
    curve = points.precision_recall()
    return (*reversed(curve), (0.0, curve[0][1]))


def _as_predicted(evaluation: Evaluation, points: CurvePoints) -> tuple[Marker, ...]:
    counts = counts_as_predicted(evaluation, points.classifier, points.class_)
    if counts is None:
        return ()
    tp, fn, fp, _ = counts
    if not tp + fn or not tp + fp:
        return ()
    return (Marker((tp / (tp + fn), tp / (tp + fp)), kind="operating"),)
