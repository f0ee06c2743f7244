"""Tests of one classifier against chance: random guessing, the no-information rate, kappa of 0.

Probabilities that random guessing looks like a valid classifier are exact, by enumeration.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.statistics.distributions import chi2_isf

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

FloatArray: TypeAlias = "npt.NDArray[np.float64]"

# In standard deviations; a binomial is farther from its mean with a probability below 1e-14.
MAX_STANDARD_DEVIATIONS = 8.0
# Minus the logarithm of a probability that underflows to 0.
UNDERFLOW_NEGATIVE_LOG = 745.0
UNIFORM_RATE = 0.5
# Beyond this many outcomes a grid of them has the probabilities of the normal approximation.
MAX_SUPPORT = 2_000_000


def prob_random_passes(
    positives: int, negatives: int, alpha: float, *, yates_correction: bool
) -> float:
    """Return the probability that a fair coin has a significant chi-square and over 50% accuracy.

    Inverting every guess keeps chi-square and mirrors the accuracy, so this is half the probability
    of significance, less half the probability of significance with exactly 50% accuracy
    (El Emam et al. 2000).
    """
    if positives == 0 or negatives == 0:
        return 0.0
    critical = chi2_isf(alpha)
    tp_counts, found_chances = _truncated_binomial_pmf(positives, UNIFORM_RATE)
    fp_counts, alarm_chances = _truncated_binomial_pmf(negatives, UNIFORM_RATE)
    up_to = np.concatenate([[0.0], np.cumsum(alarm_chances)])

    def chance_of_fewer(alarm: FloatArray) -> FloatArray:
        places = _places_of(fp_counts, alarm)
        return np.asarray(up_to[places], dtype=np.float64)

    def is_significant(alarm: FloatArray) -> npt.NDArray[np.bool_]:
        table = (tp_counts, positives - tp_counts, alarm, negatives - alarm)
        return pearson_chi2(*table, yates_correction=yates_correction) > critical

    # For so many found, chi-square is 0 where the alarms are as frequent, and what is not
    # significant surrounds that: the significant numbers of alarms are the fewest and the most.
    even = np.floor(tp_counts / positives * negatives)
    n_below = _bisect_first_false(is_significant, np.zeros_like(tp_counts), even + 1)
    n_significant = _bisect_first_false(
        lambda alarm: ~is_significant(alarm), even + 1, negatives + 1 + 0 * tp_counts
    )
    # Right in over half: fewer alarms than this.
    limit = np.ceil(tp_counts + (negatives - positives) / 2)
    below = chance_of_fewer(np.minimum(n_below, limit))
    above = np.maximum(0.0, chance_of_fewer(limit) - chance_of_fewer(n_significant))
    return float(found_chances @ (below + above))


def pearson_chi2(
    tp: FloatArray, fn: FloatArray, fp: FloatArray, tn: FloatArray, *, yates_correction: bool
) -> FloatArray:
    """Return Pearson's chi-square, with or without Yates' correction; NaN for an empty margin."""
    total = tp + fn + fp + tn
    distance = np.abs(tp * tn - fp * fn)
    if yates_correction:
        distance = np.maximum(0.0, distance - total / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = total * distance**2 / ((tp + fn) * (fp + tn) * (tp + fp) * (fn + tn))
    # With Yates' correction an empty margin gives x/0, without it 0/0: both say nothing.
    return np.where(np.isfinite(statistic), statistic, np.nan)


def p_value_vs_random_accuracy(
    positives: int, negatives: int, correct: int, positive_rate: float
) -> float:
    """Return the probability that guessing positive at this rate is at least as accurate."""
    tp_counts, chances = _truncated_binomial_pmf(positives, positive_rate)
    # So many negatives must be right as well.
    needed = correct - tp_counts
    counts, right_chances = _binomial_pmf(negatives, 1 - positive_rate)
    at_least = np.append(np.cumsum(right_chances[::-1])[::-1], 0.0)
    others = at_least[_places_of(counts, needed)]
    return min(1.0, float(chances @ np.where(needed <= 0, 1.0, others)))


def _truncated_binomial_pmf(n_trials: int, probability: float) -> tuple[FloatArray, FloatArray]:
    """Return the binomial probabilities without tails that do not matter, with their counts."""
    counts, chances = _binomial_pmf(n_trials, probability)
    spread = (
        MAX_STANDARD_DEVIATIONS * np.sqrt(n_trials * probability * (1 - probability))
        + MAX_STANDARD_DEVIATIONS**2
    )
    is_likely = np.abs(counts - n_trials * probability) < spread + 1
    return counts[is_likely], chances[is_likely] / chances[is_likely].sum()


def _binomial_pmf(n_trials: int, probability: float) -> tuple[FloatArray, FloatArray]:
    """Return the counts whose binomial probability is a positive float, with the probabilities.

    By Bernstein's inequality the distance t from the mean is exceeded with a probability below
    exp(−t²/(2·variance + 2t/3)), which underflows from this t on.
    """
    reach = UNDERFLOW_NEGATIVE_LOG / 3 + np.sqrt(
        (UNDERFLOW_NEGATIVE_LOG / 3) ** 2
        + 2 * UNDERFLOW_NEGATIVE_LOG * n_trials * probability * (1 - probability)
    )
    first = max(0, int(np.floor(n_trials * probability - reach)))
    last = min(n_trials, int(np.ceil(n_trials * probability + reach)))
    if last - first > MAX_SUPPORT:
        return _normal_pmf(n_trials, probability, first, last)
    likeliest = min(n_trials, int((n_trials + 1) * probability))
    # Each chance from its neighbour's, from the largest on: so none overflows or loses digits.
    below, above = np.arange(likeliest, first, -1.0), np.arange(likeliest, last, 1.0)
    downwards = np.cumprod(below * (1 - probability) / ((n_trials - below + 1) * probability))
    upwards = np.cumprod((n_trials - above) * probability / ((above + 1) * (1 - probability)))
    chances = np.concatenate([downwards[::-1], [1.0], upwards])
    return np.arange(first, last + 1, dtype=np.float64), chances / chances.sum()


def _normal_pmf(
    n_trials: int, probability: float, first: int, last: int
) -> tuple[FloatArray, FloatArray]:
    """Return a grid of counts with the probabilities of the normal approximation."""
    counts = np.floor(np.linspace(first, last, MAX_SUPPORT + 1))
    deviation = np.sqrt(n_trials * probability * (1 - probability))
    chances = np.exp(-0.5 * ((counts - n_trials * probability) / deviation) ** 2)
    return counts, chances / chances.sum()


def _places_of(counts: FloatArray, numbers: FloatArray) -> npt.NDArray[np.int64]:
    """Return how many of the counts, which are equally spaced, are below each number."""
    step = (counts[-1] - counts[0]) / (len(counts) - 1) if len(counts) > 1 else 1.0
    places = np.ceil((numbers - counts[0]) / step)
    return np.asarray(np.clip(places, 0, len(counts)), dtype=np.int64)


def _bisect_first_false(
    predicate: Callable[[FloatArray], npt.NDArray[np.bool_]], low: FloatArray, high: FloatArray
) -> FloatArray:
    """Return by bisection the first integers from `low` without the predicate, or `high`."""
    while (low < high).any():
        middle = np.minimum(np.floor((low + high) / 2), high - 1)
        goes_on = predicate(middle)
        is_open = low < high
        low = np.where(is_open & goes_on, middle + 1, low)
        high = np.where(is_open & ~goes_on, middle, high)
    return low


@dataclass(frozen=True, slots=True)
class KappaTest:
    """Cohen's kappa, its statistic under the hypothesis of 0, and the two-sided p-value."""

    kappa: float
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
    return KappaTest(kappa, statistic, math.erfc(abs(statistic) / math.sqrt(2)))


def exceeds_rate_p_value(correct: float, cases: float, rate: float) -> float:
    """Return the one-sided exact binomial p-value that accuracy exceeds a rate.

    Numbers of cases need not be whole: effective numbers of dependent cases are not.
    """
    if correct <= 0:
        return 1.0
    if 0 < cases * rate < correct < cases:
        # Chernoff's bound: the p-value is at most exp(−n KL(accuracy, rate)).
        accuracy = correct / cases
        divergence = accuracy * math.log(accuracy / rate) + (1 - accuracy) * math.log(
            (1 - accuracy) / (1 - rate)
        )
        if cases * divergence > UNDERFLOW_NEGATIVE_LOG:
            return 0.0
    from scipy.special import betainc

    return float(betainc(correct, cases - correct + 1, rate))
