"""E-processes: evidence of a change that may be looked at after every run.

Under the hypothesis of no change the chance that an e-process ever reaches 1/α is at most α
(Ville 1939), however often and however long it is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
    IndexArray = npt.NDArray[np.int64]

# The weight of a start halves after so many runs.
_HALF_WEIGHT_RUNS = 100.0
# The share of weights that halve after two runs, against a reference: how soon after it a change
# is found is bounded by its size, so that no evidence can be given away there.
_EARLY_RUNS = 2.0
_EARLY_SHARE = 0.5
# Alternatives to a limit: log odds ratios with a lognormal prior around a fall from 0.90 to 0.87,
# and a tenth of the prior spread evenly over their logarithms.
_LOG_ODDS_RATIOS = np.geomspace(0.005, 2.0, 24)
_LIKELY_LOG_ODDS_RATIO, _LOG_SD = 0.3, 0.4
# Alternatives to a reference: differences in standard deviations of a case, likewise.
_DIFFERENCES = np.geomspace(0.005, 0.6, 14)
_LIKELY_DIFFERENCE = 0.09
_EVEN_SHARE = 0.1
# The prior probability that the proportion fell below that of the reference.
_FALL_SHARE = 0.8
# Below this share of the threshold hardly anything exceeds it after the next run.
_BOOSTED_FROM = 0.1
_BOOST_STEPS = 8
# Possible outcomes of a run are grouped into about so many blocks.
_BLOCKS = 60


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """The e-process after every run, as natural logarithms.

    `alarm` is the index of the first run at which it reaches the threshold, and `start` that of
    the run from which the evidence is largest then; None without an alarm.
    """

    log_e: FloatArray
    alarm: int | None
    start: int | None


@dataclass(frozen=True, slots=True)
class _Outcomes:
    """Blocks of possible outcomes of a run without a change: their means and probabilities.

    Evidence is a convex function of the outcome, so that means understate what exceeds a level.
    """

    values: FloatArray
    probabilities: FloatArray


@dataclass(frozen=True, slots=True)
class _StartWeights:
    """Prior weights of the starts of a change: Σ share · h / ((s + h)(s + h + 1)), in all 1."""

    shares: tuple[tuple[float, float], ...]

    def log_weights(self, runs: int) -> FloatArray:
        """Return the logarithms of the weights of the first starts."""
        start = np.arange(runs)
        return np.asarray(
            np.log(sum(q * h / ((start + h) * (start + h + 1)) for q, h in self.shares))
        )

    def log_waiting(self, runs: int) -> FloatArray:
        """Return the logarithms of the weights of all later starts, after every run."""
        return np.asarray(np.log(sum(q * h / (np.arange(runs) + 1 + h) for q, h in self.shares)))


if TYPE_CHECKING:
    # The evidence of the starts up to a run (starts or 1 × alternatives × outcomes), weighted and
    # as logarithms, for possible outcomes of that run.
    _Started: TypeAlias = "Callable[[int, FloatArray], FloatArray]"


def limit_path(
    hits: IndexArray,
    cases: IndexArray,
    limit: float,
    side: Literal["below", "above"],
    threshold: float,
) -> EvidencePath:
    """Return the evidence that a proportion is below (above) a limit, run after run.

    Mixture of likelihood ratios to the limit (Robbins 1970), which is the least favourable
    proportion that keeps it. An alarm is raised at the threshold.
    """
    if side == "above":
        return limit_path(cases - hits, cases, 1 - limit, "below", threshold)
    runs = len(hits)
    odds = limit / (1 - limit) * np.exp(-_LOG_ODDS_RATIOS)
    share = odds / (1 + odds)
    of_hit, of_miss = np.log(share / limit), np.log((1 - share) / (1 - limit))
    own = np.outer(hits, of_hit) + np.outer(cases - hits, of_miss)
    weights = _StartWeights(((1.0, _HALF_WEIGHT_RUNS),))
    log_weights = weights.log_weights(runs)
    log_prior = np.log(_prior(_LOG_ODDS_RATIOS, _LIKELY_LOG_ODDS_RATIO))
    # Of all starts together, before the run.
    before = np.empty((runs, len(log_prior)))
    after = np.full(len(log_prior), -np.inf)
    for run in range(runs):
        before[run] = np.logaddexp(after, log_weights[run])
        after = before[run] + own[run]

    def started(run: int, outcomes: FloatArray) -> FloatArray:
        ratios = of_hit[:, None] * outcomes + of_miss[:, None] * (cases[run] - outcomes)
        return np.asarray((before[run] + log_prior)[None, :, None] + ratios[None])

    def by_start(run: int) -> FloatArray:
        total = np.cumsum(own[run::-1], axis=0)[::-1]
        return np.asarray(log_weights[: run + 1] + _log_sum_exp(total + log_prior, axis=1))

    log_e = _boosted_path(
        hits.astype(np.float64),
        started,
        lambda run: _binomial_outcomes(int(cases[run]), limit),
        weights.log_waiting(runs),
        threshold,
    )
    return _dated(log_e, by_start, threshold)


def reference_path(
    hits: IndexArray,
    cases: IndexArray,
    reference: tuple[int, int],
    seed: int,
    threshold: float,
) -> EvidencePath:
    """Return the evidence that a proportion differs from that of a reference sample.

    Given the hits until a run, those of the run are hypergeometric whatever the proportion, if it
    did not change. Their randomized p-values are independent and uniform (Vovk, Gammerman and
    Shafer 2005); the path is a mixture of likelihood ratios of their normal scores, whose means
    after a change follow from the numbers of cases before and after it.

    Args:
        hits: hits of each run.
        cases: cases of each run.
        reference: hits and cases of the reference sample.
        seed: of the randomized p-values.
        threshold: an alarm is raised there.
    """
    runs = len(hits)
    until = reference[1] + np.cumsum(cases)
    before = (until - cases).astype(np.float64)
    scores = _normal_scores(hits, cases, reference, seed)
    weights = _StartWeights(((_EARLY_SHARE, _EARLY_RUNS), (1 - _EARLY_SHARE, _HALF_WEIGHT_RUNS)))
    prior = _prior(_DIFFERENCES, _LIKELY_DIFFERENCE)
    sides = np.concatenate((_FALL_SHARE * prior, (1 - _FALL_SHARE) * prior))
    # A change by d standard deviations at start s moves the mean of a score by mean[s, d] · scale.
    mean = np.outer(before, np.concatenate((-_DIFFERENCES, _DIFFERENCES)))
    scale = 1 / (until * np.sqrt(1 / cases - 1 / until))
    scaled = np.concatenate(([0.0], np.cumsum(scores * scale)))
    half = mean**2 / 2
    squares = np.concatenate(([0.0], np.cumsum(scale**2)))
    weighted = weights.log_weights(runs)[:, None] + np.log(sides)
    weighted += half * squares[:runs, None] - mean * scaled[:runs, None]

    def started(run: int, outcomes: FloatArray) -> FloatArray:
        until_run = slice(run + 1)
        sums = scaled[run] + scale[run] * outcomes
        own = weighted[until_run] - half[until_run] * squares[run + 1]
        return np.asarray(own[:, :, None] + mean[until_run, :, None] * sums)

    def by_start(run: int) -> FloatArray:
        return _log_sum_exp(started(run, scores[run : run + 1]), axis=(1, 2))

    normal = _normal_outcomes()
    log_e = _boosted_path(scores, started, lambda _: normal, weights.log_waiting(runs), threshold)
    return _dated(log_e, by_start, threshold)


def _boosted_path(
    observed: FloatArray,
    started: _Started,
    outcomes: Callable[[int], _Outcomes],
    log_waiting: FloatArray,
    threshold: float,
) -> FloatArray:
    """Return the evidence of all starts after every run; those to come still have the value 1.

    Evidence beyond the threshold is of no use: until an alarm the path is multiplied, before every
    run, by the largest factor for which the expectation of the smaller of path and threshold does
    not grow (Fischer and Ramdas 2024).
    """

    def log_mixture(run: int, values: FloatArray) -> FloatArray:
        of_starts = _log_sum_exp(started(run, values), axis=(0, 1))
        return np.asarray(np.logaddexp(of_starts, log_waiting[run]))

    log_threshold = np.log(threshold)
    log_e = np.empty(len(observed))
    log_factor, level = 0.0, 0.0
    for run in range(len(observed)):
        if level >= log_threshold:
            # After an alarm nothing is left to be gained.
            log_threshold = np.inf
        elif np.log(_BOOSTED_FROM) <= level - log_threshold:
            possible = outcomes(run)
            growth = np.exp(log_mixture(run, possible.values) + log_factor - level)
            relative = float(np.exp(log_threshold - level))
            log_factor += np.log(_boost(growth, possible.probabilities, relative))
        level = float(log_mixture(run, observed[run : run + 1])[0]) + log_factor
        log_e[run] = level
    return log_e


def _dated(
    log_e: FloatArray, by_start: Callable[[int], FloatArray], threshold: float
) -> EvidencePath:
    """Return a path with its first alarm and the likeliest start of the change."""
    alarms = np.flatnonzero(log_e >= np.log(threshold))
    if not alarms.size:
        return EvidencePath(log_e, None, None)
    alarm = int(alarms[0])
    return EvidencePath(log_e, alarm, int(np.argmax(by_start(alarm))))


def _log_sum_exp(values: FloatArray, axis: int | tuple[int, ...]) -> FloatArray:
    """Return the logarithm of a sum of exponentials of finite values."""
    largest = values.max(axis=axis, keepdims=True)
    return np.asarray(
        np.log(np.exp(values - largest).sum(axis=axis)) + np.squeeze(largest, axis=axis)
    )


def _boost(values: FloatArray, probabilities: FloatArray, threshold: float) -> float:
    """Return the largest factor b for which the mean of min(b · value, threshold) stays 1.

    The values have a mean of at most 1, so that b = 1 + mean excess of b · value over the
    threshold. The excess is a convex function of b: Newton's steps never go beyond the solution.
    """
    factor = 1.0
    for _ in range(_BOOST_STEPS):
        excess = np.maximum(factor * values - threshold, 0)
        slope = float(probabilities[excess > 0] @ values[excess > 0])
        factor += (1 + float(probabilities @ excess) - factor) / (1 - slope)
    return factor


def _prior(alternatives: FloatArray, likely: float) -> FloatArray:
    """Return a lognormal prior of a geometric grid, mixed with an even one."""
    lognormal = np.exp(-0.5 * (np.log(alternatives / likely) / _LOG_SD) ** 2)
    return np.asarray(
        (1 - _EVEN_SHARE) * lognormal / lognormal.sum() + _EVEN_SHARE / len(alternatives)
    )


def _normal_outcomes() -> _Outcomes:
    from scipy.special import ndtr

    edges = np.concatenate(([-np.inf], np.linspace(-6, 6, _BLOCKS - 1), [np.inf]))
    probabilities = np.diff(ndtr(edges))
    density = np.exp(-(edges**2) / 2) / np.sqrt(2 * np.pi)
    return _Outcomes(-np.diff(density) / probabilities, probabilities)


def _binomial_outcomes(cases: int, share: float) -> _Outcomes:
    """Return the numbers of hits within ten standard deviations of their mean, in blocks."""
    from scipy.special import gammaln

    spread = 10 * np.sqrt(cases * share * (1 - share)) + 1
    low, high = max(0, int(cases * share - spread)), min(cases, int(cases * share + spread) + 1)
    hits = np.arange(low, high + 1, dtype=np.float64)
    log_p = gammaln(cases + 1) - gammaln(hits + 1) - gammaln(cases - hits + 1)
    p = np.exp(log_p + hits * np.log(share) + (cases - hits) * np.log1p(-share))
    block = np.arange(len(hits)) // (len(hits) // _BLOCKS + 1)
    probabilities = np.bincount(block, p).astype(np.float64)
    possible = probabilities > 0
    means = np.bincount(block, p * hits)[possible] / probabilities[possible]
    return _Outcomes(means, probabilities[possible])


def _normal_scores(
    hits: IndexArray, cases: IndexArray, reference: tuple[int, int], seed: int
) -> FloatArray:
    """Return the normal score of every run's randomized hypergeometric p-value."""
    from scipy.special import ndtri

    random = np.random.default_rng(seed)
    scores = np.empty(len(hits))
    total_hits, total = reference
    for run, (hit, count) in enumerate(zip(hits.tolist(), cases.tolist(), strict=True)):
        total_hits, total = total_hits + hit, total + count
        below, at, above = _hypergeometric(hit, count, total_hits, total)
        u = float(random.random())
        # The smaller tail, which has the precision.
        lower, upper = below + u * at, above + (1 - u) * at
        scores[run] = ndtri(lower) if lower < upper else -ndtri(upper)
    # The evidence of a p-value that is 0 in floating-point numbers is that of the smallest one.
    return np.clip(scores, -37.0, 37.0)


def _hypergeometric(
    hits: int, cases: int, total_hits: int, total: int
) -> tuple[float, float, float]:
    """Return the probabilities of fewer hits, as many and more hits in a sample of all cases."""
    from scipy.special import gammaln, logsumexp

    mean = cases * total_hits / total
    # What is further from the mean than this, and than the hits, is zero in floating-point numbers.
    spread = 40 * np.sqrt(mean * (1 - total_hits / total)) + 40
    low = max(0, cases - (total - total_hits), int(min(mean - spread, hits)))
    high = min(cases, total_hits, int(max(mean + spread, hits)))
    possible = np.arange(low, high + 1, dtype=np.float64)

    def log_choose(size: int, chosen: FloatArray) -> FloatArray:
        return np.asarray(gammaln(size + 1) - gammaln(chosen + 1) - gammaln(size - chosen + 1))

    log_p = log_choose(total_hits, possible) + log_choose(total - total_hits, cases - possible)
    p = np.exp(log_p - logsumexp(log_p))
    at = hits - low
    return float(p[:at].sum()), float(p[at]), float(p[at + 1 :].sum())
