"""What classifiers would reach where the positive class is more common or rarer than here.

Sensitivity and specificity are taken to stay as they are; everything else follows from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.evaluation.values import MeasureValue, ValueState, evaluate_measures
from reportgen.measures import Measure, find_measure, get_measure
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.measure import CONFUSION_COUNTS
from reportgen.measures.ordering import is_close
from reportgen.statistics.distributions import critical_z
from reportgen.statistics.proportions import (
    clopper_pearson_interval,
    predictive_value_intervals,
    wilson_interval,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.paired import PairedPredictionCounts
    from reportgen.spec import IntervalSettings, PublishedEntry, Spec
    from reportgen.statistics import FloatArray


PREVALENCE_MEASURES = ("accuracy", "precision", "npv", "kappa", "kappa_best")
PREDICTIVE_VALUE_METHOD = "mover, log"
MOVER_AT_PREVALENCE = "mover"
PREVALENCE_GRID = tuple(round(0.005 + 0.01 * step, 3) for step in range(100))
# Prevalences below this cannot be distinguished on a linear axis.
_LOG_AXIS_BELOW = 0.02
_LOG_POINTS, _LAST_LOG_POINT = 120, 0.995
# Prevalences that differ by less than this differ by rounding alone.
_SAME_PREVALENCE = 1e-9


@dataclass(frozen=True, slots=True)
class PositiveClassCounts:
    """The counts of a classifier's positive class; repeated cases count once, so not in whole."""

    classifier: str
    tp: float
    fn: float
    fp: float
    tn: float

    @property
    def counts(self) -> tuple[float, float, float, float]:
        """The four counts."""
        return self.tp, self.fn, self.fp, self.tn

    @property
    def positives(self) -> float:
        """How many cases are truly positive."""
        return self.tp + self.fn

    @property
    def negatives(self) -> float:
        """How many cases are truly negative."""
        return self.fp + self.tn

    @property
    def sensitivity(self) -> float:
        """The share of positives found."""
        return self.tp / self.positives

    @property
    def specificity(self) -> float:
        """The share of negatives that are predicted negative."""
        return self.tn / self.negatives

    @property
    def prevalence(self) -> float:
        """The share of positives in the data."""
        return self.positives / (self.positives + self.negatives)

    @property
    def undefined_reason(self) -> str | None:
        """Why nothing is known of another prevalence, if so."""
        if self.positives == 0:
            return "no case is truly positive, so sensitivity is unknown"
        if self.negatives == 0:
            return "no case is truly negative, so specificity is unknown"
        return None


@dataclass(frozen=True, slots=True)
class PrevalenceValues:
    """The measures of a classifier at a prevalence, by name."""

    classifier: str
    target: float
    values: Mapping[str, MeasureValue]
    observed: float | None
    """The prevalence in the data; None: there are no cases."""


@dataclass(frozen=True, slots=True)
class PrevalenceCurve:
    """A measure of a classifier over the whole range, where it is defined."""

    classifier: str
    measure: str
    points: tuple[tuple[float, float], ...]


def count_positive_class(
    spec: Spec, aggregates: Aggregates, classifiers: Iterable[str]
) -> tuple[PositiveClassCounts, ...]:
    """Read the rates of a binary task off its matrices; repeated cases count once."""
    confusion, positive = aggregates.confusion, spec.task.positive
    if confusion is None or positive is None:
        return ()
    return tuple(
        PositiveClassCounts(
            name,
            *(count * aggregates.case_weight(name) for count in confusion.counts(name, positive)),
        )
        for name in classifiers
    )


def values_at_published_prevalences(
    published: Sequence[PublishedEntry], rates: Sequence[PositiveClassCounts]
) -> dict[tuple[str, float, str], MeasureValue]:
    """Return the values that published values at another prevalence are compared with."""
    entries = [(row.prevalence, find_measure(row.measure)) for row in published]
    measures = dict.fromkeys(measure for where, measure in entries if where and measure)
    return values_at_prevalences(
        rates, list(measures), list(dict.fromkeys(w for w, _ in entries if w))
    )


def adjust_for_prevalence(
    rates: Sequence[PositiveClassCounts], targets: Sequence[float], intervals: IntervalSettings
) -> tuple[PrevalenceValues, ...]:
    """Work out the measures at every target, with intervals."""
    measures = [get_measure(name) for name in PREVALENCE_MEASURES]
    scores = values_at_prevalences(rates, measures, targets)
    return tuple(
        PrevalenceValues(
            rate.classifier,
            target,
            {
                measure.name: _add_interval(
                    scores[rate.classifier, target, measure.name], measure, rate, target, intervals
                )
                for measure in measures
            },
            rate.prevalence if rate.positives + rate.negatives else None,
        )
        for target in targets
        for rate in rates
    )


def observed_prevalences(
    spec: Spec, aggregates: Aggregates, classifiers: Iterable[str]
) -> tuple[float, ...]:
    """Return the prevalence in the data in ascending order, several where the cases differ."""
    if aggregates.confusion is None or spec.task.positive is None:
        return ()
    counts = aggregates.confusion.overall_counts()
    ordered = sorted(
        (tp + fn) / (tp + fn + fp + tn)
        for name in classifiers
        for tp, fn, fp, tn in (counts[name, spec.task.positive],)
        if tp + fn + fp + tn
    )
    return tuple(
        share
        for index, share in enumerate(ordered)
        if not index or share - ordered[index - 1] > _SAME_PREVALENCE
    )


def prevalence_range(prevalences: Sequence[float]) -> tuple[float, float]:
    """Return the range that curves cover: from 0, or from a power of ten where one is tiny."""
    lowest = min(prevalences, default=0.0)
    if not 0 < lowest < _LOG_AXIS_BELOW:
        return 0.0, 1.0
    return 10.0 ** math.floor(math.log10(lowest / 2)), 1.0


def prevalence_grid(lower: float) -> tuple[float, ...]:
    """Return the prevalences at which curves are computed: even, or even by their logarithm."""
    if lower == 0:
        return PREVALENCE_GRID
    grid = np.geomspace(lower, _LAST_LOG_POINT, _LOG_POINTS)
    return tuple(round(prevalence, 9) for prevalence in grid.tolist())


def compute_prevalence_curves(
    rates: Sequence[PositiveClassCounts], grid: Sequence[float] = PREVALENCE_GRID
) -> tuple[PrevalenceCurve, ...]:
    """Work out the measures over the whole range."""
    measures = [get_measure(name) for name in PREVALENCE_MEASURES]
    scores = values_at_prevalences(rates, measures, grid)
    return tuple(
        PrevalenceCurve(
            rate.classifier,
            measure.name,
            tuple(
                (prevalence, value)
                for prevalence in grid
                if (value := scores[rate.classifier, prevalence, measure.name].value) is not None
            ),
        )
        for measure in measures
        for rate in rates
    )


def values_at_prevalences(
    rates: Sequence[PositiveClassCounts], measures: Sequence[Measure], targets: Sequence[float]
) -> dict[tuple[str, float, str], MeasureValue]:
    """Return the scores by classifier, prevalence and measure, without intervals."""
    defined = [rate for rate in rates if rate.undefined_reason is None]
    values = {
        (rate.classifier, target, measure.name): MeasureValue(
            None, ValueState.UNDEFINED, rate.undefined_reason
        )
        for rate in rates
        for target in targets
        for measure in measures
    }
    if not defined or not measures:
        return values
    places = [(rate, target) for rate in defined for target in targets]
    frame = pl.DataFrame(
        [
            (place, *_proportions_at_prevalence(rate, target))
            for place, (rate, target) in enumerate(places)
        ],
        schema={"place": pl.Int64, **dict.fromkeys(CONFUSION_COUNTS, pl.Float64)},
        orient="row",
    )
    formulas = {measure: measure.formula for measure in measures}
    columns = ("place", "measure", "value", "state", "reason")
    for place, name, value, state, reason in (
        evaluate_measures(frame, ("place",), formulas).select(columns).rows()
    ):
        rate, target = places[place]
        values[rate.classifier, target, name] = MeasureValue(value, ValueState(state), reason)
    return values


def _proportions_at_prevalence(
    rates: PositiveClassCounts, prevalence: float
) -> tuple[float, float, float, float]:
    """Return the counts as shares of all cases at a prevalence."""
    positives, negatives = prevalence / rates.positives, (1 - prevalence) / rates.negatives
    return (
        rates.tp * positives,
        rates.fn * positives,
        rates.fp * negatives,
        rates.tn * negatives,
    )


def _add_interval(
    value: MeasureValue,
    measure: Measure,
    rates: PositiveClassCounts,
    target: float,
    intervals: IntervalSettings,
) -> MeasureValue:
    if value.value is None:
        return value
    if measure.name in {"precision", "npv"}:
        predictive_intervals = predictive_value_intervals(rates.counts, target, intervals.level)
        limits = (
            predictive_intervals.positive
            if measure.name == "precision"
            else predictive_intervals.negative
        )
        low, high, method = limits.low, limits.high, PREDICTIVE_VALUE_METHOD
    else:
        low, high = _mover_interval(measure, rates, target, intervals)
        method = MOVER_AT_PREVALENCE
    inside = (min(low, value.value), max(high, value.value))
    return MeasureValue(value.value, value.state, value.reason, *inside, method)


def _mover_interval(
    measure: Measure, rates: PositiveClassCounts, target: float, intervals: IntervalSettings
) -> tuple[float, float]:
    """Return limits of a measure that rises with sensitivity and with specificity.

    How far the measure falls when one of them falls to its lower limit, and when the other does,
    is squared and added (Zou and Donner 2008); for accuracy, a weighted sum, that is exact.
    """
    share = clopper_pearson_interval if intervals.method == "clopper-pearson" else wilson_interval
    s, f = rates.sensitivity, rates.specificity
    of_s = share(rates.tp, rates.positives, intervals.level)
    of_f = share(rates.tn, rates.negatives, intervals.level)
    value, *down = _values_at_limits(measure, target, s, f, (of_s.low, of_f.low))
    _, *up = _values_at_limits(measure, target, s, f, (of_s.high, of_f.high))
    low = value - float(np.hypot(value - down[0], value - down[1]))
    high = value + float(np.hypot(up[0] - value, up[1] - value))
    least, most = measure.range.low, measure.range.high
    return (
        low if least is None else max(low, least),
        high if most is None else min(high, most),
    )


def _values_at_limits(
    measure: Measure, target: float, s: float, f: float, limits: tuple[float, float]
) -> list[float]:
    """Return the measure as it is, with another sensitivity, and with another specificity."""
    sensitivity, specificity = np.array([s, limits[0], s]), np.array([f, f, limits[1]])
    at: dict[str, FloatArray] = {
        "tp": sensitivity * target,
        "fn": (1 - sensitivity) * target,
        "fp": (1 - specificity) * (1 - target),
        "tn": specificity * (1 - target),
    }
    return [float(value) for value in evaluate_formula(measure.formula, at)]


# At which prevalence two classifiers change places, and on which measure.
#
# On each measure one classifier leads the other by a margin whose sign is that of a straight line
# from prevalence 0 to 1, so there is one crossing at most, and it is exact:
# accuracy and the best-a-priori kappa, from the difference in specificity to that in sensitivity;
# kappa, with J = s + f − 1, from J₁(1 − f₂) − J₂(1 − f₁) to J₁f₂ − J₂f₁;
# precision depends on LR+ alone and NPV on LR− alone, so neither ever crosses.


@dataclass(frozen=True, slots=True, kw_only=True)
class PrevalenceCrossover:
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
    value: float | None = None
    """The value of both at the crossing; None: there is none."""


@dataclass(frozen=True, slots=True)
class _RateDifference:
    """First minus second in sensitivity or in specificity, and its variance."""

    estimate: float
    variance: float


def find_prevalence_crossovers(
    rates: Sequence[PositiveClassCounts], spec: Spec, pairs: PairedPredictionCounts | None
) -> tuple[PrevalenceCrossover, ...]:
    """Find where every two classifiers change places; with a baseline, each against it."""
    baseline, positive, level = spec.comparison.baseline, spec.task.positive, spec.intervals.level
    defined = [rate for rate in rates if rate.undefined_reason is None]
    return tuple(
        crossing
        for first, second in combinations(defined, 2)
        if baseline is None or baseline in {first.classifier, second.classifier}
        for crossing in _pair_crossovers(first, second, pairs, positive, level)
    )


def _pair_crossovers(
    first: PositiveClassCounts,
    second: PositiveClassCounts,
    pairs: PairedPredictionCounts | None,
    positive: str | None,
    level: float,
) -> Iterator[PrevalenceCrossover]:
    names = first.classifier, second.classifier
    for measure in PREVALENCE_MEASURES:
        ends = _leads_at_extremes(measure, first, second)
        if ends is None:
            continue
        at_none, at_all = ends
        below, above = _better_classifier(*names, at_none), _better_classifier(*names, at_all)
        where, low, high = None, None, None
        if below and above and below != above:
            where = at_none / (at_none - at_all)
            if measure in {"accuracy", "kappa_best"}:
                gaps = _rate_differences(first, second, pairs, positive)
                low, high = _fieller_interval(*gaps, critical_z(level))
        yield PrevalenceCrossover(
            first=names[0],
            second=names[1],
            measure=measure,
            prevalence=where,
            low=low,
            high=high,
            # Where they are equal at one end only, the leader at the other leads everywhere.
            below=below or above,
            above=above or below,
            value=None if where is None else _value_at_prevalence(first, measure, where),
        )


def _value_at_prevalence(rates: PositiveClassCounts, measure: str, prevalence: float) -> float:
    s, f = rates.sensitivity, rates.specificity
    return _values_at_limits(get_measure(measure), prevalence, s, f, (s, f))[0]


def _leads_at_extremes(
    measure: str, first: PositiveClassCounts, second: PositiveClassCounts
) -> tuple[float, float] | None:
    """Return the margin of the first at prevalence 0 and at 1; None: one of them has no value."""
    s, f = (first.sensitivity, second.sensitivity), (first.specificity, second.specificity)
    fnr, fpr = (
        tuple(1 - sensitivity for sensitivity in s),
        tuple(1 - specificity for specificity in f),
    )
    match measure:
        case "precision":
            if (0, 0) in zip(s, (first.fp, second.fp), strict=True):
                return None
            margin = _lead(s[0] * fpr[1], s[1] * fpr[0])
            return margin, margin
        case "npv":
            if (0, 0) in zip(f, (first.fn, second.fn), strict=True):
                return None
            margin = _lead(f[0] * fnr[1], f[1] * fnr[0])
            return margin, margin
        case "kappa":
            j = s[0] + f[0] - 1, s[1] + f[1] - 1
            return (
                _lead(j[0] * fpr[1], j[1] * fpr[0]),
                _lead(j[0] * f[1], j[1] * f[0]),
            )
        case _:
            return _lead(*f), _lead(*s)


def _lead(first: float, second: float) -> float:
    return 0.0 if is_close(first, second) else first - second


def _better_classifier(first: str, second: str, lead: float) -> str | None:
    return None if lead == 0 else first if lead > 0 else second


def _rate_differences(
    first: PositiveClassCounts,
    second: PositiveClassCounts,
    pairs: PairedPredictionCounts | None,
    positive: str | None,
) -> tuple[_RateDifference, _RateDifference]:
    """Return the gaps in sensitivity and in specificity, paired where the cases are the same."""
    ds = first.sensitivity - second.sensitivity
    df = first.specificity - second.specificity
    if pairs is not None and pairs.has_pair(first.classifier, second.classifier):
        is_positive = pl.col("truth") == positive
        correct = [pl.col(f"{one}_prediction") == pl.col("truth") for one in ("first", "second")]
        differing = pairs.pair_counts(first.classifier, second.classifier).filter(
            correct[0] != correct[1]
        )
        differences = (
            float(differing.filter(where).get_column("count").sum()) * pairs.weight
            for where in (is_positive, ~is_positive)
        )
        sizes = first.positives, first.negatives
        return tuple(  # type: ignore[return-value]  # two sizes give two gaps
            _RateDifference(gap, max(0.0, number - gap**2 * size) / size**2)
            for gap, number, size in zip((ds, df), differences, sizes, strict=True)
        )
    of_s = sum(
        side.sensitivity * (1 - side.sensitivity) / side.positives for side in (first, second)
    )
    of_f = sum(
        side.specificity * (1 - side.specificity) / side.negatives for side in (first, second)
    )
    return _RateDifference(ds, of_s), _RateDifference(df, of_f)


def _fieller_interval(
    sensitivity_difference: _RateDifference, specificity_difference: _RateDifference, z: float
) -> tuple[float, float]:
    """Return the prevalences at which the accuracies may well be equal (Fieller 1954).

    With the odds t of the prevalence that is where (t·Δs + Δf)² ≤ z²(t²·Var Δs + Var Δf). The set
    reaches down to 0 if the specificities, and up to 1 if the sensitivities may be equal.
    """
    square = sensitivity_difference.estimate**2 - z**2 * sensitivity_difference.variance
    linear = sensitivity_difference.estimate * specificity_difference.estimate
    constant = specificity_difference.estimate**2 - z**2 * specificity_difference.variance
    root = math.sqrt(max(0.0, linear**2 - square * constant))
    # Δs and Δf have opposite signs, so `linear` is negative and −linear + root loses no digits.
    low = constant / (-linear + root) if constant > 0 else 0.0
    high = (-linear + root) / square if square > 0 else math.inf
    return low / (1 + low), 1.0 if math.isinf(high) else high / (1 + high)
