"""Forest plots of differences: measures of one pair, or pairs in the main measures."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.evaluation.comparison import Comparison, Decision
from reportgen.measures import Measure, Orientation, find_measure
from reportgen.report.charts import ForestGroup, ForestPlot, ForestRow
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.formatting import (
    confidence_level,
    difference_cells,
    difference_unit,
    equivalence_margin,
    percentage_points_note,
)
from reportgen.report.inline import Count, PlainNumber, PValue, Strong
from reportgen.report.phrases import (
    NO_DIFFERENCE,
    NOT_SIGNIFICANT,
    join_names,
    measure_phrase,
)
from reportgen.report.ranks import classifier_ranks, classifier_values
from reportgen.report.selection import classifiers_best_first

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.inline import Inline


# Descriptions of forest plots.

_MAX_LISTED_PAIRS = 6
# Outcomes other than a significant difference.
_OTHER_OUTCOMES = {
    Decision.EQUIVALENT: " equivalent",
    Decision.TIED: " tied",
    Decision.UNDECIDED: f" {NOT_SIGNIFICANT}",
    None: " not tested",
}


def tested_decision(comparison: Comparison) -> Decision | None:
    """Return the decision of a test; None: not tested, and the values differ."""
    return (
        None
        if comparison.p is None and comparison.verdict is not Decision.TIED
        else comparison.verdict
    )


def describe_measures_of_pair(
    pair: tuple[str, str], comparisons: Sequence[tuple[Measure, Comparison | None]]
) -> Iterator[Inline]:
    """Yield in which measures either classifier is significantly better, and the rest."""
    tests = [(measure, tested_decision(test)) for measure, test in comparisons if test is not None]
    superior = any(finding is Decision.SUPERIOR for _, finding in tests)
    others = "" if superior else "significantly better: "
    outcomes: tuple[tuple[Decision | None, tuple[Inline, ...]], ...] = (
        (Decision.SUPERIOR, ("significantly better: ", Strong(pair[0]), " in ")),
        (Decision.INFERIOR, (others, Strong(pair[1]), " in ")),
        (Decision.EQUIVALENT, ("equivalent in ",)),
        (Decision.TIED, ("tied in ",)),
        (Decision.UNDECIDED, (f"{NO_DIFFERENCE} in ",)),
        (None, ("not tested: ",)),
    )
    clauses: list[tuple[Inline, ...]] = []
    for decision, phrase in outcomes:
        names = [measure_phrase(measure) for measure, finding in tests if finding is decision]
        if names:
            titles = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
            clauses.append((*phrase, titles))
    for number, (begin, *clause_parts) in enumerate(clauses):
        if number:
            yield "; "
        yield begin if number or not isinstance(begin, str) else begin[:1].upper() + begin[1:]
        yield from clause_parts
    yield "."


def describe_pairs(groups: Sequence[ForestGroup]) -> Iterator[Inline]:
    """Yield who is significantly better than whom, or the number of significant differences."""
    rows = [row for group in groups for row in group.rows]
    wins = _wins_by_classifier(rows) if len(groups) == 1 and len(rows) <= _MAX_LISTED_PAIRS else {}
    if not wins:
        yield from _count_significant(rows)
        return
    for number, (winner, losers) in enumerate(wins.items()):
        yield from ("; " if number else "", Strong(winner), " is significantly better than ")
        yield from join_names(losers)
    counts = _count_nonsignificant(rows)
    for number, (count, phrase) in enumerate(counts):
        yield from _conjunction(number, len(counts))
        yield Count(count)
        yield "" if number else f" of {len(rows)} pairs"
        yield phrase
    yield from _full_stop(counts)


def _wins_by_classifier(rows: Sequence[ForestRow]) -> dict[str, list[str]]:
    wins: dict[str, list[str]] = {}
    for row in rows:
        if row.pair is not None and row.decision is not None and row.decision.is_decided:
            first = row.decision is Decision.SUPERIOR
            winner, loser = row.pair if first else row.pair[::-1]
            wins.setdefault(winner, []).append(loser)
    return wins


def _count_significant(rows: Sequence[ForestRow]) -> Iterator[Inline]:
    n_significant = sum(row.decision is not None and row.decision.is_decided for row in rows)
    yield Count(n_significant) if n_significant else "None"
    yield from (" of ", Count(len(rows)), " differences significant")
    counts = _count_nonsignificant(rows)
    for number, (count, phrase) in enumerate(counts):
        yield from (*_conjunction(number, len(counts)), Count(count), phrase)
    yield from _full_stop(counts)


def _count_nonsignificant(rows: Sequence[ForestRow]) -> list[tuple[int, str]]:
    """Return the counts of the other outcomes with their names."""
    counts = Counter(row.decision for row in rows)
    return [
        (counts[decision], phrase)
        for decision, phrase in _OTHER_OUTCOMES.items()
        if counts[decision]
    ]


def _full_stop(outcomes: Sequence[tuple[int, str]]) -> tuple[str, ...]:
    """Return a full stop, unless the last outcome ends with one."""
    return () if outcomes and outcomes[-1][1].endswith(".") else (".",)


def _conjunction(number: int, total: int) -> tuple[str]:
    if not number:
        return ("; ",)
    return (" and " if number == total - 1 else ", ",)


# With more pairs, all classifiers are compared with one reference only.
_MAX_PAIRS, _MAX_ROWS, _MAX_GROUPS, _MAX_SINGLE_PAIR_ROWS = 15, 36, 4, 8
_UNDEFINED_DIFFERENCE = "–"
PREFERRED_MEASURES = (
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
    "sample_jaccard",
    "sample_f1",
    "linear_kappa",
    "within_one",
)


@dataclass(frozen=True, slots=True)
class _ReferenceClassifier:
    """The reference classifier, and whether it comes first in the differences."""

    name: str
    is_first: bool


def build_forest_plot(
    evaluation: Evaluation, *, max_groups: int = _MAX_GROUPS, max_rows: int = _MAX_ROWS
) -> Figure | None:
    """Return the forest plot of the main measures; None where nothing was tested."""
    rows = [row for row in evaluation.comparisons if row.primary_test and row.class_ is None]
    main = primary_measure(evaluation)
    if main is None or not any(row.measure == main.name for row in rows):
        return None
    pairs = _pairs_best_first(
        evaluation, {(row.first, row.second) for row in rows if row.measure == main.name}
    )
    measures = _forest_measures(evaluation, main, rows)
    if len(pairs) == 1:
        return _single_pair_figure(
            evaluation, pairs[0], measures[: min(_MAX_SINGLE_PAIR_ROWS, max_rows)]
        )
    anchor = _choose_reference(evaluation, main, len(pairs))
    if anchor is not None:
        oriented = [_orient_pair(pair, anchor) for pair in pairs if anchor.name in pair]
        order = list(classifier_ranks(evaluation, main))
        pairs = sorted(oriented, key=lambda pair: _rank_of_other(order, pair, anchor))
    fit = max(1, min(max_groups, max_rows // len(pairs)))
    return _pairs_figure(evaluation, pairs, measures[:fit], anchor)


def _pairs_best_first(
    evaluation: Evaluation, pairs: Collection[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Return the pairs in the order of the tables: the better classifier comes first."""
    names = classifiers_best_first(evaluation)
    return [
        pair
        for pair in itertools.combinations(names, 2)
        if pair in pairs or (pair[1], pair[0]) in pairs
    ]


def _forest_measures(
    evaluation: Evaluation, primary: Measure, rows: Sequence[Comparison]
) -> list[Measure]:
    """Return the primary measure and those with the same range and orientation."""
    tested = {row.measure for row in rows}
    preferred_measures = [find_measure(name) for name in PREFERRED_MEASURES]
    measures = [
        measure
        for measure in preferred_measures
        if measure in evaluation.overall_measures
        and measure.name in tested
        and measure.orientation is primary.orientation
        and measure.range.high == primary.range.high
        and measure is not primary
    ]
    # Among unbounded measures, only RMSE and MAE have the same unit.
    return [
        primary,
        *(measures if primary.range.high == 1 or primary.name in {"rmse", "mae"} else ()),
    ]


def _choose_reference(
    evaluation: Evaluation, primary: Measure, n_pairs: int
) -> _ReferenceClassifier | None:
    baseline = evaluation.spec.comparison.baseline
    if baseline is not None:
        return _ReferenceClassifier(baseline, is_first=False)
    if n_pairs <= _MAX_PAIRS:
        return None
    return _ReferenceClassifier(next(iter(classifier_ranks(evaluation, primary))), is_first=True)


def _orient_pair(pair: tuple[str, str], reference: _ReferenceClassifier) -> tuple[str, str]:
    other = pair[1] if pair[0] == reference.name else pair[0]
    return (reference.name, other) if reference.is_first else (other, reference.name)


def _rank_of_other(
    ranking: Sequence[str], pair: tuple[str, str], reference: _ReferenceClassifier
) -> int:
    other = _row_label(pair, reference)[0]
    return ranking.index(other) if other in ranking else len(ranking)


def _single_pair_figure(
    evaluation: Evaluation, pair: tuple[str, str], measures: Sequence[Measure]
) -> Figure:
    first, second = pair
    comparisons = [(measure, _find_comparison(evaluation, measure, pair)) for measure in measures]
    rows = tuple(
        _forest_row(evaluation, measure, test, (measure.title, ""))
        for measure, test in comparisons
        if test is not None
    )
    return Figure(
        "differences-drawn",
        f"{first} − {second} on each measure",
        _forest_chart(evaluation, measures, (first, second), (ForestGroup("", rows),)),
        Paragraph(tuple(describe_measures_of_pair(pair, comparisons))),
        Paragraph((_interval_note(evaluation, measures),)),
    )


def _pairs_figure(
    evaluation: Evaluation,
    pairs: Sequence[tuple[str, str]],
    measures: Sequence[Measure],
    reference: _ReferenceClassifier | None,
) -> Figure:
    groups = []
    for measure in measures:
        tests = {pair: _find_comparison(evaluation, measure, pair) for pair in pairs[:_MAX_ROWS]}
        rows = tuple(
            replace(_forest_row(evaluation, measure, test, _row_label(pair, reference)), pair=pair)
            for pair, test in tests.items()
            if test is not None
        )
        head = measure.title if len(measures) > 1 or reference is not None else ""
        groups.append(ForestGroup(head + _reference_heading(reference), rows))
    sides = ("the first", "the second")
    if reference is not None:
        sides = (
            (reference.name, "the other") if reference.is_first else ("the other", reference.name)
        )
    return Figure(
        "differences-drawn",
        "Differences in the main measures"
        if len(measures) > 1
        else f"Differences in {measure_phrase(measures[0])}",
        _forest_chart(evaluation, measures, sides, tuple(groups)),
        Paragraph(tuple(describe_pairs(groups))),
        Paragraph(
            (
                *_reference_note(evaluation, measures[0], reference),
                _interval_note(evaluation, measures),
            )
        ),
    )


def _forest_chart(
    evaluation: Evaluation,
    measures: Sequence[Measure],
    side_labels: tuple[str, str],
    groups: tuple[ForestGroup, ...],
) -> ForestPlot:
    """Return the chart, each side labelled by the classifier that it favours."""
    first, second = side_labels
    units = {difference_unit(measure) for measure in measures}
    higher = measures[0].orientation is Orientation.HIGHER
    return ForestPlot(
        favours_left=second if higher else first,
        favours_right=first if higher else second,
        groups=groups,
        difference_head=("difference (", confidence_level(evaluation), " CI)"),
        p_head="p" if evaluation.spec.comparison.correction == "none" else "adjusted p",
        unit=units.pop() if len(units) == 1 else "",
    )


def _find_comparison(
    evaluation: Evaluation, measure: Measure, pair: tuple[str, str]
) -> Comparison | None:
    return evaluation.comparison_index.find(*pair, None, measure.name)


def _forest_row(
    evaluation: Evaluation, measure: Measure, comparison: Comparison, label: tuple[str, str]
) -> ForestRow:
    difference, interval = difference_cells(
        measure, comparison.difference, *comparison.reported_limits
    )
    interval_text: tuple[Inline, ...] = () if interval is None else (" (", interval, ")")
    missing_text = (
        _infinite_difference(evaluation, measure, comparison) if difference is None else ""
    )
    return ForestRow(
        label[0],
        comparison.difference,
        *comparison.reported_limits,
        tested_decision(comparison),
        (difference or missing_text, *interval_text),
        PValue(comparison.p_adjusted),
        equivalence_margin(evaluation, measure.name),
        label[1],
    )


def _infinite_difference(
    evaluation: Evaluation, measure: Measure, comparison: Comparison
) -> Inline:
    """Return the text of a difference that is infinite or undefined."""
    scores = classifier_values(evaluation, measure)
    values = (scores.get(name) for name in (comparison.first, comparison.second))
    first, second = (None if score is None else score.number for score in values)
    # The difference of two infinite values is undefined.
    if first is None or second is None or math.isinf(first) == math.isinf(second):
        return _UNDEFINED_DIFFERENCE
    return PlainNumber(first - second)


def _row_label(pair: tuple[str, str], reference: _ReferenceClassifier | None) -> tuple[str, str]:
    if reference is None:
        return pair
    return (pair[1] if reference.is_first else pair[0]), ""


def _reference_heading(reference: _ReferenceClassifier | None) -> str:
    if reference is None:
        return ""
    return f": {reference.name} − …" if reference.is_first else f": … − {reference.name}"


def _reference_note(
    evaluation: Evaluation, primary: Measure, reference: _ReferenceClassifier | None
) -> Iterator[Inline]:
    if reference is not None and reference.is_first:
        tied = list(classifier_ranks(evaluation, primary).values()).count(1) > 1
        yield "Shown against "
        yield Strong(reference.name)
        yield ", one of the best classifiers in " if tied else ", the best classifier in "
        yield f"{measure_phrase(primary)}. "


def _interval_note(evaluation: Evaluation, measures: Sequence[Measure]) -> str:
    tested = sum(row.is_tested for row in evaluation.comparisons)
    if tested <= 1:
        note = "Line: confidence interval of the difference."
    elif evaluation.spec.comparison.correction == "none":
        note = "Neither CIs nor p-values are adjusted for multiplicity."
    else:
        note = (
            "CIs are simultaneous: they hold for all comparisons at once and agree with adjusted p."
        )
    return f"{note} {percentage_points_note(measures)}".rstrip()
