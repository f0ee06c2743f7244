"""Performance at other prevalences: expected values at target prevalences and crossovers."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from reportgen.measures import get_measure
from reportgen.measures.counts import PREVALENCE
from reportgen.report.charts import LineChart, LinePanels, Marker, ReferenceLine, Series
from reportgen.report.document import Bullets, Column, Figure, Note, Paragraph, RowGroup, Table
from reportgen.report.findings.shift import (
    CROSSOVER_MEASURES,
    CrossoverFinding,
    evaluated_target_prevalences,
    is_crossover_identifiable,
)
from reportgen.report.formatting import (
    confidence_level,
    inline_number,
    inline_percentage,
    inline_range,
)
from reportgen.report.inline import (
    InlineText,
    Interval,
    MathSymbol,
    MeasureName,
    Strong,
)
from reportgen.report.phrases import join_sentences, measure_phrase
from reportgen.report.phrases.findings import describe_finding
from reportgen.report.sections.curves import MAX_BANDS
from reportgen.report.sections.measures import value_cells
from reportgen.report.selection import (
    classifier_color,
    plotted_classifiers,
    unplotted_classifiers_sentence,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.prevalence import PrevalenceCrossover
    from reportgen.measures import Measure
    from reportgen.report.charts import AxisRange, MarkerKind, Point
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell


# Descriptions of prevalence curves, valid for every drawn curve.

if TYPE_CHECKING:
    _CurvesByClassifier = Mapping[str, Sequence[Point]]

# Values closer than this differ by rounding only.
_EQUAL_TOLERANCE = 1e-9
_PREDICTIVE_VALUE_CLAUSE = "{measure} {trend}"
_LINEAR_CLAUSE = "accuracy changes linearly from specificity (at 0) to sensitivity (at 1)"
_LOG_LINEAR_CLAUSE = (
    "accuracy changes linearly from specificity (at 0) to sensitivity (at 1), curved here by the"
    " logarithmic axis"
)
_KAPPA_CLAUSE = "kappa approaches 0 "
_KAPPA_ENDS = {
    (True, True): "at both ends",
    (True, False): "at low prevalence",
    (False, True): "at high prevalence",
}


def describe_prevalence_curves(
    curves: Mapping[str, _CurvesByClassifier], *, log_axis: bool
) -> Paragraph:
    """Return the description of the curves; `log_axis`: the prevalence axis is logarithmic."""
    description = "; ".join(_curve_clauses(curves, log_axis=log_axis))
    return Paragraph((f"{description[0].upper()}{description[1:]}.",) if description else ())


def _curve_clauses(curves: Mapping[str, _CurvesByClassifier], *, log_axis: bool) -> Iterator[str]:
    precision, npv = curves.get("precision"), curves.get("npv")
    if precision:
        trend = _trend_phrase(precision, "increases with prevalence", _is_increasing)
        yield _PREDICTIVE_VALUE_CLAUSE.format(measure="precision", trend=trend)
    if npv:
        trend = _trend_phrase(npv, "decreases with prevalence", _is_decreasing)
        yield _PREDICTIVE_VALUE_CLAUSE.format(measure="NPV", trend=trend)
    if curves.get("accuracy"):
        yield _LOG_LINEAR_CLAUSE if log_axis else _LINEAR_CLAUSE
    yield from _kappa_clauses(list(curves.get("kappa", {}).values()))


def _trend_phrase(
    curves: _CurvesByClassifier,
    clause: str,
    predicate: Callable[[Sequence[Point]], bool],
) -> str:
    """Return the trend of all curves, or of some where the others are constant."""
    number = sum(map(predicate, curves.values()))
    if number == len(curves):
        return clause
    return f"{clause} or is constant" if number else "does not depend on prevalence"


def _is_increasing(points: Sequence[Point]) -> bool:
    return points[-1][1] - points[0][1] > _EQUAL_TOLERANCE


def _is_decreasing(points: Sequence[Point]) -> bool:
    return points[0][1] - points[-1][1] > _EQUAL_TOLERANCE


def _kappa_clauses(curves: Sequence[Sequence[Point]]) -> Iterator[str]:
    """Yield the ends at which kappa of every curve approaches 0."""
    sizes = [[abs(y) for _, y in points] for points in curves]
    if not sizes:
        return
    if all(max(size) - min(size) <= _EQUAL_TOLERANCE for size in sizes):
        yield "kappa does not depend on prevalence"
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


# Measures as a function of prevalence, with crossovers and target prevalences.

_PLOTTED_MEASURES = ("precision", "npv", "accuracy", "kappa")
_LEADING_TOLERANCE = 1e-3
_TARGET_LABEL, _OBSERVED_LABEL, _CROSSOVER_LABEL = (
    "target prevalence",
    "study prevalence",
    "crossover",
)


def prevalence_figures(evaluation: Evaluation) -> Iterator[Block]:
    """Yield the figure of measures by prevalence, and why any curves are missing."""
    targets, observed = evaluated_target_prevalences(evaluation), evaluation.observed_prevalences
    span = evaluation.prevalence_range
    curves = [curve for curve in evaluation.prevalence_curves if curve.points]
    names = list(
        dict.fromkeys(curve.classifier for curve in curves if curve.measure in _PLOTTED_MEASURES)
    )
    classifiers = plotted_classifiers(evaluation, names)
    by_measure = {
        name: {
            classifier: curve.points
            for classifier in classifiers
            for curve in curves
            if (curve.measure, curve.classifier) == (name, classifier)
        }
        for name in _PLOTTED_MEASURES
    }
    measure_names = [name for name in _PLOTTED_MEASURES if by_measure[name]]
    if measure_names:
        panels = tuple(
            _prevalence_panel(
                evaluation,
                measure,
                by_measure[measure.name],
                span,
                _prevalence_lines(targets, observed),
            )
            for measure in map(get_measure, measure_names)
        )
        yield Figure(
            "prevalence-curves",
            "Measures as a function of prevalence",
            LinePanels(panels, columns=2),
            describe_prevalence_curves(by_measure, log_axis=span[0] > 0),
            join_sentences(
                ("Logarithmic prevalence axis.",) if span[0] > 0 else (),
                unplotted_classifiers_sentence(evaluation, names),
            ),
        )
    yield from _missing_curves_note(
        evaluation, [name for name in _PLOTTED_MEASURES if name not in measure_names]
    )


def _missing_curves_note(evaluation: Evaluation, names: Sequence[str]) -> Iterator[Paragraph]:
    if not names:
        return
    titles = ", ".join(measure_phrase(get_measure(name)) for name in names)
    reasons = dict.fromkeys(
        row.values[name].reason for row in evaluation.prevalence_values for name in names
    )
    reason_text = "; ".join(reason for reason in reasons if reason)
    missing = "No curves" if len(names) == len(_PLOTTED_MEASURES) else f"No curves of {titles}"
    yield Paragraph((f"{missing} over prevalence{f': {reason_text}' if reason_text else ''}.",))


def _prevalence_lines(
    targets: Sequence[float], observed: Sequence[float]
) -> tuple[ReferenceLine, ...]:
    """Return vertical lines at the target and observed prevalences."""
    return (
        *(
            ReferenceLine((prevalence, 0.0), (prevalence, 1.0), _TARGET_LABEL, prevalence)
            for prevalence in targets
        ),
        *(
            ReferenceLine(
                (prevalence, 0.0), (prevalence, 1.0), _OBSERVED_LABEL, prevalence, "study-value"
            )
            for prevalence in observed[:3]
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
    markers = tuple(_crossover_markers(evaluation, measure.name, curves, x_range))
    marker_labels: tuple[tuple[MarkerKind, str], ...] = (("crossing", _CROSSOVER_LABEL),)
    return LineChart(
        "Prevalence",
        measure.title,
        tuple(
            Series(name, tuple(points), classifier_color(evaluation, name))
            for name, points in curves.items()
        ),
        x_range=x_range,
        y_range=(bottom, 1.0),
        references=tuple(replace(line, start=(line.start[0], bottom)) for line in reference_lines),
        x_log=x_range[0] > 0,
        marker_legend=marker_labels if markers else (),
        markers=markers,
    )


def _crossover_markers(
    evaluation: Evaluation, measure: str, curves: Mapping[str, Sequence[Point]], x_range: AxisRange
) -> Iterator[Marker]:
    """Yield the crossovers; of many classifiers only those of the best one."""
    marked_points: set[Point] = set()
    for crossing in evaluation.prevalence_crossovers:
        prevalence, height = crossing.prevalence, crossing.value
        is_plotted = crossing.first in curves and crossing.second in curves
        if (
            crossing.measure != measure
            or prevalence is None
            or height is None
            or not is_plotted
            or not is_crossover_identifiable(crossing)
        ):
            continue
        heights = {
            name: float(np.interp(prevalence, *np.array(points).T))
            for name, points in curves.items()
        }
        leading = heights[crossing.first] >= max(heights.values()) - _LEADING_TOLERANCE
        point = round(prevalence, 3), round(height, 3)
        if (
            point not in marked_points
            and x_range[0] <= prevalence
            and (len(curves) <= MAX_BANDS or leading)
        ):
            marked_points.add(point)
            yield Marker((prevalence, height), label_value=prevalence, kind="crossing")


_MAX_SENTENCES = 8


def build_prevalence_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the measures at target prevalences, the curves and the crossovers."""
    if not evaluation.prevalence_values:
        return ()
    return (
        Paragraph(tuple(_introduction(evaluation))),
        _target_table(evaluation),
        *prevalence_figures(evaluation),
        *_crossover_blocks(evaluation),
    )


def _introduction(evaluation: Evaluation) -> Iterator[Inline]:
    observed = evaluation.observed_prevalences
    yield "The prevalence, the share of cases that truly are "
    yield Strong(evaluation.spec.task.positive or "")
    yield " in the study: "
    lowest, highest = (inline_number(PREVALENCE, observed[end]) for end in (0, -1))
    yield from inline_range(lowest, highest) if len(observed) > 1 else (lowest,)
    yield ". Values at other prevalences follow from sensitivity and specificity, which are assumed"
    yield " constant. Youden's J, the likelihood ratios and discriminant power do not depend on"
    yield " prevalence. "
    yield confidence_level(evaluation)
    yield " CIs by MOVER from the limits of sensitivity and specificity (Zou and Donner 2008), for"
    yield " precision and NPV through the likelihood ratios."


def _target_table(evaluation: Evaluation) -> Table:
    measures = [get_measure(name) for name in evaluation.prevalence_values[0].values]
    groups = tuple(
        RowGroup(
            _target_rows(evaluation, measures, target),
            InlineText(("At a prevalence of ", inline_percentage(target))),
        )
        for target in evaluated_target_prevalences(evaluation)
    )
    columns = (
        Column("Classifier"),
        *(Column(MeasureName(measure), numeric=True) for measure in measures),
    )
    return Table("prevalence", "Expected performance at the target prevalence", columns, groups)


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
    """Yield the crossovers of accuracy and kappa, and a note on the other measures."""
    significant = [
        crossing
        for crossing in evaluation.prevalence_crossovers
        if crossing.measure in CROSSOVER_MEASURES
    ]
    crossovers = [crossing for crossing in significant if crossing.prevalence is not None]
    if not significant:
        return
    if crossovers and len(crossovers) <= _MAX_SENTENCES:
        findings = (
            CrossoverFinding(crossover, evaluation.spec.intervals.level) for crossover in crossovers
        )
        yield Bullets(tuple(Paragraph(describe_finding(finding)) for finding in findings))
    elif crossovers:
        yield _crossover_table(crossovers)
    else:
        yield Paragraph(
            ("No crossovers: rankings by accuracy and kappa do not depend on prevalence.",)
        )
    yield Note(
        (
            MathSymbol(get_measure("kappa_best").symbol),
            " and accuracy cross at the same prevalence; precision and NPV rankings do not",
            " depend on prevalence. Not tested.",
        )
    )


def _crossover_table(crossovers: Sequence[PrevalenceCrossover]) -> Table:
    columns = (
        Column("Measure"),
        Column("Better below"),
        Column("Better above"),
        Column("Crossover prevalence", numeric=True),
        Column("CI", numeric=True),
    )
    rows = tuple(
        (
            get_measure(crossing.measure).title,
            crossing.below,
            crossing.above,
            inline_number(PREVALENCE, crossing.prevalence or 0.0),
            _crossover_interval(crossing),
        )
        for crossing in crossovers
    )
    return Table("crossings", "Crossover prevalences", columns, (RowGroup(rows),))


def _crossover_interval(crossover: PrevalenceCrossover) -> TableCell:
    if not is_crossover_identifiable(crossover):
        return "not identifiable"
    return None if crossover.low is None else Interval(crossover.low, crossover.high, PREVALENCE)
