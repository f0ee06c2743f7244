"""Limits of measures of one class against the rest, for many classes at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

import numpy as np

from reportgen.intervals.limits import Limits, at_an_end, delta_limits
from reportgen.intervals.shares import share_limits, share_of
from reportgen.intervals.slopes import COUNTS, slopes_of_classes
from reportgen.measures.counts import JACCARD
from reportgen.measures.interval import Delta, Proportion, SumOfProportions, ThroughJaccard
from reportgen.statistics.proportions import square_and_add_limits, wilson_limits
from reportgen.statistics.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    from reportgen.formulas.as_numpy import Numbers
    from reportgen.measures import Measure
    from reportgen.measures.interval import Curve
    from reportgen.spec.evidence import Intervals

    CountKind: TypeAlias = Proportion | SumOfProportions | ThroughJaccard | Delta

HALF = 0.5
HALF_ADDED = "½ added"


def limits_of_classes(
    measure: Measure,
    kind: CountKind,
    counts: Mapping[str, Numbers],
    asked: Intervals,
    weight: Numbers,
) -> Limits:
    """Return the limits of a measure for vectors of tp, fn, fp and tn."""
    match kind:
        case Proportion():
            return share_limits(*share_of(measure.formula).counted(counts, weight), asked)
        case SumOfProportions():
            return _square_and_add(measure, kind, counts, asked.level, weight)
        case ThroughJaccard():
            overlap = share_of(JACCARD.formula).counted(counts, weight)
            low, high = wilson_limits(*overlap, asked.level)
            return Limits.named(_f1(low), _f1(high), "wilson through jaccard")
        case Delta(curve=curve):
            scaled = {name: counts[name] * weight for name in COUNTS}
            return _delta(measure, curve, scaled, asked.level)
        case _:
            assert_never(kind)


def _square_and_add(
    measure: Measure,
    kind: SumOfProportions,
    counts: Mapping[str, Numbers],
    level: float,
    weight: Numbers,
) -> Limits:
    shares = [share_of(part.formula).counted(counts, weight) for part in kind.parts]
    cases, among = np.array([each[0] for each in shares]), np.array([each[1] for each in shares])
    with np.errstate(all="ignore"):
        estimates = cases / among
        factors = np.full(len(shares), kind.weight)
        low, high = square_and_add_limits(estimates, *wilson_limits(cases, among, level), factors)
        # What the measure adds to the sum of its parts, such as the −1 of Youden's index.
        moved = slopes_of_classes(measure, counts)[0] - kind.weight * estimates.sum(axis=0)
    return Limits.named(low + moved, high + moved, "square and add")


def _f1(jaccard: Numbers) -> Numbers:
    return 2 * jaccard / (1 + jaccard)


def _delta(measure: Measure, curve: Curve, counts: Mapping[str, Numbers], level: float) -> Limits:
    """Return the limits of the delta method, with ½ added to each count where it needs that."""
    quantile = normal_quantile(level)
    value, variance = _value_and_variance(measure, counts)
    plain = delta_limits(value, variance, curve, quantile)
    stuck = at_an_end(value, variance, measure.range)
    if not stuck.any():
        return plain
    more = {name: count + HALF for name, count in counts.items()}
    moved = delta_limits(*_value_and_variance(measure, more), curve, quantile)
    name = f"{moved.method.flat[0]}, {HALF_ADDED}"
    return Limits.named(moved.low, moved.high, name).where(stuck, plain)


def _value_and_variance(measure: Measure, counts: Mapping[str, Numbers]) -> tuple[Numbers, Numbers]:
    """Return values, and their variance if cases are drawn one by one into the four counts."""
    value, by_count = slopes_of_classes(measure, counts)
    count = np.array([counts[name] for name in COUNTS])
    slope = np.array([by_count[name] for name in COUNTS])
    with np.errstate(all="ignore"):
        centre = (count * slope).sum(axis=0) / count.sum(axis=0)
        return value, (count * (slope - centre) ** 2).sum(axis=0)
