"""Limits of areas against printed and computed check values."""

from __future__ import annotations

import pytest

from reportgen.statistics.auc import auc_logit_interval


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
