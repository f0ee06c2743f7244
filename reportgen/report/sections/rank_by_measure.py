"""Ranking by measure: the ranks of all classifiers on all measures as a heat map."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.measures import (
    MEASURE_GROUPS,
    Measure,
    MeasureFamily,
    Orientation,
    representative_of,
)
from reportgen.report.charts import RankCell, RankGroup, RankHeatMap, RankRow
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.comparisons import primary_measure
from reportgen.report.inline import Count, Strong
from reportgen.report.phrases import NOT_SIGNIFICANT, measure_phrase
from reportgen.report.ranks import (
    classifier_ranks,
    classifier_values,
    evaluated_classifiers,
    is_significantly_better,
)
from reportgen.report.selection import (
    classifier_color,
    is_full_detail,
    is_section_included,
    top_classifiers,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline

_MAX_CLASSIFIERS, MAX_MEASURES, _MAX_NAMED, MIN_RANKED = 12, 30, 5, 2
_PAIR = 2
_FAMILY_HEADINGS = {
    MeasureFamily.ORDINAL: "Ordinal",
    MeasureFamily.RANKING: "Threshold-free",
    MeasureFamily.PROBABILITY: "Probabilities",
    MeasureFamily.REGRESSION: "Errors",
}
_GROUP_ORDER = ("Standard", "Diagnostic", "Additional", *_FAMILY_HEADINGS.values())


def build_rank_by_measure_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Return the heat map of ranks by measure and classifier.

    Below full detail it is left out where one classifier ranks first in all, and of two
    classifiers unless each is significantly better on some measure: the signs of their differences
    are their ranks.
    """
    figure = rank_figure(evaluation)
    if figure is None:
        return ()
    chart = figure.chart
    if isinstance(chart, RankHeatMap) and not is_full_detail(evaluation):
        with_differences = is_section_included(evaluation, "comparisons")
        adds_nothing = with_differences and not _has_two_significant_winners(chart)
        if _has_one_winner(chart) or (len(chart.classifiers) == _PAIR and adds_nothing):
            return ()
    return (figure,)


def rank_figure(evaluation: Evaluation) -> Figure | None:
    """Return the heat map of ranks by measure and classifier; None if there is little to rank."""
    measures = _rankable_measures(evaluation)
    equivalents = _rank_equivalent_measures(evaluation, measures)
    distinct = [measure for measure in measures if measure not in equivalents]
    displayed = distinct[:MAX_MEASURES]
    rows = {measure: classifier_ranks(evaluation, measure) for measure in displayed}
    ranked = {name for ranks in rows.values() for name in ranks}
    names = top_classifiers(evaluation, _MAX_CLASSIFIERS, _MAX_CLASSIFIERS, ranked)
    if len(names) < MIN_RANKED or len(displayed) < MIN_RANKED or evaluation.spec.dataset_names:
        return None
    groups = tuple(_rank_groups(evaluation, rows, names))
    columns = tuple((name, classifier_color(evaluation, name)) for name in names)
    note = tuple(_figure_note(evaluation, equivalents, len(distinct) - len(displayed)))
    return Figure(
        "ranks",
        "Rank on each measure",
        RankHeatMap(columns, groups),
        Paragraph(tuple(_figure_description(evaluation, rows, names))),
        Paragraph(note) if note else None,
    )


def _has_one_winner(grid: RankHeatMap) -> bool:
    """Return whether the same classifier ranks first on all measures that are not tied.

    The tables of measures mark the best values, so that such a grid would add nothing.
    """
    rows = [[cell.rank for cell in row.cells] for group in grid.groups for row in group.rows]
    first = {tuple(rank == 1 for rank in ranks) for ranks in rows if len({*ranks} - {None}) > 1}
    return len(first) <= 1


def _has_two_significant_winners(grid: RankHeatMap) -> bool:
    """Return whether different classifiers are significantly best on some measure."""
    winners = {
        place
        for group in grid.groups
        for row in group.rows
        for place, cell in enumerate(row.cells)
        if cell.rank == 1 and cell.significant
    }
    return len(winners) > 1


def _rankable_measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures with an orientation and values for at least two classifiers."""
    return [
        measure
        for measure in evaluation.overall_measures
        if measure.orientation is not Orientation.NEITHER
        and len(classifier_ranks(evaluation, measure)) >= MIN_RANKED
    ]


def _rank_equivalent_measures(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> dict[Measure, Measure]:
    """Return the measures that rank all classifiers like another displayed measure."""
    by_name = {measure.name: measure for measure in measures}
    equivalents = {}
    for measure in measures:
        other = by_name.get(representative_of(measure), measure)
        if other is not measure and classifier_ranks(evaluation, measure) == classifier_ranks(
            evaluation, other
        ):
            equivalents[measure] = other
    return equivalents


def _ranks_differ(ranks: dict[str, int]) -> bool:
    return len(set(ranks.values())) > 1


def _rank_groups(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], names: Sequence[str]
) -> Iterator[RankGroup]:
    """Yield groups of measures, sorted by their best classifier."""
    by_head: dict[str, list[Measure]] = {head: [] for head in _GROUP_ORDER}
    for measure in rows:
        by_head[_group_heading(measure)].append(measure)
    for head, members in by_head.items():
        members.sort(key=lambda measure: _winner_columns(rows[measure], names))
        if members:
            yield RankGroup(
                head,
                tuple(_rank_row(evaluation, measure, rows[measure], names) for measure in members),
            )


def _group_heading(measure: Measure) -> str:
    if measure.name in MEASURE_GROUPS["traditional"]:
        return "Standard"
    if measure.name in MEASURE_GROUPS["discriminant"]:
        return "Diagnostic"
    return _FAMILY_HEADINGS.get(measure.family, "Additional")


def _winner_columns(ranks: dict[str, int], names: Sequence[str]) -> list[int]:
    """Return the columns of the best classifiers; past the last where all are tied."""
    first = [index for index, name in enumerate(names) if ranks.get(name) == 1]
    return first if _ranks_differ(ranks) and first else [len(names)]


def _rank_row(
    evaluation: Evaluation, measure: Measure, ranks: dict[str, int], names: Sequence[str]
) -> RankRow:
    scores = classifier_values(evaluation, measure)
    frequencies = Counter(ranks.values())
    cells = []
    for name in names:
        rank = ranks.get(name)
        tied = rank is not None and frequencies[rank] > 1
        others = [other for other in ranks if other != name]
        significant = (
            is_significantly_better(evaluation, measure, name, others) if rank == 1 else None
        )
        cells.append(RankCell(scores.get(name), rank, tied, False if tied else significant))
    return RankRow(measure, tuple(cells))


def _figure_description(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], plotted: Sequence[str]
) -> Iterator[Inline]:
    """Yield how many measures rank each classifier first and how many of these are significant."""
    first_ranked = {
        measure: [name for name, rank in ranks.items() if rank == 1]
        for measure, ranks in rows.items()
    }
    sole_winners = {measure: names[0] for measure, names in first_ranked.items() if len(names) == 1}
    shared = len(rows) - len(sole_winners)
    significance = (
        tuple(_significance_clause(evaluation, rows, sole_winners)) if sole_winners else ()
    )
    winners = list(_first_rank_counts(sole_winners.values(), plotted))
    if len(winners) == 1 and not shared:
        yield from (winners[0][1], " ranks first on ")
        yield from ("both",) if len(rows) == MIN_RANKED else ("all ", Count(len(rows)))
        yield from (" measures", *significance, ".")
        return
    yield from ("First ranks on ", Count(len(rows)), " measures: ")
    for number, (count, name) in enumerate(winners):
        yield from (", " if number else "", name, " ", Count(count))
    if shared:
        yield from ("; " if winners else "", "tied for first: ", Count(shared))
    yield from (*significance, ".")


def _first_rank_counts(
    winners: Iterable[str], plotted: Sequence[str]
) -> Iterator[tuple[int, Inline]]:
    """Yield the number of first ranks by classifier, those without a column together."""
    counts = Counter(winners)
    visible = [(count, name) for name, count in counts.most_common() if name in plotted]
    yield from ((count, Strong(name)) for count, name in visible[:_MAX_NAMED])
    if n_other := sum(count for count, _ in visible[_MAX_NAMED:]):
        yield n_other, "others"
    hidden = {name: count for name, count in counts.items() if name not in plotted}
    if hidden:
        is_single = len(hidden) == 1
        yield (
            sum(hidden.values()),
            "one classifier not shown" if is_single else "classifiers not shown",
        )


def _significance_clause(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], sole_winners: dict[Measure, str]
) -> Iterator[Inline]:
    """Yield how many of the sole first ranks are significant."""
    outcomes = [
        is_significantly_better(
            evaluation, measure, name, [other for other in rows[measure] if other != name]
        )
        for measure, name in sole_winners.items()
    ]
    total, significant = len(outcomes), outcomes.count(True)
    if outcomes.count(None) == total:
        yield " (not tested)"
    elif total == 1:
        yield " (significant)" if significant else f" ({NOT_SIGNIFICANT})"
    elif significant == total:
        yield " (all significant)"
    else:
        yield from (" (", Count(significant) if significant else "none", " significant)")


def _figure_note(
    evaluation: Evaluation, equivalents: dict[Measure, Measure], n_omitted: int
) -> Iterator[Inline]:
    total, main = len(evaluated_classifiers(evaluation)), primary_measure(evaluation)
    if total > _MAX_CLASSIFIERS and main is not None:
        yield from ("Best ", Count(_MAX_CLASSIFIERS), " of ", Count(total))
        yield f" classifiers by {measure_phrase(main)}; ranks are among all of them. "
    if n_omitted > 0:
        yield from (
            Count(n_omitted),
            f" more measure{' is' if n_omitted == 1 else 's are'} not shown. ",
        )
    if equivalents:
        pairs = (
            f"{measure_phrase(measure)} (as {measure_phrase(other)})"
            for measure, other in equivalents.items()
        )
        yield f"Omitted (same ranking by construction): {', '.join(pairs)}."
