"""Studentized differences of two classifiers, by the delta method."""

from __future__ import annotations

from dataclasses import dataclass
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

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reportgen.measures import Measure
    from reportgen.statistics import FloatArray
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


def studentize_splits(
    measures: Sequence[Measure],
    tables: Sequence[PairedContingencyTable],
    splits: Sequence[DiscordantSplits],
) -> list[FloatArray]:
    """Return the statistics of each table, observed (first column) and permuted: a row per measure.

    All tables are evaluated together.
    """
    sides = [
        DiscordantSplits(
            np.append(table.positives.first_only, split.positives),
            np.append(table.negatives.first_only, split.negatives),
        )
        for table, split in zip(tables, splits, strict=True)
    ]
    repeats = [len(side.positives) for side in sides]
    together = DiscordantSplits(
        np.concatenate([side.positives for side in sides]),
        np.concatenate([side.negatives for side in sides]),
    )
    outcomes = PairedTables.stack(tables).with_splits(together, repeats)
    values = np.array([studentized_paired(measure, outcomes) for measure in measures])
    return np.split(values, np.cumsum(repeats)[:-1], axis=1)


def paired_score_statistic(measure: Measure, table: PairedContingencyTable) -> float:
    """Return a difference in its standard error under the null hypothesis."""
    return float(paired_score_statistics(measure, PairedTables.stack([table]))[0])


def paired_score_statistics(measure: Measure, tables: PairedTables) -> FloatArray:
    """Return the difference of every table in its standard error under the null hypothesis.

    That is the standard error if the discordant pairs were split evenly.
    """
    positives, negatives = tables.positives, tables.negatives
    even = DiscordantSplits(
        (positives.first_only + positives.second_only) / 2,
        (negatives.first_only + negatives.second_only) / 2,
    )
    link = comparison_link(measure)
    sides = _paired_gradients(measure, tables, link)
    balanced = _paired_gradients(measure, tables.with_splits(even, [1] * len(tables.cases)), link)
    return _studentize(sides.first - sides.second, balanced.variance(_gradient_difference))


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


def studentized_unpaired(
    measure: Measure, first: PermutedCounts, second: PermutedCounts
) -> FloatArray:
    """Return the studentized difference of two classifiers on different cases (Welch type)."""
    difference, variance = _unpaired_difference(measure, first, second)
    return _studentize(difference, variance)


def unpaired_score_statistic(
    measure: Measure,
    observed: tuple[PermutedCounts, PermutedCounts],
    expected: tuple[PermutedCounts, PermutedCounts],
) -> float:
    """Return the difference in its standard error at the counts expected if both are equal."""
    difference, _ = _unpaired_difference(measure, *observed)
    _, variance = _unpaired_difference(measure, *expected)
    return float(_studentize(difference, variance)[0])


def _unpaired_difference(
    measure: Measure, first: PermutedCounts, second: PermutedCounts
) -> tuple[FloatArray, FloatArray]:
    values, variances = [], []
    for counts in (first, second):
        with_half = {name: getattr(counts, name) + HALDANE_CORRECTION for name in _COUNT_NAMES}
        value, moves = _linked_value_and_gradient(measure, with_half, comparison_link(measure))
        drift = sum(with_half[name] * moves[name] for name in _COUNT_NAMES)
        spread = sum(with_half[name] * moves[name] ** 2 for name in _COUNT_NAMES)
        values.append(value)
        variances.append(spread - drift**2 / sum(with_half.values()))
    return values[0] - values[1], variances[0] + variances[1]


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
            contrast_gradient = contrast(one, other)
            weighted_gradient = count * contrast_gradient
            squares = squares + weighted_gradient * contrast_gradient
            drift = drift + weighted_gradient
        return squares - drift * drift / self.total

    def covariance(self, left: _GradientContrast, right: _GradientContrast) -> FloatArray:
        """Return the covariance of two contrasts of the gradients."""
        products, drift, other_drift = np.zeros(1), np.zeros(1), np.zeros(1)
        for count, one, other in self.cell_gradients:
            left_gradient, right_gradient = left(one, other), right(one, other)
            products = products + count * left_gradient * right_gradient
            drift = drift + count * left_gradient
            other_drift = other_drift + count * right_gradient
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
