"""P-values of permutation tests, enumerated or sampled, without a lower bound by the sampling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from reportgen.statistics import FloatArray


PValueKind: TypeAlias = Literal["exact", "mid-p"]
SMALLEST_P = float(np.finfo(np.float64).tiny)
# Relative tolerance below which two statistics are ties.
STATISTIC_TOLERANCE = 1e-9
# A tail is resolved if it has this many samples, or this many times the mass left out.
RESOLVED_SAMPLES, RESOLVED_MASS = 3, 10


@dataclass(frozen=True, slots=True)
class SupportWeights:
    """Probabilities of the outcomes; the mass of those left out is added to every p-value."""

    weights: FloatArray
    tail_mass: float
    exact: bool

    @classmethod
    def monte_carlo(cls, n_samples: int) -> SupportWeights:
        """Return equal weights of sampled outcomes; the observed outcome counts as one more."""
        return cls(np.full(n_samples, 1 / (n_samples + 1)), 1 / (n_samples + 1), exact=False)


def permutation_p_value(
    observed: float,
    null: FloatArray,
    support: SupportWeights,
    tail_score: Callable[[], float],
    p_value_kind: PValueKind,
) -> float:
    """Return the two-sided p-value of a statistic; NaN for an undefined one.

    Where the tail is beyond the resolution of the outcomes, it is that of a normal distribution: a
    difference does not get a larger p-value because its distribution was sampled, not enumerated.

    Args:
        observed: the observed statistic.
        null: the statistic in each outcome.
        support: the probabilities of the outcomes.
        tail_score: returns the difference in standard errors under the null hypothesis.
        p_value_kind: whether the observed outcome counts fully or half.
    """
    if math.isnan(observed):
        return math.nan
    size = abs(observed)
    slack = STATISTIC_TOLERANCE * max(1.0, size)
    if size <= slack:
        return 1.0
    sizes = np.abs(null)
    is_beyond = sizes >= size - slack
    beyond = float(support.weights[is_beyond].sum())
    if p_value_kind == "mid-p":
        beyond -= 0.5 * float(support.weights[np.abs(sizes - size) <= slack].sum())
    p = min(1.0, beyond + support.tail_mass)
    if support.exact:
        is_resolved = bool(beyond >= RESOLVED_MASS * support.tail_mass)
    else:
        is_resolved = int(np.count_nonzero(is_beyond)) >= RESOLVED_SAMPLES
    if is_resolved:
        return p
    from scipy.special import ndtr

    # Never 0: the tail may be below the smallest float.
    return min(p, max(SMALLEST_P, 2 * float(ndtr(-abs(tail_score())))))
