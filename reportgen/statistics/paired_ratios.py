"""Ratios of two proportions of the same cases, and the odds ratio of discordant pairs.

Ratios of sensitivities: Cheng and Macaluso (1997); of predictive values: Moskowitz and Pepe (2006).
Their limits are normal on the log scale, with the variance of the influences of the cases.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from reportgen.statistics.distributions import critical_z
from reportgen.statistics.proportions import ConfidenceInterval, clopper_pearson_interval

if TYPE_CHECKING:
    from reportgen.statistics.paired_tests import AgreementTable, PairedContingencyTable


@dataclass(frozen=True, slots=True)
class RatioEstimate:
    """A ratio, first over second, with confidence limits; an infinite one is `math.inf`."""

    ratio: float
    interval: ConfidenceInterval


def paired_proportion_ratio(table: AgreementTable, level: float) -> RatioEstimate | None:
    """Return the ratio of two paired proportions; None where one of them is 0."""
    if not (table.first and table.second):
        return None
    discordant = table.first_only + table.second_only
    variance = discordant / (table.first * table.second)
    return _on_log_scale(table.first / table.second, variance, level)


def predictive_value_ratio(table: PairedContingencyTable, level: float) -> RatioEstimate | None:
    """Return the ratio of two positive predictive values; None where one is 0 or undefined."""
    positives, negatives = table.positives, table.negatives
    if not (positives.first and positives.second):
        return None
    first_size, second_size = (
        positives.first + negatives.first,
        positives.second + negatives.second,
    )
    first, second = positives.first / first_size, positives.second / second_size
    variance = 0.0
    for side, truth in ((positives, 1.0), (negatives, 0.0)):
        by_first = (truth - first) / (first * first_size)
        by_second = (truth - second) / (second * second_size)
        variance += side.both * (by_first - by_second) ** 2
        variance += side.first_only * by_first**2 + side.second_only * by_second**2
    return _on_log_scale(first / second, variance, level)


def mcnemar_odds_ratio(first_only: int, second_only: int, level: float) -> RatioEstimate | None:
    """Return the odds ratio of discordant pairs with exact limits; None without any."""
    discordant = first_only + second_only
    if not discordant:
        return None
    limits = clopper_pearson_interval(first_only, discordant, level)
    return RatioEstimate(
        _odds(first_only / discordant), ConfidenceInterval(_odds(limits.low), _odds(limits.high))
    )


def _odds(proportion: float) -> float:
    return math.inf if proportion >= 1 else proportion / (1 - proportion)


def _on_log_scale(ratio: float, variance: float, level: float) -> RatioEstimate:
    reach = math.exp(critical_z(level) * math.sqrt(variance))
    return RatioEstimate(ratio, ConfidenceInterval(ratio / reach, ratio * reach))
