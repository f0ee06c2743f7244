"""Precision against recall of a class over all thresholds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.report.charts.lines import Reference
from reportgen.report.parts import Strong
from reportgen.report.sections.scores.curve_figure import CurveKind, curve_figure
from reportgen.report.sections.scores.roc import FOUND

if TYPE_CHECKING:
    from collections.abc import Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts.lines import Point
    from reportgen.report.document import Figure
    from reportgen.report.evaluation import Evaluation

RIGHT = "right among positives (precision)"


def precision_recall_figure(
    evaluation: Evaluation, found: Sequence[CurvePoints], number: int
) -> Figure:
    """Draw precision against recall; where all predictions lie in the corner, that too."""
    share = found[0].positives / (found[0].positives + found[0].negatives)
    return curve_figure(
        evaluation,
        PRECISION_RECALL,
        found,
        number,
        reference=Reference((0.0, share), (1.0, share), "prevalence"),
        reading=(
            "Over all thresholds, how far a positive answer can be trusted against how many of ",
            Strong(found[0].class_),
            " are found; guessing stays at the prevalence.",
        ),
    )


def _steps(points: CurvePoints) -> tuple[Point, ...]:
    """Return the curve from the right: each precision holds back to the recall reached before."""
    curve = points.precision_recall()
    return (*reversed(curve), (0.0, curve[0][1]))


def _place(tp: int, fn: int, fp: int, _: int) -> Point | None:
    return (tp / (tp + fn), tp / (tp + fp)) if tp + fn and tp + fp else None


PRECISION_RECALL = CurveKind(
    "precision-recall",
    "Precision against recall",
    (FOUND, RIGHT),
    _steps,
    _place,
    corner=(1.0, 1.0),
    area="average_precision",
    step=True,
)
