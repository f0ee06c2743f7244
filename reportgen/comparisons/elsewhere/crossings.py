"""At which prevalence two classifiers change places, and on which measure.

On each measure one classifier leads the other by a margin whose sign is that of a straight line
from prevalence 0 to 1, so there is one crossing at most, and it is exact:
accuracy and the best-a-priori kappa, from the difference in specificity to that in sensitivity;
kappa, with J = s + f − 1, from J₁(1 − f₂) − J₂(1 − f₁) to J₁f₂ − J₂f₁;
precision follows the positive and NPV the negative likelihood ratio alone, so neither ever crosses.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from reportgen.comparisons.elsewhere.prevalence import AT_TARGETS
from reportgen.comparisons.verdicts.ranking import is_tie
from reportgen.frozen import frozen
from reportgen.statistics.quantiles import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from reportgen.comparisons.elsewhere.prevalence import Rates
    from reportgen.spec import Spec
    from reportgen.tallies.pairs import PairTally


@frozen(kw_only=True)
class Crossing:
    """Who is better on a measure below and above the prevalence where two classifiers are equal.

    No prevalence: the same one is better everywhere, or (None) they are equal everywhere.
    """

    first: str
    second: str
    measure: str
    prevalence: float | None = None
    low: float | None = None
    high: float | None = None
    below: str | None = None
    above: str | None = None


@frozen
class _Gap:
    """First minus second in sensitivity or in specificity, and its variance."""

    size: float
    variance: float


def crossings(rates: Sequence[Rates], spec: Spec, pairs: PairTally | None) -> tuple[Crossing, ...]:
    """Find where every two classifiers change places; with a baseline, each against it."""
    baseline, positive, level = spec.comparison.baseline, spec.task.positive, spec.intervals.level
    known = [each for each in rates if each.unknown is None]
    return tuple(
        crossing
        for first, second in combinations(known, 2)
        if baseline is None or baseline in {first.classifier, second.classifier}
        for crossing in _of_pair(first, second, pairs, positive, level)
    )


def _of_pair(
    first: Rates, second: Rates, pairs: PairTally | None, positive: str | None, level: float
) -> Iterator[Crossing]:
    names = first.classifier, second.classifier
    for measure in AT_TARGETS:
        ends = _ends(measure, first, second)
        if ends is None:
            continue
        at_none, at_all = ends
        below, above = _leader(*names, at_none), _leader(*names, at_all)
        where, low, high = None, None, None
        if below and above and below != above:
            where = at_none / (at_none - at_all)
            if measure in {"accuracy", "kappa_best"}:
                gaps = _gaps(first, second, pairs, positive)
                low, high = _fieller(*gaps, normal_quantile(level))
        yield Crossing(
            first=names[0],
            second=names[1],
            measure=measure,
            prevalence=where,
            low=low,
            high=high,
            # Where they are equal at one end only, the leader at the other leads everywhere.
            below=below or above,
            above=above or below,
        )


def _ends(measure: str, first: Rates, second: Rates) -> tuple[float, float] | None:
    """Return the margin of the first at prevalence 0 and at 1; None: one of them has no value."""
    s, f = (first.sensitivity, second.sensitivity), (first.specificity, second.specificity)
    missed, alarms = tuple(1 - each for each in s), tuple(1 - each for each in f)
    match measure:
        case "precision":
            if (0, 0) in zip(s, (first.fp, second.fp), strict=True):
                return None
            margin = _margin(s[0] * alarms[1], s[1] * alarms[0])
            return margin, margin
        case "npv":
            if (0, 0) in zip(f, (first.fn, second.fn), strict=True):
                return None
            margin = _margin(f[0] * missed[1], f[1] * missed[0])
            return margin, margin
        case "kappa":
            j = s[0] + f[0] - 1, s[1] + f[1] - 1
            return (
                _margin(j[0] * alarms[1], j[1] * alarms[0]),
                _margin(j[0] * f[1], j[1] * f[0]),
            )
        case _:
            return _margin(*f), _margin(*s)


def _margin(one: float, other: float) -> float:
    return 0.0 if is_tie(one, other) else one - other


def _leader(first: str, second: str, margin: float) -> str | None:
    return None if margin == 0 else first if margin > 0 else second


def _gaps(
    first: Rates, second: Rates, pairs: PairTally | None, positive: str | None
) -> tuple[_Gap, _Gap]:
    """Return the gaps in sensitivity and in specificity, paired where the cases are the same."""
    ds = first.sensitivity - second.sensitivity
    df = first.specificity - second.specificity
    if pairs is not None and pairs.has(first.classifier, second.classifier):
        is_positive = pl.col("truth") == positive
        right = [pl.col(f"{one}_prediction") == pl.col("truth") for one in ("first", "second")]
        differing = pairs.of(first.classifier, second.classifier).filter(right[0] != right[1])
        found = (
            float(differing.filter(where).get_column("count").sum()) * pairs.weight
            for where in (is_positive, ~is_positive)
        )
        sizes = first.positives, first.negatives
        return tuple(  # type: ignore[return-value]  # two sizes give two gaps
            _Gap(gap, max(0.0, number - gap**2 * size) / size**2)
            for gap, number, size in zip((ds, df), found, sizes, strict=True)
        )
    of_s = sum(
        each.sensitivity * (1 - each.sensitivity) / each.positives for each in (first, second)
    )
    of_f = sum(
        each.specificity * (1 - each.specificity) / each.negatives for each in (first, second)
    )
    return _Gap(ds, of_s), _Gap(df, of_f)


def _fieller(in_s: _Gap, in_f: _Gap, z: float) -> tuple[float, float]:
    """Return the prevalences at which the accuracies may well be equal (Fieller 1954).

    With the odds t of the prevalence that is where (t·Δs + Δf)² ≤ z²(t²·Var Δs + Var Δf). The set
    reaches down to 0 if the specificities, and up to 1 if the sensitivities may be equal.
    """
    square = in_s.size**2 - z**2 * in_s.variance
    linear = in_s.size * in_f.size
    constant = in_f.size**2 - z**2 * in_f.variance
    root = math.sqrt(max(0.0, linear**2 - square * constant))
    # Δs and Δf have opposite signs, so `linear` is negative and −linear + root loses no digits.
    low = constant / (-linear + root) if constant > 0 else 0.0
    high = (-linear + root) / square if square > 0 else math.inf
    return low / (1 + low), 1.0 if math.isinf(high) else high / (1 + high)
