"""Limits of areas under curves."""

from __future__ import annotations

import math

from reportgen.statistics.quantiles import normal_quantile


def logit_limits(area: float, standard_error: float, level: float) -> tuple[float, float]:
    """Return limits that are normal on the logit scale, so that they stay between 0 and 1."""
    return _logit_limits(area, standard_error / (area * (1 - area)), level)


def positives_limits(area: float, positives: float, level: float) -> tuple[float, float]:
    """Return limits of an area under a precision-recall curve (Boyd, Eng and Page 2013)."""
    return _logit_limits(area, 1 / math.sqrt(positives * area * (1 - area)), level)


def _logit_limits(area: float, error: float, level: float) -> tuple[float, float]:
    middle, reach = math.log(area / (1 - area)), normal_quantile(level) * error
    return 1 / (1 + math.exp(reach - middle)), 1 / (1 + math.exp(-reach - middle))


def hanley_mcneil_error(area: float, positives: float, negatives: float) -> float:
    """Return the standard error of an area under a ROC curve of which only its size is known."""
    both_above = area / (2 - area)
    both_below = 2 * area * area / (1 + area)
    variance = (
        area * (1 - area)
        + (positives - 1) * (both_above - area * area)
        + (negatives - 1) * (both_below - area * area)
    )
    return math.sqrt(variance / (positives * negatives))
