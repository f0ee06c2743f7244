"""What decisions by a classifier are worth: net benefit, expected cost, gains, frequencies.

Curves are computed from the counts at every threshold, for the positive class of a binary task.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from reportgen.evaluation.decision import natural_frequencies
from reportgen.evaluation.roc_hull import optimal_vertices, roc_hull, single_point_hull
from reportgen.evaluation.thresholds import cost_per_case
from reportgen.spec import declared_decision
from reportgen.statistics.operating_points import (
    RATE_TOLERANCE,
    CountsByThreshold,
    best_under_constraint,
    true_positives_in_top,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from reportgen.aggregates.curves import CumulativeCounts
    from reportgen.aggregates.model import Aggregates
    from reportgen.aggregates.threshold_choice import ThresholdRule
    from reportgen.evaluation.decision import NaturalFrequencies
    from reportgen.evaluation.thresholds import OptimalThreshold
    from reportgen.spec import Spec
    from reportgen.statistics import FloatArray

N_CURVE_POINTS = 100
GAIN_FRACTIONS = (0.01, 0.05, 0.1, 0.2, 0.5)
RATE_MINIMA = (0.9, 0.95, 0.99)
# Decision curves end at this multiple of the prevalence, or of the declared threshold.
_PREVALENCE_MULTIPLE, _DECLARED_MULTIPLE, _MAX_THRESHOLD = 4, 2, 0.99
_TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True)
class NetBenefitCurve:
    """Net benefit over threshold probabilities (Vickers and Elkin 2006), per case.

    A case is treated if its probability is at least the threshold. Classifier None: all cases are
    treated; treating none has a net benefit of 0.
    """

    classifier: str | None
    thresholds: tuple[float, ...]
    net_benefit: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CostCurve:
    """The lowest normalised expected cost at any threshold (Drummond and Holte 2006).

    `probability_cost` is π C_FN / (π C_FN + (1 − π) C_FP), π being the prevalence; a cost of 1 is
    that of being wrong in all cases. Classifier None: the better of predicting none and all as
    positive.
    """

    classifier: str | None
    probability_cost: tuple[float, ...]
    cost: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class CostRatioRange:
    """The cost ratios, false negative to false positive, at which classifiers cost least.

    Each is used at its best threshold on these cases. Without classifiers, predicting none or all
    cases as positive (`trivial`) costs least. `high` of None: no limit.
    """

    classifiers: tuple[str, ...]
    trivial: Literal["none", "all"] | None
    low: float
    high: float | None


@dataclass(frozen=True, slots=True)
class CumulativeGains:
    """The share of positives among the cases with the highest scores (cumulative gains)."""

    classifier: str
    fractions: tuple[float, ...]
    gains: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TopFraction:
    """The positives among a fraction of the cases with the highest scores.

    `gain` is their share of all positives, `lift` their proportion relative to the prevalence.
    """

    classifier: str
    fraction: float
    gain: float
    lift: float


@dataclass(frozen=True, slots=True)
class ConstrainedRate:
    """The highest value of a rate among the thresholds at which another reaches a minimum.

    None: no threshold reaches it.
    """

    classifier: str
    rate: Literal["sensitivity", "specificity"]
    condition: Literal["sensitivity", "specificity"]
    minimum: float
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatingFrequencies:
    """What a classifier does at an operating point, in natural frequencies (Gigerenzer 2002).

    `rule` of None: the predictions as submitted. Precision is that at the prevalence of use, None
    where no case is predicted positive; `cost_per_case` is None without declared costs.
    """

    classifier: str
    rule: ThresholdRule | None
    frequencies: NaturalFrequencies
    sensitivity: float
    specificity: float
    precision: float | None
    youden: float
    cost_per_case: float | None


@dataclass(frozen=True, slots=True)
class DecisionAnalysis:
    """All curves and tables on decisions, at one prevalence.

    `prevalence` is that of use if the spec declares it (`is_declared`), or else of the data.
    `cost_ratio` is the declared cost of a false negative relative to a false positive; with it come
    the threshold probability and the probability-cost at which it stands in the curves.
    """

    prevalence: float
    is_declared: bool
    cost_ratio: float | None
    declared_threshold: float | None
    declared_probability_cost: float | None
    net_benefit: tuple[NetBenefitCurve, ...]
    cost_curves: tuple[CostCurve, ...]
    cost_ranges: tuple[CostRatioRange, ...]
    gains: tuple[CumulativeGains, ...]
    top_fractions: tuple[TopFraction, ...]
    constrained_rates: tuple[ConstrainedRate, ...]
    frequencies: tuple[OperatingFrequencies, ...]

    @property
    def declared_range(self) -> CostRatioRange | None:
        """The range of the declared cost ratio; None without declared costs."""
        ratio = self.cost_ratio
        if ratio is None:
            return None
        ends = (
            cost_range
            for cost_range in self.cost_ranges
            if cost_range.high is None or ratio <= cost_range.high
        )
        return next(ends, None)


def analyze_decisions(
    spec: Spec,
    aggregates: Aggregates,
    counts: Mapping[str, tuple[float, float, float, float]],
    optima: Sequence[OptimalThreshold],
) -> DecisionAnalysis | None:
    """Return the curves and tables; None without two classes that both have cases.

    Args:
        spec: The costs and the prevalence that it declares.
        aggregates: The counts at every threshold.
        counts: tp, fn, fp and tn as predicted, by classifier.
        optima: The thresholds chosen on these cases.
    """
    nonempty_counts = {
        name: row for name, row in counts.items() if row[0] + row[1] and row[2] + row[3]
    }
    if not nonempty_counts:
        return None
    decision = declared_decision(spec)
    tp, fn, fp, tn = next(iter(nonempty_counts.values()))
    observed = (tp + fn) / (tp + fn + fp + tn)
    prevalence = observed if decision.prevalence is None else decision.prevalence
    cost = decision.cost
    ratio = None if cost is None else cost.false_negative / cost.false_positive
    steps = dict(_cumulative_counts(spec, aggregates, nonempty_counts))
    kinds = {score_type.classifier: score_type.kind for score_type in aggregates.score_types}
    hulls = {
        name: roc_hull(steps[name]) if name in steps else single_point_hull(row)
        for name, row in nonempty_counts.items()
    }
    probabilities = {
        name: counts for name, counts in steps.items() if kinds.get(name) == "probability"
    }
    return DecisionAnalysis(
        prevalence=prevalence,
        is_declared=decision.prevalence is not None,
        cost_ratio=ratio,
        declared_threshold=None if ratio is None else 1 / (1 + ratio),
        declared_probability_cost=None if ratio is None else _probability_cost(ratio, prevalence),
        net_benefit=tuple(_net_benefit_curves(probabilities, prevalence, ratio)),
        cost_curves=tuple(_cost_curves(hulls)),
        cost_ranges=find_cost_ranges(hulls, prevalence),
        gains=tuple(_gain_curves(steps)),
        top_fractions=tuple(_top_fractions(steps)),
        constrained_rates=tuple(_constrained_rates(steps)),
        frequencies=tuple(_operating_frequencies(spec, nonempty_counts, optima, prevalence)),
    )


def _cumulative_counts(
    spec: Spec, aggregates: Aggregates, counts: Mapping[str, tuple[float, float, float, float]]
) -> Iterator[tuple[str, CumulativeCounts]]:
    """Yield the counts by threshold of the classifiers with scores for cases of both classes."""
    if aggregates.curves is None:
        return
    for name in counts:
        steps = aggregates.curves.cumulative_counts(name, spec.task.positive or "")
        if steps is not None and steps.positives and steps.negatives:
            yield name, steps


def _probability_cost(ratio: float, prevalence: float) -> float:
    return prevalence * ratio / (prevalence * ratio + 1 - prevalence)


# Net benefit.


def _net_benefit_curves(
    counts: Mapping[str, CumulativeCounts], prevalence: float, ratio: float | None
) -> Iterator[NetBenefitCurve]:
    if not counts:
        return
    cost_threshold = 0.0 if ratio is None else _DECLARED_MULTIPLE / (1 + ratio)
    highest = min(_MAX_THRESHOLD, max(_PREVALENCE_MULTIPLE * prevalence, cost_threshold))
    thresholds = np.linspace(highest / N_CURVE_POINTS, highest, N_CURVE_POINTS)
    for name, steps in counts.items():
        values = net_benefit(steps, thresholds, prevalence)
        yield NetBenefitCurve(name, tuple(thresholds.tolist()), tuple(values.tolist()))
    treat_all = prevalence - (1 - prevalence) * thresholds / (1 - thresholds)
    yield NetBenefitCurve(None, tuple(thresholds.tolist()), tuple(treat_all.tolist()))


def net_benefit(counts: CumulativeCounts, thresholds: FloatArray, prevalence: float) -> FloatArray:
    """Return π TPR − (1 − π) FPR t/(1 − t) at threshold probabilities (Vickers and Elkin 2006)."""
    threshold_counts = counts.at_thresholds(thresholds)
    tpr, fpr = threshold_counts.tp / counts.positives, threshold_counts.fp / counts.negatives
    odds = thresholds / (1 - thresholds)
    return np.asarray(prevalence * tpr - (1 - prevalence) * fpr * odds, dtype=np.float64)


# Expected cost.


def _cost_curves(hulls: Mapping[str, FloatArray]) -> Iterator[CostCurve]:
    at = np.linspace(0.0, 1.0, N_CURVE_POINTS + 1)
    axis = tuple(at.tolist())
    for name, hull in hulls.items():
        costs = np.outer(1 - hull[:, 1], at) + np.outer(hull[:, 0], 1 - at)
        yield CostCurve(name, axis, tuple(costs.min(axis=0).tolist()))
    yield CostCurve(None, axis, tuple(np.minimum(at, 1 - at).tolist()))


def find_cost_ranges(
    hulls: Mapping[str, FloatArray], prevalence: float
) -> tuple[CostRatioRange, ...]:
    """Return which classifiers cost least at which cost ratio, from the lowest ratio up.

    Vertices of the common convex hull with a classifier in common are one range.
    """
    ranges: list[CostRatioRange] = []
    for vertex in optimal_vertices(hulls, prevalence):
        start, names = vertex.low, vertex.classifiers
        shared = tuple(name for name in ranges[-1].classifiers if name in names) if ranges else ()
        if shared:
            start, names = ranges.pop().low, shared
        high = None if math.isinf(vertex.high) else vertex.high
        ranges.append(CostRatioRange(names, vertex.trivial, start, high))
    return tuple(ranges)


# Ranking.


def _gain_curves(counts: Mapping[str, CumulativeCounts]) -> Iterator[CumulativeGains]:
    fractions = np.unique(
        np.concatenate([np.linspace(0, 0.1, 21), np.linspace(0.1, 1, 46)]).round(6)
    )
    for name, steps in counts.items():
        gains = gains_at(steps, fractions)
        yield CumulativeGains(name, tuple(fractions.tolist()), tuple(gains.tolist()))


def _top_fractions(counts: Mapping[str, CumulativeCounts]) -> Iterator[TopFraction]:
    for name, steps in counts.items():
        gains = gains_at(steps, np.array(GAIN_FRACTIONS))
        for fraction, gain in zip(GAIN_FRACTIONS, gains.tolist(), strict=True):
            yield TopFraction(name, fraction, gain, gain / fraction)


def gains_at(counts: CumulativeCounts, fractions: FloatArray) -> FloatArray:
    """Return the share of positives in fractions of the cases with the highest scores.

    Of cases with equal scores a random part is taken.
    """
    size = (counts.positives + counts.negatives) * fractions
    last = np.searchsorted(counts.tp + counts.fp, size)
    # Only the thresholds on both sides of the last case are needed.
    places = np.stack([last - 1, np.minimum(last, len(counts.tp) - 1)], axis=1)
    tp, fp = (side.astype(np.float64) for side in counts.at_places(places))
    true_positives = true_positives_in_top(CountsByThreshold(tp, fp), size)
    return np.asarray(true_positives / counts.positives, dtype=np.float64)


def _constrained_rates(counts: Mapping[str, CumulativeCounts]) -> Iterator[ConstrainedRate]:
    pairs: tuple[
        tuple[
            Literal["sensitivity", "specificity"],
            Literal["sensitivity", "specificity"],
        ],
        ...,
    ] = (("sensitivity", "specificity"), ("specificity", "sensitivity"))
    for name, steps in counts.items():
        for rate, condition in pairs:
            for minimum in RATE_MINIMA:
                limits = _counts_around(steps, condition, minimum)
                tp, fp = best_under_constraint(limits, rate, condition, minimum)
                value = (
                    tp[0] / steps.positives
                    if rate == "sensitivity"
                    else 1 - fp[0] / steps.negatives
                )
                rate_value = None if math.isnan(value) else float(value)
                yield ConstrainedRate(name, rate, condition, minimum, rate_value)


def _counts_around(
    counts: CumulativeCounts, condition: Literal["sensitivity", "specificity"], minimum: float
) -> CountsByThreshold:
    """Return the counts on both sides of where a rate passes a minimum, and at the last threshold.

    Sensitivity rises and specificity falls with the number of predicted cases, so that the other
    rate is highest at one of the two. Without a score above them the first has no predicted cases.
    """
    required = minimum - RATE_TOLERANCE

    def has_passed(place: int) -> bool:
        if condition == "sensitivity":
            return bool(counts.tp[place] / counts.positives >= required)
        return bool((counts.negatives - counts.fp[place]) / counts.negatives < required)

    end = len(counts.tp) - 1
    first = bisect_left(range(end), 1, key=has_passed)
    tp, fp = counts.at_places(np.array([[first - 1, first, end]]))
    return CountsByThreshold(tp.astype(np.float64), fp.astype(np.float64))


# Natural frequencies.


def _operating_frequencies(
    spec: Spec,
    counts: Mapping[str, tuple[float, float, float, float]],
    optima: Sequence[OptimalThreshold],
    prevalence: float,
) -> Iterator[OperatingFrequencies]:
    """Yield the frequencies as submitted and at every chosen threshold, by classifier."""
    for name, submitted in counts.items():
        points: list[tuple[ThresholdRule | None, tuple[float, float, float, float]]] = [
            (None, submitted)
        ]
        for optimum in optima:
            optimal_counts = optimum.tp, optimum.fn, optimum.fp, optimum.tn
            if optimum.classifier == name and None not in optimal_counts:
                tp, fn, fp, tn = (count or 0 for count in optimal_counts)
                points.append((optimum.rule, (tp, fn, fp, tn)))
        for rule, (tp, fn, fp, tn) in points:
            expected = natural_frequencies((tp, fn, fp, tn), prevalence)
            if expected is None:
                continue
            sensitivity, specificity = tp / (tp + fn), tn / (fp + tn)
            predicted = expected.tp + expected.fp
            yield OperatingFrequencies(
                classifier=name,
                rule=rule,
                frequencies=expected,
                sensitivity=sensitivity,
                specificity=specificity,
                precision=expected.tp / predicted if predicted else None,
                youden=sensitivity + specificity - 1,
                cost_per_case=cost_per_case(spec, (tp, fn, fp, tn)),
            )
