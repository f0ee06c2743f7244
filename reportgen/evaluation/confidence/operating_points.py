"""Confidence intervals of measures at an operating point, from a bootstrap of the cases."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from reportgen.aggregates.operating_points import KEYS
from reportgen.evaluation.confidence.delta_method import delta_intervals
from reportgen.measures.formula.evaluate import evaluate_formula
from reportgen.measures.measure import OperatingPointRule
from reportgen.statistics.distributions import critical_z
from reportgen.statistics.proportions import ConfidenceInterval, wilson_interval

if TYPE_CHECKING:
    from collections.abc import Mapping

    from reportgen.aggregates.model import Aggregates
    from reportgen.measures import Measure
    from reportgen.measures.measure import CaseBootstrap


def operating_point_interval(
    aggregates: Aggregates, measure: Measure, kind: CaseBootstrap, classifier: str, level: float
) -> tuple[float, float, str] | None:
    """Return the limits and the method; None where the value does not vary, or is not defined."""
    statistics = aggregates.operating_points
    if statistics is None:
        return None
    covariances = statistics.covariances.covariances([classifier], measure.name)
    rows = statistics.frame.filter(pl.col("fold").is_null(), pl.col("classifier") == classifier)
    if covariances is None or rows.is_empty():
        return None
    sums: dict[str, float] = rows.drop(KEYS).row(0, named=True)
    arrays = {name: np.array([number]) for name, number in sums.items()}
    value = float(evaluate_formula(measure.formula, arrays)[0])
    weight = repetition_weight(aggregates, classifier)
    variance = float(covariances[0, 0]) / weight
    if kind.link is not None:
        if variance <= 0 or not 0 < value < 1:
            return None
        limits = delta_intervals(
            np.array([value]), np.array([variance]), kind.link, critical_z(level)
        )
        return float(limits.low[0]), float(limits.high[0]), f"bootstrap, {kind.link.value}"
    optimism = statistics.optimism.get((classifier, measure.name), 0.0)
    interval = wilson_from_variance(
        value - optimism,
        variance,
        highest=measure.range.high or 1.0,
        trials=_trials(measure, sums) * weight,
        level=level,
    )
    low = 0.0 if _may_be_zero(measure, value, sums, level) else min(interval.low, value)
    method = f"wilson, bootstrap {'optimism' if kind.corrects_optimism else 'variance'}"
    return low, max(interval.high, value), method


def _may_be_zero(measure: Measure, value: float, sums: Mapping[str, float], level: float) -> bool:
    """Return whether a maximum of differences is as large by chance alone (Smirnov 1939)."""
    parameter = measure.parameter
    if parameter is None or parameter.rule is not OperatingPointRule.MAXIMUM_DIFFERENCE:
        return False
    positives, negatives = sums["positives"], sums["negatives"]
    size = positives * negatives / (positives + negatives)
    # The asymptotic quantile of Kolmogorov's distribution, to its first term.
    return value < math.sqrt(-math.log((1 - level) / 2) / (2 * size))


def repetition_weight(aggregates: Aggregates, classifier: str) -> float:
    """Return the distinct cases per counted case; a design was resampled as it is."""
    return 1.0 if aggregates.design is not None else aggregates.case_weight(classifier)


def wilson_from_variance(
    value: float, variance: float, *, highest: float, trials: float, level: float
) -> ConfidenceInterval:
    """Return Wilson's limits of a value between 0 and a maximum, given its variance.

    The number of cases is the one for which a binomial proportion has that variance. At an end of
    the range, where resamples do not vary, it is the number of cases that the value counts.
    """
    proportion = min(max(value / highest, 0.0), 1.0)
    spread = variance / highest**2
    effective = proportion * (1 - proportion) / spread if spread > 0 else 0.0
    size = effective if effective > 0 else trials
    limits = wilson_interval(proportion * size, size, level)
    return ConfidenceInterval(limits.low * highest, limits.high * highest)


def _trials(measure: Measure, sums: Mapping[str, float]) -> float:
    """Return the number of cases that a value at an operating point is a proportion of."""
    parameter, positives, negatives = measure.parameter, sums["positives"], sums["negatives"]
    if parameter is None:
        raise LookupError(measure.name)
    match parameter.rule:
        case OperatingPointRule.MAXIMUM_DIFFERENCE:
            return min(positives, negatives)
        case OperatingPointRule.TOP_CASES:
            return min(positives, sums[f"{measure.name}:k"])
        case OperatingPointRule.CONSTRAINT:
            predicted = sums[f"{measure.name}:tp"] + sums[f"{measure.name}:fp"]
            counts = {
                "sensitivity": positives,
                "specificity": negatives,
                "precision": predicted,
                "npv": positives + negatives - predicted,
            }
            return counts[parameter.target]
        case _:
            return positives
