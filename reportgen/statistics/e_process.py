"""E-processes: evidence of a change that may be looked at after every run.

Under the hypothesis of no change the chance that an e-process ever reaches 1/α is at most α
(Ville 1939), however often and however long it is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    FloatArray = npt.NDArray[np.float64]
    IndexArray = npt.NDArray[np.int64]

# The prior of the mixture has as much weight as so many cases, and its mean at the limit.
_PRIOR_CASES = 200.0
# Starts of a change that are followed; dropping older ones keeps the guarantee.
_MAX_STARTS = 365
# Log odds ratios of the alternatives to an equal reference, and their prior standard deviation.
_LOG_ODDS_RATIOS = np.linspace(-2.0, 2.0, 41)
_PRIOR_SD = 0.3
# The share of the remaining reference cases that is compared with the cases of one run.
_REFERENCE_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class EvidencePath:
    """The e-process after every run, as natural logarithms, and the likeliest start of a change.

    `start` is the index of the run from which the evidence at each run is largest.
    """

    log_e: FloatArray
    start: IndexArray


def limit_path(
    hits: IndexArray, cases: IndexArray, limit: float, side: Literal["below", "above"]
) -> EvidencePath:
    """Return the evidence that a proportion is below (above) a limit, run after run.

    Beta-binomial mixture over proportions beyond the limit (Robbins 1970), against the limit,
    which is the least favourable proportion that keeps it.
    """
    if side == "above":
        return limit_path(cases - hits, cases, 1 - limit, "below")
    from scipy.special import betainc, betaln

    first, second = limit * _PRIOR_CASES, (1 - limit) * _PRIOR_CASES
    prior = betaln(first, second) + np.log(betainc(first, second, limit))

    def log_e(start: IndexArray, stop: int) -> FloatArray:
        k, n = (
            cumulative[0][stop] - cumulative[0][start],
            cumulative[1][stop] - cumulative[1][start],
        )
        with np.errstate(divide="ignore"):
            tail = np.log(betainc(first + k, second + n - k, limit))
        likelihood = k * np.log(limit) + (n - k) * np.log1p(-limit)
        return np.asarray(betaln(first + k, second + n - k) + tail - prior - likelihood)

    cumulative = [np.append(0.0, np.cumsum(counts)) for counts in (hits, cases)]
    return _mix_starts(log_e, len(hits))


def reference_path(
    hits: IndexArray, cases: IndexArray, reference: tuple[int, int], seed: int
) -> EvidencePath:
    """Return the evidence that a proportion differs from that of a reference sample.

    The mean of two e-processes, which is one as well: blocks find a change soon after the
    reference, the split likelihood one after many runs, which count as reference until then.

    Args:
        hits: hits of each run.
        cases: cases of each run.
        reference: hits and cases of the reference sample.
        seed: of the random draws of reference cases.
    """
    parts = _block_path(hits, cases, reference, seed), _split_path(hits, cases, reference)
    log_e = np.array([part.log_e for part in parts])
    likelier = np.argmax(log_e, axis=0)
    return EvidencePath(
        np.logaddexp(*log_e) - np.log(2.0),
        np.where(likelier == 0, parts[0].start, parts[1].start),
    )


def _block_path(
    hits: IndexArray, cases: IndexArray, reference: tuple[int, int], seed: int
) -> EvidencePath:
    """Return the evidence by blocks of two samples (Turner, Ly and Grünwald 2024).

    Every run is compared with a tenth of the remaining reference cases, drawn at random and not
    used again. Given the hits of both, those of the run are hypergeometric whatever the common
    proportion; the ratio to the noncentral hypergeometric distribution of an odds ratio is an
    e-variable, mixed over odds ratios.
    """
    from scipy.special import logsumexp

    random = np.random.default_rng(seed)
    left_hits, left_cases = reference
    ratios = np.zeros((len(hits), len(_LOG_ODDS_RATIOS)))
    for run, (hit, count) in enumerate(zip(hits.tolist(), cases.tolist(), strict=True)):
        reference_cases = min(count, int(np.ceil(left_cases * _REFERENCE_SHARE)))
        if not reference_cases:
            continue
        drawn_hits = int(random.hypergeometric(left_hits, left_cases - left_hits, reference_cases))
        left_hits, left_cases = left_hits - drawn_hits, left_cases - reference_cases
        ratios[run] = _log_hypergeometric_ratios(hit, count, drawn_hits, reference_cases)
    cumulative = np.vstack((np.zeros(len(_LOG_ODDS_RATIOS)), np.cumsum(ratios, axis=0)))
    weights = -0.5 * (_LOG_ODDS_RATIOS / _PRIOR_SD) ** 2
    weights = weights - logsumexp(weights)
    return _mix_starts(
        lambda start, stop: np.asarray(
            logsumexp(cumulative[stop] - cumulative[start] + weights, axis=1)
        ),
        len(hits),
    )


def _split_path(hits: IndexArray, cases: IndexArray, reference: tuple[int, int]) -> EvidencePath:
    """Return the evidence by the split likelihood (Wasserman, Ramdas and Balakrishnan 2020).

    The likelihood of a change at s, with beta priors before and after, is divided by the largest
    likelihood without a change. The prior after s has its mean at the proportion before.
    """
    from scipy.special import betaln, xlogy

    k = np.append(0.0, np.cumsum(hits)) + reference[0]
    n = np.append(0.0, np.cumsum(cases)) + reference[1]

    def log_e(start: IndexArray, stop: int) -> FloatArray:
        before_hits, before = k[start], n[start]
        after_hits, after = k[stop] - before_hits, n[stop] - before
        first = _PRIOR_CASES * (before_hits + 0.5) / (before + 1)
        second = _PRIOR_CASES - first
        numerator = (
            betaln(before_hits + 0.5, before - before_hits + 0.5)
            - betaln(0.5, 0.5)
            + betaln(first + after_hits, second + after - after_hits)
            - betaln(first, second)
        )
        share = k[stop] / n[stop]
        return np.asarray(numerator - xlogy(k[stop], share) - xlogy(n[stop] - k[stop], 1 - share))

    return _mix_starts(log_e, len(hits), waiting=0.0)


def _log_hypergeometric_ratios(
    hits: int, cases: int, other_hits: int, other_cases: int
) -> FloatArray:
    """Return log P(hits | all hits) at every odds ratio, minus that at odds ratio 1."""
    from scipy.special import gammaln, logsumexp

    total = hits + other_hits
    possible = np.arange(max(0, total - other_cases), min(cases, total) + 1, dtype=np.float64)

    def log_choose(size: int, successes: FloatArray) -> FloatArray:
        return np.asarray(
            gammaln(size + 1) - gammaln(successes + 1) - gammaln(size - successes + 1)
        )

    central = log_choose(cases, possible) + log_choose(other_cases, total - possible)
    central -= logsumexp(central)
    normalisation = logsumexp(central[:, None] + possible[:, None] * _LOG_ODDS_RATIOS, axis=0)
    return np.asarray(_LOG_ODDS_RATIOS * hits - normalisation)


def _mix_starts(
    log_e: Callable[[IndexArray, int], FloatArray], size: int, waiting: float = 1.0
) -> EvidencePath:
    """Mix e-processes that start at every run, with weights 1/((s + 1)(s + 2)) for start s.

    Starts that are still to come have the value `waiting`.
    """
    from scipy.special import logsumexp

    log_waiting = np.log(waiting) if waiting else -np.inf
    path, likeliest = np.empty(size), np.empty(size, np.int64)
    for run in range(size):
        start = np.arange(max(0, run + 1 - _MAX_STARTS), run + 1)
        weighted = log_e(start, run + 1) - np.log((start + 1.0) * (start + 2.0))
        path[run] = np.logaddexp(logsumexp(weighted), log_waiting - np.log(run + 2.0))
        likeliest[run] = start[np.argmax(weighted)]
    return EvidencePath(path, likeliest)
