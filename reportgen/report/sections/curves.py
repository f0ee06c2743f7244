"""ROC and precision–recall curves, and rates by threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.charts import (
    ConfidenceBand,
    LineChart,
    LinePanels,
    Marker,
    ReferenceLine,
    Series,
)
from reportgen.report.document import Figure, Paragraph
from reportgen.report.formatting import confidence_level
from reportgen.report.inline import Count, MeasureEstimate, Strong
from reportgen.report.phrases import join_sentences
from reportgen.report.selection import (
    classifiers_best_first,
    is_full_detail,
    omitted_classifiers_phrase,
    plotted_classifiers,
    unplotted_classifiers_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.evaluation.curves import CurvePoints, OperatingPoint
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.charts import AxisRange, Chart, MarkerKind, Point
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline


# Selection of curves, and their areas.

MAX_AREAS = 6
# With more curves, bands, bars and secondary markers overlap.
MAX_BANDS = 3
_MAX_CLASSES, _MAX_CLASSES_BRIEF = 12, 4
OPERATING_POINT_LABEL = "At the classifier's own threshold"
MAX_YOUDEN_LABEL = "max. Youden's J"


def max_curve_classes(evaluation: Evaluation) -> int:
    """Return the maximum number of classes with curves."""
    return _MAX_CLASSES if is_full_detail(evaluation) else _MAX_CLASSES_BRIEF


def operating_point(
    evaluation: Evaluation, classifier: str, class_: str, kind: str = "as_predicted"
) -> OperatingPoint | None:
    """Return an operating point of a classifier for a class, if there is one of the kind."""
    return next(
        (
            point
            for point in evaluation.operating_points
            if (point.classifier, point.class_, point.kind) == (classifier, class_, kind)
        ),
        None,
    )


def area_values_sentence(
    evaluation: Evaluation, name: str, classifiers: Sequence[str], class_: str | None
) -> Iterator[Inline]:
    """Yield the areas under the displayed curves, if they are few."""
    if len(classifiers) > MAX_AREAS:
        return
    measure = get_measure(name)
    scores = {
        classifier: evaluation.value(classifier, measure, class_) for classifier in classifiers
    }
    defined = {classifier: score for classifier, score in scores.items() if score is not None}
    for index, (classifier, score) in enumerate(defined.items()):
        yield f" {measure.title}: " if index == 0 else ", "
        yield Strong(classifier)
        yield " "
        yield MeasureEstimate(score, measure, with_interval=True)
    if defined:
        yield "."


def curve_classifiers_and_class(
    evaluation: Evaluation, curves: Sequence[CurvePoints]
) -> tuple[list[str], str | None]:
    """Return the classifiers of curves, and their class if scores are by class."""
    class_ = None if evaluation.task_kind == "binary" else curves[0].class_
    return [points.classifier for points in curves], class_


# Zoom into the corner of the ideal point.

# Sides of the zoomed corner as shares of the axis, the smallest first.
_ZOOM_SIDES = (0.05, 0.1, 0.15, 0.2, 0.25)
_ZOOM_SUFFIX = " (zoom)"
# Distance of the farthest point from the inner edges, as a share of the side.
_ZOOM_MARGIN = 0.1


def zoom_side(distances: Sequence[Point]) -> float | None:
    """Return the side of the corner that contains all points; None: there is none."""
    if not distances:
        return None
    largest = max(max(distance) for distance in distances)
    return next((side for side in _ZOOM_SIDES if largest <= side * (1 - _ZOOM_MARGIN)), None)


def add_zoom_panel(chart: LineChart, x_range: AxisRange | None, y_range: AxisRange | None) -> Chart:
    """Return a chart, with a second panel that zooms into a corner."""
    if x_range is None or y_range is None:
        return chart
    zoomed = replace(chart, y_label=chart.y_label + _ZOOM_SUFFIX, x_range=x_range, y_range=y_range)
    return LinePanels((replace(chart, zoom_window=(x_range, y_range)), zoomed), columns=2)


# Common parts of ROC and precision–recall curves.


@dataclass(frozen=True, slots=True)
class CurveKind:
    """A kind of curve over all thresholds: its axes, its points and the measure of its area.

    `locate` returns the coordinates of an operating point; None: one of them is undefined. A
    perfect classifier lies at `ideal_point`.
    """

    name: str
    title: str
    axis_labels: tuple[str, str]
    order_points: Callable[[CurvePoints], tuple[Point, ...]]
    locate: Callable[[OperatingPoint], Point | None]
    ideal_point: Point
    area_measure: str
    step: bool = False


def plotted_curves(evaluation: Evaluation, curves: Sequence[CurvePoints]) -> list[CurvePoints]:
    """Return the curves that are drawn, those of the best classifiers where there are many."""
    names = plotted_classifiers(evaluation, [points.classifier for points in curves])
    return [points for points in curves if points.classifier in names]


def threshold_curve_figure(  # noqa: PLR0913  # what differs between the kinds
    evaluation: Evaluation,
    kind: CurveKind,
    curves: Sequence[CurvePoints],
    number: int,
    *,
    reference: ReferenceLine,
    description: tuple[Inline, ...],
    note: tuple[Inline, ...] = (),
    band: Callable[[CurvePoints], ConfidenceBand] | None = None,
) -> Figure:
    """Return the curves of a class, zoomed where all operating points lie in the corner."""
    plotted = plotted_curves(evaluation, curves)
    markers = {
        points.classifier: _operating_point_markers(evaluation, points, kind) for points in plotted
    }
    chart = LineChart(
        *kind.axis_labels,
        tuple(
            Series(
                points.classifier,
                kind.order_points(points),
                evaluation.classifier_index(points.classifier),
                step=kind.step,
                band=band(points) if band else None,
                markers=markers[points.classifier],
            )
            for points in plotted
        ),
        references=(reference,),
        square=True,
        marker_legend=(("operating", OPERATING_POINT_LABEL),) if any(markers.values()) else (),
    )
    right, top = kind.ideal_point
    side = zoom_side(
        [
            (abs(right - x), abs(top - y))
            for markers_of_curve in markers.values()
            for marker in markers_of_curve
            for x, y in (marker.point,)
        ]
    )
    x_title, y_title = (
        None if side is None else (1 - side, 1.0) if end else (0.0, side)
        for end in kind.ideal_point
    )
    areas = area_values_sentence(
        evaluation, kind.area_measure, *curve_classifiers_and_class(evaluation, curves)
    )
    return Figure(
        f"{kind.name}-{number}",
        f"{kind.title}{_class_suffix(evaluation, curves[0].class_)}",
        add_zoom_panel(chart, x_title, y_title),
        Paragraph((*description, *areas)),
        join_sentences(
            note,
            unplotted_classifiers_sentence(evaluation, [points.classifier for points in curves]),
        ),
    )


def _class_suffix(evaluation: Evaluation, class_: str) -> str:
    """Return the positive class of a binary task, or the class of a one-vs-rest curve."""
    if evaluation.task_kind == "binary":
        return f" (positive class: {class_})"
    return f": class {class_} vs rest"


def _operating_point_markers(
    evaluation: Evaluation, points: CurvePoints, kind: CurveKind
) -> tuple[Marker, ...]:
    """Return the operating point of the submitted predictions, if it is defined."""
    predicted = operating_point(evaluation, points.classifier, points.class_)
    point = None if predicted is None else kind.locate(predicted)
    return () if point is None else (Marker(point, kind="operating"),)


# ROC curves with confidence bands and operating points.

FPR_LABEL = "False positive rate (1 − specificity)"
TPR_LABEL = "Sensitivity (TPR)"


def roc_figure(evaluation: Evaluation, curves: Sequence[CurvePoints], number: int) -> Figure:
    """Return the ROC curves of a class, with bands where they are few."""
    has_bands = len(plotted_curves(evaluation, curves)) <= MAX_BANDS
    return threshold_curve_figure(
        evaluation,
        _ROC,
        curves,
        number,
        reference=ReferenceLine((0.0, 0.0), (1.0, 1.0), "chance"),
        description=("True positive rate against false positive rate over all thresholds.",),
        note=_band_note(evaluation, has_bands=has_bands),
        band=roc_confidence_band if has_bands else None,
    )


def roc_confidence_band(points: CurvePoints) -> ConfidenceBand:
    """Return the edges of the pointwise joint confidence region of TPR and FPR."""
    lower = tuple((right, low) for _, right, low, _ in points.band.limits())
    upper = tuple((left, high) for left, _, _, high in points.band.limits())
    return ConfidenceBand(lower, ((0.0, 0.0), *upper, (1.0, 1.0)))


def _band_note(evaluation: Evaluation, *, has_bands: bool) -> tuple[Inline, ...]:
    if not has_bands:
        return ("Confidence bands not drawn (too many curves).",)
    return (
        "Shaded: pointwise ",
        confidence_level(evaluation),
        " confidence region.",
    )


def _roc_curve(points: CurvePoints) -> tuple[Point, ...]:
    return points.roc()


def _roc_point(predicted: OperatingPoint) -> Point | None:
    return predicted.roc


_ROC = CurveKind(
    "roc",
    "ROC curves",
    (FPR_LABEL, TPR_LABEL),
    _roc_curve,
    _roc_point,
    ideal_point=(0.0, 1.0),
    area_measure="roc_auc",
)


# Precision–recall curves.

_PRECISION_LABEL = "Precision (PPV)"


def precision_recall_figure(
    evaluation: Evaluation, curves: Sequence[CurvePoints], number: int
) -> Figure:
    """Return the precision–recall curves of a class."""
    share = curves[0].prevalence
    return threshold_curve_figure(
        evaluation,
        _PRECISION_RECALL,
        curves,
        number,
        reference=ReferenceLine((0.0, share), (1.0, share), "prevalence"),
        description=("Precision against recall; dashed: prevalence (random classifier).",),
    )


def _pr_steps(points: CurvePoints) -> tuple[Point, ...]:
    """Return the step curve from right to left: each precision holds to the previous recall."""
    curve = points.precision_recall()
    return (*reversed(curve), (0.0, curve[0][1]))


def _pr_point(predicted: OperatingPoint) -> Point | None:
    return predicted.precision_recall


_PRECISION_RECALL = CurveKind(
    "precision-recall",
    "Precision–recall curves",
    (TPR_LABEL, _PRECISION_LABEL),
    _pr_steps,
    _pr_point,
    ideal_point=(1.0, 1.0),
    area_measure="average_precision",
    step=True,
)


# Sensitivity, specificity and precision by threshold.

_RATE_MEASURES = ("sensitivity", "specificity", "precision")
_MAX_FIGURES = 4
# Scores whose ranges differ by more than this factor do not share an axis.
_MAX_SCALE_RATIO = 4.0


def threshold_rate_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Yield the rates by threshold of the classifiers with chosen thresholds, a panel each.

    Classifiers share a figure if their scores share a scale.
    """
    names = {optimum.classifier for optimum in evaluation.thresholds}
    groups = _group_by_scale([curve for curve in evaluation.curves if curve.classifier in names])
    displayed = _top_scale_groups(evaluation, groups)
    n_other_scales = sum(map(len, groups)) - sum(map(len, displayed))
    for number, scale_group in enumerate(displayed, start=1):
        plotted = plotted_classifiers(evaluation, [points.classifier for points in scale_group])
        group = [points for points in scale_group if points.classifier in plotted]
        description = "Raising the threshold lowers sensitivity and raises specificity."
        classifier = f": {group[0].classifier}" if len(groups) > 1 and len(group) == 1 else ""
        yield Figure(
            f"thresholds-{number}",
            f"Sensitivity, specificity and precision by threshold{classifier}",
            _rate_panels(evaluation, group),
            Paragraph((description,)),
            join_sentences(
                _omitted_rates_note(
                    evaluation, len(group), len(scale_group), single_scale=len(groups) == 1
                ),
                _other_scales_note(n_other_scales) if number == len(displayed) else (),
            ),
        )


def _top_scale_groups(
    evaluation: Evaluation, groups: Sequence[list[CurvePoints]]
) -> list[list[CurvePoints]]:
    """Return the groups with a figure: those of the best classifiers where there are many."""
    ranked = classifiers_best_first(evaluation)
    best = sorted(groups, key=lambda group: min(ranked.index(curve.classifier) for curve in group))
    return [group for group in groups if group in best[:_MAX_FIGURES]]


def _omitted_rates_note(
    evaluation: Evaluation, n_displayed: int, n_total: int, *, single_scale: bool
) -> tuple[Inline, ...]:
    prefix = "Shown: the " if single_scale else "Shown of the scores on this scale: the "
    phrase = omitted_classifiers_phrase(evaluation, n_displayed, n_total, prefix=(prefix,))
    return (*phrase, ".") if phrase else ()


def _other_scales_note(n_omitted: int) -> tuple[Inline, ...]:
    if not n_omitted:
        return ()
    noun = "classifier" if n_omitted == 1 else "classifiers"
    return (Count(n_omitted), f" more {noun} with scores on other scales not shown.")


def _group_by_scale(curves: Sequence[CurvePoints]) -> list[list[CurvePoints]]:
    """Return groups of classifiers whose scores have a common scale."""
    groups: list[list[CurvePoints]] = []
    for points in curves:
        matching = (
            group
            for group in groups
            if _have_common_scale(_threshold_range([group[0]]), _threshold_range([points]))
        )
        group = next(matching, None)
        if group is None:
            groups.append([points])
        else:
            group.append(points)
    return groups


def _have_common_scale(first: AxisRange, second: AxisRange) -> bool:
    widths = sorted((first[1] - first[0], second[1] - second[0]))
    overlap = min(first[1], second[1]) > max(first[0], second[0])
    shares = (0.0, 1.0) in {first, second}
    return first == second if shares else overlap and widths[1] <= _MAX_SCALE_RATIO * widths[0]


def _threshold_range(curves: Sequence[CurvePoints]) -> AxisRange:
    low = min(min(points.thresholds) for points in curves)
    high = max(max(points.thresholds) for points in curves)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1, high + 1)


def _rate_panels(evaluation: Evaluation, group: Sequence[CurvePoints]) -> LinePanels:
    span = _threshold_range(group)
    markers = {points.classifier: _rate_markers(evaluation, points, span) for points in group}
    if len(group) > MAX_BANDS:
        markers = {
            name: [marker for marker in classifier_markers if marker[0] != "best"]
            for name, classifier_markers in markers.items()
        }
    kinds = {kind for classifier_markers in markers.values() for kind, *_ in classifier_markers}
    marker_labels: tuple[tuple[MarkerKind, str], ...] = (
        ("operating", OPERATING_POINT_LABEL),
        ("best", MAX_YOUDEN_LABEL),
    )
    return LinePanels(
        tuple(
            LineChart(
                "Threshold",
                measure.title,
                tuple(
                    Series(
                        points.classifier,
                        _rate_steps(points, number, span),
                        evaluation.classifier_index(points.classifier),
                        step=True,
                        markers=tuple(
                            Marker((threshold, rate), kind=kind)
                            for kind, threshold, rates in markers[points.classifier]
                            if (rate := rates[number - 1]) is not None
                        ),
                    )
                    for points in group
                ),
                x_range=span,
                marker_legend=tuple(marker for marker in marker_labels if marker[0] in kinds),
            )
            for number, measure in enumerate(map(get_measure, _RATE_MEASURES), start=1)
        ),
        columns=len(_RATE_MEASURES),
    )


def _rate_markers(
    evaluation: Evaluation, points: CurvePoints, threshold_range: AxisRange
) -> list[tuple[MarkerKind, float, tuple[float | None, ...]]]:
    """Return the operating point and the threshold of maximum Youden's J."""
    markers: list[tuple[MarkerKind, float, tuple[float | None, ...]]] = []
    best = operating_point(evaluation, points.classifier, points.class_, "youden")
    if best is not None and best.threshold is not None and isfinite(best.threshold):
        markers.append(("best", best.threshold, _rates(best)))
    predicted = operating_point(evaluation, points.classifier, points.class_)
    low, high = threshold_range
    if (
        predicted is not None
        and predicted.threshold is not None
        and low <= predicted.threshold <= high
    ):
        markers.append(("operating", predicted.threshold, _rates(predicted)))
    return markers


def _rates(point: OperatingPoint) -> tuple[float | None, ...]:
    """Return sensitivity, specificity and precision; None: undefined."""
    return point.sensitivity, point.specificity, point.precision


def _rate_steps(
    points: CurvePoints, rate_index: int, threshold_range: AxisRange
) -> tuple[Point, ...]:
    """Return a rate from high thresholds to low: between two scores the higher one counts.

    Above all scores no case is predicted positive, so precision begins at the first score.
    """
    rates = points.rates()
    end_points = {1: ((threshold_range[1], 0.0),), 2: ((threshold_range[1], 1.0),)}.get(
        rate_index, ()
    )
    return (
        *end_points,
        *((row[0], row[rate_index]) for row in rates),
        (threshold_range[0], rates[-1][rate_index]),
    )


# All curves.


def build_curves_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return ROC, precision–recall and threshold curves."""
    return (
        *_roc_and_pr_figures(evaluation),
        *threshold_rate_figures(evaluation),
    )


def _roc_and_pr_figures(evaluation: Evaluation) -> Iterator[Block]:
    curves = evaluation.curves
    classes = list(dict.fromkeys(points.class_ for points in curves))
    max_classes = max_curve_classes(evaluation)
    for number, class_ in enumerate(classes[:max_classes], start=1):
        class_curves = [points for points in curves if points.class_ == class_]
        yield roc_figure(evaluation, class_curves, number)
        yield precision_recall_figure(evaluation, class_curves, number)
    if len(classes) > max_classes:
        n_more = len(classes) - max_classes
        noun = "class" if n_more == 1 else "classes"
        yield Paragraph(("Curves of ", Count(n_more), f" more {noun} not shown."))
