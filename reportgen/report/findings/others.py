"""What classifiers are shown to do better than others, beyond the main measure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Finding
from reportgen.frozen import frozen
from reportgen.measures import Measure, known_measure, question_of
from reportgen.report.findings.standing import (
    is_shown_better,
    sharing_the_first_place,
    standing_scores,
    standing_values,
)
from reportgen.report.parts import Math, PValue, Strong
from reportgen.report.words.abilities import ABILITIES, ability_of
from reportgen.report.words.spoken import spoken_difference, spoken_values
from reportgen.report.words.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.difference import Difference
    from reportgen.report.evaluation import Evaluation
    from reportgen.report.parts import Part

LIKELIHOODS = ("lr_positive", "lr_negative")
TWO, THREE = 2, 3
MOST_ABILITIES, MOST_OPEN, MOST_LEADERS = 3, 2, 3


@frozen
class Claim:
    """That one classifier is shown to be better than others in a measure."""

    measure: Measure
    winner: str
    losers: tuple[str, ...]


def other_findings(evaluation: Evaluation, main: Measure) -> Iterator[tuple[Part, ...]]:
    """Yield what each does better than which others, then what is open; among many, who leads."""
    names = evaluation.measured
    measures = list(_questions(evaluation, main))
    if len(names) <= 1 or not measures:
        return
    if len(names) > THREE:
        yield from _leaders(evaluation, measures)
        return
    claims = [claim for measure in measures for claim in _claims(evaluation, measure)]
    if not claims:
        yield tuple(_nothing_shown(names, measures))
        return
    for winner in names:
        groups: dict[tuple[str, ...], list[Measure]] = {}
        for claim in claims:
            if claim.winner == winner:
                groups.setdefault(claim.losers, []).append(claim.measure)
        if groups:
            yield tuple(_better(evaluation, winner, groups))
    if len(names) == TWO:
        yield from _open(evaluation, measures)


def _questions(evaluation: Evaluation, main: Measure) -> Iterator[Measure]:
    """Yield the tested measures that ask something new, those that have plain words first."""
    asked = {question_of(main)}
    # Below 1 likelihood ratios are swapped before they are compared: too much for a sentence.
    swapped = any(relation.swapped for relation in evaluation.relations)
    worded = [known_measure(name) for name in ABILITIES]
    for measure in dict.fromkeys([*worded, *evaluation.main_measures]):
        question = question_of(measure)
        if question in asked or (swapped and measure.name in LIKELIHOODS):
            continue
        if any(row.p is not None for row in _rows(evaluation, measure)):
            asked.add(question)
            yield measure


def _rows(evaluation: Evaluation, measure: Measure) -> Iterator[Difference]:
    for row in evaluation.differences:
        if row.decisive and row.key[2:] == (None, None, measure.name) and row.data != "folds":
            yield row


def _claims(evaluation: Evaluation, measure: Measure) -> Iterator[Claim]:
    for winner in evaluation.measured:
        losers = tuple(
            other
            for other in evaluation.measured
            if other != winner and is_shown_better(evaluation, measure, winner, [other])
        )
        if losers:
            yield Claim(measure, winner, losers)


def _better(
    evaluation: Evaluation, winner: str, groups: dict[tuple[str, ...], list[Measure]]
) -> Iterator[Part]:
    """Say what one does better: first than all others, then than one of them."""
    ordered = sorted(groups.items(), key=lambda group: -len(group[0]))
    yield Strong(winner)
    for number, (losers, measures) in enumerate(ordered):
        yield "; it " if number else " "
        said = measures[: 1 if number else MOST_ABILITIES]
        for place, measure in enumerate(said):
            yield "" if not place else " and " if place == len(said) - 1 else ", "
            words = ability_of(measure)
            yield words.better
            if not place:
                yield " than "
                yield from names_in_a_row(losers)
            yield words.after
            yield from _values(evaluation, measure, winner, losers)
    yield "."


def _values(
    evaluation: Evaluation, measure: Measure, winner: str, losers: Sequence[str]
) -> Iterator[Part]:
    """Give the values of the winner and of the best of the losers."""
    values = standing_values(evaluation, measure)
    behind_it = [name for name in values if name in losers]
    if winner not in values or not behind_it:
        return
    ahead, behind = spoken_values(measure, values[winner], values[behind_it[0]])
    yield " ("
    yield from _symbol(measure)
    yield ahead
    yield " against "
    yield behind
    yield ")" if len(losers) == 1 else " at best)"


def _symbol(measure: Measure, then: str = " ") -> tuple[Part, ...]:
    """Name a measure briefly before its value, unless that has just been done."""
    if measure.name not in ABILITIES:
        return ()
    return (Math(measure.symbol), then)


def adjusted_too(row: Difference) -> tuple[Part, ...]:
    """Say why a difference is open although its own interval leaves 0 out."""
    if row.low is None or row.high is None or row.low <= 0 <= row.high:
        return ()
    return ("; adjusted ", PValue(row.p_adjusted, named=True))


def _open(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[tuple[Part, ...]]:
    """Say of two classifiers in what they cannot be told apart, in plain words."""
    first, second = evaluation.measured
    rows = [
        (measure, row)
        for measure in measures
        if (row := evaluation.evidence.about(first, second, None, measure.name)) is not None
        and row.p is not None
        and row.verdict is Finding.UNDECIDED
    ]
    if not rows:
        return
    parts: list[Part] = []
    said, more = rows[:MOST_OPEN], len(rows) - MOST_OPEN
    for place, (measure, row) in enumerate(said):
        figures = spoken_difference(measure, row.difference, row.low, row.high)
        joint = " or " if place == len(said) - 1 and more <= 0 else ", "
        parts += [joint if place else "", ability_of(measure).doing]
        parts += [" (", *_symbol(measure, ": "), "difference ", *figures] if figures else []
        parts += [*adjusted_too(row), ")"] if figures else []
    if more > 0:
        parts.append(f" or {more} further measure{'s' if more > 1 else ''}")
    yield (Strong(first), " and ", Strong(second), " cannot be told apart in ", *parts, ".")


def _nothing_shown(names: Sequence[str], measures: Sequence[Measure]) -> Iterator[Part]:
    if len(measures) == 1:
        yield f"In {inside_a_sentence(measures[0])} "
    else:
        yield f"In none of the {len(measures)} other measures compared "
    one = len(measures) == 1
    if len(names) == TWO:
        yield "" if one else "are "
        yield from names_in_a_row(names)
        yield " are not shown to differ either." if one else " shown to differ."
    else:
        yield "no two of them are shown to differ either." if one else "do any two of them differ"
        yield "" if one else " by more than may be chance."


def _leaders(evaluation: Evaluation, measures: Sequence[Measure]) -> Iterator[tuple[Part, ...]]:
    """Say of those with the best values among many than how many others they are shown better."""
    led: dict[str, list[Claim]] = {}
    for measure in measures:
        for claim in _claims(evaluation, measure):
            if measure.name in ABILITIES and _is_alone_ahead(evaluation, claim):
                led.setdefault(claim.winner, []).append(claim)
    others = len(evaluation.measured) - 1
    for winner, claims in sorted(led.items(), key=lambda item: -len(item[1]))[:MOST_LEADERS]:
        parts: list[Part] = [Strong(winner), " "]
        said = claims[:MOST_ABILITIES]
        for place, claim in enumerate(said):
            score = evaluation.score(winner, claim.measure)
            if score is None:
                continue
            words = ability_of(claim.measure)
            than = _how_many(len(claim.losers), others, again=place > 0)
            joint = " and " if place == len(said) - 1 else ", "
            parts += [joint if place else "", words.better, f" than {than}", words.after, " ("]
            parts += [*_symbol(claim.measure), *spoken_values(claim.measure, score), ")"]
        yield (*parts, ".")


def _how_many(beaten: int, others: int, *, again: bool) -> str:
    """Say than how many of the others one is better, the second time without naming them."""
    whom = "of them" if again else "others"
    if beaten == others:
        return f"all {whom if again else f'{others} {whom}'}"
    return f"{beaten} {whom if again else f'of the {others} {whom}'}"


def _is_alone_ahead(evaluation: Evaluation, claim: Claim) -> bool:
    """Tell whether nobody has as good a value as the one who is said to lead."""
    scores = standing_scores(evaluation, claim.measure)
    return sharing_the_first_place(scores, claim.measure) == [claim.winner]
