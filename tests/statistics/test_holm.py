"""Adjusted p-values against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from reportgen.statistics.multiplicity import holm


def test_holm_steps_down() -> None:
    """3 × 0.01 = 0.03; 2 × 0.02 = 0.04; 1 × 0.03 would be below, so 0.04 again."""
    assert holm([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])


@pytest.mark.parametrize("tests", [1, 2, 7, 40])
def test_holm_agrees_with_statsmodels(tests: int) -> None:
    """In the order given, at most 1, with ties."""
    sample = np.random.default_rng(tests).uniform(size=tests) ** 3
    p_values = [float(item) for item in sample.round(2)]

    assert holm(p_values) == pytest.approx(
        list(multipletests(p_values, method="holm")[1]), abs=1e-12
    )


def test_no_test_needs_no_adjustment() -> None:
    """An empty family stays empty."""
    assert holm([]) == []
