"""Operating points: thresholds by Youden's J, F1, cost or a constraint."""

from __future__ import annotations

from dataclasses import replace
from math import isinf
from typing import TYPE_CHECKING

from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.evaluation.thresholds import THRESHOLD_MEASURES
from reportgen.measures import Orientation, get_measure
from reportgen.measures.formula.quantities import FN, FP, TN, TP
from reportgen.report.document import Column, Note, Paragraph, RowGroup, Table
from reportgen.report.inline import (
    Count,
    Estimate,
    InlineText,
    MathSymbol,
    MeasureEstimate,
    PlainNumber,
    Strong,
)
from reportgen.report.sections.curves import MAX_YOUDEN_LABEL, operating_point
from reportgen.spec import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.measures import Measure
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_MAX_TITLE_LENGTH, _SUBMITTED_LABEL = 12, "as submitted"


def build_thresholds_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the candidate operating points."""
    thresholds = evaluation.thresholds
    if not thresholds:
        return ()
    introduction: tuple[Inline, ...] = (
        "Cases with score ≥ threshold are classified as ",
        Strong(thresholds[0].class_),
        ". Of equally good thresholds the highest is shown.",
    )
    return (
        Paragraph(introduction),
        _operating_points_table(evaluation),
        Note(
            (
                (
                    "Thresholds were tuned on the evaluation data, so these results are optimistic."
                    " Validate on new data."
                ),
            ),
            warning=True,
        ),
    )


def _operating_points_table(evaluation: Evaluation) -> Table:
    thresholds = evaluation.thresholds
    costs = any(point.cost_per_case is not None for point in thresholds)
    heads: tuple[TableCell, ...] = (
        *(MathSymbol(count.symbol) for count in (TP, FN, FP, TN)),
        # Plain titles: with arrows the table would not fit on a portrait page.
        *(
            measure.title if len(measure.title) < _MAX_TITLE_LENGTH else MathSymbol(measure.symbol)
            for measure in _displayed_measures()
        ),
    )
    columns = (
        Column("Criterion"),
        Column("Threshold", numeric=True),
        *(Column(head, numeric=True) for head in heads),
        *((Column("Cost per case", numeric=True),) if costs else ()),
    )
    names = dict.fromkeys(point.classifier for point in thresholds)
    groups = tuple(
        RowGroup(
            (
                *_submitted_row(evaluation, name, with_costs=costs),
                *(
                    _operating_point_row(evaluation, point, with_costs=costs)
                    for point in thresholds
                    if point.classifier == name
                ),
            ),
            name,
        )
        for name in names
    )
    note = Paragraph(tuple(_table_note(thresholds)))
    return Table("thresholds", "Candidate operating points", columns, groups, note)


def _operating_point_row(
    evaluation: Evaluation, optimum: OptimalThreshold, *, with_costs: bool
) -> tuple[TableCell, ...]:
    rule = _criterion_cell(evaluation, optimum.rule)
    scores = dict(optimum.values)
    if optimum.threshold is None:
        return (rule, "not reached", *[None] * (4 + len(THRESHOLD_MEASURES) + with_costs))
    is_cost = optimum.rule is ThresholdRule.COST
    cost = Estimate(
        optimum.cost_per_case,
        optimum.achieved_low if is_cost else None,
        optimum.achieved_high if is_cost else None,
    )
    return (
        rule,
        Estimate(optimum.threshold, optimum.threshold_low, optimum.threshold_high),
        *(Count(count or 0) for count in (optimum.tp, optimum.fn, optimum.fp, optimum.tn)),
        *(MeasureEstimate(scores[measure.name], measure) for measure in _displayed_measures()),
        *((cost,) if with_costs else ()),
    )


def _submitted_row(
    evaluation: Evaluation, classifier: str, *, with_costs: bool
) -> Iterator[tuple[TableCell, ...]]:
    """Yield the row of the submitted predictions, for comparison."""
    predicted = operating_point(evaluation, classifier, evaluation.spec.task.positive or "")
    scores = [evaluation.value(classifier, measure) for measure in _displayed_measures()]
    if predicted is None or None in scores:
        return
    yield (
        _SUBMITTED_LABEL,
        None,
        *map(Count, (predicted.tp, predicted.fn, predicted.fp, predicted.tn)),
        *(
            # Their intervals are in the tables of measures.
            MeasureEstimate(replace(score, low=None, high=None, method=None), measure)
            for score, measure in zip(scores, _displayed_measures(), strict=True)
            if score is not None
        ),
        *((Estimate(predicted.cost_per_case),) if with_costs else ()),
    )


def _criterion_cell(evaluation: Evaluation, rule: ThresholdRule) -> TableCell:
    requirements = declared_decision(evaluation.spec).requirements
    if rule is not ThresholdRule.CONSTRAINT:
        return {
            ThresholdRule.YOUDEN: MAX_YOUDEN_LABEL,
            ThresholdRule.F1: "max. F1",
            ThresholdRule.COST: "min. cost",
        }[rule]
    conditions = (
        (f"{measure.title} {'≤' if measure.orientation is Orientation.LOWER else '≥'} ", limit)
        for measure, limit in (
            (get_measure(name), PlainNumber(number)) for name, number in requirements.items()
        )
    )
    parts = [part for condition in conditions for part in (" and ", *condition)]
    return InlineText(tuple(parts[1:]))


def _table_note(thresholds: tuple[OptimalThreshold, ...]) -> Iterator[Inline]:
    yield "CIs of the thresholds and of their criterion: bootstrap ("
    yield Count(min(threshold.draws for threshold in thresholds))
    yield (
        " resamples) with the search repeated in each; that of the criterion is for new cases,"
        " corrected for the optimism of a choice on the same cases, and need not contain the value."
    )
    if any(threshold.rule is ThresholdRule.CONSTRAINT for threshold in thresholds):
        yield " Among thresholds that satisfy the constraints, max. Youden's J is chosen."
    for threshold in thresholds:
        if threshold.unmet_draws:
            yield f" {threshold.classifier}: in "
            yield Count(threshold.unmet_draws)
            yield " resamples no threshold satisfied the constraints."
    if any(
        threshold.threshold is not None and isinf(threshold.threshold) for threshold in thresholds
    ):
        yield " At an infinite threshold no case is predicted positive."


def _displayed_measures() -> tuple[Measure, ...]:
    return tuple(map(get_measure, THRESHOLD_MEASURES))
