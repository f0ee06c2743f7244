"""Decision: net benefit, expected cost, operating points in natural frequencies, gains."""

from __future__ import annotations

from math import isinf
from typing import TYPE_CHECKING, Literal

from reportgen.aggregates.threshold_choice import ThresholdRule
from reportgen.evaluation.decision_curves import GAIN_FRACTIONS, RATE_MINIMA
from reportgen.measures import Orientation, get_measure
from reportgen.report.charts import LineChart, LinePanels, ReferenceLine, Series
from reportgen.report.document import Column, Details, Figure, Paragraph, RowGroup, Table
from reportgen.report.formatting import inline_number, inline_percentage, inline_range
from reportgen.report.inline import (
    Count,
    Estimate,
    InlineText,
    PlainNumber,
    Strong,
)
from reportgen.report.phrases import join_names, join_sentences
from reportgen.report.sections.curves import MAX_YOUDEN_LABEL, operating_point, threshold_cell
from reportgen.report.selection import (
    MAX_ROWS,
    classifier_color,
    classifiers_best_first,
    is_full_detail,
    omitted_classifiers_phrase,
    plotted_classifiers,
    top_classifiers,
    unplotted_classifiers_sentence,
)
from reportgen.spec import declared_decision

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.evaluation.decision_curves import (
        CostRatioRange,
        DecisionAnalysis,
        OperatingFrequencies,
    )
    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline, TableCell

_SUBMITTED_LABEL = "as submitted"
_TREAT_ALL, _TREAT_NONE, _TRIVIAL = "treat all", "treat none", "predict all or none"
_MAX_RANGES = 5
# The specificity at which the summary of the folded table states the highest sensitivity.
_USUAL_MINIMUM = 0.95
# Below, an expected count has a decimal.
_SMALL_COUNT = 10
# The cost curve is cut off at this multiple of the highest cost of the classifiers drawn.
_COST_MARGIN, _MAX_COST = 1.25, 0.5
_NET_BENEFIT_READING = (
    "Net benefit (Vickers and Elkin 2006): true positives less false positives at the odds of the"
    " threshold, per case; higher is better."
)
_RANKING_NOTE = (
    "Highest rate at any threshold that meets the condition. Gain: share of all positives among the"
    " top cases by score; lift: their proportion relative to the prevalence of the data. Without"
    " intervals and not tested; measures such as sensitivity@specificity=0.95 have both."
)
_TUNED = (
    "thresholds were tuned on the evaluation data, so these results are optimistic; validate on new"
    " data."
)


def build_decision_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return which classifier costs least when, the curves, and the operating points."""
    analysis = evaluation.decisions
    if analysis is None or not (analysis.gains or _is_declared(evaluation)):
        return ()
    return (
        *_cost_paragraph(evaluation, analysis),
        *_curves_figure(evaluation, analysis),
        _operating_points_table(evaluation, analysis),
        *_ranking_blocks(evaluation, analysis),
    )


def _is_declared(evaluation: Evaluation) -> bool:
    """Return whether the spec declares costs, a requirement or a prevalence of use."""
    decision = declared_decision(evaluation.spec)
    return bool(decision.cost or decision.requirements or decision.prevalence)


# Expected cost by cost ratio.


def _cost_paragraph(evaluation: Evaluation, analysis: DecisionAnalysis) -> Iterator[Block]:
    """Yield which classifier has the lowest expected cost, and where that changes."""
    ranges = analysis.cost_ranges
    parts: list[Inline] = ["Lowest expected cost"]
    if analysis.is_declared:
        parts += [" at a prevalence of ", inline_percentage(analysis.prevalence)]
    if analysis.gains:
        parts.append(", each classifier at its best threshold on these data")
    parts.append(": ")
    for index, range_ in enumerate(ranges[:_MAX_RANGES]):
        parts += [*((("; "),) if index else ()), *_range_phrase(evaluation, range_)]
    if len(ranges) > _MAX_RANGES:
        n_omitted = len(ranges) - _MAX_RANGES
        noun = "range" if n_omitted == 1 else "ranges"
        parts += ["; ", Count(n_omitted), f" further {noun} in results.json"]
    parts.append(". Ratio: cost of a false negative to that of a false positive; not tested.")
    declared = analysis.declared_range
    if declared is not None and analysis.cost_ratio is not None:
        parts += [" Declared: ", PlainNumber(analysis.cost_ratio), ", "]
        parts += [*_least_costly(evaluation, declared), "."]
    yield Paragraph(tuple(parts))


def _least_costly(evaluation: Evaluation, range_: CostRatioRange) -> Iterator[Inline]:
    if range_.classifiers:
        yield from join_names(range_.classifiers)
        return
    yield "predicting every case as " if range_.trivial == "all" else "predicting no case as "
    yield Strong(evaluation.spec.task.positive or "")


def _range_phrase(evaluation: Evaluation, range_: CostRatioRange) -> Iterator[Inline]:
    yield from _least_costly(evaluation, range_)
    if range_.low <= 0 and range_.high is None:
        yield " at every cost ratio"
    elif range_.low <= 0 and range_.high is not None:
        yield " up to a ratio of "
        yield _ratio(range_.high)
    elif range_.high is None:
        yield " above "
        yield _ratio(range_.low)
    else:
        yield " at "
        yield from inline_range(_ratio(range_.low), _ratio(range_.high))


def _ratio(number: float) -> PlainNumber:
    """Return a cost ratio with two significant digits."""
    return PlainNumber(float(f"{number:.2g}"))


# Curves.


def _curves_figure(evaluation: Evaluation, analysis: DecisionAnalysis) -> Iterator[Figure]:
    """Yield decision curve, cost curve and cumulative gains side by side."""
    names = [curve.classifier for curve in analysis.cost_curves if curve.classifier is not None]
    plotted = plotted_classifiers(evaluation, names)
    panels = (
        *_net_benefit_chart(evaluation, analysis, plotted),
        _cost_chart(evaluation, analysis, plotted),
        *_gains_chart(evaluation, analysis, plotted),
    )
    readings = [
        *((_NET_BENEFIT_READING,) if analysis.net_benefit else ()),
        (
            "Expected cost (Drummond and Holte 2006): at the best threshold, as a proportion of the"
            " cost of being always wrong; probability-cost: the share of false negatives in that"
            " cost; lower is better."
        ),
        *(
            ("Gains: proportion of positives among the cases with the highest scores.",)
            if analysis.gains
            else ()
        ),
    ]
    yield Figure(
        "decision",
        "Net benefit, expected cost and cumulative gains",
        LinePanels(panels, columns=3),
        Paragraph((" ".join(readings),)),
        join_sentences(
            _unscored_sentence(analysis, names), unplotted_classifiers_sentence(evaluation, names)
        ),
    )


def _unscored_sentence(analysis: DecisionAnalysis, names: Sequence[str]) -> tuple[Inline, ...]:
    """Return the classifiers without probabilities, which have no decision curve."""
    scored_names = {curve.classifier for curve in analysis.net_benefit}
    missing = [name for name in names if name not in scored_names]
    if not missing or not scored_names:
        return ()
    return ("No decision curve without probabilities: ", *join_names(missing), ".")


def _series(evaluation: Evaluation, name: str, xs: Sequence[float], ys: Sequence[float]) -> Series:
    points = tuple(zip(xs, ys, strict=True))
    return Series(name, points, classifier_color(evaluation, name))


def _declared_line(
    at: float | None, x_range: tuple[float, float], top: float
) -> tuple[ReferenceLine, ...]:
    """Return a vertical line at the declared costs, if they are within the axis."""
    if at is None or not x_range[0] <= at <= x_range[1]:
        return ()
    return (ReferenceLine((at, 0.0), (at, top), "declared costs", style="study-value"),)


def _net_benefit_chart(
    evaluation: Evaluation, analysis: DecisionAnalysis, plotted: Sequence[str]
) -> Iterator[LineChart]:
    curves = {curve.classifier: curve for curve in analysis.net_benefit}
    plotted_curves = [curves[name] for name in plotted if name in curves]
    if not plotted_curves:
        return
    treat_all = curves[None]
    highest = max(
        (*(value for curve in plotted_curves for value in curve.net_benefit), analysis.prevalence)
    )
    x_range = (0.0, treat_all.thresholds[-1])
    y_range = (-highest / 5, highest)
    all_points = tuple(zip(treat_all.thresholds, treat_all.net_benefit, strict=True))
    yield LineChart(
        "Threshold probability",
        "Net benefit",
        tuple(
            _series(evaluation, curve.classifier, curve.thresholds, curve.net_benefit)
            for curve in plotted_curves
            if curve.classifier is not None
        ),
        x_range,
        y_range,
        references=(
            ReferenceLine(all_points[0], all_points[-1], _TREAT_ALL, via=all_points[1:-1]),
            ReferenceLine((0.0, 0.0), (x_range[1], 0.0), _TREAT_NONE, style="study-value"),
            *_declared_line(analysis.declared_threshold, x_range, highest),
        ),
    )


def _cost_chart(
    evaluation: Evaluation, analysis: DecisionAnalysis, plotted: Sequence[str]
) -> LineChart:
    curves = {curve.classifier: curve for curve in analysis.cost_curves}
    plotted_curves = [curves[name] for name in plotted]
    highest = max(value for curve in plotted_curves for value in curve.cost)
    top = min(_MAX_COST, highest * _COST_MARGIN)
    return LineChart(
        "Probability-cost",
        "Expected cost",
        tuple(
            _series(evaluation, curve.classifier, curve.probability_cost, curve.cost)
            for curve in plotted_curves
            if curve.classifier is not None
        ),
        y_range=(0.0, top),
        references=(
            ReferenceLine((0.0, 0.0), (1.0, 0.0), _TRIVIAL, via=((0.5, 0.5),)),
            *_declared_line(analysis.declared_probability_cost, (0.0, 1.0), top),
        ),
    )


def _gains_chart(
    evaluation: Evaluation, analysis: DecisionAnalysis, plotted: Sequence[str]
) -> Iterator[LineChart]:
    curves = {curve.classifier: curve for curve in analysis.gains}
    plotted_curves = [curves[name] for name in plotted if name in curves]
    if plotted_curves:
        yield LineChart(
            "Proportion of cases",
            "Positives found",
            tuple(
                _series(evaluation, curve.classifier, curve.fractions, curve.gains)
                for curve in plotted_curves
            ),
            references=(ReferenceLine((0.0, 0.0), (1.0, 1.0), "random order"),),
        )


# Operating points.


def _operating_points_table(evaluation: Evaluation, analysis: DecisionAnalysis) -> Table:
    frequencies = {(row.classifier, row.rule): row for row in analysis.frequencies}
    names = dict.fromkeys(row.classifier for row in analysis.frequencies)
    displayed = top_classifiers(evaluation, MAX_ROWS, candidates=names)
    rules = _displayed_rules(evaluation)
    has_costs = declared_decision(evaluation.spec).cost is not None
    per = analysis.frequencies[0].frequencies.per
    caption = InlineText(
        (
            "Operating points: expected counts per ",
            Count(per),
            " cases at a prevalence of ",
            inline_percentage(float(f"{analysis.prevalence:.3g}")),
        )
    )
    heads = ("TP", "FN", "FP", "TN", "Sensitivity", "Specificity", "Precision")
    columns = (
        Column("Classifier"),
        Column("Criterion"),
        *((Column("Threshold", numeric=True),) if evaluation.thresholds else ()),
        *(Column(head, numeric=True) for head in heads),
        Column("Cost per case" if has_costs else "Youden's J", numeric=True),
    )
    decimals = count_decimals([row for row in analysis.frequencies if row.classifier in displayed])
    rows = tuple(
        row
        for name in displayed
        for row in _classifier_rows(evaluation, name, rules, frequencies, decimals)
    )
    omission = omitted_classifiers_phrase(evaluation, len(displayed), len(names), prefix=(" The ",))
    note = Paragraph(
        (*_table_note(evaluation, analysis, rules), *((*omission, ".") if omission else ()))
    )
    return Table("operating-points", caption, columns, (RowGroup(rows),), note)


def _displayed_rules(evaluation: Evaluation) -> tuple[ThresholdRule, ...]:
    """Return the criteria of the table: those that the spec declares, or else Youden's J."""
    rules = tuple(dict.fromkeys(point.rule for point in evaluation.thresholds))
    if is_full_detail(evaluation):
        return rules
    declared = tuple(
        rule for rule in rules if rule in {ThresholdRule.COST, ThresholdRule.CONSTRAINT}
    )
    return declared or tuple(rule for rule in rules if rule is ThresholdRule.YOUDEN)


def _classifier_rows(
    evaluation: Evaluation,
    name: str,
    rules: Sequence[ThresholdRule],
    frequencies: dict[tuple[str, ThresholdRule | None], OperatingFrequencies],
    decimals: Sequence[int],
) -> Iterator[tuple[TableCell, ...]]:
    has_thresholds = bool(evaluation.thresholds)
    positive = evaluation.spec.task.positive or ""
    submitted = operating_point(evaluation, name, positive)
    at = None if submitted is None else submitted.rounded
    threshold: TableCell = None if at is None else PlainNumber(at)
    yield (
        name,
        _SUBMITTED_LABEL,
        *((threshold,) if has_thresholds else ()),
        *_frequency_cells(evaluation, frequencies[name, None], decimals),
    )
    optima = {point.rule: point for point in evaluation.thresholds if point.classifier == name}
    for rule in rules:
        optimum = optima.get(rule)
        if optimum is None:
            continue
        label = _criterion_cell(evaluation, rule)
        if optimum.threshold is None:
            yield (name, label, "not reached", *[None] * 8)
            continue
        yield (
            name,
            label,
            threshold_cell(optimum),
            *_frequency_cells(evaluation, frequencies[name, rule], decimals, optimum),
        )


def _expected_counts(point: OperatingFrequencies) -> tuple[float, float, float, float]:
    expected = point.frequencies
    return expected.tp, expected.fn, expected.fp, expected.tn


def count_decimals(points: Sequence[OperatingFrequencies]) -> tuple[int, ...]:
    """Return the decimals of each count: one where a small count of the column is not whole."""
    return tuple(
        int(any(count < _SMALL_COUNT and round(count, 1) != round(count) for count in column))
        for column in zip(*map(_expected_counts, points), strict=True)
    )


def _frequency_cells(
    evaluation: Evaluation,
    point: OperatingFrequencies,
    decimals: Sequence[int],
    optimum: OptimalThreshold | None = None,
) -> Iterator[TableCell]:
    for count, digits in zip(_expected_counts(point), decimals, strict=True):
        yield PlainNumber(count, digits)
    sensitivity = get_measure("sensitivity")
    for rate in (point.sensitivity, point.specificity):
        yield inline_number(sensitivity, rate)
    yield ("undefined" if point.precision is None else inline_number(sensitivity, point.precision))
    yield _criterion_value(evaluation, point, optimum)


def _criterion_value(
    evaluation: Evaluation, point: OperatingFrequencies, optimum: OptimalThreshold | None
) -> TableCell:
    """Return the cost per case, or Youden's J; with an interval where it was optimised."""
    has_costs = declared_decision(evaluation.spec).cost is not None
    number = point.cost_per_case if has_costs else point.youden
    criterion = ThresholdRule.COST if has_costs else ThresholdRule.YOUDEN
    if optimum is None or optimum.rule is not criterion:
        return Estimate(number)
    return Estimate(number, optimum.achieved_low, optimum.achieved_high)


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


def _table_note(
    evaluation: Evaluation, analysis: DecisionAnalysis, rules: Sequence[ThresholdRule]
) -> Iterator[Inline]:
    positive, thresholds = evaluation.spec.task.positive or "", evaluation.thresholds
    yield "TP, FN: cases of class "
    yield Strong(positive)
    yield " found and missed; FP, TN: other cases. "
    yield (
        "Prevalence of use, as declared; sensitivity and specificity as in the data."
        if analysis.is_declared
        else "Prevalence of the data."
    )
    if not thresholds:
        return
    yield from (" ", Strong("Caution:"), f" {_TUNED}")
    yield (
        " Cases with a score of at least the threshold are classified as positive; thresholds have"
        " as few digits as predict the same cases. CIs: bootstrap ("
    )
    yield Count(min(threshold.draws for threshold in thresholds))
    yield (
        " resamples) with the search repeated in each; that of the criterion is for new cases,"
        " corrected for the optimism of a choice on the same cases, and need not contain the value."
    )
    if ThresholdRule.CONSTRAINT in rules:
        yield " Among thresholds that satisfy the constraints, max. Youden's J is chosen."
    for threshold in thresholds:
        if threshold.unmet_draws and threshold.rule in rules:
            yield f" {threshold.classifier}: in "
            yield Count(threshold.unmet_draws)
            yield " resamples no threshold satisfied the constraints."
    if any(
        threshold.threshold is not None and isinf(threshold.threshold)
        for threshold in thresholds
        if threshold.rule in rules
    ):
        yield " At an infinite threshold no case is predicted positive."
    if len({threshold.rule for threshold in thresholds}) > len(rules):
        yield " Other criteria, such as max. F1: results.json."


# Ranking.


def _ranking_blocks(evaluation: Evaluation, analysis: DecisionAnalysis) -> Iterator[Block]:
    """Yield the table of fixed rates and gains, folded below full detail under its best rate."""
    tables = tuple(_ranking_table(evaluation, analysis))
    if is_full_detail(evaluation) or not tables:
        yield from tables
        return
    rates = {
        row.classifier: row.value
        for row in analysis.constrained_rates
        if row.rate == "sensitivity" and row.minimum == _USUAL_MINIMUM and row.value is not None
    }
    best = max(rates, key=rates.__getitem__, default=None)
    summary: tuple[Inline, ...] = ("Rates at fixed sensitivity or specificity, gains and lift",)
    if best is not None:
        rate = inline_number(get_measure("sensitivity"), rates[best])
        minimum = inline_percentage(_USUAL_MINIMUM)
        summary = (*summary, ": at a specificity of at least ", minimum)
        summary = (*summary, " the highest sensitivity is ", rate, " (", Strong(best), ")")
    yield Details(Paragraph((*summary, ".")), tables)


def _ranking_table(evaluation: Evaluation, analysis: DecisionAnalysis) -> Iterator[Table]:
    """Yield sensitivity at fixed specificities, the reverse, and gains with lift."""
    if not analysis.gains:
        return
    scored = {curve.classifier for curve in analysis.gains}
    ordered = [name for name in classifiers_best_first(evaluation) if name in scored]
    # Of rare positives the first cases matter.
    is_rare = analysis.prevalence < GAIN_FRACTIONS[2]
    fractions = GAIN_FRACTIONS[:3] if is_rare else GAIN_FRACTIONS[1:4]
    rates = {
        (row.classifier, row.rate, row.minimum): row.value for row in analysis.constrained_rates
    }
    tops = {(row.classifier, row.fraction): row for row in analysis.top_fractions}
    percent = get_measure("sensitivity")

    def rate_cells(name: str, rate: Literal["sensitivity", "specificity"]) -> Iterator[TableCell]:
        for minimum in RATE_MINIMA:
            value = rates[name, rate, minimum]
            yield "not reached" if value is None else inline_number(percent, value)

    rows = tuple(
        (
            name,
            *rate_cells(name, "sensitivity"),
            *rate_cells(name, "specificity"),
            *(
                InlineText((inline_number(percent, top.gain), " (", PlainNumber(top.lift, 1), ")"))
                for top in (tops[name, fraction] for fraction in fractions)
            ),
        )
        for name in ordered
    )
    heads: list[tuple[Inline, ...]] = [
        ("Sens. at spec. ≥ ", inline_percentage(minimum)) for minimum in RATE_MINIMA
    ]
    heads += [("Spec. at sens. ≥ ", inline_percentage(minimum)) for minimum in RATE_MINIMA]
    heads += [("Gain (lift), top ", inline_percentage(fraction)) for fraction in fractions]
    yield Table(
        "ranking",
        "Sensitivity and specificity at fixed rates, cumulative gains and lift",
        (Column("Classifier"), *(Column(InlineText(head), numeric=True) for head in heads)),
        (RowGroup(rows),),
        Paragraph((_RANKING_NOTE,)),
    )
