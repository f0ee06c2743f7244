"""Wilcoxon's signed-rank test with the Hodges-Lehmann estimate and its confidence interval."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from reportgen.statistics.distributions import critical_z

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    FloatArray: TypeAlias = NDArray[np.float64]
    IntArray: TypeAlias = NDArray[np.int64]

Tails: TypeAlias = Literal["two", "one"]

MAX_EXACT_SIGNED_RANKS = 25
# Up to this many differences all Walsh sums are sorted; more would not fit into memory.
MAX_SORTED_DIFFERENCES = 100
# Differences are ranked to this many digits of the largest, so that 0.81 − 0.80 ties 0.83 − 0.82.
RANKING_DIGITS = 12
# Larger powers of ten overflow.
MAX_SCALE_EXPONENT = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRankTest:
    """The rank sum, p-value, Hodges-Lehmann estimate and confidence interval.

    The estimate is the median of the Walsh averages; the limits are None where too few
    differences allow no interval at that level.
    """

    statistic: float
    """The smaller of the rank sums of both signs; with one tail that of the positive ones."""
    p: float
    n_used: int
    n_zeros: int
    exact: bool
    estimate: float
    low: float | None
    high: float | None


def wilcoxon_signed_rank(
    differences: Sequence[float] | FloatArray,
    level: float,
    tails: Tails = "two",
) -> SignedRankTest:
    """Test whether differences are symmetric about 0; one tail: whether they tend to be above it.

    Differences of 0 are dropped (Wilcoxon 1945). With up to 25 others the p-value is exact, also
    with ties, from all sign patterns. With more it is the normal approximation with tie correction.
    """
    values = np.asarray(differences, dtype=np.float64)
    if not values.size or not np.isfinite(values).all():
        raise ValueError("a signed-rank test needs finite differences, at least one")
    steps, scale = _discretize(values)
    nonzero = steps[steps != 0]
    sizes, ties = np.unique(np.abs(nonzero), return_counts=True)
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[np.searchsorted(sizes, np.abs(nonzero))]
    above, below = (float(ranks[nonzero * sign > 0].sum()) for sign in (1, -1))
    exact = len(nonzero) <= MAX_EXACT_SIGNED_RANKS
    # By symmetry a large sum of the one sign is a small sum of the other.
    rank_sum = below if tails == "one" else min(above, below)
    if not len(nonzero):
        tail = 1.0
    elif exact:
        # Twice a rank is whole, even where ties share one.
        doubled_ranks = np.rint(2 * ranks).astype(np.int64)
        tail = float(_exact_null_cdf(doubled_ranks)[round(2 * rank_sum)])
    else:
        tail = _normal_approximation_cdf(rank_sum, len(nonzero), ties)
    estimate, low, high = _hodges_lehmann(np.sort(steps), scale, level)
    return SignedRankTest(
        statistic=above if tails == "one" else rank_sum,
        p=tail if tails == "one" else min(1.0, 2 * tail),
        n_used=len(nonzero),
        n_zeros=len(steps) - len(nonzero),
        exact=exact,
        estimate=estimate,
        low=low,
        high=high,
    )


def _discretize(values: FloatArray) -> tuple[IntArray, float]:
    """Return the values as integer multiples of the smallest relevant step, and steps per unit."""
    largest = float(np.abs(values).max())
    if not largest:
        return np.zeros(len(values), dtype=np.int64), 1.0
    scale = 10.0 ** min(RANKING_DIGITS - 1 - math.floor(math.log10(largest)), MAX_SCALE_EXPONENT)
    return np.rint(values * scale).astype(np.int64), scale


def _exact_null_cdf(ranks: IntArray) -> FloatArray:
    """Return the exact null distribution function of the rank sum, by dynamic programming."""
    sign_patterns = np.zeros(int(ranks.sum()) + 1)
    sign_patterns[0] = 1
    for rank in ranks.tolist():
        sign_patterns[rank:] += sign_patterns[:-rank].copy()
    tails: FloatArray = np.cumsum(sign_patterns) / 2.0 ** len(ranks)
    return tails


def _normal_approximation_cdf(rank_sum: float, n: int, ties: IntArray) -> float:
    """Return the normal approximation of the rank sum's CDF."""
    from scipy.special import ndtr

    mean = n * (n + 1) / 4
    variance = (n * (n + 1) * (2 * n + 1) - float((ties**3 - ties).sum()) / 2) / 24
    return float(ndtr((rank_sum - mean) / math.sqrt(variance)))


def _hodges_lehmann(
    steps: IntArray, scale: float, level: float
) -> tuple[float, float | None, float | None]:
    """Return the median of the Walsh averages of the sorted differences, and its limits."""
    number = len(steps)
    means = number * (number + 1) // 2
    sum_at = (
        _sorted_walsh_sums(steps)
        if number <= MAX_SORTED_DIFFERENCES
        else partial(_select_walsh_sum, steps)
    )
    middle = (sum_at((means + 1) // 2) + sum_at(means // 2 + 1)) / 2
    beyond = _lower_walsh_rank(number, level)
    if not beyond:
        return middle / (2 * scale), None, None
    low, high = (sum_at(place) for place in (beyond, means + 1 - beyond))
    return middle / (2 * scale), low / (2 * scale), high / (2 * scale)


def _sorted_walsh_sums(steps: IntArray) -> Callable[[int], int]:
    """Return a function from a rank to the Walsh sum of that rank."""
    first, second = np.triu_indices(len(steps))
    sums = np.sort(steps[first] + steps[second])
    return lambda place: int(sums[place - 1])


def _lower_walsh_rank(n: int, level: float) -> int:
    """Return the rank of the lower limit among the sorted Walsh averages; 0 if there is none.

    The rank is that for untied differences; with ties the closed interval is conservative.
    """
    if n <= MAX_EXACT_SIGNED_RANKS:
        untied = _exact_null_cdf(np.arange(1, n + 1))
        return int(np.searchsorted(untied, (1 - level) / 2, side="right"))
    spread = math.sqrt(n * (n + 1) * (2 * n + 1) / 24)
    return max(0, math.floor(n * (n + 1) / 4 - critical_z(level) * spread))


def _select_walsh_sum(steps: IntArray, rank: int) -> int:
    """Return the Walsh sum of a rank by bisection, without listing all sums."""
    low, high = 2 * int(steps[0]), 2 * int(steps[-1])
    while low < high:
        middle = (low + high) // 2
        with_each = np.searchsorted(steps, middle - steps, side="right").sum()
        with_itself = np.searchsorted(2 * steps, middle, side="right")
        if (with_each + with_itself) // 2 >= rank:
            high = middle
        else:
            low = middle + 1
    return low
