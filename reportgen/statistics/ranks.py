"""Rank tests of several classifiers over several data sets (Friedman, Nemenyi; Demšar 2006)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

FloatArray: TypeAlias = NDArray[np.float64]

# Relative tolerance: equal values may differ in their last digits by rounding.
RANK_TIE_TOLERANCE = 1e-12
# Integration limit: the normal density beyond this many standard deviations is negligible.
INTEGRATION_LIMIT = 9.0
INTEGRATION_POINTS = 800
QUANTILE_BISECTIONS = 60


def rank_rows(values: FloatArray, *, higher_is_better: bool) -> FloatArray:
    """Rank each row, 1 for the best; ties get the mean of their ranks."""
    signed = values if higher_is_better else -values
    mine, other = signed[:, :, np.newaxis], signed[:, np.newaxis, :]
    tolerance = RANK_TIE_TOLERANCE * np.maximum(1.0, np.maximum(np.abs(mine), np.abs(other)))
    better = (other - mine > tolerance).sum(axis=2)
    equal = (np.abs(other - mine) <= tolerance).sum(axis=2)
    return np.asarray(1 + better + (equal - 1) / 2, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class FriedmanTest:
    """Friedman's chi-square with tie correction, and the F statistic of Iman and Davenport (1980).

    `f` is None where it is infinite: every data set ranks the classifiers in the same order, and
    `f_p` is then the exact probability of that.
    """

    chi_square: float
    df: int
    p: float
    chi_square_without_tie_correction: float
    f_statistic: float | None
    f_df: tuple[int, int]
    f_p: float


def friedman_test(ranks: FloatArray) -> FriedmanTest | None:
    """Test whether mean ranks differ; None if all values are tied on every data set."""
    from scipy.special import chdtrc, fdtrc

    rows, columns = ranks.shape
    mean_ranks = ranks.mean(axis=0)
    scale = 12 * rows / (columns * (columns + 1))
    uncorrected = scale * (math.fsum(mean_ranks**2) - columns * (columns + 1) ** 2 / 4)
    correction = 1 - math.fsum(_tie_corrections(ranks)) / (rows * (columns**3 - columns))
    if rows <= 1 or columns <= 1 or correction <= RANK_TIE_TOLERANCE:
        return None
    # Equal mean ranks may come out a rounding below 0.
    chi_square = max(uncorrected / correction, 0.0)
    df, residual = columns - 1, rows * (columns - 1) - chi_square
    f_df = (df, df * (rows - 1))
    identical = residual <= RANK_TIE_TOLERANCE * rows * df
    f = None if identical else (rows - 1) * chi_square / residual
    f_p = _prob_identical_rankings(ranks) if f is None else float(fdtrc(*f_df, f))
    return FriedmanTest(
        chi_square, df, float(chdtrc(df, chi_square)), max(uncorrected, 0.0), f, f_df, f_p
    )


def _tie_corrections(ranks: FloatArray) -> FloatArray:
    """Return for each row the sum of t³ − t over its groups of t tied values."""
    equal = ranks[:, :, np.newaxis] == ranks[:, np.newaxis, :]
    sizes = equal.sum(axis=2).astype(np.float64)
    # Each of the t members of a group adds t² − 1.
    return np.asarray((sizes**2 - 1).sum(axis=1), dtype=np.float64)


def _prob_identical_rankings(ranks: FloatArray) -> float:
    """Return the probability that all rows have the order of the first under random ranking."""
    _, sizes = np.unique(ranks[0], return_counts=True)
    orders = math.factorial(ranks.shape[1]) // math.prod(map(math.factorial, map(int, sizes)))
    return math.pow(orders, -(ranks.shape[0] - 1))


def studentized_range_sf(q: float, n_groups: int) -> float:
    """Return the survival function of the studentized range with infinite degrees of freedom."""
    from scipy.special import ndtr

    if q <= 0:
        return 1.0
    # The trapezoidal rule is exact to rounding for so smooth a function that ends in zeros.
    points = np.linspace(-INTEGRATION_LIMIT, INTEGRATION_LIMIT + q, INTEGRATION_POINTS)
    density = np.exp(-(points**2) / 2) / math.sqrt(2 * math.pi)
    within = (ndtr(points) - ndtr(points - q)) ** (n_groups - 1)
    inside = n_groups * math.fsum(density * within) * (points[1] - points[0])
    return float(min(max(1.0 - inside, 0.0), 1.0))


def studentized_range_isf(alpha: float, n_groups: int) -> float:
    """Return the critical value of the studentized range with infinite degrees of freedom."""
    low, high = 0.0, 2 * INTEGRATION_LIMIT
    for _ in range(QUANTILE_BISECTIONS):
        middle = (low + high) / 2
        if studentized_range_sf(middle, n_groups) > alpha:
            low = middle
        else:
            high = middle
    return high


def mean_rank_se(n_treatments: int, n_blocks: int) -> float:
    """Return the standard error of the difference of two mean ranks."""
    return math.sqrt(n_treatments * (n_treatments + 1) / (6 * n_blocks))


def critical_difference(alpha: float, n_treatments: int, n_blocks: int) -> float:
    """Return the critical difference of mean ranks (Nemenyi 1963)."""
    quantile = studentized_range_isf(alpha, n_treatments) / math.sqrt(2)
    return quantile * mean_rank_se(n_treatments, n_blocks)


def nemenyi_p(rank_difference: float, n_treatments: int, n_blocks: int) -> float:
    """Return Nemenyi's p-value of a difference of mean ranks, adjusted for all pairs."""
    spread = abs(rank_difference) / mean_rank_se(n_treatments, n_blocks) * math.sqrt(2)
    return studentized_range_sf(spread, n_treatments)


def dunn_vs_control(
    rank_difference: float, n_treatments: int, n_blocks: int
) -> tuple[float, float]:
    """Return z and its two-sided p-value against a control (Dunn 1961)."""
    from scipy.special import ndtr

    z = rank_difference / mean_rank_se(n_treatments, n_blocks)
    return z, float(2 * ndtr(-abs(z)))


def maximal_groups(
    members: Sequence[str], linked_pairs: Container[frozenset[str]]
) -> list[list[str]]:
    """Return the maximal groups of two or more in which every two are linked.

    They are the maximal cliques of the graph (Bron and Kerbosch 1973), members in the order given.
    """
    neighbours = {
        name: {
            other for other in members if frozenset((name, other)) in linked_pairs and other != name
        }
        for name in members
    }
    groups: list[list[str]] = []

    def extend(group: set[str], candidates: set[str], excluded: set[str]) -> None:
        if not candidates and not excluded:
            if len(group) > 1:
                groups.append([name for name in members if name in group])
            return
        pivot = max(
            sorted(candidates | excluded), key=lambda name: len(neighbours[name] & candidates)
        )
        for name in sorted(candidates - neighbours[pivot]):
            extend(group | {name}, candidates & neighbours[name], excluded & neighbours[name])
            candidates = candidates - {name}
            excluded = excluded | {name}

    extend(set(), set(members), set())
    return sorted(groups, key=lambda group: [members.index(name) for name in group])
