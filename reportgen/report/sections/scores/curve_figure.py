"""What the curves over all thresholds have in common: series, marks, corner, words and notes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.report.charts.lines import LineChart, Marker, Series
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import drawn_of, not_drawn
from reportgen.report.sections.scores.corners import corner_side, with_corner
from reportgen.report.sections.scores.curve_values import (
    AS_PREDICTED,
    owners,
    values_beside,
)
from reportgen.report.words.wording import note_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts.lines import Band, Point, Reference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part


@frozen
class CurveKind:
    """A kind of curve over all thresholds: its axes, its points and the measure of its area.

    `place` puts tp, fn, fp and tn on the axes as two shares; None: one of them is undefined. The
    corner of a perfect classifier is at `corner`.
    """

    name: str
    title: str
    labels: tuple[str, str]
    points: Callable[[CurvePoints], tuple[Point, ...]]
    place: Callable[[int, int, int, int], Point | None]
    corner: Point
    area: str
    step: bool = False


def drawn_points(evaluation: Evaluation, found: Sequence[CurvePoints]) -> list[CurvePoints]:
    """Return the curves that are drawn, those of the best classifiers where there are many."""
    names = drawn_of(evaluation, [points.classifier for points in found])
    return [points for points in found if points.classifier in names]


def curve_figure(  # noqa: PLR0913  # what differs between the kinds
    evaluation: Evaluation,
    kind: CurveKind,
    found: Sequence[CurvePoints],
    number: int,
    *,
    reference: Reference,
    reading: tuple[Part, ...],
    remark: tuple[Part, ...] = (),
    band: Callable[[CurvePoints], Band] | None = None,
) -> Figure:
    """Draw the curves of a class; where all predictions lie in their corner, that too."""
    drawn = drawn_points(evaluation, found)
    markers = {points.classifier: _as_predicted(evaluation, points, kind) for points in drawn}
    whole = LineChart(
        *kind.labels,
        tuple(
            Series(
                points.classifier,
                kind.points(points),
                evaluation.order(points.classifier),
                step=kind.step,
                band=band(points) if band else None,
                markers=markers[points.classifier],
            )
            for points in drawn
        ),
        references=(reference,),
        square=True,
        marks=(("operating", AS_PREDICTED),) if any(markers.values()) else (),
    )
    right, top = kind.corner
    side = corner_side(
        [
            (abs(right - x), abs(top - y))
            for each in markers.values()
            for marker in each
            for x, y in (marker.point,)
        ]
    )
    across, up = (
        None if side is None else (1 - side, 1.0) if end else (0.0, side) for end in kind.corner
    )
    beside = values_beside(evaluation, kind.area, *owners(evaluation, found))
    return Figure(
        f"{kind.name}-{number}",
        f"{kind.title}, {found[0].class_}",
        with_corner(whole, across, up),
        Paragraph((*reading, *beside)),
        note_of(remark, not_drawn(evaluation, [points.classifier for points in found])),
    )


def _as_predicted(
    evaluation: Evaluation, points: CurvePoints, kind: CurveKind
) -> tuple[Marker, ...]:
    """Return where the predictions as they were made lie, if both shares are defined."""
    counts = evaluation.counts(points.classifier, points.class_)
    place = None if counts is None else kind.place(*counts)
    return () if place is None else (Marker(place, kind="operating"),)
