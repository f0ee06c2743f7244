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
