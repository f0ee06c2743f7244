"""Curves over all thresholds: ROC, precision against recall, and how far probabilities hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.thresholds.curve_points import curve_points
from reportgen.intervals.scores import calibration_groups
from reportgen.measures import find_measure
from reportgen.report.charts import LineChart, Marker, Reference, Series
from reportgen.report.document import Count, Figure, Paragraph, Plain, Strong, Value
from reportgen.report.sections.rates import rate_figures
from reportgen.statistics.calibration import debiased_error, root_mean_squared_error

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts import Point
    from reportgen.report.document import Block, Part
    from reportgen.report.evaluation import Evaluation

MOST_CURVES, MOST_CLASSES, MOST_AREAS = 12, 4, 6
DECIMALS = 3
WITHOUT_BIAS = (
    " Chance widens the gaps from the diagonal. Their root mean square can be freed of that bias"
    " (Kumar, Liang and Ma 2019): "
)
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
        *_values(evaluation, "roc_auc", *_owners(evaluation, found)),
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
        *_values(evaluation, "average_precision", *_owners(evaluation, found)),
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
        *_values(evaluation, "ece", names, None),
        *_without_bias(evaluation, names),
    )
    yield Figure("reliability", "How far the probabilities hold", chart, Paragraph(reading), None)


def _without_bias(evaluation: Evaluation, names: Sequence[str]) -> Iterator[Part]:
    """Say how far probabilities are off as a root mean square, which can be freed of its bias."""
    tally = evaluation.predictions.calibration
    if tally is None or len(names) > MOST_AREAS:
        return
    known = ((name, calibration_groups(tally, name)) for name in names)
    found = [(name, groups) for name, groups in known if groups is not None]
    for at, (name, groups) in enumerate(found):
        yield WITHOUT_BIAS if at == 0 else "; "
        yield Strong(name)
        yield " "
        yield Plain(root_mean_squared_error(*groups), DECIMALS)
        yield " as found, about "
        yield Plain(debiased_error(*groups, evaluation.predictions.weight_of(name)), DECIMALS)
        yield " without it"
    if found:
        yield "."


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


def _owners(evaluation: Evaluation, found: Sequence[CurvePoints]) -> tuple[list[str], str | None]:
    """Return the classifiers of curves, and their class if scores are known by class."""
    class_ = None if evaluation.kind == "binary" else found[0].class_
    return [points.classifier for points in found], class_


def _values(
    evaluation: Evaluation, name: str, classifiers: Sequence[str], class_: str | None
) -> Iterator[Part]:
    """Name the values of a measure beside its curves, where they were measured and are few."""
    measure = find_measure(name)
    if measure is None or len(classifiers) > MOST_AREAS:
        return
    scores = {
        classifier: evaluation.score(classifier, measure, class_) for classifier in classifiers
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
