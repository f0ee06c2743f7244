"""Curves over all thresholds: ROC, precision against recall, and how far probabilities hold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING

from reportgen.measures import get_measure
from reportgen.report.charts import (
    BinHistogram,
    ConfidenceBand,
    LineChart,
    LinePanels,
    Marker,
    ReferenceLine,
    Series,
)
from reportgen.report.document import Figure, Paragraph
from reportgen.report.formatting import confidence_level
from reportgen.report.inline import Count, MeasureEstimate, PlainNumber, Strong
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

    from reportgen.evaluation.calibration import Calibration, ReliabilityBin
    from reportgen.evaluation.curves import CurvePoints, OperatingPoint
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.charts import AxisRange, Chart, MarkerKind, Point
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline


# What curves are drawn of, and what is said beside them.

_MAX_AREAS = 6
# Of more curves the bands, bars and lesser marks hide each other.
MAX_BANDS = 3
_MAX_CLASSES, _MAX_CLASSES_BRIEF = 12, 4
OPERATING_POINT_LABEL, MAX_YOUDEN_LABEL = "as predicted", "highest Youden's index"


def max_curve_classes(evaluation: Evaluation) -> int:
    """Return of how many classes the curves are drawn."""
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
    """Name the values of a measure beside its curves, where they were measured and are few."""
    if len(classifiers) > _MAX_AREAS:
        return
    measure = get_measure(name)
    scores = {
        classifier: evaluation.value(classifier, measure, class_) for classifier in classifiers
    }
    known = {classifier: score for classifier, score in scores.items() if score is not None}
    for at, (classifier, score) in enumerate(known.items()):
        yield f" {measure.title}: " if at == 0 else ", "
        yield Strong(classifier)
        yield " "
        yield MeasureEstimate(score, measure, with_interval=True)
    if known:
        yield "."


def curve_classifiers_and_class(
    evaluation: Evaluation, curves: Sequence[CurvePoints]
) -> tuple[list[str], str | None]:
    """Return the classifiers of curves, and their class if scores are known by class."""
    class_ = None if evaluation.task_kind == "binary" else curves[0].class_
    return [points.classifier for points in curves], class_


# Whether a corner of the plot is worth enlarging, and how much of it.

# Shares of an axis that are worth enlarging, the smallest first.
_ZOOM_SIDES = (0.05, 0.1, 0.15, 0.2, 0.25)
_ZOOM_SUFFIX = ", enlarged"
# The farthest point keeps so much of the corner's side away from its inner edges.
_ZOOM_MARGIN = 0.1


def zoom_side(distances: Sequence[Point]) -> float | None:
    """Return the side of the corner that holds points so far from its edges; None: they do not."""
    if not distances:
        return None
    farthest = max(max(gap) for gap in distances)
    return next((side for side in _ZOOM_SIDES if farthest <= side * (1 - _ZOOM_MARGIN)), None)


def add_zoom_panel(chart: LineChart, x_range: AxisRange | None, y_range: AxisRange | None) -> Chart:
    """Return a chart, with a second panel of the same lines where a corner is to be enlarged."""
    if x_range is None or y_range is None:
        return chart
    enlarged = replace(
        chart, y_label=chart.y_label + _ZOOM_SUFFIX, x_range=x_range, y_range=y_range
    )
    return LinePanels((replace(chart, zoom_window=(x_range, y_range)), enlarged), columns=2)


# What the curves over all thresholds have in common: series, marks, corner, words and notes.


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
    """Draw the curves of a class; where all predictions lie in their corner, that too."""
    drawn = plotted_curves(evaluation, curves)
    markers = {
        points.classifier: _operating_point_markers(evaluation, points, kind) for points in drawn
    }
    whole = LineChart(
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
            for points in drawn
        ),
        references=(reference,),
        square=True,
        marker_legend=(("operating", OPERATING_POINT_LABEL),) if any(markers.values()) else (),
    )
    right, top = kind.ideal_point
    side = zoom_side(
        [
            (abs(right - x), abs(top - y))
            for each in markers.values()
            for marker in each
            for x, y in (marker.point,)
        ]
    )
    across, up = (
        None if side is None else (1 - side, 1.0) if end else (0.0, side)
        for end in kind.ideal_point
    )
    beside = area_values_sentence(
        evaluation, kind.area_measure, *curve_classifiers_and_class(evaluation, curves)
    )
    return Figure(
        f"{kind.name}-{number}",
        f"{kind.title}, {curves[0].class_}",
        add_zoom_panel(whole, across, up),
        Paragraph((*description, *beside)),
        join_sentences(
            note,
            unplotted_classifiers_sentence(evaluation, [points.classifier for points in curves]),
        ),
    )


def _operating_point_markers(
    evaluation: Evaluation, points: CurvePoints, kind: CurveKind
) -> tuple[Marker, ...]:
    """Return where the predictions as they were made lie, if both shares are defined."""
    predicted = operating_point(evaluation, points.classifier, points.class_)
    place = None if predicted is None else kind.locate(predicted)
    return () if place is None else (Marker(place, kind="operating"),)


# The ROC curves of a class, with bands and the predictions as they were made.

FPR_LABEL = "false alarms among the others (1 − specificity)"
TPR_LABEL = "share found (sensitivity)"


def roc_figure(evaluation: Evaluation, curves: Sequence[CurvePoints], number: int) -> Figure:
    """Draw the ROC curves of a class; where all predictions lie in its corner, that too."""
    banded = len(plotted_curves(evaluation, curves)) <= MAX_BANDS
    return threshold_curve_figure(
        evaluation,
        _ROC,
        curves,
        number,
        reference=ReferenceLine((0.0, 0.0), (1.0, 1.0), "chance"),
        description=(
            "Over all thresholds, how many of ",
            Strong(curves[0].class_),
            " are found against how many others are taken for it.",
        ),
        note=_band_note(evaluation, has_bands=banded),
        band=roc_confidence_band if banded else None,
    )


def roc_confidence_band(points: CurvePoints) -> ConfidenceBand:
    """Return the edges of the band that holds both shares of each threshold together."""
    lower = tuple((right, low) for _, right, low, _ in points.band.limits())
    upper = tuple((left, high) for left, _, _, high in points.band.limits())
    return ConfidenceBand(lower, ((0.0, 0.0), *upper, (1.0, 1.0)))


def _band_note(evaluation: Evaluation, *, has_bands: bool) -> tuple[Inline, ...]:
    if not has_bands:
        return ("Bands of so many curves would hide each other and are not drawn.",)
    return (
        "At each threshold by itself, both shares lie within the band with ",
        confidence_level(evaluation),
        " confidence.",
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


# Precision against recall of a class over all thresholds.

_PRECISION_LABEL = "right among positives (precision)"


def precision_recall_figure(
    evaluation: Evaluation, curves: Sequence[CurvePoints], number: int
) -> Figure:
    """Draw precision against recall; where all predictions lie in the corner, that too."""
    share = curves[0].prevalence
    return threshold_curve_figure(
        evaluation,
        _PRECISION_RECALL,
        curves,
        number,
        reference=ReferenceLine((0.0, share), (1.0, share), "prevalence"),
        description=(
            "Over all thresholds, how far a positive answer can be trusted against how many of ",
            Strong(curves[0].class_),
            " are found; guessing stays at the prevalence.",
        ),
    )


def _pr_steps(points: CurvePoints) -> tuple[Point, ...]:
    """Return the curve from the right: each precision holds back to the recall reached before."""
    curve = points.precision_recall()
    return (*reversed(curve), (0.0, curve[0][1]))


def _pr_point(predicted: OperatingPoint) -> Point | None:
    return predicted.precision_recall


_PRECISION_RECALL = CurveKind(
    "precision-recall",
    "Precision against recall",
    (TPR_LABEL, _PRECISION_LABEL),
    _pr_steps,
    _pr_point,
    ideal_point=(1.0, 1.0),
    area_measure="average_precision",
    step=True,
)


# Sensitivity, specificity and precision over the threshold of a score.

_RATE_MEASURES = ("sensitivity", "specificity", "precision")
_MAX_FIGURES = 4
# Scores whose ranges differ by more than this have no common axis to be read on.
_MAX_SCALE_RATIO = 4.0


def threshold_rate_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw the rates of the classifiers for which thresholds were chosen, a panel for each rate.

    Classifiers share a figure if their scores share a scale.
    """
    names = {optimum.classifier for optimum in evaluation.thresholds}
    groups = _group_by_scale([curve for curve in evaluation.curves if curve.classifier in names])
    kept = _top_scale_groups(evaluation, groups)
    elsewhere = sum(map(len, groups)) - sum(map(len, kept))
    for at, whole in enumerate(kept, start=1):
        drawn = plotted_classifiers(evaluation, [points.classifier for points in whole])
        group = [points for points in whole if points.classifier in drawn]
        reading: tuple[Inline, ...] = (
            "A higher threshold finds fewer of ",
            Strong(group[0].class_),
            " and leaves more of the others alone; precision says how far to trust a positive.",
        )
        whose = f", {group[0].classifier}" if len(groups) > 1 and len(group) == 1 else ""
        yield Figure(
            f"thresholds-{at}",
            f"Rates over the threshold{whose}",
            _rate_panels(evaluation, group),
            Paragraph(reading),
            join_sentences(
                _omitted_rates_note(
                    evaluation, len(group), len(whole), single_scale=len(groups) == 1
                ),
                _other_scales_note(elsewhere) if at == len(kept) else (),
            ),
        )


def _top_scale_groups(
    evaluation: Evaluation, groups: Sequence[list[CurvePoints]]
) -> list[list[CurvePoints]]:
    """Return the groups that have a figure: where there are many, those of the best classifiers."""
    ranked = classifiers_best_first(evaluation)
    best = sorted(groups, key=lambda group: min(ranked.index(each.classifier) for each in group))
    return [group for group in groups if group in best[:_MAX_FIGURES]]


def _omitted_rates_note(
    evaluation: Evaluation, n_displayed: int, n_total: int, *, single_scale: bool
) -> tuple[Inline, ...]:
    before = "Shown are the " if single_scale else "Of the scores on this scale shown are the "
    said = omitted_classifiers_phrase(evaluation, n_displayed, n_total, prefix=(before,))
    return (*said, ".") if said else ()


def _other_scales_note(n_omitted: int) -> tuple[Inline, ...]:
    if not n_omitted:
        return ()
    words = "classifier has" if n_omitted == 1 else "classifiers have"
    are = "is" if n_omitted == 1 else "are"
    return (Count(n_omitted), f" further {words} scores on other scales and {are} not drawn.")


def _group_by_scale(curves: Sequence[CurvePoints]) -> list[list[CurvePoints]]:
    """Put classifiers together whose scores are alike, each with the first that is like it."""
    groups: list[list[CurvePoints]] = []
    for points in curves:
        fitting = (
            group
            for group in groups
            if _have_common_scale(_threshold_range([group[0]]), _threshold_range([points]))
        )
        group = next(fitting, None)
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
        markers = {name: [each for each in of if each[0] != "best"] for name, of in markers.items()}
    kinds = {kind for each in markers.values() for kind, *_ in each}
    meanings: tuple[tuple[MarkerKind, str], ...] = (
        ("operating", OPERATING_POINT_LABEL),
        ("best", MAX_YOUDEN_LABEL),
    )
    return LinePanels(
        tuple(
            LineChart(
                "threshold",
                measure.title,
                tuple(
                    Series(
                        points.classifier,
                        _rate_steps(points, at, span),
                        evaluation.classifier_index(points.classifier),
                        step=True,
                        markers=tuple(
                            Marker((threshold, rate), kind=kind)
                            for kind, threshold, rates in markers[points.classifier]
                            if (rate := rates[at - 1]) is not None
                        ),
                    )
                    for points in group
                ),
                x_range=span,
                marker_legend=tuple(each for each in meanings if each[0] in kinds),
            )
            for at, measure in enumerate(map(get_measure, _RATE_MEASURES), start=1)
        ),
        columns=len(_RATE_MEASURES),
    )


def _rate_markers(
    evaluation: Evaluation, points: CurvePoints, threshold_range: AxisRange
) -> list[tuple[MarkerKind, float, tuple[float | None, ...]]]:
    """Return where the predictions were made, and where Youden's index is highest."""
    found: list[tuple[MarkerKind, float, tuple[float | None, ...]]] = []
    best = operating_point(evaluation, points.classifier, points.class_, "youden")
    if best is not None and best.threshold is not None and isfinite(best.threshold):
        found.append(("best", best.threshold, _rates(best)))
    predicted = operating_point(evaluation, points.classifier, points.class_)
    low, high = threshold_range
    if (
        predicted is not None
        and predicted.threshold is not None
        and low <= predicted.threshold <= high
    ):
        found.append(("operating", predicted.threshold, _rates(predicted)))
    return found


def _rates(point: OperatingPoint) -> tuple[float | None, ...]:
    """Return sensitivity, specificity and precision; None: undefined."""
    return point.sensitivity, point.specificity, point.precision


def _rate_steps(
    points: CurvePoints, rate_index: int, threshold_range: AxisRange
) -> tuple[Point, ...]:
    """Return a rate from high thresholds to low: between two scores the higher one counts.

    Above all scores nothing is taken for the class, so that precision begins at the first.
    """
    rates = points.rates()
    above = {1: ((threshold_range[1], 0.0),), 2: ((threshold_range[1], 1.0),)}.get(rate_index, ())
    return (
        *above,
        *((row[0], row[rate_index]) for row in rates),
        (threshold_range[0], rates[-1][rate_index]),
    )


# How far probabilities hold: what was said against what came true.

_ERROR_DECIMALS = 3
# A share of fewer cases jumps about and hides the others.
_MIN_BIN_CASES = 5
_DEBIASED_NOTE = (
    " Chance widens the gaps from the diagonal. Their root mean square can be freed of that bias"
    " (Kumar, Liang and Ma 2019): "
)


def calibration_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw how far probabilities hold, if any classifier gives some."""
    filled = {each.classifier: each for each in evaluation.calibration if _plotted_bins(each)}
    if not filled:
        return
    names = list(filled)
    drawn = plotted_classifiers(evaluation, names)
    few = len(drawn) <= MAX_BANDS
    chart = LineChart(
        "probability that was said",
        "share that came true",
        tuple(_calibration_series(evaluation, filled[name], with_intervals=few) for name in drawn),
        references=(ReferenceLine((0.0, 0.0), (1.0, 1.0), "as said"),),
        square=True,
        histograms=tuple(_bin_histogram(evaluation, filled[name]) for name in drawn) if few else (),
        histogram_label="cases in each bin",
    )
    reading: tuple[Inline, ...] = (
        (
            "Where a curve lies below the diagonal, the probabilities promise more than comes"
            " true; above it, less. Each mark is a bin of equal width with at least "
        ),
        Count(_MIN_BIN_CASES),
        " cases.",
        *area_values_sentence(evaluation, "ece", names, None),
        *_debiased_error_sentence(list(filled.values())),
    )
    note = join_sentences(
        _interval_note(evaluation) if few else (), unplotted_classifiers_sentence(evaluation, names)
    )
    title = "How far the probabilities hold"
    yield Figure("reliability", title, chart, Paragraph(reading), note)


def _plotted_bins(calibration: Calibration) -> list[ReliabilityBin]:
    """Return the bins that have enough cases for a mark."""
    return [each for each in calibration.bins if each.cases >= _MIN_BIN_CASES]


def _calibration_series(
    evaluation: Evaluation, calibration: Calibration, *, with_intervals: bool
) -> Series:
    """Return a line through the bins, with Wilson's intervals where the lines are few."""
    bins = _plotted_bins(calibration)
    markers = tuple(
        Marker((each.mean_probability, each.observed), low=each.low, high=each.high)
        if with_intervals
        else Marker((each.mean_probability, each.observed))
        for each in bins
    )
    return Series(
        calibration.classifier,
        tuple((each.mean_probability, each.observed) for each in bins),
        evaluation.classifier_index(calibration.classifier),
        markers=markers,
    )


def _bin_histogram(evaluation: Evaluation, calibration: Calibration) -> BinHistogram:
    """Return how many cases each bin has, also those with too few for a mark."""
    bars = tuple((each.lower, each.upper, float(each.cases)) for each in calibration.bins)
    name = calibration.classifier
    return BinHistogram(name, evaluation.classifier_index(name), bars)


def _interval_note(evaluation: Evaluation) -> tuple[Inline, ...]:
    return (
        "The thin bars are ",
        confidence_level(evaluation),
        " intervals of each bin by itself.",
    )


def _debiased_error_sentence(calibrations: Sequence[Calibration]) -> Iterator[Inline]:
    """Say how far probabilities are off as a root mean square, which can be freed of its bias."""
    if len(calibrations) > _MAX_AREAS:
        return
    for at, calibration in enumerate(calibrations):
        yield _DEBIASED_NOTE if at == 0 else "; "
        yield Strong(calibration.classifier)
        yield " "
        yield PlainNumber(calibration.rms_error, _ERROR_DECIMALS)
        yield " as found, about "
        yield PlainNumber(calibration.debiased_rms_error, _ERROR_DECIMALS)
        yield " without it"
    if calibrations:
        yield "."


def build_curves_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Draw the curves of all classifiers that have scores."""
    return (
        *_roc_and_pr_figures(evaluation),
        *calibration_figures(evaluation),
        *threshold_rate_figures(evaluation),
    )


def _roc_and_pr_figures(evaluation: Evaluation) -> Iterator[Block]:
    found = evaluation.curves
    classes = list(dict.fromkeys(points.class_ for points in found))
    most = max_curve_classes(evaluation)
    for number, class_ in enumerate(classes[:most], start=1):
        of_class = [points for points in found if points.class_ == class_]
        yield roc_figure(evaluation, of_class, number)
        yield precision_recall_figure(evaluation, of_class, number)
    if len(classes) > most:
        left = len(classes) - most
        noun = "class" if left == 1 else "classes"
        yield Paragraph(("The curves of ", Count(left), f" further {noun} are not drawn."))
