"""Curves over all thresholds: ROC, precision against recall, and how far probabilities hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.curve_points import curve_points
from reportgen.measures import find_measure
from reportgen.report.charts import LineChart, Marker, Reference, Series
from reportgen.report.document import Count, Figure, Paragraph, Strong, Value
from reportgen.report.sections.rates import rate_figures

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.curve_points import CurvePoints
    from reportgen.report.charts import Point
    from reportgen.report.document import Block, Part
    from reportgen.report.evaluation import Evaluation

MOST_CURVES, MOST_CLASSES, MOST_AREAS = 12, 4, 6
# A share of fewer cases jumps about and hides the others.
FEWEST = 5


def curves(evaluation: Evaluation) -> tuple[Block, ...]:
    """Draw the curves of all classifiers that have scores."""
    return (
        *_threshold_curves(evaluation),
        *_reliability(evaluation),
        *rate_figures(evaluation),
    )


def _threshold_curves(evaluation: Evaluation) -> Iterator[Block]:
    tally = evaluation.predictions.curves
    if tally is None:
        return
    found = list(curve_points(tally, _names(evaluation)))
    classes = list(dict.fromkeys(points.class_ for points in found))
    for number, class_ in enumerate(classes[:MOST_CLASSES], start=1):
        of_class = [points for points in found if points.class_ == class_]
        yield _roc(evaluation, of_class, number)
        yield _precision_recall(evaluation, of_class, number)
    if len(classes) > MOST_CLASSES:
        left_out = len(classes) - MOST_CLASSES
        yield Paragraph(("The curves of ", Count(left_out), " further classes are not drawn."))


def _roc(evaluation: Evaluation, found: Sequence[CurvePoints], number: int) -> Figure:
    class_ = found[0].class_
    series = tuple(
        Series(
            points.classifier,
            points.roc(),
            _order(evaluation, points.classifier),
            markers=_operating_point(evaluation, points),
        )
        for points in found[:MOST_CURVES]
    )
    chart = LineChart(
        "share of the others taken for the class (1 − specificity)",
        "share of the class found (sensitivity)",
        series,
        references=(Reference((0.0, 0.0), (1.0, 1.0), "chance"),),
        square=True,
    )
    reading: tuple[Part, ...] = (
        "Over all thresholds, how many of ",
        Strong(class_),
        (
            " are found against how many others are taken for it; the marks are the predictions"
            " as made."
        ),
        *_areas(evaluation, "roc_auc", found),
    )
    return Figure(
        f"roc-{number}", f"ROC curves, {class_}", chart, Paragraph(reading), _left_out(found)
    )


def _precision_recall(evaluation: Evaluation, found: Sequence[CurvePoints], number: int) -> Figure:
    class_ = found[0].class_
    share = found[0].positives / (found[0].positives + found[0].negatives)
    series = tuple(
        Series(
            points.classifier,
            _steps(points),
            _order(evaluation, points.classifier),
            step=True,
            markers=_precision_point(evaluation, points),
        )
        for points in found[:MOST_CURVES]
    )
    chart = LineChart(
        "share of the class found (sensitivity)",
        "share of positives that are right (precision)",
        series,
        references=(Reference((0.0, share), (1.0, share), "prevalence"),),
        square=True,
    )
    reading: tuple[Part, ...] = (
        "Over all thresholds, how far a positive answer can be trusted against how many of ",
        Strong(class_),
        " are found; guessing stays at the prevalence.",
        *_areas(evaluation, "average_precision", found),
    )
    return Figure(
        f"precision-recall-{number}",
        f"Precision against recall, {class_}",
        chart,
        Paragraph(reading),
        _left_out(found),
    )


def _steps(points: CurvePoints) -> tuple[Point, ...]:
    """Return the curve from the right: each precision holds back to the recall reached before."""
    curve = points.precision_recall()
    return (*reversed(curve), (0.0, curve[0][1]))


def _reliability(evaluation: Evaluation) -> Iterator[Figure]:
    tally = evaluation.predictions.calibration
    if tally is None or tally.frame.is_empty():
        return
    filled = tally.frame.filter(pl.col("cases") >= FEWEST)
    if filled.is_empty():
        return
    names = [name for name in _names(evaluation) if name in set(filled["classifier"])]
    series = []
    for name in names[:MOST_CURVES]:
        bins = filled.filter(pl.col("classifier") == name).sort("bin")
        sure = (bins["confidence_sum"] / bins["cases"]).to_list()
        right = (bins["hits"] / bins["cases"]).to_list()
        places = tuple(zip(sure, right, strict=True))
        markers = tuple(map(Marker, places))
        series.append(Series(name, places, _order(evaluation, name), markers=markers))
    chart = LineChart(
        "probability that was said",
        "share that came true",
        tuple(series),
        references=(Reference((0.0, 0.0), (1.0, 1.0), "as said"),),
        square=True,
    )
    reading: tuple[Part, ...] = (
        (
            "Where a curve lies below the diagonal, the probabilities promise more than comes"
            " true; above it, less. Each mark is a bin of equal width with at least "
        ),
        Count(FEWEST),
        " cases.",
    )
    yield Figure("reliability", "How far the probabilities hold", chart, Paragraph(reading), None)


def _operating_point(evaluation: Evaluation, points: CurvePoints) -> tuple[Marker, ...]:
    found = _counts(evaluation, points)
    if found is None:
        return ()
    tp, fp = found
    return (Marker((fp / points.negatives, tp / points.positives)),)


def _precision_point(evaluation: Evaluation, points: CurvePoints) -> tuple[Marker, ...]:
    found = _counts(evaluation, points)
    if found is None or not sum(found):
        return ()
    tp, fp = found
    return (Marker((tp / points.positives, tp / (tp + fp))),)


def _counts(evaluation: Evaluation, points: CurvePoints) -> tuple[int, int] | None:
    """Return true and false positives of the predictions as they were made."""
    tally = evaluation.predictions.confusion
    if tally is None or points.class_ not in tally.classes:
        return None
    at = tally.classes.index(points.class_)
    predicted = [row[at] for row in tally.matrix(points.classifier)]
    return predicted[at], sum(predicted) - predicted[at]


def _areas(evaluation: Evaluation, name: str, found: Sequence[CurvePoints]) -> Iterator[Part]:
    """Name the areas under the curves, where they were measured and are few."""
    measure = find_measure(name)
    if measure is None or len(found) > MOST_AREAS:
        return
    class_ = None if evaluation.kind == "binary" else found[0].class_
    scores = {
        points.classifier: evaluation.score(points.classifier, measure, class_) for points in found
    }
    known = {classifier: score for classifier, score in scores.items() if score is not None}
    for at, (classifier, score) in enumerate(known.items()):
        yield f" {measure.title}: " if at == 0 else ", "
        yield Strong(classifier)
        yield " "
        yield Value(score, measure, with_interval=True)
    if known:
        yield "."


def _left_out(found: Sequence[CurvePoints]) -> Paragraph | None:
    more = len(found) - MOST_CURVES
    return Paragraph((Count(more), " further classifiers are not drawn.")) if more > 0 else None


def _names(evaluation: Evaluation) -> list[str]:
    return [classifier.name for classifier in evaluation.spec.classifiers]


def _order(evaluation: Evaluation, classifier: str) -> int:
    """Return the place in the spec, by which a classifier has its colour everywhere."""
    return _names(evaluation).index(classifier)
