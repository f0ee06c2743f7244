"""Tests of paired differences whose independent units are clusters of cases.

Swapping the predictions of two classifiers in a whole cluster changes the sign of the cluster's
difference, so that under the hypothesis of no difference all signs are equally likely. The
chi-square tests of clustered matched pairs are those of Obuchowski (1998), On the comparison of
correlated proportions for clustered data, and of Durkalski, Palesch, Lipsitz and Rust (2003),
Analysis of clustered matched-pair data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from reportgen.statistics import FloatArray

# Up to this many clusters that differ, all swaps are enumerated; beyond, they are sampled.
MAX_ENUMERATED_UNITS = 14
SAMPLED_SWAPS = 20_000
# With so many units the sum of signed differences is normal.
MAX_SAMPLED_UNITS = 5_000
# Fewer sampled swaps than these beyond the observed one do not estimate a probability.
MIN_EXCEEDANCES = 10
# Sampled signs held in memory at once.
_MAX_CELLS = 10_000_000
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class SwapTests:
    """Studentized sums of differences and their two-sided p-values, by column.

    `exact` is whether all swaps were enumerated.
    """

    statistics: FloatArray
    p_values: FloatArray
    exact: bool


def cluster_swap_tests(
    differences: FloatArray, counts: FloatArray | None = None, *, seed: int
) -> SwapTests:
    """Test whether sums of differences over independent units are 0, by swapping whole units.

    P-values beyond the resolution of sampled swaps are those of the normal distribution, which
    the sum of signed differences approaches from below in its tails.

    Args:
        differences: units × hypotheses.
        counts: how many identical units each row stands for; by default one.
        seed: the random seed of the sampled swaps.
    """
    from scipy.special import ndtr

    sizes = np.ones(len(differences)) if counts is None else counts
    varying = np.abs(differences).max(axis=1, initial=0.0) > 0
    differing, numbers = differences[varying], sizes[varying]
    observed = numbers @ differing
    spread = np.sqrt(numbers @ differing**2)
    with np.errstate(all="ignore"):
        normal = np.where(spread > 0, 2 * ndtr(-np.abs(observed) / spread), 1.0)
    units = float(numbers.sum())
    exact = units <= MAX_ENUMERATED_UNITS
    if exact:
        unit_differences = np.repeat(differing, numbers.astype(np.int64), axis=0)
        beyond = _exceedances(
            _all_signs(len(unit_differences)) @ unit_differences, observed, spread
        )
        p_values = beyond / 2 ** len(unit_differences)
    elif units > MAX_SAMPLED_UNITS:
        p_values = normal
    else:
        rng = np.random.default_rng(seed)
        block = max(1, _MAX_CELLS // len(numbers))
        beyond = np.zeros(differences.shape[1])
        for start in range(0, SAMPLED_SWAPS, block):
            number = min(block, SAMPLED_SWAPS - start)
            signs = 2.0 * rng.binomial(numbers.astype(np.int64), 0.5, (number, len(numbers)))
            beyond += _exceedances((signs - numbers) @ differing, observed, spread)
        sampled = (beyond + 1) / (SAMPLED_SWAPS + 1)
        p_values = np.where(beyond < MIN_EXCEEDANCES, normal, sampled)
    return SwapTests(studentized_sums(differences, sizes), np.minimum(1.0, p_values), exact)


def studentized_sums(differences: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the sums of columns over their standard errors; 0 where a sum is 0 and constant."""
    units = float(counts.sum())
    total = counts @ differences
    centred = differences - total / units
    with np.errstate(all="ignore"):
        error = np.sqrt(counts @ centred**2 * (units / (units - 1)))
        statistics = total / error
    limit = np.sqrt(units) / _TOLERANCE
    return np.where(
        np.abs(total) > _TOLERANCE * error.max(initial=1.0),
        np.clip(np.nan_to_num(statistics, nan=0.0, posinf=limit, neginf=-limit), -limit, limit),
        0.0,
    )


def _all_signs(units: int) -> FloatArray:
    """Return every combination of signs, one per row."""
    bits = np.arange(2**units)[:, None] >> np.arange(units)[None, :]
    return (1.0 - 2.0 * (bits & 1)).astype(np.float64)


def _exceedances(sums: FloatArray, observed: FloatArray, spread: FloatArray) -> FloatArray:
    """Count the sums that are as far from 0 as the observed ones, by column."""
    far = np.abs(sums) >= np.abs(observed) - _TOLERANCE * spread
    return np.asarray(far.sum(axis=0), dtype=np.float64)


def obuchowski_chi_square(first_only: FloatArray, second_only: FloatArray) -> float | None:
    """Return Obuchowski's (1998) chi-square of clustered matched pairs, with 1 degree of freedom.

    The variance of the difference of proportions is that between clusters of the discordant pairs
    b − c, with the factor K / (K − 1) of K clusters; None if no cluster has a discordant pair.
    """
    difference = first_only - second_only
    clusters = len(difference)
    squares = float(difference @ difference)
    if not squares or clusters < 2:  # noqa: PLR2004  # a variance needs two
        return None
    return float(difference.sum()) ** 2 / (squares * clusters / (clusters - 1))


def durkalski_chi_square(
    first_only: FloatArray, second_only: FloatArray, sizes: FloatArray
) -> float | None:
    """Return the chi-square of Durkalski et al. (2003), which weights clusters equally.

    None if no cluster has a discordant pair.
    """
    share = (first_only - second_only) / sizes
    squares = float(share @ share)
    return float(share.sum()) ** 2 / squares if squares else None
