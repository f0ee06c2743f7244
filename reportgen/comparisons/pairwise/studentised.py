"""The difference of two classifiers in a measure, in units of its own standard error."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from reportgen.comparisons.pairwise.many_tables import HALF, ManyTables, Splits
from reportgen.comparisons.pairwise.step_down import Null
from reportgen.formulas.as_numpy import value_and_slopes
from reportgen.frozen import frozen
from reportgen.intervals.scales import onto, slope_at
from reportgen.measures.interval import Curve, Delta

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.intervals.matrix import Places
    from reportgen.measures import Measure
    from reportgen.statistics.paired_table import PairedTable

COUNTS = ("tp", "fn", "fp", "tn")
# Below this nothing varies: what is left of the variance is rounding.
NOTHING = 1e-18
NO_DIFFERENCE = 1e-12
BEYOND = 1e6


def scale_of(measure: Measure) -> Curve:
    """Return the scale a measure is compared on: ratios by their logarithm."""
    is_ratio = isinstance(measure.interval, Delta) and measure.interval.curve is Curve.LOG
    return Curve.LOG if is_ratio else Curve.PLAIN


def studentised_draws(
    measures: Sequence[Sequence[Measure]], tables: Sequence[PairedTable], drawn: Sequence[Splits]
) -> Iterator[tuple[Numbers, Null]]:
    """Return the statistics of every table, found and drawn, with a row for each of its measures.

    A split that was drawn often is met once, and all tables are worked out together.
    """
    if not tables:
        return
    hits, alarms, columns = zip(
        *(_different(table, splits) for table, splits in zip(tables, drawn, strict=True)),
        strict=True,
    )
    times = [len(each) for each in hits]
    once = Splits(np.concatenate(hits), np.concatenate(alarms))
    outcomes = ManyTables.of(tables).split(once, times)
    yield from by_table(measures, columns, times, lambda measure: studentised(measure, outcomes))


def by_table(
    measures: Sequence[Sequence[Measure]],
    columns: Sequence[Places],
    times: Sequence[int],
    statistic: Callable[[Measure], Numbers],
) -> Iterator[tuple[Numbers, Null]]:
    """Work out each measure for all tables together and give every table its own part.

    `times` are the different outcomes of each table; the first of its columns is what was found.
    """
    # By name, because a measure is compared by all that is written about it.
    by_name = {measure.name: measure for measure in chain.from_iterable(measures)}
    statistics = {
        name: np.split(statistic(measure), np.cumsum(times)[:-1])
        for name, measure in by_name.items()
    }
    for place, (asked, column) in enumerate(zip(measures, columns, strict=True)):
        values = np.array([statistics[measure.name][place] for measure in asked])
        yield values[:, column[0]], Null(values, column[1:])


def _different(table: PairedTable, drawn: Splits) -> tuple[Numbers, Numbers, Places]:
    """Return the different splits, hits and alarms, and which of them each was: the found first."""
    stride = table.negatives.total + 1
    found = table.positives.first_only * stride + table.negatives.first_only
    keys = np.append(found, drawn.hits * stride + drawn.alarms).astype(np.int64)
    different, column = np.unique(keys, return_inverse=True)
    hits, alarms = np.divmod(different, stride)
    return hits.astype(np.float64), alarms.astype(np.float64), column


def studentised(measure: Measure, tables: ManyTables) -> Numbers:
    """Return (first − second) / standard error for every table."""
    sides = _sides(measure, tables, scale_of(measure))
    return _ratio(sides.first - sides.second, sides.variance(_less))


@frozen
class Counts:
    """The four counts of one classifier, for every outcome."""

    tp: Numbers
    fn: Numbers
    fp: Numbers
    tn: Numbers

    @classmethod
    def joined(cls, parts: Sequence[Counts]) -> Counts:
        """Put the outcomes of several tables one after the other."""
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in COUNTS))


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


def correlations(measure: Measure, tables: ManyTables) -> Numbers:
    """Return how far the two values of every table vary together, by the delta method.

    A half is added to each of the eight counts, as a case on which two classifiers differ may
    just not have come up. 0 where one of the values does not vary.
    """
    sides = _sides(measure, tables, Curve.PLAIN, added=HALF)
    product = sides.variance(_one) * sides.variance(_other)
    with np.errstate(all="ignore"):
        found = np.clip(sides.covariance(_one, _other) / np.sqrt(product), -1.0, 1.0)
    return np.where(product > 0, found, 0.0)


@frozen
class _Sides:
    """Both values, and per kind of case how many there are and how each of them moves a value."""

    first: Numbers
    second: Numbers
    moves: tuple[tuple[Numbers, Numbers, Numbers], ...]
    cases: Numbers

    def variance(self, move: _Move) -> Numbers:
        """Return how much a movement varies when cases are drawn one by one."""
        squares, drift = np.zeros(1), np.zeros(1)
        for count, one, other in self.moves:
            moved = move(one, other)
            weighed = count * moved
            squares = squares + weighed * moved
            drift = drift + weighed
        return squares - drift * drift / self.cases

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


def _sides(measure: Measure, tables: ManyTables, curve: Curve, added: float = 0.0) -> _Sides:
    """Work out both values of every table; `added` goes to every number of cases that vary."""
    positives, negatives = tables.positives, tables.negatives
    first, one = _on_scale(measure, tables.first_counts, curve)
    second, other = _on_scale(measure, tables.second_counts, curve)
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
        (count + added, one_moves, other_moves) for count, one_moves, other_moves in every
    )
    return _Sides(first, second, cells, tables.cases + len(cells) * added)


def _on_scale(
    measure: Measure, counts: Mapping[str, Numbers], curve: Curve
) -> tuple[Numbers, dict[str, Numbers]]:
    value, moves = value_and_slopes(measure.formula, counts)
    with np.errstate(all="ignore"):
        speed = slope_at(curve, value)
        nothing = np.zeros_like(value)
        on_scale = {name: moves.get(name, nothing) * speed for name in COUNTS}
    return onto(curve, value), on_scale
