"""p-values of many correlated statistics, one by one and adjusted for all (Westfall and Young)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from reportgen.formulas.as_numpy import Numbers

PValues: TypeAlias = Literal["exact", "mid-p"]
# Statistics that are equal but for rounding are ties.
TIE = 1e-9
# A normal statistic is this large in 6 of 100,000 outcomes; one that is in more than 100 is not.
LARGE, OFTEN = 4.0, 1e-3


@dataclass(frozen=True, slots=True)
class StepDown:
    """Raw p-values, and those adjusted within the block."""

    raw: Numbers
    adjusted: Numbers


def step_down(
    found: Numbers, null: Numbers, weights: Numbers, uncovered: float, kind: PValues
) -> StepDown:
    """Compare statistics (one per hypothesis) with their joint null (hypothesis × outcome).

    The largest is compared with the largest of all, the next with the largest of the rest, and
    so on: that uses how the statistics go together, and keeps the chance of any false claim.
    """
    sizes, null = np.abs(found), np.abs(null)
    raw = np.array(
        [_tail(row, size, weights, uncovered, kind) for row, size in zip(null, sizes, strict=True)]
    )
    sizes, null = tempered(sizes, null, weights)
    order = np.argsort(-sizes, kind="stable")
    adjusted = np.empty_like(raw)
    largest = np.zeros(null.shape[1])
    # From the smallest up, the largest of what remains grows by one row at a time.
    for place in order[::-1]:
        largest = np.maximum(largest, null[place])
        adjusted[place] = _tail(largest, sizes[place], weights, uncovered, kind)
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return StepDown(raw, np.minimum(1.0, np.maximum(adjusted, raw)))


def tempered(sizes: Numbers, null: Numbers, weights: Numbers) -> tuple[Numbers, Numbers]:
    """Bring statistics with far too many large outcomes back to what their outcomes are worth.

    Of a class with a handful of cases a statistic is often huge, and would drown all others when
    the largest is looked for. It counts as the normal statistic of the same p-value instead, if
    that is smaller; every row keeps its own order.
    """
    heavy = np.flatnonzero((null >= LARGE) @ weights > OFTEN)
    if not len(heavy):
        return sizes, null
    from scipy.special import ndtri

    sizes, null = sizes.copy(), null.copy()
    for row in heavy:
        order = np.argsort(null[row], kind="stable")
        beyond = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
        both = np.append(sizes[row], null[row])
        places = np.searchsorted(null[row][order], both - TIE * np.maximum(1.0, both))
        # What was found may lie beyond everything that was drawn.
        p_values = np.maximum(beyond[places], weights.min())
        worth = np.minimum(both, np.maximum(0.0, -ndtri(np.minimum(1.0, p_values) / 2)))
        sizes[row], null[row] = worth[0], worth[1:]
    return sizes, null


def critical_value(largest: Numbers, weights: Numbers, level: float) -> float:
    """Return what a statistic exceeds with no more than this probability."""
    order = np.argsort(-largest, kind="stable")
    beyond = np.cumsum(weights[order])
    at = min(int(np.searchsorted(beyond, level, side="right")), len(order) - 1)
    return float(largest[order][at])


def _tail(null: Numbers, size: float, weights: Numbers, uncovered: float, kind: PValues) -> float:
    slack = TIE * max(1.0, size)
    if size <= slack:
        return 1.0
    beyond = float(weights[null >= size - slack].sum())
    if kind == "mid-p":
        beyond -= 0.5 * float(weights[np.abs(null - size) <= slack].sum())
    return min(1.0, beyond + uncovered)
