"""All tests of a report as one family: the chance of any false claim in it is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


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
    blocks: Sequence[Sequence[float]], primary: Sequence[float | None], pairs: Sequence[object]
) -> list[list[float]]:
    """Adjust p-values where one measure was declared to decide.

    Each pair of classifiers has an equal share of the level. Its primary hypothesis (given by its
    raw p-value) is tested first with the whole share; only if it is rejected are the others, the
    share divided among the blocks of the pair.
    """
    shares = len(dict.fromkeys(pairs))
    gate = {
        pair: min(1.0, shares * p) for pair, p in zip(pairs, primary, strict=True) if p is not None
    }
    blocks_of = {pair: sum(other == pair for other in pairs) for pair in pairs}
    return [
        [min(1.0, max(gate.get(pair, 1.0), shares * blocks_of[pair] * p)) for p in block]
        for block, pair in zip(blocks, pairs, strict=True)
    ]
