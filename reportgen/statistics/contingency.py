"""Tests of homogeneity: whether two samples of counts have the same class proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.statistics.chance import pearson_chi2
from reportgen.statistics.distributions import chi2_sf

if TYPE_CHECKING:
    import numpy.typing as npt

    IntArray = npt.NDArray[np.int64]
    FloatArray = npt.NDArray[np.float64]

# Below this expected count the chi-square approximation is poor (Cochran 1954).
MIN_EXPECTED_COUNT = 5.0
TWO_CATEGORIES = 2
MIN_TABLE_PERMUTATIONS, MAX_TABLE_PERMUTATIONS, MAX_PERMUTED_COUNTS = 1999, 19_999, 2_000_000
# NumPy's limit for multivariate hypergeometric samples; larger samples use chi-square anyway.
MAX_PERMUTED_CASES = 10**9
# Relative tolerance: equally likely tables may differ by rounding.
TABLE_PROBABILITY_TOLERANCE = 1e-7


@dataclass(frozen=True, slots=True)
class HomogeneityTest:
    """A test of equal proportions: chi-square or, for small counts, exact or by permutation."""

    test: Literal["chi-square", "Fisher", "permutation"]
    statistic: float
    df: int
    p: float


def homogeneity_test(
    first_counts: npt.ArrayLike, second_counts: npt.ArrayLike, seed: int = 0
) -> HomogeneityTest | None:
    """Test whether two samples have the same proportions; None for an empty sample.

    Categories that neither sample has are dropped. Where an expected count is below five, two
    categories are tested by Fisher's exact test and more by a Monte Carlo permutation test.
    """
    table = np.array([first_counts, second_counts], dtype=np.int64)
    table = table[:, table.sum(axis=0) > 0]
    sizes, kinds = table.sum(axis=1), table.sum(axis=0)
    if not sizes.all():
        return None
    df = len(kinds) - 1
    if df == 0:
        return HomogeneityTest("chi-square", 0.0, 0, 1.0)
    statistic = _chi2_of_table(table)
    total = int(sizes.sum())
    if (
        float(sizes.min()) * float(kinds.min()) / total >= MIN_EXPECTED_COUNT
        or total >= MAX_PERMUTED_CASES
    ):
        return HomogeneityTest("chi-square", statistic, df, _chi2_p_value(statistic, df))
    if df == 1:
        return HomogeneityTest("Fisher", statistic, df, fisher_exact(table))
    return HomogeneityTest(
        "permutation", statistic, df, _permutation_p_value(sizes, kinds, statistic, seed)
    )


def fisher_exact(table: IntArray) -> float:
    """Return the two-sided p-value of Fisher's exact test."""
    from scipy.special import gammaln

    (observed, _), _ = table
    sample_size, kind, total = int(table[0].sum()), int(table[:, 0].sum()), int(table.sum())
    possible = np.arange(
        max(0, sample_size + kind - total), min(sample_size, kind) + 1, dtype=np.float64
    )
    logs = -(
        gammaln(possible + 1)
        + gammaln(kind - possible + 1)
        + gammaln(sample_size - possible + 1)
        + gammaln(total - kind - sample_size + possible + 1)
    )
    chances = np.exp(logs - logs.max())
    observed_probability = chances[int(observed - possible[0])]
    return min(
        1.0,
        float(
            chances[chances <= observed_probability * (1 + TABLE_PROBABILITY_TOLERANCE)].sum()
            / chances.sum()
        ),
    )


def _chi2_of_table(table: IntArray) -> float:
    counts = table.astype(np.float64)
    if counts.shape[1] == TWO_CATEGORIES:
        return float(pearson_chi2(*counts.ravel(), yates_correction=False))
    sizes, kinds = counts.sum(axis=1), counts.sum(axis=0)
    return float(_chi2_of_samples(counts[0], sizes, kinds))


def _chi2_of_samples(
    first_counts: FloatArray, sample_sizes: FloatArray, category_totals: FloatArray
) -> FloatArray:
    """Return chi-square of one or many first samples; the last axis is that of the categories."""
    total = sample_sizes.sum()
    # Both rows are equally far from what is expected, so that one of them says it all.
    gaps = first_counts - sample_sizes[0] * category_totals / total
    contributions = gaps**2 * total / category_totals
    return np.asarray(
        contributions.sum(axis=-1) * (1 / sample_sizes[0] + 1 / sample_sizes[1]), dtype=np.float64
    )


def _chi2_p_value(statistic: float, df: int) -> float:
    if df == 1:
        return chi2_sf(statistic)
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))


def _permutation_p_value(
    sample_sizes: IntArray, category_totals: IntArray, statistic: float, seed: int
) -> float:
    """Return the Monte Carlo p-value of chi-square, from samples drawn from both together."""
    draws = min(
        MAX_TABLE_PERMUTATIONS,
        max(MIN_TABLE_PERMUTATIONS, MAX_PERMUTED_COUNTS // len(category_totals)),
    )
    random = np.random.default_rng(seed)
    samples = random.multivariate_hypergeometric(
        category_totals, int(sample_sizes[0]), size=draws, method="marginals"
    )
    statistics = _chi2_of_samples(
        samples.astype(np.float64),
        sample_sizes.astype(np.float64),
        category_totals.astype(np.float64),
    )
    as_far = int((statistics >= statistic * (1 - TABLE_PROBABILITY_TOLERANCE)).sum())
    return (1 + as_far) / (1 + draws)
