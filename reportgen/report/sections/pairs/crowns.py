"""Which measure crowns whom: the places of all classifiers in all measures, in one picture."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.measures import GROUPS, Family, Measure, Orientation, question_of
from reportgen.report.charts.evidence import Place, PlaceGroup, PlaceRow, RankGrid
from reportgen.report.document import Figure, Paragraph
from reportgen.report.findings.leading import leading
from reportgen.report.findings.main import main_measure
from reportgen.report.findings.standing import (
    is_shown_better,
    standing_names,
    standing_places,
    standing_scores,
)
from reportgen.report.parts import Count, Strong
from reportgen.report.words.wording import inside_a_sentence

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from reportgen.report.document import Block
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

MOST_CLASSIFIERS, MOST_MEASURES, MOST_NAMED, FEWEST = 12, 30, 5, 2
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
            Paragraph(tuple(_reading(evaluation, rows, names))),
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
        other = by_name.get(question_of(measure), measure)
        if other is not measure and standing_places(evaluation, measure) == standing_places(
            evaluation, other
        ):
            found[measure] = other
    return found


def _columns(evaluation: Evaluation, rows: dict[Measure, dict[str, int]]) -> list[str]:
    """Return the classifiers by their places in all measures; of very many the best."""
    first = Counter(
        name for ranks in rows.values() if _differ(ranks) for name in ranks if ranks[name] == 1
    )
    totals: Counter[str] = Counter()
    for ranks in rows.values():
        totals.update({name: len(ranks) - rank for name, rank in ranks.items()})
    ordered = sorted(totals, key=lambda name: (-totals[name], -first[name], evaluation.order(name)))
    kept = leading(evaluation, MOST_CLASSIFIERS, MOST_CLASSIFIERS)
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
    first = [at for at, name in enumerate(names) if ranks.get(name) == 1]
    return first if _differ(ranks) and first else [len(names)]


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


def _reading(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], drawn: Sequence[str]
) -> Iterator[Part]:
    """Say how many measures put whom first, drawn or not, and how many of these the tests back."""
    firsts = {
        measure: [name for name, place in ranks.items() if place == 1]
        for measure, ranks in rows.items()
    }
    alone = {measure: names[0] for measure, names in firsts.items() if len(names) == 1}
    shared = len(rows) - len(alone)
    backing = tuple(_backing(evaluation, rows, alone)) if alone else ()
    said = list(_who_is_first(alone.values(), drawn))
    if len(said) == 1 and not shared:
        yield from ("Both",) if len(rows) == FEWEST else ("All ", Count(len(rows)))
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


def _who_is_first(winners: Iterable[str], drawn: Sequence[str]) -> Iterator[tuple[int, Part]]:
    """Count how often each is first: those drawn by name, then the others together."""
    counted = Counter(winners)
    named = [(count, name) for name, count in counted.most_common() if name in drawn]
    yield from ((count, Strong(name)) for count, name in named[:MOST_NAMED])
    if rest := sum(count for count, _ in named[MOST_NAMED:]):
        yield rest, "somebody else"
    hidden = {name: count for name, count in counted.items() if name not in drawn}
    if hidden:
        one = len(hidden) == 1
        yield (
            sum(hidden.values()),
            "a classifier that is not drawn" if one else "classifiers that are not drawn",
        )


def _backing(
    evaluation: Evaluation, rows: dict[Measure, dict[str, int]], alone: dict[Measure, str]
) -> Iterator[Part]:
    """Say how many of the sole first places the tests back."""
    backed = [
        is_shown_better(evaluation, measure, name, [each for each in rows[measure] if each != name])
        for measure, name in alone.items()
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


def _note(evaluation: Evaluation, alike: dict[Measure, Measure], more: int) -> Iterator[Part]:
    total, main = len(standing_names(evaluation)), main_measure(evaluation)
    if total > MOST_CLASSIFIERS and main is not None:
        yield from ("Of ", Count(total), " classifiers the ", Count(MOST_CLASSIFIERS))
        yield f" best in {inside_a_sentence(main)} are shown; places count all of them. "
    if more > 0:
        yield from (Count(more), f" more measure{' is' if more == 1 else 's are'} not drawn. ")
    if alike:
        pairs = (
            f"{inside_a_sentence(measure)} (as {inside_a_sentence(other)})"
            for measure, other in alike.items()
        )
        why = "it places" if len(alike) == 1 else "they place"
        yield f"Not drawn, because {why} all alike by definition: {', '.join(pairs)}."
