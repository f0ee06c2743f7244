"""Differences drawn below each other: measures of one pair, or pairs in the main measures."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.charts.evidence import ForestGroup, ForestPlot, ForestRow
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.main import main_measure
from reportgen.report.findings.standing import standing_places, standing_scores
from reportgen.report.parts import Plain, PValue, Strong
from reportgen.report.sections.pairs.forest_words import (
    finding_of,
    reading_of_pairs,
    who_in_what,
)
from reportgen.report.words.differences import difference_cells, margin_of
from reportgen.report.words.level import level_of
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

# Beyond so many pairs everybody is set against one classifier only.
MOST_PAIRS, MOST_ROWS, MOST_GROUPS, MOST_OF_ONE_PAIR = 15, 36, 4, 8
NO_DIFFERENCE = "–"
PREFERRED = (
    "accuracy",
    "sensitivity",
    "specificity",
    "precision",
    "npv",
    "youden",
    "roc_auc",
    "mcc",
    "kappa",
    "f1",
    "rmse",
    "mae",
)


@frozen
class _Anchor:
    """The one classifier that all others are set against, and whether it is named first."""

    name: str
    first: bool


def forest(
    evaluation: Evaluation, *, most_groups: int = MOST_GROUPS, most_rows: int = MOST_ROWS
) -> Figure | None:
    """Draw the differences in the main measures; None where nothing was tested."""
    rows = [row for row in evaluation.differences if row.decisive and row.class_ is None]
    main = main_measure(evaluation)
    if main is None or not any(row.measure == main.name for row in rows):
        return None
    pairs = list(dict.fromkeys((row.first, row.second) for row in rows if row.measure == main.name))
    measures = _measures(evaluation, main, rows)
    if len(pairs) == 1:
        return _of_one_pair(evaluation, pairs[0], measures[: min(MOST_OF_ONE_PAIR, most_rows)])
    anchor = _anchor(evaluation, main, len(pairs))
    if anchor is not None:
        turned = [_turned(pair, anchor) for pair in pairs if anchor.name in pair]
        order = list(standing_places(evaluation, main))
        pairs = sorted(turned, key=lambda pair: _place(order, pair, anchor))
    fit = max(1, min(most_groups, most_rows // len(pairs)))
    return _of_pairs(evaluation, pairs, measures[:fit], anchor)


def _measures(evaluation: Evaluation, main: Measure, rows: Sequence[Difference]) -> list[Measure]:
    """Return the main measure, and those that share its axis and its better side."""
    tested = {row.measure for row in rows}
    asked = [find_measure(name) for name in PREFERRED]
    found = [
        measure
        for measure in asked
        if measure in evaluation.main_measures
        and measure.name in tested
        and measure.orientation is main.orientation
        and measure.range.high == main.range.high
        and measure is not main
    ]
    # Of measures without an upper end only errors are in the same unit.
    return [main, *(found if main.range.high == 1 or main.name in {"rmse", "mae"} else ())]


def _anchor(evaluation: Evaluation, main: Measure, pairs: int) -> _Anchor | None:
    baseline = evaluation.spec.comparison.baseline
    if baseline is not None:
        return _Anchor(baseline, first=False)
    if pairs <= MOST_PAIRS:
        return None
    return _Anchor(next(iter(standing_places(evaluation, main))), first=True)


def _turned(pair: tuple[str, str], anchor: _Anchor) -> tuple[str, str]:
    other = pair[1] if pair[0] == anchor.name else pair[0]
    return (anchor.name, other) if anchor.first else (other, anchor.name)


def _place(order: Sequence[str], pair: tuple[str, str], anchor: _Anchor) -> int:
    other = _label(pair, anchor)[0]
    return order.index(other) if other in order else len(order)


def _of_one_pair(
    evaluation: Evaluation, pair: tuple[str, str], measures: Sequence[Measure]
) -> Figure:
    first, second = pair
    found = [(measure, _about(evaluation, measure, pair)) for measure in measures]
    rows = tuple(
        _row(evaluation, measure, test, (measure.title, ""))
        for measure, test in found
        if test is not None
    )
    return Figure(
        "differences-drawn",
        f"{first} minus {second}, measure by measure",
        _plot(evaluation, measures[0], (first, second), (ForestGroup("", rows),)),
        Paragraph(tuple(who_in_what(pair, found))),
        Paragraph((_what_lines_are(evaluation),)),
    )


def _of_pairs(
    evaluation: Evaluation,
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[Measure],
    anchor: _Anchor | None,
) -> Figure:
    groups = []
    for measure in measures:
        tests = {pair: _about(evaluation, measure, pair) for pair in pairs[:MOST_ROWS]}
        rows = tuple(
            replace(_row(evaluation, measure, test, _label(pair, anchor)), pair=pair)
            for pair, test in tests.items()
            if test is not None
        )
        head = measure.title if len(measures) > 1 or anchor is not None else ""
        groups.append(ForestGroup(head + _against(anchor), rows))
    sides = ("the first", "the second")
    if anchor is not None:
        sides = (anchor.name, "the other") if anchor.first else ("the other", anchor.name)
    return Figure(
        "differences-drawn",
        "Differences in the main measures"
        if len(measures) > 1
        else f"Differences in {inside_a_sentence(measures[0])}",
        _plot(evaluation, measures[0], sides, tuple(groups)),
        Paragraph(tuple(reading_of_pairs(groups))),
        Paragraph((*_why_few(evaluation, measures[0], anchor), _what_lines_are(evaluation))),
    )


def _plot(
    evaluation: Evaluation,
    main: Measure,
    sides: tuple[str, str],
    groups: tuple[ForestGroup, ...],
) -> ForestPlot:
    """Name at each end of the axis who is better there: where lower is better, the other way."""
    first, second = sides
    higher = main.orientation is Orientation.HIGHER
    return ForestPlot(
        left=second if higher else first,
        right=first if higher else second,
        groups=groups,
        difference_head=("difference (", level_of(evaluation), " interval)"),
        p_head="p" if evaluation.spec.comparison.correction == "none" else "adjusted p",
    )


def _about(evaluation: Evaluation, measure: Measure, pair: tuple[str, str]) -> Difference | None:
    return evaluation.evidence.about(*pair, None, measure.name)


def _row(
    evaluation: Evaluation, measure: Measure, test: Difference, label: tuple[str, str]
) -> ForestRow:
    difference, interval = difference_cells(measure, test.difference, test.low, test.high)
    between: tuple[Part, ...] = () if interval is None else (" (", interval, ")")
    without = _not_finite(evaluation, measure, test) if difference is None else ""
    return ForestRow(
        label[0],
        test.difference,
        test.low,
        test.high,
        finding_of(test),
        (difference or without, *between),
        PValue(test.p_adjusted),
        margin_of(evaluation, measure.name),
        label[1],
    )


def _not_finite(evaluation: Evaluation, measure: Measure, test: Difference) -> Part:
    """Write a difference that is no finite number: with its sign, or as there being none."""
    scores = standing_scores(evaluation, measure)
    found = (scores.get(name) for name in (test.first, test.second))
    first, second = (None if score is None else score.number for score in found)
    # Of two infinite values nobody knows by how much they differ.
    if first is None or second is None or math.isinf(first) == math.isinf(second):
        return NO_DIFFERENCE
    return Plain(first - second)


def _label(pair: tuple[str, str], anchor: _Anchor | None) -> tuple[str, str]:
    if anchor is None:
        return pair
    return (pair[1] if anchor.first else pair[0]), ""


def _against(anchor: _Anchor | None) -> str:
    if anchor is None:
        return ""
    return f": {anchor.name} minus …" if anchor.first else f": … minus {anchor.name}"


def _why_few(evaluation: Evaluation, main: Measure, anchor: _Anchor | None) -> Iterator[Part]:
    if anchor is not None and anchor.first:
        tied = list(standing_places(evaluation, main).values()).count(1) > 1
        yield "There are too many pairs to draw all: everybody is set against "
        yield Strong(anchor.name)
        yield ", one of the best in " if tied else ", the best in "
        yield f"{inside_a_sentence(main)}. "


def _what_lines_are(evaluation: Evaluation) -> str:
    tested = sum(row.is_tested for row in evaluation.differences)
    if tested <= 1:
        return "The line is the interval of the difference."
    if evaluation.spec.comparison.correction == "none":
        return "Neither lines nor verdicts are adjusted for the number of differences."
    return (
        "Lines are intervals of one difference each; the verdicts are adjusted for all differences"
        " tested, so a line that stays clear of 0 may still be open."
    )
