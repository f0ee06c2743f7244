"""ROC and precision–recall curves, and rates by threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.measures import get_measure
from reportgen.report.charts import (
    ConfidenceBand,
    LineChart,
    LinePanels,
    Marker,
    ReferenceLine,
    Series,
)
from reportgen.report.document import Column, Details, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import confidence_level, threshold_decimals
from reportgen.report.inline import (
    Count,
    Estimate,
    InlineText,
    Interval,
    MeasureEstimate,
    PlainNumber,
    Strong,
)
from reportgen.report.phrases import join_sentences
from reportgen.report.selection import (
    MAX_LINES,
    classifier_color,
    classifiers_best_first,
    highlighted_classifiers,
    is_full_detail,
    omitted_classifiers_phrase,
    omitted_in_results_note,
    plotted_classifiers,
    unplotted_classifiers_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from reportgen.evaluation.curves import CurvePoints, OperatingPoint
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.report.charts import AxisRange, MarkerKind, Point
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Selection of curves, and their areas.

MAX_AREAS = 6
# With more curves, bands, bars and secondary markers overlap.
MAX_BANDS = 3
_MAX_CLASSES, _MAX_CLASSES_BRIEF = 20, 10
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
_ZOOM_SIDES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)
# Distance of the farthest point from the inner edges, as a share of the side.
_ZOOM_MARGIN = 0.1
# An inset covers this part of both axes, next to the lower corner.
_INSET_EXTENT = 0.6


def zoom_side(distances: Sequence[Point]) -> float | None:
    """Return the side of the corner that contains all points; None: there is none."""
    if not distances:
        return None
    largest = max(max(distance) for distance in distances)
    return next((side for side in _ZOOM_SIDES if largest <= side * (1 - _ZOOM_MARGIN)), None)


# ROC and precision–recall curves.


@dataclass(frozen=True, slots=True)
class CurveKind:
    """A kind of curve over all thresholds: its axes, its points and the measure of its area.

    `locate` returns the coordinates of an operating point; None: one of them is undefined. A
    perfect classifier lies at `ideal_point`.
    """

    title: str
    axis_labels: tuple[str, str]
    order_points: Callable[[CurvePoints], tuple[Point, ...]]
    locate: Callable[[OperatingPoint], Point | None]
    ideal_point: Point
    area_measure: str
    step: bool = False


FPR_LABEL = "False positive rate (1 − specificity)"
TPR_LABEL = "Sensitivity (TPR)"
_PRECISION_LABEL = "Precision (PPV)"


def _roc_curve(points: CurvePoints) -> tuple[Point, ...]:
    return points.roc()


def _roc_point(predicted: OperatingPoint) -> Point | None:
    return predicted.roc


def _pr_steps(points: CurvePoints) -> tuple[Point, ...]:
    """Return the step curve from right to left: each precision holds to the previous recall."""
    curve = points.precision_recall()
    return (*reversed(curve), (0.0, curve[0][1]))


def _pr_point(predicted: OperatingPoint) -> Point | None:
    return predicted.precision_recall


_ROC = CurveKind(
    "ROC curves",
    (FPR_LABEL, TPR_LABEL),
    _roc_curve,
    _roc_point,
    ideal_point=(0.0, 1.0),
    area_measure="roc_auc",
)
_PRECISION_RECALL = CurveKind(
    "Precision–recall curves",
    (TPR_LABEL, _PRECISION_LABEL),
    _pr_steps,
    _pr_point,
    ideal_point=(1.0, 1.0),
    area_measure="average_precision",
    step=True,
)


_PAIR_DESCRIPTION = (
    "Left: true positive rate against false positive rate; right: precision against recall, over"
    " all thresholds."
)


def plotted_curves(evaluation: Evaluation, curves: Sequence[CurvePoints]) -> list[CurvePoints]:
    """Return the curves that are drawn, best classifier first, only the best of many."""
    by_name = {points.classifier: points for points in curves}
    return [by_name[name] for name in plotted_classifiers(evaluation, by_name, MAX_LINES)]


def curve_pair_figure(evaluation: Evaluation, curves: Sequence[CurvePoints], number: int) -> Figure:
    """Return the ROC and the precision–recall curves of a class side by side."""
    plotted = plotted_curves(evaluation, curves)
    has_bands = len(plotted) <= MAX_BANDS
    charts = tuple(
        _add_zoom(evaluation, kind, _curve_chart(evaluation, kind, plotted, has_bands=has_bands))
        for kind in (_ROC, _PRECISION_RECALL)
    )
    classifiers_and_class = curve_classifiers_and_class(evaluation, plotted)
    inset = any(chart.zoom_window is not None for chart in charts)
    return Figure(
        f"curves-{number}",
        f"ROC and precision–recall curves{_class_suffix(evaluation, curves[0].class_)}",
        LinePanels(charts, columns=2),
        Paragraph(
            (
                _PAIR_DESCRIPTION,
                *area_values_sentence(evaluation, _ROC.area_measure, *classifiers_and_class),
                *area_values_sentence(
                    evaluation, _PRECISION_RECALL.area_measure, *classifiers_and_class
                ),
            )
        ),
        join_sentences(
            ("Insets enlarge the framed corners.",) if inset else (),
            _band_note(evaluation) if has_bands else (),
            unplotted_classifiers_sentence(
                evaluation, [points.classifier for points in curves], MAX_LINES
            ),
        ),
    )


def _curve_chart(
    evaluation: Evaluation,
    kind: CurveKind,
    plotted: Sequence[CurvePoints],
    *,
    has_bands: bool = False,
) -> LineChart:
    """Return the curves of a class, with the operating points of the submitted predictions."""
    series = tuple(
        Series(
            points.classifier,
            kind.order_points(points),
            classifier_color(evaluation, points.classifier),
            step=kind.step,
            band=roc_confidence_band(points) if has_bands and kind is _ROC else None,
            markers=_operating_point_markers(evaluation, points, kind),
        )
        for points in plotted
    )
    share = plotted[0].prevalence
    reference = (
        ReferenceLine((0.0, 0.0), (1.0, 1.0), "chance")
        if kind is _ROC
        else ReferenceLine((0.0, share), (1.0, share), "prevalence (chance)")
    )
    return LineChart(
        *kind.axis_labels,
        series,
        references=(reference,),
        square=True,
        marker_legend=(("operating", OPERATING_POINT_LABEL),)
        if any(line.markers for line in series)
        else (),
    )


def _add_zoom(evaluation: Evaluation, kind: CurveKind, chart: LineChart) -> LineChart:
    """Return the chart with an inset, if the best operating points are in the corner."""
    side = zoom_side(_corner_distances(evaluation, kind, [chart]))
    if side is None or _inset_would_hide(kind, chart):
        return chart
    return replace(chart, zoom_window=_corner_ranges(kind, (side, side)))


def _corner_distances(
    evaluation: Evaluation, kind: CurveKind, charts: Sequence[LineChart]
) -> list[Point]:
    """Return the distances from the ideal point of the operating points drawn in colour."""
    names = highlighted_classifiers(evaluation)
    right, top = kind.ideal_point
    return [
        (abs(right - x), abs(top - y))
        for chart in charts
        for series in chart.series
        if series.name in names
        for marker in series.markers
        for x, y in (marker.point,)
    ]


def _corner_ranges(kind: CurveKind, sides: Point) -> tuple[AxisRange, AxisRange]:
    """Return both axis ranges of the corner at the ideal point."""
    x_range, y_range = (
        (round(1 - side, 2), 1.0) if end else (0.0, side)
        for end, side in zip(kind.ideal_point, sides, strict=True)
    )
    return x_range, y_range


def _common_ranges(kind: CurveKind, distances: Sequence[Point]) -> tuple[AxisRange, AxisRange]:
    """Return axis ranges that contain all points, each axis by itself."""
    sides = (zoom_side([(distance[axis], 0.0) for distance in distances]) or 1.0 for axis in (0, 1))
    x_side, y_side = sides
    return _corner_ranges(kind, (x_side, y_side))


def _inset_would_hide(kind: CurveKind, chart: LineChart) -> bool:
    """Return whether a curve in colour passes the lower corner that an inset would cover.

    ROC curves below the diagonal are worse than chance, and hidden in part.
    """
    return kind is _PRECISION_RECALL and any(
        x < _INSET_EXTENT and y < _INSET_EXTENT
        for series in chart.series
        if series.color_index >= 0
        for x, y in series.points
    )


def _class_suffix(evaluation: Evaluation, class_: str) -> str:
    """Return the positive class of a binary task, the label, or the class of a curve."""
    if evaluation.task_kind == "binary":
        return f" (positive class: {class_})"
    if evaluation.task_kind == "multilabel":
        return f": label {class_}"
    return f": class {class_} vs rest"


def _operating_point_markers(
    evaluation: Evaluation, points: CurvePoints, kind: CurveKind
) -> tuple[Marker, ...]:
    """Return the operating point of the submitted predictions, if it is defined."""
    predicted = operating_point(evaluation, points.classifier, points.class_)
    point = None if predicted is None else kind.locate(predicted)
    return () if point is None else (Marker(point, kind="operating"),)


def roc_confidence_band(points: CurvePoints) -> ConfidenceBand:
    """Return the edges of the pointwise joint confidence region of TPR and FPR."""
    lower = tuple((right, low) for _, right, low, _ in points.band.limits())
    upper = tuple((left, high) for left, _, _, high in points.band.limits())
    return ConfidenceBand(lower, ((0.0, 0.0), *upper, (1.0, 1.0)))


def _band_note(evaluation: Evaluation) -> tuple[Inline, ...]:
    return (
        "Shaded: pointwise ",
        confidence_level(evaluation),
        " confidence region.",
    )


# Curves of several classes, as small multiples.

_MULTIPLE_COLUMNS = 5


def class_curve_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Yield ROC and precision–recall curves with a panel for each class, the hardest first."""
    noun, plural = evaluation.class_noun, evaluation.class_noun_plural
    one_of_many = "each label" if evaluation.task_kind == "multilabel" else "each class vs rest"
    order = f"Hardest {plural} first: those where the largest ROC AUC is smallest."
    classes = classes_hardest_first(evaluation)
    first_classes = classes[: max_curve_classes(evaluation)]
    by_class = {
        class_: plotted_curves(
            evaluation, [points for points in evaluation.curves if points.class_ == class_]
        )
        for class_ in first_classes
    }
    for name, kind in (("roc", _ROC), ("precision-recall", _PRECISION_RECALL)):
        charts = [_curve_chart(evaluation, kind, curves) for curves in by_class.values()]
        x_range, y_range = _common_ranges(kind, _corner_distances(evaluation, kind, charts))
        charts = [
            replace(
                chart,
                x_range=x_range,
                y_range=y_range,
                references=tuple(
                    line
                    for line in chart.references
                    if line.end[1] >= y_range[0] and line.start[1] <= y_range[1]
                    if kind is not _ROC or x_range[1] > y_range[0]
                ),
            )
            for chart in charts
        ]
        x_label, y_label = (label[:1].lower() + label[1:] for label in kind.axis_labels)
        yield Figure(
            f"{name}-classes",
            f"{kind.title}: {one_of_many}",
            LinePanels(
                tuple(charts),
                columns=min(_MULTIPLE_COLUMNS, len(charts)),
                titles=tuple(f"{noun} {class_}" for class_ in first_classes),
            ),
            Paragraph((f"{y_label[:1].upper()}{y_label[1:]} against {x_label}. {order}",)),
            join_sentences(
                _truncation_note(x_range, y_range),
                _omitted_classes_note(evaluation, len(classes) - len(first_classes)),
                unplotted_classifiers_sentence(
                    evaluation,
                    {points.classifier for points in evaluation.curves},
                    MAX_LINES,
                ),
            ),
        )


def classes_hardest_first(evaluation: Evaluation) -> list[str]:
    """Return the classes with curves, in order of the best area under a ROC curve."""
    measure = get_measure(_ROC.area_measure)
    best: dict[str, float] = {}
    for points in evaluation.curves:
        value = evaluation.value(points.classifier, measure, points.class_)
        area = 0.0 if value is None or value.number is None else value.number
        best[points.class_] = max(area, best.get(points.class_, 0.0))
    return sorted(best, key=lambda class_: best[class_])


def _truncation_note(x_range: AxisRange, y_range: AxisRange) -> tuple[Inline, ...]:
    """Return the ranges of truncated axes."""
    if x_range == y_range == (0.0, 1.0):
        return ()
    return (
        "Axes truncated (",
        Interval(*x_range, None, 2),
        " and ",
        Interval(*y_range, None, 2),
        ").",
    )


def _omitted_classes_note(evaluation: Evaluation, n_omitted: int) -> tuple[Inline, ...]:
    if n_omitted <= 0:
        return ()
    noun = evaluation.class_noun if n_omitted == 1 else evaluation.class_noun_plural
    return ("Curves of ", Count(n_omitted), f" more {noun} not shown.")


# Sensitivity, specificity and precision by threshold.

_RATE_MEASURES = ("sensitivity", "specificity", "precision")
_MAX_FIGURES = 4
# Scores whose ranges differ by more than this factor do not share an axis.
_MAX_SCALE_RATIO = 4.0


def threshold_rate_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Yield the rates by threshold of the classifiers with chosen thresholds, a panel each.

    Classifiers share a figure if their scores share a scale. Labels of a multilabel task have a
    table instead.
    """
    if evaluation.task_kind != "binary":
        return
    names = {optimum.classifier for optimum in evaluation.thresholds}
    groups = _group_by_scale([curve for curve in evaluation.curves if curve.classifier in names])
    displayed = _top_scale_groups(evaluation, groups)
    n_other_scales = sum(map(len, groups)) - sum(map(len, displayed))
    for number, scale_group in enumerate(displayed, start=1):
        by_name = {points.classifier: points for points in scale_group}
        group = [by_name[name] for name in plotted_classifiers(evaluation, by_name)]
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
    ranking = classifiers_best_first(evaluation)
    best = sorted(groups, key=lambda group: min(ranking.index(curve.classifier) for curve in group))
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
                        classifier_color(evaluation, points.classifier),
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


# Thresholds of labels.

_LABEL_THRESHOLDS_NOTE = (
    "As submitted, and at the threshold of the highest F1 score on these cases. The CI of that F1"
    " score is about new cases: it is corrected for the optimism of the choice and need not contain"
    " the value. Thresholds were tuned on the evaluation data; validate them on new data."
)


def _label_thresholds(evaluation: Evaluation) -> Iterator[Block]:
    """Yield, folded, the threshold of the highest F1 score of every label of a multilabel task."""
    if evaluation.task_kind != "multilabel":
        return
    optima = {
        (optimum.class_, optimum.classifier): optimum
        for optimum in evaluation.thresholds
        if optimum.rule is ThresholdRule.F1
    }
    labels = [
        label
        for label in evaluation.aggregates.classes
        if any(label == optimum_label for optimum_label, _ in optima)
    ]
    if not labels:
        return
    heads = (
        "F1 as submitted",
        "Threshold",
        "Sensitivity",
        "Specificity",
        "Precision",
        "Highest F1",
    )
    first_labels = labels[: max_curve_classes(evaluation)]
    yield Details(
        Paragraph(("Thresholds of the highest F1 score by label.",)),
        (
            Table(
                "label-thresholds",
                "Thresholds of the highest F1 score by label",
                (Column("Classifier"), *(Column(head, numeric=True) for head in heads)),
                tuple(
                    RowGroup(
                        tuple(
                            (name, *_label_threshold_cells(evaluation, optimum))
                            for (own, name), optimum in optima.items()
                            if own == label
                        ),
                        InlineText(("Label ", Strong(label))),
                    )
                    for label in first_labels
                ),
                Paragraph((_LABEL_THRESHOLDS_NOTE,)),
            ),
            *(
                (omitted_in_results_note("Further labels"),)
                if len(first_labels) < len(labels)
                else ()
            ),
        ),
    )


def _label_threshold_cells(
    evaluation: Evaluation, optimum: OptimalThreshold
) -> Iterator[TableCell]:
    values, f1 = dict(optimum.values), get_measure("f1")
    submitted = evaluation.value(optimum.classifier, f1, optimum.class_)
    yield None if submitted is None else MeasureEstimate(submitted, f1)
    yield threshold_cell(optimum)
    for measure in (*map(get_measure, _RATE_MEASURES), f1):
        value = values.get(measure.name)
        yield None if value is None else MeasureEstimate(value, measure)


def threshold_cell(optimum: OptimalThreshold) -> TableCell:
    """Return a threshold with as few digits as it needs, and its interval.

    A limit that predicts the same cases as the threshold is printed like it: 0.16 (0.16–0.40).
    """
    if optimum.rounded is None:
        return None
    decimals = threshold_decimals(optimum.rounded)
    if decimals is None:
        return PlainNumber(optimum.rounded)
    low, high = (
        optimum.rounded if limit == optimum.threshold else limit
        for limit in (optimum.threshold_low, optimum.threshold_high)
    )
    return Estimate(optimum.rounded, low, high, decimals)


# All curves.


def build_curves_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return ROC and precision–recall curves and, folded, the rates by threshold."""
    curves = tuple(_roc_and_pr_figures(evaluation))
    rates = tuple(threshold_rate_figures(evaluation))
    if not curves or not rates:
        return (*curves, *rates, *_label_thresholds(evaluation))
    return (*curves, Details(rates[0].description, rates))


def _roc_and_pr_figures(evaluation: Evaluation) -> Iterator[Figure]:
    classes = list(dict.fromkeys(points.class_ for points in evaluation.curves))
    if len(classes) == 1:
        yield curve_pair_figure(evaluation, evaluation.curves, 1)
    elif classes:
        yield from class_curve_figures(evaluation)
