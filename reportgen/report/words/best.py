"""What is said below a drawing of values, the best first: what the tests make of its lead."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.frozen import frozen
from reportgen.report.parts import Count
from reportgen.report.words.wording import some_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.report.parts import Part

TWO = 2


@frozen
class Standing:
    """Who has the best value, and how the others that have one and those without stand to it."""

    best: Sequence[str]
    not_shown: Sequence[str]
    not_tested: Sequence[str]
    others: int
    without: Sequence[str]
    left_out: int = 0


def where_the_best_stand(standing: Standing) -> Iterator[Part]:
    """Say whom the best are shown to be better than; whoever is not shown worse is hollow."""
    best, without = standing.best, standing.without
    one = len(best) == 1
    if not best:
        yield "Nobody has a value."
        return
    yield from some_names(best)
    if not standing.others:
        yield " alone has a value" if one else " have the same value"
    else:
        yield " has the best value" if one else " share the best value"
        yield from _lead(standing)
    if without:
        yield from ("; ", *some_names(without), " has none" if len(without) == 1 else " have none")
    if more := standing.left_out:
        yield from ("; ", Count(more), f" further one{' is' if more == 1 else 's are'} not drawn")
    yield "."


def _lead(standing: Standing) -> Iterator[Part]:
    number = len(standing.best)
    is_or_are, was_or_were = ("is", "was") if number == 1 else ("are", "were")
    every = {1: "", TWO: "both "}.get(number, "all ")
    if not standing.not_shown and not standing.not_tested:
        yield f" and {is_or_are} shown to be better than "
        yield from _all_others(standing)
        return
    if standing.not_shown:
        yield f" but {is_or_are} not {every}shown to be better than "
        yield from some_names(standing.not_shown)
    if standing.not_tested:
        yield f" {'and' if standing.not_shown else 'but'} {was_or_were} not tested against "
        yield from some_names(standing.not_tested)
    yield " (hollow)"


def _all_others(standing: Standing) -> Iterator[Part]:
    yield "the other" if standing.others == 1 else "all others"
    if standing.without:
        yield " that has a value" if standing.others == 1 else " that have a value"
