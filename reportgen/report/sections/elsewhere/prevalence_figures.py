"""Curves over the prevalence, with where classifiers change places and where they will be used."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reportgen.comparisons.elsewhere.prevalence import prevalence_curves, rates_of
from reportgen.measures import known_measure
from reportgen.report.charts.lines import LineChart, Marker, Panels, Reference, Series
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import drawn_of, not_drawn
from reportgen.report.findings.prevalence import is_located, prevalence_in_data, targets_of
from reportgen.report.sections.elsewhere.prevalence_readings import reading_of_curves
from reportgen.report.sections.scores.curve_values import MOST_BANDS
from reportgen.report.words.wording import inside_a_sentence, note_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.comparisons.elsewhere.prevalence import PrevalenceCurve
    from reportgen.measures import Measure
    from reportgen.report.charts.lines import MarkKind, Point, Span
    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation

DRAWN = ("precision", "npv", "accuracy", "kappa")
# Prevalences below this cannot be told apart on an even axis.
RARE = 0.02
LOG_POINTS, LAST = 120, 0.995
CLOSE = 1e-3
TARGETS, IN_DATA, CROSSING = "where they will be used", "in the data", "two change places"


def prevalence_figures(evaluation: Evaluation) -> Iterator[Block]:
    """Draw what there is to draw, and say why the rest is missing."""
    targets, in_data = targets_of(evaluation), prevalence_in_data(evaluation)
    span = _span((*targets, *in_data))
    curves = [curve for curve in _curves(evaluation, span) if curve.points]
    names = list(dict.fromkeys(curve.classifier for curve in curves if curve.measure in DRAWN))
    classifiers = drawn_of(evaluation, names)
    by_measure = {
        name: {
            curve.classifier: curve.points
            for curve in curves
            if curve.measure == name and curve.classifier in classifiers
        }
        for name in DRAWN
    }
    drawn = [name for name in DRAWN if by_measure[name]]
    if drawn:
        panels = tuple(
            _panel(evaluation, measure, by_measure[measure.name], span, _lines(targets, in_data))
            for measure in map(known_measure, drawn)
        )
        yield Figure(
            "prevalence-curves",
            "What becomes of the measures at every prevalence",
            Panels(panels, columns=2),
            reading_of_curves(by_measure, bent=span[0] > 0),
            note_of(
                ("The axis of the prevalence is logarithmic.",) if span[0] > 0 else (),
                not_drawn(evaluation, names),
            ),
        )
    yield from _missing(evaluation, [name for name in DRAWN if name not in drawn])


def _missing(evaluation: Evaluation, names: Sequence[str]) -> Iterator[Paragraph]:
    if not names:
        return
    titles = ", ".join(inside_a_sentence(known_measure(name)) for name in names)
    reasons = dict.fromkeys(
        row.scores[name].reason for row in evaluation.prevalence for name in names
    )
    why = "; ".join(reason for reason in reasons if reason)
    what = "Nothing" if len(names) == len(DRAWN) else f"No curve of {titles}"
    yield Paragraph((f"{what} can be drawn over the prevalence{f': {why}' if why else ''}.",))


def _span(shown: Sequence[float]) -> Span:
    """Return the range of the axis: from 0, or by powers of ten where prevalences are tiny."""
    lowest = min(shown)
    if not 0 < lowest < RARE:
        return 0.0, 1.0
    return 10.0 ** math.floor(math.log10(lowest / 2)), 1.0


def _curves(evaluation: Evaluation, span: Span) -> Sequence[PrevalenceCurve]:
    if span[0] == 0:
        return evaluation.prevalence_curves
    rates = rates_of(evaluation.spec, evaluation.predictions, evaluation.measured)
    grid = np.geomspace(span[0], LAST, LOG_POINTS)
    return prevalence_curves(rates, tuple(round(each, 9) for each in grid.tolist()))


def _lines(targets: Sequence[float], in_data: Sequence[float]) -> tuple[Reference, ...]:
    """Return the lines at the targets and at the prevalence of the data, from 0 up to 1."""
    return (
        *(Reference((at, 0.0), (at, 1.0), TARGETS, at) for at in targets),
        *(Reference((at, 0.0), (at, 1.0), IN_DATA, at, "present") for at in in_data[:3]),
    )


def _panel(
    evaluation: Evaluation,
    measure: Measure,
    shown: Mapping[str, Sequence[Point]],
    span: Span,
    lines: Sequence[Reference],
) -> LineChart:
    lowest = min(y for points in shown.values() for _, y in points)
    bottom = min(0.0, math.floor(lowest * 10) / 10)
    marked = tuple(_crossings(evaluation, measure.name, shown, span))
    meanings: tuple[tuple[MarkKind, str], ...] = (("crossing", CROSSING),)
    return LineChart(
        "prevalence",
        measure.title,
        tuple(
            Series(name, tuple(points), evaluation.order(name)) for name, points in shown.items()
        ),
        x_range=span,
        y_range=(bottom, 1.0),
        references=tuple(replace(each, start=(each.start[0], bottom)) for each in lines),
        x_log=span[0] > 0,
        marks=meanings if marked else (),
        marked=marked,
    )


def _crossings(
    evaluation: Evaluation, measure: str, curves: Mapping[str, Sequence[Point]], span: Span
) -> Iterator[Marker]:
    """Yield where two change places; of many classifiers only where the best one does."""
    seen: set[Point] = set()
    for crossing in evaluation.crossings:
        at = crossing.prevalence
        named = crossing.first in curves and crossing.second in curves
        if crossing.measure != measure or at is None or not named or not is_located(crossing):
            continue
        heights = {
            name: float(np.interp(at, *np.array(points).T)) for name, points in curves.items()
        }
        height = heights[crossing.first]
        leading = height >= max(heights.values()) - CLOSE
        place = round(at, 3), round(height, 3)
        if place not in seen and span[0] <= at and (len(curves) <= MOST_BANDS or leading):
            seen.add(place)
            yield Marker((at, height), number=at, kind="crossing")
