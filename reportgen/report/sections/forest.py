"""Differences drawn below each other: measures of one pair, or pairs in the main measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.comparisons import Difference, Finding
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.differences import difference_cells, margin_of
from reportgen.report.document import Count, Figure, Paragraph, PValue, Strong
from reportgen.report.evidence_charts import ForestGroup, ForestPlot, ForestRow
from reportgen.report.findings import main_measure
from reportgen.report.standing import standing_places
from reportgen.report.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.document import Part
    from reportgen.report.evaluation import Evaluation

PERCENT = 100
# Beyond so many pairs everybody is set against one classifier only.
MOST_PAIRS, MOST_ROWS, MOST_GROUPS, MOST_OF_ONE_PAIR, FEW_PAIRS = 15, 36, 4, 8, 6
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


@dataclass(frozen=True, slots=True)
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
        Paragraph(tuple(_who_in_what(pair, found))),
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
            _row(evaluation, measure, test, _label(pair, anchor))
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
        Paragraph(tuple(_reading(evaluation, measures, pairs, groups))),
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
        difference_head=f"difference ({PERCENT * evaluation.spec.intervals.level:g} % interval)",
        p_head="p" if evaluation.spec.comparison.correction == "none" else "adjusted p",
    )


def _about(evaluation: Evaluation, measure: Measure, pair: tuple[str, str]) -> Difference | None:
    return evaluation.evidence.about(*pair, None, measure.name)


def _row(
    evaluation: Evaluation, measure: Measure, test: Difference, label: tuple[str, str]
) -> ForestRow:
    difference, interval = difference_cells(measure, test.difference, test.low, test.high)
    between: tuple[Part, ...] = () if interval is None else (" (", interval, ")")
    return ForestRow(
        label[0],
        test.difference,
        test.low,
        test.high,
        None if test.p is None else test.verdict,
        ("∞" if difference is None else difference, *between),
        PValue(test.p_adjusted),
        margin_of(evaluation, measure.name),
        label[1],
    )


def _label(pair: tuple[str, str], anchor: _Anchor | None) -> tuple[str, str]:
    if anchor is None:
        return pair
    return (pair[1] if anchor.first else pair[0]), ""


def _against(anchor: _Anchor | None) -> str:
    if anchor is None:
        return ""
    return f": {anchor.name} minus …" if anchor.first else f": … minus {anchor.name}"


def _who_in_what(
    pair: tuple[str, str], found: Sequence[tuple[Measure, Difference | None]]
) -> Iterator[Part]:
    """Say in which measures the tests show whom to be better, and which are open."""
    superior = any(test and test.verdict is Finding.SUPERIOR for _, test in found)
    others = "" if superior else "the tests show "
    wanted = (
        (Finding.SUPERIOR, ("the tests show ", Strong(pair[0]), " better in ")),
        (Finding.INFERIOR, (others, Strong(pair[1]), " better in ")),
        (Finding.EQUIVALENT, ("the two are equivalent in ",)),
        (None, ("they are not told apart in ",)),
    )
    settled = {Finding.SUPERIOR, Finding.INFERIOR, Finding.EQUIVALENT}
    clauses: list[tuple[Part, ...]] = []
    for finding, words in wanted:
        names = [
            inside_a_sentence(measure)
            for measure, test in found
            if test is not None
            and (test.verdict if test.verdict in settled and test.p is not None else None)
            == finding
        ]
        if names:
            listed = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
            clauses.append((*words, listed))
    for number, (begin, *rest) in enumerate(clauses):
        if number:
            yield "; "
        yield begin if number or not isinstance(begin, str) else begin[:1].upper() + begin[1:]
        yield from rest
    yield "."


def _reading(
    evaluation: Evaluation,
    measures: Sequence[Measure],
    pairs: Sequence[tuple[str, str]],
    groups: Sequence[ForestGroup],
) -> Iterator[Part]:
    """Say who is better than whom where that is short, else how many differences are shown."""
    wins: dict[str, list[str]] = {}
    for first, second in pairs if len(measures) == 1 and len(pairs) <= FEW_PAIRS else ():
        test = _about(evaluation, measures[0], (first, second))
        if test is not None and test.p is not None and test.verdict is Finding.SUPERIOR:
            wins.setdefault(first, []).append(second)
        elif test is not None and test.p is not None and test.verdict is Finding.INFERIOR:
            wins.setdefault(second, []).append(first)
    if not wins:
        yield from _how_many(groups)
        return
    for number, (winner, losers) in enumerate(wins.items()):
        yield from ("; " if number else "The tests show ", Strong(winner), " better than ")
        yield from names_in_a_row(losers)
    shown = sum(map(len, wins.values()))
    if rest := len(pairs) - shown:
        yield from ("; ", Count(rest), " of ", Count(len(pairs)))
        yield " pairs is not told apart" if rest == 1 else " pairs are not told apart"
    yield "."


def _how_many(groups: Sequence[ForestGroup]) -> Iterator[Part]:
    rows = [row for group in groups for row in group.rows]
    shown = sum(row.finding in {Finding.SUPERIOR, Finding.INFERIOR} for row in rows)
    equal = sum(row.finding is Finding.EQUIVALENT for row in rows)
    yield from ("Of ", Count(len(rows)), " differences drawn, the tests show ")
    yield Count(shown) if shown else "none"
    if equal:
        yield from (", ", Count(equal), " are within the margin")
    if rest := len(rows) - shown - equal:
        yield from (", and ", Count(rest), " is open" if rest == 1 else " are open")
    yield "."


def _why_few(evaluation: Evaluation, main: Measure, anchor: _Anchor | None) -> Iterator[Part]:
    if anchor is not None and anchor.first:
        tied = list(standing_places(evaluation, main).values()).count(1) > 1
        yield "There are too many pairs to draw all: everybody is set against "
        yield Strong(anchor.name)
        yield ", one of the best in " if tied else ", the best in "
        yield f"{inside_a_sentence(main)}. "


def _what_lines_are(evaluation: Evaluation) -> str:
    if evaluation.spec.comparison.correction == "none":
        return "Neither lines nor verdicts are adjusted for the number of differences."
    return (
        "Lines are intervals of one difference each; the verdicts are adjusted for all differences"
        " tested, so a line that stays clear of 0 may still be open."
    )
