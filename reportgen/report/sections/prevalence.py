"""What the classifiers would reach where they will be used, and where they change places."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reportgen.measures import get_measure
from reportgen.report.charts import LineChart, LinePanels, Marker, ReferenceLine, Series
from reportgen.report.document import Bullets, Column, Figure, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.shift import (
    CROSSOVER_CLAUSES,
    crossover_sentence,
    is_crossover_identifiable,
    target_prevalences,
)
from reportgen.report.formatting import confidence_level
from reportgen.report.inline import InlineText, Interval, MeasureName, PlainNumber, Strong
from reportgen.report.phrases import join_sentences, measure_phrase
from reportgen.report.sections.curves import MAX_BANDS
from reportgen.report.sections.measures import value_cells
from reportgen.report.selection import plotted_classifiers, unplotted_classifiers_sentence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.prevalence import PrevalenceCrossover
    from reportgen.measures import Measure
    from reportgen.report.charts import AxisRange, MarkerKind, Point
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# What curves over the prevalence show, said only where every drawn curve does.

if TYPE_CHECKING:
    _CurvesByClassifier = Mapping[str, Sequence[Point]]

# Values nearer to each other than this are the same but for rounding.
_EQUAL_TOLERANCE = 1e-9
_PREDICTIVE_VALUE_CLAUSE = "how far a {which} can be trusted {does}"
_LINEAR_CLAUSE = "accuracy runs straight from the specificity (at 0) to the sensitivity (at 1)"
_LOG_LINEAR_CLAUSE = (
    "accuracy goes from the specificity (at 0) to the sensitivity (at 1), in a straight line that"
    " the logarithmic axis bends"
)
_KAPPA_CLAUSE = "agreement beyond chance comes nearer to 0 "
_KAPPA_ENDS = {
    (True, True): "towards both ends",
    (True, False): "where the class is rare",
    (False, True): "where nearly all cases are of the class",
}


def describe_prevalence_curves(
    curves: Mapping[str, _CurvesByClassifier], *, log_axis: bool
) -> Paragraph:
    """Say what becomes of the drawn measures; `bent`: the axis of the prevalence is logarithmic."""
    said = "; ".join(_curve_clauses(curves, log_axis=log_axis))
    return Paragraph((f"{said[0].upper()}{said[1:]}.",) if said else ())


def _curve_clauses(curves: Mapping[str, _CurvesByClassifier], *, log_axis: bool) -> Iterator[str]:
    precision, npv = curves.get("precision"), curves.get("npv")
    if precision:
        does = _trend_phrase(
            precision, "grows with the prevalence", "the prevalence", _is_increasing
        )
        yield _PREDICTIVE_VALUE_CLAUSE.format(which="positive answer", does=does)
    if npv:
        it = "it" if precision else "the prevalence"
        does = _trend_phrase(npv, f"falls as {it} grows", it, _is_decreasing)
        yield _PREDICTIVE_VALUE_CLAUSE.format(
            which="negative one" if precision else "negative answer", does=does
        )
    if curves.get("accuracy"):
        yield _LOG_LINEAR_CLAUSE if log_axis else _LINEAR_CLAUSE
    yield from _kappa_clauses(list(curves.get("kappa", {}).values()))


def _trend_phrase(
    curves: _CurvesByClassifier,
    clause: str,
    variable: str,
    predicate: Callable[[Sequence[Point]], bool],
) -> str:
    """Say what all curves do, or some, the others being level."""
    number = sum(map(predicate, curves.values()))
    if number == len(curves):
        return clause
    return f"{clause} or stays the same" if number else f"does not depend on {variable}"


def _is_increasing(points: Sequence[Point]) -> bool:
    return points[-1][1] - points[0][1] > _EQUAL_TOLERANCE


def _is_decreasing(points: Sequence[Point]) -> bool:
    return points[0][1] - points[-1][1] > _EQUAL_TOLERANCE


def _kappa_clauses(curves: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Say at which ends every curve is nearer to 0 than between them, above it or below."""
    sizes = [[abs(y) for _, y in points] for points in curves]
    if not sizes:
        return
    if all(max(size) - min(size) <= _EQUAL_TOLERANCE for size in sizes):
        yield "agreement beyond chance does not depend on the prevalence"
        return
    rare, common = (
        all(
            size[end] < max(size) - _EQUAL_TOLERANCE or max(size) <= _EQUAL_TOLERANCE
            for size in sizes
        )
        for end in (0, -1)
    )
    if rare or common:
        yield _KAPPA_CLAUSE + _KAPPA_ENDS[rare, common]


# Curves over the prevalence, with where classifiers change places and where they will be used.

_PLOTTED_MEASURES = ("precision", "npv", "accuracy", "kappa")
_LEADING_TOLERANCE = 1e-3
_TARGET_LABEL, _OBSERVED_LABEL, _CROSSOVER_LABEL = (
    "where they will be used",
    "in the data",
    "two change places",
)


def prevalence_figures(evaluation: Evaluation) -> Iterator[Block]:
    """Draw what there is to draw, and say why the rest is missing."""
    targets, in_data = target_prevalences(evaluation), evaluation.observed_prevalences
    span = evaluation.prevalence_range
    curves = [curve for curve in evaluation.prevalence_curves if curve.points]
    names = list(
        dict.fromkeys(curve.classifier for curve in curves if curve.measure in _PLOTTED_MEASURES)
    )
    classifiers = plotted_classifiers(evaluation, names)
    by_measure = {
        name: {
            curve.classifier: curve.points
            for curve in curves
            if curve.measure == name and curve.classifier in classifiers
        }
        for name in _PLOTTED_MEASURES
    }
    drawn = [name for name in _PLOTTED_MEASURES if by_measure[name]]
    if drawn:
        panels = tuple(
            _prevalence_panel(
                evaluation,
                measure,
                by_measure[measure.name],
                span,
                _prevalence_lines(targets, in_data),
            )
            for measure in map(get_measure, drawn)
        )
        yield Figure(
            "prevalence-curves",
            "What becomes of the measures at every prevalence",
            LinePanels(panels, columns=2),
            describe_prevalence_curves(by_measure, log_axis=span[0] > 0),
            join_sentences(
                ("The axis of the prevalence is logarithmic.",) if span[0] > 0 else (),
                unplotted_classifiers_sentence(evaluation, names),
            ),
        )
    yield from _missing_curves_note(
        evaluation, [name for name in _PLOTTED_MEASURES if name not in drawn]
    )


def _missing_curves_note(evaluation: Evaluation, names: Sequence[str]) -> Iterator[Paragraph]:
    if not names:
        return
    titles = ", ".join(measure_phrase(get_measure(name)) for name in names)
    reasons = dict.fromkeys(
        row.values[name].reason for row in evaluation.prevalence_values for name in names
    )
    why = "; ".join(reason for reason in reasons if reason)
    what = "Nothing" if len(names) == len(_PLOTTED_MEASURES) else f"No curve of {titles}"
    yield Paragraph((f"{what} can be drawn over the prevalence{f': {why}' if why else ''}.",))


def _prevalence_lines(
    targets: Sequence[float], observed: Sequence[float]
) -> tuple[ReferenceLine, ...]:
    """Return the lines at the targets and at the prevalence of the data, from 0 up to 1."""
    return (
        *(ReferenceLine((at, 0.0), (at, 1.0), _TARGET_LABEL, at) for at in targets),
        *(
            ReferenceLine((at, 0.0), (at, 1.0), _OBSERVED_LABEL, at, "present")
            for at in observed[:3]
        ),
    )


def _prevalence_panel(
    evaluation: Evaluation,
    measure: Measure,
    curves: Mapping[str, Sequence[Point]],
    x_range: AxisRange,
    reference_lines: Sequence[ReferenceLine],
) -> LineChart:
    lowest = min(y for points in curves.values() for _, y in points)
    bottom = min(0.0, math.floor(lowest * 10) / 10)
    marked = tuple(_crossover_markers(evaluation, measure.name, curves, x_range))
    meanings: tuple[tuple[MarkerKind, str], ...] = (("crossing", _CROSSOVER_LABEL),)
    return LineChart(
        "prevalence",
        measure.title,
        tuple(
            Series(name, tuple(points), evaluation.classifier_index(name))
            for name, points in curves.items()
        ),
        x_range=x_range,
        y_range=(bottom, 1.0),
        references=tuple(replace(each, start=(each.start[0], bottom)) for each in reference_lines),
        x_log=x_range[0] > 0,
        marker_legend=meanings if marked else (),
        markers=marked,
    )


def _crossover_markers(
    evaluation: Evaluation, measure: str, curves: Mapping[str, Sequence[Point]], x_range: AxisRange
) -> Iterator[Marker]:
    """Yield where two change places; of many classifiers only where the best one does."""
    seen: set[Point] = set()
    for crossing in evaluation.prevalence_crossovers:
        at, height = crossing.prevalence, crossing.value
        named = crossing.first in curves and crossing.second in curves
        if (
            crossing.measure != measure
            or at is None
            or height is None
            or not named
            or not is_crossover_identifiable(crossing)
        ):
            continue
        heights = {
            name: float(np.interp(at, *np.array(points).T)) for name, points in curves.items()
        }
        leading = heights[crossing.first] >= max(heights.values()) - _LEADING_TOLERANCE
        place = round(at, 3), round(height, 3)
        if place not in seen and x_range[0] <= at and (len(curves) <= MAX_BANDS or leading):
            seen.add(place)
            yield Marker((at, height), label_value=at, kind="crossing")


_MAX_SENTENCES = 8


def build_prevalence_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the measures at every target, who changes places where, and the whole range."""
    if not evaluation.prevalence_values:
        return ()
    return (
        Paragraph(tuple(_introduction(evaluation))),
        _target_table(evaluation),
        *_crossover_blocks(evaluation),
        *prevalence_figures(evaluation),
    )


def _introduction(evaluation: Evaluation) -> Iterator[Inline]:
    here = evaluation.observed_prevalences
    yield "The prevalence, the share of cases that truly are "
    yield Strong(evaluation.spec.task.positive or "")
    yield ", is "
    yield PlainNumber(here[0], 3)
    if len(here) > 1:
        yield " to "
        yield PlainNumber(here[-1], 3)
    yield " in the data. Where the classifiers will be used it may differ. "
    yield "What they would reach there follows from their sensitivity and specificity, "
    yield "which are taken to stay as they are. Youden's index, the likelihood ratios and "
    yield "discriminant power do not depend on the prevalence. Intervals ("
    yield confidence_level(evaluation)
    yield "): precision and NPV on the logit scale (Mercaldo and others 2007), the others from"
    yield " the limits of sensitivity and specificity by squaring and adding (Zou and Donner 2008)."


def _target_table(evaluation: Evaluation) -> Table:
    measures = [get_measure(name) for name in evaluation.prevalence_values[0].values]
    groups = tuple(
        RowGroup(
            _target_rows(evaluation, measures, target),
            InlineText(("At a prevalence of ", PlainNumber(target))),
        )
        for target in target_prevalences(evaluation)
    )
    columns = (
        Column("Classifier"),
        *(Column(MeasureName(measure), numeric=True) for measure in measures),
    )
    return Table("prevalence", "Measures where the classifiers will be used", columns, groups)


def _target_rows(
    evaluation: Evaluation, measures: Sequence[Measure], target: float
) -> tuple[tuple[TableCell, ...], ...]:
    rows = {row.classifier: row for row in evaluation.prevalence_values if row.target == target}
    cells = {
        measure: value_cells(
            measure, {name: row.values[measure.name] for name, row in rows.items()}, list(rows)
        )
        for measure in measures
    }
    return tuple((name, *(cells[measure][name] for measure in measures)) for name in rows)


def _crossover_blocks(evaluation: Evaluation) -> Iterator[Block]:
    """Say where the order turns; best-a-priori kappa turns with accuracy."""
    judged = [
        crossing
        for crossing in evaluation.prevalence_crossovers
        if crossing.measure in CROSSOVER_CLAUSES
    ]
    turning = [crossing for crossing in judged if crossing.prevalence is not None]
    if not judged:
        return
    if turning and len(turning) <= _MAX_SENTENCES:
        yield Bullets(tuple(Paragraph(tuple(crossover_sentence(crossing))) for crossing in turning))
    elif turning:
        yield _crossover_table(turning)
    else:
        yield Paragraph(
            ("By accuracy and by kappa the order of any two is the same at every prevalence.",)
        )
    yield Note(
        (
            (
                "Best-a-priori kappa turns where accuracy does. By precision and by NPV two"
                " classifiers never change places: the order by precision is that of the positive"
                " likelihood ratios, the order by NPV that of the negative ones. Who is better is"
                " said by the values found; whether the difference is certain is another question."
            ),
        )
    )


def _crossover_table(crossovers: Sequence[PrevalenceCrossover]) -> Table:
    columns = (
        Column("Measure"),
        Column("Better below"),
        Column("Better above"),
        Column("Equal at prevalence", numeric=True),
        Column("Interval", numeric=True),
    )
    rows = tuple(
        (
            get_measure(crossing.measure).title,
            crossing.below,
            crossing.above,
            PlainNumber(crossing.prevalence or 0.0, 3),
            _crossover_interval(crossing),
        )
        for crossing in crossovers
    )
    return Table("crossings", "Where two classifiers change places", columns, (RowGroup(rows),))


def _crossover_interval(crossover: PrevalenceCrossover) -> TableCell:
    if not is_crossover_identifiable(crossover):
        return "cannot be located"
    return None if crossover.low is None else Interval(crossover.low, crossover.high)
