"""Wilcoxon's signed-rank test of paired differences, with the interval that belongs to it."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from reportgen.frozen import frozen
from reportgen.statistics.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

ZeroRule: TypeAlias = Literal["drop", "pratt", "split"]
Tails: TypeAlias = Literal["two", "one"]

MOST_EXACT = 25
# Up to here all sums of two are sorted, beyond they are too many to be held at once.
MOST_SORTED = 100
# Differences are ranked by this many digits of the largest, so that 0.81 − 0.80 ties 0.83 − 0.82.
DIGITS = 12
# Powers of ten beyond this are no floating-point numbers.
MOST_DECIMALS = 300


@frozen(kw_only=True)
class SignedRank:
    """What the ranks of the differences say.

    The estimate is that of Hodges and Lehmann, the median of the means of every two differences;
    its limits are None where so few differences allow no interval of that level.
    """

    statistic: float
    """The smaller of the rank sums of both signs; with one tail that of the positive ones."""
    p: float
    used: int
    zeros: int
    exact: bool
    estimate: float
    low: float | None
    high: float | None


def signed_rank(
    differences: Sequence[float] | Floats,
    level: float,
    zero_rule: ZeroRule = "drop",
    tails: Tails = "two",
) -> SignedRank:
    """Test whether differences are symmetric about 0; one tail: whether they tend to be above it.

    The p-value of up to 25 differences other than 0 is exact, ties or not: it counts the signs they
    could have had. That of more is of the normal distribution, its variance corrected for ties.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not values.size or not np.isfinite(values).all():
        raise ValueError("a signed-rank test needs finite differences, at least one")
    steps, scale = _on_a_grid(values)
    kept = steps[steps != 0] if zero_rule == "drop" else steps
    sizes, ties = np.unique(np.abs(kept), return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[np.searchsorted(sizes, np.abs(kept))]
    shared = ranks[kept == 0].sum() / 2 if zero_rule == "split" else 0.0
    above, below = (float(ranks[kept * sign > 0].sum() + shared) for sign in (1, -1))
    zeros = int(np.count_nonzero(steps == 0))
    exact = len(steps) - zeros <= MOST_EXACT
    # By symmetry a large sum of the one sign is a small sum of the other.
    found = below if tails == "one" else min(above, below)
    if zeros == len(steps):
        tail = 1.0
    elif exact:
        # Twice a rank is whole, even where ties share one.
        doubled = np.rint(2 * ranks[kept != 0]).astype(np.int64)
        tail = float(_exact_tails(doubled)[round(2 * (found - shared))])
    else:
        pratt = zero_rule == "pratt"
        counted_ties = ties[sizes > 0] if pratt else ties
        tail = _normal_tail(found, len(kept), counted_ties, zeros if pratt else 0)
    estimate, low, high = _hodges_lehmann(np.sort(steps), scale, level)
    return SignedRank(
        statistic=above if tails == "one" else found,
        p=tail if tails == "one" else min(1.0, 2 * tail),
        used=len(kept),
        zeros=zeros,
        exact=exact,
        estimate=estimate,
        low=low,
        high=high,
    )


def _on_a_grid(values: Floats) -> tuple[Integers, float]:
    """Return the values as whole numbers of the smallest step that counts, and steps by unit."""
    largest = float(np.abs(values).max())
    if not largest:
        return np.zeros(len(values), dtype=np.int64), 1.0
    scale = 10.0 ** min(DIGITS - 1 - math.floor(math.log10(largest)), MOST_DECIMALS)
    return np.rint(values * scale).astype(np.int64), scale


def _exact_tails(ranks: Integers) -> Floats:
    """Return the chance of a sum of at most 0, 1, 2 … if every rank counts or not, as a coin says.

    The ways to reach a sum are added rank by rank, so the signs are counted without writing them.
    """
    ways = np.zeros(int(ranks.sum()) + 1)
    ways[0] = 1
    for rank in ranks.tolist():
        ways[rank:] += ways[:-rank].copy()
    tails: Floats = np.cumsum(ways) / 2.0 ** len(ranks)
    return tails


def _normal_tail(found: float, number: int, ties: Integers, zeros: int) -> float:
    """Return about the chance of a rank sum of at most that; ranks of zeros add nothing to it."""
    from scipy.special import ndtr

    mean = (number * (number + 1) - zeros * (zeros + 1)) / 4
    squares = number * (number + 1) * (2 * number + 1) - zeros * (zeros + 1) * (2 * zeros + 1)
    variance = (squares - float((ties**3 - ties).sum()) / 2) / 24
    return float(ndtr((found - mean) / math.sqrt(variance)))


def _hodges_lehmann(
    steps: Integers, scale: float, level: float
) -> tuple[float, float | None, float | None]:
    """Return the median of the means of every two of the sorted differences, and its limits."""
    number = len(steps)
    means = number * (number + 1) // 2
    sum_at = _sorted_sums(steps) if number <= MOST_SORTED else partial(_sum_of_two, steps)
    middle = (sum_at((means + 1) // 2) + sum_at(means // 2 + 1)) / 2
    beyond = _means_beyond(number, level)
    if not beyond:
        return middle / (2 * scale), None, None
    low, high = (sum_at(place) for place in (beyond, means + 1 - beyond))
    return middle / (2 * scale), low / (2 * scale), high / (2 * scale)


def _sorted_sums(steps: Integers) -> Callable[[int], int]:
    """Return the reading of a place among the sums of every two steps, or of one with itself."""
    first, second = np.triu_indices(len(steps))
    sums = np.sort(steps[first] + steps[second])
    return lambda place: int(sums[place - 1])


def _means_beyond(number: int, level: float) -> int:
    """Return the place of the lower limit among the sorted means; 0 if there is none so low.

    That of untied differences: with ties the limits, which belong to the interval, hold more.
    """
    if number <= MOST_EXACT:
        untied = _exact_tails(np.arange(1, number + 1))
        return int(np.searchsorted(untied, (1 - level) / 2, side="right"))
    spread = math.sqrt(number * (number + 1) * (2 * number + 1) / 24)
    return max(0, math.floor(number * (number + 1) / 4 - normal_quantile(level) * spread))


def _sum_of_two(steps: Integers, place: int) -> int:
    """Return the sum of two of the sorted steps (or of one with itself) at that place of all.

    Found by halving, because the sums themselves would be as many as the square of the steps.
    """
    low, high = 2 * int(steps[0]), 2 * int(steps[-1])
    while low < high:
        middle = (low + high) // 2
        with_each = np.searchsorted(steps, middle - steps, side="right").sum()
        with_itself = np.searchsorted(2 * steps, middle, side="right")
        if (with_each + with_itself) // 2 >= place:
            high = middle
        else:
            low = middle + 1
    return low
