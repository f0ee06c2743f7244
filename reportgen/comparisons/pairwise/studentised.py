"""The difference of two classifiers in a measure, in units of its own standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.formulas.as_numpy import as_numpy, slopes
from reportgen.intervals.scales import onto, slope_at
from reportgen.measures.interval import Curve, Delta

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure
    from reportgen.statistics.paired_table import PairedTable

HALF = 0.5
COUNTS = ("tp", "fn", "fp", "tn")
# Below this nothing varies: what is left of the variance is rounding.
NOTHING = 1e-18
NO_DIFFERENCE = 1e-12
BEYOND = 1e6


@dataclass(frozen=True, slots=True)
class Splits:
    """How often, of the cases where two classifiers differ, it was the first who said the class.

    `hits` are among the cases of the class, `alarms` among the others.
    """

    hits: Numbers
    alarms: Numbers


@dataclass(frozen=True, slots=True)
class Contrast:
    """The variances of two values of a measure, and how far they vary together."""

    first_variance: float
    second_variance: float
    covariance: float

    @property
    def standard_error(self) -> float:
        """The standard error of the difference."""
        variance = self.first_variance + self.second_variance - 2 * self.covariance
        return math.sqrt(max(0.0, variance))

    @property
    def correlation(self) -> float:
        """The correlation of the two values; 0 where one of them does not vary."""
        product = self.first_variance * self.second_variance
        if product <= 0:
            return 0.0
        return max(-1.0, min(1.0, self.covariance / math.sqrt(product)))


def found_splits(table: PairedTable) -> Splits:
    """Return the splits that were found."""
    hits, alarms = table.positives.first_only, table.negatives.first_only
    return Splits(np.array([float(hits)]), np.array([float(alarms)]))


def scale_of(measure: Measure) -> Curve:
    """Return the scale a measure is compared on: ratios by their logarithm."""
    is_ratio = isinstance(measure.interval, Delta) and measure.interval.curve is Curve.LOG
    return Curve.LOG if is_ratio else Curve.PLAIN


def studentised_draws(
    measures: Sequence[Measure], table: PairedTable, drawn: Splits
) -> tuple[list[float], list[Numbers]]:
    """Return the statistics found and drawn; a split that was drawn often is met once."""
    stride = table.negatives.total + 1
    found = float(table.positives.first_only * stride + table.negatives.first_only)
    keys = np.concatenate([[found], drawn.hits * stride + drawn.alarms])
    different, places = np.unique(keys, return_inverse=True)
    once = Splits(different // stride, different % stride)
    both = [studentised(measure, table, once)[places] for measure in measures]
    return [float(each[0]) for each in both], [each[1:] for each in both]


def studentised(measure: Measure, table: PairedTable, splits: Splits) -> Numbers:
    """Return (first − second) / standard error for every split."""
    sides = _sides(measure, table, splits, scale_of(measure))
    return _ratio(sides.first - sides.second, sides.covariance(_less, _less))


@dataclass(frozen=True, slots=True)
class Counts:
    """The four counts of one classifier, for every outcome."""

    tp: Numbers
    fn: Numbers
    fp: Numbers
    tn: Numbers


def studentised_apart(measure: Measure, first: Counts, second: Counts) -> Numbers:
    """Return (first − second) / standard error of two classifiers on different cases."""
    values, variances = [], []
    for counts in (first, second):
        with_half = {name: getattr(counts, name) + HALF for name in COUNTS}
        value, moves = _on_scale(measure, with_half, scale_of(measure))
        drift = sum(with_half[name] * moves[name] for name in COUNTS)
        spread = sum(with_half[name] * moves[name] ** 2 for name in COUNTS)
        values.append(value)
        variances.append(spread - drift**2 / sum(with_half.values()))
    return _ratio(values[0] - values[1], variances[0] + variances[1])


def _ratio(difference: Numbers, variance: Numbers) -> Numbers:
    """Divide by the standard error; what differs without any spread lies beyond everything."""
    with np.errstate(all="ignore"):
        ratio = difference / np.sqrt(variance)
    beyond = np.where(np.abs(difference) > NO_DIFFERENCE, np.copysign(BEYOND, difference), 0.0)
    return np.where(variance > NOTHING, np.clip(ratio, -BEYOND, BEYOND), beyond)


def contrast(measure: Measure, table: PairedTable) -> Contrast:
    """Return how the values found vary, and how far together, by the delta method.

    A half is added to each of the eight counts, as a case on which two classifiers differ may
    just not have come up.
    """
    sides = _sides(measure, table, found_splits(table), Curve.PLAIN, added=HALF)
    return Contrast(
        float(sides.covariance(_one, _one)[0]),
        float(sides.covariance(_other, _other)[0]),
        float(sides.covariance(_one, _other)[0]),
    )


@dataclass(frozen=True, slots=True)
class _Sides:
    """Both values, and per kind of case how many there are and how each of them moves a value."""

    first: Numbers
    second: Numbers
    moves: tuple[tuple[Numbers, Numbers, Numbers], ...]
    cases: float

    def covariance(self, left: _Move, right: _Move) -> Numbers:
        """Return how two movements vary together when cases are drawn one by one."""
        products, drift, other_drift = np.zeros(1), np.zeros(1), np.zeros(1)
        for count, one, other in self.moves:
            moved, moved_too = left(one, other), right(one, other)
            products = products + count * moved * moved_too
            drift = drift + count * moved
            other_drift = other_drift + count * moved_too
        return products - drift * other_drift / self.cases


_Move: TypeAlias = "Callable[[Numbers, Numbers], Numbers]"


def _less(one: Numbers, other: Numbers) -> Numbers:
    return one - other


def _one(one: Numbers, _other: Numbers) -> Numbers:
    return one


def _other(_one: Numbers, other: Numbers) -> Numbers:
    return other


def _sides(
    measure: Measure, table: PairedTable, splits: Splits, curve: Curve, added: float = 0.0
) -> _Sides:
    """Work out both values for every split.

    A half is added to every count, so that ratios stay finite when a count is 0; `added` to every
    number of cases that vary.
    """
    positives, negatives = table.positives, table.negatives
    other_hits = positives.first_only + positives.second_only - splits.hits
    other_alarms = negatives.first_only + negatives.second_only - splits.alarms
    first, one = _on_scale(
        measure, _counts(table, positives.both + splits.hits, negatives.both + splits.alarms), curve
    )
    second, other = _on_scale(
        measure, _counts(table, positives.both + other_hits, negatives.both + other_alarms), curve
    )
    every = (
        (np.array(float(positives.both)), one["tp"], other["tp"]),
        (splits.hits, one["tp"], other["fn"]),
        (other_hits, one["fn"], other["tp"]),
        (np.array(float(positives.neither)), one["fn"], other["fn"]),
        (np.array(float(negatives.both)), one["fp"], other["fp"]),
        (splits.alarms, one["fp"], other["tn"]),
        (other_alarms, one["tn"], other["fp"]),
        (np.array(float(negatives.neither)), one["tn"], other["tn"]),
    )
    cells = tuple(
        (count + added, one_moves, other_moves) for count, one_moves, other_moves in every
    )
    cases = positives.total + negatives.total + len(cells) * added
    return _Sides(first, second, cells, cases)


def _counts(table: PairedTable, hits: Numbers, alarms: Numbers) -> dict[str, Numbers]:
    return {
        "tp": hits + HALF,
        "fn": table.positives.total - hits + HALF,
        "fp": alarms + HALF,
        "tn": table.negatives.total - alarms + HALF,
    }


def _on_scale(
    measure: Measure, counts: Mapping[str, Numbers], curve: Curve
) -> tuple[Numbers, dict[str, Numbers]]:
    value = as_numpy(measure.formula, counts)
    moves = slopes(measure.formula, counts)
    with np.errstate(all="ignore"):
        speed = slope_at(curve, value)
        nothing = np.zeros_like(value)
        on_scale = {name: moves.get(name, nothing) * speed for name in COUNTS}
    return onto(curve, value), on_scale
