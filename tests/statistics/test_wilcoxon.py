"""Wilcoxon's signed-rank test against SciPy, against counting by hand, and in its corners."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from reportgen.statistics.wilcoxon import Tails, ZeroRule, signed_rank

ZERO_METHODS: dict[ZeroRule, str] = {"drop": "wilcox", "pratt": "pratt", "split": "zsplit"}
ALTERNATIVES: dict[Tails, str] = {"two": "two-sided", "one": "greater"}


@pytest.mark.parametrize("size", [1, 2, 6, 10, 25, 26, 80])
@pytest.mark.parametrize("tails", ALTERNATIVES)
@pytest.mark.parametrize("decimals", [12, 1])
@pytest.mark.parametrize("zero_rule", ZERO_METHODS)
def test_statistic_and_p_are_those_of_scipy(
    size: int, tails: Tails, decimals: int, zero_rule: ZeroRule
) -> None:
    """One decimal makes ties and zeros; exact where we are exact, else without a continuity."""
    drawn = np.random.default_rng(size).normal(0.3, 1, size)
    differences = np.round(drawn, decimals)

    found = signed_rank(differences, 0.95, zero_rule, tails)

    expected = stats.wilcoxon(
        differences,
        zero_method=ZERO_METHODS[zero_rule],
        alternative=ALTERNATIVES[tails],
        method="exact" if found.exact else "approx",
        correction=False,
    )
    assert found.statistic == pytest.approx(expected.statistic, abs=1e-9)
    assert found.p == pytest.approx(expected.pvalue, abs=1e-9)


def test_exact_p_of_few_differences_counts_the_signs() -> None:
    """Of the 2³ signs of ranks 1, 2, 3 only +++ and −−− are as far out as all positive: 2/8."""
    found = signed_rank([0.1, 0.2, 0.4], 0.95)

    assert (found.statistic, found.p, found.exact) == (0, 2 / 8, True)
    assert signed_rank([0.1, 0.2, 0.4], 0.95, tails="one").p == 1 / 8


def test_exactness_ends_at_25_differences_and_with_ties_or_zeros() -> None:
    """As the report says of each p-value."""
    assert signed_rank(np.arange(1.0, 26.0), 0.95).exact
    assert not signed_rank(np.arange(1.0, 27.0), 0.95).exact
    assert not signed_rank([1.0, -1.0, 2.0], 0.95).exact
    assert not signed_rank([0.0, 1.0, 2.0], 0.95).exact


def test_differences_equal_but_for_rounding_are_ties() -> None:
    """0.81 − 0.80 and 0.83 − 0.82 are 0.01 on paper, but not as floating-point numbers."""
    noisy = [0.81 - 0.80, 0.83 - 0.82, 0.79 - 0.77, 0.3 - 0.2 - 0.1]
    assert noisy[0] != noisy[1] or noisy[3] != 0

    found = signed_rank(noisy, 0.95)

    clean = signed_rank([0.01, 0.01, 0.02, 0.0], 0.95)
    assert (found.statistic, found.p, found.used, found.zeros) == (
        clean.statistic,
        clean.p,
        clean.used,
        clean.zeros,
    )
    assert found.zeros == 1


def test_the_scale_of_the_differences_does_not_matter() -> None:
    """Ranks stay what they are whatever the unit."""
    differences = np.array([0.03, -0.01, 0.05, 0.02, 0.07])
    plain = signed_rank(differences, 0.95)

    for factor in (1e-280, 1e-9, 1e6, 1e300):
        scaled = signed_rank(differences * factor, 0.95)
        assert scaled.p == plain.p
        assert scaled.estimate == pytest.approx(plain.estimate * factor, rel=1e-11)


def test_no_difference_at_all_speaks_for_none() -> None:
    """All zeros: p is 1 under every rule, not an error."""
    for rule in ZERO_METHODS:
        found = signed_rank([0.0] * 4, 0.95, rule)
        assert (found.p, found.estimate, found.zeros) == (1, 0, 4)


def test_nothing_and_infinity_are_refused() -> None:
    """Whoever calls has to leave out what has no finite value, and to say so."""
    for wrong in ([], [1.0, np.inf], [np.nan]):
        with pytest.raises(ValueError, match="finite"):
            signed_rank(wrong, 0.95)


@pytest.mark.parametrize("size", [1, 2, 7, 30, 101])
def test_estimate_is_the_median_of_the_means_of_every_two(size: int) -> None:
    """Hodges and Lehmann's, here from all means written out."""
    differences = np.round(np.random.default_rng(3).normal(0, 1, size), 6)
    means = np.sort(
        [(differences[i] + differences[j]) / 2 for i in range(size) for j in range(i, size)]
    )

    assert signed_rank(differences, 0.95).estimate == pytest.approx(float(np.median(means)))


def test_limits_are_what_a_test_of_the_shifted_differences_does_not_reject() -> None:
    """Just inside the limits p is above 0.05, just outside it is not."""
    differences = np.array([0.05, 0.13, -0.021, 0.078, 0.094, 0.033, 0.112, -0.004, 0.061, 0.147])
    found = signed_rank(differences, 0.95)
    assert found.low is not None
    assert found.high is not None

    for limit, inwards in ((found.low, 1e-6), (found.high, -1e-6)):
        assert signed_rank(differences - limit - inwards, 0.95).p > 0.05
        assert signed_rank(differences - limit + inwards, 0.95).p <= 0.05


def test_limits_hold_their_level() -> None:
    """Over all signs of six differences at least 95 % of intervals contain the true shift 0."""
    sizes = np.array([1.0, 2.1, 3.3, 4.6, 6.0, 7.5])
    contained = []
    for signs in product((-1.0, 1.0), repeat=6):
        found = signed_rank(sizes * signs, 0.95)
        assert found.low is not None
        assert found.high is not None
        contained.append(found.low <= 0 <= found.high)

    assert np.mean(contained) >= 0.95


def test_five_differences_allow_no_interval_of_95_percent() -> None:
    """The widest one, from the smallest to the largest, has 1 − 2/2⁵ = 93.75 %."""
    five = [0.1, 0.2, 0.3, 0.4, 0.6]

    assert (signed_rank(five, 0.95).low, signed_rank(five, 0.95).high) == (None, None)
    assert (signed_rank(five, 0.93).low, signed_rank(five, 0.93).high) == (0.1, 0.6)
