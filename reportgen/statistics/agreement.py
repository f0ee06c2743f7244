"""Tests of one classifier against a baseline: no-information rate, and kappa of 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class KappaTest:
    """Cohen's kappa, its standard error if it is 0, the statistic and the two-sided p-value."""

    kappa: float
    null_standard_error: float
    statistic: float
    p: float


def kappa_null_test(matrix: npt.ArrayLike, weight: float = 1.0) -> KappaTest | None:
    """Test whether agreement exceeds chance (Fleiss, Cohen and Everitt 1969).

    Args:
        matrix: Counts by true class and predicted class.
        weight: The effective number of cases per case, below 1 where cases are dependent.

    Returns:
        The test; None where kappa is undefined, or does not vary if it is 0.
    """
    from scipy.special import ndtr

    counts = np.asarray(matrix, dtype=np.float64)
    cases = float(counts.sum())
    if not cases:
        return None
    shares = counts / cases
    true, predicted = shares.sum(axis=1), shares.sum(axis=0)
    chance = float(true @ predicted)
    spread = chance + chance**2 - float((true * predicted * (true + predicted)).sum())
    if math.isclose(chance, 1.0) or spread <= np.finfo(np.float64).eps:
        return None
    kappa = (float(np.trace(shares)) - chance) / (1 - chance)
    error = math.sqrt(spread / (cases * weight)) / (1 - chance)
    statistic = kappa / error
    return KappaTest(kappa, error, statistic, 2 * float(ndtr(-abs(statistic))))


def exceeds_rate_p_value(correct: float, cases: float, rate: float) -> float:
    """Return the one-sided exact binomial p-value that accuracy exceeds a rate.

    Numbers of cases need not be whole: effective numbers of dependent cases are not.
    """
    from scipy.special import betainc

    return 1.0 if correct <= 0 else float(betainc(correct, cases - correct + 1, rate))
