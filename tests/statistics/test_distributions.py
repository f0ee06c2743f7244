"""The normal distribution without SciPy, against SciPy."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import chdtrc, chdtri, expit, ndtri, stdtrit

from reportgen.statistics.distributions import (
    chi2_isf,
    chi2_sf,
    critical_t,
    critical_z,
    inverse_logit,
    norm_ppf,
)


def test_normal_quantiles_agree_with_scipy() -> None:
    """In the middle, in the tails, and 300 powers of ten out."""
    probabilities = np.concatenate(
        [
            np.random.default_rng(1).random(2000),
            10.0 ** -np.arange(1, 308),
            1 - 10.0 ** -np.arange(1.0, 15.0, 0.1),
        ]
    )

    quantiles = [norm_ppf(float(probability)) for probability in probabilities]
    # Near the median the quantile is a difference of nearly equal numbers.
    np.testing.assert_allclose(quantiles, ndtri(probabilities), rtol=1e-14, atol=1e-16)


def test_nothing_and_everything_lie_infinitely_far_out() -> None:
    """No value has nothing below it."""
    assert norm_ppf(0.0) == -math.inf
    assert norm_ppf(1.0) == math.inf


def test_ninety_five_of_a_hundred_lie_within_two() -> None:
    """1.96, as every table has it."""
    assert critical_z(0.95) == pytest.approx(1.959963984540054, rel=1e-15)


@pytest.mark.parametrize("statistic", [0.0, 1e-9, 0.1, 1.0, 3.84, 25.0, 300.0, 1400.0])
def test_the_tail_of_chi_square_is_that_of_scipy(statistic: float) -> None:
    """Chi-square with one degree of freedom is the square of a normal value."""
    assert chi2_sf(statistic) == pytest.approx(float(chdtrc(1.0, statistic)), rel=5e-13)


@pytest.mark.parametrize("alpha", [1e-12, 0.001, 0.01, 0.05, 0.1, 0.5])
def test_the_critical_chi_square_is_that_of_scipy(alpha: float) -> None:
    """And its tail is alpha again."""
    assert chi2_isf(alpha) == pytest.approx(float(chdtri(1.0, alpha)), rel=1e-13)
    assert chi2_sf(chi2_isf(alpha)) == pytest.approx(alpha, rel=1e-13)


@pytest.mark.parametrize("degrees_of_freedom", [999.0, 1000.0, 1234.5, 20_000.0, 1e7, math.inf])
def test_quantiles_of_students_t_agree_with_scipy(degrees_of_freedom: float) -> None:
    """On both sides of the number of degrees of freedom from which an expansion is used."""
    for level in (0.5, 0.9, 0.95, 0.99, 0.9999):
        expected = stdtrit(degrees_of_freedom, (1 + level) / 2)
        assert critical_t(degrees_of_freedom, level) == pytest.approx(expected, rel=2e-13)


@pytest.mark.parametrize("log_odds", [-1e4, -700.0, -30.0, -1.5, 0.0, 1e-9, 2.0, 40.0, 1e4])
def test_the_inverse_logit_is_that_of_scipy(log_odds: float) -> None:
    """Small probabilities keep their digits, and large log odds do not overflow."""
    assert inverse_logit(log_odds) == pytest.approx(float(expit(log_odds)), rel=1e-14, abs=1e-300)
