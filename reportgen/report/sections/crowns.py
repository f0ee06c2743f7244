"""Which measure crowns whom: the places of all classifiers in all measures, in one picture."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.measures import GROUPS, Family, Measure, Orientation
from reportgen.report.document import Count, Figure, Paragraph, Strong
from reportgen.report.evidence_charts import Place, PlaceGroup, PlaceRow, RankGrid
from reportgen.report.findings import main_measure
from reportgen.report.standing import (
    is_shown_better,
    standing_names,
    standing_places,
    standing_scores,
)
from reportgen.report.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.document import Block, Part
    from reportgen.report.evaluation import Evaluation

MOST_CLASSIFIERS, MOST_MEASURES, MOST_NAMED, FEWEST = 12, 30, 5, 2
# These can be worked out from each other, so that they place all classifiers alike.
ALIKE = {
    "error_rate": "accuracy",
    "kappa_best": "accuracy",
    "type_1_rate": "specificity",
    "type_2_rate": "sensitivity",
    "balanced_accuracy": "youden",
    "diagnostic_odds_ratio": "discriminant_power",
    "jaccard": "f1",
    "lift": "precision",
    "relative_information_score": "information_score",
    "r2": "rmse",
}
HEADS = {
    Family.RANKING: "Over all thresholds",
    Family.PROBABILITY: "Probabilities",
    Family.REGRESSION: "Errors",
}
ORDER = ("Traditional", "Discriminant", "Further", *HEADS.values())


def crowns(evaluation: Evaluation) -> tuple[Block, ...]:
    """Set measures against classifiers, each with its place."""
    measures = _measures(evaluation)
    alike = _alike(evaluation, measures)
    kept = [measure for measure in measures if measure not in alike]
    shown = kept[:MOST_MEASURES]
    rows = {measure: standing_places(evaluation, measure) for measure in shown}
    names = _columns(evaluation, rows)
    if len(names) < FEWEST or len(shown) < FEWEST or evaluation.spec.dataset_names:
        return ()
    groups = tuple(_groups(evaluation, rows, names))
    columns = tuple((name, evaluation.order(name)) for name in names)
    note = tuple(_note(evaluation, alike, len(kept) - len(shown)))
    return (
        Figure(
            "crowns",
            "Places by measure",
            RankGrid(columns, groups),
            Paragraph(tuple(_reading(names, groups))),
            Paragraph(note) if note else None,
        ),
    )


def _measures(evaluation: Evaluation) -> list[Measure]:
    """Return the measures in which two classifiers at least have a value and one can be better."""
    return [
        measure
        for measure in evaluation.main_measures
        if measure.orientation is not Orientation.NEITHER
        and len(standing_places(evaluation, measure)) >= FEWEST
    ]


def _alike(evaluation: Evaluation, measures: Sequence[Measure]) -> dict[Measure, Measure]:
    """Return the measures that merely repeat the places of another one that is shown."""
    by_name = {measure.name: measure for measure in measures}
    found = {}
    for measure in measures:
        other = by_name.get(ALIKE.get(measure.name, ""))
        if other is not None and standing_places(evaluation, measure) == standing_places(
            evaluation, other
        ):
            found[measure] = other
    return found


def _columns(evaluation: Evaluation, rows: dict[Measure, dict[str, int]]) -> list[str]:
    """Return the classifiers, who is first most often first; of very many the best."""
    first = Counter(
        name for ranks in rows.values() if _differ(ranks) for name in ranks if ranks[name] == 1
    )
    totals: Counter[str] = Counter()
    for ranks in rows.values():
        totals.update({name: len(ranks) - rank for name, rank in ranks.items()})
    ordered = sorted(totals, key=lambda name: (-first[name], -totals[name], evaluation.order(name)))
    main = main_measure(evaluation)
    best = standing_places(evaluation, main) if main else {}
    if len(ordered) <= MOST_CLASSIFIERS or not best:
        return ordered[:MOST_CLASSIFIERS]
    kept = list(best)[:MOST_CLASSIFIERS]
    return [name for name in ordered if name in kept]


def _differ(ranks: dict[str, int]) -> bool:
    return len(set(ranks.values())) > 1


def _groups(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], names: Sequence[str]
) -> Iterator[PlaceGroup]:
    """Put measures of a kind together, those that crown the same classifier side by side."""
    by_head: dict[str, list[Measure]] = {head: [] for head in ORDER}
    for measure in rows:
        by_head[_head(measure)].append(measure)
    for head, members in by_head.items():
        members.sort(key=lambda measure: _crowned(rows[measure], names))
        if members:
            yield PlaceGroup(
                head, tuple(_row(evaluation, each, rows[each], names) for each in members)
            )


def _head(measure: Measure) -> str:
    if measure.name in GROUPS["traditional"]:
        return "Traditional"
    if measure.name in GROUPS["discriminant"]:
        return "Discriminant"
    return HEADS.get(measure.family, "Further")


def _crowned(ranks: dict[str, int], names: Sequence[str]) -> list[int]:
    """Return the columns of those who are first; where all are equal, behind all others."""
    leading = [at for at, name in enumerate(names) if ranks.get(name) == 1]
    return leading if _differ(ranks) and leading else [len(names)]


def _row(
    evaluation: Evaluation, measure: Measure, ranks: dict[str, int], names: Sequence[str]
) -> PlaceRow:
    scores = standing_scores(evaluation, measure)
    often = Counter(ranks.values())
    found = []
    for name in names:
        rank = ranks.get(name)
        tied = rank is not None and often[rank] > 1
        others = [other for other in ranks if other != name]
        backed = is_shown_better(evaluation, measure, name, others) if rank == 1 else None
        found.append(Place(scores.get(name), rank, tied, False if tied else backed))
    return PlaceRow(measure, tuple(found))


def _reading(names: Sequence[str], groups: Sequence[PlaceGroup]) -> Iterator[Part]:
    """Say how many measures put whom first, and how many first places the tests back."""
    rows = [row for group in groups for row in group.rows]
    leaders = [
        [at for at, place in enumerate(row.places) if place.rank == 1 and not place.tied]
        for row in rows
    ]
    alone = Counter(found[0] for found in leaders if found)
    shared = len(rows) - alone.total()
    ordered = alone.most_common()
    if len(ordered) == 1 and not shared:
        yield from ("All ", Count(len(rows)), " measures put ", Strong(names[ordered[0][0]]))
        yield from (" first", *_backing(rows, len(rows)), ".")
        return
    yield from ("Of ", Count(len(rows)), " measures, ")
    for number, (at, count) in enumerate(ordered[:MOST_NAMED]):
        if number:
            yield " and " if number == len(ordered) - 1 and not shared else ", "
        yield from (
            Count(count),
            *((" puts " if count == 1 else " put ",) if not number else (" ",)),
        )
        yield Strong(names[at])
        yield "" if number else " first"
    others = sum(count for _, count in ordered[MOST_NAMED:])
    if others:
        yield from (" and ", Count(others), " somebody else")
    if shared:
        yield from (", and " if ordered else "", Count(shared))
        yield " has no sole first place" if shared == 1 else " have no sole first place"
    if ordered:
        yield from _backing(rows, alone.total())
    yield "."


def _backing(rows: Sequence[PlaceRow], total: int) -> Iterator[Part]:
    backed = sum(place.rank == 1 and place.backed is True for row in rows for place in row.places)
    if backed in {0, total}:
        yield f"; the tests back {'all' if backed else 'none'} of these first places"
        return
    yield from ("; the tests back ", Count(backed), " of these ", Count(total), " first places")


def _note(evaluation: Evaluation, alike: dict[Measure, Measure], more: int) -> Iterator[Part]:
    total, main = len(standing_names(evaluation)), main_measure(evaluation)
    if total > MOST_CLASSIFIERS and main is not None:
        yield from ("Of ", Count(total), " classifiers the ", Count(MOST_CLASSIFIERS))
        yield f" best in {inside_a_sentence(main)} are shown; places count all of them. "
    if more > 0:
        yield from (Count(more), " more measures are not drawn. ")
    if alike:
        pairs = (
            f"{inside_a_sentence(measure)} (as {inside_a_sentence(other)})"
            for measure, other in alike.items()
        )
        yield f"Not drawn, because they place all alike by definition: {', '.join(pairs)}."
