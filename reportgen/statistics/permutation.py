"""Step-down max-T adjustment of correlated permutation statistics (Westfall and Young 1993)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from reportgen.statistics import FloatArray, IndexArray


PValueKind: TypeAlias = Literal["exact", "mid-p"]
# Relative tolerance below which two statistics are ties.
STATISTIC_TOLERANCE = 1e-9
# A normal statistic exceeds 4 in 6 of 100,000 outcomes; heavy-tailed: in more than 100.
HEAVY_TAIL_STATISTIC, HEAVY_TAIL_PROBABILITY = 4.0, 1e-3


@dataclass(frozen=True, slots=True)
class NullDistribution:
    """The joint null distribution of several statistics: a row of `values` per hypothesis.

    Outcomes with equal values share a column; `column_of_outcome` is the column of each outcome.
    """

    values: FloatArray
    column_of_outcome: IndexArray

    @classmethod
    def from_values(cls, values: FloatArray) -> NullDistribution:
        """Return a null distribution in which every outcome has its own column."""
        return cls(values, np.arange(values.shape[1]))


@dataclass(frozen=True, slots=True)
class StepDownPValues:
    """Raw p-values and those adjusted within the family.

    `max_statistics` is the maximum over the hypotheses in each outcome, `weights` the probability
    of the outcome.
    """

    raw: FloatArray
    adjusted: FloatArray
    max_statistics: FloatArray
    weights: FloatArray

    def critical_value(self, level: float) -> float:
        """Return the critical value of the maximum statistic at a level."""
        return max_t_critical_value(self.max_statistics, self.weights, level)


def step_down_max_t(
    observed: FloatArray,
    null_distributions: Sequence[NullDistribution],
    weights: FloatArray,
    tail_mass: float,
    p_value_kind: PValueKind,
) -> StepDownPValues:
    """Return raw and step-down adjusted p-values of statistics with a joint null distribution.

    The largest statistic is compared with the maximum over all hypotheses, the next one with the
    maximum over the remaining ones, and so on. This uses the dependence between the statistics and
    controls the family-wise error rate (Westfall and Young 1993).
    """
    sizes, raw = np.abs(observed), np.empty(len(observed))
    chances = _TailProbabilities(weights, tail_mass, is_uniform=bool(np.all(weights == weights[0])))
    rows: list[tuple[FloatArray, IndexArray]] = []
    for null in null_distributions:
        values = np.abs(null.values)
        shares = np.bincount(null.column_of_outcome, weights, values.shape[1]).astype(np.float64)
        part = slice(len(rows), len(rows) + len(values))
        raw[part] = [
            chances.p_value(row[null.column_of_outcome], size, p_value_kind)
            for row, size in zip(values, sizes[part], strict=True)
        ]
        sizes[part], values = normalize_heavy_tails(
            sizes[part], values, shares, float(weights.min())
        )
        rows += [(row, null.column_of_outcome) for row in values]
    order = np.argsort(-sizes, kind="stable")
    adjusted = np.empty_like(raw)
    largest = np.zeros(len(weights))
    # From the smallest up, the largest of what remains grows by one row at a time.
    for place in order[::-1]:
        row, column = rows[place]
        np.maximum(largest, row[column], out=largest)
        adjusted[place] = chances.p_value(largest, sizes[place], p_value_kind)
    adjusted[order] = np.maximum.accumulate(adjusted[order])
    return StepDownPValues(raw, np.minimum(1.0, np.maximum(adjusted, raw)), largest, weights)


def normalize_heavy_tails(
    observed: FloatArray, null_values: FloatArray, weights: FloatArray, min_p: float
) -> tuple[FloatArray, FloatArray]:
    """Transform statistics with heavy-tailed null distributions to normal scores.

    The statistic of a class with a handful of cases is often huge and would dominate the maximum.
    It is replaced by the normal quantile of its p-value if that is smaller; the order within a row
    is kept. No p-value is below `min_p`.
    """
    heavy = np.flatnonzero((null_values >= HEAVY_TAIL_STATISTIC) @ weights > HEAVY_TAIL_PROBABILITY)
    if not len(heavy):
        return observed, null_values
    from scipy.special import ndtri

    observed, null_values = observed.copy(), null_values.copy()
    for row in heavy:
        order = np.argsort(null_values[row], kind="stable")
        ascending = null_values[row, order]
        beyond = np.append(np.cumsum(weights[order][::-1])[::-1], 0.0)
        both = np.append(ascending, observed[row])
        places = np.searchsorted(ascending, both - STATISTIC_TOLERANCE * np.maximum(1.0, both))
        # What was found may lie beyond everything that was drawn.
        p_values = np.minimum(1.0, np.maximum(beyond[places], min_p))
        worth = np.minimum(both, np.maximum(0.0, -ndtri(p_values / 2)))
        null_values[row, order], observed[row] = worth[:-1], worth[-1]
    return observed, null_values


def max_t_critical_value(max_statistics: FloatArray, weights: FloatArray, level: float) -> float:
    """Return the value that the maximum statistic exceeds with at most this probability."""
    order = np.argsort(-max_statistics, kind="stable")
    beyond = np.cumsum(weights[order])
    at = min(int(np.searchsorted(beyond, level, side="right")), len(order) - 1)
    return float(max_statistics[order][at])


@dataclass(frozen=True, slots=True)
class _TailProbabilities:
    """Tail probabilities of weighted outcomes, plus the mass of those not enumerated."""

    weights: FloatArray
    tail_mass: float
    is_uniform: bool

    def p_value(self, null: FloatArray, observed: float, p_value_kind: PValueKind) -> float:
        """Return the p-value of an observed statistic."""
        slack = STATISTIC_TOLERANCE * max(1.0, observed)
        if observed <= slack:
            return 1.0
        beyond = self._probability(null >= observed - slack)
        if p_value_kind == "mid-p":
            beyond -= 0.5 * self._probability(np.abs(null - observed) <= slack)
        return min(1.0, beyond + self.tail_mass)

    def _probability(self, mask: npt.NDArray[np.bool_]) -> float:
        if self.is_uniform:
            # Any so many will do, which saves picking them out.
            return float(self.weights[: np.count_nonzero(mask)].sum())
        return float(self.weights[mask].sum())
