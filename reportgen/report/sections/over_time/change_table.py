"""The values of the last run and of now, with what their differences are due to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.over_time.reasons import Verdict
from reportgen.measures import known_measure
from reportgen.report.detail import in_full
from reportgen.report.document import Column, Paragraph, RowGroup, Table
from reportgen.report.parts import DifferenceOf, MeasureName, Strong, Value, Words
from reportgen.report.sections.over_time.trend import drawn_classifiers, drawn_measures
from reportgen.report.words.decimals import decimals_of_difference, decimals_to_show
from reportgen.report.words.differences import difference_cells
from reportgen.report.words.over_time import last_run, rates_in_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from reportgen.comparisons.over_time.changes import Changes, ValueChange
    from reportgen.comparisons.over_time.reasons import Reason
    from reportgen.measures import Measure
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Cell, Part

PARTS = (
    "The difference in accuracy is the sum of two parts: what the other mix of classes does at the"
    " same rates, and what other rates do at the same mix (Kitagawa 1955). They are estimates; the"
    " tests say what is more than chance."
)


def change_table(evaluation: Evaluation, changes: Changes) -> Table | None:
    """Show then, now and the difference of the main measures, one group for each classifier."""
    measures = evaluation.main_measures if in_full(evaluation) else drawn_measures(evaluation)
    reasons = {reason.classifier: reason for reason in changes.reasons}
    groups = tuple(
        RowGroup(rows, Words(tuple(_head(reasons[name]))))
        for name in drawn_classifiers(evaluation, changes)
        if (rows := tuple(_rows(changes, reasons[name], measures)))
    )
    if not groups:
        return None
    heads = ("Measure", last_run(changes), "Now", "Difference", "Interval of it")
    split = any(reason.by_mix is not None for reason in changes.reasons)
    is_split = split and any(measure.name == "accuracy" for measure in measures)
    return Table(
        "changes",
        "What changed since the last run on other data",
        tuple(Column(head, numeric=number > 0) for number, head in enumerate(heads)),
        groups,
        Paragraph((PARTS,)) if is_split else None,
    )


def _head(reason: Reason) -> Iterator[Part]:
    yield Strong(reason.classifier)
    match reason.verdict:
        case Verdict.CHANCE:
            yield ": no more than chance would give"
        case Verdict.MIX:
            yield ": the mix of classes changed"
        case Verdict.RATES:
            yield from (": it ", *rates_in_words(reason, figures=False))
        case Verdict.BOTH:
            yield ": the mix of classes changed, and it "
            yield from rates_in_words(reason, figures=False)
        case Verdict.OTHER_CLASSES:
            yield ": other classes than then"
        case Verdict.NEW:
            yield ": new since then"
        case Verdict.UNTESTED:
            yield ": not tested"


def _rows(
    changes: Changes, reason: Reason, measures: tuple[Measure, ...]
) -> Iterator[tuple[Cell, ...]]:
    found = {each.measure: each for each in changes.values if each.classifier == reason.classifier}
    for measure in measures:
        change = found.get(measure.name)
        if change is None or change.then is None or change.now is None:
            continue
        yield _row(change, measure)
        if measure.name == "accuracy" and reason.by_mix is not None:
            yield from _parts_of_accuracy(change, reason)


def _row(change: ValueChange, measure: Measure) -> tuple[Cell, ...]:
    scores = [score for score in (change.then, change.now) if score is not None]
    extra = decimals_to_show(scores, measure)
    then, now = (Value(score, measure, extra_decimals=extra) for score in scores)
    difference, interval = difference_cells(measure, change.difference, change.low, change.high)
    return MeasureName(measure), then, now, difference, interval


def _parts_of_accuracy(change: ValueChange, reason: Reason) -> Iterator[tuple[Cell, ...]]:
    accuracy = known_measure("accuracy")
    decimals = decimals_of_difference(change.difference, change.low, change.high, accuracy)
    for said, part in (("the mix of classes", reason.by_mix), ("the rates", reason.by_rates)):
        yield f"of which by {said}", None, None, DifferenceOf(accuracy, part, decimals), None
