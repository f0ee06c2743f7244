"""Multiplicity adjustment by Holm and by gatekeeping: controls the family-wise error rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down procedure (Holm 1979), in the given order."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return [float(each) for each in adjusted]


def holm_over_families(families: Sequence[Sequence[float]]) -> list[list[float]]:
    """Adjust p-values, already adjusted within their families, for the number of families.

    Every family has an equal share of α; a family that is rejected completely passes its share on
    (weighted Bonferroni-Holm). For families of one hypothesis this is Holm's procedure.
    """
    n_families = len(families)
    hardest = [max(block, default=1.0) for block in families]
    order = sorted(range(n_families), key=hardest.__getitem__)
    adjusted: list[list[float]] = [[] for _ in families]
    # Entry j: the level at which the first j blocks are rejected whole.
    released = [0.0]
    for place, number in enumerate(order):
        p_values = np.asarray(families[number], dtype=np.float64)
        factors = n_families - np.arange(len(released))
        raised = np.maximum(factors[:, None] * p_values[None, :], np.array(released)[:, None])
        adjusted[number] = [float(p) for p in np.minimum(1.0, raised.min(axis=0))]
        released.append(max(released[-1], min(1.0, (n_families - place) * hardest[number])))
    return adjusted


def gatekeeping_adjust(
    families: Sequence[Sequence[float]],
    primary: Sequence[Mapping[int, float]],
    pairs: Sequence[object],
) -> list[list[float]]:
    """Adjust p-values by serial gatekeeping with prespecified primary hypotheses.

    Each pair of classifiers has an equal share of α. Its primary hypotheses (raw p-values by their
    index in the family) are tested first at the full share, by Holm's procedure if there are
    several; the others are tested at that share, family by family, only if all primary ones are
    rejected. A pair without primary hypotheses starts with the others.
    """
    adjusted = [list(block) for block in families]
    shares = len(dict.fromkeys(pairs))
    for pair in dict.fromkeys(pairs):
        numbers = [number for number, owner in enumerate(pairs) if owner == pair]
        first = [(number, place) for number in numbers for place in primary[number]]
        decided = holm([primary[number][place] for number, place in first])
        rest = [
            [
                (number, place)
                for place in range(len(families[number]))
                if place not in primary[number]
            ]
            for number in numbers
        ]
        tested = [block for block in rest if block]
        later = holm_over_families(
            [[families[number][place] for number, place in block] for block in tested]
        )
        gate = max(decided, default=0.0)
        p_by_index = dict(zip(first, decided, strict=True))
        for block, p_values in zip(tested, later, strict=True):
            p_by_index |= {at: max(gate, p) for at, p in zip(block, p_values, strict=True)}
        for (number, place), p in p_by_index.items():
            adjusted[number][place] = min(1.0, shares * p)
    return adjusted
