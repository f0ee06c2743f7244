"""Studentized differences of two classifiers, by the delta method."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.evaluation.confidence.delta_method import link_derivative, link_forward
from reportgen.evaluation.contingency_tables import (
    HALDANE_CORRECTION,
    DiscordantSplits,
    PairedTables,
)
from reportgen.measures.formula.evaluate import value_and_gradient
from reportgen.measures.measure import DeltaMethod, LinkFunction, ProductOfProportions
from reportgen.statistics.permutation import NullDistribution

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray, IndexArray
    from reportgen.statistics.paired_tests import PairedContingencyTable

_COUNT_NAMES = ("tp", "fn", "fp", "tn")
# A variance below this is rounding error.
MIN_VARIANCE = 1e-18
DIFFERENCE_TOLERANCE = 1e-12
MAX_STATISTIC = 1e6


def comparison_link(measure: Measure) -> LinkFunction:
    """Return the link function for comparing a measure: the logarithm for ratios."""
    is_ratio = isinstance(measure.interval, ProductOfProportions) or (
        isinstance(measure.interval, DeltaMethod) and measure.interval.link is LinkFunction.LOG
    )
    return LinkFunction.LOG if is_ratio else LinkFunction.IDENTITY


def studentize_permutations(
    measures: Sequence[Sequence[Measure]],
    tables: Sequence[PairedContingencyTable],
    permuted_splits: Sequence[DiscordantSplits],
) -> Iterator[tuple[FloatArray, NullDistribution]]:
    """Return the statistics of every table, observed and permuted, with a row per measure.

    Repeated splits are computed once, and all tables are evaluated together.
    """
    if not tables:
        return
    tp, fp, columns = zip(
        *(
            _unique_splits(table, splits)
            for table, splits in zip(tables, permuted_splits, strict=True)
        ),
        strict=True,
    )
    times = [len(each) for each in tp]
    once = DiscordantSplits(np.concatenate(tp), np.concatenate(fp))
    outcomes = PairedTables.stack(tables).with_splits(once, times)
    yield from split_statistics_by_table(
        measures, columns, times, lambda measure: studentized_paired(measure, outcomes)
    )


def split_statistics_by_table(
    measures: Sequence[Sequence[Measure]],
    columns: Sequence[IndexArray],
    outcomes_per_table: Sequence[int],
    statistic: Callable[[Measure], FloatArray],
) -> Iterator[tuple[FloatArray, NullDistribution]]:
    """Evaluate each measure for all tables together and split the result by table.

    `outcomes_per_table` counts the distinct outcomes; the first of a table is the observed one.
    """
    # By name, because a measure is compared by all that is written about it.
    by_name = {measure.name: measure for measure in chain.from_iterable(measures)}
    statistics = {
        name: np.split(statistic(measure), np.cumsum(outcomes_per_table)[:-1])
        for name, measure in by_name.items()
    }
    for place, (table_measures, column) in enumerate(zip(measures, columns, strict=True)):
        values = np.array([statistics[measure.name][place] for measure in table_measures])
        yield values[:, column[0]], NullDistribution(values, column[1:])


def _unique_splits(
    table: PairedContingencyTable, permuted_splits: DiscordantSplits
) -> tuple[FloatArray, FloatArray, IndexArray]:
    """Return the distinct splits (TP and FP), and the index of each; the observed one is first."""
    stride = table.negatives.total + 1
    observed = table.positives.first_only * stride + table.negatives.first_only
    keys = np.append(
        observed, permuted_splits.positives * stride + permuted_splits.negatives
    ).astype(np.int64)
    different, column = np.unique(keys, return_inverse=True)
    tp, fp = np.divmod(different, stride)
    return tp.astype(np.float64), fp.astype(np.float64), column


def studentized_paired(measure: Measure, tables: PairedTables) -> FloatArray:
    """Return (first − second) / standard error for every table."""
    sides = _paired_gradients(measure, tables, comparison_link(measure))
    return _studentize(sides.first - sides.second, sides.variance(_gradient_difference))


@dataclass(frozen=True, slots=True)
class PermutedCounts:
    """TP, FN, FP and TN of one classifier in every outcome."""

    tp: FloatArray
    fn: FloatArray
    fp: FloatArray
    tn: FloatArray

    @classmethod
    def concat(cls, parts: Sequence[PermutedCounts]) -> PermutedCounts:
        """Concatenate the outcomes of several tables."""
        return cls(
            *(np.concatenate([getattr(part, name) for part in parts]) for name in _COUNT_NAMES)
        )


def studentized_unpaired(
    measure: Measure, first: PermutedCounts, second: PermutedCounts
) -> FloatArray:
    """Return the studentized difference of two classifiers on different cases (Welch type)."""
    values, variances = [], []
    for counts in (first, second):
        with_half = {name: getattr(counts, name) + HALDANE_CORRECTION for name in _COUNT_NAMES}
        value, moves = _linked_value_and_gradient(measure, with_half, comparison_link(measure))
        drift = sum(with_half[name] * moves[name] for name in _COUNT_NAMES)
        spread = sum(with_half[name] * moves[name] ** 2 for name in _COUNT_NAMES)
        values.append(value)
        variances.append(spread - drift**2 / sum(with_half.values()))
    return _studentize(values[0] - values[1], variances[0] + variances[1])


def _studentize(difference: FloatArray, variance: FloatArray) -> FloatArray:
    """Divide by the standard error; a nonzero difference without variance is infinite."""
    with np.errstate(all="ignore"):
        ratio = difference / np.sqrt(variance)
    beyond = np.where(
        np.abs(difference) > DIFFERENCE_TOLERANCE, np.copysign(MAX_STATISTIC, difference), 0.0
    )
    return np.where(variance > MIN_VARIANCE, np.clip(ratio, -MAX_STATISTIC, MAX_STATISTIC), beyond)


def delta_method_correlations(measure: Measure, tables: PairedTables) -> FloatArray:
    """Return the correlation of the two values in every table, by the delta method.

    ½ is added to each of the eight counts, because a discordant pair may be missing by chance.
    0 where one of the values does not vary.
    """
    sides = _paired_gradients(
        measure, tables, LinkFunction.IDENTITY, pseudo_count=HALDANE_CORRECTION
    )
    product = sides.variance(_first_gradient) * sides.variance(_second_gradient)
    with np.errstate(all="ignore"):
        correlations = np.clip(
            sides.covariance(_first_gradient, _second_gradient) / np.sqrt(product), -1.0, 1.0
        )
    return np.where(product > 0, correlations, 0.0)


@dataclass(frozen=True, slots=True)
class _PairedGradients:
    """Both values, and per group of cases its size and its gradient in each value."""

    first: FloatArray
    second: FloatArray
    cell_gradients: tuple[tuple[FloatArray, FloatArray, FloatArray], ...]
    total: FloatArray

    def variance(self, contrast: _GradientContrast) -> FloatArray:
        """Return the variance of a contrast of the gradients."""
        squares, drift = np.zeros(1), np.zeros(1)
        for count, one, other in self.cell_gradients:
            moved = contrast(one, other)
            weighed = count * moved
            squares = squares + weighed * moved
            drift = drift + weighed
        return squares - drift * drift / self.total

    def covariance(self, left: _GradientContrast, right: _GradientContrast) -> FloatArray:
        """Return the covariance of two contrasts of the gradients."""
        products, drift, other_drift = np.zeros(1), np.zeros(1), np.zeros(1)
        for count, one, other in self.cell_gradients:
            moved, moved_too = left(one, other), right(one, other)
            products = products + count * moved * moved_too
            drift = drift + count * moved
            other_drift = other_drift + count * moved_too
        return products - drift * other_drift / self.total


_GradientContrast: TypeAlias = "Callable[[FloatArray, FloatArray], FloatArray]"


def _gradient_difference(first: FloatArray, second: FloatArray) -> FloatArray:
    return first - second


def _first_gradient(first: FloatArray, _second: FloatArray) -> FloatArray:
    return first


def _second_gradient(_first: FloatArray, second: FloatArray) -> FloatArray:
    return second


def _paired_gradients(
    measure: Measure, tables: PairedTables, link: LinkFunction, pseudo_count: float = 0.0
) -> _PairedGradients:
    """Compute both values of every table; the pseudo-count is added to each varying count."""
    positives, negatives = tables.positives, tables.negatives
    first, one = _linked_value_and_gradient(measure, tables.first_counts, link)
    second, other = _linked_value_and_gradient(measure, tables.second_counts, link)
    every = (
        (positives.both, one["tp"], other["tp"]),
        (positives.first_only, one["tp"], other["fn"]),
        (positives.second_only, one["fn"], other["tp"]),
        (positives.neither, one["fn"], other["fn"]),
        (negatives.both, one["fp"], other["fp"]),
        (negatives.first_only, one["fp"], other["tn"]),
        (negatives.second_only, one["tn"], other["fp"]),
        (negatives.neither, one["tn"], other["tn"]),
    )
    cells = tuple(
        (count + pseudo_count, one_moves, other_moves) for count, one_moves, other_moves in every
    )
    return _PairedGradients(first, second, cells, tables.cases + len(cells) * pseudo_count)


def _linked_value_and_gradient(
    measure: Measure, counts: Mapping[str, FloatArray], link: LinkFunction
) -> tuple[FloatArray, dict[str, FloatArray]]:
    value, moves = value_and_gradient(measure.formula, counts)
    with np.errstate(all="ignore"):
        speed = link_derivative(link, value)
        nothing = np.zeros_like(value)
        on_scale = {name: moves.get(name, nothing) * speed for name in _COUNT_NAMES}
    return link_forward(link, value), on_scale
