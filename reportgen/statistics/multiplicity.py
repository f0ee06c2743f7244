"""Multiplicity adjustment by Holm's procedure, over hypotheses and over families of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down procedure (Holm 1979), in the given order."""
    p = np.asarray(p_values, dtype=np.float64)
    order = np.argsort(p, kind="stable")
    factors = np.arange(p.size, 0, -1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * p[order]))
    return [float(p) for p in adjusted]


def holm_over_families(
    families: Sequence[Sequence[float]], shares: Sequence[float] | None = None
) -> list[list[float]]:
    """Adjust p-values, already adjusted within their families, over the families.

    Every family has a share of α, by default an equal one; a family that is rejected completely
    passes its share on to the others in proportion to theirs (weighted Holm procedure; Holm 1979,
    Bretz et al. 2009). The result is the smallest α at which a hypothesis is rejected. For families
    of one hypothesis and equal shares this is Holm's procedure.
    """
    weights = np.ones(len(families)) if shares is None else np.asarray(shares, dtype=np.float64)
    p_values = [np.asarray(family, dtype=np.float64) for family in families]
    hardest = [float(family.max(initial=0.0)) for family in p_values]
    adjusted = [np.ones(len(family)) for family in p_values]
    # The level at which the families that are no longer open are rejected completely.
    adjusted_minimum = 0.0
    remaining = [index for index, family in enumerate(p_values) if len(family)]
    while remaining:
        total = weights[remaining].sum()
        for index in remaining:
            family_p_values = np.maximum(p_values[index] * total / weights[index], adjusted_minimum)
            adjusted[index] = np.minimum(adjusted[index], family_p_values)
        first = min(remaining, key=lambda index: hardest[index] / weights[index])
        adjusted_minimum = max(adjusted_minimum, min(1.0, hardest[first] * total / weights[first]))
        remaining.remove(first)
    return [[float(p) for p in family] for family in adjusted]
