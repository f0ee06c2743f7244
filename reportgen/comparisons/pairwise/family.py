"""All tests of a report as one family: the chance of any false claim in it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.statistics.adjusting import holm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def adjust_over_blocks(blocks: Sequence[Sequence[float]]) -> list[list[float]]:
    """Adjust p-values, already adjusted within their blocks, for the number of blocks.

    Every block has an equal share of the level; a block whose hypotheses are all rejected passes
    its share on to the others. For blocks of one hypothesis each this is Holm's procedure.
    """
    many = len(blocks)
    hardest = [max(block, default=1.0) for block in blocks]
    order = sorted(range(many), key=hardest.__getitem__)
    adjusted: list[list[float]] = [[] for _ in blocks]
    # Entry j: the level at which the first j blocks are rejected whole.
    released = [0.0]
    for place, number in enumerate(order):
        adjusted[number] = [
            min(min(1.0, max((many - passed) * p, level)) for passed, level in enumerate(released))
            for p in blocks[number]
        ]
        released.append(max(released[-1], min(1.0, (many - place) * hardest[number])))
    return adjusted


def adjust_with_primary(
    blocks: Sequence[Sequence[float]],
    primary: Sequence[Mapping[int, float]],
    pairs: Sequence[object],
) -> list[list[float]]:
    """Adjust p-values where one measure was declared to decide.

    Each pair of classifiers has an equal share of the level. Its primary hypotheses (by place in
    their block, with raw p-values) are tested first with the whole share, by Holm's procedure if
    there are several; only if all are rejected are the others tested, the share divided among the
    blocks of the pair.
    """
    shares = len(dict.fromkeys(pairs))
    first: dict[tuple[int, int], float] = {}
    gates: dict[object, float] = dict.fromkeys(pairs, 1.0)
    for pair in gates:
        places = [
            (number, place)
            for number, owner in enumerate(pairs)
            if owner == pair
            for place in primary[number]
        ]
        adjusted = holm([primary[number][place] for number, place in places])
        decided = [min(1.0, shares * p) for p in adjusted]
        first.update(zip(places, decided, strict=True))
        gates[pair] = max(decided, default=1.0)
    blocks_of = {pair: sum(other == pair for other in pairs) for pair in gates}
    return [
        [
            first.get((number, place), min(1.0, max(gates[pair], shares * blocks_of[pair] * p)))
            for place, p in enumerate(block)
        ]
        for number, (block, pair) in enumerate(zip(blocks, pairs, strict=True))
    ]
