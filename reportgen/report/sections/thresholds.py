"""Where to set the threshold of a score: by an aim, by cost, or under a condition."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.curve_points import curve_points
from reportgen.comparisons.thresholds import SHOWN, Rule, cost_per_case
from reportgen.measures import find_measure
from reportgen.report.charts import LineChart, Reference, Series
from reportgen.report.document import (
    Column,
    Count,
    Estimate,
    Figure,
    Math,
    MeasureName,
    Note,
    Paragraph,
    RowGroup,
    Strong,
    Table,
    Value,
)
from reportgen.tallies import FN, FP, TN, TP

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.curve_points import CurvePoints
    from reportgen.comparisons.thresholds import ChosenThreshold
    from reportgen.measures import Measure
    from reportgen.report.charts import Span
    from reportgen.report.document import Block, Cell, Part
    from reportgen.report.evaluation import Evaluation

MOST_FIGURES = 4
CURVES = ("sensitivity", "specificity", "precision")
AS_PREDICTED = "as predicted"


def thresholds(evaluation: Evaluation) -> tuple[Block, ...]:
    """Show the thresholds that serve an aim best, and the rates over all thresholds."""
    chosen = evaluation.thresholds
    if not chosen:
        return ()
    introduction: tuple[Part, ...] = (
        "A case is taken for ",
        Strong(chosen[0].class_),
        (
            " if its score is the threshold or more. Of thresholds that are equally good the"
            " highest is shown."
        ),
    )
    return (
        Paragraph(introduction),
        _table(evaluation),
        Note(
            (
                (
                    "The thresholds were chosen on the same cases they are judged on, so what they"
                    " reach here flatters them. Use them on new cases, and judge them there."
                ),
            ),
            warning=True,
        ),
        *_figures(evaluation),
    )


def _table(evaluation: Evaluation) -> Table:
    chosen = evaluation.thresholds
    costs = any(each.cost_per_case is not None for each in chosen)
    heads: tuple[Cell, ...] = (
        *(Math(count.symbol) for count in (TP, FN, FP, TN)),
        *(MeasureName(measure) for measure in _shown()),
    )
    columns = (
        Column("Chosen by"),
        Column("Threshold", numeric=True),
        *(Column(head, numeric=True) for head in heads),
        *((Column("Cost per case", numeric=True),) if costs else ()),
    )
    names = dict.fromkeys(each.classifier for each in chosen)
    groups = tuple(
        RowGroup(
            (
                *_as_predicted(evaluation, name, costs=costs),
                *(
                    _row(evaluation, each, costs=costs)
                    for each in chosen
                    if each.classifier == name
                ),
            ),
            name,
        )
        for name in names
    )
    note = Paragraph(tuple(_remarks(chosen)))
    return Table("thresholds", "Thresholds by what they are chosen for", columns, groups, note)


def _row(evaluation: Evaluation, chosen: ChosenThreshold, *, costs: bool) -> tuple[Cell, ...]:
    rule = _in_words(evaluation, chosen.rule)
    scores = dict(chosen.scores)
    if chosen.threshold is None:
        return (rule, "not reached", *[None] * (4 + len(SHOWN) + costs))
    is_cost = chosen.rule is Rule.COST
    cost = Estimate(
        chosen.cost_per_case,
        chosen.achieved_low if is_cost else None,
        chosen.achieved_high if is_cost else None,
    )
    return (
        rule,
        Estimate(chosen.threshold, chosen.threshold_low, chosen.threshold_high),
        *(Count(count or 0) for count in (chosen.tp, chosen.fn, chosen.fp, chosen.tn)),
        *(Value(scores[measure.name], measure) for measure in _shown()),
        *((cost,) if costs else ()),
    )


def _as_predicted(
    evaluation: Evaluation, classifier: str, *, costs: bool
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row of the predictions as they were made, to compare with."""
    tally, positive = evaluation.predictions.confusion, evaluation.spec.task.positive
    scores = [evaluation.score(classifier, measure) for measure in _shown()]
    if tally is None or positive is None or None in scores:
        return
    at = tally.classes.index(positive)
    (tp, fn), (fp, tn) = (
        (row[at], row[1 - at])
        for row in (tally.matrix(classifier)[at], tally.matrix(classifier)[1 - at])
    )
    per_case = cost_per_case(evaluation.spec, fp=fp, fn=fn, cases=tp + fn + fp + tn)
    yield (
        AS_PREDICTED,
        None,
        *map(Count, (tp, fn, fp, tn)),
        *(
            Value(score, measure)
            for score, measure in zip(scores, _shown(), strict=True)
            if score is not None
        ),
        *((Estimate(per_case),) if costs else ()),
    )


def _in_words(evaluation: Evaluation, rule: Rule) -> str:
    given = evaluation.spec.thresholds
    if rule is not Rule.CONSTRAINT or given is None or given.at_least is None:
        return {
            Rule.YOUDEN: "highest Youden's index",
            Rule.F1: "highest F1",
            Rule.COST: "lowest cost",
        }[rule]
    named = ((find_measure(name), least) for name, least in given.at_least.items())
    conditions = (f"{measure.title} at least {least:g}" for measure, least in named if measure)
    return f"{' and '.join(conditions)}, then highest Youden's index"


def _remarks(chosen: tuple[ChosenThreshold, ...]) -> Iterator[Part]:
    yield "The ranges of the chosen thresholds and of what they were chosen for come from "
    yield Count(min(each.draws for each in chosen))
    yield (
        " resamples of each class, in every one of which the search was repeated; the other"
        " numbers have none."
    )
    for each in chosen:
        if each.unmet_draws:
            yield f" {each.classifier}: in "
            yield Count(each.unmet_draws)
            yield " of the resamples no threshold reached what was asked."
    if any(each.threshold is not None and each.threshold > FAR for each in chosen):
        yield " At an infinite threshold nothing is taken for the class."


FAR = 1e300


def _figures(evaluation: Evaluation) -> Iterator[Figure]:
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
    rates = points.rates()
    series = tuple(
        # From high to low: between two scores the counts are those of the higher one.
        Series(measure.title, tuple((row[0], row[at]) for row in rates), at - 1, step=True)
        for at, measure in enumerate(map(_measure, CURVES), start=1)
    )
    best = [
        each.threshold
        for each in evaluation.thresholds
        if each.classifier == points.classifier and each.rule is Rule.YOUDEN
    ]
    references = tuple(
        Reference((each, 0.0), (each, 1.0), "highest Youden's index")
        for each in best
        if each is not None and each < FAR
    )
    return LineChart("threshold", "share", series, _span(points), references=references)


def _span(points: CurvePoints) -> Span:
    low, high = min(points.thresholds), max(points.thresholds)
    if low >= 0 and high <= 1:
        return 0.0, 1.0
    return (low, high) if high > low else (low - 1, high + 1)


def _shown() -> tuple[Measure, ...]:
    return tuple(map(_measure, SHOWN))


def _measure(name: str) -> Measure:
    found = find_measure(name)
    if found is None:
        raise LookupError(name)
    return found
