"""Sensitivity, specificity and precision over the threshold of a score."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING

from reportgen.comparisons.thresholds.choosing import Rule
from reportgen.comparisons.thresholds.curve_points import curve_points
from reportgen.measures import find_measure
from reportgen.report.charts import LineChart, Reference, Series
from reportgen.report.document import Count, Figure, Paragraph, Strong

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.thresholds.curve_points import CurvePoints
    from reportgen.report.charts import Point, Span
    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

MOST_FIGURES = 4
CURVES = ("sensitivity", "specificity", "precision")


def rate_figures(evaluation: Evaluation) -> Iterator[Figure]:
    """Draw the rates of the first classifiers for which thresholds were chosen."""
    curves = evaluation.predictions.curves
    if curves is None:
        return
    names = list(dict.fromkeys(each.classifier for each in evaluation.thresholds))
    more = len(names) - MOST_FIGURES
    for at, points in enumerate(curve_points(curves, names[:MOST_FIGURES])):
        reading: tuple[Part, ...] = (
            "A higher threshold finds fewer of ",
            Strong(points.class_),
            " and leaves more of the others alone; precision says how far to trust a positive.",
        )
        last = at == MOST_FIGURES - 1 and more > 0
        said: tuple[Part, ...] = (Count(max(more, 0)), " further classifiers are not drawn.")
        yield Figure(
            f"thresholds-{at + 1}",
            f"Rates over the threshold, {points.classifier}",
            _rates_chart(points, evaluation),
            Paragraph(reading),
            Paragraph(said) if last else None,
        )


def _rates_chart(points: CurvePoints, evaluation: Evaluation) -> LineChart:
    span = _span(points)
    series = tuple(
        Series(measure.title, _steps(points, at, span), at - 1, step=True)
        for at, measure in enumerate(map(find_measure, CURVES), start=1)
        if measure is not None
    )
    best = [
        each.threshold
        for each in evaluation.thresholds
        if each.classifier == points.classifier and each.rule is Rule.YOUDEN
    ]
    references = tuple(
        Reference((each, 0.0), (each, 1.0), "highest Youden's index")
        for each in best
        if each is not None and not isinf(each)
    )
    return LineChart("threshold", "share", series, span, references=references)


def _steps(points: CurvePoints, at: int, span: Span) -> tuple[Point, ...]:
    """Return a rate from high thresholds to low: between two scores the higher one counts.

    Above all scores nothing is taken for the class, so that precision begins at the first.
    """
    rates = points.rates()
    above = {1: ((span[1], 0.0),), 2: ((span[1], 1.0),)}.get(at, ())
    return (*above, *((row[0], row[at]) for row in rates), (span[0], rates[-1][at]))


def _span(points: CurvePoints) -> Span:
    low, high = min(points.thresholds), max(points.thresholds)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1, high + 1)
