"""What is said below a drawing of differences: who is better, and what is not known."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from reportgen.comparisons.difference import Difference, Finding
from reportgen.report.parts import Count, Strong
from reportgen.report.words.wording import inside_a_sentence, names_in_a_row

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.measures import Measure
    from reportgen.report.charts.evidence import ForestGroup, ForestRow
    from reportgen.report.parts import Part

FEW_PAIRS = 6
# What the tests leave, said of one and of several differences, and of one and of several pairs.
OF_DIFFERENCES = {
    Finding.EQUIVALENT: (" is within the margin", " are within the margin"),
    Finding.TIED: (" is one of equal values", " are of equal values"),
    Finding.UNDECIDED: (" is open", " are open"),
    None: (" was not tested", " were not tested"),
}
OF_PAIRS = {
    Finding.EQUIVALENT: (" is equivalent", " are equivalent"),
    Finding.TIED: (" has equal values", " have equal values"),
    Finding.UNDECIDED: (" is not told apart", " are not told apart"),
    None: (" was not tested", " were not tested"),
}


def finding_of(test: Difference) -> Finding | None:
    """Return what a test says; None: it was not made, and the values differ."""
    return None if test.p is None and test.verdict is not Finding.TIED else test.verdict


def who_in_what(
    pair: tuple[str, str], found: Sequence[tuple[Measure, Difference | None]]
) -> Iterator[Part]:
    """Say in which measures the tests show whom to be better, and what they leave open."""
    tests = [(measure, finding_of(test)) for measure, test in found if test is not None]
    superior = any(finding is Finding.SUPERIOR for _, finding in tests)
    others = "" if superior else "the tests show "
    wanted: tuple[tuple[Finding | None, tuple[Part, ...]], ...] = (
        (Finding.SUPERIOR, ("the tests show ", Strong(pair[0]), " better in ")),
        (Finding.INFERIOR, (others, Strong(pair[1]), " better in ")),
        (Finding.EQUIVALENT, ("the two are equivalent in ",)),
        (Finding.TIED, ("they have the same ",)),
        (Finding.UNDECIDED, ("they are not told apart in ",)),
        (None, ("they were not tested in ",)),
    )
    clauses: list[tuple[Part, ...]] = []
    for wished, words in wanted:
        names = [inside_a_sentence(measure) for measure, finding in tests if finding is wished]
        if names:
            listed = ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]
            clauses.append((*words, listed))
    for number, (begin, *rest) in enumerate(clauses):
        if number:
            yield "; "
        yield begin if number or not isinstance(begin, str) else begin[:1].upper() + begin[1:]
        yield from rest
    yield "."


def reading_of_pairs(groups: Sequence[ForestGroup]) -> Iterator[Part]:
    """Say who is better than whom where that is short, else how many differences are shown."""
    rows = [row for group in groups for row in group.rows]
    wins = _wins(rows) if len(groups) == 1 and len(rows) <= FEW_PAIRS else {}
    if not wins:
        yield from _how_many(rows)
        return
    for number, (winner, losers) in enumerate(wins.items()):
        yield from ("; " if number else "The tests show ", Strong(winner), " better than ")
        yield from names_in_a_row(losers)
    left = _left(rows, OF_PAIRS)
    for number, (count, words) in enumerate(left):
        yield from _joint(number, len(left))
        yield Count(count)
        yield "" if number else f" of {len(rows)} pairs"
        yield words
    yield "."


def _wins(rows: Sequence[ForestRow]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.pair is not None and row.finding is not None and row.finding.is_decided:
            first = row.finding is Finding.SUPERIOR
            winner, loser = row.pair if first else row.pair[::-1]
            found.setdefault(winner, []).append(loser)
    return found


def _how_many(rows: Sequence[ForestRow]) -> Iterator[Part]:
    shown = sum(row.finding is not None and row.finding.is_decided for row in rows)
    yield from ("Of ", Count(len(rows)), " differences drawn, the tests show ")
    yield Count(shown) if shown else "none"
    left = _left(rows, OF_DIFFERENCES)
    for number, (count, words) in enumerate(left):
        yield from (*_joint(number, len(left)), Count(count), words)
    yield "."


def _left(
    rows: Sequence[ForestRow], words: dict[Finding | None, tuple[str, str]]
) -> list[tuple[int, str]]:
    """Count what the tests do not show to differ, each kind in its own words."""
    counted = Counter(row.finding for row in rows)
    return [
        (counted[finding], one if counted[finding] == 1 else several)
        for finding, (one, several) in words.items()
        if counted[finding]
    ]


def _joint(number: int, of: int) -> tuple[str]:
    if not number:
        return ("; ",)
    return (" and " if number == of - 1 else ", ",)
