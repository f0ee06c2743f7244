"""Which measure crowns whom: the places of all classifiers in all measures, in one picture."""

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
from reportgen.report.phrases import measure_phrase
from reportgen.report.ranks import (
    classifier_ranks,
    classifier_values,
    evaluated_classifiers,
    is_significantly_better,
)
from reportgen.report.selection import top_classifiers

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.evaluation.evaluation import Evaluation
    from reportgen.report.document import Block
    from reportgen.report.inline import Inline

_MAX_CLASSIFIERS, MAX_MEASURES, _MAX_NAMED, MIN_RANKED = 12, 30, 5, 2
_FAMILY_HEADINGS = {
    MeasureFamily.RANKING: "Over all thresholds",
    MeasureFamily.PROBABILITY: "Probabilities",
    MeasureFamily.REGRESSION: "Errors",
}
_GROUP_ORDER = ("Traditional", "Discriminant", "Further", *_FAMILY_HEADINGS.values())


def build_rank_by_measure_section(evaluation: Evaluation) -> tuple[Block, ...]:
    """Set measures against classifiers, each with its place."""
    measures = _rankable_measures(evaluation)
    alike = _rank_equivalent_measures(evaluation, measures)
    kept = [measure for measure in measures if measure not in alike]
    shown = kept[:MAX_MEASURES]
    rows = {measure: classifier_ranks(evaluation, measure) for measure in shown}
    names = _order_classifiers(evaluation, rows)
    if len(names) < MIN_RANKED or len(shown) < MIN_RANKED or evaluation.spec.dataset_names:
        return ()
    groups = tuple(_rank_groups(evaluation, rows, names))
    columns = tuple((name, evaluation.classifier_index(name)) for name in names)
    note = tuple(_figure_note(evaluation, alike, len(kept) - len(shown)))
    return (
        Figure(
            "ranks",
            "Places by measure",
            RankHeatMap(columns, groups),
            Paragraph(tuple(_figure_description(evaluation, rows, names))),
            Paragraph(note) if note else None,
        ),
    )


def _rankable_measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures in which two classifiers at least have a value and one can be better."""
    return [
        measure
        for measure in evaluation.overall_measures
        if measure.orientation is not Orientation.NEITHER
        and len(classifier_ranks(evaluation, measure)) >= MIN_RANKED
    ]


def _rank_equivalent_measures(
    evaluation: Evaluation, measures: Sequence[Measure]
) -> dict[Measure, Measure]:
    """Return the measures that merely repeat the places of another one that is shown."""
    by_name = {measure.name: measure for measure in measures}
    found = {}
    for measure in measures:
        other = by_name.get(representative_of(measure), measure)
        if other is not measure and classifier_ranks(evaluation, measure) == classifier_ranks(
            evaluation, other
        ):
            found[measure] = other
    return found


def _order_classifiers(evaluation: Evaluation, rows: dict[Measure, dict[str, int]]) -> list[str]:
    """Return the classifiers by their places in all measures; of very many the best."""
    first = Counter(
        name
        for ranks in rows.values()
        if _ranks_differ(ranks)
        for name in ranks
        if ranks[name] == 1
    )
    totals: Counter[str] = Counter()
    for ranks in rows.values():
        totals.update({name: len(ranks) - rank for name, rank in ranks.items()})
    ordered = sorted(
        totals, key=lambda name: (-totals[name], -first[name], evaluation.classifier_index(name))
    )
    kept = top_classifiers(evaluation, _MAX_CLASSIFIERS, _MAX_CLASSIFIERS)
    return [name for name in ordered if name in kept]


def _ranks_differ(ranks: dict[str, int]) -> bool:
    return len(set(ranks.values())) > 1


def _rank_groups(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], names: Sequence[str]
) -> Iterator[RankGroup]:
    """Put measures of a kind together, those that crown the same classifier side by side."""
    by_head: dict[str, list[Measure]] = {head: [] for head in _GROUP_ORDER}
    for measure in rows:
        by_head[_group_heading(measure)].append(measure)
    for head, members in by_head.items():
        members.sort(key=lambda measure: _winner_columns(rows[measure], names))
        if members:
            yield RankGroup(
                head, tuple(_rank_row(evaluation, each, rows[each], names) for each in members)
            )


def _group_heading(measure: Measure) -> str:
    if measure.name in MEASURE_GROUPS["traditional"]:
        return "Traditional"
    if measure.name in MEASURE_GROUPS["discriminant"]:
        return "Discriminant"
    return _FAMILY_HEADINGS.get(measure.family, "Further")


def _winner_columns(ranks: dict[str, int], names: Sequence[str]) -> list[int]:
    """Return the columns of those who are first; where all are equal, behind all others."""
    first = [at for at, name in enumerate(names) if ranks.get(name) == 1]
    return first if _ranks_differ(ranks) and first else [len(names)]


def _rank_row(
    evaluation: Evaluation, measure: Measure, ranks: dict[str, int], names: Sequence[str]
) -> RankRow:
    scores = classifier_values(evaluation, measure)
    often = Counter(ranks.values())
    found = []
    for name in names:
        rank = ranks.get(name)
        tied = rank is not None and often[rank] > 1
        others = [other for other in ranks if other != name]
        backed = is_significantly_better(evaluation, measure, name, others) if rank == 1 else None
        found.append(RankCell(scores.get(name), rank, tied, False if tied else backed))
    return RankRow(measure, tuple(found))


def _figure_description(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], plotted: Sequence[str]
) -> Iterator[Inline]:
    """Say how many measures put whom first, drawn or not, and how many of these the tests back."""
    firsts = {
        measure: [name for name, place in ranks.items() if place == 1]
        for measure, ranks in rows.items()
    }
    alone = {measure: names[0] for measure, names in firsts.items() if len(names) == 1}
    shared = len(rows) - len(alone)
    backing = tuple(_significance_clause(evaluation, rows, alone)) if alone else ()
    said = list(_first_rank_counts(alone.values(), plotted))
    if len(said) == 1 and not shared:
        yield from ("Both",) if len(rows) == MIN_RANKED else ("All ", Count(len(rows)))
        yield from (" measures put ", said[0][1], " first", *backing, ".")
        return
    yield from ("Of ", Count(len(rows)), " measures, ")
    for number, (count, whom) in enumerate(said):
        if number:
            yield " and " if number == len(said) - 1 and not shared else ", "
        yield Count(count)
        yield " " if number else " puts " if count == 1 else " put "
        yield from (whom, "" if number else " first")
    if shared:
        yield from (", and " if said else "", Count(shared))
        yield " has no sole first place" if shared == 1 else " have no sole first place"
    yield from (*backing, ".")


def _first_rank_counts(
    winners: Iterable[str], plotted: Sequence[str]
) -> Iterator[tuple[int, Inline]]:
    """Count how often each is first: those drawn by name, then the others together."""
    counted = Counter(winners)
    named = [(count, name) for name, count in counted.most_common() if name in plotted]
    yield from ((count, Strong(name)) for count, name in named[:_MAX_NAMED])
    if rest := sum(count for count, _ in named[_MAX_NAMED:]):
        yield rest, "somebody else"
    hidden = {name: count for name, count in counted.items() if name not in plotted}
    if hidden:
        one = len(hidden) == 1
        yield (
            sum(hidden.values()),
            "a classifier that is not drawn" if one else "classifiers that are not drawn",
        )


def _significance_clause(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], sole_winners: dict[Measure, str]
) -> Iterator[Inline]:
    """Say how many of the sole first places the tests back."""
    backed = [
        is_significantly_better(
            evaluation, measure, name, [each for each in rows[measure] if each != name]
        )
        for measure, name in sole_winners.items()
    ]
    total, shown, one = len(backed), backed.count(True), len(backed) == 1
    if backed.count(None) == total:
        yield "; it was not tested" if one else "; none of these first places was tested"
    elif one:
        yield "; the tests back it" if shown else "; the tests do not back it"
    elif shown in {0, total}:
        yield f"; the tests back {'all' if shown else 'none'} of these first places"
    else:
        yield from ("; the tests back ", Count(shown), " of these ", Count(total), " first places")


def _figure_note(
    evaluation: Evaluation, equivalents: dict[Measure, Measure], n_omitted: int
) -> Iterator[Inline]:
    total, main = len(evaluated_classifiers(evaluation)), primary_measure(evaluation)
    if total > _MAX_CLASSIFIERS and main is not None:
        yield from ("Of ", Count(total), " classifiers the ", Count(_MAX_CLASSIFIERS))
        yield f" best in {measure_phrase(main)} are shown; places count all of them. "
    if n_omitted > 0:
        yield from (
            Count(n_omitted),
            f" more measure{' is' if n_omitted == 1 else 's are'} not drawn. ",
        )
    if equivalents:
        pairs = (
            f"{measure_phrase(measure)} (as {measure_phrase(other)})"
            for measure, other in equivalents.items()
        )
        why = "it places" if len(equivalents) == 1 else "they place"
        yield f"Not drawn, because {why} all alike by definition: {', '.join(pairs)}."
