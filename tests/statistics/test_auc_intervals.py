"""Limits of areas against printed and computed check values."""

from __future__ import annotations

import pytest
from scipy.stats import norm

from reportgen.statistics.auc import auc_logit_interval, newcombe_auc_interval


def test_logit_limits_stay_inside_and_contain_the_area() -> None:
    """Even where plain limits, 0.98 ∓ 0.098, would pass 1."""
    low, high = auc_logit_interval(0.98, 0.05, 0.95)

    assert 0 < low < 0.98 < high < 1


def test_logit_limits_of_a_half_are_symmetric() -> None:
    """The logit of ½ is 0; ½ ∓ tanh(z·SE/(2·¼))/2."""
    low, high = auc_logit_interval(0.5, 0.05, 0.95)

    assert low + high == pytest.approx(1)
    # z·SE/(A(1−A)) = 1.959964·0.05·4 = 0.3919928, and expit of it is 0.596762.
    assert high == pytest.approx(0.596762, abs=5e-7)


def test_newcombe_s_interval_is_the_one_of_the_r_package_singlecasees() -> None:
    """NAP of 20 20 26 25 22 23 against 28 25 24 27 30 30 29: 0.9167 (0.5973 to 0.9860)."""
    low, high = newcombe_auc_interval(38.5 / 42, 6, 7, 0.95)

    assert (round(low, 4), round(high, 4)) == (0.5973, 0.9860)


@pytest.mark.parametrize("area", [0.3, 0.75, 0.99])
def test_newcombe_s_limits_are_z_standard_errors_away(area: float) -> None:
    """θ(1 − θ)(1 + h(1 − θ)/(2 − θ) + hθ/(1 + θ))/mn with h = (m + n)/2 − 1, at both limits."""
    positives, negatives = 12, 90
    for limit in newcombe_auc_interval(area, positives, negatives, 0.95):
        h = (positives + negatives) / 2 - 1
        spread = 1 + h * (1 - limit) / (2 - limit) + h * limit / (1 + limit)
        variance = limit * (1 - limit) * spread / (positives * negatives)

        assert abs(area - limit) == pytest.approx(norm.ppf(0.975) * variance**0.5, rel=1e-9)
